//! A call that waits is changed in the composer before it is decided: what comes of it is another action, and is asked
//! about anew. A command, the content of a file and the only replacement of an edit are changed as they are, everything else
//! as JSON.

use std::borrow::Cow;

use serde_json::Value;
use tui_textarea::CursorMove;

use crate::agent::{Answer, Intent};
use crate::ledger::{ApprovalRequest, Arguments};
use crate::tool::name::{EDIT, WRITE};
use crate::view::View;

use super::deciding::is_allowed;
use super::effect::UiEffect;
use super::key_timing::Press;
use super::local::{Edit, EditedPart, Focus, Local};
use super::text::sanitize;

/// Takes the arguments of the call that has the focus into the composer, if the person has seen them.
pub(super) fn begin(local: &mut Local, view: &View, press: Press) {
    let Some((request, asked, shown)) = local.subject(view) else { return };
    if !is_allowed(local, &shown, press) {
        return;
    }
    (local.overlay, local.always, local.search) = (None, None, None);
    let (part, text) = opened(asked);
    local.hint = match part {
        EditedPart::Command | EditedPart::Content | EditedPart::Replacement if text.contains(TAB_MARK) => {
            Some(tabs_are_marked())
        }
        EditedPart::Replacement => Some("this is the new text; what it replaces stays".to_owned()),
        EditedPart::Command | EditedPart::Content | EditedPart::Arguments => local.hint.take(),
    };
    let kept = std::mem::take(&mut local.composer);
    local.composer.hold(&text);
    // A text of several lines is read before it is changed; a line is mostly gone on with.
    if text.contains('\n') {
        local.composer.go(CursorMove::Jump(0, 0));
    }
    local.edit = Some(Edit { request, tool: asked.name.clone(), part, kept, sent: None });
    local.focus = Focus::Composer;
}

/// Enter: the changed action goes to the loop. What cannot be read stays, with the reason.
pub(super) fn propose(local: &mut Local, view: &View) -> Vec<UiEffect> {
    let Some(edit) = &mut local.edit else { return Vec::new() };
    let Some((request, asked)) = view.waiting().into_iter().find(|(id, _)| *id == edit.request) else {
        return Vec::new();
    };
    let text = without_marks(local.composer.text(), edit.part);
    let arguments = match changed(&asked.arguments, &text, edit.part) {
        Ok(arguments) => arguments,
        Err(why) => {
            local.hint = Some(why);
            return Vec::new();
        }
    };
    edit.sent = Some(std::mem::replace(&mut local.composer, std::mem::take(&mut edit.kept)));
    local.focus = Focus::Composer;
    local.changed = Some(asked.call);
    local.answered.insert(request);
    local.key_is_spent = true;
    local.stand.clear();
    vec![UiEffect::Send(Intent::Decide { request, call: asked.call, answer: Answer::Edit(arguments) })]
}

/// Esc: the call waits as it was. Says whether one was being changed.
pub(super) fn cancel(local: &mut Local) -> bool {
    let Some(edit) = local.edit.take_if(|edit| edit.is_open()) else { return false };
    local.composer = edit.kept;
    local.focus = Focus::Composer;
    true
}

/// The loop did not take it: it is in the composer again.
pub(super) fn refused(local: &mut Local) {
    if let Some(edit) = &mut local.edit
        && let Some(sent) = edit.sent.take()
    {
        edit.kept = std::mem::replace(&mut local.composer, sent);
        local.focus = Focus::Composer;
    }
}

/// Drops a change whose call does not wait any more. Says whether it was in the composer: then the key that is being
/// pressed was meant for it, and for nothing else.
pub(super) fn settle(local: &mut Local, view: &View) -> bool {
    let waits = |edit: &Edit| view.waiting().iter().any(|(id, _)| *id == edit.request);
    if local.edit.as_ref().is_none_or(waits) {
        return false;
    }
    let text = local.composer.whole();
    let was_open = cancel(local);
    if was_open {
        // What was written for it can be put in again.
        local.composer.set_aside(text);
    }
    local.edit = None;
    was_open
}

