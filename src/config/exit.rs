//! Exit codes as a type.

use std::process::ExitCode;

use crate::ledger::{Ending, EndingKind};

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: the work was completed.
    Completed,
    /// 1: an error of ours or of the model.
    Failed,
    /// 2: wrong usage or configuration.
    Usage,
    /// 3: a budget ended it.
    Budget,
    /// 4: an approval was needed, or policy said no.
    Approval,
    /// 130: interrupted, as shells write SIGINT.
    Interrupted,
}

impl Exit {
    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Self::Completed => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Budget => 3,
            Self::Approval => 4,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

impl From<Ending> for Exit {
    fn from(ending: Ending) -> Self {
        match ending.kind() {
            EndingKind::Completed => Self::Completed,
            EndingKind::Budget => Self::Budget,
            EndingKind::Interrupted => Self::Interrupted,
            EndingKind::NeedsPerson => Self::Approval,
            EndingKind::Failed => Self::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_has_its_code() {
        let table = [
            ("completed", 0),
            ("max_turns", 3),
            ("max_tool_calls", 3),
            ("wall_time", 3),
            ("max_input_tokens", 3),
            ("max_output_tokens", 3),
            ("max_cost", 3),
            ("token_budget", 3),
            ("aborted_streaming", 130),
            ("aborted_tools", 130),
            ("stop_hook_prevented", 4),
            ("prompt_too_long", 1),
            ("model_error", 1),
            ("model_refused", 1),
            ("no_final_answer_or_tool_call", 1),
            ("repeated_failures", 1),
            ("approval_required", 4),
            ("policy_denied", 4),
            ("price_asked", 4),
            ("blocked_on_user", 4),
            ("tool_unavailable", 1),
            ("output_cut_off", 1),
            ("goal_reached", 0),
            ("invalid_answer", 1),
        ];
        let real: Vec<(&str, u8)> =
            Ending::ALL.iter().copied().map(|e| (e.as_str(), Exit::from(e).code())).collect();
        assert_eq!(real, table);
    }

    #[test]
    fn zero_means_completed_and_three_means_a_budget() {
        for ending in Ending::ALL.iter().copied() {
            assert_eq!(Exit::from(ending) == Exit::Completed, ending.completed(), "{ending:?}");
            assert_eq!(Exit::from(ending) == Exit::Budget, ending.is_budget(), "{ending:?}");
            assert_eq!(Exit::from(ending) == Exit::Interrupted, ending.interrupted(), "{ending:?}");
        }
    }
}
