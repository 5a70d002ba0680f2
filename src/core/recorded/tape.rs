//! The cues of a session, taken from its entries.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::agent::{Answer, Attendance, Intent, Ruling, SubagentReport};
use crate::ledger::{
    ApprovalRequest, AssistantMessage, Body, CallId, Change, CompactionTrigger, Decider, Ending, Entry,
    EntryId, EscrowSettlement, Injector, Millis, Mode, Outcome, ProviderLimit, SessionStarted, ToolResult,
    ToolUse, Transition,
};
use crate::model::{FailureClass, ModelFailure, NamedTool};
use crate::tool::{ToolKind, ToolReport, ToolSpec};

use super::reader::TapeReader;
use super::{Answered, Cue, News, Wish, answer, report, subagent, wishes};

/// What a session got from outside, in order.
#[derive(Debug, Clone)]
pub struct Tape {
    /// How it began.
    pub started: SessionStarted,
    /// The facts of the first process's environment.
    pub environment: String,
    /// The seed that its requests carried, if they did.
    pub seed: Option<u64>,
    /// Who answered approvals, as far as the entries show.
    pub attendance: Attendance,
    /// Tools that other programs and agents brought, of which only the names are known.
    pub brought: Vec<ToolSpec>,
    /// What people were asked about each call.
    pub asked: BTreeMap<CallId, ApprovalRequest>,
    /// Calls about which something was decided or returned: those were looked at before.
    pub examined: BTreeSet<CallId>,
    /// Calls that were lost with a process.
    pub lost: BTreeSet<CallId>,
    /// What calls had printed that were cut short.
    pub printed: BTreeMap<CallId, String>,
    /// What sub-agents have spent, and how they ended.
    pub settled: BTreeMap<CallId, EscrowSettlement>,
    /// What those reported that were told to stop and had settled before their calls ended.
    pub cut_off: BTreeMap<CallId, SubagentReport>,
    /// Calls about which a person decides otherwise than the rules did.
    pub overruled: BTreeMap<CallId, Answer>,
    /// What the rules said then, where that counts.
    pub ruled: BTreeMap<CallId, Vec<Ruling>>,
    /// When the last entry was written: what would have come later, nobody knows.
    pub ends: Millis,
    /// What came, oldest first.
    pub cues: Vec<Cue>,
}

impl Tape {
    /// The same tape, all of it in one mode.
    #[must_use]
    pub fn in_mode(mut self, mode: Mode) -> Self {
        self.started.mode = Some(mode);
        self.cues.retain(|cue| !matches!(&cue.news, News::Wished(Wish { intent: Intent::SetMode(_), .. })));
        for cue in &mut self.cues {
            if let News::Restarted { mode: known, .. } = &mut cue.news {
                *known = None;
            }
        }
        self
    }

    /// The tape of a session. `None`: the entries begin with no session.
    pub fn of(entries: &[Arc<Entry>]) -> Option<Self> {
        let Body::SessionStarted(started) = &entries.first()?.body else { return None };
        let mut reader = TapeReader::new(entries);
        for at in 0..entries.len() {
            reader.read(at);
        }
        // What a person wanted is heard before the news of the step in which it shows, and Esc after the words that it cut.
        // An answer has the number that was set aside for it when the model was asked, so numbers are no order.
        let places: BTreeMap<EntryId, usize> =
            entries.iter().enumerate().map(|(at, entry)| (entry.id, at)).collect();
        reader.cues.sort_by_key(|cue| (places.get(&cue.entry).copied(), rank(cue)));
        let settled = subagent::settled(entries);
        Some(Self {
            started: started.clone(),
            environment: reader.environment.unwrap_or_default(),
            seed: seed(entries),
            attendance: attendance(entries),
            brought: brought(entries),
            asked: reader.asked,
            examined: reader.examined,
            lost: reader.lost,
            printed: report::printed(entries),
            cut_off: subagent::cut_off(entries, &settled),
            settled,
            overruled: BTreeMap::new(),
            ruled: BTreeMap::new(),
            ends: entries.iter().map(|entry| entry.at).max().unwrap_or_default(),
            cues: reader.cues,
        })
    }
}

