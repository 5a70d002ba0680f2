//! What cards borrow from outside themselves: the view, the theme, the room, and what has the keys.

use std::collections::BTreeMap;

use ratatui::layout::Rect;

use crate::ledger::{EntryId, Millis};
use crate::ui::blocked_host;
use crate::ui::graphics::Sizing;
use crate::ui::local::{Focus, Local, OfferedRule, ReadProgress, Reason};
use crate::ui::rebinding::Keymap;
use crate::ui::text::MEASURE;
use crate::ui::text::highlight::Highlighter;
use crate::ui::theme::Theme;
use crate::view::{Card, CardBody, Panel, PanelState, View};

use super::layouts::Version;
use super::pictures;

/// Cells left free before and after text. Those before it are the margin: what others wrote never stands there.
pub(super) const INDENT: u16 = 3;

/// Rows of the transcript below which few words must do.
const LOW: u16 = 8;

/// What cards borrow from outside themselves.
pub(super) struct CardContext<'a> {
    pub view: &'a View,
    pub theme: &'a Theme,
    pub highlighter: &'a Highlighter,
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
    pub reading: Option<ReadProgress>,
    pub reason: Option<&'a Reason>,
    /// The rule that is shown in a panel.
    pub always: Option<&'a OfferedRule>,
    /// The request about the call that is being changed.
    pub editing: Option<EntryId>,
    pub keymap: &'a Keymap,
    pub pictures: Sizing,
    /// The last rows that background commands had printed when they ended, by their ids and beginnings.
    printed: &'a BTreeMap<(String, Millis), Vec<String>>,
}

impl<'a> CardContext<'a> {
    pub(super) fn new(
        view: &'a View,
        local: &'a Local,
        (theme, highlighter): (&'a Theme, &'a Highlighter),
        pictures: Sizing,
        area: Rect,
        now: Millis,
    ) -> Self {
        Self {
            view,
            theme,
            highlighter,
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
            printed: &local.printed_to_end,
        }
    }

    /// Whether a call waits for the person: it has the room, and what runs meanwhile is shown in few rows.
    pub(super) fn is_someone_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether the screen is so low that few words must do.
    pub(super) fn is_low(&self) -> bool {
        self.height < LOW
    }

    /// The width of boxes, edges included.
    pub(super) fn panel_width(&self) -> u16 {
        self.width.saturating_sub(2)
    }

    /// The width of what stands in boxes, of code, of lines with two ends.
    pub(super) fn text_width(&self) -> u16 {
        self.panel_width().saturating_sub(4).max(1)
    }

    /// The width of words.
    pub(super) fn prose_width(&self) -> u16 {
        self.text_width().min(u16::try_from(MEASURE).unwrap_or(u16::MAX))
    }

    /// Where pictures stand, and how large they may be.
    pub(super) fn of_pictures(&self) -> pictures::PicturePlace<'_> {
        let (width, quiet) = (self.prose_width(), self.theme.dim);
        pictures::PicturePlace { sizing: &self.pictures, indent: INDENT, width, quiet }
    }

    /// What a card's lines depend on besides the card.
    pub(super) fn version(&self, card: &Card) -> Version {
        let Some(panel) = card.panel() else {
            let focus = u64::from(self.stop_has_keys) + 2 * u64::from(self.stop_has_keys && self.is_ripe);
            // The end of a run is said in fewer words on a low screen.
            let is_end = matches!(card.body, CardBody::TurnEnded(_));
            let height = u16::from(is_end && self.is_low());
            return Version { pictures: self.pictures.version(), focus, height, ..Version::default() };
        };
        match &panel.state {
            PanelState::Running { since, .. } => Version {
                clock: 1 + self.now.since(*since) / 1_000,
                focus: u64::from(self.is_someone_waiting()),
                height: self.height,
                ..Version::default()
            },
            PanelState::Waiting => Version {
                focus: self.focus_of(panel.request().map(|r| r.0)),
                clock: self.place_of(panel.request().map(|r| r.0)),
                height: self.height,
                ..Version::default()
            },
            _ if panel.works_in_background() => {
                let child = panel.id().and_then(|call| self.view.subagent(call));
                let clock = child.map_or(0, |child| 1 + child.worked_ms(self.now) / 1_000);
                let focus = u64::from(self.is_someone_waiting());
                Version { clock, focus, height: self.height, ..Version::default() }
            }
            // Hosts that it did not reach can be allowed later, and closed again.
            _ => {
                let is_open = |host: &&String| self.view.session.hosts.contains(*host);
                let open = blocked_host::blocked(panel).iter().filter(is_open).count() as u64;
                // Of a change that nobody was asked about, a higher screen shows more; of what a call had
                // printed, a low one less.
                let height = if panel.request().is_none() { self.height } else { u16::from(self.is_low()) };
                let runs = self.view.shell_of(panel).filter(|shell| shell.is_running);
                let ended = if self.printed_by_ended(panel).is_some() { u64::MAX } else { 0 };
                let clock = runs.map_or(ended, |shell| 1 + self.now.since(shell.since) / 1_000);
                Version { focus: open, clock, height, ..Version::default() }
            }
        }
    }

    /// The last rows of the background command that this call began, once it has ended and if it had printed some.
    pub(super) fn printed_by_ended(&self, panel: &Panel) -> Option<&'a [String]> {
        let shell = self.view.shell_of(panel).filter(|shell| !shell.is_running)?;
        self.printed.get(&(shell.id.clone(), shell.since)).map(Vec::as_slice).filter(|rows| !rows.is_empty())
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
        if let Some(always) = self.always.filter(|always| Some(always.request) == request) {
            number += (1 + 2 * always.scope as u64 + 8 * u64::from(always.plan.is_some())) << 41;
            let (from, seen) = always.reading.map_or((0, 0), |read| (read.from as u64, 1 + read.seen as u64));
            number = number.wrapping_add((from << 45).wrapping_add(seen << 54));
        }
        if let Some(reason) = self.reason.filter(|r| Some(r.request) == request) {
            number += 1 << 40;
            for byte in reason.text.bytes() {
                number = (number ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        number
    }
}
