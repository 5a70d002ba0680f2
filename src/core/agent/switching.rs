//! Another model, or another effort: at once between runs, from the next turn on while one is under way.

use crate::context::words;
use crate::ledger::{Body, CallId, Change, Ledger, Millis, ModelRef, Remark};
use crate::model::{Effort, ModelSpec, ToolCalls};

use crate::policy::Mode;

use super::phase::{CallState, Pending, Permission, Phase};
use super::step::Step;
use super::{Agent, Live};

impl Agent {
    /// The user chooses another model.
    pub(super) fn set_model(&mut self, step: &mut Step, phase: &Phase, spec: Box<ModelSpec>) {
        let model = spec.model.clone();
        let goes_on = self.spec().model == model;
        self.models.chosen.model = Some(spec);
        let waits = self.take_unless_busy(step.now, phase);
        let said = if goes_on {
            format!("{model} stays in use.")
        } else if waits {
            format!("{model} is used from the next turn on.")
        } else {
            format!("Now using {model}.")
        };
        self.tell_choice(step, Some(said));
    }

    /// The user chooses another effort. A level that the model is known not to take is refused.
    pub(super) fn set_effort(&mut self, step: &mut Step, phase: &Phase, effort: Option<Effort>) {
        let spec = self.models.chosen.model.as_deref().unwrap_or_else(|| self.spec());
        if let Some(level) = effort
            && spec.abilities.effort(level) != Some(level)
        {
            step.emit(Live::Refused(not_taken(spec, level)));
            return;
        }
        self.models.chosen.effort = Some(effort);
        let waits = self.take_unless_busy(step.now, phase);
        let level = effort.map_or("the vendor's default", Effort::as_str);
        let said = if waits {
            format!("Effort from the next turn on: {level}.")
        } else {
            format!("Effort: {level}.")
        };
        self.tell_choice(step, Some(said));
    }

    /// What was chosen comes into force: it is in the ledger before the first request that it changes.
    pub(super) fn take_the_chosen(&mut self, step: &mut Step) {
        if self.models.chosen.model.is_some() || self.models.chosen.effort.is_some() {
            self.take(step.now);
            self.tell_choice(step, None);
        }
    }

    /// The user chooses another mode, which is refused where an agent file names a stricter one. It counts from the next decision on, and for what the rules have allowed and what has not started.
    pub(super) fn set_mode(&mut self, step: &mut Step, phase: Phase, mode: Mode) -> Phase {
        if mode == self.policy.mode {
            return phase;
        }
        if let Some(loosest) = self.settings.loosest_mode.filter(|loosest| mode > *loosest) {
            step.emit(Live::Refused(format!(
                "the mode stays {}: its agent file allows none looser than {}",
                self.policy.mode.as_str(),
                loosest.as_str()
            )));
            return phase;
        }
        self.policy.mode = mode;
        if !self.history.ledger.entries().is_empty() {
            self.write_the_mode(step.now);
        }
        step.emit(Live::ModeChanged(mode));
        self.tell_mode(step);
        let Phase::Dispatching(dispatching) = phase else { return phase };
        let is_ready =
            |pending: &&Pending| matches!(pending.state, CallState::Ready(Permission::ByPolicy { .. }));
        let ready: Vec<CallId> = dispatching.calls.iter().filter(is_ready).map(|p| p.call.id).collect();
        self.decide_anew(step, dispatching, &ready)
    }

    /// A person changed the mode; the model is told with the next message.
    fn write_the_mode(&mut self, now: Millis) {
        let mode = self.policy.mode;
        self.history.ledger.remark(now, Remark::Change(Change::Mode { mode, resumed: false }));
        self.inbox.news.push(words::mode_is_now(mode));
    }

    /// The session has a ledger now; it began with the chosen model, and in the mode of the settings.
    pub(super) fn write_the_choice(&mut self, now: Millis) {
        self.write_the_effort(now);
        if let Some(seed) = self.settings.model_seed {
            self.history.ledger.remark(now, Remark::Change(Change::Seed { seed }));
        }
        if self.policy.mode != self.settings.policy.mode {
            self.write_the_mode(now);
        }
    }

    fn write_the_effort(&mut self, now: Millis) {
        if std::mem::take(&mut self.models.chosen.effort_is_unwritten) {
            let effort = self.models.effort;
            self.history.ledger.remark(now, Remark::Change(Change::Effort { effort }));
        }
    }

