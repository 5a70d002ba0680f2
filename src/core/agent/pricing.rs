//! What the next model call would cost: told while nothing runs, and asked about when it is more than the user lets go unasked.

use crate::budget::{Cost, Forecast};
use crate::context::tokens_of;
use crate::ledger::{Change, Ending, EntryId, MicroDollars, Millis, Note, NoteKind, PriceEstimate, Remark};
use crate::model::ModelSpec;

use super::phase::Phase;
use super::step::Step;
use super::{Agent, Attendance, Effect, Live};

impl Agent {
    /// The next request of a session that was just opened.
    pub fn first_forecast(&mut self, now: Millis) -> Vec<Effect> {
        let mut step = Step::at(now);
        self.foretell(&mut step);
        step.finish()
    }

    /// Tells what the next request would be, once per state of the ledger, while nothing runs.
    pub(super) fn foretell(&mut self, step: &mut Step) {
        // Only a person looks at it before the send; and before the tools are known nobody knows how large it is.
        let is_looked_at = self.settings.attendance == Attendance::Person;
        if !is_looked_at || !self.is_idle() || self.tools.discovers {
            return;
        }
        let state = (self.history.ledger.entries().len(), self.models.first.model.clone());
        if self.foretold.as_ref() == Some(&state) {
            return;
        }
        let Ok(request) = self.request_to_the_first() else { return };
        let news: u64 = self.inbox.news.iter().map(|text| tokens_of(text.len())).sum();
        let size = self.measure(&request).saturating_add(news);
        let price = self.models.first.price;
        let next = self.history.pace().forecast(step.now, &request.model, size, price);
        self.foretold = Some(state);
        step.emit(Live::Next(next));
    }

    /// Whether a call with a prompt of so many tokens costs more than it may unasked. If so, that is written down, and the run is
    /// to end with it.
    pub(super) fn price_is_asked(&mut self, step: &Step, spec: &ModelSpec, size: u64) -> bool {
        let Some(limit) = self.settings.ask_above else { return false };
        let limit = self.history.meter().accepted_price().map_or(limit, |accepted| accepted.max(limit));
        let next = self.history.pace().forecast(step.now, &spec.model, size, spec.price);
        let Some(cost) = next.cost().filter(|cost| cost.most().0 > limit) else { return false };
        let about = self.history.ledger.last_id().unwrap_or(EntryId(0));
        self.history.ledger.remark(step.now, Remark::Note(noted(about, &next, &cost, limit)));
        true
    }

    /// After a stop by the price: the user accepts it, which is in the ledger before the call is made.
    pub(super) fn accept_price(&mut self, step: &mut Step, phase: Phase, up_to: u64) -> Phase {
        if !matches!(phase, Phase::Idle) || self.history.last_ending() != Some(Ending::PriceAsked) {
            step.emit(Live::Refused("No price waits for you.".to_owned()));
            return phase;
        }
        self.history.ledger.remark(step.now, Remark::Change(Change::PriceAccepted { up_to }));
        self.go_on_where_it_stopped(step)
    }
}

/// The estimate for people and, as numbers, for whoever offers to accept it.
fn noted(about: EntryId, next: &Forecast, cost: &Cost, limit: u64) -> Note {
    let answer = cost.answer.map_or_else(String::new, |(least, most)| {
        if least == most {
            format!(" + {least} for the answer")
        } else {
            format!(" + {least} to {most} for the answer")
        }
    });
    let text = format!(
        "The next request would cost about {}: {} for the prompt ({} cached and {} new tokens){answer}. You are asked above {}.",
        cost.most(),
        cost.prompt,
        next.cached,
        next.fresh,
        MicroDollars(limit),
    );
    let estimate = PriceEstimate {
        cached: next.cached,
        fresh: next.fresh,
        prompt: cost.prompt.0,
        answer: cost.answer.map(|(least, most)| (least.0, most.0)),
        limit,
    };
    Note::new(about, NoteKind::PriceEstimated(estimate), text)
}
