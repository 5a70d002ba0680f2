//! How a run starts, goes on and ends.

use crate::budget::Limit;
use crate::context::{self, INCOMPLETE};
use crate::ledger::{
    Ending, FORMAT_VERSION, Injected, Injector, Millis, Remark, SessionStarted, Transition, Unsettled,
    UserMessage,
};
use crate::model::{Draft, Request};
use crate::tool::ToolSpec;

use super::phase::{Awaiting, Phase};
use super::{Agent, Effect, Live};

impl Agent {
    /// The user's message begins a run.
    pub(super) fn submit(&mut self, now: Millis, phase: Phase, text: String, out: &mut Vec<Effect>) -> Phase {
        let refusal = match phase {
            Phase::Idle if text.trim().is_empty() => "There is nothing to send.",
            Phase::Idle => "",
            Phase::AwaitingModel(_) | Phase::Dispatching(_) | Phase::BackingOff(_) => {
                "A turn is running: wait for its end, or press Esc to interrupt it."
            }
        };
        if !refusal.is_empty() {
            out.push(Effect::Emit(Live::Refused(refusal.to_owned())));
            return phase;
        }
        match self.write_message(now, text) {
            Ok(()) => self.call_model(now, Transition::Submitted, 0, out),
            Err(unsettled) => self.give_up(now, &unsettled),
        }
    }

    fn write_message(&mut self, now: Millis, content: String) -> Result<(), Unsettled> {
        if self.books.ledger.entries().is_empty() {
            let Self { books, settings, .. } = self;
            books.ledger.start(
                now,
                SessionStarted {
                    session: settings.session.clone(),
                    cwd: settings.cwd.clone(),
                    model: settings.model.model.clone(),
                    version: FORMAT_VERSION,
                    system: settings.system.clone(),
                },
            );
        }
        for text in std::mem::take(&mut self.news) {
            self.books.ledger.inject(now, Injected { by: Injector::Environment, text })?;
        }
        self.books.ledger.user(now, UserMessage { content })?;
        Ok(())
    }

    /// After a budget stop: the limit is raised in the ledger and the run goes on.
    pub(super) fn raise(
        &mut self,
        now: Millis,
        phase: Phase,
        limit: Limit,
        to: u64,
        out: &mut Vec<Effect>,
    ) -> Phase {
        if !matches!(phase, Phase::Idle) || !self.books.stopped_by_budget() {
            let text = "A limit can be raised after it has stopped a run; none has.";
            out.push(Effect::Emit(Live::Refused(text.to_owned())));
            return phase;
        }
        self.books.ledger.remark(now, Remark::BudgetRaised { name: limit.name().to_owned(), limit: to });
        self.call_model(now, Transition::Steered, 0, out)
    }

    /// Calls the model, or ends the run when a budget forbids it. The order is the design's: build the context,
    /// check the budgets, append, call. A retry is not a turn.
    pub(super) fn call_model(
        &mut self,
        now: Millis,
        reason: Transition,
        retries: u64,
        out: &mut Vec<Effect>,
    ) -> Phase {
        let is_retry = reason == Transition::TransientRetry;
        let meter = self.books.meter();
        let exhausted = meter.exhausted(now).filter(|limit| !(is_retry && *limit == Limit::Turns));
        if let Some(limit) = exhausted {
            return self.end(now, limit.ending());
        }
        let turn = u32::try_from(meter.turns()).unwrap_or(u32::MAX).saturating_add(u32::from(!is_retry));
        let output_left = meter.left(Limit::OutputTokens, now);
        let request = match self.request(output_left) {
            Ok(request) => request,
            Err(unsettled) => return self.give_up(now, &unsettled),
        };
        self.books.ledger.remark(now, Remark::Transition { turn, reason });
        let message = self.books.ledger.reserve();
        let estimated_input = context::estimate_tokens(&request);
        out.push(Effect::CallModel(message, Box::new(request)));
        Phase::AwaitingModel(Awaiting { message, draft: Draft::default(), estimated_input, retries })
    }

    /// The next request, as it would be sent now.
    ///
    /// # Errors
    /// [`Unsettled`] while a call is open.
    pub fn request(&self, output_left: Option<u64>) -> Result<Request, Unsettled> {
        let tools = self.registry.tools().iter().map(ToolSpec::describe).collect();
        context::build(&self.books.ledger, &self.settings.system, tools, &self.settings.model, output_left)
    }

    /// Ends the run.
    pub(super) fn end(&mut self, now: Millis, reason: Ending) -> Phase {
        let text = if reason == Ending::MaxTurns { INCOMPLETE.to_owned() } else { self.books.last_text() };
        self.books.end_run(now, now, reason, text);
        Phase::Idle
    }

    /// The books refuse: a bug of ours, said aloud. Nothing is repaired.
    pub(super) fn give_up(&mut self, now: Millis, unsettled: &Unsettled) -> Phase {
        self.books.ledger.remark(
            now,
            Remark::Error {
                message: format!("The ledger refuses to go on: {unsettled}."),
                next: "This is a bug of countersign. Resume the session: open calls are settled when it is loaded."
                    .to_owned(),
            },
        );
        Phase::Idle
    }
}
