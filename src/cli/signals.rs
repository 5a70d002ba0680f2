//! Signals, and a reader who goes away, as the loop understands them: the end of the run.

use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::time::Duration;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, watch};

use crate::agent::Shutdown;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::runtime::Groups;

/// How long the end may still take after a second signal. Some senders send each signal twice, to the process and
/// to its group: that must not cut short what the first one began.
const LAST_GRACE: Duration = Duration::from_secs(2);

/// Listens for the signals that end a program. The first one stops the run, as Esc does, and lets it settle its
/// books. After a second one the process ends in any case, whatever it waits for.
///
/// # Errors
/// When the system refuses to deliver signals.
pub(super) fn listen(shutdown: &mpsc::Sender<Shutdown>, groups: &Groups) -> Result<(), Fault> {
    listen_for(shutdown, groups, |_| Shutdown::Signal)
}

/// The same for who wants to know which signal it was.
///
/// # Errors
/// As [`listen`].
pub(super) fn listen_for<T: Send + 'static>(
    told: &mpsc::Sender<T>,
    groups: &Groups,
    says: fn(SignalKind) -> T,
) -> Result<(), Fault> {
    outlive_limits()?;
    let (heard_to, mut heard) = mpsc::channel(4);
    for kind in ending_kinds() {
        let mut signals = of(kind)?;
        let heard = heard_to.clone();
        tokio::spawn(
            async move { while signals.recv().await.is_some() && heard.send(kind).await.is_ok() {} },
        );
    }
    let (end, groups) = (told.clone(), groups.clone());
    tokio::spawn(async move {
        let Some(kind) = heard.recv().await else { return };
        tell(&end, says(kind)).await;
        heard.recv().await;
        tokio::time::sleep(LAST_GRACE).await;
        groups.end_all(Duration::ZERO);
        std::process::exit(Exit::Interrupted.code().into());
    });
    Ok(())
}

/// Ends the process with the next signal that ends programs, whatever it waits for. It returns only where none can be heard.
pub(super) async fn end_on_the_next(groups: &Groups) {
    let Ok((_, mut told)) = first_of(&[&ending_kinds()[..], &[SignalKind::quit()]].concat()) else { return };
    if told.wait_for(|end| *end).await.is_ok() {
        groups.end_all(Duration::ZERO);
        std::process::exit(Exit::Interrupted.code().into());
    }
}

/// Tells the loop when nobody reads stdout any more, also while there is nothing to write.
pub(super) fn watch_stdout(shutdown: &mpsc::Sender<Shutdown>) {
    let Some(closed) = closed(&std::io::stdout()) else { return };
    let end = shutdown.clone();
    tokio::spawn(async move {
        if closed.await {
            tell(&end, Shutdown::Signal).await;
        }
    });
}

/// Ends with true when the other end of this is gone, a terminal or a reader. `None`: it cannot be waited for, as a file
/// cannot, which has no other end to lose.
#[expect(deprecated, reason = "its successor is unsafe; this one owns the descriptor that it watches")]
fn closed<F: AsFd>(what: &F) -> Option<impl Future<Output = bool> + use<F>> {
    let interest = Interest::WRITABLE | Interest::ERROR;
    let owned = what.as_fd().try_clone_to_owned().ok()?;
    let watched = AsyncFd::with_interest(owned, interest).ok()?;
    Some(async move {
        while let Ok(mut guard) = watched.ready(interest).await {
            if guard.ready().is_write_closed() || guard.ready().is_error() {
                return true;
            }
            guard.clear_ready();
        }
        false
    })
}

/// For a screen, which ends itself: becomes true with the first signal that ends a program, or when its terminal is gone.
///
/// # Errors
/// When the system refuses to deliver signals.
pub(super) fn told_to_end() -> Result<watch::Receiver<bool>, Fault> {
    told_by(&ending_kinds())
}

/// The same, but for a Ctrl-C.
///
/// # Errors
/// As [`told_to_end`].
pub(super) fn told_to_end_otherwise() -> Result<watch::Receiver<bool>, Fault> {
    told_by(&[SignalKind::terminate(), SignalKind::hangup()])
}

fn told_by(kinds: &[SignalKind]) -> Result<watch::Receiver<bool>, Fault> {
    let (tell, told) = first_of(kinds)?;
    // SIGHUP goes to the leader of the terminal's session only, which may be a wrapper that hands nothing on.
    if std::io::stdin().is_terminal()
        && let Some(closed) = closed(&std::io::stdin())
    {
        tokio::spawn(async move {
            if closed.await {
                tell.send_replace(true);
            }
        });
    }
    Ok(told)
}

/// The same for who takes Ctrl-C as a key: the other signals that end a program, and each Ctrl-C by itself.
///
/// # Errors
/// As [`told_to_end`].
pub(super) fn told_to_end_or_interrupted() -> Result<(watch::Receiver<bool>, mpsc::Receiver<()>), Fault> {
    let (tell, told) = mpsc::channel(4);
    let mut interrupts = of(SignalKind::interrupt())?;
    tokio::spawn(async move { while interrupts.recv().await.is_some() && tell.send(()).await.is_ok() {} });
    let (_, ends) = first_of(&[SignalKind::terminate(), SignalKind::hangup()])?;
    Ok((ends, told))
}

/// Becomes true with the first of these signals, or when the sender says so.
fn first_of(kinds: &[SignalKind]) -> Result<(watch::Sender<bool>, watch::Receiver<bool>), Fault> {
    outlive_limits()?;
    let (tell, told) = watch::channel(false);
    for kind in kinds.iter().copied() {
        let mut signals = of(kind)?;
        let tell = tell.clone();
        tokio::spawn(async move {
            signals.recv().await;
            tell.send_replace(true);
        });
    }
    Ok((tell, told))
}

/// The signals that end a program.
fn ending_kinds() -> [SignalKind; 3] {
    [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()]
}

/// A file that may not grow any more is an error of the write, as a full disk is, and does not end the program.
///
/// # Errors
/// When the system refuses to deliver signals.
fn outlive_limits() -> Result<(), Fault> {
    of(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw())).map(drop)
}

/// A stream of one kind of signal.
///
/// # Errors
/// When the system refuses to deliver it.
fn of(kind: SignalKind) -> Result<Signal, Fault> {
    signal(kind).map_err(|why| Fault::failed(format!("cannot listen for signals: {why}"), ""))
}

async fn tell<T>(told: &mpsc::Sender<T>, what: T) {
    if told.send(what).await.is_err() {
        tracing::debug!("the program was asked to end after the loop had ended");
    }
}
