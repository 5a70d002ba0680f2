//! The rehearsal: a model inside this program that needs no key and no network. It understands a few phrases and
//! answers with real tool calls, so that a newcomer sees the true loop at once. Deterministic: the same request
//! gives the same answer.

mod answer;
mod reply;
mod report;
mod request;
mod round;
mod scan;
mod tour;
mod verb;
mod words;

use futures_util::stream::BoxStream;

use crate::model::{ModelNews, Request, ToolCalls};
use crate::runtime::ModelPort;
use crate::wire::script::Reply;

use super::play::{estimate, play, steps};

/// Characters of one piece of the answer: about a word.
const PIECE: usize = 6;
/// Pieces in which the arguments of a call come, at most.
const MOST_PIECES: usize = 60;

/// The embedded model.
#[derive(Debug, Clone, Copy, Default)]
pub struct RehearsalModel {
    pace: Pace,
}

/// How fast the rehearsal speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Wait between two pieces of about a word, in milliseconds; 0: all at once.
    pub pause_ms: u64,
}

impl Default for Pace {
    /// About 70 words a second: faster than anyone reads, slow enough to press Esc.
    fn default() -> Self {
        Self { pause_ms: 14 }
    }
}

impl RehearsalModel {
    /// A rehearsal that speaks at this pace.
    pub fn new(pace: Pace) -> Self {
        Self { pace }
    }
}

impl ModelPort for RehearsalModel {
    fn stream(&self, request: Request) -> BoxStream<'static, ModelNews> {
        let answer = answer::answer(&request);
        // Nobody reads along while a whole file is written: long arguments come in larger pieces.
        let longest = answer.calls.iter().map(|call| call.arguments.len()).max().unwrap_or(0);
        let reply =
            Reply { chunk: Some(PIECE.max(longest / MOST_PIECES)), pause_ms: self.pace.pause_ms, ..answer };
        play(steps(&reply, ToolCalls::Native, estimate(&request)))
    }
}
