//! Whether the models of a race take a seed: found out before anything starts, since a seed that is not sent changes nothing.

use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::fault::one_line;
use crate::config::models::{Table, reach};
use crate::ledger::ModelRef;
use crate::model::ModelSpec;
use crate::ui::RaceWish;

/// Whether each model that the race names takes its seeds.
///
/// # Errors
/// Which does not, or cannot be used, in one sentence.
pub(super) fn named_take_seeds(
    wish: &RaceWish,
    config: &Config,
    environment: &Environment,
) -> Result<(), String> {
    if wish.seeds.is_empty() {
        return Ok(());
    }
    for name in &wish.models {
        let found = reach(&ModelRef::parse(name), config, environment, &Table::embedded());
        let choice = found.map_err(|fault| format!("{name} cannot be used: {}", one_line(&fault.message)))?;
        takes_seed(&choice.spec)?;
    }
    Ok(())
}

/// Whether this one does.
///
/// # Errors
/// That it does not, in one sentence.
pub(crate) fn takes_seed(spec: &ModelSpec) -> Result<(), String> {
    spec.refusal_of_seed().map_or(Ok(()), Err)
}
