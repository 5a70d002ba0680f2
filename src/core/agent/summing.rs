//! The request for a summary: the conversation as it stands where that fits, else a transcript of it part by part, each
//! part with the summary of those before it.

use std::sync::Arc;

use crate::context::{self, Keep, SUMMARY_TOKENS, words};
use crate::ledger::{Body, CompactionTrigger, EntryId, Message, Millis, Placed, Unsettled, UserMessage};
use crate::model::{Effort, Request};

use super::Agent;
use super::phase::WantedSummary;

/// Most parts of a summary; what is older than they hold is left out.
const MOST_PARTS: u32 = 16;
/// Tokens of our own words around a part.
const FRAME_TOKENS: u64 = 256;
/// A part of fewer tokens than this is not worth a call.
const LEAST_PART: u64 = 128;
/// Most tokens of recent messages that stay beside a summary.
const MOST_RECENT: u64 = 20_000;
/// Bytes of text that count as a token.
const BYTES: u64 = 4;
/// The user's last words are never cut to less than so many bytes.
const LEAST_WISH: u64 = 1_024;

/// A request for a summary, or for a part of one.
pub(super) struct Asking {
    pub(super) request: Request,
    /// How many bytes of the transcript it covers; `None`: all of it.
    pub(super) covers: Option<usize>,
}

/// What a summary leaves of the history.
pub(super) struct Rest {
    /// The last entry that it replaces.
    pub(super) replaces_to: EntryId,
    /// What the user said last, if that does not stay as it is; shortened when it is very long.
    pub(super) wish: String,
    /// Estimated tokens of what stays.
    pub(super) tokens: u64,
    /// Estimated tokens of what the user said last, if no model has heard it whole and none will.
    pub(super) not_whole: Option<u64>,
}

impl Agent {
    /// The request for what is wanted. `None`: the window is too small for any.
    pub(super) fn asking(
        &mut self,
        wanted: &WantedSummary,
        whole: Request,
    ) -> Result<Option<Asking>, Unsettled> {
        let window = self.window();
        let room = self.unscaled(&whole.model, window);
        let output = SUMMARY_TOKENS.min(room / 8).max(1);
        let most = match wanted.trigger {
            // A provider that has just refused a prompt is asked with half of the window.
            CompactionTrigger::Reactive => window / 2,
            CompactionTrigger::Auto | CompactionTrigger::Manual => {
                window.saturating_sub(self.scaled(&whole.model, output) + window / 64)
            }
        };
        let keep = self.keep(&whole, wanted);
        let asked = as_summary_request(whole, output);
        if wanted.parts.is_none() && self.measure(&asked) <= most {
            return Ok(Some(Asking { request: asked, covers: None }));
        }
        // Half of the window, and after each further refusal half of that.
        let half = (room / 2) >> wanted.refused.saturating_sub(1).min(16);
        let output = output.min(half / 4).max(1);
        let Some(part) = half.checked_sub(output + FRAME_TOKENS).filter(|part| *part >= LEAST_PART) else {
            // No part is small enough; the provider has the last word.
            return Ok((wanted.refused == 0).then_some(Asking { request: asked, covers: None }));
        };
        let placed = self.history.ledger.placed()?;
        let replaced = placed.iter().take(context::cut(&placed, keep)).map(|placed| &placed.message);
        Ok(Some(asking_for_part(wanted, asked, &context::transcript(replaced), part, output)))
    }

    /// What stays of the history beside a summary.
    pub(super) fn rest(&mut self, wanted: &WantedSummary, whole: &Request) -> Result<Rest, Unsettled> {
        let keep = self.keep(whole, wanted);
        let placed = self.history.ledger.placed()?;
        let stays = placed.get(context::cut(&placed, keep)..).unwrap_or_default();
        let entries = self.history.ledger.entries();
        let before = |first: &Placed| entries.get(first.at.checked_sub(1)?).map(|entry| entry.id);
        let last = self.history.ledger.last_id().unwrap_or(EntryId(0));
        let said = self.last_said().filter(|_| !stays.iter().any(|placed| placed.is_users));
        let most = (keep.last / 2).saturating_mul(BYTES).max(LEAST_WISH);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let wish = said.map(|said| context::shortened(&said.content, most)).unwrap_or_default();
        let mut since = placed.iter().rev().take_while(|one| !matches!(one.message, Message::Assistant(_)));
        let is_unheard = since.any(|one| one.is_users);
        let has_more = |said: &&UserMessage| !(said.files.is_empty() && said.images.is_empty());
        let cut = said.filter(|said| is_unheard && (wish != said.content || has_more(said)));
        let not_whole = cut.map(context::said_tokens);
        Ok(Rest {
            replaces_to: stays.first().and_then(before).unwrap_or(last),
            wish,
            tokens: stays.iter().map(|placed| context::message_tokens(&placed.message)).sum(),
            not_whole,
        })
    }

