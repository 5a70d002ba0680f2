//! The books of a session that is not kept.

use std::sync::Arc;

use crate::ledger::Entry;

use super::{StoreError, StorePort};

/// Writes nothing: the entries are in memory, and the session ends with the process.
#[derive(Debug)]
pub struct NoStore;

impl StorePort for NoStore {
    fn append(&mut self, _entries: &[Arc<Entry>]) -> Result<(), StoreError> {
        Ok(())
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}
