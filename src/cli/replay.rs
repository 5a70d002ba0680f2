//! A session played through the renderer of the app, with the pauses it had: read-only, nothing is settled or written.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::args::Which;
use super::chat::{entry_json, view_of_the_past};
use super::compose::{locate, now, state_dir};
use super::exit::Exit;
use super::fault::Fault;
use super::themes::theme;
use super::{Invocation, looks, signals};
use crate::agent::{Event, Live};
use crate::ledger::{Body, Entry};
use crate::runtime::SessionStore;
use crate::ui::{AppIo, Replay, UiSettings};

/// No pause is longer: nobody waits again for what took a night.
const LONGEST: Duration = Duration::from_millis(400);

/// Plays a session.
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
        let (events_to, events) = mpsc::channel(1);
        // Nobody is at the other ends: there is nothing to say to the past.
        let (intents, _intents_of) = mpsc::channel(1);
        let (abort, _abort_of) = mpsc::channel(1);
        let (pace, paced) = watch::channel(Replay::default());
        let settings = UiSettings {
            follows_background: looks::follows_background(invocation),
            takes: looks::takes(invocation),
            keymap: invocation.config.keymap.clone(),
            replay: Some(pace),
            ..UiSettings::of_the_past(view_of_the_past(invocation, model, &cwd), theme, quit, entry_json)
        };
        let playing = tokio::spawn(play(file.entries, events_to, paced));
        let outcome = crate::ui::run(AppIo { events, intents, abort }, settings).await;
        playing.abort();
        outcome.map(|_| Exit::Completed).map_err(|why| Fault::usage(why.to_string(), ""))
    })
}

/// Sends entry after entry, and at the end stays: the screen would leave with it.
async fn play(entries: Vec<Arc<Entry>>, events: mpsc::Sender<Event>, mut paced: watch::Receiver<Replay>) {
    let (mut before, mut steps) = (None, 0);
    for entry in entries {
        let gap = entry.at.0.saturating_sub(before.unwrap_or(entry.at.0));
        before = Some(entry.at.0);
        wait(Duration::from_millis(gap).min(LONGEST), &mut paced, &mut steps).await;
        // Clocks on the screen count from when an entry was written: here, from when it was shown.
        let shown = Entry { at: now(), ..Entry::clone(&entry) };
        if events.send(Event::Appended(Arc::new(shown))).await.is_err() {
            return;
        }
    }
    let end = Live::Refused("the end of the session; q quits".to_owned());
    if events.send(Event::Live(end)).await.is_ok() {
        events.closed().await;
    }
}

/// Waits until the next entry is due, or asked for.
async fn wait(mut left: Duration, paced: &mut watch::Receiver<Replay>, steps: &mut u64) {
    loop {
        let pace = *paced.borrow_and_update();
        if pace.steps > *steps {
            *steps += 1;
            return;
        }
        let factor = 2_f64.powi(pace.doublings);
        let began = Instant::now();
        let told = if pace.paused {
            paced.changed().await.is_ok()
        } else {
            match timeout(left.div_f64(factor), paced.changed()).await {
                Err(_due) => return,
                Ok(told) => told.is_ok(),
            }
        };
        if !told {
            return;
        }
        if !pace.paused {
            left = left.saturating_sub(began.elapsed().mul_f64(factor));
        }
    }
}
