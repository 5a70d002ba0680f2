//! Where in a session something is that a sub-agent may have done: the calls that lead there.

use std::fmt;

use crate::ledger::CallId;

use super::{Event, Intent, Live};

/// The calls that lead from a session to that of a sub-agent, outermost first; none: the session itself.
pub type SubagentPath = Vec<CallId>;

/// A call of a session or of its sub-agents. Calls are numbered session by session, so the number alone may mean several.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallAddress {
    /// The session.
    pub path: SubagentPath,
    /// The call in it.
    pub call: CallId,
}

impl CallAddress {
    /// Reads what [`fmt::Display`] writes, and nothing else.
    pub fn parse(text: &str) -> Option<Self> {
        let mut path = text.split('/').map(CallId::parse).collect::<Option<SubagentPath>>()?;
        let call = path.pop()?;
        let address = Self { path, call };
        (address.to_string() == text).then_some(address)
    }
}

impl fmt::Display for CallAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.iter().try_for_each(|call| write!(out, "{call}/"))?;
        write!(out, "{}", self.call)
    }
}

impl Event {
    /// What happened, without the sessions around it, and in which of them.
    pub fn located(&self) -> (SubagentPath, &Self) {
        let (mut path, mut event) = (SubagentPath::new(), self);
        while let Self::Live(Live::Subagent { call, event: inner }) = event {
            path.push(*call);
            event = inner;
        }
        (path, event)
    }

    /// Whether it is a piece of what a sub-agent says or writes.
    pub fn is_said_below(&self) -> bool {
        let (path, event) = self.located();
        let is_said =
            matches!(event, Self::Live(Live::Text { .. } | Live::Thinking { .. } | Live::CallForming { .. }));
        !path.is_empty() && is_said
    }
}

impl Intent {
    /// The line that was typed for it.
    pub fn line(&self) -> Option<&str> {
        if let Self::Typed { line, .. } = self {
            return Some(line);
        }
        let Self::Subagent { intent, .. } = self else { return None };
        intent.line()
    }

    /// The same, for which this line was typed in a session to which so many calls lead.
    #[must_use]
    pub fn typed(self, line: String, depth: usize) -> Self {
        if depth > 0
            && let Self::Subagent { call, intent } = self
        {
            return Self::Subagent { call, intent: Box::new(intent.typed(line, depth - 1)) };
        }
        Self::Typed { line, intent: Box::new(self) }
    }

    /// What is told before this is refused, if it is a decision: the request that stays as it is, in its session.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only a decision answers a request")]
    pub fn undecided(&self) -> Option<Live> {
        match self {
            Self::Decide { request, .. } => Some(Live::Undecided(*request)),
            Self::Typed { intent, .. } => intent.undecided(),
            Self::Subagent { call, intent } => {
                let event = Box::new(Event::Live(intent.undecided()?));
                Some(Live::Subagent { call: *call, event })
            }
            _ => None,
        }
    }