fn rank(cue: &Cue) -> u8 {
    match &cue.news {
        News::Wished(Wish { intent: Intent::Abort, .. }) | News::Cut(_) => 2,
        News::Wished(_) => 0,
        _ => 1,
    }
}

/// Why the words of an attempt were withdrawn.
enum Withdrawn {
    /// The attempt failed.
    Failed,
    /// It was a part of a summary: the next part went on from it.
    Part,
    /// It was cut short.
    Cut,
}

impl TapeReader<'_> {
    fn read(&mut self, at: usize) {
        let Some(entry) = self.entries.get(at) else { return };
        match &entry.body {
            Body::Transition { reason, .. } => self.asks_again(at, *reason),
            Body::Assistant(message) => self.speaks(at, message),
            Body::Compaction(compaction) => {
                self.begins_a_summary(at);
                self.is_by_hand = false;
                self.model_is_asked = compaction.trigger == CompactionTrigger::Reactive;
                self.push(at, News::Answered(answer::summary(compaction)));
            }
            Body::Note(note) => {
                if let Some(failed) = note.failed_call() {
                    self.fails(at, ModelFailure::of(failed));
                } else if let Some((call, id)) = note.accepted() {
                    self.push(at, News::Accepted(call, id.to_owned()));
                } else if let Some((call, _)) = note.failed_run() {
                    self.tries_again(at, call);
                } else if let (Some(status), Some(call)) = (note.ended(), note.about.call()) {
                    self.push(at, News::Ended(call, status.clone()));
                } else {
                    wishes::of_note(self, at, note);
                }
            }
            Body::Error { message, next } if self.model_is_asked || self.is_by_hand => {
                let failure = ModelFailure::new(FailureClass::BadRequest, message.clone());
                self.fails(at, ModelFailure { next: next.clone(), ..failure });
            }
            Body::ToolCall(call) | Body::Validation(call) | Body::Command(call) | Body::CallEdited(call) => {
                self.calls.insert(call.id, call.clone());
                wishes::edited(self, at, &entry.body);
            }
            Body::ApprovalRequested(request) => {
                self.examined.insert(request.call);
                self.asked.insert(request.call, request.clone());
            }
            Body::ApprovalDecided(decision) => {
                self.examined.insert(decision.call);
                if self.asked.contains_key(&decision.call) {
                    wishes::decided(self, at, decision);
                }
            }
            Body::ToolResult(result) => self.returns(at, result),
            body => self.goes_on(at, body),
        }
    }

    fn returns(&mut self, at: usize, result: &ToolResult) {
        if report::was_lost(result) {
            self.lost.insert(result.call);
            return self.restart(at, String::new(), false, None);
        }
        if report::was_left(self.entries, at, result) {
            return self.restart(at, String::new(), true, None);
        }
        if let Some(call) = self.calls.get(&result.call).cloned() {
            if !matches!(result.outcome, Outcome::Aborted(_)) {
                self.examined.insert(call.id);
            }
            let (name, arguments) = (call.name, call.arguments);
            let report = report::report(self, result).map(Box::new);
            let ran_ms = result.duration_ms;
            self.push(at, News::Returned { call: result.call, name, arguments, ran_ms, report });
        }
    }

    /// What else can be read from an entry.
    fn goes_on(&mut self, at: usize, body: &Body) {
        match body {
            Body::Injected(said) if said.by == Injector::Environment => {
                match (wishes::mode_of(&said.text), &self.environment) {
                    // Where modes have entries of their own, this came of one.
                    (Some(_), _) if self.has_modes => {}
                    (Some(mode), _) => self.wish(at, Intent::SetMode(mode), false),
                    (None, None) => self.environment = Some(said.text.clone()),
                    (None, Some(_)) => self.restart(at, said.text.clone(), false, None),
                }
            }
            Body::TurnEnded(ended) => {
                self.model_is_asked = false;
                if ended.reason.interrupted() {
                    wishes::interrupted(self, at);
                }
            }
            Body::Change(Change::Mode { mode, resumed }) => {
                self.has_modes = true;
                match resumed {
                    true => {
                        self.ended_by_restart(at);
                        self.restart(at, String::new(), false, Some(*mode));
                    }
                    false => self.wish(at, Intent::SetMode(*mode), false),
                }
            }
            body => wishes::wished(self, at, body),
        }
    }

    /// The model is asked again: an attempt before that left no other trace failed.
    fn asks_again(&mut self, at: usize, reason: Transition) {
        if self.model_is_asked {
            let class = match reason {
                Transition::TransientRetry => Some(FailureClass::Transient),
                Transition::ModelFallback => Some(FailureClass::UnknownModel),
                Transition::ReactiveCompactRetry => Some(FailureClass::Overflow),
                _ => None,
            };
            if let Some(class) = class {
                self.fails(at, ModelFailure::new(class, "the model call failed"));
            }
        }
        self.model_is_asked = true;
    }

    fn speaks(&mut self, at: usize, message: &Arc<AssistantMessage>) {
        if !message.interrupted {
            self.model_is_asked = false;
            return self.push(at, News::Answered(answer::whole(message)));
        }
        self.begins_a_summary(at);
        if !self.withdrawn.contains(&message.id) {
            self.model_is_asked = false;
            return self.push(at, News::Answered(Answered { events: answer::events(message), end: None }));
        }
        match self.what_became(at, message.id) {
            Withdrawn::Failed => self.abandoned = Some(Arc::clone(message)),
            Withdrawn::Part => self.push(at, News::Answered(answer::whole(message))),
            Withdrawn::Cut => {
                self.push(at, News::Answered(Answered { events: answer::events(message), end: None }));
                if std::mem::take(&mut self.is_by_hand) {
                    self.wish(at, Intent::Abort, false);
                }
            }
        }
    }

    /// Between runs a model is asked for nothing but the summary that a person wants.
    fn begins_a_summary(&mut self, at: usize) {
        if !self.model_is_asked && !self.is_by_hand {
            self.is_by_hand = true;
            self.wish(at, Intent::Compact, true);
        }
    }

    /// Why an attempt was withdrawn.
    fn what_became(&self, at: usize, message: EntryId) -> Withdrawn {
        for entry in self.entries.get(at + 1..).unwrap_or_default() {
            match &entry.body {
                Body::Note(note) if note.failed_call().is_some() && note.about.entry() == Some(message) => {
                    return Withdrawn::Failed;
                }
                Body::Transition {
                    reason: Transition::TransientRetry | Transition::ModelFallback, ..
                }
                | Body::Error { .. } => return Withdrawn::Failed,
                Body::Transition { .. } | Body::Assistant(_) | Body::Compaction(_) => return Withdrawn::Part,
                Body::User(_) | Body::TurnEnded(_) => return Withdrawn::Cut,
                Body::Note(note) if wishes::begins_a_summary(note) => return Withdrawn::Cut,
                _ => {}
            }
        }
        Withdrawn::Cut
    }

    /// A run of a call failed and is made again; how it failed stands only in words, of which nothing depends.
    fn tries_again(&mut self, at: usize, call: CallId) {
        let Some(ToolUse { name, arguments, .. }) = self.calls.get(&call).cloned() else { return };
        let report =
            ToolReport { transient: true, ..ToolReport::failed("It failed for a reason that may pass.") };
        self.push(
            at,
            News::Returned { call, name, arguments, ran_ms: u64::MAX, report: Some(Box::new(report)) },
        );
    }

    fn fails(&mut self, at: usize, mut failure: ModelFailure) {
        self.begins_a_summary(at);
        self.taught(at, &mut failure);
        let events = self.abandoned.take().map(|message| answer::events(&message)).unwrap_or_default();
        self.model_is_asked = false;
        self.push(at, News::Answered(Answered { events, end: Some(Err(failure)) }));
    }

    /// Which tool a provider refused is recorded as a lesson, in the same step.
    fn taught(&self, at: usize, failure: &mut ModelFailure) {
        let Some(note) = self.entries.get(at) else { return };
        let near = self.entries.get(at.saturating_sub(2)..).unwrap_or_default().iter().take(6);
        for entry in near.filter(|entry| entry.at == note.at) {
            if let (Body::ProviderLimit(learned), FailureClass::ToolRefused) = (&entry.body, failure.class)
                && let ProviderLimit::ToolRefused { tool } = &learned.lesson
            {
                failure.tool = Some(Box::new(NamedTool::Called(tool.clone())));
            }
        }
    }

    /// The end of a run that stands in the same step as a restart came of it, and nobody pressed Esc.
    fn ended_by_restart(&mut self, at: usize) {
        let now = self.entries.get(at).map(|entry| entry.at);
        self.cues.pop_if(|cue| {
            let is_esc = matches!(&cue.news, News::Wished(Wish { intent: Intent::Abort, .. }));
            is_esc && Some(cue.at) == now
        });
    }

    /// Another process goes on. What it tells of its environment, it tells with the next message.
    fn restart(&mut self, at: usize, environment: String, was_closed: bool, mode: Option<Mode>) {
        self.model_is_asked = false;
        match self.cues.last_mut() {
            Some(Cue { news: News::Restarted { environment: before, mode: known, .. }, .. })
                if before.is_empty() =>
            {
                *before = environment;
                *known = mode.or(*known);
            }
            _ => self.push(at, News::Restarted { environment, was_closed, mode }),
        }
    }
}

