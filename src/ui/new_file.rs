//! A file that a call would make and that is too long for its preview: the call has all of it, so each line is shown once.

use serde_json::Value;

use crate::ledger::{ApprovalRequest, PATH, Preview};
use crate::tool::name::WRITE;

/// What the call names the text of the file.
const CONTENT: &str = "content";

/// The file.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewFile<'a> {
    content: &'a str,
    preview: &'a str,
}

impl<'a> NewFile<'a> {
    /// The file that this call would make, if its preview leaves some of that out.
    pub(super) fn cut_in(request: &'a ApprovalRequest) -> Option<Self> {
        let Preview::Diff(preview) = &request.preview else { return None };
        let is_new = preview.starts_with("--- /dev/null\n") && !request.replaces;
        if request.name != WRITE || !request.is_partial || !is_new {
            return None;
        }
        // What else the call would say is shown only with all of it.
        let members = request.arguments.as_object()?;
        let says_more = members.keys().any(|name| name != PATH && name != CONTENT);
        let content = members.get(CONTENT).and_then(Value::as_str).filter(|_| !says_more)?;
        Some(Self { content, preview })
    }

    /// How many lines it has.
    pub(super) fn lines(&self) -> usize {
        self.content.split_inclusive('\n').count()
    }

    /// All of it, as a diff without the names of files; or its beginning, if it goes on.
    pub(super) fn whole(&self, goes_on: bool) -> String {
        let mut diff = self.head();
        for line in self.content.split_inclusive('\n') {
            diff.push('+');
            diff.push_str(line);
        }
        if !goes_on && !self.content.ends_with('\n') {
            diff.push_str("\n\\ No newline at end of file\n");
        }
        diff
    }

    /// The lines that the preview has whole, as such a diff, and all that comes behind them, with numbers and signs.
    pub(super) fn in_two(&self) -> (String, String) {
        let mut begun = self.head();
        let listed = self.preview.split('\n').skip_while(|line| !line.starts_with("@@ ")).skip(1);
        let mut lines = self.content.split_inclusive('\n').zip(1_usize..);
        let mut rest = String::new();
        let mut digits = 1;
        for listed in listed {
            let Some((line, number)) = lines.next() else { break };
            if listed.strip_prefix('+') != Some(line.trim_end_matches('\n')) {
                rest.push_str(&numbered(line, number, digits));
                break;
            }
            digits = number.to_string().len();
            begun.push('+');
            begun.push_str(line);
        }
        for (line, number) in lines {
            rest.push_str(&numbered(line, number, digits));
        }
        if !self.content.ends_with('\n') {
            rest.push_str("\n\\ No newline at end of file\n");
        }
        (begun, rest)
    }

    /// The head of its only hunk, which counts all of its lines.
    fn head(&self) -> String {
        let head = self.preview.lines().find(|line| line.starts_with("@@ "));
        format!("{}\n", head.unwrap_or("@@ -0,0 +1 @@"))
    }
}

/// A line as it stands in a diff whose line numbers have so many digits.
fn numbered(line: &str, number: usize, digits: usize) -> String {
    format!("{:before$}{number:>digits$} + {line}", "", before = digits + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ledger::CallId;

    fn request(preview: &str, arguments: Value) -> ApprovalRequest {
        ApprovalRequest {
            call: CallId(1),
            name: WRITE.to_owned(),
            arguments,
            why: String::new(),
            risk: String::new(),
            effects: Vec::new(),
            preview: Preview::Diff(preview.to_owned()),
            warning: None,
            rule: None,
            sandboxing: Default::default(),
            leads_to: None,
            is_partial: true,
            is_usual: false,
            replaces: false,
            gaps: Vec::new(),
        }
    }

    #[test]
    fn what_the_preview_has_whole_is_told_once_and_the_rest_goes_on_behind_it() {
        let preview = "--- /dev/null\n+++ b/a\n@@ -0,0 +1,4 @@\n+one\n+tw…\n… 2 more lines\n";
        let call = request(preview, json!({ "path": "a", "content": "one\ntwo\nthree\nfour" }));
        let file = NewFile::cut_in(&call).unwrap();
        let (begun, rest) = file.in_two();
        assert_eq!(begun, "@@ -0,0 +1,4 @@\n+one\n");
        assert_eq!(rest, "  2 + two\n  3 + three\n  4 + four\n\\ No newline at end of file\n");
        assert_eq!(
            file.whole(false),
            "@@ -0,0 +1,4 @@\n+one\n+two\n+three\n+four\n\\ No newline at end of file\n"
        );
        let call = request(preview, json!({ "path": "a", "content": "one\n\n\nfour\n" }));
        let (begun, rest) = NewFile::cut_in(&call).unwrap().in_two();
        assert_eq!(
            (begun.as_str(), rest.as_str()),
            ("@@ -0,0 +1,4 @@\n+one\n", "  2 + \n  3 + \n  4 + four\n")
        );
    }

    #[test]
    fn only_a_new_file_is_known_from_its_call() {
        let content = json!({ "path": "a", "content": "one\ntwo\n" });
        let new = "--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+one\n… 1 more line\n";
        assert!(NewFile::cut_in(&request(new, content.clone())).is_some());
        for other in ["--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n+one\n", "! it cannot be read\n"] {
            assert!(NewFile::cut_in(&request(other, content.clone())).is_none());
        }
        let more = json!({ "path": "a", "content": "one\n", "mode": "x" });
        assert!(NewFile::cut_in(&request(new, more)).is_none());
        let whole = ApprovalRequest { is_partial: false, ..request(new, content.clone()) };
        let over = ApprovalRequest { replaces: true, ..request(new, content) };
        assert!(NewFile::cut_in(&whole).is_none() && NewFile::cut_in(&over).is_none());
    }
}
