//! A session of the past, opened to be looked at: nothing is settled or written.

use std::path::Path;
use std::sync::Arc;

use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use super::chat::entry_json;
use super::host_services::past_of;
use super::sessions::place::remark;
use super::themes::theme;
use super::{appearance, signals};
use crate::agent::Event;
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::{Body, Entry, EntryId, Millis};
use crate::runtime::{Clock, SessionStore};
use crate::session::SessionChoice;
use crate::session::compose::{locate, state_dir};
use crate::session::exporting::came_along;
use crate::session::whatif::Brancher;
use crate::ui::host_services::HostServices;
use crate::ui::{AppIo, Reply, Request, UiSettings};
use crate::view::ViewSettings;

/// Shows a session until the user leaves. `stage` is given its entries, inside the runtime, and says how they are shown.
pub(super) fn show(
    invocation: &Invocation,
    which: &SessionChoice,
    events: mpsc::Receiver<Event>,
    stage: impl FnOnce(Vec<Arc<Entry>>, UiSettings) -> UiSettings,
) -> Result<Exit, Fault> {
    let theme = theme(invocation)?;
    let state = state_dir(invocation)?;
    let path = locate(invocation, &state, which)?;
    let (file, damage) = SessionStore::document(&path).map_err(|why| Fault::failed(why, ""))?;
    let imported_to = file.came_to();
    damage.iter().chain(&came_along(imported_to)).for_each(|why| remark(why));
    let (model, cwd, id) = match file.entries.first().map(|e| &e.body) {
        Some(Body::SessionStarted(started)) => {
            (started.model.to_string(), started.cwd.clone(), started.session.clone())
        }
        _ => Default::default(),
    };
    let past = past_of(Some(state.clone()));
    let brancher = Brancher::new(state, id, invocation.environment.home());
    let runtime = Runtime::new().map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
    runtime.block_on(async {
        let quit = signals::told_to_end()?;
        let (requests, requests_of) = mpsc::channel(8);
        let (reply_to, replies) = mpsc::channel(8);
        tokio::spawn(answer(brancher, requests_of, reply_to));
        // Nobody is at the other end: there is nothing to stop in the past.
        let (abort, _abort_of) = mpsc::channel(1);
        let settings = UiSettings {
            asks_background: appearance::asks_background(invocation),
            follows_background: appearance::follows_background(invocation),
            takes: appearance::takes(invocation),
            keymap: invocation.config.keymap.clone(),
            errands: HostServices { past, ..HostServices::default() },
            ..UiSettings::of_the_past(view(invocation, model, &cwd, imported_to), theme, quit, entry_json)
        };
        let settings = stage(file.entries, settings);
        let clock = Clock::start(Millis(0));
        let now = Box::new(move || clock.now());
        let outcome = crate::ui::run(AppIo { events, requests, replies, abort, now }, settings).await;
        outcome.map(|_| Exit::Completed).map_err(|why| Fault::usage(why.to_string(), ""))
    })
}

/// Reads what the pages about other sessions ask for. There is nothing else to say to the past.
async fn answer(brancher: Brancher, mut requests: mpsc::Receiver<Request>, to: mpsc::Sender<Reply>) {
    while let Some(request) = requests.recv().await {
        let brancher = brancher.clone();
        let read = tokio::task::spawn_blocking(move || match request {
            Request::ListBranches => Some(Reply::Branches(brancher.rows())),
            Request::Beside(id) => Some(brancher.beside(&id).map_or_else(Reply::Refused, Reply::Beside)),
            _ => None,
        });
        if let Ok(Some(reply)) = read.await
            && to.send(reply).await.is_err()
        {
            return;
        }
    }
}

/// The view of a session that nobody goes on with, and of which so much came with an import.
pub(super) fn view(
    invocation: &Invocation,
    model: String,
    cwd: &str,
    imported_to: Option<EntryId>,
) -> ViewSettings {
    ViewSettings {
        imported_to,
        model,
        cwd: invocation.environment.shown(Path::new(cwd)),
        window: crate::model::ModelSpec::UNKNOWN_WINDOW,
        limits: invocation.config.limits.clone(),
        ..ViewSettings::unknown()
    }
}
