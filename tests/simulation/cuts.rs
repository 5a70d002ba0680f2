//! Who stops a session that another one started: it is in each result that was cut short.

use std::sync::Arc;

use countersign::agent::{Input, Intent, Shutdown};
use countersign::ledger::{Body, CutBy, Entry, Outcome};

use crate::world::World;

/// A session was stopped from above, and had this many entries.
pub(crate) struct Stopped {
    by: CutBy,
    before: usize,
}

/// Whether the loop has to be idle after this, if nothing of its settles.
pub(crate) fn stops_at_once(input: &Input) -> bool {
    matches!(input, Input::Intent(Intent::Abort) | Input::Cut(_) | Input::Shutdown(Shutdown::Signal))
}

impl World {
    /// It is stopped at each position of the worlds with sub-agents. The long walks would end before they get far.
    pub(crate) fn offer_cuts(&self, options: &mut Vec<Input>) {
        if self.bounds.subagents {
            options.push(Input::Cut(CutBy::SessionEnd));
        }
    }

    /// `None`: nobody stops it, or somebody did already.
    pub(crate) fn stopped_by(&self, input: &Input) -> Option<Stopped> {
        match input {
            Input::Cut(by) if !self.agent.is_stopping() => {
                Some(Stopped { by: *by, before: self.log.entries.len() })
            }
            _ => None,
        }
    }
}

impl Stopped {
    /// Each call that it cut short says so.
    pub(crate) fn is_recorded(&self, entries: &[Arc<Entry>]) -> Result<(), String> {
        for entry in entries.iter().skip(self.before) {
            let Body::ToolResult(result) = &entry.body else { continue };
            match result.outcome {
                Outcome::Aborted(abort) if abort.by != self.by => {
                    return Err(format!(
                        "{} was cut short by {:?}, and says {:?}",
                        result.call, self.by, abort.by
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
