//! Models behind one port, each in the mode in which it calls tools.

use crate::config::fault::Fault;
use crate::config::models::{Choice, Way};
use crate::config::{Config, ToolCalling};
use crate::ledger::ModelRef;
use crate::runtime::{
    AutoToolMode, HttpModel, ModelPort, ModelRouter, RehearsalModel, RunningMode, ScriptedModel, StringModel,
    Timeouts, ToolMode,
};
use crate::wire::{script, string_mode};

/// One port for the whole chain, and how each of its models calls tools.
///
/// # Errors
/// Exit 2: a script that cannot be read.
pub(crate) fn router(
    choice: &Choice,
    config: &Config,
) -> Result<(ModelRouter, Vec<(ModelRef, RunningMode)>), Fault> {
    let (router, mut modes) = (ModelRouter::default(), Vec::new());
    for one in std::iter::once(choice).chain(&choice.fallback) {
        let (port, mode) = model_port(one, config)?;
        router.add(one.spec.model.clone(), port);
        modes.push((one.spec.model.clone(), mode));
    }
    Ok((router, modes))
}

/// The model in the mode that was asked for. `auto` goes by what is known about it, and by how a script is written.
///
/// # Errors
/// Exit 2: a script that cannot be read.
pub(crate) fn model_port(
    choice: &Choice,
    config: &Config,
) -> Result<(Box<dyn ModelPort>, RunningMode), Fault> {
    let tools = config.tools;
    let mut is_string = match tools {
        ToolCalling::Auto => choice.spec.abilities.tools == Some(false),
        ToolCalling::Native => false,
        ToolCalling::String => true,
    };
    let model: Box<dyn ModelPort> = match &choice.way {
        // It speaks no other way.
        Way::Rehearsal => return Ok((Box::new(RehearsalModel::default()), RunningMode::new(false))),
        Way::Script(text) => {
            let replies = script::parse(text).map_err(|why| {
                Fault::usage(format!("the script cannot be read: {why}"), "mend that element")
            })?;
            is_string |=
                tools == ToolCalling::Auto && replies.iter().any(|reply| string_mode::has_calls(&reply.text));
            Box::new(ScriptedModel::new(replies, if is_string { ToolMode::String } else { ToolMode::Native }))
        }
        Way::Server(connection) => Box::new(HttpModel::through(
            connection.protocol,
            connection.endpoint(),
            Timeouts::default(),
            config.network.clone(),
        )),
    };
    Ok(match tools {
        ToolCalling::Native => (model, RunningMode::new(false)),
        ToolCalling::String => (Box::new(StringModel::new(model)), RunningMode::new(true)),
        ToolCalling::Auto => {
            let model = AutoToolMode::new(model, is_string);
            let mode = model.mode();
            (Box::new(model), mode)
        }
    })
}
