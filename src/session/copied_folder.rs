//! What holds of a session's folder for a session that works in a copy of it, as a sub-agent in a worktree or a branch of `whatif` does: its
//! rules, its secrets and its hooks. Such a session is never looser towards that folder than the other one, nor in the copy.

use std::ops::Range;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::config::{Invocation, SourcedRule};
use crate::ledger::Body;
use crate::policy::in_copy;
use crate::runtime::store::{exact, first_line_of};
use crate::wire::record::SessionFile;

/// Programs that run what a word behind them names. Those that take a file of their folder: with their options that take no value; behind
/// any other option, a word may be code, a module or a value. `None`: a name without a `/` is looked for along the `PATH`.
const RUNNERS: &[(&str, Option<&str>)] = &[
    ("sh", SHELL),
    ("bash", SHELL),
    ("dash", SHELL),
    ("zsh", SHELL),
    ("ksh", SHELL),
    ("python", PYTHON),
    ("python3", PYTHON),
    ("node", Some("")),
    ("ruby", Some("w")),
    ("perl", Some("wT")),
    ("php", Some("q")),
    ("env", None),
    ("exec", None),
    (".", None),
];
const SHELL: Option<&str> = Some("efuvx");
const PYTHON: Option<&str> = Some("BEIOPSbdqsuvx");

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
    // A gate runs in the folder of the person, where its words mean what they say. Further down, the folder is itself a copy.
    let is_first = parent.parents.is_empty();
    for hook in made.config.hooks.iter_mut().filter(|hook| is_first && !hook.spec.point.is_gate()) {
        hook.spec.command = found_from(folder, &hook.spec.command);
    }
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

/// The command of a hook whose program, or whose script, is named from the folder of the session: by its absolute path. A worktree does
/// not have the files that git does not know, and a sub-agent can change those that it has. So is every other word with a `/` that names
/// an executable file of that folder: another program may start it. A word without one is a program of the `PATH`, a word of the shell or
/// a text: a file of that name in the folder is none of them, and anybody who may write there could put it in their place. A folder that
/// the command enters first is that of the session where the worktree has none.
fn found_from(folder: &Path, command: &str) -> String {
    let (mut folder, mut runs_other, mut is_named) = (folder.to_owned(), false, false);
    let (mut enters, mut edits): (Option<usize>, Vec<(Range<usize>, String)>) = (None, Vec::new());
    // Where a name without a `/` is a file of the folder: the options of the program before it that change nothing about that.
    let mut harmless: Option<&str> = None;
    let mut at = 0;
    let parts = |c: char| c.is_whitespace() || ";&|<>()".contains(c);
    for piece in command.split_inclusive(parts) {
        let word = piece.strip_suffix(parts).unwrap_or(piece);
        let (start, end) = (at, at + word.len());
        at += piece.len();
        let in_quotes = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
        let plain = in_quotes('"').or_else(|| in_quotes('\'')).unwrap_or(word);
        let is_plain = plain.chars().all(|c| c.is_alphanumeric() || "/._-+@%=:,".contains(c));
        if !is_plain {
            is_named = true;
            continue;
        }
        let is_assigned = word.split_once('=').is_some_and(|(name, _)| !name.contains('/'));
        if word.is_empty() || is_assigned {
            continue;
        }
        let there = folder.join(plain);
        let is_below = plain.contains('/') && !plain.starts_with('/');
        if is_named {
            if is_below && is_executable(&there) {
                edits.push((start..end, quoted(&there)));
            }
            continue;
        }
        if runs_other && plain.starts_with('-') {
            harmless = harmless.filter(|flags| plain.chars().skip(1).all(|flag| flags.contains(flag)));
            continue;
        }
        if let Some(cd) = enters.take() {
            if plain.starts_with('/') || !there.is_dir() {
                break;
            }
            edits.push((cd..end, format!("{{ cd {word} 2>/dev/null || cd {}; }}", quoted(&there))));
            folder = there;
            continue;
        }
        if plain == "cd" && edits.is_empty() && !runs_other {
            enters = Some(start);
            continue;
        }
        if let Some((_, flags)) = RUNNERS.iter().find(|(name, _)| runs(plain, name)) {
            (runs_other, harmless) = (true, *flags);
            continue;
        }
        let is_script = harmless.is_some() && !plain.contains('/');
        if (is_below && !runs_other) || ((is_below || is_script) && there.is_file()) {
            edits.push((start..end, quoted(&there)));
        }
        is_named = true;
    }
    with(command, &edits)
}

