//! Code in colour, worked out beside the screen: ask, show plain text meanwhile, ask again when woken.

mod key;
mod paint;
mod scopes;

#[expect(
    clippy::disallowed_methods,
    reason = "the one thread of the screen: painting code takes longer than a frame"
)]
mod worker;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ratatui::text::Line;

use self::key::PaintKey;
use self::paint::{Painter, Palette};
use self::worker::{HighlightAnswer, HighlightRequest, Worker};
use super::cache::{Cache, Slot};
use crate::ui::theme::Theme;

/// Bytes of a block beyond which its lines stay plain.
pub(super) const LARGEST_BLOCK: usize = 200 * 1024;

/// Painted blocks that are kept: a few screens of them.
const KEPT: usize = 256;

/// Blocks whose grown lines may wait to be fetched; those of blocks that are gone are forgotten.
const MOST_WAITING: usize = 16;

/// Where a block's colours are.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Paint {
    /// Here: one line for each line of the code.
    Here(Arc<Vec<Line<'static>>>),
    /// Being worked out; ask again when the generation has grown.
    Coming,
    /// There will be none.
    Plain,
}

/// Names a block of code that is still being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Growing(u64);

/// Colours code. Syntax definitions are loaded on first need.
pub struct Highlighter {
    engine: Slot<Engine>,
    painted: Cache<PaintKey, Arc<Vec<Line<'static>>>>,
    state: Slot<State>,
}

#[derive(Default)]
struct State {
    generation: u64,
    asked: BTreeSet<PaintKey>,
    grown: BTreeMap<u64, Vec<Line<'static>>>,
    last_growing: u64,
}

enum Engine {
    Off,
    Immediate(Option<Box<Painter>>),
    Idle(Box<dyn Fn() + Send + Sync>),
    Running(Worker),
}

impl Highlighter {
    /// Works on a thread of its own, started on first need; `wake` is called there each time a result has arrived.
    #[must_use]
    pub fn new(wake: Box<dyn Fn() + Send + Sync>) -> Self {
        Self::with(Engine::Idle(wake))
    }

    /// Leaves all code plain.
    #[must_use]
    pub fn off() -> Self {
        Self::with(Engine::Off)
    }

    /// Works at once, on the caller's time: for tests and for output that nobody watches being made.
    #[must_use]
    pub fn immediate() -> Self {
        Self::with(Engine::Immediate(None))
    }

    fn with(engine: Engine) -> Self {
        Self { engine: Slot::new(engine), painted: Cache::new(KEPT), state: Slot::new(State::default()) }
    }

    /// The coloured lines of a piece of safe code, one for each of its lines; or `None` while they are being worked
    /// out, and where code stays plain. Show it plain then, and ask again once [`Self::generation`] has grown.
    #[must_use]
    pub fn lines(&self, language: &str, code: &str, theme: &Theme) -> Option<Vec<Line<'static>>> {
        match self.paint(language, code, theme) {
            Paint::Here(lines) => Some(lines.as_ref().clone()),
            Paint::Coming | Paint::Plain => None,
        }
    }

    /// Grows when results have arrived.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.fetch();
        self.state.with(|state| state.generation)
    }

    /// Like [`Self::lines`], and tells the reasons for having none apart.
    pub(super) fn paint(&self, language: &str, code: &str, theme: &Theme) -> Paint {
        if language.is_empty() || code.len() > LARGEST_BLOCK || self.is_off() {
            return Paint::Plain;
        }
        let key = PaintKey::new(language, code, theme);
        self.fetch();
        if let Some(lines) = self.painted.get(&key) {
            return Paint::Here(lines);
        }
        if self.state.with(|state| state.asked.insert(key.clone())) {
            let request = HighlightRequest::Whole {
                key: key.clone(),
                language: language.to_owned(),
                code: code.to_owned(),
                palette: palette(theme),
            };
            self.send(request);
        }
        self.painted.get(&key).map_or(Paint::Coming, Paint::Here)
    }

    /// Begins a block that will be painted as it is written.
    pub(super) fn begin(&self) -> Option<Growing> {
        if self.is_off() {
            return None;
        }
        Some(self.state.with(|state| {
            state.last_growing += 1;
            Growing(state.last_growing)
        }))
    }

    /// Asks for the next whole lines of a growing block.
    pub(super) fn grow(&self, block: Growing, language: &str, code: &str, theme: &Theme) {
        self.send(HighlightRequest::Grow {
            id: block.0,
            language: language.to_owned(),
            code: code.to_owned(),
            palette: palette(theme),
        });
    }

    /// The lines of a growing block that have been painted since the last call.
    pub(super) fn grown(&self, block: Growing) -> Vec<Line<'static>> {
        self.fetch();
        self.state.with(|state| state.grown.remove(&block.0).unwrap_or_default())
    }

    /// Keeps what was painted while a block grew, for when the whole block is asked for.
    pub(super) fn keep(&self, language: &str, code: &str, theme: &Theme, lines: Vec<Line<'static>>) {
        self.painted.insert(PaintKey::new(language, code, theme), Arc::new(lines));
    }

    fn is_off(&self) -> bool {
        self.engine.with(|engine| matches!(engine, Engine::Off))
    }

    fn send(&self, request: HighlightRequest) {
        let answer = self.engine.with(|engine| engine.serve(request));
        if let Some(answer) = answer {
            self.accept(answer);
        }
    }

    /// Takes in what the thread has finished.
    fn fetch(&self) {
        let answers: Vec<HighlightAnswer> = self.engine.with(|engine| match engine {
            Engine::Running(worker) => worker.answers.try_iter().collect(),
            Engine::Off | Engine::Immediate(_) | Engine::Idle(_) => Vec::new(),
        });
        for answer in answers {
            self.accept(answer);
        }
    }

    fn accept(&self, answer: HighlightAnswer) {
        self.state.with(|state| {
            state.generation += 1;
            match answer {
                HighlightAnswer::Whole { key, lines } => {
                    state.asked.remove(&key);
                    self.painted.insert(key, Arc::new(lines));
                }
                HighlightAnswer::Grown { id, lines } => {
                    state.grown.entry(id).or_default().extend(lines);
                    while state.grown.len() > MOST_WAITING {
                        state.grown.pop_first();
                    }
                }
            }
        });
    }
}

impl std::fmt::Debug for Highlighter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Highlighter").field("painted", &self.painted.len()).finish_non_exhaustive()
    }
}

impl Engine {
    /// Passes a request on; the immediate engine has the answer at once. An engine that fails is off from then on.
    fn serve(&mut self, request: HighlightRequest) -> Option<HighlightAnswer> {
        if let Self::Idle(_) = self {
            let Self::Idle(wake) = std::mem::replace(self, Self::Off) else { return None };
            *self = worker::start(wake).map_or(Self::Off, Self::Running);
        }
        match self {
            Self::Immediate(painter) => {
                let painter = painter.get_or_insert_with(|| Box::new(Painter::load()));
                Some(worker::serve(painter, request))
            }
            Self::Running(worker) => {
                if worker.requests.send(request).is_err() {
                    *self = Self::Off;
                }
                None
            }
            Self::Off | Self::Idle(_) => None,
        }
    }
}

fn palette(theme: &Theme) -> Palette {
    Palette { syntax: theme.syntax.clone(), base: theme.code_block }
}
