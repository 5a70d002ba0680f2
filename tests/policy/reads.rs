//! What the policy takes for looking, against what the real programs do: a line that it lets run unasked writes nothing, starts
//! nothing, and shows nothing of what is outside.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use countersign::policy::{Mode, Verdict, opened};
use countersign::tool::{Preparation, SideEffect};
use tempfile::TempDir;

use super::executable::executable;
use super::grammars;
use super::nasty::Dice;
use super::support::{call, policy, shell_tool};

/// Lines that are generated, and how many of them must be taken for looking for the comparison to say something.
const LINES: usize = 5_000;
const LEAST: usize = 900;
/// Lines that one shell runs before the folder is looked at.
pub(super) const TOGETHER: usize = 60;
/// Words that are in files and names outside of the folder, and nowhere else.
const OUTSIDE: &str = "outside-of-the-folder";
/// A user without rights, for the root of a machine that builds: root's programs could set its clock.
const NOBODY: u32 = 65_534;

/// A folder to work in, one beside it that `link` and `linked` lead to, and programs.
pub(super) struct Yard {
    folder: TempDir,
    /// Whether root made it: then nobody works in it.
    is_roots: bool,
}

impl Yard {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let is_roots = fs::metadata(folder.path()).unwrap().uid() == 0;
        let yard = Self { folder, is_roots };
        let (work, outside, bin) = (yard.work(), yard.at("outside"), yard.at("bin"));
        for folder in [&work, &work.join("sub"), &outside, &bin] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(outside.join("secret"), format!("{OUTSIDE}\n1\n")).unwrap();
        fs::write(outside.join(OUTSIDE), "1\n").unwrap();
        for name in ["a", "b", "sub/a", "x.txt", "sub/x.txt"] {
            fs::write(work.join(name), "1\na 2\nHEAD\n{}\n").unwrap();
        }
        symlink("../outside/secret", work.join("link")).unwrap();
        symlink("../outside", work.join("linked")).unwrap();
        let evil = format!("#!/bin/sh\necho \"$0\" >> '{}'\n", work.join("ran").display());
        // What is started: by name, as a pager, for signatures, or instead of what sets clocks.
        for path in [work.join("evil"), bin.join("evil"), bin.join("pr"), bin.join("less"), bin.join("gpg")] {
            executable(&path, &evil);
        }
        // Nobody here may set a clock: this takes what sets none, and writes down the rest.
        let date = format!(
            "#!/bin/sh\nwhile [ $# -gt 0 ]; do case $1 in\n\
             -d|-r|-f|--date|--file|--reference|--rfc-3339) shift;;\n\
             +*|--|-u|-R|-uR|-I*|-d*|-ud*|--utc|--u*|--rfc*|--iso*|--d*|--fi*|--ref*|-f*|-r*) ;;\n\
             *) echo date >> '{}';; esac; shift; done\n",
            work.join("ran").display()
        );
        executable(&bin.join("date"), &date);
        yard.repository();
        if is_roots {
            yard.give_away(yard.folder.path());
        }
        yard
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn work(&self) -> PathBuf {
        self.at("work")
    }

