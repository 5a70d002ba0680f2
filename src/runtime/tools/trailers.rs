//! Commits that say who allowed them: a trailer `Countersigned-by: SESSION/ENTRY sha256:…`, with the entry that allowed the call and the
//! digest of its receipt.
//!
//! A program called `git` stands before git on the `PATH` of the command, so that commits of scripts and other programs get the trailer,
//! too. A hook would do it for each commit, but `core.hooksPath` shows its folder to whatever installs hooks, lets empty messages pass, and
//! signs the commits of others in a rebase.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tokio::process::Command;

use crate::policy::digest;
use crate::runtime::sandbox::real;
use crate::runtime::store::plain;
use crate::tool::Invocation;

/// What stands before git: always in the same place, as some programs keep the place of git for later.
const PROGRAM: &str = include_str!("git.sh");
/// Its folder.
const FOLDER: &str = "git";
/// Its name there, and all that ever stands there.
const PROGRAM_NAME: &str = "git";
/// The variable with the trailer's value. Without it, the program is git.
const TRAILER: &str = "COUNTERSIGN_TRAILER";

/// Lets the commits of commands name their calls, where that can be done.
#[derive(Debug)]
pub(super) struct Signing {
    cache: PathBuf,
    /// Why the latest command has no trailer, and whether that was said.
    failed: Mutex<Option<(String, bool)>>,
}

impl Signing {
    /// With the program in a folder of `cache`.
    pub(super) fn new(cache: PathBuf) -> Self {
        Self { cache, failed: Mutex::default() }
    }

    /// Lets the commits of a command name its call. A command for which that cannot be done runs without the trailer.
    pub(super) fn sign(
        &self,
        sh: &mut Command,
        open: &[PathBuf],
        environment: &[(OsString, OsString)],
        invocation: &Invocation,
    ) {
        let why = sign_commits(sh, (&self.cache, open), environment, invocation).err();
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.as_ref().map(|(known, _)| known) != why.as_ref() {
            *failed = why.map(|why| (why, false));
        }
    }

    /// Why the latest command has no trailer, as a line of its output; once.
    pub(super) fn unsaid(&self) -> Option<String> {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let (why, is_said) = failed.as_mut().filter(|(_, is_said)| !is_said)?;
        *is_said = true;
        Some(format!("countersign: commits do not name their calls (git.trailers), as {why}\n"))
    }
}

/// Lets the commits of a command name its call. Where there is no git, nothing stands in its place: a command that asks whether there is one
/// must hear the truth.
///
/// # Errors
/// The program cannot be written to its folder in `cache`, or something else could come to stand there: see [`place`]. Nothing of the
/// command was changed.
fn sign_commits(
    sh: &mut Command,
    (cache, open): (&Path, &[PathBuf]),
    environment: &[(OsString, OsString)],
    invocation: &Invocation,
) -> Result<(), String> {
    let path = environment.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path);
    let Some((path, trailer)) = path.zip(trailer(invocation)) else { return Ok(()) };
    if !std::env::split_paths(path).any(|place| place.join("git").is_file()) {
        return Ok(());
    }
    let folder = place(cache, open)?;
    let path = stand_before_git(&folder, path)
        .map_err(|fault| format!("{} cannot be used: {fault}", folder.display()))?;
    sh.env("PATH", path).env(TRAILER, trailer);
    Ok(())
}

/// The trailer's value for a call: its session, the entry that allowed it, and the digest of its receipt. `None` for a call that nobody
/// allowed.
fn trailer(invocation: &Invocation) -> Option<String> {
    let Invocation { key, name, arguments, allowed_in, .. } = invocation;
    let (session, _) = key.rsplit_once('-')?;
    let action = format!("{session}/{}", (*allowed_in)?);
    // Nothing of it may end the quotes that it stands in.
    let is_plain = action.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.'));
    is_plain.then(|| format!("{action} sha256:{}", digest(name, arguments)))
}

/// Where the program is kept, with every link followed: one on the way to it could be made to lead elsewhere.
///
/// # Errors
/// Something else could come to stand before the programs of the system there, in half a sentence. `open` are the folders in which commands
/// in the sandbox and tools may write.
pub(super) fn place(cache: &Path, open: &[PathBuf]) -> Result<PathBuf, String> {
    let cache = real(cache);
    let folder = real(&cache.join(FOLDER));
    let named = |what: &str| format!("{} {what}", folder.display());
    if open.iter().any(|open| folder.starts_with(real(open))) {
        return Err(named("is in a folder in which sandboxed commands or tools may write"));
    }
    for place in [&cache, &folder] {
        match fs::symlink_metadata(place) {
            Ok(found) if !found.is_dir() => return Err(format!("{} is not a folder", place.display())),
            Ok(found) if !is_ours_alone(&found) => {
                return Err(format!("others can write in {}", place.display()));
            }
            Ok(_) | Err(_) => {}
        }
    }
    let mut others = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.file_name());
    match others.find(|name| name != PROGRAM_NAME) {
        Some(other) => {
            Err(named(&format!("also holds `{}`, which would come before other programs", other.display())))
        }
        None => Ok(folder),
    }
}

