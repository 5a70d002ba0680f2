//! A race: the user has several sub-agents do one task side by side, in the background, and takes what one of them made.
//!
//! Each lane is a call of the user's own, in one run with the others. Together they get all that is left of the budget, in equal parts:
//! the session does nothing itself meanwhile, and what a lane does not spend comes back.

use crate::context::NoRoom;
use crate::ledger::{Arguments, Decider, Decision, Ending, UserMessage};
use crate::tool::SideEffect;
use crate::tool::name::{ADOPT, DELEGATE_TO, LANE};

use super::Agent;
use super::input::{Adoption, Race};
use super::phase::{CallState, Dispatching, Pending, Permission, Phase};
use super::step::Step;
use super::subagent_terms::{MODEL, SEED};
use super::subagents::Share;

/// Of the arguments of an adoption, the lanes whose results the folder has already.
pub const ADOPTED: &str = "adopted";

impl Agent {
    /// Starts the lanes, if nothing else is under way: as many as may be at work at once, and each other one when another is over.
    pub(super) fn race(&mut self, step: &mut Step, phase: Phase, race: Race) -> Phase {
        let refusal = if matches!(phase, Phase::Idle) {
            self.why_no_race(&race)
        } else {
            Some("not started: a turn is running; wait until it has finished, or press esc first".to_owned())
        };
        if let Some(why) = refusal {
            Self::not_obeyed(step, race.line, why);
            return phase;
        }
        self.take_the_chosen(step);
        if let Err(unsettled) = self.write_message(step.now, UserMessage::text(race.typed)) {
            return self.give_up(step, &unsettled);
        }
        let lanes = race.lanes.len() as u64;
        for (before, (agent, arguments)) in (0..).zip(race.lanes) {
            let tool = format!("{DELEGATE_TO}{agent}");
            let (call, token) = match self.history.ledger.command(step.now, &tool, arguments) {
                Ok(made) => made,
                Err(unsettled) => return self.give_up(step, &unsettled),
            };
            let decision = Decision::permission(call.id, Decider::User, "the user started the race");
            let receipt = Some(self.receive(step.now, &call, decision));
            let state = CallState::Ready(Permission::Recorded);
            let mut pending = Pending { receipt, ..Pending::new(call, token, SideEffect::Reads, state) };
            let share = Share { with: lanes - before, is_all: true };
            self.start_subagent(step, &mut pending, share, 1);
            // It works in the background, or was not started: its call has its result.
            let Pending { token, state: CallState::Over(ending), .. } = pending else {
                return self.bug(step, "a lane of a race does not work in the background");
            };
            self.history.ledger.settle(step.now, token, ending);
        }
        self.end(step, Ending::Completed)
    }

    fn why_no_race(&mut self, race: &Race) -> Option<String> {
        let lanes = race.lanes.len() as u64;
        if lanes < 2 {
            return Some("not started: a race needs at least two lanes".to_owned());
        }
        if !self.history.subagents().open.is_empty() {
            return Some("not started: sub-agents are at work; wait for them, or stop them first".to_owned());
        }
        let is_seeded = |arguments: &Arguments| match arguments {
            Arguments::Object(members) => members.contains_key(SEED) && !members.contains_key(MODEL),
            Arguments::Unusable(_) => false,
        };
        let refusal = self.spec().refusal_of_seed();
        if let Some(why) = refusal.filter(|_| race.lanes.iter().any(|(_, given)| is_seeded(given))) {
            return Some(format!("not started: {why}"));
        }
        if let Some((what, next)) = self.no_room_for_lanes(race) {
            return Some(format!("{what}: {next}"));
        }
        let known = &self.settings.subagents.known;
        let most = known.iter().filter(|known| known.name.starts_with(LANE)).count();
        if most == 0 {
            return Some(
                "not started: sub-agents are switched off here (agents.max_parallel is 0)".to_owned(),
            );
        }
        let is_known = |agent: &String| {
            self.subagent(&format!("{DELEGATE_TO}{agent}")).is_some_and(|it| it.in_background)
        };
        let is_possible = race.lanes.iter().all(|(agent, _)| is_known(agent));
        (!is_possible).then(|| format!("not started: a race can have at most {most} lanes, not {lanes}"))
    }

    /// Why a task is not given to lanes of the model of this session: it does not fit. Each lane would be refused by itself, with the same
    /// words. Those of other models are: their windows are known where they are made.
    fn no_room_for_lanes(&self, race: &Race) -> Option<NoRoom> {
        race.lanes.iter().find_map(|(_, given)| {
            let task = given.text("task").filter(|_| given.text(MODEL).is_none())?;
            self.no_room_for(self.spec(), &UserMessage::text(task))
        })
    }