    /// A resumed session was told to go on with another model, or effort, or in another mode, than it was left with.
    pub(super) fn note_the_choice(&mut self, now: Millis) {
        let mode = self.policy.mode;
        if last_mode(&self.history.ledger) != Some(mode) {
            self.history.ledger.remark(now, Remark::Change(Change::Mode { mode, resumed: true }));
        }
        // Nothing is asked of what this process would have asked: the next one chooses as if it had not been.
        if self.settings.asks_no_model {
            return;
        }
        let model = self.models.first.model.clone();
        if let Some(previous) = last_model(&self.history.ledger).filter(|last| *last != model) {
            self.history.ledger.remark(now, Remark::Change(Change::Model { model, previous }));
        }
        let effort = self.models.effort;
        if last_effort(&self.history.ledger).is_some_and(|last| last != effort) {
            self.history.ledger.remark(now, Remark::Change(Change::Effort { effort }));
        }
    }

    /// The models to fall back to. The one that answers first is not among them, for it would only fail again.
    pub(super) fn chain(&self) -> impl Iterator<Item = &ModelSpec> {
        let first = &self.models.first.model;
        self.settings.fallback.iter().filter(move |other| other.model != *first)
    }

    /// Whether it must wait for the next turn.
    fn take_unless_busy(&mut self, now: Millis, phase: &Phase) -> bool {
        let waits = !matches!(phase, Phase::Idle);
        if !waits {
            self.take(now);
        }
        waits
    }

    fn take(&mut self, now: Millis) {
        if let Some(spec) = self.models.chosen.model.take() {
            self.take_model(now, *spec);
        }
        if let Some(effort) = self.models.chosen.effort.take().filter(|effort| *effort != self.models.effort)
        {
            self.models.effort = effort;
            self.models.chosen.effort_is_unwritten = true;
            if !self.history.ledger.entries().is_empty() {
                self.write_the_effort(now);
            }
        }
    }

    fn take_model(&mut self, now: Millis, spec: ModelSpec) {
        let (answering, model) = (self.spec().model.clone(), spec.model.clone());
        let first = std::mem::replace(&mut self.models.first, spec).model;
        // If the run has fallen back, who answers now is replaced; or becomes the first of the chain.
        let previous = if answering == model { first } else { answering };
        self.models.auto_compaction_failed = false;
        if previous != model && !self.history.ledger.entries().is_empty() {
            self.history.ledger.remark(now, Remark::Change(Change::Model { model, previous }));
        }
    }

    /// The server of a model takes no tools: it calls them in its text from here on.
    pub(super) fn tools_refused(&mut self, step: &mut Step, model: &ModelRef) {
        self.models.without_tools.insert(model.clone());
        self.tell_choice(step, None);
    }

    pub(super) fn tool_calls_of(&self, spec: &ModelSpec) -> ToolCalls {
        let is_refused = self.models.without_tools.contains(&spec.model);
        if is_refused { ToolCalls::InText } else { spec.tool_calls }
    }

    /// Tells the screen who answers, now or soon, and how hard it thinks.
    pub(super) fn tell_choice(&self, step: &mut Step, said: Option<String>) {
        let waits = self.models.chosen.model.is_some() || self.models.chosen.effort.is_some();
        let spec = self.models.chosen.model.as_deref().unwrap_or_else(|| self.spec());
        let wanted = self.models.chosen.effort.unwrap_or(self.models.effort);
        let (model, window) = (spec.model.clone(), self.window_of(spec));
        let effort = wanted.and_then(|level| spec.abilities.effort(level));
        let tool_calls = self.tool_calls_of(spec);
        step.emit(Live::Answering { model, window, effort, tool_calls, waits, said });
    }
}

/// In the words of `--effort`.
fn not_taken(spec: &ModelSpec, level: Effort) -> String {
    let taken: Vec<&str> = spec.abilities.efforts().into_iter().map(Effort::as_str).collect();
    let advice = if taken.is_empty() {
        "this model does not reason".to_owned()
    } else {
        format!("use one of {}", taken.join(", "))
    };
    format!("{} does not support the effort `{level}`: {advice}", spec.model)
}

/// The model that the session was left with.
pub(super) fn last_model(ledger: &Ledger) -> Option<ModelRef> {
    ledger.entries().iter().rev().find_map(|entry| {
        if let Body::SessionStarted(started) = &entry.body {
            return Some(started.model.clone());
        }
        if let Body::Change(Change::Model { model, .. }) = &entry.body { Some(model.clone()) } else { None }
    })
}

/// The effort that was chosen last in the session, if one was.
fn last_effort(ledger: &Ledger) -> Option<Option<Effort>> {
    ledger.entries().iter().rev().find_map(|entry| {
        if let Body::Change(Change::Effort { effort }) = &entry.body { Some(*effort) } else { None }
    })
}

/// The mode that the session was left in, as far as it is recorded.
fn last_mode(ledger: &Ledger) -> Option<Mode> {
    ledger.entries().iter().rev().find_map(|entry| {
        if let Body::Change(Change::Mode { mode, .. }) = &entry.body {
            return Some(*mode);
        }
        if let Body::SessionStarted(started) = &entry.body { started.mode } else { None }
    })
}
