//! A session played into memory: the frames that a terminal would be given, and when.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

use crate::agent::Event;
use crate::ledger::Entry;
use crate::view::{View, ViewSettings};

use super::local::Local;
use super::panes::{Layouts, Screen, draw, prepare};
use super::replay_keys::Replay;
use super::replay_pace::pause;
use super::text::highlight::Highlighter;
use super::theme::Theme;

/// Frames that one entry may need: a frame lays out no more than it has time for.
const MOST_FRAMES: usize = 10_000;

/// What a recording is made with.
pub struct Recorder {
    /// What the view is told.
    pub view: ViewSettings,
    /// What to know of the session, in sight all the time.
    pub notice: Option<&'static str>,
    /// What it looks like.
    pub theme: Theme,
    /// Columns and rows.
    pub size: (u16, u16),
    /// How many times as fast it is.
    pub speed: f64,
    /// An entry as it is recorded, as pretty JSON.
    pub entry_json: fn(&Entry) -> String,
}

/// A frame of a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// Since the beginning.
    pub seconds: f64,
    /// What the terminal is sent.
    pub bytes: String,
}

impl Recorder {
    /// Plays the entries and keeps each frame that changes something.
    ///
    /// # Errors
    /// Memory gives none; the backend may.
    pub fn record(self, entries: &[Arc<Entry>]) -> io::Result<Vec<Recording>> {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let sent = FrameBytes::default();
        let options = TerminalOptions { viewport: Viewport::Fixed(area) };
        let mut terminal = Terminal::with_options(CrosstermBackend::new(sent.clone()), options)?;
        let mut view = View::new(self.view);
        let mut local = Local::new();
        local.motion = false;
        self.notice.iter().for_each(|said| local.found(said));
        let mut replay = Replay::of(entries);
        replay.is_recorded = true;
        local.replay = Some(replay);
        let (mut layouts, highlighter) = (Layouts::default(), Highlighter::immediate());
        let (mut frames, mut at, mut before) = (Vec::new(), Duration::ZERO, None);
        for entry in entries {
            at += pause(before, entry);
            before = Some(entry);
            view.tick(entry.at);
            view.fold(&Event::Appended(Arc::clone(entry)));
            if let Some(replay) = &mut local.replay {
                replay.shown += 1;
            }
            for _ in 0..MOST_FRAMES {
                prepare(&mut layouts, &view, &mut local, &self.theme, &highlighter, area, entry.at);
                let screen = Screen {
                    view: &view,
                    local: &local,
                    theme: &self.theme,
                    highlighter: &highlighter,
                    layouts: &layouts,
                    now: entry.at,
                    entry_json: self.entry_json,
                };
                terminal.draw(|frame| draw(frame, &screen))?;
                if !layouts.was_behind() {
                    break;
                }
            }
            let bytes = sent.take();
            if !bytes.is_empty() {
                let millis = (at.as_secs_f64() / self.speed * 1_000.0).round();
                frames.push(Recording { seconds: millis / 1_000.0, bytes });
            }
        }
        Ok(frames)
    }
}

/// What the terminal was sent and nobody took yet.
#[derive(Debug, Clone, Default)]
struct FrameBytes(Arc<Mutex<Vec<u8>>>);

impl FrameBytes {
    fn take(&self) -> String {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for FrameBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
