//! What holds of a session's folder for a session that works in a copy of it, as a sub-agent in a worktree or
//! a branch of `whatif` does: its rules and its secrets. Such a session is never looser towards that folder
//! than the other one, nor in the copy. Its hooks run in the first of the folders that are kept here.

use std::path::{Path, PathBuf};

use crate::config::{Invocation, SourcedRule};
use crate::ledger::Body;
use crate::policy::in_copy;
use crate::runtime::store::{exact, first_line_of};
use crate::wire::record::SessionFile;

/// What a session is started with that works in `copy.1`, where `copy.0` is a copy of what holds the folder of `parent`.
pub(super) fn in_copied(parent: &Invocation, copy: (&Path, &Path)) -> Invocation {
    let mut made = parent.clone();
    let (copied_top, copied_folder) = copy;
    let folder = &parent.cwd;
    let below = copied_folder.strip_prefix(copied_top).unwrap_or(Path::new(""));
    let top = folder.ancestors().nth(below.components().count()).unwrap_or(folder);
    let [said, from, to] = [folder, top, copied_top].map(|path| path.to_string_lossy());
    let besides = |sourced: &SourcedRule| {
        let source = sourced.source.clone();
        let more = in_copy(&sourced.rule, &said, &from, &to).into_iter();
        // A copy of a copy would have the same rule once for each way to it.
        let more = more.filter(|rule| parent.config.rules.iter().all(|known| known.rule != *rule));
        more.map(move |rule| SourcedRule { rule, source: source.clone() }).collect::<Vec<_>>()
    };
    made.config.rules.extend(parent.config.rules.iter().flat_map(besides));
    let home = parent.environment.home();
    let place = |text: &String| match (text.strip_prefix("~/"), &home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(text),
    };
    let hidden = parent.config.sandbox.hidden.iter().map(place);
    let copies = hidden.filter_map(|path| Some(copied_top.join(path.strip_prefix(top).ok()?)));
    made.config.sandbox.hidden.extend(copies.map(|path| path.to_string_lossy().into_owned()));
    made.parents.push(folder.clone());
    copied_folder.clone_into(&mut made.cwd);
    made
}

/// The same for a branch of a session that works in another folder: it goes on in a copy of that one, which may be a copy itself. `None`:
/// it is none. What an import says of that nobody here has seen: the folder that it would name could hold programs of somebody else.
pub(super) fn as_branch(invocation: &Invocation, state: &Path, file: &SessionFile) -> Option<Invocation> {
    let mut folders: Vec<PathBuf> = file.copied_from.iter().map(PathBuf::from).collect();
    if folders.is_empty() {
        folders.extend(folder_of_trunk(state, file));
    }
    folders.retain(|folder| folder.is_absolute() && *folder != invocation.cwd);
    let copies = folders.iter().skip(1).chain([&invocation.cwd]);
    let first = Invocation { cwd: folders.first()?.clone(), ..invocation.clone() };
    Some(copies.fold(first, |made, copy| in_copied(&made, (copy, copy))))
}

/// The folder of the session that this one was made from, in a branch that does not name it, as programs before November 27, 2026 made
/// them.
fn folder_of_trunk(state: &Path, file: &SessionFile) -> Option<PathBuf> {
    let Body::SessionStarted(started) = &file.entries.first()?.body else { return None };
    let trunk = started.forked_from.as_deref().filter(|_| file.imported_to.is_none())?;
    Some(PathBuf::from(first_line_of(&exact(state, trunk.rsplit_once('@')?.0)?)?.cwd))
}
