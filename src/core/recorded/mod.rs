//! What a session got from outside, taken from its ledger, and the loop played with it again: no model is asked, no tool runs, and
//! time is what the ledger says.
//!
//! A ledger holds more than it seems to: what people said and decided, what models answered or failed with, what tools returned, and
//! when. A [`Tape`] is these as cues, in order. A [`Player`] steps an agent and gives it the next cue that the agent can take, so an
//! agent with other rules or limits goes its own way as far as the tape has answers for it.

mod answer;
mod cue;
mod departure;
mod next;
mod outside;
mod played;
mod player;
mod reader;
mod report;
mod ruled;
mod stage;
mod subagent;
mod tape;
mod trace;
mod twist;
mod wishes;

pub use cue::{Answered, Cue, News, Wish};
pub use departure::{Departure, results_of_decided};
pub use outside::{NothingOutside, Outside};
pub use played::{Deviation, Played, PlayedRequest};
pub use stage::Player;
pub use tape::Tape;
pub use trace::{history, trace};
pub use twist::{Crossroads, Twist, TwistFault};
