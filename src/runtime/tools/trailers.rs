//! Commits that say who allowed them: a trailer `Countersigned-by: SESSION/ENTRY sha256:…`, with the entry that allowed the call and the
//! digest of its receipt.

use crate::policy::digest;
use crate::tool::Invocation;

/// Verbs of git that make commits with a message of ours.
const VERBS: &[&str] = &["commit", "merge", "revert", "cherry-pick", "pull"];

/// The command of a call with `git` as a function before it, which adds the trailer to each commit that it makes with one of [`VERBS`].
///
/// A hook would do it for commits of scripts too, but `core.hooksPath` shows its folder to whatever installs hooks, lets empty messages
/// pass, and signs the commits of others in a rebase. A function of the shell is seen by the line that was allowed alone.
pub(super) fn with_trailer(command: &str, invocation: &Invocation) -> String {
    let Invocation { key, name, arguments, allowed_in, .. } = invocation;
    let (Some((session, _)), Some(entry)) = (key.rsplit_once('-'), allowed_in) else {
        return command.to_owned();
    };
    let action = format!("{session}/{entry}");
    // Nothing of it may end the quotes that it stands in.
    let is_plain = action.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.'));
    if !is_plain || !VERBS.iter().any(|verb| command.contains(verb)) {
        return command.to_owned();
    }
    format!(
        "{}\n{command}",
        FUNCTION.replace("TRAILER", &format!("{action} sha256:{}", digest(name, arguments)))
    )
}

/// Each word goes from the front to the back, and the trailer behind the word `commit`, if that is the verb. The other verbs know no
/// trailers: an editor adds it to their message, where nobody has named another one. A revert or a cherry-pick that goes on opens none unless
/// it is asked to, and a merge that goes on takes no other word. A list of steps of a rebase is no message: the editor refuses it. Its body
/// is a subshell: no variable of it is one of the line's.
const FUNCTION: &str = r#"git() (
count=$#; verb=; skips=; edit=--edit; goes_on=; is_short=
for word in "$@"; do case $word in
--continue) goes_on=yes ;;
--abort|--quit|--skip|--squash|--no-commit) edit= ;;
-n) is_short=yes ;;
esac; done
while [ "$count" -gt 0 ]; do
word=$1; shift; count=$((count - 1))
if [ "$verb" = edited ] && [ "$word" = --no-edit ]; then continue; fi
set -- "$@" "$word"
if [ -n "$verb" ]; then continue; fi
if [ -n "$skips" ]; then skips=; continue; fi
case $word in
-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env|--super-prefix|--attr-source) skips=1 ;;
-*) ;;
commit) verb=commit; set -- "$@" --trailer 'Countersigned-by: TRAILER' ;;
merge|revert|cherry-pick|pull)
case $word in
merge|pull) [ -z "$goes_on" ] || edit= ;;
*) [ -z "$is_short" ] || edit= ;;
esac
verb=other
case ${GIT_EDITOR:-true} in true|:)
verb=edited; set -- "$@" ${edit:+"$edit"}
export GIT_EDITOR="sh -c 'case \$1 in *git-rebase-todo) exit 1 ;; esac
git interpret-trailers --in-place --trailer \"Countersigned-by: TRAILER\" \"\$1\"' editor" ;;
esac ;;
*) verb=other ;;
esac
done
command git "$@"
)"#;

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::ledger::{Arguments, CallId, EntryId};

    fn allowed(arguments: &str) -> Invocation {
        Invocation {
            call: CallId(7),
            key: "0198-ab-c7".to_owned(),
            name: "shell".to_owned(),
            arguments: Arguments::parse(arguments),
            timeout_ms: 1,
            max_chars: 1,
            sandboxed: false,
            hosts: Vec::new(),
            is_shown: true,
            allowed_in: Some(EntryId(41)),
        }
    }

    /// What `git` is called with by the line, a word in brackets each; this one only prints.
    fn called(line: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("git");
        std::fs::write(&program, "#!/bin/sh\nprintf '[%s]' \"$@\"; echo; exit 3\n").unwrap();
        let shown = Command::new("chmod").arg("+x").arg(&program).status().unwrap();
        assert!(shown.success());
        let line = with_trailer(line, &allowed(r#"{"command": "x"}"#));
        let path = format!("{}:/usr/bin:/bin", folder.path().display());
        let out = Command::new("sh").arg("-c").arg(&line).env_clear().env("PATH", path).output().unwrap();
        assert!(out.stderr.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
        format!("{}{}", String::from_utf8_lossy(&out.stdout), out.status.code().unwrap())
    }

    #[test]
    fn each_commit_gets_the_trailer_and_nothing_else_changes() {
        let arguments = Arguments::parse(r#"{"command": "x"}"#);
        let trailer =
            format!("[--trailer][Countersigned-by: 0198-ab/e41 sha256:{}]", digest("shell", &arguments));
        assert_eq!(called("git commit -m 'a b' -- '*'"), format!("[commit]{trailer}[-m][a b][--][*]\n3"));
        assert_eq!(
            called("git -C 'x y' -c a=b --no-pager commit"),
            format!("[-C][x y][-c][a=b][--no-pager][commit]{trailer}\n3")
        );
        assert_eq!(called("git log commit"), "[log][commit]\n3");
        assert_eq!(called("git -C x merge --no-edit b"), "[-C][x][merge][--edit][b]\n3");
        assert_eq!(called("git merge --continue"), "[merge][--continue]\n3");
        assert_eq!(
            called("git revert -n HEAD; git cherry-pick a"),
            "[revert][-n][HEAD]\n[cherry-pick][--edit][a]\n3"
        );
        assert_eq!(called("GIT_EDITOR=vi git merge --no-edit b"), "[merge][--no-edit][b]\n3");
        assert_eq!(
            called("git merge -n b; git pull -q o"),
            "[merge][--edit][-n][b]\n[pull][--edit][-q][o]\n3"
        );
        assert_eq!(
            called("git revert --continue; git cherry-pick --no-edit --continue; git revert --skip"),
            "[revert][--edit][--continue]\n[cherry-pick][--edit][--continue]\n[revert][--skip]\n3"
        );
        assert_eq!(called("git log merge --no-edit"), "[log][merge][--no-edit]\n3");
        assert_eq!(
            called("git -C commit status; git show -c commit"),
            "[-C][commit][status]\n[show][-c][commit]\n3"
        );
        assert_eq!(called("word=w; git commit >/dev/null; echo \"$word $verb\""), "w \n0");
        let plain = allowed(r#"{"command": "x"}"#);
        assert_eq!(with_trailer("ls", &plain), "ls");
        let odd = Invocation { key: "a'; rm -r /; '-c1".to_owned(), ..plain.clone() };
        assert_eq!(with_trailer("git commit", &odd), "git commit", "no session is called so");
        let unallowed = Invocation { allowed_in: None, ..plain };
        assert_eq!(with_trailer("git commit", &unallowed), "git commit");
    }
}
