//! Whether the models of a race can be used, and take a seed: found out before anything starts, since a lane without its model would
//! have no session, and a seed that is not sent changes nothing.

use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::fault::{Fault, one_line};
use crate::config::models::{Table, reach};
use crate::ledger::ModelRef;
use crate::model::ModelSpec;
use crate::session::ports::{model_port, with_tool_calls};
use crate::ui::RaceWish;

/// Whether each model that the race names can be used, and takes its seeds.
///
/// # Errors
/// Which does not, or cannot be used, in one sentence.
pub(super) fn check_models(
    wish: &RaceWish,
    config: &Config,
    environment: &Environment,
) -> Result<(), String> {
    for name in &wish.models {
        let said = |fault: Fault| format!("{name} cannot be used: {}", one_line(&fault.message));
        let found = reach(&ModelRef::parse(name), config, environment, &Table::embedded());
        let choice = with_tool_calls(found.map_err(said)?, config);
        // As a lane does when it starts: a script is read by that, too.
        model_port(&choice, config).map_err(said)?;
        if !wish.seeds.is_empty() {
            takes_seed(&choice.spec)?;
        }
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
