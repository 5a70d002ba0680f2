//! A text that is to become a configuration, read before it is one.

use std::path::PathBuf;
use std::sync::Arc;

use super::{Config, apply, projects, setting, source::Source};

/// Reads a text as the user's file, or as that of a project that is trusted. What only warns is returned.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check_text(text: &str, is_project: bool) -> Result<Vec<String>, String> {
    let place = Arc::new(PathBuf::from("config.toml"));
    let mut config = Config::default();
    if is_project {
        let settings = setting::of_text(text, &Source::Trusted(place, 0))?;
        let wrongs = projects::set_all(&mut config, &settings);
        return wrongs.into_iter().next().map_or(Ok(config.warnings), Err);
    }
    for setting in setting::of_text(text, &Source::User(place, 0))? {
        apply::set(&mut config, &setting)?;
    }
    Ok(config.warnings)
}
