//! Where pages are laid out as text: on threads of their own, a few at once, and for a bounded time.
//!
//! A thread cannot be ended from outside. What one may cost is bounded before it begins: by the bytes that are read of a
//! page ([`super::MOST_BYTES`]), and by its elements, its depth and its tables (`nesting`). One that takes too long all the
//! same is given up, and keeps its place until it is done, so that no page and no series of pages takes more than these.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use crate::ledger::seconds;

/// Pages that are laid out at once, those that nobody waits for any more among them.
const MOST_PAGES: usize = 4;
/// How long a call waits for its page, with the wait for a place. Pages that people read take a small part of this.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pages are gone through in depth, as far as `nesting` allows.
const STACK: usize = 16 << 20;

/// The places.
#[derive(Debug, Clone)]
pub(super) struct LayoutThreads(Arc<Semaphore>);

impl Default for LayoutThreads {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MOST_PAGES)))
    }
}

impl LayoutThreads {
    /// Does this work on a thread of its own.
    ///
    /// # Errors
    /// The work's own sentence; or one that says that it takes too long.
    pub(super) async fn lay(
        &self,
        work: impl FnOnce() -> Result<String, String> + Send + 'static,
    ) -> Result<String, String> {
        self.within(PATIENCE, work).await
    }

    async fn within(
        &self,
        patience: Duration,
        work: impl FnOnce() -> Result<String, String> + Send + 'static,
    ) -> Result<String, String> {
        let done = async {
            let place = Arc::clone(&self.0).acquire_owned().await.ok()?;
            let (tell, told) = oneshot::channel();
            let thread = std::thread::Builder::new().name("page".to_owned()).stack_size(STACK);
            let started = thread.spawn(move || {
                // Nobody may wait for it any more.
                tell.send(work()).ok();
                drop(place);
            });
            started.ok()?;
            told.await.ok()
        };
        match timeout(patience, done).await {
            Ok(Some(laid)) => laid,
            Ok(None) => Err("the page cannot be shown as text: the conversion failed".to_owned()),
            Err(_elapsed) => {
                let limit = seconds(u64::try_from(patience.as_millis()).unwrap_or(u64::MAX));
                Err(format!(
                    "the page cannot be shown as text within {limit}; if it is needed, save it with `shell` and curl, and look \
                     for parts of it with `search`"
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn a_page_that_takes_too_long_is_given_up_and_keeps_its_place() {
        let desk = LayoutThreads::default();
        let (let_go, held) = mpsc::channel::<()>();
        let held = Arc::new(std::sync::Mutex::new(held));
        for _ in 0..MOST_PAGES {
            let held = held.clone();
            let work = move || {
                held.lock().unwrap().recv().unwrap_err();
                Ok("late".to_owned())
            };
            let why = desk.within(Duration::from_millis(20), work).await.unwrap_err();
            assert!(why.starts_with("the page cannot be shown as text within 0.0 s"), "{why}");
        }
        // Nothing begins while they go on.
        let (begun, has_begun) = mpsc::channel();
        let other = move || {
            begun.send(()).unwrap();
            Ok("other".to_owned())
        };
        assert!(desk.within(Duration::from_millis(20), other).await.is_err());
        assert!(has_begun.recv().is_err());
        drop(let_go);
        assert_eq!(desk.lay(|| Ok("next".to_owned())).await.as_deref(), Ok("next"));
        assert!(desk.lay(|| panic!("on purpose")).await.unwrap_err().contains("the conversion failed"));
        assert_eq!(desk.lay(|| Err("no".to_owned())).await, Err("no".to_owned()));
    }
}
