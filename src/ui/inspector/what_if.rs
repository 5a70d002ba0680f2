//! What could go otherwise at an entry, as a list to pick from.

use crate::ledger::{Body, CallId, EntryId, UserMessage};
use crate::recorded::Crossroads;
use crate::ui::branches::{BranchWish, Otherwise};
use crate::ui::picker::{Choice, Item, Picker};
use crate::ui::picker_source::Source;
use crate::view::View;

/// Most characters that are put into the composer to be changed there.
const MOST_CHARS: usize = 4_000;

/// The lines to pick from at an entry.
///
/// # Errors
/// Why nothing could go otherwise there.
pub(super) fn picker(view: &View, entry: EntryId) -> Result<Picker, String> {
    let entries = view.rows().iter().map(|row| row.entry.as_ref());
    let crossroads = Crossroads::at(entries, entry).map_err(|why| why.to_string())?;
    let typed = |words: &str, aside: &str, text: String| Item {
        words: words.to_owned(),
        aside: aside.to_owned(),
        choice: Choice::Prompt(UserMessage::text(text)),
    };
    let begin = |verb: &str, rest: &str| format!("/whatif {entry} {verb} {rest}");
    let items = match crossroads {
        Crossroads::Message(_) => vec![
            typed("other words", "edit", begin("edit", &words_of(view, entry))),
            typed("another model", "model", begin("model", "")),
        ],
        Crossroads::Decision(call) | Crossroads::Ruled(call) => vec![
            typed("deny the call", "with a reason", begin("deny", "")),
            Item {
                words: "allow the call".to_owned(),
                aside: "at once".to_owned(),
                choice: Choice::WhatIf(BranchWish { entry, otherwise: Otherwise::Allow }),
            },
            typed("change the call", "edit", begin("edit", &arguments_of(view, call))),
        ],
    };
    Ok(Picker::new(Source::Otherwise, items))
}

fn words_of(view: &View, entry: EntryId) -> String {
    match view.row(entry).map(|row| &row.entry.body) {
        Some(Body::User(said)) if said.content.len() <= MOST_CHARS => said.content.clone(),
        _ => String::new(),
    }
}

/// What the call would do with, as it was changed last.
fn arguments_of(view: &View, call: CallId) -> String {
    let made = view.rows().iter().rev().find_map(|row| match &row.entry.body {
        Body::ToolCall(made) if made.id == call => Some(made.arguments.to_value().to_string()),
        body => {
            let changed = body.changes().filter(|(of, _)| *of == call);
            changed.map(|(_, arguments)| arguments.to_value().to_string())
        }
    });
    made.filter(|text| text.len() <= MOST_CHARS).unwrap_or_default()
}
