//! The calls of a session as they were run: what each was asked last, where its path led, whether it was started.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::wanted::SoughtFile;
use crate::ledger::{Body, CallId, Entry, EntryId, Outcome, ToolResult, ToolUse};
use crate::policy::{effect_of_line, opened, shell};
use crate::tool::SideEffect;
use crate::tool::name::{EDIT, FETCH, GLOB, LIST, READ, SEARCH, SHELL, WRITE};

/// One call.
#[derive(Debug)]
pub(super) struct CallFacts<'a> {
    /// As it was asked, or changed last.
    pub(super) asked: Cow<'a, ToolUse>,
    leads_to: Option<&'a str>,
    is_allowed: bool,
    /// The place of the last decision that allowed it.
    pub(super) allowed_at: Option<usize>,
    result: Option<&'a ToolResult>,
}

/// The calls of a session.
#[derive(Debug)]
pub(super) struct Books<'a> {
    pub(super) entries: &'a [Arc<Entry>],
    pub(super) calls: BTreeMap<CallId, CallFacts<'a>>,
    folder: PathBuf,
    /// The last entry that came with an import.
    pub(super) imported_to: Option<EntryId>,
}

/// How sure it is that a call has to do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// Its path is the file.
    Sure,
    /// It names the file, and what it does with it is not known.
    Possible,
}

impl<'a> Books<'a> {
    pub(super) fn of(entries: &'a [Arc<Entry>]) -> Self {
        let folder = match entries.first().map(|first| &first.body) {
            Some(Body::SessionStarted(started)) => PathBuf::from(&started.cwd),
            _ => PathBuf::new(),
        };
        let mut calls: BTreeMap<CallId, CallFacts<'a>> = BTreeMap::new();
        for (at, entry) in entries.iter().enumerate() {
            match &entry.body {
                Body::ToolCall(asked) | Body::Validation(asked) | Body::Command(asked) => {
                    let (leads_to, is_allowed, allowed_at, result) = (None, false, None, None);
                    let asked = Cow::Borrowed(asked);
                    calls.insert(asked.id, CallFacts { asked, leads_to, is_allowed, allowed_at, result });
                }
                Body::CallEdited(_) | Body::Note(_) => {
                    if let Some((call, arguments)) = entry.body.changes()
                        && let Some(call) = calls.get_mut(&call)
                    {
                        call.asked.to_mut().arguments = arguments;
                        (call.leads_to, call.is_allowed) = (None, false);
                    }
                }
                Body::ApprovalRequested(request) => {
                    if let Some(call) = calls.get_mut(&request.call) {
                        call.leads_to = request.leads_to.as_deref();
                    }
                }
                Body::ApprovalDecided(decision) => {
                    if let Some(call) = calls.get_mut(&decision.call) {
                        call.is_allowed = decision.allow;
                        call.allowed_at = if decision.allow { Some(at) } else { call.allowed_at };
                    }
                }
                Body::ToolResult(result) => {
                    if let Some(call) = calls.get_mut(&result.call) {
                        call.result = Some(result);
                    }
                }
                _ => {}
            }
        }
        Self { entries, calls, folder, imported_to: None }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether and how a call has to do with a file.
    pub(super) fn naming(&self, call: CallId, file: &SoughtFile) -> Option<Naming> {
        let call = self.calls.get(&call)?;
        let is = |written: &str| file.is(&self.folder, written);
        let is_likely = |written: &str| file.is_likely(&self.folder, written);
        match call.asked.name.as_str() {
            READ | EDIT | WRITE => {
                let written = call.asked.arguments.text("path");
                (written.is_some_and(is) || call.leads_to.is_some_and(is)).then_some(Naming::Sure)
            }
            SEARCH => {
                let is_found = |line: &str| line.split_once(':').is_some_and(|(path, _)| is_likely(path));
                call.result?.content.lines().any(is_found).then_some(Naming::Sure)
            }
            SHELL => {
                let names = opened(call.line()?).iter().any(|path| is(path));
                let shows = || call.result.is_some_and(|result| self.shows(&result.content, file));
                (names || shows()).then_some(Naming::Possible)
            }
            LIST | GLOB | FETCH => None,
            _ => {
                let value = call.asked.arguments.to_value();
                let names = |text: &Cow<'_, str>| is_likely(text) || file.is_named_in(text);
                strings(&value).iter().any(names).then_some(Naming::Possible)
            }
        }
    }

    /// Whether the output of a command has parts of a file under its name, as `grep`, `head` and `diff` write it.
    fn shows(&self, output: &str, file: &SoughtFile) -> bool {
        let is = |written: &str| file.is_likely(&self.folder, written);
        output.lines().any(|line| {
            let of_diff = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- "));
            if let Some(path) = of_diff {
                let path = path.split('\t').next().unwrap_or(path);
                return is(path) || path.split_once('/').is_some_and(|(_, below)| is(below));
            }
            let of_head = line.strip_prefix("==> ").and_then(|rest| rest.strip_suffix(" <=="));
            of_head.or_else(|| line.split_once(':').map(|(path, _)| path)).is_some_and(is)
        })
    }
}

impl CallFacts<'_> {
    /// The command line, if it is one.
    pub(super) fn line(&self) -> Option<&str> {
        self.asked.arguments.text("command").filter(|_| self.asked.name == SHELL)
    }

    /// Whether it was started: then its arguments are where they were to go.
    pub(super) fn is_started(&self) -> bool {
        let is_run = self.result.is_none_or(|result| match &result.outcome {
            Outcome::Ok | Outcome::Failed | Outcome::TimedOut => true,
            Outcome::Aborted(abort) => abort.ran_ms.is_some(),
            Outcome::Lost { started } => *started,
            Outcome::Invalid | Outcome::UnknownTool | Outcome::Denied(_) => false,
        });
        self.is_allowed && is_run
    }

    /// Whether it did what it was to do.
    pub(super) fn is_done(&self) -> bool {
        self.result.is_some_and(|result| result.outcome == Outcome::Ok)
    }

    /// Whether a server answered it.
    pub(super) fn is_answered(&self) -> bool {
        self.result.is_some_and(|result| result.facts.is_answered)
    }

    /// Whether it is a command that sends something, as far as the policy knows.
    pub(super) fn sends(&self) -> bool {
        self.line().is_some_and(|line| effect_of_line(&shell::read(line)) == SideEffect::Sends)
    }
}

/// Every text in a value, numbers and the names of members too. All of it is in memory already, so nothing is left out.
pub(super) fn strings(value: &Value) -> Vec<Cow<'_, str>> {
    let (mut left, mut found) = (vec![value], Vec::new());
    while let Some(value) = left.pop() {
        match value {
            Value::String(text) => found.push(Cow::Borrowed(text.as_str())),
            Value::Number(number) => found.push(Cow::Owned(number.to_string())),
            Value::Array(items) => left.extend(items),
            Value::Object(members) => {
                found.extend(members.keys().map(|name| Cow::Borrowed(name.as_str())));
                left.extend(members.values());
            }
            Value::Null | Value::Bool(_) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn however_many_values_a_call_has_all_are_looked_at() {
        let mut many = vec![json!("the first")];
        many.extend((0..30_000).map(|number| json!({ "a": ["x"], "n": number })));
        many.push(json!("the last"));
        let arguments = json!({ "before": "it", "many": many, "phone": 4_917_612_345_678_u64 });
        let found = strings(&arguments);
        for text in ["the first", "the last", "it", "phone", "4917612345678", "29999"] {
            assert!(found.iter().any(|one| one == text), "{text}");
        }
    }
}
