//! The pictures of a screen: which are in the window, which are worked out, and what the terminal already has.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::layout::Rect;

use super::decode::{Reason, is_bearable};
use super::worker::{self, Drawn, PictureAnswer, PictureRequest, Wanted, Worker};
use super::{CELL, Key, PictureId, Protocol, Strip, kitty};
use crate::ui::text::cache::Cache;

/// Most pictures of a window that are shown, as many as the terminal keeps.
const MOST_SHOWN: usize = kitty::SLOTS as usize;
/// Worked out pictures that are kept: a few windows of them.
const KEPT: usize = 3 * MOST_SHOWN;

/// What the layout of cards needs to know of pictures.
#[derive(Debug, Clone)]
pub struct Sizing {
    /// Whether any are shown.
    pub on: bool,
    /// The pixels of a cell, width and height.
    pub cell: (u16, u16),
    broken: Arc<BTreeMap<PictureId, Reason>>,
}

impl Sizing {
    /// Why a picture of that size cannot be shown, as far as that is known.
    pub fn why_not(&self, id: PictureId, pixels: (u32, u32)) -> Option<Reason> {
        is_bearable(pixels).err().or_else(|| self.broken.get(&id).copied())
    }

    /// Another number when cards with pictures must be laid out anew.
    pub fn version(&self) -> u64 {
        (self.broken.len() as u64) << 32 | u64::from(self.cell.0) << 16 | u64::from(self.cell.1)
    }
}

/// What is known of the pictures of a session. Nothing is decoded before a window has it, and then on a thread.
pub struct Pictures {
    protocol: Option<Protocol>,
    sizing: Sizing,
    engine: Engine,
    /// What stands in the window that was prepared last, each once.
    window: Vec<Strip>,
    wanted: Wanted,
    asked: BTreeSet<Key>,
    kept: Cache<Key, Arc<Drawn>>,
    /// The slots of what the terminal has.
    sent: BTreeMap<Key, u32>,
    /// The terminal may have lost what it had.
    is_lost: bool,
    screen: Rect,
    words: String,
}

enum Engine {
    Off,
    Immediate,
    Idle(Box<dyn Fn() + Send + Sync>),
    Running(Worker),
}

impl Default for Pictures {
    fn default() -> Self {
        Self::with(None, Engine::Off)
    }
}

impl Pictures {
    /// Works on a thread of its own, started on first need; `wake` is called there each time a result has arrived.
    /// Without a protocol nothing is shown.
    #[must_use]
    pub fn new(protocol: Option<Protocol>, wake: Box<dyn Fn() + Send + Sync>) -> Self {
        Self::with(protocol, Engine::Idle(wake))
    }

    /// Works at once, on the caller's time: for tests.
    #[must_use]
    pub fn immediate(protocol: Protocol) -> Self {
        Self::with(Some(protocol), Engine::Immediate)
    }

    fn with(protocol: Option<Protocol>, engine: Engine) -> Self {
        Self {
            protocol,
            sizing: Sizing { on: protocol.is_some(), cell: CELL, broken: Arc::default() },
            engine,
            window: Vec::new(),
            wanted: Arc::new(Mutex::default()),
            asked: BTreeSet::new(),
            kept: Cache::new(KEPT),
            sent: BTreeMap::new(),
            is_lost: false,
            screen: Rect::default(),
            words: String::new(),
        }
    }

    /// What the layout of cards needs to know.
    #[must_use]
    pub fn sizing(&self) -> Sizing {
        self.sizing.clone()
    }