/// Whether nobody else can write there.
fn is_ours_alone(found: &Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o022 == 0
}

/// Puts the program in its place, if it is not there, and gives the `PATH` with which it is found first.
fn stand_before_git(folder: &Path, path: &OsStr) -> io::Result<OsString> {
    let program = folder.join(PROGRAM_NAME);
    // Under a second name somebody could write to it.
    let is_kept = |found: &Metadata| {
        found.is_file() && found.nlink() == 1 && found.mode() & 0o700 == 0o700 && is_ours_alone(found)
    };
    let is_there = fs::symlink_metadata(&program).is_ok_and(|found| is_kept(&found))
        && plain::read(&program, PROGRAM.len() as u64).is_ok_and(|found| found == PROGRAM.as_bytes());
    if !is_there {
        DirBuilder::new().mode(0o700).recursive(true).create(folder)?;
        // In one step: another command may be about to run it. Beside the folder, in which nothing else ever stands.
        let mut file = tempfile::NamedTempFile::new_in(folder.parent().unwrap_or(folder))?;
        file.write_all(PROGRAM.as_bytes())?;
        file.as_file().set_permissions(Permissions::from_mode(0o700))?;
        file.into_temp_path().persist(&program)?;
    }
    let places = std::iter::once(folder.to_owned()).chain(std::env::split_paths(path));
    std::env::join_paths(places).map_err(io::Error::other)
}

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

    /// A git that only prints what it is called with, a word in brackets each, and knows some aliases.
    const GIT: &str = r#"#!/bin/sh