/// What an edit calls its replacements, and what each puts there.
const EDITS: &str = "edits";
const NEW_TEXT: &str = "new_text";

/// Stands for a tab in a command and in the content of a file: the composer shows tabs as spaces.
const TAB_MARK: char = super::text::TAB_SIGN;

fn tabs_are_marked() -> String {
    format!("{TAB_MARK} stands for a tab")
}

/// Whether the composer holds a text of a call in which the mark stands for a tab.
fn marks_tabs(local: &Local) -> bool {
    local.edit.as_ref().is_some_and(|edit| edit.is_open() && edit.part != EditedPart::Arguments)
}

/// A text that comes into the composer whole, as it can be held there: in what will be run or written, a tab
/// stays one.
pub(super) fn with_marks<'t>(local: &mut Local, text: &'t str) -> Cow<'t, str> {
    if !text.contains('\t') || !marks_tabs(local) {
        return Cow::Borrowed(text);
    }
    local.hint = Some(tabs_are_marked());
    Cow::Owned(text.replace('\t', &TAB_MARK.to_string()))
}

/// What the composer holds, for the user's editor, where a tab is a tab.
pub(super) fn for_editor(local: &Local) -> String {
    let text = local.composer.text();
    if marks_tabs(local) { text.replace(TAB_MARK, "\t") } else { text }
}

/// What the composer held of this part: elsewhere nothing was marked, and the sign is only itself.
fn without_marks(text: String, part: EditedPart) -> String {
    if part == EditedPart::Arguments { text } else { text.replace(TAB_MARK, "\t") }
}

/// The text to change, and what it is.
fn opened(asked: &ApprovalRequest) -> (EditedPart, String) {
    let text = |part: EditedPart| part.argument().and_then(|name| asked.arguments.get(name)?.as_str());
    if let Some(command) =
        text(EditedPart::Command).filter(|command| is_typed_as_it_is(command) && !command.contains(TAB_MARK))
    {
        return (EditedPart::Command, command.to_owned());
    }
    let written = match asked.name.as_str() {
        WRITE => text(EditedPart::Content).map(|content| (EditedPart::Content, content)),
        EDIT => only_replacement(&asked.arguments).map(|new| (EditedPart::Replacement, new)),
        _ => None,
    };
    if let Some((part, content)) = written.filter(|(_, content)| !content.contains(TAB_MARK)) {
        let content =
            if has_windows_ends(content) { content.replace("\r\n", "\n") } else { content.to_owned() };
        let marked = content.trim().replace('\t', &TAB_MARK.to_string());
        if is_typed_as_it_is(&marked) {
            return (part, marked);
        }
    }
    (EditedPart::Arguments, spelled(&asked.arguments))
}

/// What the only replacement of an edit puts there; nothing where there are several.
fn only_replacement(arguments: &Value) -> Option<&str> {
    match arguments.get(EDITS)?.as_array()?.as_slice() {
        [only] => only.get(NEW_TEXT)?.as_str(),
        _ => None,
    }
}

/// The arguments of an edit whose only replacement puts this there.
fn with_replacement(from: &Value, text: &str) -> Option<Value> {
    let after = content(only_replacement(from)?, text);
    let mut changed = from.clone();
    *changed.get_mut(EDITS)?.get_mut(0)?.get_mut(NEW_TEXT)? = Value::String(after);
    Some(changed)
}

/// The content of a file that the text makes of this: its blank ends stay.
fn content(before: &str, text: &str) -> String {
    let begin = before.len() - before.trim_start().len();
    let end = before.trim_end().len().max(begin);
    let (head, tail) = (before.get(..begin).unwrap_or_default(), before.get(end..).unwrap_or_default());
    let text = if has_windows_ends(before) { text.replace('\n', "\r\n") } else { text.to_owned() };
    format!("{head}{text}{tail}")
}

/// Whether all lines end as those of Windows do: they are changed without these ends, and get them again.
fn has_windows_ends(text: &str) -> bool {
    text.contains('\n')
        && text.split_inclusive('\n').all(|line| line.ends_with("\r\n") || !line.contains(['\r', '\n']))
}

