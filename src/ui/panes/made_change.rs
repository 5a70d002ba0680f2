//! What a call has made of a file that nobody was asked about: nobody has seen it before, so it stands below its row and on its page.

use ratatui::text::{Line, Span};
use serde_json::Value;

use crate::ledger::{Arguments, FileContent, Outcome};
use crate::tool::name::{EDIT, WRITE};
use crate::ui::keymap::{KeyAction, KeyContext};
use crate::ui::text::diff::{self, DiffColours, LaidDiff, MadePart};
use crate::ui::text::{fit, width};
use crate::view::{Panel, subject};

use super::card_context::{CardContext, INDENT};
use super::layouts::TranscriptRow;

/// Rows of a change below its call on a high screen, and on a low one.
const ROWS: (usize, usize) = (8, 3);

/// The change, if the ledger still tells it: what a file was before it was written anew, it does not.
fn parts(panel: &Panel) -> Vec<MadePart<'_>> {
    let Some(result) = panel.result().filter(|result| result.outcome == Outcome::Ok) else {
        return Vec::new();
    };
    let Some(arguments) = panel.arguments().filter(|_| panel.request().is_none()) else { return Vec::new() };
    match result.name.as_str() {
        EDIT => replaced(arguments).unwrap_or_default(),
        WRITE if result.facts.files.iter().any(|file| file.before == FileContent::Absent) => {
            arguments.text("content").map(MadePart::Created).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn replaced(arguments: &Arguments) -> Option<Vec<MadePart<'_>>> {
    let Arguments::Object(members) = arguments else { return None };
    let edits = members.get("edits")?.as_array()?.iter();
    edits
        .map(|edit| {
            let text = |name: &str| edit.get(name).and_then(Value::as_str);
            let everywhere = edit.get("all").and_then(Value::as_bool).unwrap_or(false);
            Some(MadePart::Replaced { old: text("old_text")?, new: text("new_text")?, everywhere })
        })
        .collect()
}

/// The change on lines of so many cells; none, if it is not known or was asked about.
pub(super) fn lay(panel: &Panel, inner: usize, colours: DiffColours<'_>) -> LaidDiff {
    let (path, width) = (subject(panel), u16::try_from(inner).unwrap_or(u16::MAX));
    diff::lay_made(&parts(panel), width, DiffColours { language: diff::language(&path), ..colours })
}

/// Its first rows below the call, and how many more there are.
pub(super) fn excerpt(panel: &Panel, around: &CardContext<'_>) -> Vec<TranscriptRow> {
    let (theme, highlighter) = (around.theme, around.highlighter);
    let room = usize::from(around.text_width()).saturating_sub(2);
    let laid = lay(panel, room, DiffColours { theme, language: "", highlighter });
    let most = if around.height >= 15 { ROWS.0 } else { ROWS.1 };
    // One row that stays says where the change is.
    let from = laid.first_change.unwrap_or(0).saturating_sub(1);
    let all = laid.lines.len().saturating_sub(from);
    // Words for one row that is left out would take its place.
    let shown = if all <= most + 1 { all } else { most };
    let mut lines: Vec<Line<'static>> = laid.lines.into_iter().skip(from).take(shown).collect();
    if shown < all {
        lines.push(left_out(format!("… {} more", all - shown), room, around));
    }
    lines.into_iter().map(|line| TranscriptRow::new(INDENT + 2, line)).collect()
}

/// That something of a call is left out here, and the key that shows it.
pub(super) fn left_out(words: String, room: usize, around: &CardContext<'_>) -> Line<'static> {
    let key = around.keymap.first(KeyContext::Panel, KeyAction::Open, "o");
    let way = key.map(|key| format!(" · tab, {key}")).filter(|way| width(&words) + width(way) <= room);
    let words = fit(&(words + way.as_deref().unwrap_or_default()), room);
    Line::from(Span::styled(words, around.theme.dim))
}
