//! Ctrl-C and Ctrl-\ where the terminal makes signals of them, and `kill`: they end the program, except while the user's
//! editor has the terminal. Then they are keys of the editor, of which the whole process group hears.

use std::io;
use std::task::{Context, Poll};

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

    /// Ready when there was one.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let heard = self.0.each_mut().map(|signals| signals.poll_recv(context) == Poll::Ready(Some(())));
        if heard.contains(&true) { Poll::Ready(()) } else { Poll::Pending }
    }
}
