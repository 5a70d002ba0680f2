//! One quiet line for a call: its name, what it is about, how it stands.

use ratatui::text::Span;

use crate::ui::commands::plain_git_diff;
use crate::ui::text::{fit, width};
use crate::view::{Panel, subject};

use super::card_context::{CardContext, INDENT};
use super::layouts::TranscriptRow;
use super::standing::{CallStatus, in_whole_parts};
use super::words::{both_ends, one_row};

/// Cells of a tool's name, at most and on the narrowest screen.
const NAME: (usize, usize) = (24, 8);
/// Cells of the column of names, at least.
const LEAST_NAME: usize = 6;
/// Cells that tell anything of what a call is about.
const LEAST_ABOUT: usize = 5;

/// What a call is about. The command of `/diff git` is ours: it is called what people know it as.
pub(super) fn about(panel: &Panel) -> String {
    let command = panel.arguments().and_then(|arguments| arguments.text("command"));
    let ours = command.filter(|_| panel.is_own_command()).and_then(plain_git_diff);
    ours.unwrap_or_else(|| subject(panel))
}

/// What a row says of a call beside how it stands.
pub(super) struct CallRow<'a> {
    pub name: &'a str,
    /// What is said before what it is about, where there is room for both.
    pub before: &'a str,
    pub about: &'a str,
    /// How that is shortened.
    pub cut: fn(&str, usize) -> String,
}

impl<'a> CallRow<'a> {
    /// Of what people read from its beginning.
    pub(super) fn sentence(name: &'a str, about: &'a str) -> Self {
        Self { name, before: "", about, cut: fit }
    }
}

/// `✓ read    src/parser.rs                      212 lines · 3 ms`. Where there is little room, how it stands
/// is said in fewer words, and then what it is about is shortened. A name is whole where that is cut anyway:
/// one cut is enough.
pub(super) fn line(named: &CallRow<'_>, standing: &CallStatus, around: &CardContext<'_>) -> TranscriptRow {
    let theme = around.theme;
    let total = usize::from(around.text_width());
    let most = if named.about.is_empty() { NAME.0 } else { (total * 2 / 5).clamp(NAME.1, NAME.0) };
    let whole = one_row(named.name);
    let mut about = one_row(&format!("{}{}", named.before, named.about));
    let beside = |name: &str| {
        let left = width(name).max(LEAST_NAME) + 2;
        let right = in_whole_parts(standing, total.saturating_sub(left + 2), width(&about));
        let room = total.saturating_sub(left + width(&right) + 2);
        (right, room)
    };
    let mut name = fit(&whole, most);
    let (mut right, mut room) = beside(&name);
    if width(&whole) > most && width(&one_row(named.about)) > room {
        let (with_name, left) = beside(&whole);
        if left >= LEAST_ABOUT {
            (name, right, room) = (whole, with_name, left);
        }
    }
    if width(&about) > room {
        about = one_row(named.about);
    }
    let pad = LEAST_NAME.saturating_sub(width(&name)) + 2;
    let mut left = vec![Span::styled(format!("{name}{}", " ".repeat(pad)), theme.text)];
    // A sign of a cut alone says nothing.
    let is_told = room > 1 || width(&about) <= room;
    let about = if is_told { (named.cut)(&about, room) } else { String::new() };
    left.push(Span::styled(about, theme.dim));
    let line = both_ends(left, vec![Span::styled(right, standing.words_style)], total);
    TranscriptRow::new(INDENT, line).marked(standing.symbol, standing.style)
}
