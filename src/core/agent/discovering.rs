//! Tools that come from elsewhere (MCP servers, A2A agents): the first model call of a process waits for them, then they are
//! frozen.

use crate::ledger::{AssistantMessage, Block, Injected, Injector, Millis, Transition, Unsettled};
use crate::tool::{BroughtTools, Discovered};

use super::phase::{Discovering, Phase};
use super::step::Step;
use super::{Agent, Effect, Live};

impl Agent {
    /// What a process does before anything else: it asks for the tools that come from elsewhere, if any do.
    pub fn first_effects(&self) -> Vec<Effect> {
        if self.tools.discovers { vec![Effect::DiscoverTools] } else { Vec::new() }
    }

    /// A model call that has to wait, since its request would not name all tools; they cannot be added later.
    pub(super) fn wait_for_tools(step: &mut Step, reason: Transition, retries: u64) -> Phase {
        step.emit(Live::Discovering);
        Phase::Discovering(Discovering { reason, retries })
    }

    /// What is missing is told once a process.
    pub(super) fn tell_missing(&mut self, now: Millis) -> Result<(), Unsettled> {
        for why in std::mem::take(&mut self.tools.missing) {
            self.history.ledger.inject(now, Injected::text(Injector::Discovery, why))?;
        }
        Ok(())
    }

    /// The tools are there, and what is missing is told: to the model at once, or with the next message.
    pub(super) fn on_discovered(&mut self, step: &mut Step, phase: Phase, found: Discovered) -> Phase {
        if !std::mem::take(&mut self.tools.discovers) {
            return phase;
        }
        let Discovered { tools, mut missing, absent } = found;
        let names = tools.iter().map(|tool| tool.name.clone()).collect();
        missing.extend(self.tools.registry.add(tools));
        step.emit(Live::Discovered(BroughtTools { names, missing: missing.clone() }));
        self.tools.absent.extend(absent);
        step.extend(missing.iter().cloned().map(|why| Effect::Emit(Live::Unreached(why))));
        self.tools.missing = missing;
        match phase {
            Phase::Discovering(Discovering { reason, retries }) => {
                if let Err(unsettled) = self.tell_missing(step.now) {
                    return self.give_up(step, &unsettled);
                }
                self.call_model(step, reason, retries)
            }
            Phase::Dispatching(dispatching) => self.revisit(step, dispatching),
            Phase::Idle
            | Phase::AwaitingModel(_)
            | Phase::BackingOff(_)
            | Phase::Compacting(_)
            | Phase::Consulting(_) => phase,
        }
    }

