//! Lines to the editor: a bounded queue before a thread that writes stdout, which holds the protocol and nothing else.

use std::io::{self, Write as _};
use std::sync::mpsc as std_mpsc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, watch};

use super::rpc::{self, RpcError};
use crate::config::fault::Fault;

/// Lines that may wait for an editor that reads slowly. What comes after them waits where it is made.
const LINES_WAITING: usize = 256;

/// Writes to the editor. Clones write to the same.
#[derive(Debug, Clone)]
pub(super) struct Out {
    lines: mpsc::Sender<String>,
    /// Whether the editor is gone: then nobody waits for it any more.
    gone: watch::Receiver<bool>,
}

/// Says when the last line is written.
pub(super) struct Written(std_mpsc::Receiver<()>);

impl Out {
    /// Begins to write. `deaf` is called when the editor reads no more.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(super) fn begin(
        gone: watch::Receiver<bool>,
        deaf: impl FnOnce() + Send + 'static,
    ) -> Result<(Self, Written), Fault> {
        let (lines, mut queue) = mpsc::channel::<String>(LINES_WAITING);
        let (over, is_over) = std_mpsc::channel();
        let writing = std::thread::Builder::new().name("stdout".to_owned()).spawn(move || {
            let mut stdout = io::stdout().lock();
            while let Some(line) = queue.blocking_recv() {
                let written = stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush());
                if let Err(why) = written {
                    tracing::info!("the editor no longer reads: {why}");
                    drop(queue);
                    deaf();
                    break;
                }
            }
            // Nobody waits when the program has ended.
            over.send(()).ok();
        });
        writing.map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
        Ok((Self { lines, gone }, Written(is_over)))
    }

    /// One whose lines a test takes.
    #[cfg(test)]
    pub(super) fn of_test(gone: watch::Receiver<bool>) -> (Self, mpsc::Receiver<String>) {
        let (lines, queue) = mpsc::channel(LINES_WAITING);
        (Self { lines, gone }, queue)
    }

    /// Sends a message. It waits for room only while the editor is there.
    pub(super) async fn send(&self, message: &Value) {
        let line = format!("{message}\n");
        let mut gone = self.gone.clone();
        tokio::select! {
            biased;
            room = self.lines.reserve() => match room {
                Ok(room) => room.send(line),
                Err(_) => tracing::debug!("a line had nobody to go to"),
            },
            _ = gone.wait_for(|is_gone| *is_gone) => {
                tracing::debug!("a line was dropped: the editor is gone");
            }
        }
    }

    /// Answers a request.
    pub(super) async fn answer(&self, id: &Value, outcome: Result<Value, RpcError>) {
        self.send(&rpc::response(id, outcome)).await;
    }
}

impl Written {
    /// Waits for the last line, which is written when nobody holds an [`Out`] any more; for so long at most.
    pub(super) fn wait(self, most: Duration) {
        if self.0.recv_timeout(most).is_err() {
            tracing::debug!("the editor did not read the last lines");
        }
    }
}
