//! The written form of a goal: lines of `name: value`; what stands before the first name is the objective.

use crate::ledger::Goal;

use super::Draft;

/// How a goal is written, for messages and help.
pub const USAGE: &str = "OBJECTIVE, then lines such as `check: cargo test` or `done: QUESTION`, `budget: 20 turns, $2`, \
                         `plan: …`, `stop: …`; on one line put ` | ` between them";

/// The part of a goal that a line gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GoalPart {
    Objective,
    Done,
    Command,
    Budget,
    Checkpoints,
    Plan,
    Progress,
    Stop,
}

impl GoalPart {
    fn parse(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase().replace(['_', '-'], " ");
        Some(match name.as_str() {
            "objective" | "goal" => Self::Objective,
            "done" | "done condition" | "done when" | "until" | "question" => Self::Done,
            "check" | "validation" | "validation method" | "validation command" | "validate" | "command" => {
                Self::Command
            }
            "budget" => Self::Budget,
            "checkpoints" | "checkpoint" | "every" => Self::Checkpoints,
            "plan" | "current plan" => Self::Plan,
            "progress" | "progress log" => Self::Progress,
            "stop" | "stop rules" | "stop rule" | "stop when" => Self::Stop,
            _ => return None,
        })
    }
}

/// Reads a goal.
///
/// # Errors
/// One sentence that says what is missing or wrong.
pub fn read(text: &str) -> Result<Goal, String> {
    let mut draft = Draft::default();
    let mut part = GoalPart::Objective;
    for line in lines(text) {
        let named = line.split_once(':').and_then(|(name, rest)| Some((GoalPart::parse(name)?, rest)));
        let value = match named {
            Some((next, _)) if next == GoalPart::Objective && !draft.objective.trim().is_empty() => {
                return Err("this has two objectives, but a goal has one: set the first".to_owned());
            }
            Some((next, rest)) => {
                part = next;
                rest
            }
            None => line,
        };
        add(&mut draft, part, value)?;
    }
    draft.settle()
}

/// The lines; on a single line ` | ` separates parts, but only where a name follows: a command may hold pipes.
fn lines(text: &str) -> Vec<&str> {
    let text = text.trim();
    if text.contains('\n') {
        return text.lines().collect();
    }
    let mut lines = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(found) = rest.get(from..).and_then(|tail| tail.find(" | ")) {
        let at = from + found;
        let (before, after) = (rest.get(..at).unwrap_or_default(), rest.get(at + 3..).unwrap_or_default());
        if after.split_once(':').is_some_and(|(name, _)| GoalPart::parse(name).is_some()) {
            lines.push(before);
            rest = after;
            from = 0;
        } else {
            from = at + 3;
        }
    }
    lines.push(rest);
    lines
}

fn add(draft: &mut Draft, part: GoalPart, value: &str) -> Result<(), String> {
    let value = value.trim();
    let join = |text: &mut String| {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(value);
    };
    match part {
        GoalPart::Objective => join(&mut draft.objective),
        GoalPart::Done => join(&mut draft.done_condition),
        GoalPart::Command if value.is_empty() => {}
        GoalPart::Command => join(&mut draft.command),
        GoalPart::Budget => join(&mut draft.budget),
        GoalPart::Plan => join(&mut draft.current_plan),
        GoalPart::Progress | GoalPart::Stop if value.is_empty() => {}
        GoalPart::Progress => draft.progress_log.push(value.to_owned()),
        GoalPart::Stop => draft.stop_rules.push(value.to_owned()),
        GoalPart::Checkpoints if value.is_empty() => {}
        GoalPart::Checkpoints => {
            let number = value.split_whitespace().next().and_then(|word| word.parse().ok());
            let bad = || format!("checkpoints `{value}` is not a number of turns, such as 5");
            draft.checkpoints = Some(number.ok_or_else(bad)?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Validation;

    #[test]
    fn all_eight_parts_are_read() {
        let goal = read(
            "Make the parser accept\nempty input\n\nDone condition: every test of the parser passes\ncheck: cargo test parser\n\
             budget: 20 turns, $2\ncheckpoints: 3 turns\nplan:\n- read the parser\n- write a test\nprogress: a test exists\n\
             stop: when the grammar must change\n",
        )
        .unwrap();
        assert_eq!(goal.objective, "Make the parser accept\nempty input");
        assert_eq!(goal.done_condition, "every test of the parser passes");
        assert_eq!(goal.validation_method, Validation::Command("cargo test parser".to_owned()));
        assert_eq!(goal.budget.len(), 2);
        assert_eq!(goal.checkpoints, 3);
        assert_eq!(goal.current_plan, "- read the parser\n- write a test");
        assert_eq!(goal.progress_log, ["a test exists"]);
        assert!(goal.stop_rules.contains(&"when the grammar must change".to_owned()));
    }

    #[test]
    fn one_line_is_enough_and_pipes_stay_in_commands() {
        let goal = read("count the tests | check: cargo test | grep ok | budget: 3 turns").unwrap();
        assert_eq!(goal.objective, "count the tests");
        assert_eq!(goal.validation_method, Validation::Command("cargo test | grep ok".to_owned()));
        assert_eq!(goal.budget, [(crate::ledger::Limit::Turns, 3)]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(read("improve the parser").unwrap_err().contains("done condition"));
        assert!(read("objective: a\nobjective: b\ncheck: x").unwrap_err().contains("two objectives"));
        assert!(read("a b\ncheck: x\ncheckpoints: soon").unwrap_err().contains("soon"));
        assert!(read("").unwrap_err().contains("objective"));
    }
}
