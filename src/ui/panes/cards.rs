//! Cards as rows: what was said, by the piece. Calls are in `tools` and `approval`, the rest in `remarks` and `endings`.

use ratatui::text::Line;

use crate::ledger::Body;
use crate::ui::text::fit;
use crate::ui::text::plain::Plain;
use crate::view::{Card, CardBody, LiveMessage, PanelState, hosted_lines};

use super::card_context::{CardContext, INDENT};
use super::layouts::{Part, TranscriptRow};
use super::message::{Message, abridged};
use super::words::count;
use super::{approval, endings, goals, pictures, remarks, tools};

/// Lays out one card that is not a message.
pub(super) fn lay(card: &Card, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    match &card.body {
        CardBody::User(_) | CardBody::Assistant(_) | CardBody::Growing => Vec::new(),
        CardBody::Forming(forming) => tools::forming(forming, around),
        CardBody::Tool(panel) if panel.state == PanelState::Waiting => approval::lay(panel, around),
        CardBody::Tool(panel) => tools::lay(panel, around),
        CardBody::Injected(entry) => {
            let long = card.long_message();
            let mut rows = match &long {
                Some(said) => remarks::steering(abridged(said), around),
                None => remarks::lay(entry, around),
            };
            if let Body::Injected(injected) = &entry.body {
                rows.extend(pictures::lay(entry.id, &injected.images, &around.of_pictures()));
            }
            rows
        }
        CardBody::Compacted(entry)
        | CardBody::Note(entry)
        | CardBody::Error(entry)
        | CardBody::Raised(entry)
        | CardBody::Changed(entry) => remarks::lay(entry, around),
        CardBody::Goal(entry) => goals::lay(entry, around),
        CardBody::TurnEnded(entry) => match &entry.body {
            Body::TurnEnded(ended) => endings::lay(ended, entry, around),
            _ => Vec::new(),
        },
    }
}

/// A piece of a user's words, and of what we say below them from `words_end` on: nobody takes that for theirs.
pub(super) fn user(
    (words, words_end): (&Plain, usize),
    piece: usize,
    around: &CardContext<'_>,
) -> Vec<TranscriptRow> {
    let (width, theme) = (usize::from(around.prose_width()), around.theme);
    let lines = words.lines_in_two(piece, width, theme.user, (words_end, theme.dim));
    let mut rows: Vec<TranscriptRow> =
        lines.into_iter().map(|line| TranscriptRow::new(INDENT, line)).collect();
    if let Some(first) = rows.first_mut().filter(|_| piece == 0) {
        first.mark = Some(("›", around.theme.accent));
    }
    rows
}

/// The pictures under a user's words.
pub(super) fn user_pictures(card: &Card, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let CardBody::User(entry) = &card.body else { return Vec::new() };
    let Body::User(message) = &entry.body else { return Vec::new() };
    pictures::lay(entry.id, &message.images, &around.of_pictures())
}

/// The line over reasoning, if there is any.
pub(super) fn reasoning_head(reasoning: &Plain, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    if reasoning.pieces() == 0 {
        return Vec::new();
    }
    let theme = around.theme;
    let words = count(reasoning.words(), "word");
    let (sign, key) = if around.thinking_open { ("▾", "folds") } else { ("▸", "unfolds") };
    let head = fit(&format!("thinking · {words} · ctrl-t {key}"), usize::from(around.prose_width()));
    let row = TranscriptRow::new(INDENT, Line::styled(head, theme.dim)).marked(sign, theme.dim);
    vec![TranscriptRow { part: Part::ReasoningHead, ..row }]
}

/// A piece of reasoning; nothing while it is folded.
pub(super) fn reasoning(text: &Plain, piece: usize, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    if !around.thinking_open {
        return Vec::new();
    }
    let theme = around.theme;
    let lines = text.lines(piece, usize::from(around.prose_width()), theme.dim);
    let rows = lines.into_iter().map(|line| TranscriptRow::new(INDENT, line).marked("│", theme.faint));
    rows.map(|row| TranscriptRow { part: Part::Reasoning, ..row }).collect()
}

/// What stands between the reasoning and the words of an answer: of one that grows also what the provider has run so far.
pub(super) fn after_reasoning(
    reasoning: &Plain,
    finished: Option<&Message>,
    live: Option<&LiveMessage>,
    around: &CardContext<'_>,
) -> Vec<TranscriptRow> {
    let hosted = live.map_or(&[][..], |live| &live.hosted);
    let speaks = live.is_some_and(|live| !live.text.trim().is_empty());
    let goes_on = match live {
        Some(_) => speaks || !hosted.is_empty(),
        None => finished.is_some_and(Message::speaks),
    };
    let empty = |is_there: bool| is_there.then(|| TranscriptRow::new(INDENT, Line::default()));
    let mut rows: Vec<TranscriptRow> = empty(reasoning.pieces() > 0 && goes_on).into_iter().collect();
    rows.extend(hosted_lines(hosted).iter().map(|line| tools::hosted(line, around)));
    rows.extend(empty(!hosted.is_empty() && speaks));
    rows
}
