//! The six questions of a checkpoint, and who answers each: evidence before opinion.

use crate::ledger::{Answerer, Asked, Checkpoint, Goal, Validation};

/// What the loop knows at a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KnownFacts {
    /// How the validation command ended; `None` where there is none.
    pub validated: Option<Validated>,
    /// What was done since the last checkpoint, in words.
    pub done_since: String,
    /// The budgets, in words.
    pub budgets: String,
    /// The permission mode and what was asked or denied, in words.
    pub approvals: String,
    /// The size of the context, and whether a compaction is due, in words.
    pub context: String,
}

/// What the validation command showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validated {
    /// It exited with 0.
    pub holds: bool,
    /// The end of what it wrote.
    pub output: String,
}

/// The six questions of a checkpoint, answered as far as facts answer them.
pub fn checkpoint(number: u32, goal: &Goal, facts: &KnownFacts) -> Checkpoint {
    let asked = |question: &str, answer: Option<String>, by: Answerer| Asked {
        question: question.to_owned(),
        answer,
        by,
    };
    let (evidence, done) = match (&goal.validation_method, &facts.validated) {
        (Validation::Command(command), Some(seen)) => {
            let says = if seen.holds { "exits with 0" } else { "fails" };
            let evidence = format!("{}\n`{command}` {says}:\n{}", facts.done_since, seen.output);
            let done = if seen.holds { "yes" } else { "no" };
            ((evidence, Answerer::ValidationCommand), (Some(done.to_owned()), Answerer::ValidationCommand))
        }
        (Validation::Command(_) | Validation::Question, _) => {
            ((facts.done_since.clone(), Answerer::Ledger), (None, Answerer::Model))
        }
    };
    let questions = vec![
        asked("Is the objective still valid?", None, Answerer::Model),
        asked("What evidence proves progress?", Some(evidence.0), evidence.1),
        asked("Are we within budget?", Some(facts.budgets.clone()), Answerer::Budget),
        asked("Is the done condition met?", done.0, done.1),
        asked(
            "Is human approval needed before the next step?",
            Some(facts.approvals.clone()),
            Answerer::Policy,
        ),
        asked("Should compaction or handoff happen now?", Some(facts.context.clone()), Answerer::Context),
    ];
    Checkpoint { number, questions }
}
