//! The models that can be chosen in the app: what is known, and what servers on this machine add to it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::list::{Listed, list};
use super::table::Table;
use crate::config::Config;
use crate::config::environment::Environment;

/// A list that makes its first reader wait for the servers, for a second at most, and no other.
#[derive(Clone)]
pub struct Usable(Arc<Inner>);

struct Inner {
    config: Config,
    environment: Environment,
    listed: Mutex<Option<Vec<Listed>>>,
    is_asking: AtomicBool,
}

impl Usable {
    /// A list that was not asked for yet: nothing is looked for before that.
    pub fn new(config: Config, environment: Environment) -> Self {
        let (listed, is_asking) = (Mutex::new(None), AtomicBool::new(false));
        Self(Arc::new(Inner { config, environment, listed, is_asking }))
    }

    /// What is known now: the first time, servers are asked before. Later they are asked in the background, and their answers are in it
    /// next time.
    pub fn now(&self) -> Vec<Listed> {
        let Inner { config, environment, .. } = &*self.0;
        let mut listed = self.0.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*listed {
            let known = known.clone();
            drop(listed);
            self.ask();
            return known;
        }
        listed.insert(list(config, environment, &Table::embedded())).clone()
    }

    fn ask(&self) {
        if self.0.is_asking.swap(true, Ordering::AcqRel) {
            return;
        }
        let Self(inner) = self.clone();
        thread::spawn(move || {
            let all = list(&inner.config, &inner.environment, &Table::embedded());
            *inner.listed.lock().unwrap_or_else(PoisonError::into_inner) = Some(all);
            inner.is_asking.store(false, Ordering::Release);
        });
    }
}
