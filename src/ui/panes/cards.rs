//! Cards as rows: what was said, by the piece. Calls are in `tools` and `approval`, the rest in `remarks` and `endings`.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::ledger::{Body, EntryId, Millis};
use crate::ui::graphics::Sizing;
use crate::ui::local::{Always, Focus, Local, Reading, Reason};
use crate::ui::rebinding::Keymap;
use crate::ui::text::plain::Plain;
use crate::ui::text::{MEASURE, fit};
use crate::ui::theme::Theme;
use crate::view::{Card, CardBody, LiveMessage, PanelState, View, hosted_lines};

use super::layouts::{Part, Row, Version};
use super::message::Message;
use super::words::count;
use super::{approval, endings, goals, pictures, remarks, tools};

/// Cells left free before and after text. Those before it are the margin: what others wrote never stands there.
pub(super) const INDENT: u16 = 3;
/// The widest that boxes become: beyond, their two ends have nothing to do with each other.
const WIDEST: u16 = 140;

/// What cards borrow from outside themselves.
pub(super) struct Around<'a> {
    pub view: &'a View,
    pub theme: &'a Theme,
    pub now: Millis,
    pub width: u16,
    pub height: u16,
    pub thinking_open: bool,
    /// The requests that wait, oldest first.
    pub waiting: Vec<EntryId>,
    /// The request whose panel is shown whole.
    pub chosen: Option<EntryId>,
    /// Whether it has the keys.
    pub has_keys: bool,
    /// Whether a budget stop has them.
    pub stop_has_keys: bool,
    /// Whether what has the keys has stood there for long enough to be decided.
    pub is_ripe: bool,
    /// How much of it has been in sight.
    pub reading: Option<Reading>,
    pub reason: Option<&'a Reason>,
    /// The rule that is shown in a panel.
    pub always: Option<&'a Always>,
    /// The request about the call that is being changed.
    pub editing: Option<EntryId>,
    pub keymap: &'a Keymap,
    pub pictures: Sizing,
}

impl<'a> Around<'a> {
    pub(super) fn new(
        view: &'a View,
        local: &'a Local,
        theme: &'a Theme,
        pictures: Sizing,
        area: Rect,
        now: Millis,
    ) -> Self {
        Self {
            view,
            theme,
            now,
            width: area.width,
            height: area.height,
            thinking_open: local.thinking_open,
            waiting: local.waiting(view).iter().map(|(request, _)| *request).collect(),
            chosen: local.chosen(view).map(|(request, _)| request),
            has_keys: matches!(local.focused(view), Focus::Approval(_)),
            stop_has_keys: local.focused(view) == Focus::Stop,
            is_ripe: local.is_ripe(view),
            reading: local.reading.filter(|reading| !reading.is_page),
            reason: local.reason.as_ref(),
            always: local.always.as_ref(),
            editing: local.edit.as_ref().filter(|edit| edit.is_open()).map(|edit| edit.request),
            keymap: &local.keymap,
            pictures,
        }
    }

    /// The width of boxes, edges included.
    pub(super) fn panel_width(&self) -> u16 {
        self.width.saturating_sub(2).min(WIDEST)
    }

    /// The width of what stands in boxes, of code, of lines with two ends.
    pub(super) fn text_width(&self) -> u16 {
        self.panel_width().saturating_sub(4).max(1)
    }

    /// The width of words.
    pub(super) fn prose_width(&self) -> u16 {
        self.text_width().min(u16::try_from(MEASURE).unwrap_or(u16::MAX))
    }

