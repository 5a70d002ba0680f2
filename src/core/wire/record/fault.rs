//! What can be wrong with a record: every case says where and what to do next.

use thiserror::Error;

/// Why a line, or a whole session file, cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordError {
    /// The line is no JSON object.
    #[error("this is not a JSON object: {0}")]
    NotAnObject(String),
    /// The line begins as a record and has no end.
    #[error("this line was cut off: its record has no end")]
    CutOff,
    /// A field is missing or holds something else than it should.
    #[error("`{kind}`: field `{field}` {what}")]
    Field {
        /// The record's `type`.
        kind: String,
        /// The field.
        field: String,
        /// What is wrong with it.
        what: String,
    },
    /// A `type` that this version does not know. [`super::read_session`] skips such lines and reports them.
    #[error("`{0}` is an event that this version does not know; a newer version wrote it")]
    UnknownType(String),
    /// A content field was left out of this file, be it a copy or the session itself.
    #[error("{0} was left out of this file: it can be read and verified, but not continued")]
    LeftOut(String),
    /// A newer version of the program wrote the session.
    #[error(
        "the session has format version {found}, this program reads up to {known}: \
         update countersign to open it (it was written by version {app})"
    )]
    Newer {
        /// Version of the session's format.
        found: u64,
        /// The newest that is known here.
        known: u32,
        /// Version of the program that wrote it, if it said so.
        app: String,
    },
    /// Nothing is left of the first line.
    #[error(
        "the file is empty or was cut in its first line, so nothing of the session is left; start a new one"
    )]
    Empty,
    /// The first line is something else.
    #[error("the first line is {0}, not session_started: this is not a session file; choose another one")]
    NotASession(String),
    /// A line of a session file.
    #[error("line {line}: {fault}{}", what_to_do(.fault))]
    Line {
        /// Which, from 1.
        line: usize,
        /// What is wrong with it.
        fault: Box<Self>,
    },
}

/// What can be done about a line, where its own fault does not say it: nothing is broken where contents were
/// left out.
fn what_to_do(fault: &RecordError) -> &'static str {
    match fault {
        RecordError::LeftOut(_) => "",
        RecordError::NotAnObject(_)
        | RecordError::CutOff
        | RecordError::Field { .. }
        | RecordError::UnknownType(_)
        | RecordError::Newer { .. }
        | RecordError::Empty
        | RecordError::NotASession(_)
        | RecordError::Line { .. } => {
            "; the lines before it are intact: fix or cut the file there to load it"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_told_to_cut_a_file_of_which_something_was_left_out() {
        let at = |fault| RecordError::Line { line: 4, fault: Box::new(fault) }.to_string();
        let left_out = at(RecordError::LeftOut("`arguments`".to_owned()));
        assert!(
            left_out.starts_with("line 4: `arguments` was left out") && !left_out.contains("cut the file")
        );
        assert!(at(RecordError::CutOff).ends_with("fix or cut the file there to load it"));
    }
}
