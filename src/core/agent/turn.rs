//! How a run starts, goes on and ends.

use std::sync::Arc;

use crate::budget::Limit;
use crate::context::{self, words};
use crate::hooks::Payload;
use crate::ledger::{
    Change, CompactionTrigger, CutBy, Ending, FORMAT_VERSION, Injected, Injector, Message, Millis, Note,
    Remark, SessionStarted, Transition, Unsettled, Usage, UserMessage,
};
use crate::model::{Draft, ModelSpec, Price, Request};

use super::phase::{Awaiting, Phase};
use super::step::Step;
use super::{Agent, Effect, Live};

/// An answer of fewer tokens than this is not worth a call.
const SHORT_ANSWER: u64 = 64;

impl Agent {
    /// The user's message begins a run; while one is under way it steers.
    pub(super) fn submit(&mut self, step: &mut Step, phase: Phase, said: UserMessage) -> Phase {
        if said.content.trim().is_empty() && said.images.is_empty() {
            step.emit(Live::Refused("There is nothing to send.".to_owned()));
            return phase;
        }
        let is_idle = matches!(phase, Phase::Idle);
        if is_idle {
            self.take_the_chosen(step);
        }
        // A new run begins with the first model of the chain again.
        let asked = if is_idle { &self.models.first } else { self.spec() };
        let refusal = asked.refusal_of(&said.images).or_else(|| self.no_room_for(asked, &said));
        if let Some((what, next)) = refusal {
            Self::not_taken(step, said, format!("{what}: {next}"));
            return phase;
        }
        if !is_idle && self.history.guards().is_own_command {
            // There is no run of a model to steer.
            return self.queue(step, phase, said);
        }
        if !is_idle {
            self.hear_steering(step, said);
            return phase;
        }
        self.models.auto_compaction_failed = false;
        self.models.asked_for_less = false;
        let text = said.content.clone();
        match self.write_message(step.now, said.clone()) {
            Ok(()) => self.before_the_model(step, text),
            Err(unsettled) => {
                self.inbox.queued.push_front(said);
                self.give_up(step, &unsettled)
            }
        }
    }

    pub(super) fn write_message(&mut self, now: Millis, said: UserMessage) -> Result<(), Unsettled> {
        if self.history.ledger.entries().is_empty() {
            let Self { history, settings, models, .. } = self;
            history.ledger.start(
                now,
                SessionStarted {
                    session: settings.session.clone(),
                    cwd: settings.cwd.clone(),
                    model: models.first.model.clone(),
                    version: FORMAT_VERSION,
                    system: settings.system.clone(),
                    mode: Some(settings.policy.mode),
                    forked_from: None,
                },
            );
            self.write_the_choice(now);
        }
        for text in std::mem::take(&mut self.inbox.news) {
            self.history.ledger.inject(now, Injected::text(Injector::Environment, text))?;
        }
        self.tell_missing(now)?;
        // Before the message, so that the user has the last word.
        self.tell_undone(now);
        self.tell_named(now, &said)?;
        self.history.ledger.user(now, said)?;
        Ok(())
    }

    /// After a budget stop: the limit is raised in the ledger and the run goes on.
    pub(super) fn raise(&mut self, step: &mut Step, phase: Phase, limit: Limit, to: u64) -> Phase {
        if !matches!(phase, Phase::Idle) || !self.history.last_ending().is_some_and(Ending::is_budget) {
            let text = "No limit has stopped a run, so there is nothing to raise.";
            step.emit(Live::Refused(text.to_owned()));
            return phase;
        }
        let by_tokens = self.history.last_ending() == Some(Ending::TokenBudget);
        self.history.ledger.remark(step.now, Remark::Change(Change::Budget { limit, to }));
        if !by_tokens || !self.model_spoke_last() {
            return self.go_on_where_it_stopped(step);
        }
        let written = self.history.guards().written;
        let budget = self.token_budget().map_or(to, |budget| budget.tokens);
        let nudge = words::budget_nudge(written, budget);
        self.inject_and_call(step, Injector::BudgetNudge, nudge, Transition::Steered)
    }

    /// A run that stopped goes on. A model that spoke last must hear why it is asked again.
    pub(super) fn go_on_where_it_stopped(&mut self, step: &mut Step) -> Phase {
        if self.model_spoke_last() {
            return self.go_on_with(step, words::RAISED, Transition::Steered);
        }
        self.call_model(step, Transition::Steered, 0)
    }

