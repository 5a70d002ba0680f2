//! A session played through the renderer of the app, with the pauses it had: read-only, nothing is settled or written.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::past;
use crate::agent::{Event, Live};
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::Entry;
use crate::session::SessionChoice;
use crate::session::compose::now;
use crate::ui::{Replay, UiSettings};

/// No pause is longer: nobody waits again for what took a night.
const LONGEST: Duration = Duration::from_millis(400);

/// Plays a session.
pub(super) fn run(invocation: &Invocation, which: &SessionChoice) -> Result<Exit, Fault> {
    let (events_to, events) = mpsc::channel(1);
    past::show(invocation, which, events, |entries, settings| {
        let (pace, paced) = watch::channel(Replay::default());
        // It ends with the runtime, or when the screen has left.
        drop(tokio::spawn(play(entries, events_to, paced)));
        UiSettings { replay: Some(pace), ..settings }
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
