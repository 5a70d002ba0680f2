//! The title of the box of a call that waits: what it does, what it is called, what it is about.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::ledger::{ApprovalRequest, Preview};
use crate::tool::{ASK, delegate, mcp};
use crate::ui::effect_words;
use crate::ui::new_file::NewFile;
use crate::ui::text::{command_in_a_row, diff, width, wrap, wrap_spans};
use crate::ui::theme::Theme;
use crate::view::{Panel, subject};

use super::action::{behind, written};
use super::risk;
use super::words::{cells, one_row};

/// That a call was changed, where there is no room for by whom.
const CHANGED: &str = "changed";

/// The title of a call's box: what it does to the world, what it is called, what it is about.
pub(super) struct Title {
    /// The name of the action.
    pub name: String,
    /// What it is about.
    pub about: String,
    /// By whom it was changed, in words; empty if by nobody.
    pub changed: String,
    /// Whether what it is about is decided about: then that is told whole, below the title if that has no room.
    pub counts: bool,
    /// How many lines it adds and removes, where all of them are known.
    pub lines: Option<(usize, usize)>,
    /// The server that a secret is sent to, as far as it is known.
    pub to: Option<String>,
}

impl Title {
    /// On one line, its last parts left out where they do not fit `room` cells.
    pub(super) fn spans(&self, request: &ApprovalRequest, theme: &Theme, room: usize) -> Vec<Span<'static>> {
        let mut spans = risk::effects(request, self.to.as_deref(), theme);
        if cells(&spans) > room {
            // The end of a server's name says whose it is: a part of it misleads.
            spans = risk::effects(request, None, theme);
        }
        if !spans.is_empty() {
            spans.push(Span::styled(" · ", theme.dim));
        }
        let name = one_row(&self.name);
        spans.push(Span::styled(name, if request.replaces { risk::grave(theme) } else { theme.title }));
        let beside = self.beside(&self.changed);
        if !beside.is_empty() {
            spans.push(Span::styled(format!("  {}", one_row(&beside)), theme.dim));
        }
        if let Some((added, removed)) = self.lines {
            let (added, removed) = (format!("  +{added}"), format!(" −{removed}"));
            if cells(&spans) + width(&added) + width(&removed) <= room {
                let ink = |style: Style| Style { bg: None, ..style };
                spans.push(Span::styled(added, ink(theme.diff_add)));
                spans.push(Span::styled(removed, ink(theme.diff_remove)));
            }
        }
        spans
    }

    /// What it is about, and that it was changed, in these words.
    fn beside(&self, changed: &str) -> String {
        let both = [self.about.as_str(), changed].into_iter().filter(|words| !words.is_empty());
        both.collect::<Vec<_>>().join(" · ")
    }

    /// The title of a box of `total` cells with `beside` of them taken, and the first lines in it: what counts of a title
    /// that has no room for it is there, whole, and that the path is not written as it is used.
    pub(super) fn with_head(
        mut self,
        request: &ApprovalRequest,
        theme: &Theme,
        (beside, total): (usize, usize),
    ) -> (Vec<Span<'static>>, Vec<Line<'static>>) {
        let inner = total.saturating_sub(4).max(1);
        let room = total.saturating_sub(beside);
        let mut head = Vec::new();
        if request.name == ASK {
            return (self.spans(request, theme, room), head);
        }
        let besides = [self.changed.as_str(), CHANGED].map(|words| width(&one_row(&self.beside(words))));
        let (about, changed) = (std::mem::take(&mut self.about), std::mem::take(&mut self.changed));
        let lines = self.lines.take();
        let named = self.spans(request, theme, room);
        if cells(&named) > room {
            head.extend(wrap_spans(named.clone(), inner, Vec::new()));
        }
        let [is_cut, stays_cut] = besides.map(|beside| cells(&named) + 2 + beside > room);
        let has_short = !changed.is_empty() && !stays_cut;
        if is_cut && !has_short && self.counts && !about.is_empty() {
            let whole = Self { about, ..self };
            let (below, changed) = whole.below(&changed, inner, room.saturating_sub(cells(&named)), theme);
            head.extend(below);
            self = Self { about: String::new(), changed, ..whole };
        } else {
            let changed = if is_cut && !changed.is_empty() { CHANGED.to_owned() } else { changed };
            self = Self { about, changed, ..self };
        }
        if matches!(request.preview, Preview::Diff(_)) {
            head.extend(written(request, inner, theme));
        }
        (Self { lines, ..self }.spans(request, theme, room), head)
    }

    /// What it is about on lines of its own, and what the title says of that it was changed, in `left` cells. That takes no line
    /// for itself where the title, or a shorter word for it, spares that.
    fn below(&self, changed: &str, inner: usize, left: usize, theme: &Theme) -> (Vec<Line<'static>>, String) {
        let lay = |words: &str| behind(inner, |room| wrap(&one_row(words), room, theme.strong));
        let alone = lay(&self.about);
        if changed.is_empty() {
            return (alone, String::new());
        }
        let ways = [changed, CHANGED];
        let below = ways.map(|words| lay(&self.beside(words)));
        if let Some(below) = below.iter().find(|lines| lines.len() == alone.len()) {
            return (below.clone(), String::new());
        }
        match ways.into_iter().find(|words| width(words) + 2 <= left) {
            Some(words) => (alone, words.to_owned()),
            None => (lay(&self.beside(CHANGED)), String::new()),
        }
    }
}