    fn model_spoke_last(&self) -> bool {
        let said = self.history.ledger.project().ok();
        said.is_some_and(|messages| matches!(messages.last(), Some(Message::Assistant(_))))
    }

    /// Calls the model, or ends the run when a budget forbids it. The order is the design's: build the context,
    /// check the budgets, compact if due and build again, reserve, append, call.
    pub(super) fn call_model(&mut self, step: &mut Step, reason: Transition, retries: u64) -> Phase {
        if self.tools.discovers {
            return Self::wait_for_tools(step, reason, retries);
        }
        let is_turn = reason.is_a_turn();
        let meter = self.history.meter();
        let exhausted = meter.exhausted(step.now).filter(|limit| is_turn || *limit != Limit::Turns);
        if let Some(limit) = exhausted {
            return self.end(step, limit.ending());
        }
        let turn = u32::try_from(meter.turns()).unwrap_or(u32::MAX).saturating_add(u32::from(is_turn));
        let output_left = meter.left(Limit::OutputTokens, step.now);
        if is_turn {
            self.take_the_chosen(step);
            self.deliver_asides(step.now);
        }
        // A fallback is written down with the call, and says already whom the call is made to.
        let given_up = self.history.fallbacks() + usize::from(reason == Transition::ModelFallback);
        let spec = self.spec_after(given_up).clone();
        let mut request = match self.request_to(&spec, output_left) {
            Ok(request) => request,
            Err(unsettled) => return self.give_up(step, &unsettled),
        };
        if let Some((message, next)) = self.no_room_in(&spec) {
            self.history.ledger.remark(step.now, Remark::Error { message, next });
            return self.end(step, Ending::PromptTooLong);
        }
        if is_turn && self.compaction_is_due(&request) {
            return self.compact(step, CompactionTrigger::Auto, Some(reason));
        }
        let estimated_input = context::estimate_tokens(&request);
        let size = self.measure(&request);
        request.max_output = request.max_output.min(self.room_beside(&spec, size));
        if let Some(why) = self.beyond_input(step.now, size) {
            self.note_on_the_last(step.now, why);
            return self.end(step, Limit::InputTokens.ending());
        }
        let Some(affordable) = self.reserve(step.now, spec.price, estimated_input, request.max_output) else {
            return self.end(step, Ending::MaxCost);
        };
        request.max_output = affordable;
        if self.price_is_asked(step, &spec, size) {
            return self.end(step, Ending::PriceAsked);
        }
        if reason != Transition::ReactiveCompactRetry {
            // That one was written as the guard, before the summary.
            self.history.ledger.remark(step.now, Remark::Transition { turn, reason });
        }
        let message = self.history.ledger.reserve();
        let (model, asked_output) = (request.model.clone(), request.max_output);
        step.act(Effect::CallModel(message, Box::new(request)));
        step.emit(Live::Asked { message, tokens: estimated_input });
        let paid = self.paid(step.now, spec.price, estimated_input);
        let draft = Draft::within(self.settings.answer).paid(paid);
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
        let affordable = self.affordable(now, price, input, output)?;
        (affordable >= output.min(SHORT_ANSWER)).then_some(affordable)
    }

    /// The output tokens that the limits of output and cost leave beside such a prompt; `None`: neither has an end.
    pub(super) fn paid(&mut self, now: Millis, price: Option<Price>, input: u64) -> Option<u64> {
        let output = self.history.meter().left(Limit::OutputTokens, now);
        let affordable = self.affordable(now, price, input, u64::MAX).filter(|tokens| *tokens != u64::MAX);
        output.into_iter().chain(affordable).min()
    }

    /// Why a prompt of so many tokens is not sent, if it is more than the run may still read.
    pub(super) fn beyond_input(&mut self, now: Millis, size: u64) -> Option<String> {
        let limit = Limit::InputTokens;
        let left = self.history.meter().left(limit, now).filter(|left| size > *left)?;
        Some(format!(
            "The next request would read about {size} tokens, and {left} are left of {}.",
            limit.name()
        ))
    }

    pub(super) fn note_on_the_last(&mut self, now: Millis, text: String) {
        let about = self.history.ledger.last_id();
        self.history.ledger.remark(now, Remark::Note(Note::plain(about, text)));
    }

