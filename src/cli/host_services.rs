//! What only the terminal app can do for the screen: the user's editor, themes by name, what was said in earlier sessions.

use std::path::{Path, PathBuf};

use tokio::sync::watch;

use super::editor::edit;
use super::themes::{fitting, theme_called, themes_folder};
use crate::config::Invocation;
use crate::config::project;
use crate::runtime::store::find;
use crate::runtime::{BackgroundOutput, SessionStore};
use crate::session::compose::state_dir;
use crate::session::other_sessions::EarlierSessions;
use crate::ui::host_services::{HostServices, Named, PastSession};
use crate::ui::theme::Theme;

/// Answers the screen. What was said in other sessions is read beside it: it does not wait for that.
pub(super) fn errands(
    invocation: &Invocation,
    earlier: EarlierSessions,
    printed: BackgroundOutput,
) -> HostServices {
    let (tell, prompts) = watch::channel(None);
    drop(tokio::task::spawn_blocking(move || tell.send(Some(earlier.prompts()))));
    let (environment, themes) = (invocation.environment.clone(), themes_folder(invocation));
    let set =
        |name: &str| invocation.environment.text(name).filter(|v| !v.trim().is_empty()).map(str::to_owned);
    let editor = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let workspace = invocation.cwd.clone();
    HostServices {
        editor: Box::new(move |text| Box::pin(edit(editor.clone(), workspace.clone(), text))),
        prompts,
        printed: Box::new(move |id| printed.recent(id)),
        past: past_of(state_dir(invocation).ok()),
        theme_names: theme_names(themes.as_deref()),
        branches: project::branches(&invocation.cwd),
        theme: Box::new(move |name| match environment.no_color() {
            true => Ok(Theme::plain()),
            false => match theme_called(name, themes.as_deref()) {
                Ok(theme) => Ok(fitting(theme, &environment)),
                Err(fault) => Err(fault.message),
            },
        }),
    }
}

/// Reads sessions that are kept in this folder, by their whole ids, to be looked at only.
pub(super) fn past_of(state: Option<PathBuf>) -> Named<Result<PastSession, String>> {
    Box::new(move |id| {
        let state = state.as_deref().ok_or("there is no folder for sessions")?;
        let path = find(state, id)?;
        if path.file_stem().and_then(|stem| stem.to_str()) != Some(id) {
            return Err(format!("there is no session {id}"));
        }
        let (file, damage) = SessionStore::document(&path)?;
        Ok(PastSession { entries: file.entries, damage })
    })
}

/// The themes that come with the program, and the user's own.
fn theme_names(folder: Option<&Path>) -> Vec<String> {
    let mut names: Vec<String> = Theme::names().iter().map(|name| (*name).to_owned()).collect();
    let files = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut own: Vec<String> = files
        .filter_map(|file| file.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned))
        .collect();
    own.sort();
    own.retain(|name| !names.contains(name));
    names.append(&mut own);
    names
}