/// The title of a call with what it is about in the same row, as far as the box has that below its title. What has no room is
/// cut by the caller.
pub(super) fn in_a_row(
    panel: &Panel,
    request: &ApprovalRequest,
    theme: &Theme,
    room: usize,
) -> Vec<Span<'static>> {
    let mut spans = title(panel, request).spans(request, theme, room);
    let about = subject(panel);
    if !matches!(request.preview, Preview::Diff(_)) && !about.is_empty() {
        let is_command = matches!(request.preview, Preview::Command(_));
        let about = if is_command { command_in_a_row(&about) } else { one_row(&about) };
        spans.push(Span::styled(format!("  {about}"), theme.dim));
    }
    spans
}

/// The name of the action and what it is about, as the title of its box.
pub(super) fn title(panel: &Panel, request: &ApprovalRequest) -> Title {
    let changed = panel.changed_by("you").map(|who| format!("changed by {who}")).unwrap_or_default();
    if let Some((server, tool)) = mcp(&request.name) {
        return Title {
            name: tool.to_owned(),
            about: format!("of the MCP server {server}"),
            changed,
            counts: true,
            lines: None,
            to: None,
        };
    }
    if request.name == ASK {
        return Title {
            name: "the model asks you".to_owned(),
            about: String::new(),
            changed: String::new(),
            counts: false,
            lines: None,
            to: None,
        };
    }
    if let Some(agent) = delegate(&request.name) {
        let about = "a task for another agent".to_owned();
        return Title { name: format!("→ {agent}"), about, changed, counts: false, lines: None, to: None };
    }
    let counts = matches!(request.preview, Preview::Diff(_));
    let about = if counts { subject(panel) } else { String::new() };
    let lines = match &request.preview {
        Preview::Diff(unified) if !request.is_partial => Some(diff::counts(unified)),
        _ => NewFile::cut_in(request).map(|file| (file.lines(), 0)),
    };
    let name = if request.replaces { "overwrite".to_owned() } else { request.name.clone() };
    let to = effect_words::gets_secret(panel, request).map(str::to_owned);
    Title { name, about, changed, counts, lines, to }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_it_was_changed_takes_no_row_where_a_shorter_word_or_the_title_has_room() {
        let long = "src/of/a/module/in/the_file.rs";
        for (about, left, told, beside) in [
            ("src/main.rs", 0, "  src/main.rs · changed by you", ""),
            ("src/deep/filename.rs", 20, "  src/deep/filename.rs · changed", ""),
            (long, 20, "  src/of/a/module/in/the_file.rs", "changed by you"),
            (long, 9, "  src/of/a/module/in/the_file.rs", "changed"),
        ] {
            let (name, changed) = ("edit".to_owned(), String::new());
            let title = Title { name, about: about.to_owned(), changed, counts: true, lines: None, to: None };
            let (below, in_title) = title.below("changed by you", 34, left, &Theme::plain());
            let below: Vec<String> = below.iter().map(Line::to_string).collect();
            assert_eq!((below.as_slice(), in_title.as_str()), (&[told.to_owned()][..], beside), "{about}");
        }
    }
}
