//! Where a provider's key is: a variable, a command, a file. A key is read when it is needed, and never shown.

mod command;
mod file;

use std::path::{Path, PathBuf};

use super::presets::Preset;
use crate::config::Provider;
use crate::config::connection::Secret;
use crate::config::environment::Environment;
use crate::config::fault::Fault;

/// Where a key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeyOrigin {
    /// A variable of the environment, which is set.
    Variable(String),
    /// The `api_key_command` of the configuration.
    Command(Secret),
    /// The `api_key_file` of the configuration.
    File(PathBuf),
    /// Our own file of keys, under the provider's name.
    KeysFile(PathBuf),
}

/// What is known about a provider's key before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// It is here.
    At(KeyOrigin),
    /// It wants one, and this variable is not set.
    Missing(String),
    /// It wants none.
    Unneeded,
}

/// Looks for the key without reading it. What the user says about this provider comes first, then the provider's
/// usual variable, then our file of keys.
///
/// # Errors
/// A file of keys that others can read, or that cannot be read.
pub(super) fn find(
    provider: &str,
    said: &Provider,
    preset: Option<&Preset>,
    environment: &Environment,
) -> Result<Found, Fault> {
    let is_set = |variable: &&str| environment.secret(variable).is_some();
    let usual = preset.and_then(|preset| preset.key);
    if let Some(variable) = said.api_key_env.as_deref().filter(is_set) {
        return Ok(Found::At(KeyOrigin::Variable(variable.to_owned())));
    }
    if let Some(command) = &said.api_key_command {
        return Ok(Found::At(KeyOrigin::Command(command.clone())));
    }
    if let Some(file) = &said.api_key_file {
        return Ok(Found::At(KeyOrigin::File(file::expanded(file, environment))));
    }
    if let Some(variable) = usual.filter(|_| said.api_key_env.is_none()).filter(is_set) {
        return Ok(Found::At(KeyOrigin::Variable(variable.to_owned())));
    }
    let ours = environment.config_dir().map(|folder| folder.join("keys.toml"));
    if let Some(ours) = ours
        && file::of_provider(&ours, provider)?.is_some()
    {
        return Ok(Found::At(KeyOrigin::KeysFile(ours)));
    }
    Ok(said.api_key_env.as_deref().or(usual).map_or(Found::Unneeded, |name| Found::Missing(name.to_owned())))
}

/// Looks whether our file of all keys is ours alone and can be read; one that is not there is right.
///
/// # Errors
/// What is wrong with it, never what is in it.
pub(super) fn check_file(path: &Path) -> Result<(), Fault> {
    file::of_provider(path, "").map(drop)
}

impl KeyOrigin {
    /// Reads the key.
    ///
    /// # Errors
    /// A command that fails, a file that others can read or that holds no key: each names itself, never the key.
    pub(super) fn read(&self, provider: &str, environment: &Environment) -> Result<Secret, Fault> {
        let none = || Fault::usage(format!("{} contains no key", self.name(provider)), "put the key there");
        match self {
            Self::Variable(variable) => environment.secret(variable).ok_or_else(none),
            Self::Command(command) => command::output(command, environment).map_err(|why| {
                Fault::usage(
                    format!("{} {why}", self.name(provider)),
                    "run it in a shell: it must print only the key and exit with 0",
                )
            }),
            Self::File(path) => file::whole(path),
            Self::KeysFile(path) => file::of_provider(path, provider)?.ok_or_else(none),
        }
    }

    /// What a person calls it.
    pub(super) fn name(&self, provider: &str) -> String {
        match self {
            Self::Variable(variable) => variable.clone(),
            Self::Command(_) => format!("the api_key_command of {provider}"),
            Self::File(path) | Self::KeysFile(path) => path.display().to_string(),
        }
    }

    /// Looks whether a file of a key is there and ours alone; other places are read to know.
    pub(super) fn check(&self) -> Result<(), Fault> {
        match self {
            Self::File(path) => file::whole(path).map(drop),
            Self::Variable(_) | Self::Command(_) | Self::KeysFile(_) => Ok(()),
        }
    }
}
