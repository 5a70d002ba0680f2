//! The ledger inspector alone: read-only, nothing is settled or written.

use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use super::args::Which;
use super::chat::{entry_json, view_of_the_past};
use super::compose::{locate, state_dir};
use super::exit::Exit;
use super::fault::Fault;
use super::themes::theme;
use super::{Invocation, looks, signals};
use crate::agent::Event;
use crate::ledger::Body;
use crate::runtime::SessionStore;
use crate::ui::{AppIo, UiSettings};

/// Shows a session's ledger.
pub(super) fn run(invocation: &Invocation, which: &Which) -> Result<Exit, Fault> {
    let theme = theme(invocation)?;
    let state = state_dir(invocation)?;
    let path = locate(invocation, &state, which)?;
    let file = SessionStore::read(&path).map_err(|why| Fault::failed(why, ""))?;
    let (model, cwd) = match file.entries.first().map(|e| &e.body) {
        Some(Body::SessionStarted(started)) => (started.model.to_string(), started.cwd.clone()),
        _ => (String::new(), String::new()),
    };
    let runtime = Runtime::new().map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
    runtime.block_on(async {
        let quit = signals::told_to_end()?;
        // Nobody is at the other ends: there is nothing to say to the past.
        let (_events_to, events) = mpsc::channel(1);
        let (intents, _intents_of) = mpsc::channel(1);
        let (abort, _abort_of) = mpsc::channel(1);
        let settings = UiSettings {
            follows_background: looks::follows_background(invocation),
            takes: looks::takes(invocation),
            keymap: invocation.config.keymap.clone(),
            history: file.entries.into_iter().map(Event::Appended).collect(),
            read_only: true,
            ..UiSettings::of_the_past(view_of_the_past(invocation, model, &cwd), theme, quit, entry_json)
        };
        let outcome = crate::ui::run(AppIo { events, intents, abort }, settings).await;
        outcome.map(|_| Exit::Completed).map_err(|why| Fault::usage(why.to_string(), ""))
    })
}
