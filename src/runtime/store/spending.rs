//! What all sessions have spent, as their lines say.

use std::path::Path;

use crate::wire::record::{SpentLine, first_line, inherited_to};

use super::each::each;
use super::find;
use super::list::{SessionLines, unreadable};

/// What one session has spent itself: what a fork has inherited is the other session's.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionSpending {
    /// Its folder.
    pub cwd: String,
    /// The model it began with.
    pub model: String,
    /// The lines about spending, in order.
    pub lines: Vec<SpentLine>,
}

/// Reads all sessions of a state folder, in no order. The second list says which cannot be read, and why.
pub fn spending(state: &Path) -> (Vec<SessionSpending>, Vec<String>) {
    let all = each(&find::files(state), of_session);
    let (mut sessions, mut unreadable) = (Vec::new(), Vec::new());
    for session in all {
        match session {
            Ok(session) => sessions.push(session),
            Err(why) => unreadable.push(why),
        }
    }
    (sessions, unreadable)
}

fn of_session(path: &Path) -> Result<SessionSpending, String> {
    let unreadable = |fault: std::io::Error| unreadable(path, &fault);
    let mut file = SessionLines::open(path)?;
    file.advance().map_err(unreadable)?;
    let head = first_line(&file.line)
        .ok_or_else(|| format!("{}: its first line is not session_started", path.display()))?;
    let inherited = inherited_to(&file.line);
    let mut lines = Vec::new();
    while file.advance().map_err(unreadable)? {
        let own = |line: &SpentLine| inherited.is_none_or(|last| line.entry > last);
        lines.extend(SpentLine::of(&file.line).filter(own));
    }
    Ok(SessionSpending { cwd: head.cwd, model: head.model, lines })
}