    /// What a model wrote, under the names that the tools themselves have for their arguments.
    pub(super) fn restore_arguments(&self, message: &mut AssistantMessage) {
        for block in &mut message.blocks {
            if let Block::ToolUse(call) = block {
                self.tools.registry.restore(call);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::{Answer, Input, Intent, Operation, Settings};
    use crate::ledger::{Body, CallId, Ending, Entry, EntryId, ModelRef, Outcome, Scope, recover};
    use crate::model::{ModelEvent, ModelNews, ModelSpec, Request};
    use crate::tool::{Preparation, SideEffect, ToolKind, ToolSpec};

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
            timeout_ms: Some(77_000),
            kind: ToolKind::Mcp,
            retrieves: false,
        };
        let missing = vec!["The MCP server away keeps silent.".to_owned()];
        let tools = vec![tool("the first"), tool("a second one")];
        Input::Discovered(Discovered { tools, missing, ..Discovered::default() })
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

    /// A session in which a call of a tool from elsewhere waits, taken up by a process that still looks for the tool.
    fn resumed() -> (Agent, EntryId) {
        resumed_while(true)
    }

    fn resumed_while(discovers: bool) -> (Agent, EntryId) {
        let settings = Settings::new(ModelSpec::unknown(ModelRef::parse("first")));
        let Input::Discovered(found) = found() else { panic!("tools are found") };
        let mut first = Agent::new(Settings { tools: found.tools, ..settings.clone() });
        let mut entries = Vec::new();
        let mut asked = None;
        let mut say = |input| {
            for effect in first.step(Millis(1), input) {
                if let Effect::CallModel(message, _) = &effect {
                    asked = Some(*message);
                }
                if let Effect::Append(entry) = effect {
                    entries.push(entry);
                }
            }
            asked.unwrap()
        };
        let message = say(Input::Intent(Intent::Submit("go".into())));
        let (wire_id, name) = (String::new(), "mcp__there__send".to_owned());
        say(Input::Model(message, ModelNews::Event(ModelEvent::CallStarted { index: 0, wire_id, name })));
        say(Input::Model(message, ModelNews::Event(ModelEvent::CallDone { index: 0 })));
        say(Input::Model(message, ModelNews::Finished));
        say(Input::Prepared(CallId(1), Preparation::default()));
        let request = entries.iter().find(|e| matches!(e.body, Body::ApprovalRequested(_))).unwrap().id;
        let settings = Settings { discovers, ..settings };
        (Agent::resume(settings, recover(entries, Millis(2)).unwrap(), Millis(2)).0, request)
    }

    fn answered(request: EntryId, answer: Answer) -> Input {
        Input::Intent(Intent::Decide { request, call: CallId(1), answer })
    }

    fn seen() -> Input {
        Input::Prepared(CallId(1), Preparation::default())
    }

    fn looks(effects: &[Effect]) -> bool {
        effects.iter().any(|effect| matches!(effect, Effect::Prepare(look) if look.call == CallId(1)))
    }

    fn result(effects: &[Effect]) -> Option<Outcome> {
        effects.iter().find_map(|effect| {
            let Effect::Append(entry) = effect else { return None };
            if let Body::ToolResult(result) = &entry.body { Some(result.outcome.clone()) } else { None }
        })
    }

    fn runs(effects: &[Effect]) -> Option<u64> {
        effects.iter().find_map(|e| if let Effect::RunTool(run) = e { Some(run.timeout_ms) } else { None })
    }

    #[test]
    fn an_answer_to_a_call_that_waited_is_taken_when_its_tool_is_known() {
        let always = Answer::Always { rule: "mcp__there__send".to_owned(), scope: Scope::Session };
        for answer in [Answer::AllowOnce, always.clone()] {
            let (mut agent, request) = resumed();
            let effects = agent.step(Millis(3), answered(request, answer));
            assert_eq!(effects, [Effect::Emit(Live::Discovering)]);
            let effects = agent.step(Millis(4), found());
            assert!(looks(&effects) && runs(&effects).is_none(), "it is looked at first: {effects:?}");
            assert!(!looks(&agent.step(Millis(4), found())), "and once");
            assert_eq!(runs(&agent.step(Millis(5), seen())), Some(77_000), "for as long as the tool may");
        }
        let (mut agent, request) = resumed();
        agent.step(Millis(3), answered(request, always));
        agent.step(Millis(3), answered(request, Answer::AllowOnce));
        agent.step(Millis(4), found());
        let effects = agent.step(Millis(5), seen());
        let rules = |e: &Effect| matches!(e, Effect::Append(e) if matches!(&e.body, Body::ApprovalDecided(d) if d.rule.is_some()));
        assert!(runs(&effects).is_some() && !effects.iter().any(rules), "the last answer counts");
    }

    #[test]
    fn a_no_needs_no_tool_and_esc_takes_an_early_answer_back() {
        let (mut agent, request) = resumed();
        agent.step(Millis(3), answered(request, Answer::Deny(String::new())));
        assert!(request_is_closed(&mut agent, request));
        let (mut agent, request) = resumed();
        agent.step(Millis(3), answered(request, Answer::AllowOnce));
        agent.step(Millis(3), Input::Intent(Intent::Abort));
        let effects = agent.step(Millis(4), found());
        assert!(runs(&effects).is_none() && agent.is_idle(), "{effects:?}");
    }

    #[test]
    fn a_call_whose_tool_is_not_there_any_more_is_over_when_that_is_known() {
        let (mut agent, request) = resumed();
        agent.step(Millis(3), answered(request, Answer::AllowOnce));
        let effects = agent.step(Millis(4), Input::Discovered(Discovered::default()));
        assert_eq!(result(&effects), Some(Outcome::UnknownTool));
        assert!(
            runs(&effects).is_none() && super::tests::request(&effects).is_some(),
            "the model hears of it"
        );
        let (agent, _) = resumed_while(false);
        let settled = |entry: &&std::sync::Arc<Entry>| matches!(&entry.body, Body::ToolResult(r) if r.outcome == Outcome::UnknownTool);
        assert!(agent.ledger().entries().iter().any(|entry| settled(&entry)), "nothing is looked for");
    }

    fn request_is_closed(agent: &mut Agent, request: EntryId) -> bool {
        let effects = agent.step(Millis(4), answered(request, Answer::Deny(String::new())));
        matches!(&effects[..], [Effect::Emit(Live::Undecided(of)), Effect::Emit(Live::Refused(_))] if *of == request)
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
