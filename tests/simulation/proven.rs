//! A log as the program keeps it: a file that proves itself. What a check calls a contradiction, no order of inputs writes.

use std::sync::Arc;

use countersign::ledger::Entry;
use countersign::wire::record::{Chain, Links, audit_entries, encode};

/// Checks the file of these entries as `sessions check` does.
pub fn proves_itself(entries: &[Arc<Entry>]) -> Result<(), String> {
    // Where nothing was written there is no file.
    if entries.is_empty() {
        return Ok(());
    }
    let mut chain = Chain::default();
    let lines = entries.iter().map(|entry| chain.line(encode(entry), &mut Default::default) + "\n");
    let (audit, read) = audit_entries(lines.collect::<String>().as_bytes(), Links::default());
    match audit.faults.first() {
        Some(fault) => Err(format!("the file does not prove itself: line {}: {}", fault.line, fault.what)),
        None if read.len() != entries.len() => {
            Err(format!("the file has {} of {} entries", read.len(), entries.len()))
        }
        None => Ok(()),
    }
}
