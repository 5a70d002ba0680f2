//! Signals, as the loop understands them: the first SIGINT is Esc, everything else is the end.

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use super::fault::Fault;
use crate::agent::Shutdown;

/// Listens for the signals that end a program and tells the loop. SIGINT aborts the turn first, and ends the
/// program when it comes again.
///
/// # Errors
/// When the system refuses to deliver signals.
pub(super) fn listen(abort: mpsc::Sender<()>, shutdown: &mpsc::Sender<Shutdown>) -> Result<(), Fault> {
    let mut interrupts = of(SignalKind::interrupt())?;
    let end = shutdown.clone();
    tokio::spawn(async move {
        interrupts.recv().await;
        if abort.send(()).await.is_ok() {
            interrupts.recv().await;
            tell(&end).await;
        }
    });
    for kind in [SignalKind::terminate(), SignalKind::hangup()] {
        let mut signals = of(kind)?;
        let end = shutdown.clone();
        tokio::spawn(async move {
            signals.recv().await;
            tell(&end).await;
        });
    }
    Ok(())
}

/// A stream of one kind of signal.
///
/// # Errors
/// When the system refuses to deliver it.
pub(super) fn of(kind: SignalKind) -> Result<Signal, Fault> {
    signal(kind).map_err(|why| Fault::failed(format!("cannot listen for signals: {why}"), ""))
}

async fn tell(shutdown: &mpsc::Sender<Shutdown>) {
    if shutdown.send(Shutdown::Signal).await.is_err() {
        tracing::debug!("a signal came after the loop had ended");
    }
}
