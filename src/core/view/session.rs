//! What is so of the session as it runs: who answers, in which mode, what waits to be said. Facts of the process, which the
//! ledger does not keep; every front end reads them here.

use crate::agent::Live;
use crate::budget::Forecast;
use crate::ledger::{ModelRef, UserMessage};
use crate::model::{Effort, ToolCalls};
use crate::policy::Mode;
use crate::tool::BroughtTools;

use super::ViewSettings;

/// Facts that change while a session runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFacts {
    /// The model that answers, as `provider/name`.
    pub model: String,
    /// Its window, in tokens.
    pub window: u64,
    /// How hard it is told to think, if it is told.
    pub effort: Option<Effort>,
    /// The mode in force.
    pub mode: Mode,
    /// The mode of the session that started this one, if it is a sub-agent's and shown by itself: it takes no looser one.
    pub mode_above: Option<Mode>,
    /// How it calls tools.
    pub tool_calls: ToolCalls,
    /// The name that the user has given it: the ledger keeps this one.
    pub name: Option<String>,
    /// Hosts that commands in the sandbox may reach because the user said so in this session: the ledger keeps them.
    pub hosts: Vec<String>,
    /// What the sandbox cannot hide and the user accepted in this session: the ledger keeps it.
    pub gaps: Vec<String>,
    /// The tools of servers and agents, once they have been asked for them.
    pub brought: Option<BroughtTools>,
    /// The next request as it would be now, without the message that begins it.
    pub next: Option<Forecast>,
    /// Messages that will be delivered with the next tool results.
    pub steering: Vec<UserMessage>,
    /// Messages that wait for the end of the run.
    pub queued: Vec<UserMessage>,
}

impl SessionFacts {
    pub(super) fn new(settings: &ViewSettings) -> Self {
        Self {
            model: settings.model.clone(),
            window: settings.window,
            effort: settings.effort,
            mode: settings.mode,
            mode_above: None,
            tool_calls: settings.tool_calls,
            name: None,
            hosts: Vec::new(),
            gaps: Vec::new(),
            brought: None,
            next: None,
            steering: Vec::new(),
            queued: Vec::new(),
        }
    }

    pub(super) fn fold(&mut self, live: &Live) {
        match live {
            Live::ModeChanged(mode) => self.mode = *mode,
            Live::Answering { model, window, effort, tool_calls, waits, .. } => {
                self.effort = *effort;
                // One that waits answers from the next turn on.
                if !waits {
                    (self.model, self.window) = (model.to_string(), *window);
                    self.tool_calls = *tool_calls;
                }
            }
            Live::Next(next) => self.next = Some(*next),
            Live::Discovered(brought) => self.brought = Some(brought.clone()),
            Live::Waiting { steering, queued } => {
                self.steering.clone_from(steering);
                self.queued.clone_from(queued);
            }
            _ => {}
        }
    }

    /// The session began in this mode, if that is recorded.
    pub(super) fn begin_in(&mut self, mode: Option<Mode>) {
        self.mode = mode.unwrap_or(self.mode);
    }

    /// The window was learned to be smaller.
    pub(super) fn learn_window(&mut self, model: &ModelRef, most: u64) {
        if model.to_string() == self.model {
            self.window = self.window.min(most);
        }
    }
}

/// Whose session a view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Whose {
    /// A person's.
    #[default]
    Persons,
    /// That of a sub-agent of this process.
    Subagents,
    /// That of a sub-agent whose process is gone: it is only read.
    PastSubagents,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> SessionFacts {
        SessionFacts {
            model: "a/one".to_owned(),
            window: 100,
            effort: None,
            mode: Mode::Ask,
            mode_above: None,
            tool_calls: ToolCalls::Native,
            name: None,
            hosts: Vec::new(),
            gaps: Vec::new(),
            brought: None,
            next: None,
            steering: Vec::new(),
            queued: Vec::new(),
        }
    }

    fn answering(model: &str, waits: bool) -> Live {
        let (model, window, effort) = (ModelRef::parse(model), 50, Some(Effort::High));
        Live::Answering { model, window, effort, tool_calls: ToolCalls::InText, waits, said: None }
    }

    #[test]
    fn a_model_that_waits_does_not_answer_yet() {
        let mut now = facts();
        now.fold(&answering("b/two", true));
        assert_eq!((now.model.as_str(), now.window, now.effort), ("a/one", 100, Some(Effort::High)));
        assert_eq!(now.tool_calls, ToolCalls::Native);
        now.fold(&answering("b/two", false));
        assert_eq!(now.tool_calls, ToolCalls::InText);
        assert_eq!((now.model.as_str(), now.window), ("b/two", 50));
    }

    #[test]
    fn mode_and_what_waits_to_be_said_are_the_last_that_was_told() {
        let mut now = facts();
        now.fold(&Live::ModeChanged(Mode::Plan));
        let words = |text: &str| vec![UserMessage::from(text)];
        now.fold(&Live::Waiting { steering: words("soon"), queued: words("later") });
        assert_eq!((now.mode, &now.steering, &now.queued), (Mode::Plan, &words("soon"), &words("later")));
        now.fold(&Live::Waiting { steering: Vec::new(), queued: Vec::new() });
        assert!(now.steering.is_empty() && now.queued.is_empty());
    }

    #[test]
    fn a_window_is_learned_only_of_the_model_that_answers_and_only_smaller() {
        let mut now = facts();
        now.learn_window(&ModelRef::parse("b/two"), 10);
        assert_eq!(now.window, 100);
        now.learn_window(&ModelRef::parse("a/one"), 200);
        assert_eq!(now.window, 100);
        now.learn_window(&ModelRef::parse("a/one"), 10);
        assert_eq!(now.window, 10);
    }
}
