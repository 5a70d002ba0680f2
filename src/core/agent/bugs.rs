//! What the loop does when it finds a bug of its own: it says so, and the run ends well-formed.

use crate::ledger::{CallId, Ending, Remark, Unsettled};

use super::phase::Phase;
use super::step::Step;
use super::{Agent, Operation};

impl Agent {
    /// The ledger refuses to go on, because a call is open that nobody can settle any more.
    pub(super) fn give_up(&mut self, step: &mut Step, unsettled: &Unsettled) -> Phase {
        self.end_by_bug(step, &unsettled.0, format!("The ledger refuses to go on: {unsettled}."))
    }

    /// A place was reached that no order of inputs should reach. A debug build stops there; a release build ends the run.
    /// Whoever calls this has dropped the calls of the turn.
    pub(super) fn bug(&mut self, step: &mut Step, what: &str) -> Phase {
        debug_assert!(false, "{what}");
        let open = self.history.ledger.settled().err().map(|unsettled| unsettled.0).unwrap_or_default();
        self.end_by_bug(step, &open, format!("The loop failed: {what}."))
    }

    /// Open calls are settled as lost, so that the run has its end like any other and nobody waits for it.
    fn end_by_bug(&mut self, step: &mut Step, open: &[CallId], message: String) -> Phase {
        let next = "This is a bug of countersign; please report it. The session can continue.".to_owned();
        self.history.ledger.remark(step.now, Remark::Error { message, next });
        for call in open {
            step.cancel(Operation::Preparation(*call));
            step.cancel(Operation::Tool(*call));
        }
        self.history.ledger.settle_lost(step.now);
        if self.history.run_is_open() {
            return self.end(step, Ending::ModelError);
        }
        self.give_back(step);
        Phase::Idle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::history::History;
    use crate::agent::{Effect, Input, Intent, Live, Settings};
    use crate::ledger::{
        Arguments, AssistantMessage, Block, Body, FORMAT_VERSION, Ledger, Millis, ModelRef, SessionStarted,
        Stop, ToolUse, Transition, Usage, check,
    };
    use crate::model::ModelSpec;

    /// A history with a call that nobody can settle any more, as only a bug could leave it.
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
                mode: None,
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
        Agent::with_history(History::new(ledger, settings.limits.clone(), 0), settings)
    }

    #[test]
    fn a_ledger_that_refuses_ends_the_run_and_gives_everything_back() {
        let mut agent = with_a_lost_call();
        agent.inbox.steering.push("steered".into());
        let effects = agent.step(Millis(2), Input::Intent(Intent::Submit("more".into())));
        assert!(agent.is_idle());
        assert!(check(agent.ledger().entries()).unwrap().is_empty());
        let last = agent.ledger().entries().last().unwrap();
        assert!(matches!(&last.body, Body::TurnEnded(ended) if ended.reason == Ending::ModelError));
        let back = effects.iter().find_map(|e| {
            if let Effect::Emit(Live::Returned(texts)) = e { Some(texts.clone()) } else { None }
        });
        assert_eq!(back, Some(vec!["steered".into(), "more".into()]));
        // The session goes on.
        let effects = agent.step(Millis(3), Input::Intent(Intent::Submit("again".into())));
        assert!(effects.iter().any(|e| matches!(e, Effect::CallModel(..))));
    }

    #[test]
    fn a_bug_while_calls_are_open_ends_the_run_and_settles_them() {
        let mut agent = with_a_lost_call();
        let mut step = Step::at(Millis(2));
        let open = agent.ledger().settled().unwrap_err().0;
        agent.phase = agent.end_by_bug(&mut step, &open, "The loop failed: planted.".to_owned());
        assert!(agent.is_idle());
        assert!(check(agent.ledger().entries()).unwrap().is_empty());
        assert!(step.finish().contains(&Effect::Cancel(Operation::Tool(open[0]))));
        let said = |e: &&std::sync::Arc<crate::ledger::Entry>| matches!(&e.body, Body::Error { message, .. } if message.contains("planted"));
        assert!(agent.ledger().entries().iter().any(|e| said(&e)));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "planted")]
    fn a_debug_build_stops_at_a_bug() {
        with_a_lost_call().bug(&mut Step::at(Millis(2)), "planted");
    }
}