fn seed(entries: &[Arc<Entry>]) -> Option<u64> {
    entries.iter().find_map(|entry| match &entry.body {
        Body::Change(Change::Seed { seed }) => Some(*seed),
        _ => None,
    })
}

/// Who answered: nobody where the policy denied what somebody should have been asked.
fn attendance(entries: &[Arc<Entry>]) -> Attendance {
    let mut asked: BTreeSet<CallId> = BTreeSet::new();
    let mut own: BTreeSet<CallId> = BTreeSet::new();
    let (mut stops, mut denies, mut goes_on) = (false, false, false);
    for entry in entries {
        match &entry.body {
            Body::ApprovalRequested(request) => {
                asked.insert(request.call);
            }
            Body::Command(call) => drop(own.insert(call.id)),
            // Only where somebody is there does a model's sub-agent work in the background.
            Body::Change(Change::EscrowReserved(escrow)) => {
                goes_on |= escrow.in_background && !own.contains(&escrow.call);
            }
            Body::ApprovalDecided(decision) if asked.contains(&decision.call) => match decision.by {
                Decider::User | Decider::Nobody => return Attendance::Person,
                Decider::Policy | Decider::Hook => denies |= !decision.allow,
            },
            Body::CallEdited(_) => return Attendance::Person,
            Body::TurnEnded(ended) => stops |= ended.reason == Ending::ApprovalRequired,
            _ => {}
        }
    }
    match (stops, denies || (asked.is_empty() && !goes_on)) {
        (true, _) => Attendance::Stop,
        (false, true) => Attendance::Deny,
        (false, false) => Attendance::Person,
    }
}

/// Tools of others that were called; nobody wrote down their schemas.
fn brought(entries: &[Arc<Entry>]) -> Vec<ToolSpec> {
    let is_unknown = |body: &Body| match body {
        Body::ToolResult(result) if result.outcome == Outcome::UnknownTool => Some(result.name.clone()),
        _ => None,
    };
    let unknown: BTreeSet<String> = entries.iter().filter_map(|entry| is_unknown(&entry.body)).collect();
    let names: BTreeSet<&str> = entries
        .iter()
        .filter_map(
            |entry| if let Body::ToolCall(call) = &entry.body { Some(call.name.as_str()) } else { None },
        )
        .collect();
    let specs = names.into_iter().map(ToolSpec::from_elsewhere);
    specs
        .filter(|spec| spec.kind != ToolKind::Plain && !unknown.contains(&spec.name))
        .map(|spec| ToolSpec { schema: serde_json::json!({ "type": "object" }), ..spec })
        .collect()
}
