//! What all sessions have spent, as their lines say.

use std::collections::BTreeMap;
use std::path::Path;

use crate::ledger::{CallId, EntryId, MicroDollars, Millis, Usage};
use crate::wire::record::{SpentLine, SpentWhat, first_line, imported_from, inherited_to};

use super::line_ends::LineEnds;
use super::lines::LineReader;
use super::subagents::above;
use super::summary::no_session;
use super::{find, side_by_side};

/// How the lines begin between which stands what another program did.
const IMPORTED: &[u8] = br#"{"type":"imported""#;
const TRANSITION: &[u8] = br#"{"type":"transition""#;

/// What one session has spent itself: what a fork has inherited is the other session's.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionSpending {
    /// Its id, as its file has it.
    pub id: String,
    /// Its folder; of a sub-agent, that of the session above all.
    pub cwd: String,
    /// The model it began with.
    pub model: String,
    /// The lines about spending, in order.
    pub lines: Vec<SpentLine>,
    /// What is wrong with it, in a sentence, as far as a look at its lines tells: what it spent may be more.
    pub broken: Option<String>,
}

/// Reads all sessions of a state folder, in no order. The second list says which cannot be read, and why.
pub fn spending(state: &Path) -> (Vec<SessionSpending>, Vec<String>) {
    let files = find::files(state);
    let all = side_by_side::each(&files, |reader, path| of_session(reader, path));
    let (mut sessions, mut imports, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
    for (path, session) in files.iter().zip(all) {
        match session {
            Ok((session, import)) => {
                imports.extend(import.map(|(of, last)| (sessions.len(), of, last)));
                sessions.push(session);
            }
            Err(_) if find::is_unwritten(path) => {}
            Err(why) => unreadable.push(why),
        }
    }
    // What came with an import of a session that is here is counted there.
    for (at, of, last) in imports {
        let is_here = sessions.iter().any(|session: &SessionSpending| session.id == of);
        if let Some(session) = sessions.get_mut(at).filter(|_| is_here) {
            session.lines.retain(|line| line.entry > last);
        }
    }
    leave_out_what_is_recorded(&mut sessions);
    take_folders_from_above(&mut sessions);
    (sessions, unreadable)
}

/// The worktree of a sub-agent, or of a lane of a race, is no project of its own: it was made from the folder of the session that a person
/// began. Of one whose session above is gone, nothing else is known.
fn take_folders_from_above(sessions: &mut [SessionSpending]) {
    let folders: BTreeMap<String, String> =
        sessions.iter().map(|session| (session.id.clone(), session.cwd.clone())).collect();
    for session in sessions {
        if let Some(folder) = above(&session.id).filter_map(|id| folders.get(id)).last() {
            session.cwd.clone_from(folder);
        }
    }
}

/// What is charged for a task of which nobody knows what it spent contains what its own session recorded, which is counted there.
fn leave_out_what_is_recorded(sessions: &mut [SessionSpending]) {
    // Those that were started come before those that started them.
    sessions.sort_by_key(|session| std::cmp::Reverse(session.id.len()));
    for at in 0..sessions.len() {
        let (below, rest) = sessions.split_at_mut(at);
        let Some(session) = rest.first_mut() else { continue };
        for line in &mut session.lines {
            if let SpentWhat::Assumed { call, usage } = &mut line.what {
                *usage = rest_of(*usage, recorded(below, &session.id, *call, line.at));
            }
        }
    }
}

/// What the session of a task, and those that it started, had recorded until then.
fn recorded(sessions: &[SessionSpending], above: &str, call: CallId, until: Millis) -> Usage {
    let own = format!("{above}-{call}");
    let began =
        |id: &str| id.strip_prefix(&own).is_some_and(|rest| rest.is_empty() || rest.starts_with("-c"));
    let lines = sessions.iter().filter(|session| began(&session.id)).flat_map(|session| &session.lines);
    let spent = lines.filter(|line| line.at <= until).filter_map(|line| match &line.what {
        SpentWhat::Answer { usage, .. } | SpentWhat::Assumed { usage, .. } => Some(*usage),
        _ => None,
    });
    spent.fold(Usage::default(), Usage::plus)
}

fn rest_of(charged: Usage, recorded: Usage) -> Usage {
    let known = recorded.cost.unwrap_or_default().0;
    Usage {
        input: charged.input.saturating_sub(recorded.input),
        output: charged.output.saturating_sub(recorded.output),
        cost: charged.cost.map(|MicroDollars(cost)| MicroDollars(cost.saturating_sub(known))),
        ..Usage::default()
    }
}

/// A session; of an import, also which one it is of, and the last entry that came with it.
fn of_session(
    reader: &mut LineReader,
    path: &Path,
) -> Result<(SessionSpending, Option<(String, EntryId)>), String> {
    let (mut import, mut head, mut inherited, mut is_first, mut lines) = (None, None, None, true, Vec::new());
    // What another program did was not asked for, or paid, here.
    let mut is_elsewhere = false;
    let mut ends = LineEnds::default();
    reader.each_line(path, |line| {
        ends.read(line);
        if std::mem::take(&mut is_first) {
            (import, head, inherited) = (imported_from(line), first_line(line), inherited_to(line));
        } else if line.starts_with(IMPORTED) {
            is_elsewhere = true;
        } else {
            is_elsewhere &= !line.starts_with(TRANSITION);
            let own = |line: &SpentLine| !is_elsewhere && inherited.is_none_or(|last| line.entry > last);
            lines.extend(SpentLine::of(line).filter(own));
        }
    })?;
    let head = head.ok_or_else(|| no_session(path))?;
    let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let broken = ends.fault(path);
    Ok((SessionSpending { id, cwd: head.cwd, model: head.model, lines, broken }, import))
}
