//! `resume`: the app in an earlier session. One that another process has open is shown as it is, and nothing of it is written.

use std::io::{IsTerminal as _, stdin, stdout};

use super::{appearance, chat, inspect, outcome};
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::runtime::store::held;
use crate::session::SessionChoice;
use crate::session::compose::{locate, state_dir};

/// Goes on with the session.
///
/// # Errors
/// It is not there, is not sound, or cannot be shown.
pub(super) fn run(invocation: &Invocation, which: &SessionChoice) -> Result<Exit, Fault> {
    let has_screen = stdin().is_terminal() && stdout().is_terminal();
    if has_screen && appearance::needs_a_screen(invocation).is_ok() {
        let path = locate(invocation, &state_dir(invocation)?, which)?;
        if let Some(who) = held(&path) {
            // The newest may be another one by now.
            let id = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            outcome::remark(&format!("session {id} is {who}; it is shown read-only"));
            let said = format!("{who}; shown read-only");
            return inspect::run(invocation, &SessionChoice::Session(id), Some(said));
        }
    }
    chat::run(invocation, None, Some(which))
}
