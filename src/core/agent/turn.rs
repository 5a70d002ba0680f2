//! How a run starts, goes on and ends.

use std::sync::Arc;

use crate::budget::Limit;
use crate::context::{self, words};
use crate::hooks::Payload;
use crate::ledger::{
    CompactionTrigger, Ending, FORMAT_VERSION, Injected, Injector, Message, Millis, Remark, SessionStarted,
    Transition, Unsettled, Usage, UserMessage,
};
use crate::model::{Draft, ModelSpec, Price, Request};

use super::phase::{Awaiting, Phase};
use super::{Agent, Effect, Live, Operation};

/// An answer of fewer tokens than this is not worth a call.
const SHORT_ANSWER: u64 = 64;

impl Agent {
    /// The user's message begins a run; while one is under way it steers.
    pub(super) fn submit(
        &mut self,
        now: Millis,
        phase: Phase,
        said: UserMessage,
        out: &mut Vec<Effect>,
    ) -> Phase {
        if said.content.trim().is_empty() && said.images.is_empty() {
            out.push(Effect::Emit(Live::Refused("There is nothing to send.".to_owned())));
            return phase;
        }
        let is_idle = matches!(phase, Phase::Idle);
        if is_idle {
            self.take_the_chosen(now, out);
        }
        // A new run begins with the first model of the chain again.
        let asked = if is_idle { &self.settings.model } else { self.spec() };
        if let Some((what, next)) = asked.refusal_of(&said.images) {
            Self::not_taken(said.content, format!("{what}: {next}"), out);
            return phase;
        }
        if !is_idle {
            self.hear_steering(said, out);
            return phase;
        }
        self.auto_compaction_failed = false;
        self.asked_for_less = false;
        let text = said.content.clone();
        match self.write_message(now, said.clone()) {
            Ok(()) => self.before_the_model(now, text, out),
            Err(unsettled) => {
                self.queued.push_front(said);
                self.give_up(now, &unsettled, out)
            }
        }
    }

