//! A goal as it was written, on its way to one that can be pursued: a refusal names what is missing.

use crate::ledger::{Goal, Validation};

use super::budget;
use super::vague::is_vague;

/// Model turns between two checkpoints, unless the goal says otherwise.
pub const EVERY_TURNS: u32 = 5;

/// What stops every goal.
const STOPS: [&str; 4] = [
    "the done condition holds",
    "only the user can say how to go on",
    "a budget is used up",
    "three checkpoints in a row without a tool call that worked",
];

/// The eight parts as a person gave them; what is empty was left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft {
    /// What is to be achieved.
    pub objective: String,
    /// When it is achieved, in words.
    pub done_condition: String,
    /// A command that proves it by exit code 0.
    pub command: String,
    /// Limits, as `20 turns, $2` or `max_model_turns = 20`.
    pub budget: String,
    /// Model turns between two checkpoints.
    pub checkpoints: Option<u32>,
    /// How to begin.
    pub current_plan: String,
    /// What was done already.
    pub progress_log: Vec<String>,
    /// When to stop, beyond what always stops it.
    pub stop_rules: Vec<String>,
}

impl Draft {
    /// The goal.
    ///
    /// # Errors
    /// One sentence: no objective, no done condition, several tasks in one, a budget that cannot be read.
    pub fn settle(self) -> Result<Goal, String> {
        let objective = self.objective.trim().to_owned();
        if objective.is_empty() {
            return Err("a goal needs an objective: say what to achieve".to_owned());
        }
        refuse_lists(&objective)?;
        if is_vague(&objective) {
            return Err(format!(
                "\"{objective}\" is too general: say what should change, as in `Make the parser accept \
                empty input`"
            ));
        }
        let command = self.command.trim().to_owned();
        let said = self.done_condition.trim();
        let quoted = said.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
        let (done_condition, validation_method) = match (said, command.as_str(), quoted) {
            ("", "", _) => {
                return Err(
                    "a goal needs a done condition: add a line `check: COMMAND` (done when it exits with 0), or \
                     `done: QUESTION` (the model is asked)"
                        .to_owned(),
                );
            }
            (_, "", Some(command)) => {
                (format!("`{command}` exits with 0"), Validation::Command(command.to_owned()))
            }
            (_, "", None) => (said.to_owned(), Validation::Question),
            ("", command, _) => {
                (format!("`{command}` exits with 0"), Validation::Command(command.to_owned()))
            }
            (said, command, _) => (said.to_owned(), Validation::Command(command.to_owned())),
        };
        if validation_method == Validation::Question && is_vague(&done_condition) {
            return Err(format!(
                "\"{done_condition}\" is not a yes-or-no question about something observable: name what \
                shows that it is done, or add a line `check: COMMAND`"
            ));
        }
        if self.checkpoints == Some(0) {
            return Err("checkpoints must be at least 1 (turns between checkpoints)".to_owned());
        }
        let own_rules = self.stop_rules.into_iter().filter(|rule| !rule.trim().is_empty());
        Ok(Goal {
            objective,
            done_condition,
            budget: budget::read(&self.budget)?,
            checkpoints: self.checkpoints.unwrap_or(EVERY_TURNS),
            current_plan: self.current_plan.trim().to_owned(),
            progress_log: self.progress_log,
            validation_method,
            stop_rules: STOPS.into_iter().map(str::to_owned).chain(own_rules).collect(),
        })
    }
}

/// A goal is one thing. A list of tasks has no one end that could be checked, and a backlog has none at all.
fn refuse_lists(objective: &str) -> Result<(), String> {
    let items = objective.lines().filter(|line| is_item(line)).count();
    let inline = objective.split(';').filter(|part| part.split_whitespace().count() > 1).count();
    let tasks = if items >= 2 {
        items
    } else if inline >= 3 {
        inline
    } else {
        0
    };
    if tasks > 0 {
        return Err(format!(
            "this is a list of {tasks} tasks, but a goal is one task: set the first, or state their common \
            objective and put the list under `plan:`"
        ));
    }
    let lower = objective.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    if words.any(|word| word == "backlog" || word == "todos") {
        return Err("a backlog is not a goal, because nothing defines when it is done; set one of its \
            tasks"
            .to_owned());
    }
    Ok(())
}

/// `- x`, `* x`, `• x`, `1. x`, `2) x`.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = after_number.len() < line.len() && after_number.starts_with(['.', ')']);
    numbered || ["- ", "* ", "• ", "+ "].iter().any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(objective: &str) -> Draft {
        Draft { objective: objective.to_owned(), command: "cargo test".to_owned(), ..Draft::default() }
    }

    #[test]
    fn a_command_proves_it_and_a_sentence_is_asked() {
        let by_command = draft("make the tests pass").settle().unwrap();
        assert_eq!(by_command.validation_method, Validation::Command("cargo test".to_owned()));
        assert_eq!(by_command.done_condition, "`cargo test` exits with 0");
        assert_eq!(by_command.checkpoints, EVERY_TURNS);
        let asked =
            Draft { command: String::new(), done_condition: "Is it clear?".to_owned(), ..draft("x y") };
        assert_eq!(asked.settle().unwrap().validation_method, Validation::Question);
        let quoted = Draft { command: String::new(), done_condition: "`make`".to_owned(), ..draft("x y") };
        assert_eq!(quoted.settle().unwrap().validation_method, Validation::Command("make".to_owned()));
    }

    #[test]
    fn without_an_end_it_is_refused() {
        let endless = Draft { command: " ".to_owned(), ..draft("improve the parser") };
        assert!(endless.settle().unwrap_err().contains("done condition"));
        assert!(draft("  ").settle().unwrap_err().contains("objective"));
        let never = Draft { checkpoints: Some(0), ..draft("x") };
        assert!(never.settle().is_err());
    }

    #[test]
    fn what_would_fit_any_goal_is_refused() {
        for vague in ["various improvements", "Improve everything"] {
            let why = draft(vague).settle().unwrap_err();
            assert!(why.contains("is too general"), "{vague}: {why}");
        }
        let asked = |question: &str| Draft {
            command: String::new(),
            done_condition: question.to_owned(),
            ..draft("improve the parser")
        };
        let why = asked("Is everything better?").settle().unwrap_err();
        assert!(why.contains("is not a yes-or-no question"), "{why}");
        assert!(asked("Does the parser accept empty input?").settle().is_ok());
        assert!(draft("improve the parser").settle().is_ok());
    }

    #[test]
    fn unrelated_tasks_are_refused() {
        for list in [
            "- fix the parser\n- write the docs",
            "Do:\n1. fix the parser\n2) write the docs",
            "fix the parser; write the docs; answer the mail",
            "work through the backlog",
        ] {
            let why = draft(list).settle().unwrap_err();
            assert!(why.contains("list of") || why.contains("backlog"), "{list}: {why}");
        }
        for one in
            ["fix the parser; keep its tests", "add a menu:\n- with one entry", "use 3.5 turns at most"]
        {
            assert!(draft(one).settle().is_ok(), "{one}");
        }
    }
}
