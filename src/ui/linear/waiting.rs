//! What is waited for without a word: said once when it takes long, so that nobody wonders.

use std::time::Duration;

use crate::ledger::Millis;
use crate::ui::Request;
use crate::view::Phase;

use super::pages;
use super::session::{LinearEffect, LinearSession};
use super::words::duration;

/// How long it may take without a word.
const SILENT_MS: u64 = 2_000;

impl LinearSession {
    /// What is waited for that says nothing itself, and since when.
    fn silent_wait(&self) -> Option<(&'static str, Millis)> {
        let status = &self.renderer.view.status;
        match (&status.phase, self.reading) {
            (Phase::AskingHooks(_), _) => Some(("asking hooks", status.since)),
            (Phase::Idle, Some(reading)) => Some(("reading the files of your message", reading.since)),
            _ => None,
        }
    }

    /// After how long that is to be said; `None`: nothing is, or it was.
    pub fn says_in(&self) -> Option<Duration> {
        let (_, since) = self.silent_wait().filter(|(_, since)| self.wait_said != Some(*since))?;
        Some(Duration::from_millis(SILENT_MS.saturating_sub(self.now.since(since))))
    }

    /// Says it, if it is time.
    pub fn say_wait(&mut self) {
        if self.says_in() == Some(Duration::ZERO)
            && let Some((what, since)) = self.silent_wait()
        {
            self.wait_said = Some(since);
            let time = duration(self.now.since(since));
            self.output.say(&format!("waiting: {what}, for {time} so far; Ctrl-C stops it"));
        }
    }

    /// Stops what runs, and gives up messages that would begin a run right after it.
    pub(super) fn stops(&self) -> Vec<LinearEffect> {
        let read = self.reading.is_some().then_some(LinearEffect::Ask(Request::StopReading));
        [LinearEffect::Abort].into_iter().chain(read).collect()
    }

    /// What goes on, for who asks.
    pub(super) fn say_status(&mut self) {
        let (view, output) = (&self.renderer.view, &mut self.output);
        match self.reading.filter(|_| !view.status.is_busy()) {
            Some(reading) => {
                let time = duration(self.now.since(reading.since));
                output
                    .say(&format!("status: reading the files of your message, for {time}; Ctrl-C stops it"));
            }
            None => pages::status(view, self.now, output),
        }
    }
}