    fn of_pictures(&self) -> pictures::Place<'_> {
        let (width, quiet) = (self.prose_width(), self.theme.dim);
        pictures::Place { sizing: &self.pictures, indent: INDENT, width, quiet }
    }

    /// What a card's lines depend on besides the card.
    pub(super) fn version(&self, card: &Card) -> Version {
        let Some(panel) = card.panel() else {
            let focus = u64::from(self.stop_has_keys) + 2 * u64::from(self.stop_has_keys && self.is_ripe);
            return Version { pictures: self.pictures.version(), focus, ..Version::default() };
        };
        match &panel.state {
            PanelState::Running { since, .. } => Version {
                clock: 1 + self.now.since(*since) / 1_000,
                height: self.height,
                ..Version::default()
            },
            PanelState::Waiting => Version {
                focus: self.focus_of(panel.request().map(|r| r.0)),
                clock: self.place_of(panel.request().map(|r| r.0)),
                height: self.height,
                ..Version::default()
            },
            _ => Version::default(),
        }
    }

    /// The first line that a waiting panel shows of its call, and whether its keys decide already.
    fn place_of(&self, request: Option<EntryId>) -> u64 {
        let reading = self.reading.filter(|reading| Some(reading.request) == request);
        let is_ripe = self.is_ripe && request == self.chosen;
        reading.map_or(0, |reading| 2 * (1 + reading.from as u64)) + u64::from(is_ripe)
    }

    /// One number for all that a waiting panel shows of the focus; never 0, which is "not waiting".
    fn focus_of(&self, request: Option<EntryId>) -> u64 {
        let at = self.waiting.iter().position(|id| Some(*id) == request).map_or(0, |at| at + 1) as u64;
        let chosen = request.is_some() && request == self.chosen;
        let mut number = 1 + at * 4 + u64::from(chosen) * 2 + u64::from(chosen && self.has_keys);
        number = number * 2 + u64::from(request.is_some() && request == self.editing);
        number = number * 1_000 + self.waiting.len() as u64;
        number += u64::from(self.always.is_some_and(|a| Some(a.request) == request)) << 41;
        if let Some(reason) = self.reason.filter(|r| Some(r.request) == request) {
            number += 1 << 40;
            for byte in reason.text.bytes() {
                number = (number ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        number
    }
}

/// Lays out one card that is not a message.
pub(super) fn lay(card: &Card, around: &Around<'_>) -> Vec<Row> {
    match &card.body {
        CardBody::User(_) | CardBody::Assistant(_) | CardBody::Growing => Vec::new(),
        CardBody::Forming(forming) => tools::forming(forming, around),
        CardBody::Tool(panel) if panel.state == PanelState::Waiting => approval::lay(panel, around),
        CardBody::Tool(panel) => tools::lay(panel, around),
        CardBody::Injected(entry) => {
            let mut rows = remarks::lay(entry, around);
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

/// A piece of a user's words.
pub(super) fn user(words: &Plain, piece: usize, around: &Around<'_>) -> Vec<Row> {
    let lines = words.lines(piece, usize::from(around.prose_width()), around.theme.user);
    let mut rows: Vec<Row> = lines.into_iter().map(|line| Row::new(INDENT, line)).collect();
    if let Some(first) = rows.first_mut().filter(|_| piece == 0) {
        first.mark = Some(("›", around.theme.accent));
    }
    rows
}

/// The pictures under a user's words.
pub(super) fn user_pictures(card: &Card, around: &Around<'_>) -> Vec<Row> {
    let CardBody::User(entry) = &card.body else { return Vec::new() };
    let Body::User(message) = &entry.body else { return Vec::new() };
    pictures::lay(entry.id, &message.images, &around.of_pictures())
}

/// The line over reasoning, if there is any.
pub(super) fn reasoning_head(reasoning: &Plain, around: &Around<'_>) -> Vec<Row> {
    if reasoning.pieces() == 0 {
        return Vec::new();
    }
    let theme = around.theme;
    let words = count(reasoning.words(), "word");
    let (sign, key) = if around.thinking_open { ("▾", "folds") } else { ("▸", "unfolds") };
    let head = fit(&format!("thinking · {words} · ctrl-t {key}"), usize::from(around.prose_width()));
    let row = Row::new(INDENT, Line::styled(head, theme.dim)).marked(sign, theme.dim);
    vec![Row { part: Part::ReasoningHead, ..row }]
}

/// A piece of reasoning; nothing while it is folded.
pub(super) fn reasoning(text: &Plain, piece: usize, around: &Around<'_>) -> Vec<Row> {
    if !around.thinking_open {
        return Vec::new();
    }
    let theme = around.theme;
    let lines = text.lines(piece, usize::from(around.prose_width()), theme.dim);
    let rows = lines.into_iter().map(|line| Row::new(INDENT, line).marked("│", theme.faint));
    rows.map(|row| Row { part: Part::Reasoning, ..row }).collect()
}

/// What stands between the reasoning and the words of an answer: of one that grows also what the provider has run so far.
pub(super) fn after_reasoning(
    reasoning: &Plain,
    finished: Option<&Message>,
    live: Option<&LiveMessage>,
    around: &Around<'_>,
) -> Vec<Row> {
    let hosted = live.map_or(&[][..], |live| &live.hosted);
    let speaks = live.is_some_and(|live| !live.text.trim().is_empty());
    let goes_on = match live {
        Some(_) => speaks || !hosted.is_empty(),
        None => finished.is_some_and(Message::speaks),
    };
    let empty = |is_there: bool| is_there.then(|| Row::new(INDENT, Line::default()));
    let mut rows: Vec<Row> = empty(reasoning.pieces() > 0 && goes_on).into_iter().collect();
    rows.extend(hosted_lines(hosted).iter().map(|line| tools::hosted(line, around)));
    rows.extend(empty(!hosted.is_empty() && speaks));
    rows
}