    /// The same, wanted of the session at the end of this path.
    #[must_use]
    pub fn within(self, path: &[CallId]) -> Self {
        path.iter().rev().fold(self, |intent, call| Self::Subagent { call: *call, intent: Box::new(intent) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::{Agent, Effect, Input, OwnCommand, Settings};
    use crate::ledger::{EntryId, Millis, ModelRef};
    use crate::model::ModelSpec;
    use crate::policy::Mode;

    #[test]
    fn an_address_is_read_as_it_is_written_and_in_no_other_form() {
        let deep = CallAddress { path: vec![CallId(7), CallId(2)], call: CallId(3) };
        assert_eq!(deep.to_string(), "c7/c2/c3");
        assert_eq!(CallAddress::parse("c7/c2/c3"), Some(deep));
        assert_eq!(CallAddress::parse("c3"), Some(CallAddress { path: Vec::new(), call: CallId(3) }));
        for other in ["", "/", "c7/", "/c3", "c7//c3", "c07/c3", "c7/c+3", "c7 /c3", "7/3", "c7-c3"] {
            assert_eq!(CallAddress::parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_refusal_in_the_session_of_a_sub_agent_names_the_call_by_the_whole_way() {
        let answer = crate::agent::Answer::Deny(String::new());
        let late = Intent::Decide { request: crate::ledger::EntryId(4), call: CallId(1), answer };
        for (path, named) in [(vec![], "call c1 is"), (vec![CallId(2)], "call c2/c1 is")] {
            let settings = Settings::new(ModelSpec::unknown(ModelRef::parse("script")));
            let mut agent = Agent::new(Settings { path, ..settings });
            let said = agent.step(Millis(1), Input::Intent(late.clone()));
            let [Effect::Emit(Live::Undecided(request)), Effect::Emit(Live::Refused(why)), ..] = &said[..]
            else {
                panic!("{said:?}")
            };
            assert!(why.contains(named), "{why}");
            assert_eq!(Some(Live::Undecided(*request)), late.undecided(), "and its request");
        }
        let below = late.within(&[CallId(7)]).typed("/deny c1".to_owned(), 1);
        let named = Event::Live(below.undecided().unwrap());
        assert_eq!(
            named.located(),
            (vec![CallId(7)], &Event::Live(Live::Undecided(crate::ledger::EntryId(4))))
        );
        assert_eq!(Intent::Compact.within(&[CallId(7)]).undecided(), None);
        let mut agent = Agent::new(Settings::new(ModelSpec::unknown(ModelRef::parse("script"))));
        let other = agent.step(Millis(1), Input::Intent(Intent::Rename("x".to_owned())));
        let is_named = |effect: &Effect| matches!(effect, Effect::Emit(Live::Undecided(_)));
        assert!(!other.iter().any(is_named), "what else is refused is no decision: {other:?}");
    }

    #[test]
    fn events_come_out_and_wishes_go_in_by_the_same_path() {
        let told = |call, event| Event::Live(Live::Subagent { call: CallId(call), event: Box::new(event) });
        let event = told(7, told(2, Event::Live(Live::Discovering)));
        let (path, inner) = event.located();
        assert_eq!(
            (path.as_slice(), inner),
            ([CallId(7), CallId(2)].as_slice(), &Event::Live(Live::Discovering))
        );
        let inner = Intent::Subagent { call: CallId(2), intent: Box::new(Intent::Abort) };
        let outer = Intent::Subagent { call: CallId(7), intent: Box::new(inner) };
        assert_eq!(Intent::Abort.within(&path), outer);
        assert_eq!(Intent::Abort.within(&[]), Intent::Abort);
    }

    #[test]
    fn a_line_comes_back_if_what_it_asks_for_is_refused_and_only_then() {
        let mut agent = Agent::new(Settings::new(ModelSpec::unknown(ModelRef::parse("script"))));
        let own = OwnCommand::read("!!git diff").unwrap();
        let mut told = |intent: Intent, line: &str| -> Vec<Live> {
            let wanted = agent.step(Millis(1), Input::Intent(intent.typed(line.to_owned(), 0)));
            let told =
                wanted.into_iter().filter_map(|e| if let Effect::Emit(live) = e { Some(live) } else { None });
            told.filter(|live| {
                matches!(
                    live,
                    Live::Refused(_) | Live::Returned(_) | Live::ReturnedLine(_) | Live::ModeChanged(_)
                )
            })
            .collect()
        };
        for (intent, line) in [
            (Intent::Rename("x".to_owned()), "/rename x"),
            (Intent::Command(own), "/diff git"),
            (Intent::Revoke(CallId(9)), "/permissions revoke c9"),
            (Intent::Compact, "/compact"),
        ] {
            let told = told(intent, line);
            let returned = Live::ReturnedLine(line.into());
            assert!(matches!(&told[..], [back, Live::Refused(_)] if *back == returned), "{line}: {told:?}");
        }
        let told = told(Intent::SetMode(Mode::Plan), "/mode plan");
        assert!(matches!(&told[..], [Live::ModeChanged(_)]), "{told:?}");
    }

    #[test]
    fn a_line_stands_in_the_session_in_which_it_was_typed() {
        let line = || "/compact".to_owned();
        let typed = |intent| Intent::Typed { line: line(), intent: Box::new(intent) };
        let below = |intent| Intent::Subagent { call: CallId(7), intent: Box::new(intent) };
        assert_eq!(below(Intent::Compact).typed(line(), 1), below(typed(Intent::Compact)));
        assert_eq!(below(Intent::Abort).typed(line(), 0), typed(below(Intent::Abort)));
        assert_eq!(below(typed(Intent::Compact)).line(), Some("/compact"));
    }

    #[test]
    fn pieces_of_what_subagents_say_are_told_from_news() {
        let text = || Event::Live(Live::Text { message: EntryId(4), text: "a piece".to_owned() });
        let below = |event| Event::Live(Live::Subagent { call: CallId(2), event: Box::new(event) });
        assert!(!text().is_said_below(), "the session itself says it");
        assert!(below(text()).is_said_below() && below(below(text())).is_said_below());
        let waits = Event::Live(Live::SubagentWaits { call: CallId(3), waits: true });
        assert!(!below(waits.clone()).is_said_below() && !waits.is_said_below());
    }
}
