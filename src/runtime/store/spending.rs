//! What all sessions have spent, as their lines say.

use std::path::Path;

use crate::wire::record::{SpentLine, first_line, inherited_to};

use super::lines::LineReader;
use super::summary::no_session;
use super::{find, side_by_side};

/// How the lines begin between which stands what another program did.
const IMPORTED: &[u8] = br#"{"type":"imported""#;
const TRANSITION: &[u8] = br#"{"type":"transition""#;

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
    let all = side_by_side::each(&find::files(state), |reader, path| of_session(reader, path));
    let (mut sessions, mut unreadable) = (Vec::new(), Vec::new());
    for session in all {
        match session {
            Ok(session) => sessions.push(session),
            Err(why) => unreadable.push(why),
        }
    }
    (sessions, unreadable)
}

fn of_session(reader: &mut LineReader, path: &Path) -> Result<SessionSpending, String> {
    let (mut head, mut inherited, mut is_first, mut lines) = (None, None, true, Vec::new());
    // What another program did was not asked for, or paid, here.
    let mut is_elsewhere = false;
    reader.each_line(path, |line| {
        if std::mem::take(&mut is_first) {
            (head, inherited) = (first_line(line), inherited_to(line));
        } else if line.starts_with(IMPORTED) {
            is_elsewhere = true;
        } else {
            is_elsewhere &= !line.starts_with(TRANSITION);
            let own = |line: &SpentLine| !is_elsewhere && inherited.is_none_or(|last| line.entry > last);
            lines.extend(SpentLine::of(line).filter(own));
        }
    })?;
    let head = head.ok_or_else(|| no_session(path))?;
    Ok(SessionSpending { cwd: head.cwd, model: head.model, lines })
}
