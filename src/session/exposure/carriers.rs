//! Which entries of a session have what is looked for.

use super::books::{Books, Naming, strings};
use super::wanted::{Sought, SoughtFile, SoughtText};
use crate::ledger::{
    AssistantMessage, AttachedFile, Block, Body, CallId, EntryId, Image, Injector, Message, ToolUse,
    tombstoned,
};
use crate::tool::name::{EDIT, WRITE};
use crate::view::{SentPart, summary};

/// An entry that has it.
#[derive(Debug, Clone)]
pub(super) struct Carrier {
    /// The place of the entry.
    pub(super) at: usize,
    /// What of the entry has it, in words. Not yet safe for a screen.
    pub(super) what: String,
    /// The variable whose value it has.
    pub(super) variable: Option<String>,
    /// The call that it is about.
    pub(super) call: Option<CallId>,
    /// Whether it surely has it.
    pub(super) is_certain: bool,
    /// The text that must be in what is sent of the entry; `None`: whatever is sent has it.
    text: Option<SoughtText>,
}

impl Carrier {
    /// Whether what was sent of its entry has it. An answer can be sent in part; all else is sent as it is.
    pub(super) fn is_in(&self, part: &SentPart) -> bool {
        match (&self.text, part) {
            (Some(text), SentPart::Message(Message::Assistant(said))) => says(said, text),
            _ => true,
        }
    }
}

/// All of them, in the order of their entries.
pub(super) fn carriers(books: &Books<'_>, wanted: &Sought) -> Vec<Carrier> {
    match wanted {
        Sought::Texts(texts) => of_texts(books, texts),
        Sought::File(file) => of_file(books, file),
    }
}

fn of_texts(books: &Books<'_>, texts: &[SoughtText]) -> Vec<Carrier> {
    let mut found = Vec::new();
    for (at, entry) in books.entries.iter().enumerate() {
        for sought in texts {
            let is_in = |text: &str| sought.is_in(text);
            let in_files = |files: &[AttachedFile]| files.iter().any(|file| is_in(&file.text));
            let what = match &entry.body {
                Body::SessionStarted(started) if is_in(&started.system) => "the system prompt".to_owned(),
                Body::User(said) if is_in(&said.content) || in_files(&said.files) => {
                    "a message of the user".to_owned()
                }
                Body::Injected(said) if is_in(&said.text) || in_files(&said.files) => {
                    injected(said.by).to_owned()
                }
                Body::Assistant(said) if says(said, sought) => "an answer".to_owned(),
                Body::ToolResult(result) if is_in(&result.content) => {
                    format!("the result of {}", action(books, result.call))
                }
                Body::Compaction(made) if is_in(&made.summary) => "a summary".to_owned(),
                _ => continue,
            };
            let call = entry.body.call();
            let (variable, text) = (sought.variable.clone(), Some(sought.clone()));
            found.push(Carrier { at, what, variable, call, is_certain: true, text });
        }
    }
    found
}

/// Whether any part of an answer has the text, calls and reasoning included.
fn says(said: &AssistantMessage, text: &SoughtText) -> bool {
    said.blocks.iter().any(|block| match block {
        Block::Text(words) => text.is_in(words),
        Block::Thinking(thinking) => {
            let in_replay = |value| strings(value).iter().any(|part| text.is_in(part));
            text.is_in(&thinking.text) || thinking.replay.as_ref().is_some_and(in_replay)
        }
        Block::ToolUse(call) => strings(&call.arguments.to_value()).iter().any(|part| text.is_in(part)),
        Block::Hosted(block) => strings(&block.value).iter().any(|part| text.is_in(part)),
    })
}

