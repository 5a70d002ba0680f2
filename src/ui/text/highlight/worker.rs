//! The thread that paints code, so that no frame waits for a regular expression.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use ratatui::text::Line;

use super::key::PaintKey;
use super::paint::{Painter, Palette};

/// What the screen asks for.
pub(super) enum HighlightRequest {
    /// A whole block, to be kept under its key.
    Whole { key: PaintKey, language: String, code: String, palette: Palette },
    /// The next lines of a block that grows.
    Grow { id: u64, language: String, code: String, palette: Palette },
}

/// What comes back.
pub(super) enum HighlightAnswer {
    Whole { key: PaintKey, lines: Vec<Line<'static>> },
    Grown { id: u64, lines: Vec<Line<'static>> },
}

/// The screen's end of the thread, which ends when this is dropped.
pub(super) struct Worker {
    pub(super) requests: Sender<HighlightRequest>,
    pub(super) answers: Receiver<HighlightAnswer>,
}

/// Starts the thread. `None` if the system has no more threads to give: code stays plain then.
pub(super) fn start(wake: Box<dyn Fn() + Send + Sync>) -> Option<Worker> {
    let (requests, asked) = channel();
    let (answer, answers) = channel();
    let started = thread::Builder::new().name("highlight".to_owned()).spawn(move || {
        let mut painter = Painter::load();
        while let Ok(request) = asked.recv() {
            if answer.send(serve(&mut painter, request)).is_err() {
                return;
            }
            wake();
        }
    });
    // The thread ends by itself once the requests do; nobody waits for it.
    started.is_ok().then_some(Worker { requests, answers })
}

/// Does what was asked.
pub(super) fn serve(painter: &mut Painter, request: HighlightRequest) -> HighlightAnswer {
    match request {
        HighlightRequest::Whole { key, language, code, palette } => {
            HighlightAnswer::Whole { key, lines: painter.paint(&language, &code, &palette) }
        }
        HighlightRequest::Grow { id, language, code, palette } => {
            HighlightAnswer::Grown { id, lines: painter.grow(id, &language, &code, &palette) }
        }
    }
}