    fn give_away(&self, folder: &Path) {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
        chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => self.give_away(&entry.path()),
                kind if kind.is_file() => chown(entry.path(), Some(NOBODY), Some(NOBODY)).unwrap(),
                _ => {}
            }
        }
    }

    /// A repository whose last commit is signed, by nobody.
    fn repository(&self) {
        let script = "git init -q . && git add a sub && git commit -q -m one && t=$(git write-tree) && p=$(git rev-parse HEAD) &&
            printf 'tree %s\\nparent %s\\nauthor a <a@b> 1 +0000\\ncommitter a <a@b> 1 +0000\\ngpgsig -----BEGIN PGP SIGNATURE-----\\n \\n x\\n -----END PGP SIGNATURE-----\\n\\ntwo\\n' $t $p |
            git hash-object -t commit -w --stdin > ../commit && git reset -q --soft $(cat ../commit) && git status --untracked-files=no";
        let said = self.shell(script, false);
        assert!(said.contains("nothing to commit"), "{said}");
    }

    fn shell(&self, script: &str, as_nobody: bool) -> String {
        self.run(&["bash", "-c", script], as_nobody)
    }

    /// Runs a command as nobody in particular; returns what it prints.
    pub(super) fn run(&self, words: &[&str], as_nobody: bool) -> String {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.at("bin").display());
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", "60"]).args(words).current_dir(self.work());
        command.env_clear().env("PATH", path).env("HOME", self.at("outside")).stdin(Stdio::null());
        for (name, value) in [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_AUTHOR_NAME", "a"),
            ("GIT_AUTHOR_EMAIL", "a@b"),
            ("GIT_COMMITTER_NAME", "a"),
            ("GIT_COMMITTER_EMAIL", "a@b"),
            ("GIT_PAGER", "cat"),
        ] {
            command.env(name, value);
        }
        if as_nobody && self.is_roots {
            command.uid(NOBODY).gid(NOBODY);
        }
        let output = command.output().unwrap();
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat()
    }

    /// Every file of the folder with what it holds.
    fn state(&self) -> BTreeMap<PathBuf, (u32, i64, Vec<u8>)> {
        let mut all = BTreeMap::new();
        let mut folders = vec![self.work(), self.at("outside")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
                // Git writes it anew, with the same contents, when the times of files are not those that it knows.
                if entry.path().ends_with(".git/index") {
                    continue;
                }
                let meta = fs::symlink_metadata(entry.path()).unwrap();
                let held = if meta.is_file() { fs::read(entry.path()).unwrap() } else { Vec::new() };
                let changed = if meta.is_dir() { 0 } else { meta.mtime_nsec() };
                all.insert(entry.path(), (meta.mode(), changed, held));
                if meta.is_dir() {
                    folders.push(entry.path());
                }
            }
        }
        all
    }

    /// What these lines did that a look does not do.
    fn harm(&self, lines: &[&String]) -> Option<String> {
        let before = self.state();
        let quiet: Vec<String> = lines.iter().map(|line| format!("( {line}\n)")).collect();
        let said = self.shell(&quiet.join("\n"), true);
        let after = self.state();
        let changed: Vec<&PathBuf> =
            after.iter().filter(|(path, now)| before.get(*path) != Some(now)).map(|(path, _)| path).collect();
        let gone: Vec<&PathBuf> = before.keys().filter(|path| !after.contains_key(*path)).collect();
        let shows = said.contains(OUTSIDE);
        (!changed.is_empty() || !gone.is_empty() || shows)
            .then(|| format!("changed {changed:?}, gone {gone:?}, shows {shows}: {said}"))
    }

    /// What a look at the line finds.
    fn look(&self, line: &str) -> Preparation {
        let work = self.work().canonicalize().unwrap();
        let resolve = |path: &String| {
            let whole = work.join(path);
            // What is not there leads where it is written.
            let real = whole
                .canonicalize()
                .unwrap_or_else(|_| if path.contains("..") { "/nowhere".into() } else { whole });
            real.strip_prefix(&work).unwrap_or(&real).to_string_lossy().into_owned()
        };
        let leads_to: Vec<String> = opened(line).iter().map(resolve).collect();
        let outside = leads_to.iter().filter(|path| path.starts_with('/')).cloned().collect();
        Preparation { leads_to, outside, ..Preparation::default() }
    }

    /// Whether the line runs without a question because it only looks.
    fn looks(&self, line: &str) -> bool {
        let decided = policy(Mode::Ask, &[]).decide(&shell_tool(), &call(line), &self.look(line));
        decided.effect == SideEffect::Reads && matches!(decided.verdict, Verdict::Sandbox(_))
    }
}

/// `READS_SEED=7 cargo test --test policy` tries other lines.
fn seed() -> u64 {
    std::env::var("READS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

/// Lines that run without a question because they only look.
pub(super) fn lines_that_look(yard: &Yard) -> Vec<String> {
    let mut dice = Dice::new(seed() + 5_000);
    let made_up = (0..LINES).map(|_| grammars::line(&mut dice));
    let all: BTreeSet<String> = grammars::each_option().chain(made_up).collect();
    let of = all.len();
    let looks: Vec<String> = all.into_iter().filter(|line| yard.looks(line)).collect();
    assert!(looks.len() >= LEAST, "only {} lines only look", looks.len());
    let programs: BTreeSet<&str> = looks.iter().filter_map(|line| line.split(' ').next()).collect();
    println!("{} lines of {of} look, of {} programs", looks.len(), programs.len());
    looks
}

#[test]
fn what_is_taken_for_a_look_does_nothing_else() {
    let yard = Yard::new();
    let looks = lines_that_look(&yard);
    let looks: Vec<&String> = looks.iter().collect();
    let mut wrong: Vec<String> = Vec::new();
    for lines in looks.chunks(TOGETHER) {
        if yard.harm(lines).is_none() {
            continue;
        }
        for line in lines {
            let fresh = Yard::new();
            wrong.extend(fresh.harm(&[line]).map(|harm| format!("{line}\n    {harm}")));
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        panic!("together these lines do harm, and none of them on its own: {lines:?}");
    }
}

#[test]
fn the_yard_notices_what_does_more_than_look() {
    let yard = Yard::new();
    for line in [
        "sort a -o out",
        "cat link",
        "./evil",
        "evil x",
        "ls linked",
        "git log --show-signature",
        "echo > a",
        "rm b",
    ] {
        assert!(Yard::new().harm(&[&line.to_owned()]).is_some(), "{line}");
        assert!(!yard.looks(line), "{line}");
    }
    // Whoever runs the tests, what is tried is tried by somebody else than root.
    assert_ne!(yard.shell("id -u", true).trim(), "0");
    for line in ["date -us 2020-01-01", "date 010100002030"] {
        assert!(Yard::new().harm(&[&line.to_owned()]).is_some(), "{line}");
        assert!(!yard.looks(line), "{line}");
    }
    for line in ["sort a", "git log -1", "date +%s", "find . -name a -exec cat {} +"] {
        assert!(yard.harm(&[&line.to_owned()]).is_none(), "{line}");
    }
}