    /// The output tokens that the cost limit leaves beside such a prompt, however few; `None` when not even that is affordable.
    pub(super) fn affordable(
        &mut self,
        now: Millis,
        price: Option<Price>,
        input: u64,
        output: u64,
    ) -> Option<u64> {
        let Some(left) = self.history.meter().left(Limit::Cost, now) else { return Some(output) };
        let Some(price) = price else { return Some(output) };
        let prompt = price.cost(&Usage { input, ..Usage::default() }).0;
        let rest = left.checked_sub(prompt)?;
        let per_million = price.rates_for(input).output;
        if per_million == 0 {
            return Some(output);
        }
        let affordable = u128::from(rest) * 1_000_000 / u128::from(per_million);
        Some(u64::try_from(affordable).unwrap_or(u64::MAX).min(output))
    }

    /// The model that answers now: the first of the chain that the run has not given up.
    pub(super) fn spec(&self) -> &ModelSpec {
        self.spec_after(self.history.fallbacks())
    }

    fn spec_after(&self, given_up: usize) -> &ModelSpec {
        let Some(after_the_first) = given_up.checked_sub(1) else { return &self.models.first };
        self.chain().nth(after_the_first).or(self.chain().last()).unwrap_or(&self.models.first)
    }

    /// The next request, as it would be sent now.
    ///
    /// # Errors
    /// [`Unsettled`] while a call is open.
    pub fn request(&self, output_left: Option<u64>) -> Result<Request, Unsettled> {
        self.request_to(self.spec(), output_left)
    }

    /// The first request of a run.
    pub(super) fn request_to_the_first(&self) -> Result<Request, Unsettled> {
        self.request_to(&self.models.first, None)
    }

    fn request_to(&self, spec: &ModelSpec, output_left: Option<u64>) -> Result<Request, Unsettled> {
        let refused = self.history.refused_tools();
        let shown = self.tools.registry.shown().iter();
        let tools = shown.filter(|tool| !refused.contains(&tool.name)).cloned().collect();
        let most = [output_left, self.history.output_limit(&spec.model)].into_iter().flatten().min();
        let mut request = context::build(&self.history.ledger, &self.settings.system, tools, spec, most)?;
        request.effort = self.models.effort.and_then(|wanted| spec.abilities.effort(wanted));
        request.seed = self.history.seed().filter(|_| spec.abilities.seed != Some(false));
        request.max_output = request.max_output.min(spec.output_to_ask(request.effort));
        // The same over every resume; a fork is a session of its own.
        request.cache_key.clone_from(&self.settings.session);
        request.withheld.clone_from(&self.settings.withheld);
        request.answer_schema = self.settings.answer_schema.as_ref().map(|schema| schema.shown());
        Ok(request)
    }

    /// Ends the run. After an answer the next message of the queue begins another; after any other ending what was
    /// not delivered goes back to who wrote it.
    pub(super) fn end(&mut self, step: &mut Step, reason: Ending) -> Phase {
        self.end_by(step, reason, None)
    }

    /// The same, where somebody cut the run short.
    pub(super) fn end_by(&mut self, step: &mut Step, reason: Ending, cut_by: Option<CutBy>) -> Phase {
        let text = if reason == Ending::MaxTurns { self.out_of_turns() } else { self.history.last_text() };
        self.hand_off(step.now, reason);
        let is_own_command = self.history.guards().is_own_command;
        self.tell_own_command(step.now);
        self.history.end_run((step.now, step.now), (reason, cut_by), text);
        if !is_own_command {
            self.tell_end(step, reason);
        }
        if reason.completed() {
            return self.next_in_queue(step);
        }
        self.give_back(step);
        Phase::Idle
    }

    /// Hooks are told of the end: of an error as a failure, which no stop hook judges.
    fn tell_end(&mut self, step: &mut Step, reason: Ending) {
        if matches!(reason, Ending::ModelError | Ending::PromptTooLong) {
            let error = self.history.last_error();
            let reason = reason.as_str().to_owned();
            self.fire(step, Payload::StopFailure { reason, error, recovering: false });
        }
        self.fire(step, Payload::Notification { text: format!("The run is over: {}", reason.words()) });
    }

    /// The key that set the limit picks the words: `max_steps` speaks of steps.
    fn out_of_turns(&mut self) -> Arc<str> {
        let limit = self.history.meter().limits().get(Limit::Turns).unwrap_or_default();
        if self.settings.limit_is_steps {
            words::out_of_steps(limit).into()
        } else {
            words::INCOMPLETE.into()
        }
    }
}
