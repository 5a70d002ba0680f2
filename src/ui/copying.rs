//! What the copy key gives away: the code of the answer that has the focus, block after block, or what a call ran or
//! brought.

use crate::ledger::Body;
use crate::view::{Card, CardBody, CardId, Mark, Panel, View};

use super::local::{Focus, Local};
use super::text::markdown::{code_blocks, harmless};

/// The text to copy: what the focused card has to give, or when asked again, the next block of the same answer.
pub(super) fn copy(local: &mut Local, view: &View) -> Option<String> {
    let Focus::Card(id) = local.focused(view) else { return None };
    let texts = view.place(id).and_then(|at| view.card(at)).map(texts).unwrap_or_default();
    let at = match local.copied {
        Some((card, last)) if card == id && last + 1 < texts.len() => last + 1,
        Some(_) | None => 0,
    };
    let Some(text) = texts.into_iter().nth(at) else {
        local.hint = Some("nothing to copy here: o opens it".to_owned());
        return None;
    };
    local.copied = Some((id, at));
    Some(text)
}

/// What the copy key gives away of a card, in the words of the footer; `None`: nothing. Nothing is copied for that.
pub(super) fn offered(view: &View, id: CardId) -> Option<&'static str> {
    let card = view.place(id).and_then(|at| view.card(at))?;
    match &card.body {
        CardBody::Assistant(_) => card.has_code().then_some("copy code"),
        CardBody::Compacted(_) => Some("copy"),
        CardBody::Tool(panel) => {
            let command = panel.arguments().and_then(|arguments| arguments.text("command"));
            match (command, panel.result()) {
                (Some(command), _) => (!command.is_empty()).then_some("copy command"),
                (None, result) => result.filter(|it| !it.content.is_empty()).map(|_| "copy result"),
            }
        }
        _ => card.is_long_message().then_some("copy"),
    }
}

/// The text of the last answer.
pub(super) fn last_answer(local: &mut Local, view: &View) -> Option<String> {
    let said = view.rows().iter().rev().find_map(|row| match &row.entry.body {
        Body::Assistant(message) if !row.marks.iter().any(|mark| matches!(mark, Mark::Tombstoned(_))) => {
            Some(harmless(&message.text())).filter(|text| !text.trim().is_empty())
        }
        _ => None,
    });
    if said.is_none() {
        local.hint = Some("there is no answer to copy yet".to_owned());
    }
    said
}

fn texts(card: &Card) -> Vec<String> {
    match &card.body {
        CardBody::Assistant(entry) => match &entry.body {
            Body::Assistant(message) => code_blocks(&message.text()),
            _ => Vec::new(),
        },
        CardBody::Compacted(entry) => match &entry.body {
            Body::Compaction(made) => vec![harmless(&made.summary)],
            _ => Vec::new(),
        },
        CardBody::Tool(panel) => of_call(panel).into_iter().collect(),
        _ => card.long_message().map(|said| harmless(&said.content)).into_iter().collect(),
    }
}

/// The command of a call that has one, else what it brought.
fn of_call(panel: &Panel) -> Option<String> {
    let command = panel.arguments().and_then(|arguments| arguments.text("command"));
    let text = command.or_else(|| panel.result().map(|result| result.content.as_str()))?;
    Some(harmless(text)).filter(|text| !text.is_empty())
}