case "$*" in
*'config --get alias.ci') echo 'commit -q' ;;
*'config --get alias.ci2') echo 'ci -a' ;;
*'config --get alias.back') echo 'revert -n' ;;
*'config --get alias.log') echo 'commit' ;;
*'config --get alias.odd') echo 'commit $(touch odd)' ;;
*'config --get alias.sh') echo '!git commit' ;;
*'config --get alias.loop') echo 'loop' ;;
*'config --get '*) exit 1 ;;
--list-cmds=*) echo log; echo show; echo status ;;
--version) if [ -n "$OLD" ]; then echo "git version $OLD"; else printf '[%s]\n' "$@"; exit 3; fi ;;
*) printf '[%s]' "$@"; echo; exit 3 ;;
esac
"#;

    /// What keeps the lines of a message that begin with `#`.
    const KEEPS: &str = "[-c][commit.cleanup=scissors]";

    /// What `git` is called with by the line, and how the line ends.
    fn called(line: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("git");
        std::fs::write(&program, GIT).unwrap();
        let shown = Command::new("chmod").arg("+x").arg(&program).status().unwrap();
        assert!(shown.success());
        let cache = tempfile::tempdir().unwrap();
        let path = OsString::from(format!("{}:/usr/bin:/bin", folder.path().display()));
        let trailer = trailer(&allowed(r#"{"command": "x"}"#)).unwrap();
        let kept = place(cache.path(), &[]).unwrap();
        stand_before_git(&kept, &path).unwrap();
        let path = stand_before_git(&place(cache.path(), &[]).unwrap(), &path).unwrap();
        let mut sh = Command::new("sh");
        sh.arg("-c").arg(line).current_dir(folder.path()).env_clear().env("PATH", path).env(TRAILER, trailer);
        let out = sh.output().unwrap();
        assert!(out.stderr.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
        assert!(!folder.path().join("odd").exists(), "nothing of an alias is a line");
        format!("{}{}", String::from_utf8_lossy(&out.stdout), out.status.code().unwrap())
    }

    fn with_trailer(verb: &str) -> String {
        let arguments = Arguments::parse(r#"{"command": "x"}"#);
        format!("{verb}[--trailer][Countersigned-by: 0198-ab/e41 sha256:{}]", digest("shell", &arguments))
    }

    #[test]
    fn each_commit_gets_the_trailer_and_nothing_else_changes() {
        let commit = with_trailer("[commit]");
        assert_eq!(called("git commit -m 'a b' -- '*'"), format!("{commit}[-m][a b][--][*]\n3"));
        assert_eq!(
            called("git -C 'x y' -c a=b --no-pager commit"),
            format!("[-C][x y][-c][a=b][--no-pager]{commit}\n3")
        );
        assert_eq!(called("git log commit"), "[log][commit]\n3");
        assert_eq!(called("git -C x merge --no-edit b"), format!("[-C][x]{KEEPS}[merge][--edit][b]\n3"));
        assert_eq!(called("git merge --continue"), format!("{KEEPS}[merge][--continue]\n3"));
        assert_eq!(
            called("git revert -n HEAD; git cherry-pick a"),
            format!("{KEEPS}[revert][-n][HEAD]\n{KEEPS}[cherry-pick][--edit][a]\n3")
        );
        assert_eq!(called("GIT_EDITOR=vi git merge --no-edit b"), "[merge][--no-edit][b]\n3");
        assert_eq!(
            called("git merge -n b; git pull -q o"),
            format!("{KEEPS}[merge][--edit][-n][b]\n{KEEPS}[pull][--edit][-q][o]\n3")
        );
        assert_eq!(
            called("git revert --continue; git cherry-pick --no-edit --continue; git revert --skip"),
            format!(
                "{KEEPS}[revert][--edit][--continue]\n{KEEPS}[cherry-pick][--edit][--continue]\n{KEEPS}[revert][--skip]\n3"
            )
        );
        assert_eq!(called("git log merge --no-edit"), "[log][merge][--no-edit]\n3");
        assert_eq!(
            called("git -C commit status; git show -c commit"),
            "[-C][commit][status]\n[show][-c][commit]\n3"
        );
        assert_eq!(called("git commit >/dev/null; echo \"$word $verb\""), " \n0");
        assert_eq!(called("git; git --version"), "[]\n[--version]\n3");
        assert_eq!(called("git commit --help; git merge -h"), "[commit][--help]\n[merge][-h]\n3");
        assert_eq!(called("git commit -m -h"), format!("{commit}[-m][-h]\n3"));
        assert_eq!(called("git merge --ff b"), format!("{KEEPS}[merge][--edit][--ff][b]\n3"));
        assert_eq!(
            called("git merge -e b; git cherry-pick --ff a"),
            format!("[merge][-e][b]\n{KEEPS}[cherry-pick][--ff][a]\n3")
        );
        assert_eq!(
            called("unset COUNTERSIGN_TRAILER; git commit"),
            "[commit]\n3",
            "whoever keeps its place has git"
        );
        assert_eq!(called("export count=1 word=w; git log; echo $count $word"), "[log]\n1 w\n0");
    }

    #[test]
    fn a_git_that_knows_no_trailers_commits_without_one_and_says_so() {
        let told = "countersign: this commit does not name its call: git before 2.32 knows no --trailer\n[commit][-m][x]\n3";
        for old in ["1.8.3", "2.9.5", "2.25.1", "2.31", "2.31.1.windows.1"] {
            assert_eq!(called(&format!("export OLD={old}; git commit -m x 2>&1")), told, "{old}");
        }
        for new in ["2.32.0", "2.100.1", "3.0", "2.47.3 (Apple Git-154)"] {
            let commit = with_trailer("[commit]");
            assert_eq!(
                called(&format!("export OLD='{new}'; git commit -m x 2>&1")),
                format!("{commit}[-m][x]\n3"),
                "{new}"
            );
        }
    }

    #[test]
    fn scripts_and_other_programs_get_it_too() {
        let commit = with_trailer("[commit]");
        assert_eq!(called("echo 'git commit -m x' > made && sh made"), format!("{commit}[-m][x]\n3"));
        assert_eq!(
            called("echo commit | xargs git; PATH=/nowhere:$PATH sh -c 'git commit'"),
            format!("{commit}\n{commit}\n3")
        );
    }

    #[test]
    fn aliases_are_what_they_stand_for() {
        let commit = with_trailer("[commit]");
        assert_eq!(called("git -C x ci -m y"), format!("[-C][x]{commit}[-q][-m][y]\n3"));
        assert_eq!(called("git ci2 -m y"), format!("{commit}[-q][-a][-m][y]\n3"));
        assert_eq!(called("git back HEAD"), format!("{KEEPS}[revert][-n][HEAD]\n3"));
        // What git does not read as one, and what is a line of a shell.
        assert_eq!(called("git log; git odd; git sh; git loop"), "[log]\n[odd]\n[sh]\n[loop]\n3");
    }

    #[test]
    fn a_call_that_nobody_allowed_has_none() {
        let plain = allowed(r#"{"command": "x"}"#);
        let odd = Invocation { key: "a'; rm -r /; '-c1".to_owned(), ..plain.clone() };
        assert_eq!(trailer(&odd), None, "no session is called so");
        let unallowed = Invocation { allowed_in: None, ..plain };
        assert_eq!(trailer(&unallowed), None);
        let folder = tempfile::tempdir().unwrap();
        let mut sh = super::Command::new("sh");
        let environment = [(OsString::from("PATH"), OsString::from("/nowhere"))];
        sign_commits(&mut sh, (folder.path(), &[]), &environment, &allowed("{}")).unwrap();
        assert_eq!(folder.path().read_dir().unwrap().count(), 0, "there is no git");
        assert_eq!(sh.as_std().get_envs().count(), 0);
    }

    #[test]
    fn a_command_for_which_there_is_no_trailer_runs_without_and_the_first_says_so() {
        let bin = tempfile::tempdir().unwrap();
        std::fs::write(bin.path().join("git"), GIT).unwrap();
        let cache = tempfile::tempdir().unwrap();
        let environment = [(OsString::from("PATH"), bin.path().as_os_str().to_owned())];
        let signing = Signing::new(cache.path().to_owned());
        let is_signed = || {
            let mut sh = super::Command::new("sh");
            signing.sign(&mut sh, &[], &environment, &allowed("{}"));
            sh.as_std().get_envs().any(|(name, _)| name == TRAILER)
        };
        assert!(is_signed() && signing.unsaid().is_none());
        let other = cache.path().join("git/mytool");
        std::fs::write(&other, "x").unwrap();
        for told in [1, 0, 0] {
            assert!(!is_signed());
            assert_eq!(signing.unsaid().iter().filter(|line| line.contains("`mytool`")).count(), told);
        }
        std::fs::remove_file(&other).unwrap();
        assert!(is_signed() && signing.unsaid().is_none());
        std::fs::write(&other, "x").unwrap();
        assert!(!is_signed() && signing.unsaid().is_some(), "it is another time");
    }

    #[test]
    fn it_stands_nowhere_where_another_program_could_come_to_stand_beside_it() {
        let outside = tempfile::tempdir().unwrap();
        let cache = outside.path().join("cache");
        let path = OsString::from("/usr/bin");
        let why = |open: &[&Path]| {
            let open: Vec<PathBuf> = open.iter().map(|folder| (*folder).to_owned()).collect();
            place(&cache, &open).err().unwrap_or_default()
        };
        // Before it is there, and when it is.
        for _ in 0..2 {
            assert_eq!(why(&[&outside.path().join("other")]), "");
            for open in [outside.path(), &cache, &cache.join("git")] {
                assert!(why(&[open]).contains("sandboxed commands"), "{}", open.display());
            }
            stand_before_git(&place(&cache, &[]).unwrap(), &path).unwrap();
        }
        std::fs::write(cache.join("git/mytool"), "x").unwrap();
        assert!(why(&[]).contains("`mytool`"));
        std::fs::remove_file(cache.join("git/mytool")).unwrap();
        let program = cache.join("git/git");
        // A second name, and one that others can write to.
        std::fs::hard_link(&program, outside.path().join("again")).unwrap();
        stand_before_git(&place(&cache, &[]).unwrap(), &path).unwrap();
        std::fs::write(outside.path().join("again"), "changed").unwrap();
        assert_eq!(std::fs::read(&program).unwrap(), PROGRAM.as_bytes());
        std::fs::set_permissions(&program, Permissions::from_mode(0o722)).unwrap();
        stand_before_git(&place(&cache, &[]).unwrap(), &path).unwrap();
        assert_eq!(std::fs::metadata(&program).unwrap().mode() & 0o777, 0o700);
        for open in [&cache, &cache.join("git")] {
            std::fs::set_permissions(open, Permissions::from_mode(0o770)).unwrap();
            assert!(why(&[]).contains("others can write in"), "{}", open.display());
            std::fs::set_permissions(open, Permissions::from_mode(0o700)).unwrap();
        }
        // A link on the way leads where it does now, whatever it is made to lead to later.
        let link = outside.path().join("link");
        std::os::unix::fs::symlink(&cache, &link).unwrap();
        assert_eq!(place(&link, &[]).unwrap(), cache.join("git").canonicalize().unwrap());
    }
}
