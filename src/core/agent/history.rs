//! The ledger with its meter: what is written is counted, and handed out once.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::budget::{Limits, Meter, Pace};
use crate::ledger::{
    ApprovalRequest, Block, Body, CallId, Change, CutBy, Ending, Entry, EntryId, Injector, Ledger, Millis,
    ModelRef, Outcome, ProviderLimit, Remark, RunElsewhere, Sandboxing, Stop, Transition, TurnEnded, Usage,
    tombstoned,
};

use super::Effect;
use super::background_shells::Shells;
use super::edits::Edits;
use super::guards::Guards;
use super::subagent_books::SubagentBooks;
use super::uncertain::Unclear;
use super::undone::Undone;

/// The ledger, its meter, and how far each has been read.
#[derive(Debug)]
pub(super) struct History {
    pub(super) ledger: Ledger,
    meter: Meter,
    pace: Pace,
    guards: Guards,
    edits: Edits,
    undone: Undone,
    unclear: Unclear,
    shells: Shells,
    subagents: SubagentBooks,
    counted: usize,
    told: usize,
}

impl History {
    /// History over a ledger of which the first `durable` entries are on disk already.
    pub(super) fn new(ledger: Ledger, limits: Limits, durable: usize) -> Self {
        Self {
            ledger,
            meter: Meter::new(limits),
            pace: Pace::default(),
            guards: Guards::default(),
            edits: Edits::default(),
            undone: Undone::default(),
            unclear: Unclear::default(),
            shells: Shells::default(),
            subagents: SubagentBooks::default(),
            counted: 0,
            told: durable,
        }
    }

    /// The meter, with everything counted that is written.
    pub(super) fn meter(&mut self) -> &Meter {
        self.catch_up();
        &self.meter
    }

    /// What the session's answers tell of the next one, with everything read that is written.
    pub(super) fn pace(&mut self) -> &Pace {
        self.catch_up();
        &self.pace
    }

    /// What bounds the loop's own loops, with everything read that is written.
    pub(super) fn guards(&mut self) -> &Guards {
        self.catch_up();
        &self.guards
    }

    /// What people have changed in calls, with everything read that is written.
    pub(super) fn edits(&mut self) -> &Edits {
        self.catch_up();
        &self.edits
    }

    /// What people have taken back, with everything read that is written.
    pub(super) fn undone(&mut self) -> &Undone {
        self.catch_up();
        &self.undone
    }

    /// What ended without anybody knowing how, with everything read that is written.
    pub(super) fn unclear(&mut self) -> &Unclear {
        self.catch_up();
        &self.unclear
    }

    /// What is known of background commands, with everything read that is written.
    pub(super) fn shells(&mut self) -> &Shells {
        self.catch_up();
        &self.shells
    }

    /// What is known of sub-agents, with everything read that is written.
    pub(super) fn subagents(&mut self) -> &SubagentBooks {
        self.catch_up();
        &self.subagents
    }

    fn catch_up(&mut self) {
        let entries = self.ledger.entries();
        for entry in entries.iter().skip(self.counted) {
            self.meter.read(entry);
            self.pace.read(entry);
            self.guards.read(entry);
            self.edits.read(entry);
            self.undone.read(entry);
            self.unclear.read(entry);
            self.shells.read(entry);
            self.subagents.read(entry);
        }
        self.counted = entries.len();
    }

    /// What was written since this was last asked, as effects.
    pub(super) fn untold(&mut self) -> Vec<Effect> {
        let entries = self.ledger.entries();
        let new: Vec<Effect> =
            entries.iter().skip(self.told).map(|e| Effect::Append(Arc::clone(e))).collect();
        self.told = entries.len();
        new
    }

    /// Whether the run that is open is that of another program, as an import brought it.
    fn is_elsewhere(&self) -> bool {
        RunElsewhere::of(self.ledger.entries().iter().map(|entry| &entry.body)).is_open()
    }