    pub(super) fn write_message(&mut self, now: Millis, said: UserMessage) -> Result<(), Unsettled> {
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
                    forked_from: None,
                },
            );
            self.write_the_effort(now);
        }
        for text in std::mem::take(&mut self.news) {
            self.books.ledger.inject(now, Injected::text(Injector::Environment, text))?;
        }
        self.tell_missing(now)?;
        // Before the message, so that the user has the last word.
        self.tell_undone(now);
        self.books.ledger.user(now, said)?;
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
        if !matches!(phase, Phase::Idle) || !self.books.last_ending().is_some_and(Ending::is_budget) {
            let text = "A limit can be raised after it has stopped a run; none has.";
            out.push(Effect::Emit(Live::Refused(text.to_owned())));
            return phase;
        }
        let by_tokens = self.books.last_ending() == Some(Ending::TokenBudget);
        self.books.ledger.remark(now, Remark::BudgetRaised { limit, to });
        let said = self.books.ledger.project().ok();
        if !said.is_some_and(|messages| matches!(messages.last(), Some(Message::Assistant(_)))) {
            return self.call_model(now, Transition::Steered, 0, out);
        }
        // The model spoke last: it must hear why it is asked again.
        if !by_tokens {
            return self.go_on_with(now, words::RAISED, Transition::Steered, out);
        }
        let written = self.books.guards().written;
        let budget = self.token_budget().map_or(to, |budget| budget.tokens);
        let nudge = words::budget_nudge(written, budget);
        self.inject_and_call(now, Injector::BudgetNudge, nudge, Transition::Steered, out)
    }

    /// Calls the model, or ends the run when a budget forbids it. The order is the design's: build the context,
    /// check the budgets, compact if due and build again, reserve, append, call.
    pub(super) fn call_model(
        &mut self,
        now: Millis,
        reason: Transition,
        retries: u64,
        out: &mut Vec<Effect>,
    ) -> Phase {
        if self.discovers {
            return Self::wait_for_tools(reason, retries, out);
        }
        let is_turn = reason.is_a_turn();
        let meter = self.books.meter();
        let exhausted = meter.exhausted(now).filter(|limit| is_turn || *limit != Limit::Turns);
        if let Some(limit) = exhausted {
            return self.end(now, limit.ending(), out);
        }
        let turn = u32::try_from(meter.turns()).unwrap_or(u32::MAX).saturating_add(u32::from(is_turn));
        let output_left = meter.left(Limit::OutputTokens, now);
        if is_turn {
            self.take_the_chosen(now, out);
            self.deliver_asides(now);
        }
        // A fallback is written down with the call, and says already whom the call is made to.
        let given_up = self.books.fallbacks() + usize::from(reason == Transition::ModelFallback);
        let spec = self.spec_after(given_up).clone();
        let mut request = match self.request_to(&spec, output_left) {
            Ok(request) => request,
            Err(unsettled) => return self.give_up(now, &unsettled, out),
        };
        if is_turn && self.compaction_is_due(&request) {
            return self.compact(now, CompactionTrigger::Auto, Some(reason), out);
        }
        let estimated_input = context::estimate_tokens(&request);
        let size = self.measure(&request);
        request.max_output = request.max_output.min(self.room_beside(&spec, size));
        let Some(affordable) = self.reserve(now, spec.price, estimated_input, request.max_output) else {
            return self.end(now, Ending::MaxCost, out);
        };
        request.max_output = affordable;
        if reason != Transition::ReactiveCompactRetry {
            // That one was written as the guard, before the summary.
            self.books.ledger.remark(now, Remark::Transition { turn, reason });
        }
        let message = self.books.ledger.reserve();
        let (model, asked_output) = (request.model.clone(), request.max_output);
        out.push(Effect::CallModel(message, Box::new(request)));
        out.push(Effect::Emit(Live::Asked { message, tokens: estimated_input }));
        let draft = Draft::within(self.settings.answer);
        Phase::AwaitingModel(Awaiting { message, draft, estimated_input, retries, model, asked_output })
    }

    /// Reserves the worst case of a call: the estimated prompt, and all the output that it may write. Returns the
    /// output tokens that the cost limit leaves, so that it is never passed by more than the estimate was wrong;
    /// `None` when not even a short answer is affordable.
    pub(super) fn reserve(
        &mut self,
        now: Millis,
        price: Option<Price>,
        input: u64,
        output: u64,
    ) -> Option<u64> {
        let Some(left) = self.books.meter().left(Limit::Cost, now) else { return Some(output) };
        let Some(price) = price else { return Some(output) };
        let prompt = price.cost(&Usage { input, ..Usage::default() }).0;
        let rest = left.checked_sub(prompt)?;
        let per_million = price.rates_for(input).output;
        if per_million == 0 {
            return Some(output);
        }
        let affordable = u128::from(rest) * 1_000_000 / u128::from(per_million);
        let affordable = u64::try_from(affordable).unwrap_or(u64::MAX).min(output);
        (affordable >= output.min(SHORT_ANSWER)).then_some(affordable)
    }

    /// The model that answers now: the first of the chain that the run has not given up.
    pub(super) fn spec(&self) -> &ModelSpec {
        self.spec_after(self.books.fallbacks())
    }

    fn spec_after(&self, given_up: usize) -> &ModelSpec {
        let Some(after_the_first) = given_up.checked_sub(1) else { return &self.settings.model };
        self.chain().nth(after_the_first).or(self.chain().last()).unwrap_or(&self.settings.model)
    }

    /// The next request, as it would be sent now.
    ///
    /// # Errors
    /// [`Unsettled`] while a call is open.
    pub fn request(&self, output_left: Option<u64>) -> Result<Request, Unsettled> {
        self.request_to(self.spec(), output_left)
    }

    fn request_to(&self, spec: &ModelSpec, output_left: Option<u64>) -> Result<Request, Unsettled> {
        let refused = self.books.refused_tools();
        let shown = self.registry.shown().iter();
        let tools = shown.filter(|tool| !refused.contains(&tool.name)).cloned().collect();
        let most = [output_left, self.books.output_limit(&spec.model)].into_iter().flatten().min();
        let mut request = context::build(&self.books.ledger, &self.settings.system, tools, spec, most)?;
        request.effort = self.settings.effort.and_then(|wanted| spec.abilities.effort(wanted));
        request.max_output = request.max_output.min(spec.output_to_ask(request.effort));
        // The same over every resume; a fork is a session of its own.
        request.cache_key.clone_from(&self.settings.session);
        Ok(request)
    }

    /// Ends the run. After an answer the next message of the queue begins another; after any other ending what was
    /// not delivered goes back to who wrote it.
    pub(super) fn end(&mut self, now: Millis, reason: Ending, out: &mut Vec<Effect>) -> Phase {
        let text = if reason == Ending::MaxTurns { self.out_of_turns() } else { self.books.last_text() };
        self.hand_off(now, reason);
        self.books.end_run(now, now, reason, text);
        self.tell_end(reason, out);
        if reason.completed() {
            return self.next_in_queue(now, out);
        }
        self.give_back(out);
        Phase::Idle
    }

    /// Hooks are told of the end: of an error as a failure, which no stop hook judges.
    fn tell_end(&mut self, reason: Ending, out: &mut Vec<Effect>) {
        if matches!(reason, Ending::ModelError | Ending::PromptTooLong) {
            let error = self.books.last_error();
            self.fire(Payload::StopFailure { reason: reason.as_str().to_owned(), error }, out);
        }
        self.fire(Payload::Notification { text: format!("The run is over: {}", reason.as_str()) }, out);
    }

    /// The key that set the limit picks the words: seed 2's for `max_steps`, else seed 1's.
    fn out_of_turns(&mut self) -> Arc<str> {
        let limit = self.books.meter().limits().get(Limit::Turns).unwrap_or_default();
        if self.settings.limit_is_steps {
            words::out_of_steps(limit).into()
        } else {
            words::INCOMPLETE.into()
        }
    }

    /// The books refuse: a bug of ours, said aloud. The calls that nobody can settle any more are settled as lost,
    /// so that the run has its end like any other, and nobody waits for it.
    pub(super) fn give_up(&mut self, now: Millis, unsettled: &Unsettled, out: &mut Vec<Effect>) -> Phase {
        let message = format!("The ledger refuses to go on: {unsettled}.");
        let next = "This is a bug of countersign; please report it. The session can go on.".to_owned();
        self.books.ledger.remark(now, Remark::Error { message, next });
        for call in &unsettled.0 {
            out.push(Effect::Cancel(Operation::Preparation(*call)));
            out.push(Effect::Cancel(Operation::Tool(*call)));
        }
        self.books.ledger.settle_lost(now);
        if self.books.run_is_open() {
            return self.end(now, Ending::ModelError, out);
        }
        self.give_back(out);
        Phase::Idle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::books::Books;
    use crate::agent::{Input, Intent, Settings};
    use crate::ledger::{Arguments, AssistantMessage, Block, Body, Ledger, ModelRef, Stop, ToolUse, check};

    /// Books with a call that nobody can settle any more, as only a bug could leave them.
    fn with_a_lost_call() -> Agent {
        let settings = Settings::new(ModelSpec::unknown(ModelRef::parse("first")));
        let mut ledger = Ledger::default();
        let at = Millis(1);
        ledger.start(
            at,
            SessionStarted {
                session: "s".into(),
                cwd: "/w".into(),
                model: ModelRef::parse("first"),
                version: FORMAT_VERSION,
                system: String::new(),
                forked_from: None,
            },
        );
        ledger.user(at, "go".into()).unwrap();
        ledger.remark(at, Remark::Transition { turn: 1, reason: Transition::Submitted });
        let call = ToolUse {
            id: ledger.mint_call(),
            wire_id: String::new(),
            name: "read".into(),
            arguments: Arguments::parse("{}"),
        };
        let message = AssistantMessage {
            id: ledger.reserve(),
            model: ModelRef::parse("first"),
            blocks: vec![Block::ToolUse(call)],
            stop: Stop::ToolUse,
            usage: Usage::default(),
            interrupted: false,
        };
        drop(ledger.assistant(at, message).unwrap());
        Agent::with_books(Books::new(ledger, settings.limits.clone(), 0), settings)
    }

    #[test]
    fn a_ledger_that_refuses_ends_the_run_and_gives_everything_back() {
        let mut agent = with_a_lost_call();
        agent.steering.push("steered".into());
        let effects = agent.step(Millis(2), Input::Intent(Intent::Submit("more".into())));
        assert!(agent.is_idle());
        assert!(check(agent.ledger().entries()).unwrap().is_empty());
        let last = agent.ledger().entries().last().unwrap();
        assert!(matches!(&last.body, Body::TurnEnded(ended) if ended.reason == Ending::ModelError));
        let back = effects.iter().find_map(|e| {
            if let Effect::Emit(Live::Returned(texts)) = e { Some(texts.clone()) } else { None }
        });
        assert_eq!(back, Some(vec!["steered".to_owned(), "more".to_owned()]));
        // The session goes on.
        let effects = agent.step(Millis(3), Input::Intent(Intent::Submit("again".into())));
        assert!(effects.iter().any(|e| matches!(e, Effect::CallModel(..))));
    }
}
