//! What is said of one call in two places, word for word or by a hash: what was shown of it, why it was denied, what a person answered, and
//! what it made of a file.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::session_reading::{KnownCall, SessionReading};
use crate::ledger::{
    ApprovalRequest, Arguments, CallId, Decider, Decision, EntryId, FileContent, Note, NoteKind, Outcome,
    Preview, Sandboxing, ToolResult,
};
use crate::tool::name;

/// In a line of a diff that was cut, or in a diff that was.
const CUT: char = '…';

impl SessionReading<'_> {
    /// Whether a question shows something else than its call would do. A command is shown byte for byte, and a whole file by the lines of
    /// it that are new; a part of a file says too little of its lines. A diff names the file to which the
    /// path of its call led.
    pub(super) fn shows_another(&self, asked: &ApprovalRequest) -> bool {
        let is_change = [name::EDIT, name::WRITE].contains(&&*asked.name);
        if let (true, Preview::Diff(shown), Some(to)) = (is_change, &asked.preview, &asked.leads_to)
            && is_of_another(shown, to)
        {
            return true;
        }
        if self.lacks("arguments") || self.lacks("preview") {
            return false;
        }
        let text = |name: &str| asked.arguments.get(name).and_then(serde_json::Value::as_str);
        match &asked.preview {
            Preview::Command(shown) => text("command") != Some(shown),
            Preview::Recipient(_) => asked.name == name::SHELL,
            Preview::Diff(_) if asked.name == name::SHELL => true,
            Preview::Diff(shown) if asked.name == name::WRITE && !asked.is_partial => {
                text("content").is_some_and(|content| !is_diff_to(shown, content))
            }
            Preview::Diff(_) | Preview::None => false,
        }
    }

    /// A person who allows a call that is to run in the sandbox allows it there, and no other call.
    pub(super) fn is_elsewhere_than_asked(known: &KnownCall, decision: &Decision) -> bool {
        let is_theirs = decision.allow && decision.by == Decider::User && known.asked.is_some();
        is_theirs
            && match known.sandboxing {
                // A rule that is taken lets the call run by itself.
                Sandboxing::Within => !decision.sandboxed && decision.rule.is_none(),
                Sandboxing::Without => decision.sandboxed,
                Sandboxing::OnWish => false,
            }
    }

    /// What a result says otherwise than the decision about its call, and than its arguments.
    pub(super) fn says_another(&self, known: &KnownCall, result: &ToolResult) -> Option<&'static str> {
        let is_denied = matches!(result.outcome, Outcome::Denied(_));
        let is_whole = result.cut_chars == 0;
        let has_words = is_whole && !self.lacks("content");
        let reason = known.reason.as_deref().filter(|_| is_denied && has_words);
        if reason.is_some_and(|reason| !result.content.contains(reason)) {
            return Some("is said to be denied for another reason than was decided");
        }
        let answer = known.answer.as_deref().filter(|_| result.outcome == Outcome::Ok);
        // An answer is never cut.
        let has_answer = !self.lacks("content");
        if answer.is_some_and(|answer| has_answer && answer != result.content) {
            return Some("has another answer than a person gave");
        }
        // A person answers a question: nothing else gives one a result.
        let is_question = result.name == name::ASK && result.outcome == Outcome::Ok;
        if is_question && known.answer.is_none() && !known.lacks_answer {
            return Some("is a question that is said to be answered, but nobody has answered it");
        }
        // What is read of a command in the background was blocked where that runs.
        let is_command = result.name == name::SHELL;
        if is_command && !result.facts.blocked_hosts.is_empty() && known.sandboxed == Some(false) {
            return Some("is said to have been stopped by the sandbox, but was not to run there");
        }
        let arguments = known.arguments.as_ref().filter(|_| !self.lacks("facts"))?;
        changes_another(result, arguments)
            .then_some("is said to have changed a file differently than it was to")
    }

    /// A call that the sandbox is said to have stopped runs there. The words of a note are not read.
    pub(super) fn noted(&mut self, id: EntryId, note: &Note, call: CallId) {
        let sandboxed = self.calls.get(&call).and_then(|known| known.sandboxed);
        if note.kind == NoteKind::SandboxRefused && sandboxed == Some(false) {
            let what = "is said to have been stopped by the sandbox, but was not to run there";
            self.fault(id, format!("call {call} {what}"));
        }
    }
}

/// Whether a diff names another file than this one. Of a name that was cut nothing is known.
fn is_of_another(shown: &str, file: &str) -> bool {
    let mut head = shown.split('\n');
    let old = head.next().and_then(|line| line.strip_prefix("--- "));
    let new = head.next().and_then(|line| line.strip_prefix("+++ "));
    let (Some(old), Some(new)) = (old, new) else { return false };
    let is_it = |named: &str, side: &str| {
        named.contains(CUT) || named == file || named.strip_prefix(side) == Some(file)
    };
    !is_it(new, "b/") || (old != "/dev/null" && !is_it(old, "a/"))
}

/// Whether a diff can be one to this text: of a new file it has all lines, of another one no line that the text does not have.
fn is_diff_to(shown: &str, content: &str) -> bool {
    let Some((head, body)) = shown.split_once("\n@@ ") else { return true };
    let lines: BTreeSet<&str> = content.split('\n').collect();
    let mut new = Vec::new();
    for line in body.split('\n').skip(1) {
        let is_new = line.starts_with('+');
        let Some(rest) = line.strip_prefix(['+', ' ']) else { continue };
        if rest.contains(CUT) {
            return true;
        }
        if !lines.contains(rest) {
            return false;
        }
        if is_new {
            new.push(rest);
        }
    }
    let is_new_file = head.starts_with("--- /dev/null\n");
    !is_new_file || new.iter().copied().eq(content.strip_suffix('\n').unwrap_or(content).split('\n'))
}

/// A call that changes one file changes the one that it names, and a whole file becomes what the call has for it.
fn changes_another(result: &ToolResult, arguments: &Arguments) -> bool {
    let files = result.facts.files.as_slice();
    if files.is_empty() || ![name::EDIT, name::WRITE].contains(&&*result.name) {
        return false;
    }
    let [file] = files else { return true };
    if arguments.text("path").is_none_or(|path| path != file.path) {
        return true;
    }
    match (&file.after, arguments.text("content").filter(|_| result.name == name::WRITE)) {
        (FileContent::Absent, _) => true,
        (FileContent::Sha256(hash), Some(content)) => *hash != sha256(content),
        (FileContent::Sha256(_) | FileContent::Large(_), _) => false,
    }
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
