//! What the books must say of prices: a run that one stopped goes on when it is accepted, and not before.

use countersign::ledger::{Body, Ending, Entry};

/// Whether the last run was stopped by a price that nobody has accepted since.
#[derive(Debug, Clone, Copy, Default)]
pub struct Prices {
    waits: bool,
}

impl Prices {
    /// The user says something else.
    pub fn say(&mut self) {
        self.waits = false;
    }

    /// A model is asked.
    pub fn ask(self) -> Result<(), String> {
        if self.waits { Err("a request is made whose price nobody accepted".into()) } else { Ok(()) }
    }

    pub fn accept(&mut self) -> Result<(), String> {
        if !std::mem::take(&mut self.waits) {
            return Err("a price is accepted that was not asked".into());
        }
        Ok(())
    }

    /// The run ends behind this entry.
    pub fn end(&mut self, reason: Ending, last: Option<&Entry>) -> Result<(), String> {
        self.waits = reason == Ending::PriceAsked;
        let says =
            last.is_some_and(|entry| matches!(&entry.body, Body::Note(note) if note.price().is_some()));
        if self.waits && !says {
            return Err("a run stops by a price that is not written down".into());
        }
        Ok(())
    }
}
