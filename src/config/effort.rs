//! Whether the chosen model takes the effort that was asked for: an error where it was asked for this time, a notice
//! where it stands in a file for all models.

use super::fault::Fault;
use super::models::Choice;
use crate::config::Config;
use crate::model::Effort;

/// What a person should be told about the effort. Models to fall back to get the nearest level that they take, without
/// a word: nobody chose it for them.
///
/// # Errors
/// Exit 2: `--effort` (or `-c effort=…`) names a level that the model is known not to take.
pub(crate) fn check(config: &Config, choice: &Choice) -> Result<Option<String>, Fault> {
    let Some(asked) = config.effort else { return Ok(None) };
    let (abilities, model) = (&choice.spec.abilities, &choice.spec.model);
    let given = abilities.effort(asked);
    if given == Some(asked) {
        return Ok(None);
    }
    let taken = abilities.efforts();
    let source = config.source("effort");
    if source.is_flag() {
        let wrong = format!("{source}: {model} does not support the effort `{asked}`");
        return Err(Fault::usage(wrong, advice(&taken)));
    }
    Ok(Some(match given {
        Some(level) => format!(
            "{model} does not support the effort `{asked}` from {source}; `{level}` is \
            used instead."
        ),
        None => format!("{model} does not reason, so the effort `{asked}` of {source} is ignored."),
    }))
}

fn advice(taken: &[Effort]) -> String {
    if taken.is_empty() {
        return "remove --effort: this model does not reason".to_owned();
    }
    let names: Vec<&str> = taken.iter().map(|level| level.as_str()).collect();
    format!("use one of {}", names.join(", "))
}
