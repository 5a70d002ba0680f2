//! What is known of a file of another agent while it is read.

use serde_json::Value;

use crate::ledger::{Arguments, Millis};

use super::entries::EntryMaker;

/// Most bytes of a name of theirs that is kept.
const MOST_OF_A_NAME: usize = 4096;

/// What a file says of its session as a whole.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) session: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) model: Option<String>,
    pub(super) began: Option<Millis>,
}

/// Entries in the making, and what became of the lines so far.
#[derive(Debug)]
pub(super) struct ForeignReading {
    pub(super) maker: EntryMaker,
    pub(super) counts: Counts,
    pub(super) title: Option<String>,
    /// The model that answers, where its messages do not say.
    pub(super) model: Option<String>,
}

/// What became of the lines of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Messages of the user and the model.
    pub messages: usize,
    /// Calls.
    pub calls: usize,
    /// Calls for which the file has no result.
    pub without_result: usize,
    /// Lines that are no JSON, or hold too many values.
    pub unreadable: usize,
    /// Lines of kinds that say nothing here.
    pub skipped: usize,
    /// Calls with the id of another one of the same message: which of them a result is of, nobody can tell.
    pub repeated_calls: usize,
    /// Results of no call that has none yet.
    pub stray_results: usize,
    /// Parts of lines that say nothing here, beside others of their line.
    pub parts: usize,
    /// Lines of other branches of the conversation, and of agents that worked beside it.
    pub beside: usize,
}

impl ForeignReading {
    pub(super) fn new(maker: EntryMaker, model: Option<String>) -> Self {
        Self { maker, counts: Counts::default(), title: None, model }
    }

    /// The model called a tool. What does not become a call of ours is counted: a call that is left out must
    /// not look as if it never were.
    pub(super) fn call(
        &mut self,
        group: Option<&str>,
        model: Option<&str>,
        names: (&str, &str),
        arguments: Arguments,
    ) {
        let is_taken = self.maker.call(group, model, names, arguments);
        self.counts.repeated_calls += usize::from(!is_taken);
    }

    /// A call ended like this, or the result is counted.
    pub(super) fn result(&mut self, their_id: &str, content: String, failed: bool) {
        let is_taken = self.maker.result(their_id, content, failed);
        self.counts.stray_results += usize::from(!is_taken);
    }
}

/// Keeps a name that is said first.
pub(super) fn keep_first(place: &mut Option<String>, value: Option<&Value>) {
    if place.is_none() {
        *place = value.and_then(Value::as_str).filter(|text| is_a_name(text)).map(str::to_owned);
    }
}

fn is_a_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= MOST_OF_A_NAME && !text.chars().any(char::is_control)
}
