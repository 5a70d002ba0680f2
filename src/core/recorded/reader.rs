//! What is known while entries are read for a tape.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::agent::Intent;
use crate::ledger::{ApprovalRequest, AssistantMessage, Body, CallId, Entry, EntryId, ToolUse, tombstoned};

use super::{Cue, News, Wish};

/// Goes through the entries.
pub(super) struct TapeReader<'e> {
    pub(super) entries: &'e [Arc<Entry>],
    pub(super) withdrawn: BTreeSet<EntryId>,
    pub(super) cues: Vec<Cue>,
    pub(super) calls: BTreeMap<CallId, ToolUse>,
    pub(super) asked: BTreeMap<CallId, ApprovalRequest>,
    pub(super) examined: BTreeSet<CallId>,
    pub(super) lost: BTreeSet<CallId>,
    pub(super) environment: Option<String>,
    /// From here on the session has entries for its modes.
    pub(super) has_modes: bool,
    /// A model was asked, and has not answered.
    pub(super) model_is_asked: bool,
    /// A person asked for a summary, and it is not there yet.
    pub(super) is_by_hand: bool,
    /// What an attempt had streamed that failed.
    pub(super) abandoned: Option<Arc<AssistantMessage>>,
}

impl<'e> TapeReader<'e> {
    pub(super) fn new(entries: &'e [Arc<Entry>]) -> Self {
        Self {
            entries,
            withdrawn: tombstoned(entries),
            cues: Vec::new(),
            calls: BTreeMap::new(),
            asked: BTreeMap::new(),
            examined: BTreeSet::new(),
            lost: BTreeSet::new(),
            environment: None,
            has_modes: has_modes(entries),
            model_is_asked: false,
            is_by_hand: false,
            abandoned: None,
        }
    }

    pub(super) fn push(&mut self, at: usize, news: News) {
        if let Some(entry) = self.entries.get(at) {
            self.cues.push(Cue { entry: entry.id, at: entry.at, news });
        }
    }

    pub(super) fn wish(&mut self, at: usize, intent: Intent, begins: bool) {
        self.push(at, News::Wished(Wish { intent, begins }));
    }
}

fn has_modes(entries: &[Arc<Entry>]) -> bool {
    let has_one = |entry: &Arc<Entry>| match &entry.body {
        Body::SessionStarted(started) => started.mode.is_some(),
        _ => false,
    };
    entries.first().is_some_and(has_one)
}
