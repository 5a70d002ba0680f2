//! Tools that come from elsewhere (MCP servers, A2A agents): the first model call of a process waits for them, then they are frozen.

use crate::ledger::{Injected, Injector, Millis, Transition, Unsettled};
use crate::tool::Discovered;

use super::phase::{Discovering, Phase};
use super::{Agent, Effect, Live};

impl Agent {
    /// What a process does before anything else: it asks for the tools that come from elsewhere, if any do.
    pub fn first_effects(&self) -> Vec<Effect> {
        if self.discovers { vec![Effect::DiscoverTools] } else { Vec::new() }
    }

    /// A model call that has to wait, since its request would not name all tools; they cannot be added later.
    pub(super) fn wait_for_tools(reason: Transition, retries: u64, out: &mut Vec<Effect>) -> Phase {
        out.push(Effect::Emit(Live::Discovering));
        Phase::Discovering(Discovering { reason, retries })
    }

    /// What is missing is told once a process.
    pub(super) fn tell_missing(&mut self, now: Millis) -> Result<(), Unsettled> {
        for why in std::mem::take(&mut self.missing) {
            self.books.ledger.inject(now, Injected::text(Injector::Discovery, why))?;
        }
        Ok(())
    }

    /// The tools are there, and what is missing is told: to the model at once, or with the next message.
    pub(super) fn on_discovered(
        &mut self,
        now: Millis,
        phase: Phase,
        found: Discovered,
        out: &mut Vec<Effect>,
    ) -> Phase {
        if !std::mem::take(&mut self.discovers) {
            return phase;
        }
        self.registry.add(found.tools);
        out.extend(found.missing.iter().cloned().map(|why| Effect::Emit(Live::Unreached(why))));
        match phase {
            Phase::Discovering(Discovering { reason, retries }) => {
                self.missing = found.missing;
                if let Err(unsettled) = self.tell_missing(now) {
                    return self.give_up(now, &unsettled, out);
                }
                self.call_model(now, reason, retries, out)
            }
            phase @ (Phase::Idle
            | Phase::AwaitingModel(_)
            | Phase::Dispatching(_)
            | Phase::BackingOff(_)
            | Phase::Compacting(_)
            | Phase::Consulting(_)) => {
                self.missing = found.missing;
                phase
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::{Input, Intent, Operation, Settings};
    use crate::ledger::{Body, Ending, ModelRef};
    use crate::model::{ModelSpec, Request};
    use crate::tool::{SideEffect, ToolSpec};

    fn discovering() -> Agent {
        let settings = Settings::new(ModelSpec::unknown(ModelRef::parse("first")));
        Agent::new(Settings { discovers: true, ..settings })
    }

    fn found() -> Input {
        let tool = |description: &str| ToolSpec {
            name: "mcp__there__send".into(),
            description: description.into(),
            schema: serde_json::json!({}),
            effect: SideEffect::Sends,
            paths: Vec::new(),
            timeout_ms: None,
        };
        let missing = vec!["The MCP server away keeps silent.".to_owned()];
        Input::Discovered(Discovered { tools: vec![tool("the first"), tool("a second one")], missing })
    }

    fn request(effects: &[Effect]) -> Option<&Request> {
        effects
            .iter()
            .find_map(|e| if let Effect::CallModel(_, request) = e { Some(&**request) } else { None })
    }

    #[test]
    fn the_first_call_waits_names_every_tool_once_and_tells_what_is_missing() {
        let mut agent = discovering();
        assert_eq!(agent.first_effects(), [Effect::DiscoverTools]);
        let effects = agent.step(Millis(1), Input::Intent(Intent::Submit("go".into())));
        assert!(effects.contains(&Effect::Emit(Live::Discovering)) && request(&effects).is_none());
        assert!(effects.iter().any(|e| matches!(e, Effect::Append(e) if matches!(e.body, Body::User(_)))));
        let effects = agent.step(Millis(2), found());
        let asked = request(&effects).unwrap();
        let told: Vec<_> =
            asked.tools.iter().map(|tool| (tool.name.as_str(), tool.description.as_str())).collect();
        assert_eq!(told, [("mcp__there__send", "the first")]);
        assert!(format!("{:?}", asked.messages).contains("away keeps silent"));
        assert!(effects.contains(&Effect::Emit(Live::Unreached("The MCP server away keeps silent.".into()))));
        assert!(agent.first_effects().is_empty());
    }

    #[test]
    fn esc_ends_the_wait_and_not_the_search_and_the_next_message_waits_again() {
        let mut agent = discovering();
        agent.step(Millis(1), Input::Intent(Intent::Submit("go".into())));
        let effects = agent.step(Millis(2), Input::Intent(Intent::Abort));
        assert!(agent.is_idle());
        assert!(!effects.contains(&Effect::Cancel(Operation::Discovery)));
        let ended = |e: &Effect| matches!(e, Effect::Append(e) if matches!(&e.body, Body::TurnEnded(t) if t.reason == Ending::AbortedStreaming));
        assert!(effects.iter().any(ended));
        assert!(request(&agent.step(Millis(3), Input::Intent(Intent::Submit("again".into())))).is_none());
        assert!(request(&agent.step(Millis(4), found())).is_some());
    }

    #[test]
    fn what_comes_while_nobody_waits_is_told_with_the_next_message_and_comes_once() {
        let mut agent = discovering();
        let compact = agent.step(Millis(1), Input::Intent(Intent::Compact));
        assert!(matches!(&compact[..], [Effect::Emit(Live::Refused(_))]));
        agent.step(Millis(1), found());
        agent.step(Millis(2), Input::Discovered(Discovered::default()));
        let effects = agent.step(Millis(3), Input::Intent(Intent::Submit("go".into())));
        let asked = request(&effects).unwrap();
        assert_eq!(asked.tools.len(), 1);
        assert!(format!("{:?}", asked.messages).contains("away keeps silent"));
    }
}