/// Whether this word is that program, found along the `PATH` or by its absolute path.
fn runs(word: &str, program: &str) -> bool {
    word == program || (word.starts_with('/') && word.rsplit('/').next() == Some(program))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', "'\\''"))
}

/// A text with other words at these places, the first place first.
fn with(text: &str, edits: &[(Range<usize>, String)]) -> String {
    let (mut made, mut upto) = (String::new(), 0);
    for (place, words) in edits {
        made.extend([text.get(upto..place.start).unwrap_or_default(), words]);
        upto = place.end;
    }
    made + text.get(upto..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_found_from_the_folder_of_the_session() {
        let folder = tempfile::TempDir::new().unwrap();
        std::fs::write(folder.path().join("deny.py"), "").unwrap();
        std::fs::create_dir(folder.path().join("in")).unwrap();
        std::fs::write(folder.path().join("in/deny.sh"), "").unwrap();
        std::fs::write(folder.path().join("run.sh"), "").unwrap();
        let may_run = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.path().join("run.sh"), may_run).unwrap();
        let here = folder.path().display();
        let found = |command: &str| found_from(folder.path(), command).replace(&here.to_string(), "HERE");
        for (command, expected) in [
            ("./deny.sh", "'HERE/./deny.sh'"),
            ("hooks/deny.sh --strict ./x", "'HERE/hooks/deny.sh' --strict ./x"),
            ("  ./deny.sh; exit 2", "  'HERE/./deny.sh'; exit 2"),
            ("\"./my hooks/deny.sh\"", "\"./my hooks/deny.sh\""),
            ("\"./deny.sh\" a", "'HERE/./deny.sh' a"),
            ("MODE=a ./deny.sh", "MODE=a 'HERE/./deny.sh'"),
            ("python3 -B deny.py", "python3 -B 'HERE/deny.py'"),
            ("exec /usr/bin/env python3 ./deny.py", "exec /usr/bin/env python3 'HERE/./deny.py'"),
            ("sh absent.sh", "sh absent.sh"),
            ("cargo test --quiet >&2 || exit 2", "cargo test --quiet >&2 || exit 2"),
            ("/opt/deny.sh ./x", "/opt/deny.sh ./x"),
            ("echo not today >&2; exit 2", "echo not today >&2; exit 2"),
            ("$HOME/deny.sh", "$HOME/deny.sh"),
            ("cd in && ./deny.sh a", "{ cd in 2>/dev/null || cd 'HERE/in'; } && 'HERE/in/./deny.sh' a"),
            ("cd in; sh deny.sh", "{ cd in 2>/dev/null || cd 'HERE/in'; }; sh 'HERE/in/deny.sh'"),
            ("cd in || exit 2; make", "{ cd in 2>/dev/null || cd 'HERE/in'; } || exit 2; make"),
            ("cd absent && ./deny.sh", "cd absent && ./deny.sh"),
            ("cd /opt && ./deny.sh", "cd /opt && ./deny.sh"),
            ("cd", "cd"),
            ("~/deny.sh", "~/deny.sh"),
            ("timeout 5 ./run.sh", "timeout 5 'HERE/./run.sh'"),
            ("nice run.sh", "nice run.sh"),
            ("sh run.sh", "sh 'HERE/run.sh'"),
            ("sh -eu run.sh", "sh -eu 'HERE/run.sh'"),
            ("sh -c run.sh", "sh -c run.sh"),
            ("python3 -m run.sh", "python3 -m run.sh"),
            ("env run.sh ./run.sh", "env run.sh 'HERE/./run.sh'"),
            ("exec run.sh", "exec run.sh"),
            (". run.sh", ". run.sh"),
            ("env sh -x in/deny.sh", "env sh -x 'HERE/in/deny.sh'"),
            ("cat | run.sh -q RUN && run.sh 2; run.sh 0", "cat | run.sh -q RUN && run.sh 2; run.sh 0"),
            ("test -x ./run.sh && ./run.sh a", "test -x 'HERE/./run.sh' && 'HERE/./run.sh' a"),
            ("\u{3000}./deny.sh \u{3000}a", "\u{3000}'HERE/./deny.sh' \u{3000}a"),
            ("echo \"${X}\" | ./run.sh", "echo \"${X}\" | 'HERE/./run.sh'"),
        ] {
            assert_eq!(found(command), expected, "{command}");
        }
    }
}