    /// Whether the pixels of a cell matter.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.sizing.on
    }

    /// The terminal's cells have so many pixels, if it tells.
    pub fn measure(&mut self, cell: Option<(u16, u16)>) {
        self.sizing.cell = cell.unwrap_or(CELL);
    }

    /// The terminal may have lost all it had: it was given back, or cleared.
    pub fn forget(&mut self) {
        self.is_lost = true;
    }

    /// Begins a frame: takes in what was worked out, and shows nothing yet.
    pub(in crate::ui) fn begin(&mut self, screen: Rect) {
        if std::mem::replace(&mut self.screen, screen) != screen {
            // Another size clears the terminal.
            self.forget();
        }
        let answers: Vec<PictureAnswer> = match &self.engine {
            Engine::Running(worker) => worker.answers.try_iter().collect(),
            Engine::Off | Engine::Immediate | Engine::Idle(_) => Vec::new(),
        };
        for answer in answers {
            self.accept(answer);
        }
        self.window.clear();
    }

    /// These stand in the window.
    pub(in crate::ui) fn want<'a>(&mut self, strips: impl Iterator<Item = &'a Strip>) {
        for strip in strips {
            if self.window.len() < MOST_SHOWN && self.window.iter().all(|seen| seen.key != strip.key) {
                self.window.push(strip.clone());
            }
        }
    }

    /// Ends the preparation of a frame: asks for what is missing, and finds the words that bring the terminal up to
    /// what will be shown.
    pub(in crate::ui) fn settle(&mut self) {
        let Some(protocol) = self.protocol else { return };
        let keys: BTreeSet<Key> = self.window.iter().map(|strip| strip.key).collect();
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = keys.clone();
        for strip in std::mem::take(&mut self.window) {
            let is_broken = self.sizing.broken.contains_key(&strip.key.id);
            if self.kept.get(&strip.key).is_none() && !is_broken && self.asked.insert(strip.key) {
                self.ask(PictureRequest { key: strip.key, data: Arc::clone(&strip.data), protocol });
            }
        }
        if protocol == Protocol::Kitty {
            self.send(&keys);
        }
    }

    /// What is to be written with this frame, before its cells.
    #[must_use]
    pub(in crate::ui) fn words(&mut self) -> String {
        std::mem::take(&mut self.words)
    }

    /// The slot of a picture that the terminal has.
    pub(super) fn slot(&self, key: Key) -> Option<u32> {
        self.sent.get(&key).copied()
    }

    /// What draws a picture at its place, if it is there.
    pub(super) fn drawn(&self, key: Key) -> Option<Arc<Drawn>> {
        self.kept.get(&key)
    }

    /// The terminal has what is in the window, and nothing else.
    fn send(&mut self, wanted: &BTreeSet<Key>) {
        let words = &mut self.words;
        self.sent.retain(|key, slot| {
            let stays = wanted.contains(key);
            if !stays {
                words.push_str(&kitty::delete(*slot));
            }
            stays
        });
        for key in wanted {
            let known = self.sent.get(key).copied();
            let free = || (0..kitty::SLOTS).find(|slot| self.sent.values().all(|taken| taken != slot));
            let (Some(slot), Some(drawn)) = (known.or_else(free), self.kept.get(key)) else { continue };
            if let Drawn::Sent(picture) = &*drawn
                && (known.is_none() || self.is_lost)
            {
                self.words.push_str(&picture.send(slot));
                self.sent.insert(*key, slot);
            }
        }
        self.is_lost = false;
    }

    fn ask(&mut self, request: PictureRequest) {
        if let Engine::Idle(_) = self.engine
            && let Engine::Idle(wake) = std::mem::replace(&mut self.engine, Engine::Off)
            && let Some(worker) = worker::start(wake, Arc::clone(&self.wanted))
        {
            self.engine = Engine::Running(worker);
        }
        match &self.engine {
            Engine::Immediate => {
                let answer = PictureAnswer { key: request.key, drawn: Some(worker::serve(&request)) };
                self.accept(answer);
            }
            // A thread that is gone leaves its cells blank.
            Engine::Running(worker) => worker.requests.send(request).unwrap_or_default(),
            Engine::Off | Engine::Idle(_) => {}
        }
    }

    fn accept(&mut self, answer: PictureAnswer) {
        self.asked.remove(&answer.key);
        match answer.drawn {
            Some(Ok(drawn)) => self.kept.insert(answer.key, drawn),
            Some(Err(why)) => {
                Arc::make_mut(&mut self.sizing.broken).insert(answer.key.id, why);
            }
            None => {}
        }
    }
}

impl fmt::Debug for Pictures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pictures").field("protocol", &self.protocol).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::ledger::EntryId;
    use crate::ui::graphics::Cells;

    /// A picture of one pixel.
    const PIXEL: &str = "R0lGODlhAQABAIABAAAAAP///yH5BAEAAAEALAAAAAABAAEAAAICTAEAOw==";

    fn strip(entry: u64, data: &str) -> Strip {
        let id = PictureId(EntryId(entry), 0);
        Strip { key: Key { id, cells: Cells { columns: 1, rows: 1 }, cell: CELL }, row: 0, data: data.into() }
    }

    fn frame(pictures: &mut Pictures, strips: &[Strip]) -> String {
        pictures.begin(Rect::new(0, 0, 80, 24));
        pictures.want(strips.iter());
        pictures.settle();
        pictures.words()
    }

    #[test]
    fn a_picture_is_worked_out_once_and_sent_once() {
        let (wake, woken) = channel();
        let wake = Box::new(move || wake.send(()).unwrap_or_default());
        let mut pictures = Pictures::new(Some(Protocol::Kitty), wake);
        let (one, other) = (strip(1, PIXEL), strip(2, PIXEL));
        assert_eq!(frame(&mut pictures, std::slice::from_ref(&one)), "", "nothing waits for it");
        woken.recv().unwrap();
        assert!(frame(&mut pictures, std::slice::from_ref(&one)).contains("a=T,"));
        assert_eq!(frame(&mut pictures, std::slice::from_ref(&one)), "");
        let both = [one.clone(), other];
        frame(&mut pictures, &both);
        woken.recv().unwrap();
        assert_eq!(frame(&mut pictures, &both).matches("a=T,").count(), 1, "the other one");
        assert!(woken.try_recv().is_err(), "each is worked out once");
        pictures.forget();
        assert_eq!(frame(&mut pictures, &both).matches("a=T,").count(), 2);
        assert_eq!(frame(&mut pictures, &[]).matches("a=d,").count(), 2);
    }

    #[test]
    fn there_is_a_bound_to_what_a_window_shows() {
        let mut pictures = Pictures::immediate(Protocol::Kitty);
        let many: Vec<Strip> = (0..100).map(|entry| strip(entry, PIXEL)).collect();
        assert_eq!(frame(&mut pictures, &many).matches("a=T,").count(), MOST_SHOWN);
        assert_eq!(frame(&mut pictures, &many), "");
    }

    #[test]
    fn a_broken_picture_is_asked_for_once_and_lays_cards_out_anew() {
        let mut pictures = Pictures::immediate(Protocol::Sixel);
        let (before, broken) = (pictures.sizing().version(), strip(1, "bm9uZQ=="));
        frame(&mut pictures, std::slice::from_ref(&broken));
        assert_ne!(pictures.sizing().version(), before);
        assert!(pictures.sizing().why_not(broken.key.id, (1, 1)).is_some());
        assert!(!format!("{broken:?}").contains("bm9u"), "no bytes in a log");
    }
}
