//! `sessions import`: a session file from elsewhere, checked before it is kept.

use std::path::Path;

use uuid::Uuid;

use super::args::ForeignAgent;
use super::import_foreign;
use super::place::{SessionPlace, entries, now, remark};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::policy::shell::shell_word;
use crate::runtime::SessionStore;
use crate::runtime::store::subagents::is_whole;
use crate::runtime::store::{ForeignFile, Salts, adopt, find};
use crate::session::branching::{OWN_INSTRUCTIONS, cannot_go_on, has_instructions};
use crate::wire::foreign::is_foreign;
use crate::wire::record::{Audit, Copy, Keeps, Links, audit_with, first_line, read_document};

/// What no file from elsewhere shows, and what its import can therefore not show either.
const NO_END: &str = "Nobody can tell here whether the file had more lines at its end.";
/// How many faults the refusal names.
const MOST_FAULTS: usize = 5;

/// Keeps a copy of the file's session, under its own id if that is one as ours are, and free. What somebody allowed for the whole session
/// was not allowed here, so it becomes a decision for its one call, and hosts, gaps and raised limits are left out.
pub(super) fn run(place: &SessionPlace, file: &Path, from: Option<ForeignAgent>) -> Result<Exit, Fault> {
    let path = place.path(file);
    if from.is_some() || !begins_like_ours(&path) {
        return import_foreign::run(place, file, from);
    }
    import_own(place, file, &path)
}

/// Whether the first line is one of ours. What cannot be read is told by whoever reads it.
fn begins_like_ours(path: &Path) -> bool {
    let mut is_ours = true;
    let read = ForeignFile::open(path).and_then(|mut lines| {
        lines.lines(|line| {
            is_ours = line.trim_ascii().is_empty() || !is_foreign(line);
            Ok(line.trim_ascii().is_empty())
        })
    });
    read.is_err() || is_ours
}

fn import_own(place: &SessionPlace, file: &Path, path: &Path) -> Result<Exit, Fault> {
    let bytes = SessionStore::bytes(path)
        .map_err(|why| Fault::usage(why, "name a session file, or an export with --json"))?;
    // As strictly as `sessions check`: what was recorded elsewhere is believed from here on.
    let audit = audit_with(&bytes, Links::default());
    if !audit.faults.is_empty() {
        return Err(refusal(file, &audit));
    }
    if audit.redacted > 0 {
        return Err(Fault::failed(
            format!(
                "something was left out of this file ({} fields): {} cannot be continued",
                audit.redacted,
                file.display()
            ),
            "import the whole session; `countersign sessions show` reads this one",
        ));
    }
    let head = bytes.split_inclusive(|byte| *byte == b'\n').next().and_then(first_line);
    let head = head.ok_or_else(|| Fault::failed(format!("{} has no first line", file.display()), ""))?;
    let is_free = is_whole(&head.session)
        && find(&place.state, &head.session)
            .map_or(true, |found| super::place::id_of(&found) != head.session);
    let new = Uuid::now_v7().to_string();
    let (id, at) = if is_free { (head.session.as_str(), head.started) } else { (new.as_str(), now()) };
    let origin = (!is_free).then_some(("imported_from", head.session.as_str()));
    let file = read_document(&bytes).map_err(|why| Fault::failed(why.to_string(), ""))?;
    if let Some(why) = cannot_go_on(&file.entries, now()) {
        return Err(Fault::failed(format!("{}: {why}", path.display()), "nothing was imported"));
    }
    let imported_to = file.entries.iter().map(|entry| entry.id).max();
    let at_new = (!is_free).then_some(at);
    let (folder, is_of_here, keeps) = (None, false, Keeps::Nothing);
    let copy = Copy { session: id, at: at_new, origin, folder, imported_to, is_of_here, keeps };
    let mut salts = Salts::new().map_err(|why| Fault::failed(why, "try again"))?;
    let text = copy.of(&bytes, &mut || salts.salt());
    // Whatever the file lacks, no line of what is kept here may go from now on.
    adopt(&place.state, id, at, &text, true)
        .map_err(|why| Fault::failed(why, "free disk space, or fix the folder's permissions"))?;
    remarks(&audit, audit.entries.saturating_sub(text.lines().count()));
    if has_instructions(&file.entries) {
        remark(OWN_INSTRUCTIONS);
    }
    let why = if is_whole(&head.session) { "is taken" } else { "cannot be one here" };
    let own = one_line(&head.session);
    let renamed = match () {
        () if is_free => String::new(),
        () if own.is_empty() => " (it had no id)".to_owned(),
        () => format!(" (its own id, {own}, {why})"),
    };
    say(&format!(
        "{id} imported: {}{renamed}\n{NO_END}\n\
         Its folder is {}. Continue with: countersign -C {} resume {id}\n",
        entries(text.lines().count()),
        one_line(&head.cwd),
        shell_word(&one_line(&head.cwd))
    ))
}

/// What to know of what was imported; `left` entries are not in it.
fn remarks(audit: &Audit, left: usize) {
    if let Some(torn) = &audit.torn_tail {
        remark(&format!("line {} was incomplete; its {} bytes were dropped", torn.line, torn.bytes));
    }
    if audit.unchained > 0 {
        remark(&format!(
            "{} of the file have no hashes, so nobody can tell whether they are what was recorded",
            if audit.chained == 0 {
                "the lines".to_owned()
            } else {
                format!("the first {} lines", audit.unchained)
            }
        ));
    }
    if left > 0 {
        remark(&format!(
            "{} left out: seals sign the other file, and what was allowed there for the whole session is not allowed here",
            if left == 1 { "1 entry is".to_owned() } else { format!("{left} entries are") }
        ));
    }
}

fn refusal(file: &Path, audit: &Audit) -> Fault {
    let told: Vec<String> = audit.faults.iter().take(MOST_FAULTS).map(|fault| fault.to_string()).collect();
    let more = match audit.faults.len().saturating_sub(MOST_FAULTS) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    Fault::failed(
        format!("{} is not a well-formed session: {}{more}", file.display(), told.join("; ")),
        format!(
            "nothing was imported; `countersign sessions check {}` shows what can be \
            saved",
            shell_word(&file.display().to_string())
        ),
    )
}