fn of_file(books: &Books<'_>, file: &SoughtFile) -> Vec<Carrier> {
    let mut found: Vec<Carrier> = Vec::new();
    // A command of the user, a check of a goal or a changed call, which a message tells of.
    let mut told = None;
    let withdrawn = tombstoned(books.entries);
    for (at, entry) in books.entries.iter().enumerate() {
        let mut carry = |what: String, call: Option<CallId>, is_certain: bool| {
            found.push(Carrier { at, what, variable: None, call, is_certain, text: None });
        };
        match &entry.body {
            Body::SessionStarted(started) if file.is_named_in(&started.system) => {
                carry("the system prompt, which names it".to_owned(), None, false);
            }
            Body::User(said) if attached(books, file, &said.images, &said.files) => {
                carry("a message of the user, which it was attached to".to_owned(), None, true);
            }
            Body::Injected(said) if attached(books, file, &said.images, &said.files) => {
                carry("a message of the user, which it was attached to".to_owned(), None, true);
            }
            Body::Injected(said) if tells_of_calls(said.by) => {
                if let Some(call) = told.take() {
                    carry(format!("{} about {}", injected(said.by), action(books, call)), Some(call), false);
                }
            }
            Body::Command(call) | Body::Validation(call) => {
                told = books.naming(call.id, file).map(|_| call.id).or(told);
            }
            Body::CallEdited(_) | Body::Note(_) => {
                let changed = entry.body.changes().map(|(call, _)| call);
                told = changed.filter(|call| books.naming(*call, file).is_some()).or(told);
            }
            Body::Assistant(said) => {
                for call in said.calls().filter(|call| [EDIT, WRITE].contains(&call.name.as_str())) {
                    if call.arguments.text("path").is_some_and(|path| file.is(books.folder(), path)) {
                        carry(format!("an answer with the call {}", called(call)), Some(call.id), true);
                    }
                }
            }
            Body::ToolResult(result) => {
                let Some(naming) = books.naming(result.call, file) else { continue };
                let Some(call) = books.calls.get(&result.call) else { continue };
                if call.is_started() {
                    let is_certain = naming == Naming::Sure && call.is_done();
                    carry(format!("the result of {}", called(&call.asked)), Some(result.call), is_certain);
                }
            }
            Body::Compaction(made)
                if !withdrawn.contains(&entry.id) && replaces_some(books, &found, made.replaces_to) =>
            {
                let what = "a summary of messages that had it".to_owned();
                found.push(Carrier { at, what, variable: None, call: None, is_certain: false, text: None });
            }
            _ => {}
        }
    }
    found
}

/// Whether a summary takes the place of one of the carriers.
fn replaces_some(books: &Books<'_>, found: &[Carrier], to: EntryId) -> bool {
    let end = books.entries.iter().position(|entry| entry.id == to);
    // The system prompt is never replaced.
    found.iter().any(|carrier| carrier.at > 0 && end.is_some_and(|end| carrier.at <= end))
}

fn attached(books: &Books<'_>, file: &SoughtFile, images: &[Image], files: &[AttachedFile]) -> bool {
    let names = images.iter().map(|image| image.name.as_str()).chain(files.iter().map(|f| f.path.as_str()));
    names.into_iter().any(|name| file.is(books.folder(), name))
}

fn tells_of_calls(by: Injector) -> bool {
    matches!(by, Injector::Command | Injector::GoalCheck | Injector::Edit | Injector::Hook)
}

fn injected(by: Injector) -> &'static str {
    match by {
        Injector::Steering => "a message of the user",
        Injector::Hook => "a message of a hook",
        Injector::Command => "the message with the output of the user's command",
        Injector::GoalCheck => "the message about a check of the goal",
        Injector::Edit => "the message about a changed call",
        Injector::Environment
        | Injector::BudgetNudge
        | Injector::Continuation
        | Injector::Undo
        | Injector::Discovery
        | Injector::Background
        | Injector::Choice
        | Injector::Subagent => "a message of countersign",
    }
}

/// A call with what it was about: `read src/a.rs`.
pub(super) fn action(books: &Books<'_>, call: CallId) -> String {
    books.calls.get(&call).map_or_else(|| call.to_string(), |call| called(&call.asked))
}

fn called(call: &ToolUse) -> String {
    format!("{} {}", call.name, summary(&call.arguments)).trim_end().to_owned()
}
