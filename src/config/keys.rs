//! The keys that a person has bound: `[keys.PLACE]`.

use super::{Config, setting::Setting, setting::Wrong};
use crate::ui::rebinding::Rebinding;

/// Binds the command to these keys instead of those that it has; to none: takes them away.
pub(super) fn set(config: &mut Config, setting: &Setting) -> Result<(), String> {
    let [place, command] = setting.names.as_slice() else {
        return Err("must be a place and a command, as in keys.everywhere.ledger".to_owned());
    };
    let change = Rebinding::parse(place, command, &setting.value.texts()?)?;
    config.keymap.change(change);
    Ok(())
}

/// When all layers are read: whether two commands have the same key.
pub(super) fn check(config: &Config) -> Result<(), Wrong> {
    match config.keymap.conflict() {
        Some((path, sentence)) => Err(format!("{}: {path}: {sentence}", config.source(&path))),
        None => Ok(()),
    }
}
