//! Reads the goal of `--goal FILE`: TOML, JSON, or the lines that `/goal` takes.

use std::path::Path;

use serde::Deserialize;

use super::fault::Fault;
use super::reading::{self, Reading};
use crate::goal::{self, Draft};
use crate::ledger::Goal;

/// Most bytes of a goal.
const MOST_BYTES: u64 = 256 * 1024;

/// The eight parts as TOML or JSON spell them.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct GoalFile {
    #[serde(alias = "goal")]
    objective: String,
    #[serde(alias = "done", alias = "done_when", alias = "question")]
    done_condition: String,
    #[serde(alias = "validation", alias = "check", alias = "command", alias = "validation_command")]
    validation_method: Option<Method>,
    budget: Option<Budget>,
    #[serde(alias = "every_turns")]
    checkpoints: Option<Checkpoints>,
    #[serde(alias = "plan")]
    current_plan: GoalLines,
    #[serde(alias = "progress")]
    progress_log: GoalLines,
    #[serde(alias = "stop")]
    stop_rules: GoalLines,
}

/// A command alone, or `{ command = "…" }`, or `{ question = "…" }`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Method {
    Command(String),
    Named { command: Option<String>, question: Option<String> },
}

/// `"20 turns, $2"`, or a table with the names of the configuration.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Budget {
    Words(String),
    Names(std::collections::BTreeMap<String, toml::Value>),
}

/// `5`, or `{ every_turns = 5 }`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Checkpoints {
    Every(u32),
    Named { every_turns: u32 },
}

/// One text, or a list of them.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum GoalLines {
    One(String),
    Many(Vec<String>),
}

impl Default for GoalLines {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl GoalLines {
    fn all(self) -> Vec<String> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts,
        }
    }
}

/// Reads a goal.
///
/// # Errors
/// Exit 2: a file that is not there or cannot be read, or a goal that is none, with what to change.
pub(crate) fn read(file: &Path) -> Result<Goal, Fault> {
    let cannot = |why: &str| {
        Fault::usage(format!("cannot read the goal {}: {why}", file.display()), "check --goal FILE")
    };
    let text = match reading::read(file, MOST_BYTES) {
        Reading::Text { text, cut: false } => text,
        Reading::Text { .. } => return Err(cannot("it is too large")),
        Reading::Absent => return Err(cannot("there is no such file")),
        Reading::Refused(why) => return Err(cannot(&why)),
    };
    parse(&text).map_err(|why| {
        let next = format!("write {}; or use the same names as TOML: objective = \"…\"", goal::USAGE);
        Fault::usage(format!("{}: {why}", file.display()), next)
    })
}

fn parse(text: &str) -> Result<Goal, String> {
    if text.trim_start().starts_with('{') {
        let file: GoalFile = serde_json::from_str(text).map_err(|why| why.to_string())?;
        return settle(file);
    }
    match text.parse::<toml::Table>() {
        // Lines of `name: value` are no TOML, and no TOML file of a goal goes without an equals sign.
        Err(why) if text.lines().any(|line| line.trim_start().starts_with("objective =")) => {
            Err(why.to_string())
        }
        Err(_) => goal::read(text),
        Ok(table) => settle(table.try_into().map_err(|why: toml::de::Error| why.to_string())?),
    }
}

fn settle(file: GoalFile) -> Result<Goal, String> {
    let (command, question) = match file.validation_method {
        None => (String::new(), None),
        Some(Method::Command(command)) => (command, None),
        Some(Method::Named { command, question }) => (command.unwrap_or_default(), question),
    };
    let done_condition =
        if file.done_condition.is_empty() { question.unwrap_or_default() } else { file.done_condition };
    let budget = match file.budget {
        None => String::new(),
        Some(Budget::Words(words)) => words,
        Some(Budget::Names(names)) => {
            names.iter().map(|(name, most)| format!("{name} = {most}")).collect::<Vec<_>>().join(", ")
        }
    };
    let checkpoints = file.checkpoints.map(|every| match every {
        Checkpoints::Every(turns) | Checkpoints::Named { every_turns: turns } => turns,
    });
    Draft {
        objective: file.objective,
        done_condition,
        command,
        budget,
        checkpoints,
        current_plan: file.current_plan.all().join("\n"),
        progress_log: file.progress_log.all(),
        stop_rules: file.stop_rules.all(),
    }
    .settle()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Validation;

    #[test]
    fn toml_json_and_lines_say_the_same() {
        let toml = "objective = \"fix it\"\ndone_condition = \"tests pass\"\ncheckpoints = 2\ncurrent_plan = [\"read\", \"mend\"]\n\
                    [validation_method]\ncommand = \"make test\"\n[budget]\nmax_model_turns = 9\nmax_total_cost = 1.5\n";
        let json = r#"{"objective":"fix it","done_condition":"tests pass","checkpoints":{"every_turns":2},
            "current_plan":"read\nmend","validation_method":"make test","budget":"9 turns, $1.5"}"#;
        let lines = "fix it\ndone: tests pass\ncheck: make test\nbudget: 9 turns, $1.5\ncheckpoints: 2\nplan: read\nmend";
        let goals = [toml, json, lines].map(|text| parse(text).unwrap());
        assert_eq!(goals[0], goals[1]);
        assert_eq!(goals[0], goals[2]);
        assert_eq!(goals[0].validation_method, Validation::Command("make test".to_owned()));
        assert_eq!(goals[0].budget[1].1, 1_500_000);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, named) in [
            ("objective = \"x\"", "done condition"),
            ("objective = \"x\"\ncolour = 1\ndone = \"y\"", "colour"),
            ("objective = x", "objective"),
            ("{\"objective\": 1}", "expected a string"),
            ("", "objective"),
            ("objective = \"x y\"\ndone = \"y\"\nbudget = { max_turns = 1 }", "max_turns"),
        ] {
            let why = parse(text).unwrap_err();
            assert!(why.contains(named), "{text}: {why}");
        }
    }
}