    /// What can be done after the run ends so, by how far its calls came, and by whether its message was refused.
    pub(super) fn next_safe_action(&self, reason: Ending) -> &'static str {
        if reason.interrupted() && self.is_elsewhere() {
            return Ending::ENDED_ELSEWHERE;
        }
        if reason == Ending::PolicyDenied && self.message_is_withdrawn() {
            return Ending::MESSAGE_REFUSED;
        }
        let results = self.run().iter().filter_map(|entry| {
            let Body::ToolResult(result) = &entry.body else { return None };
            Some(result.outcome.reach())
        });
        reason.next_safe_action_after(results.max().unwrap_or_default())
    }

    /// Whether the message that began the run is withdrawn.
    fn message_is_withdrawn(&self) -> bool {
        let withdrawn = tombstoned(self.run());
        let is_it = |e: &Arc<Entry>| matches!(e.body, Body::User(_)) && withdrawn.contains(&e.id);
        self.run().iter().any(is_it)
    }

    /// Writes the end of the run. Its figures are the meter's; of a run in another program there are none.
    pub(super) fn end_run(
        &mut self,
        (at, counted_until): (Millis, Millis),
        (reason, cut_by): (Ending, Option<CutBy>),
        text: Arc<str>,
    ) {
        let is_elsewhere = self.is_elsewhere();
        let meter = self.meter();
        let counted = |number: u64| if is_elsewhere { 0 } else { number };
        let small = |number: u64| u32::try_from(counted(number)).unwrap_or(u32::MAX);
        let ended = TurnEnded {
            reason,
            turns: small(meter.turns()),
            tool_calls: small(meter.tool_calls()),
            hosted_tools: small(meter.hosted_tools()),
            usage: meter.usage(),
            wall_ms: counted(meter.wall_ms(counted_until)),
            text,
            not_ok: self.not_ok(),
            next_safe_action: self.next_safe_action(reason).to_owned(),
            cut_by,
        };
        self.ledger.remark(at, Remark::TurnEnded(ended));
    }

    /// The answer of the run as it stands: the last message, with the parts joined that continue each other. One part
    /// alone is shared with its message: a session holds each answer once.
    pub(super) fn last_text(&self) -> Arc<str> {
        let withdrawn = tombstoned(self.run());
        let mut parts: Vec<&Arc<str>> = Vec::new();
        let mut has_spoken = false;
        for entry in self.run().iter().rev().filter(|e| !withdrawn.contains(&e.id)) {
            if let Body::Assistant(message) = &entry.body
                && !message.is_unheard()
            {
                has_spoken = true;
                let blocks = message.blocks.iter().rev();
                parts
                    .extend(blocks.filter_map(|b| if let Block::Text(text) = b { Some(text) } else { None }));
            }
            let Body::Transition { reason, .. } = &entry.body else { continue };
            // A second phase without a word leaves that of the first.
            let adds_nothing =
                || *reason == Transition::FinalResponse && parts.iter().all(|part| part.trim().is_empty());
            if has_spoken && !reason.continues_an_answer() && !adds_nothing() {
                break;
            }
        }
        match parts.as_slice() {
            &[whole] => Arc::clone(whole),
            _ => parts.into_iter().rev().map(|part| &**part).collect::<String>().into(),
        }
    }

    /// Whether a run is under way: the user spoke and no end was written since.
    pub(super) fn run_is_open(&self) -> bool {
        let speaks =
            |e: &&Arc<Entry>| matches!(e.body, Body::User(_) | Body::Transition { .. } | Body::TurnEnded(_));
        let last = self.ledger.entries().iter().rev().find(speaks);
        last.is_some_and(|e| !matches!(e.body, Body::TurnEnded(_)))
    }

    /// How the last run ended; `None` while one is under way.
    pub(super) fn last_ending(&self) -> Option<Ending> {
        let ends = |e: &&Arc<Entry>| matches!(e.body, Body::User(_) | Body::TurnEnded(_));
        let last = self.ledger.entries().iter().rev().find(ends)?;
        if let Body::TurnEnded(ended) = &last.body { Some(ended.reason) } else { None }
    }

    /// Whether an approval of this call was asked for.
    pub(super) fn was_asked(&self, call: CallId) -> bool {
        self.run().iter().any(|e| matches!(&e.body, Body::ApprovalRequested(r) if r.call == call))
    }

    /// Where this call runs once it is allowed, as whoever allows it was told.
    pub(super) fn sandboxing_of(&self, call: CallId) -> Sandboxing {
        self.request_of(call).map(|(_, request)| request.sandboxing).unwrap_or_default()
    }

    /// What was last asked about this call.
    pub(super) fn request_of(&self, call: CallId) -> Option<(EntryId, &ApprovalRequest)> {
        self.ledger.entries().iter().rev().find_map(|entry| {
            let Body::ApprovalRequested(request) = &entry.body else { return None };
            (request.call == call).then_some((entry.id, request))
        })
    }

    /// Whether the provider paused the last message that stands, and nothing was said since.
    pub(super) fn is_paused(&self) -> bool {
        let withdrawn = tombstoned(self.run());
        let said = |e: &&Arc<Entry>| {
            !withdrawn.contains(&e.id)
                && matches!(
                    e.body,
                    Body::User(_) | Body::Injected(_) | Body::Assistant(_) | Body::ToolResult(_)
                )
        };
        let last = self.run().iter().rev().find(said);
        last.is_some_and(|e| matches!(&e.body, Body::Assistant(m) if m.stop == Stop::Pause))
    }

    /// What the user was told of the last failure.
    pub(super) fn last_error(&self) -> String {
        let errors = self.run().iter().rev();
        let mut errors = errors
            .filter_map(|e| if let Body::Error { message, .. } = &e.body { Some(message) } else { None });
        errors.next().cloned().unwrap_or_default()
    }

    /// Whether this was injected in the run already, by the same.
    pub(super) fn was_injected(&self, by: Injector, text: &str) -> bool {
        self.run().iter().any(|e| matches!(&e.body, Body::Injected(i) if i.by == by && i.text == text))
    }

    /// How many models of the chain the run has given up since the user last chose the first.
    pub(super) fn fallbacks(&self) -> usize {
        let gives_up =
            |e: &&Arc<Entry>| matches!(e.body, Body::Transition { reason: Transition::ModelFallback, .. });
        let chosen = |e: &&Arc<Entry>| matches!(e.body, Body::Change(Change::Model { .. }));
        self.run().iter().rev().take_while(|e| !chosen(e)).filter(gives_up).count()
    }

    /// What the session has learned of the window of a model, in tokens.
    pub(super) fn learned_window(&self, of: &ModelRef) -> Option<u64> {
        let learned = self.ledger.entries().iter().rev().filter_map(|entry| ProviderLimit::of(entry));
        let mut windows = learned.filter_map(|lesson| match lesson {
            ProviderLimit::Window { model, most } if model == *of => Some(most),
            ProviderLimit::Window { .. }
            | ProviderLimit::OutputLimit { .. }
            | ProviderLimit::ReasoningRefused
            | ProviderLimit::ToolRefused { .. } => None,
        });
        windows.next()
    }

    /// The seed of the session's requests, if they have one.
    pub(super) fn seed(&self) -> Option<u64> {
        self.ledger.entries().iter().rev().find_map(|entry| {
            if let Body::Change(Change::Seed { seed }) = &entry.body { Some(*seed) } else { None }
        })
    }

    /// What the provider counted for the last message of the model.
    pub(super) fn last_usage(&self) -> Option<Usage> {
        let mut entries = self.ledger.entries().iter().rev();
        entries.find_map(|e| if let Body::Assistant(message) = &e.body { Some(message.usage) } else { None })
    }

    /// The most output that the model's provider was found to allow in the session.
    pub(super) fn output_limit(&self, of: &ModelRef) -> Option<u64> {
        let learned = self.ledger.entries().iter().rev().filter_map(|entry| ProviderLimit::of(entry));
        let mut limits = learned.filter_map(|lesson| match lesson {
            ProviderLimit::OutputLimit { model, most } if model == *of => Some(most),
            ProviderLimit::OutputLimit { .. }
            | ProviderLimit::Window { .. }
            | ProviderLimit::ReasoningRefused
            | ProviderLimit::ToolRefused { .. } => None,
        });
        limits.next()
    }

    /// The tools that a provider was found not to take.
    pub(super) fn refused_tools(&self) -> BTreeSet<String> {
        let learned = self.ledger.entries().iter().filter_map(|entry| ProviderLimit::of(entry));
        let refused = learned.filter_map(|lesson| match lesson {
            ProviderLimit::ToolRefused { tool } => Some(tool),
            ProviderLimit::OutputLimit { .. }
            | ProviderLimit::Window { .. }
            | ProviderLimit::ReasoningRefused => None,
        });
        refused.collect()
    }

    fn not_ok(&self) -> Vec<(CallId, String)> {
        let results =
            self.run().iter().filter_map(|e| if let Body::ToolResult(r) = &e.body { Some(r) } else { None });
        results
            .filter(|r| r.outcome != Outcome::Ok)
            .map(|r| (r.call, r.outcome.as_str().to_owned()))
            .collect()
    }

    /// The entries since the user last spoke.
    pub(super) fn run(&self) -> &[Arc<Entry>] {
        let entries = self.ledger.entries();
        let start = entries.iter().rposition(|e| matches!(e.body, Body::User(_))).unwrap_or(0);
        entries.get(start..).unwrap_or_default()
    }
}