/// The arguments that the text makes of these.
pub(super) fn changed(from: &Value, text: &str, part: EditedPart) -> Result<Arguments, String> {
    let arguments = match (part.argument(), from) {
        (Some(name), Value::Object(members)) => {
            let before = members.get(name).and_then(Value::as_str).unwrap_or_default();
            let is_content = part == EditedPart::Content;
            let after = if is_content { content(before, text) } else { text.to_owned() };
            let mut members = members.clone();
            members.insert(name.to_owned(), Value::String(after));
            Value::Object(members)
        }
        _ if part == EditedPart::Replacement => {
            with_replacement(from, text).ok_or("the call has no single replacement any more")?
        }
        _ => serde_json::from_str(text).map_err(|why| format!("this is not JSON: {why}"))?,
    };
    if !arguments.is_object() {
        return Err("the arguments must be an object: {\"name\": value}".to_owned());
    }
    let (arguments, before) = (Arguments::from_value(arguments), Arguments::from_value(from.clone()));
    if part == EditedPart::Command && text.is_empty() {
        return Err("the command is empty: n denies the call, esc cancels the edit".to_owned());
    }
    if arguments.canonical() == before.canonical() {
        return Err("nothing changed yet · esc cancels the edit".to_owned());
    }
    Ok(arguments)
}

/// Whether the composer gives a text back as it was: it cuts blank ends, and shows control characters by name.
fn is_typed_as_it_is(text: &str) -> bool {
    !text.is_empty() && text.trim() == text && sanitize(text) == text
}

/// The arguments as JSON in which nothing is hidden: what a terminal would not show is written as its number.
fn spelled(arguments: &Value) -> String {
    let mut spelled = String::new();
    for c in format!("{arguments:#}").chars() {
        let shown = c == '\n' || sanitize(c.encode_utf8(&mut [0; 4])) == c.to_string();
        if shown {
            spelled.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            spelled.push_str(&format!("\\u{unit:04x}"));
        }
    }
    spelled
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_spelled_reads_back_as_it_was_and_hides_nothing() {
        for hostile in
            ["a\u{202e}b", "\u{1b}[2J", "\u{200b}\u{feff}", "\u{e0041}", "plain\n\ttabs", "漢字 👨‍👩‍👧"]
        {
            let value = json!({ "text": hostile, "n": 1 });
            let text = spelled(&value);
            assert_eq!(sanitize(&text), text, "{hostile:?}");
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        }
    }

    #[test]
    fn a_change_is_an_object_and_another_one() {
        let from = json!({ "command": "ls", "timeout_seconds": 3 });
        let to = changed(&from, "ls -l", EditedPart::Command).unwrap();
        assert_eq!(to.to_value(), json!({ "command": "ls -l", "timeout_seconds": 3 }));
        for (text, part, why) in [
            ("ls", EditedPart::Command, "nothing changed yet"),
            ("", EditedPart::Command, "the command is empty"),
            ("{\"timeout_seconds\": 3, \"command\": \"ls\"}", EditedPart::Arguments, "nothing changed yet"),
            ("[1]", EditedPart::Arguments, "must be an object"),
            ("{", EditedPart::Arguments, "not JSON"),
        ] {
            assert!(changed(&from, text, part).unwrap_err().contains(why), "{text}");
        }
    }

    #[test]
    fn content_is_changed_between_its_blank_ends_with_its_tabs() {
        let from = json!({ "path": "Makefile", "content": "\n\nall:\n\tcargo test\n" });
        let typed = |text: &str| without_marks(text.to_owned(), EditedPart::Content);
        let to = changed(&from, &typed("all:\n⇥cargo test --all"), EditedPart::Content).unwrap();
        assert_eq!(to.to_value(), json!({ "path": "Makefile", "content": "\n\nall:\n\tcargo test --all\n" }));
        let same = changed(&from, &typed("all:\n⇥cargo test"), EditedPart::Content);
        assert!(same.unwrap_err().contains("nothing changed yet"));
        assert_eq!(content(" \n ", "x"), " \n x");
    }
}
