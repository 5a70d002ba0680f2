//! What could go otherwise at an entry, as a list to pick from.

use std::sync::Arc;

use crate::ledger::{Body, CallId, EntryId, UserMessage};
use crate::recorded::{Crossroads, Departure};
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
            // A call runs by what is typed, never by a click or by a key that is held.
            typed("allow the call", "enter runs it", begin("allow", "").trim_end().to_owned()),
            typed("change the call", "edit", begin("edit", &arguments_of(view, call, entry))),
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

/// What the call would do with where the branch leaves, as it was changed last before that.
fn arguments_of(view: &View, call: CallId, at: EntryId) -> String {
    let entries: Vec<_> = view.rows().iter().map(|row| Arc::clone(&row.entry)).collect();
    let left = Departure::before(&entries, at).ok().map(|left| left.first);
    let before = entries.iter().filter(|entry| left.is_none_or(|left| entry.id < left));
    let made = before.rev().find_map(|entry| match &entry.body {
        Body::ToolCall(made) if made.id == call => Some(made.arguments.to_value().to_string()),
        body => {
            let changed = body.changes().filter(|(of, _)| *of == call);
            changed.map(|(_, arguments)| arguments.to_value().to_string())
        }
    });
    made.filter(|text| text.len() <= MOST_CHARS).unwrap_or_default()
}
