//! Ctrl-C and Ctrl-\ where the terminal makes signals of them, and `kill`: they end the program, except while the user's
//! editor has the terminal. Then they are keys of the editor, of which the whole process group hears.

use std::io;
use std::task::Poll;

use futures_util::future::poll_fn;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Hears SIGINT and SIGQUIT.
pub struct Interrupts([Signal; 2]);

impl Interrupts {
    /// From now on.
    ///
    /// # Errors
    /// When the system refuses to deliver them.
    pub fn listen() -> io::Result<Self> {
        Ok(Self([signal(SignalKind::interrupt())?, signal(SignalKind::quit())?]))
    }

    /// Waits for the next of them.
    pub(super) async fn next(&mut self) {
        poll_fn(|context| {
            let heard =
                self.0.each_mut().map(|signals| matches!(signals.poll_recv(context), Poll::Ready(Some(()))));
            if heard.contains(&true) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}
