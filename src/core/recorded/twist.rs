//! A tape on which one thing is otherwise: another decision about a call, or other words of the user.

use std::fmt;

use crate::agent::{Answer, Attendance, Intent};
use crate::ledger::{Body, CallId, Decider, Entry, EntryId, Pastes, UserMessage};

use super::{Cue, News, Tape};

/// What is otherwise.
#[derive(Debug, Clone, PartialEq)]
pub enum Twist {
    /// A person decides so about this call.
    Decides(CallId, Answer),
    /// The user says this in the place of this message.
    Says(EntryId, String),
}

/// Why nothing can be otherwise there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TwistFault {
    /// There is no such entry.
    NoEntry(EntryId),
    /// The entry is no message and no decision.
    NothingToChange(EntryId),
    /// The call had its result without a decision: it was no valid call, or a limit was used up.
    NeverDecided(CallId),
    /// The user typed the command: there was nothing to decide.
    OwnCommand(CallId),
    /// Nobody has decided about the call yet.
    Undecided(CallId),
}

/// What an entry is about, where something could have gone otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crossroads {
    /// Somebody was asked about this call.
    Decision(CallId),
    /// The rules decided about this call, or a hook.
    Ruled(CallId),
    /// The user spoke.
    Message(EntryId),
}

impl Crossroads {
    /// What could have gone otherwise at an entry: at a message, or at anything about a call that was decided about.
    ///
    /// # Errors
    /// Why nothing could.
    pub fn at<'e>(entries: impl Iterator<Item = &'e Entry> + Clone, at: EntryId) -> Result<Self, TwistFault> {
        let entry = entries.clone().find(|entry| entry.id == at).ok_or(TwistFault::NoEntry(at))?;
        match (&entry.body, entry.body.call()) {
            (Body::User(_), _) => Ok(Self::Message(at)),
            (_, Some(call)) => {
                let asks = |body: &Body| matches!(body, Body::ApprovalRequested(asked) if asked.call == call);
                let rules = |body: &Body| match body {
                    Body::ApprovalDecided(decision) => decision.call == call && decision.by != Decider::User,
                    _ => false,
                };
                // The check of a goal was asked for by the goal, and decided about like a call of the model.
                let was_asked_for = |body: &Body| match body {
                    Body::ToolCall(made) | Body::Validation(made) => made.id == call,
                    _ => false,
                };
                let has = |is_it: &dyn Fn(&Body) -> bool| entries.clone().any(|entry| is_it(&entry.body));
                match (has(&asks), has(&rules) && has(&was_asked_for)) {
                    (true, _) => Ok(Self::Decision(call)),
                    (false, true) => Ok(Self::Ruled(call)),
                    (false, false) if has(&|body| matches!(body, Body::Command(own) if own.id == call)) => {
                        Err(TwistFault::OwnCommand(call))
                    }
                    (false, false) => Err(TwistFault::NeverDecided(call)),
                }
            }
            _ => Err(TwistFault::NothingToChange(at)),
        }
    }
}

impl fmt::Display for TwistFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEntry(entry) => write!(f, "the session has no entry {entry}"),
            Self::NothingToChange(entry) => write!(
                f,
                "{entry} is neither a message nor a decision about a \
             call"
            ),
            Self::OwnCommand(call) => write!(f, "{call} was typed by the user, so nobody was asked about it"),
            Self::NeverDecided(call) => write!(f, "nothing was decided about {call}"),
            Self::Undecided(call) => write!(f, "nobody has decided about {call} yet"),
        }
    }
}

impl Tape {
    /// The same tape, with one thing otherwise from an entry on.
    #[must_use]
    pub fn twisted(mut self, twist: &Twist, from: EntryId) -> Self {
        match twist {
            // Nobody had been asked, or nobody was there to answer.
            Twist::Decides(call, answer)
                if !self.asked.contains_key(call)
                    || matches!(self.attendance, Attendance::Deny | Attendance::Stop) =>
            {
                self.overruled.insert(*call, answer.clone());
            }
            Twist::Decides(call, answer) => {
                // What was decided before that, such as a change of the call, stays.
                let is_about = |cue: &Cue| {
                    cue.entry >= from && matches!(&cue.news, News::Decided(decided, _) if decided == call)
                };
                let first = self.cues.iter().position(is_about);
                // Where nobody had decided, it is decided at the end.
                let at = first.unwrap_or(self.cues.len());
                let (entry, when) = self
                    .cues
                    .get(at)
                    .or(self.cues.last())
                    .map_or_else(|| (EntryId(0), crate::ledger::Millis(0)), |cue| (cue.entry, cue.at));
                self.cues.retain(|cue| !is_about(cue));
                let news = News::Decided(*call, answer.clone());
                self.cues.insert(at.min(self.cues.len()), Cue { entry, at: when, news });
            }
            Twist::Says(message, words) => {
                let cue = self.cues.iter_mut().find(|cue| cue.entry == *message);
                if let Some(Cue { news: News::Wished(wish), .. }) = cue
                    && let Intent::Submit(said) = &mut wish.intent
                {
                    *said = UserMessage { content: words.clone(), pastes: Pastes::default(), ..said.clone() };
                }
            }
        }
        self
    }
}
