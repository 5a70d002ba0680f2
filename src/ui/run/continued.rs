//! A process that was stopped from outside and goes on: nobody has seen its frame meanwhile, and a shell may have written over it.

use futures_util::FutureExt as _;
use rustix::process::Signal as Kind;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::super::outcome::UiOutcome;
use super::super::terminal::redraw_all;
use super::screen_loop::ScreenLoop;

/// Hears that the process goes on (SIGCONT). Of a stop itself (SIGSTOP) no process is told.
pub(super) struct Continued(Option<Signal>);

impl Continued {
    /// From now on. Where the system refuses, nothing is heard.
    pub(super) fn listen() -> Self {
        Self(signal(SignalKind::from_raw(Kind::CONT.as_raw())).ok())
    }

    /// Waits until it goes on the next time.
    pub(super) async fn next(&mut self) {
        let heard = match &mut self.0 {
            Some(signals) => signals.recv().await,
            None => None,
        };
        if heard.is_none() {
            std::future::pending::<()>().await;
        }
    }

    /// Whether it has gone on since that was last heard.
    pub(super) fn is_heard(&mut self) -> bool {
        self.next().now_or_never().is_some()
    }
}

impl ScreenLoop {
    /// All is drawn again, and has been seen for no time.
    pub(super) fn goes_on(&mut self) {
        self.local.out_of_sight();
        // The user's editor has the terminal: all is drawn again when it gives it back.
        if self.editing.is_some() {
            return;
        }
        self.outside.forget();
        self.layouts.pictures.forget();
        let back = self.guard.set_again().and_then(|()| redraw_all(&mut self.terminal));
        if back.is_err() {
            self.outcome = Some(UiOutcome::TerminalGone);
        }
        self.dirty = true;
    }
}
