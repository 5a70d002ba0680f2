//! The chosen theme, and those that can be chosen.

use std::path::{Path, PathBuf};

use super::appearance;
use super::terminals::shows_exact_colours;
use crate::config::Invocation;
use crate::config::environment::Environment;
use crate::config::fault::Fault;
use crate::config::reading;
use crate::config::reading::Reading;
use crate::ui::theme::Theme;

/// Most bytes of a theme.
const MOST_BYTES: u64 = 256 * 1024;

/// The chosen theme; without colours where `NO_COLOR` asks for that.
///
/// # Errors
/// A name that no theme has, or a theme of the user's that cannot be read.
pub(super) fn theme(invocation: &Invocation) -> Result<Theme, Fault> {
    if invocation.environment.no_color() {
        return Ok(Theme::plain());
    }
    let name = appearance::theme_name(invocation);
    let theme = theme_called(name, themes_folder(invocation).as_deref())?;
    Ok(fitting(theme, &invocation.environment))
}

/// The theme of a recording: who plays it has another terminal than the one it is made in.
///
/// # Errors
/// As [`theme`].
pub(super) fn theme_of_a_recording(invocation: &Invocation) -> Result<Theme, Fault> {
    theme_called(appearance::theme_name(invocation), themes_folder(invocation).as_deref())
}

/// The theme in colours that the terminal shows.
pub(super) fn fitting(theme: Theme, environment: &Environment) -> Theme {
    if shows_exact_colours(environment) { theme } else { theme.with_256_colours() }
}

/// Where the user's own themes are.
pub(super) fn themes_folder(invocation: &Invocation) -> Option<PathBuf> {
    invocation.environment.config_dir().map(|dir| dir.join("themes"))
}

/// The theme of this name, built in or in that folder.
///
/// # Errors
/// As [`theme`].
pub(super) fn theme_called(name: &str, folder: Option<&Path>) -> Result<Theme, Fault> {
    if let Some(theme) = Theme::builtin(name) {
        return Ok(theme);
    }
    let file = folder.filter(|_| !name.contains(['/', '\\'])).map(|dir| dir.join(format!("{name}.toml")));
    match file.as_deref().map(|file| reading::read(file, MOST_BYTES)) {
        Some(Reading::Text { text, cut: false }) => {
            Theme::parse(&text).map_err(|why| Fault::usage(format!("theme {name}: {why}"), "fix that line"))
        }
        Some(Reading::Text { .. } | Reading::Refused(_)) => Err(Fault::usage(
            format!("theme {name} cannot be read"),
            format!("{name}.toml in the themes folder must be a regular file of at most 256 KB"),
        )),
        Some(Reading::Absent) | None => Err(Fault::usage(
            format!("there is no theme {name}"),
            format!(
                "use one of {}, or put {name}.toml into the themes folder beside config.toml",
                Theme::names().join(", ")
            ),
        )),
    }
}