    /// Takes what a lane made into the folder: a call that only a person can make.
    pub(super) fn adopt(&mut self, step: &mut Step, phase: Phase, adoption: Adoption) -> Phase {
        if !matches!(phase, Phase::Idle) {
            let why = "not adopted: a turn is running; wait until it has finished, or press esc first";
            Self::not_obeyed(step, adoption.line, why.to_owned());
            return phase;
        }
        self.take_the_chosen(step);
        if let Err(unsettled) = self.write_message(step.now, UserMessage::text(adoption.typed)) {
            return self.give_up(step, &unsettled);
        }
        let (call, token) = match self.history.ledger.command(step.now, ADOPT, adoption.arguments) {
            Ok(made) => made,
            Err(unsettled) => return self.give_up(step, &unsettled),
        };
        let decision = Decision::permission(call.id, Decider::User, "the user adopted it");
        let receipt = Some(self.receive(step.now, &call, decision));
        let state = CallState::Ready(Permission::Recorded);
        let pending = Pending { receipt, ..Pending::new(call, token, SideEffect::Writes, state) };
        self.advance(step, Dispatching::of([pending].into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::agent::{
        Effect, Event, Input, Intent, Live, Settings, SubagentNews, SubagentReport, SubagentSpec, Subagents,
    };
    use crate::budget::Limits;
    use crate::ledger::{
        Body, CallId, Change, Limit, Millis, Mode, ModelRef, Outcome, Reach, Spent, TaskState,
    };
    use crate::model::ModelSpec;
    use crate::tool::{ToolNews, ToolReport};

    fn agent(turns: u64) -> Agent {
        let lane = |at: u64| SubagentSpec {
            name: format!("lane_{at}"),
            asks: BTreeMap::new(),
            mode: None,
            in_background: true,
        };
        let settings = Settings::new(ModelSpec::unknown(ModelRef::parse("script")));
        let subagents = Subagents { known: (1..=6).map(lane).collect(), ..Subagents::default() };
        let limits = Limits::default().with(Limit::Turns, turns);
        Agent::new(Settings { subagents, limits, ..settings })
    }

    fn race(lanes: u64) -> Race {
        let lane = |at| (format!("lane_{at}"), Arguments::parse(r#"{"task":"do it"}"#));
        Race { typed: "race".to_owned(), line: "/race it".to_owned(), lanes: (1..=lanes).map(lane).collect() }
    }

    fn start(agent: &mut Agent, lanes: u64) -> Vec<Effect> {
        agent.step(Millis(1), Input::Intent(Intent::Race(Box::new(race(lanes)))))
    }

    #[test]
    fn lanes_share_all_that_is_left_equally_and_each_is_decided_and_settled() {
        let mut agent = agent(10);
        let wanted = start(&mut agent, 3);
        let started = |e: &Effect| {
            let Effect::StartSubagent(start) = e else { return None };
            Some((start.agent.clone(), start.limits.get(Limit::Turns)))
        };
        let started: Vec<_> = wanted.iter().filter_map(started).collect();
        let turns = [("lane_1", 3), ("lane_2", 3), ("lane_3", 4)];
        assert_eq!(started, turns.map(|(name, turns)| (name.to_owned(), Some(turns))));
        assert!(agent.is_idle());
        let entries = agent.ledger().entries();
        let count = |is: fn(&Body) -> bool| entries.iter().filter(|entry| is(&entry.body)).count();
        assert_eq!(count(|body| matches!(body, Body::Command(_))), 3);
        assert_eq!(count(|body| matches!(body, Body::ApprovalDecided(d) if d.by == Decider::User)), 3);
        assert_eq!(count(|body| matches!(body, Body::Change(Change::EscrowReserved(_)))), 3);
        assert_eq!(count(|body| matches!(body, Body::ToolResult(r) if r.outcome == Outcome::Ok)), 3);
        let wanted = start(&mut agent, 2);
        assert!(matches!(&wanted[..], [Effect::Emit(Live::ReturnedLine(_)), Effect::Emit(Live::Refused(_))]));
    }

    #[test]
    fn a_race_that_cannot_be_run_is_refused_and_nothing_is_written() {
        for lanes in [0, 1, 7] {
            let mut agent = agent(10);
            let wanted = start(&mut agent, lanes);
            assert!(
                wanted
                    .iter()
                    .any(|e| matches!(e, Effect::Emit(Live::Refused(why)) if why.starts_with("not started")))
            );
            assert!(agent.ledger().entries().is_empty());
        }
        let mut other = agent(10);
        let mut spec = ModelSpec::unknown(ModelRef::parse("script"));
        spec.abilities.seed = Some(false);
        other.step(Millis(1), Input::Intent(Intent::SetModel(Box::new(spec))));
        let mut seeded = race(2);
        seeded.lanes[1].1 = Arguments::parse(r#"{"task":"do it","seed":7}"#);
        let wanted = other.step(Millis(1), Input::Intent(Intent::Race(Box::new(seeded.clone()))));
        let refused =
            |e: &Effect| matches!(e, Effect::Emit(Live::Refused(why)) if why.contains("takes no seed"));
        assert!(wanted.iter().any(refused) && other.ledger().entries().is_empty());
        // The lane names a model of its own, which is not this one.
        seeded.lanes[1].1 = Arguments::parse(r#"{"task":"do it","seed":7,"model":"other"}"#);
        other.step(Millis(1), Input::Intent(Intent::Race(Box::new(seeded))));
        assert!(!other.ledger().entries().is_empty());
        // The task does not fit into the window of the model that all lanes have: that is said once, with what to do.
        let mut small = agent(10);
        let mut spec = ModelSpec::unknown(ModelRef::parse("near/small"));
        spec.window = 8_000;
        small.step(Millis(1), Input::Intent(Intent::SetModel(Box::new(spec))));
        let mut long = race(4);
        let task =
            Arguments::Object([("task".to_owned(), "word ".repeat(20_000).into())].into_iter().collect());
        long.lanes.iter_mut().for_each(|lane| lane.1 = task.clone());
        let wanted = small.step(Millis(1), Input::Intent(Intent::Race(Box::new(long))));
        let refusals: Vec<&String> = wanted
            .iter()
            .filter_map(|e| if let Effect::Emit(Live::Refused(why)) = e { Some(why) } else { None })
            .collect();
        assert_eq!(refusals.len(), 1, "{refusals:?}");
        assert!(refusals[0].contains("does not fit") && refusals[0].contains("shorten it"), "{refusals:?}");
        let is_race = |body: &Body| matches!(body, Body::User(_) | Body::Command(_));
        assert!(!small.ledger().entries().iter().any(|entry| is_race(&entry.body)));
        // Too little is left for each: those that cannot start have a result that says so.
        let mut agent = agent(1);
        start(&mut agent, 2);
        let outcomes = agent.ledger().entries().iter().filter_map(|entry| {
            let Body::ToolResult(result) = &entry.body else { return None };
            Some(result.outcome.clone())
        });
        assert_eq!(outcomes.collect::<Vec<_>>(), [Outcome::Failed, Outcome::Ok]);
    }

    #[test]
    fn lanes_beyond_those_that_may_be_at_work_wait_for_their_turn_with_their_share() {
        let mut agent = agent(12);
        let started = |wanted: &[Effect]| -> Vec<(String, Option<u64>)> {
            let started = wanted.iter().filter_map(|effect| {
                let Effect::StartSubagent(start) = effect else { return None };
                Some((start.agent.clone(), start.limits.get(Limit::Turns)))
            });
            started.collect()
        };
        let lane = |at: u64| (format!("lane_{at}"), Some(2));
        assert_eq!(started(&start(&mut agent, 6)), [1, 2, 3, 4].map(lane));
        let settled = |state, turns| {
            let spent = Spent { turns, ..Spent::default() };
            let report = SubagentReport {
                outcome: Outcome::Ok,
                content: "done".into(),
                cut_chars: 0,
                state,
                spent,
                reach: Reach::default(),
            };
            SubagentNews::Over(report)
        };
        let over = settled(TaskState::Completed, 1);
        // What the first did not need is nobody's share: each has what was set aside for it.
        let wanted = agent.step(Millis(2), Input::Subagent(CallId(1), over.clone()));
        assert_eq!(started(&wanted), [lane(5)]);
        let is_written = |e: &Effect| matches!(e, Effect::Append(entry) if entry.body == Body::Change(Change::SubagentStarted { call: CallId(5) }));
        let starts = |e: &Effect| matches!(e, Effect::StartSubagent(_));
        assert!(wanted.iter().position(is_written).unwrap() < wanted.iter().position(starts).unwrap());
        // One that waits is stopped before it begins, and is not started any more.
        let stop = Intent::Subagent { call: CallId(6), intent: Box::new(Intent::Abort) };
        let wanted = agent.step(Millis(3), Input::Intent(stop));
        let settles = |e: &Effect| {
            matches!(e, Effect::Append(entry) if matches!(&entry.body, Body::Change(Change::EscrowSettled(it))
                if it.call == CallId(6) && it.spent == Spent::default() && it.state == TaskState::Canceled))
        };
        assert!(wanted.iter().any(settles));
        assert!(started(&agent.step(Millis(4), Input::Subagent(CallId(2), over))).is_empty());
    }

    #[test]
    fn what_is_typed_for_a_lane_that_waits_comes_back_to_where_it_was_typed() {
        let mut agent = agent(12);
        start(&mut agent, 6);
        let said = Intent::Submit("look there, too".into()).within(&[CallId(6)]);
        let told = agent.step(Millis(2), Input::Intent(said));
        let back = Event::Live(Live::Returned(vec!["look there, too".into()]));
        let back = Effect::Emit(Live::Subagent { call: CallId(6), event: Box::new(back) });
        let is_refusal = |e: &Effect| matches!(e, Effect::Emit(Live::Refused(_)));
        let at = told.iter().position(|effect| *effect == back).unwrap();
        assert!(told.iter().position(is_refusal).unwrap() > at, "{told:?}");
    }

    #[test]
    fn no_person_makes_one_looser_than_the_session_that_started_it() {
        let mut agent = agent(12);
        start(&mut agent, 2);
        let own = agent.policy.mode;
        for mode in [Mode::Plan, Mode::Ask, Mode::Edit, Mode::Auto, Mode::Unrestricted] {
            let plain = Intent::SetMode(mode);
            let typed = Intent::Typed { line: "/mode x".to_owned(), intent: Box::new(plain.clone()) };
            for intent in [plain, typed] {
                let told = agent.step(Millis(2), Input::Intent(intent.within(&[CallId(1)])));
                let is_told = told.iter().any(|effect| matches!(effect, Effect::TellSubagent(CallId(1), _)));
                let is_refused = |event: &Event| matches!(event, Event::Live(Live::Refused(_)));
                let says_why = told.iter().any(|effect| {
                    matches!(effect, Effect::Emit(Live::Subagent { call: CallId(1), event }) if is_refused(event))
                });
                assert_eq!((is_told, says_why), (mode <= own, mode > own), "{mode:?} below {own:?}");
            }
        }
    }

    #[test]
    fn lanes_that_wait_when_the_session_is_left_are_settled_as_not_started() {
        let mut agent = agent(12);
        start(&mut agent, 6);
        agent.step(Millis(2), Input::Shutdown(crate::agent::Shutdown::Quit));
        let over = SubagentReport {
            outcome: Outcome::Failed,
            content: "stopped".into(),
            cut_chars: 0,
            state: TaskState::Canceled,
            spent: Spent::default(),
            reach: Reach::default(),
        };
        let wanted = agent.step(Millis(3), Input::Subagent(CallId(1), SubagentNews::Over(over)));
        assert!(!wanted.iter().any(|e| matches!(e, Effect::StartSubagent(_))), "nothing starts any more");
        let recovered = crate::ledger::recover(agent.ledger().entries().to_vec(), Millis(9)).unwrap();
        let settled = recovered.ledger.entries().iter().filter_map(|entry| {
            let Body::Change(Change::EscrowSettled(it)) = &entry.body else { return None };
            (it.call.0 > 4).then_some((it.call.0, it.is_assumed, it.spent, it.state))
        });
        let none = |call| (call, false, Spent::default(), TaskState::Rejected);
        assert_eq!(settled.collect::<Vec<_>>(), [none(5), none(6)]);
    }

    #[test]
    fn an_adoption_is_decided_by_the_user_before_it_is_made_and_the_model_is_told() {
        let mut agent = agent(10);
        let arguments = Arguments::parse(r#"{"lane":2,"files":["a"]}"#);
        let adoption = Adoption { typed: "Adopt".to_owned(), line: "/adopt 2".to_owned(), arguments };
        let wanted = agent.step(Millis(1), Input::Intent(Intent::Adopt(Box::new(adoption))));
        let decided = wanted.iter().position(|e| {
            matches!(e, Effect::Append(entry) if matches!(&entry.body, Body::ApprovalDecided(d) if d.by == Decider::User))
        });
        let runs = wanted.iter().position(|e| matches!(e, Effect::RunTool(call) if call.name == ADOPT));
        assert!(decided.unwrap() < runs.unwrap());
        let done = ToolReport { outcome: Outcome::Ok, ..ToolReport::failed("changed a") };
        agent.step(Millis(2), Input::Tool(CallId(1), ToolNews::Done(Box::new(done))));
        assert!(agent.is_idle());
        let told = agent.ledger().entries().iter().find_map(|entry| {
            let Body::Injected(said) = &entry.body else { return None };
            Some(said.text.clone())
        });
        assert_eq!(
            told.unwrap(),
            "The user took what lane 2 of the race made into the folder.\nIt succeeded. What came of it:\nchanged a"
        );
    }
}
