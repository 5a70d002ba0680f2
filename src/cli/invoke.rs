//! What a command works with: its folder, and the configuration there.

use std::path::{Path, PathBuf};

use crate::config::environment::Environment;
use crate::config::fault::Fault;
use crate::config::{self, CommandLineSetting, Flags, Invocation, goal, logging};

/// Reads the configuration and begins the logs. `on_approval` is a flag of `exec` alone.
pub(super) fn invoke(
    flags: &Flags,
    environment: Environment,
    on_approval: Option<String>,
) -> Result<Invocation, Fault> {
    let cwd = folder(flags.cd.as_deref())?;
    let mut given = flags.given();
    given.extend(on_approval.map(|value| CommandLineSetting::Flag {
        flag: "--on-approval",
        key: "on_approval",
        value,
    }));
    let config = config::load(&cwd, &environment, &given)?;
    logging::start(environment.state_dir().as_deref(), &config.log);
    let goal = flags.goal.as_deref().map(goal::read).transpose()?;
    Ok(Invocation { goal, ..Invocation::new(cwd, environment, config) })
}

/// The folder to work in.
pub(super) fn folder(wanted: Option<&Path>) -> Result<PathBuf, Fault> {
    let path = wanted.unwrap_or_else(|| Path::new("."));
    match path.canonicalize() {
        Ok(folder) if folder.is_dir() => Ok(folder),
        Ok(_) => {
            Err(Fault::usage(format!("{} is not a folder", path.display()), "name a folder with -C DIR"))
        }
        Err(error) => Err(Fault::usage(
            format!("cannot work in {}: {error}", path.display()),
            "name a folder that exists with -C DIR",
        )),
    }
}
