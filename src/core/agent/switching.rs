//! Another model, or another effort: at once between runs, from the next turn on while one is under way.

use crate::ledger::{Body, Ledger, Millis, ModelRef, Remark};
use crate::model::{Effort, ModelSpec};

use super::phase::Phase;
use super::{Agent, Effect, Live};

/// What was chosen and is not in force yet.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    model: Option<Box<ModelSpec>>,
    effort: Option<Option<Effort>>,
    /// The effort was chosen before the session had a ledger to write it into.
    effort_is_unwritten: bool,
}

impl Agent {
    /// The user chooses another model.
    pub(super) fn set_model(
        &mut self,
        now: Millis,
        phase: &Phase,
        spec: Box<ModelSpec>,
        out: &mut Vec<Effect>,
    ) {
        let model = spec.model.clone();
        let goes_on = self.spec().model == model;
        self.chosen.model = Some(spec);
        let waits = self.take_unless_busy(now, phase);
        let said = if goes_on {
            format!("{model} goes on answering.")
        } else if waits {
            format!("From the next turn on {model} answers.")
        } else {
            format!("{model} answers from now on.")
        };
        self.tell_choice(Some(said), out);
    }

    /// The user chooses another effort. A level that the model is known not to take is refused.
    pub(super) fn set_effort(
        &mut self,
        now: Millis,
        phase: &Phase,
        effort: Option<Effort>,
        out: &mut Vec<Effect>,
    ) {
        let spec = self.chosen.model.as_deref().unwrap_or_else(|| self.spec());
        if let Some(level) = effort
            && spec.abilities.effort(level) != Some(level)
        {
            out.push(Effect::Emit(Live::Refused(not_taken(spec, level))));
            return;
        }
        self.chosen.effort = Some(effort);
        let waits = self.take_unless_busy(now, phase);
        let level = effort.map_or("as the vendor thinks best", Effort::as_str);
        let said = if waits {
            format!("From the next turn on the effort is: {level}.")
        } else {
            format!("The effort is now: {level}.")
        };
        self.tell_choice(Some(said), out);
    }

    /// What was chosen comes into force: it is in the ledger before the first request that it changes.
    pub(super) fn take_the_chosen(&mut self, now: Millis, out: &mut Vec<Effect>) {
        if self.chosen.model.is_some() || self.chosen.effort.is_some() {
            self.take(now);
            self.tell_choice(None, out);
        }
    }

    /// The session has a ledger now; it began with the chosen model.
    pub(super) fn write_the_effort(&mut self, now: Millis) {
        if std::mem::take(&mut self.chosen.effort_is_unwritten) {
            let effort = self.settings.effort;
            self.books.ledger.remark(now, Remark::EffortChanged { effort });
        }
    }

    /// A resumed session was told to go on with another model, or effort, than it was left with.
    pub(super) fn note_the_choice(&mut self, now: Millis) {
        let model = self.settings.model.model.clone();
        if let Some(previous) = last_model(&self.books.ledger).filter(|last| *last != model) {
            self.books.ledger.remark(now, Remark::ModelChanged { model, previous });
        }
        let effort = self.settings.effort;
        if last_effort(&self.books.ledger).is_some_and(|last| last != effort) {
            self.books.ledger.remark(now, Remark::EffortChanged { effort });
        }
    }

    /// The models to fall back to. The one that answers first is not among them, for it would only fail again.
    pub(super) fn chain(&self) -> impl Iterator<Item = &ModelSpec> {
        let first = &self.settings.model.model;
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
        if let Some(spec) = self.chosen.model.take() {
            self.take_model(now, *spec);
        }
        if let Some(effort) = self.chosen.effort.take().filter(|effort| *effort != self.settings.effort) {
            self.settings.effort = effort;
            self.chosen.effort_is_unwritten = true;
            if !self.books.ledger.entries().is_empty() {
                self.write_the_effort(now);
            }
        }
    }

    fn take_model(&mut self, now: Millis, spec: ModelSpec) {
        let (answering, model) = (self.spec().model.clone(), spec.model.clone());
        let first = std::mem::replace(&mut self.settings.model, spec).model;
        // If the run has fallen back, who answers now is replaced; or becomes the first of the chain.
        let previous = if answering == model { first } else { answering };
        self.auto_compaction_failed = false;
        if previous != model && !self.books.ledger.entries().is_empty() {
            self.books.ledger.remark(now, Remark::ModelChanged { model, previous });
        }
    }

    /// Tells the screen who answers, now or soon, and how hard it thinks.
    pub(super) fn tell_choice(&self, said: Option<String>, out: &mut Vec<Effect>) {
        let waits = self.chosen.model.is_some() || self.chosen.effort.is_some();
        let spec = self.chosen.model.as_deref().unwrap_or_else(|| self.spec());
        let wanted = self.chosen.effort.unwrap_or(self.settings.effort);
        let (model, window) = (spec.model.clone(), self.window_of(spec));
        let effort = wanted.and_then(|level| spec.abilities.effort(level));
        out.push(Effect::Emit(Live::Answering { model, window, effort, waits, said }));
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
    format!("{} does not take the effort `{level}`: {advice}", spec.model)
}

/// The model that the session was left with.
fn last_model(ledger: &Ledger) -> Option<ModelRef> {
    ledger.entries().iter().rev().find_map(|entry| {
        if let Body::SessionStarted(started) = &entry.body {
            return Some(started.model.clone());
        }
        if let Body::ModelChanged { model, .. } = &entry.body { Some(model.clone()) } else { None }
    })
}

/// The effort that was chosen last in the session, if one was.
fn last_effort(ledger: &Ledger) -> Option<Option<Effort>> {
    ledger
        .entries()
        .iter()
        .rev()
        .find_map(|entry| if let Body::EffortChanged { effort } = &entry.body { Some(*effort) } else { None })
}