    /// What the user said last.
    fn last_said(&self) -> Option<&UserMessage> {
        let mut entries = self.history.ledger.entries().iter().rev();
        entries.find_map(|entry| if let Body::User(said) = &entry.body { Some(&**said) } else { None })
    }

    /// Tells the user that the model was not given all that they said last.
    pub(super) fn tell_not_whole(&mut self, now: Millis, size: u64) {
        let (model, window) = (self.spec().model.clone(), self.window());
        let size = self.scaled(&model, size);
        let text = format!(
            "Your last message (about {size} tokens) does not fit beside a summary into the context window of {model} ({window} \
             tokens). The model was given a summary of it, and the beginning and the end of your words. Shorten it, or choose a \
             model with a larger window."
        );
        self.note_on_the_last(now, text);
    }

    /// Room for recent messages, in estimated tokens: beside the system prompt, the tools and a summary the context is
    /// below the limit at which it would be compacted again.
    fn keep(&self, whole: &Request, wanted: &WantedSummary) -> Keep {
        // The model is called again at once, and a request does not end with its own words.
        if wanted.then.is_some() && matches!(whole.messages.last(), Some(Message::Assistant(_))) {
            return Keep { last: 0, recent: 0 };
        }
        let room = self.unscaled(&whole.model, self.window());
        let full = room / 100 * self.settings.compact_at_percent.min(100);
        let fixed = context::fixed_tokens(whole);
        let last = full.saturating_sub(fixed + SUMMARY_TOKENS.min(room / 8) + 64);
        Keep { last, recent: (last / 3).min(MOST_RECENT) }
    }
}

fn question() -> Message {
    Message::User(Arc::new(words::SUMMARIZE.into()))
}

/// The conversation with the request for its summary at the end.
fn as_summary_request(mut request: Request, output: u64) -> Request {
    request.messages.push(question());
    request.max_output = request.max_output.min(output);
    // Thinking counts as output: much of it would leave no room for the summary.
    let chosen = request.effort.or(request.thinks_by_itself().then_some(Effort::Low));
    request.effort = chosen.map(|level| level.min(Effort::Low));
    request
}

/// The next part of the transcript, in words: no call stands in it, so it needs no tools.
fn asking_for_part(
    wanted: &WantedSummary,
    asked: Request,
    transcript: &str,
    part: u64,
    output: u64,
) -> Asking {
    let bytes = |tokens: u64| usize::try_from(tokens.saturating_mul(BYTES)).unwrap_or(usize::MAX);
    let so_far = wanted.parts.clone().unwrap_or_default();
    let left = usize::try_from(MOST_PARTS.saturating_sub(so_far.made).max(1)).unwrap_or(1);
    let oldest = transcript.len().saturating_sub(left.saturating_mul(bytes(part)));
    let from = so_far.done.max(oldest).min(transcript.len());
    let from = (from..=transcript.len()).find(|at| transcript.is_char_boundary(*at)).unwrap_or(from);
    let end = context::part_end(transcript, from, bytes(part));
    let skipped = if from > so_far.done { "[older messages are omitted here]\n\n" } else { "" };
    let text = format!("{skipped}{}", transcript.get(from..end).unwrap_or_default());
    let before = context::shortened(&so_far.summary, bytes(output));
    let said = UserMessage::text(words::part(&before, &text));
    let request = Request {
        system: String::new(),
        tools: Vec::new(),
        messages: vec![Message::User(Arc::new(said)), question()],
        max_output: asked.max_output.min(output),
        ..asked
    };
    Asking { request, covers: (end < transcript.len()).then_some(end) }
}
