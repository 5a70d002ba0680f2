//! What goes back to a person whose wish is not carried out.

use super::event::{Event, Live};
use super::input::Intent;
use crate::ledger::UserMessage;
use crate::policy::Mode;

impl Intent {
    /// The mode that is wanted here, and not further down.
    pub(super) fn wanted_mode(&self) -> Option<Mode> {
        let mut wanted = self;
        while let Self::Typed { intent, .. } = wanted {
            wanted = intent;
        }
        if let Self::SetMode(mode) = wanted { Some(*mode) } else { None }
    }

    /// The words that must not be lost when it is refused, told where they were typed; `None`: it has none.
    pub fn given_back(self) -> Option<Live> {
        let line: UserMessage = match self {
            Self::Submit(said) | Self::Queue(said) | Self::Pursue(_, said) | Self::ResumeGoal(said) => {
                return (!said.content.is_empty()).then(|| Live::Returned(vec![said.without_attachments()]));
            }
            Self::Subagent { call, intent } => {
                let event = Box::new(Event::Live(intent.given_back()?));
                return Some(Live::Subagent { call, event });
            }
            Self::SetModel(spec) => format!("/model {}", spec.model).into(),
            Self::Command(own) => match own.then {
                // People see it as what was typed for both.
                Some(said) => return Some(Live::Returned(vec![said.without_attachments()])),
                None => own.said(),
            },
            Self::Typed { line, .. } => line.into(),
            Self::Race(race) => race.line.into(),
            Self::Adopt(adoption) => adoption.line.into(),
            Self::Compact
            | Self::Abort
            | Self::Decide { .. }
            | Self::Raise { .. }
            | Self::AcceptPrice { .. }
            | Self::SetEffort(_)
            | Self::Restored(_)
            | Self::Revoke(_)
            | Self::OpenHost(_)
            | Self::CloseHost(_)
            | Self::AcceptGaps { .. }
            | Self::RefuseGaps
            | Self::Rewind { .. }
            | Self::Rename(_)
            | Self::StopBackground(_)
            | Self::SetMode(_)
            | Self::TypeInto { .. } => return None,
        };
        Some(Live::ReturnedLine(line))
    }
}

impl Event {
    /// Whether it gives back what a person typed, or says why, in whichever session.
    pub(super) fn gives_back(&self) -> bool {
        let (_, event) = self.located();
        matches!(event, Self::Live(Live::Returned(_) | Live::ReturnedLine(_) | Live::Refused(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::{Agent, Effect, Input, OwnCommand, Settings, SubagentNews};
    use crate::ledger::{CallId, Millis, ModelRef, Pastes};
    use crate::model::ModelSpec;

    #[test]
    fn words_that_were_on_their_way_to_a_sub_agent_that_is_settled_go_back() {
        let mut agent = Agent::new(Settings::new(ModelSpec::unknown(ModelRef::parse("script"))));
        let mut told = |live: Live| {
            let news = SubagentNews::Told(Box::new(Event::Live(live)));
            let effects = agent.step(Millis(1), Input::Subagent(CallId(3), news));
            effects
                .iter()
                .any(|effect| matches!(effect, Effect::Emit(Live::Subagent { call: CallId(3), .. })))
        };
        assert!(told(Live::Returned(vec!["look there, too".into()])));
        assert!(told(Live::ReturnedLine("/compact".into())));
        assert!(told(Live::Refused("it has ended".to_owned())));
        assert!(!told(Live::Discovering), "nothing else is news");
    }

    #[test]
    fn a_command_that_runs_something_first_goes_back_with_what_was_pasted() {
        let text = "/tidy @/countersign-clipboard-1/a.png";
        let typed = UserMessage { pastes: Pastes::of(text, vec![(6, text.len())]), ..text.into() };
        let (command, back) = (String::new(), Live::ReturnedLine(typed.clone()));
        let own =
            OwnCommand { command, is_shared: true, typed: Some(typed), must_succeed: false, then: None };
        assert_eq!(Intent::Command(own.clone()).given_back(), Some(back.clone()));
        let mut agent = Agent::new(Settings::new(ModelSpec::unknown(ModelRef::parse("script"))));
        let effects = agent.step(Millis(1), Input::Intent(Intent::Command(own)));
        assert!(effects.contains(&Effect::Emit(back)), "the loop refuses it: {effects:?}");
    }

    #[test]
    fn words_go_back_to_the_session_in_which_they_were_typed() {
        let said = Intent::Submit("look there, too".into());
        let Some(Live::Subagent { call: CallId(3), event }) =
            said.within(&[CallId(3), CallId(7)]).given_back()
        else {
            panic!("they are lost");
        };
        let Event::Live(Live::Subagent { call: CallId(7), event }) = *event else { panic!("{event:?}") };
        assert_eq!(*event, Event::Live(Live::Returned(vec!["look there, too".into()])));
        assert_eq!(Intent::Abort.within(&[CallId(3)]).given_back(), None);
    }
}
