//! The rules of goals: reached by their evidence only, and handed off otherwise.

use countersign::ledger::{Ending, Goal, Validation};

/// A goal under way.
#[derive(Default, Clone)]
pub struct Pursuit {
    pub goal: Option<Goal>,
    /// The last validation exited with 0.
    pub proved: bool,
    pub handed_off: bool,
}

/// A goal is reached by its evidence only, and every other end of its run says where it stopped.
pub fn end_pursuit(pursuit: Option<&mut Pursuit>, reason: Ending) -> Result<(), String> {
    let Some(pursuit) = pursuit else {
        return if reason == Ending::GoalReached {
            Err("a goal is reached that none set".into())
        } else {
            Ok(())
        };
    };
    let by_command =
        matches!(&pursuit.goal, Some(goal) if matches!(goal.validation_method, Validation::Command(_)));
    let handed_off = std::mem::take(&mut pursuit.handed_off);
    match reason {
        Ending::GoalReached if by_command && !pursuit.proved => {
            Err("a goal is reached and its command did not say so".into())
        }
        Ending::GoalReached => Ok(()),
        _ if handed_off => Ok(()),
        _ => Err(format!("a goal's run ended by {} without a handoff", reason.as_str())),
    }
}
