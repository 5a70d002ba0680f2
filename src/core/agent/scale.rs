//! How a provider's count compares with our estimate.

use crate::ledger::ModelRef;

/// What a provider counted where we estimated.
#[derive(Debug, Clone)]
pub(super) struct Scale {
    pub(super) model: ModelRef,
    pub(super) counted: u64,
    pub(super) estimated: u64,
}
