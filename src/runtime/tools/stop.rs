//! Work on another thread, told to stop when nobody waits for it any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A flag that long work looks at between its steps.
#[derive(Debug, Clone, Default)]
pub(super) struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Whether nobody waits for the result any more.
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Relaxed)
    }
}

struct SetOnDrop(StopFlag);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Relaxed);
    }
}

/// Runs blocking work off the async threads. Dropping the future sets the flag.
///
/// # Errors
/// A sentence, when the work panicked.
pub(super) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce(&StopFlag) -> T + Send + 'static,
) -> Result<T, String> {
    let guard = SetOnDrop(StopFlag::default());
    let stop = guard.0.clone();
    let result = tokio::task::spawn_blocking(move || work(&stop)).await;
    drop(guard);
    result.map_err(|failure| format!("the tool crashed ({failure}); try another way"))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn dropping_the_future_reaches_the_thread() {
        let (started, has_started) = tokio::sync::oneshot::channel();
        let (stopped, has_stopped) = mpsc::channel();
        let work = off_thread(move |stop| {
            started.send(()).ok();
            while !stop.is_set() {
                std::thread::yield_now();
            }
            stopped.send(()).ok();
        });
        let work = tokio::spawn(work);
        has_started.await.unwrap();
        work.abort();
        assert!(work.await.unwrap_err().is_cancelled());
        has_stopped.recv().unwrap();
    }
}
