//! Programs that read whole folders, with the files in them that nobody names. A word that may be the option that makes them do it counts as
//! that option: what is asked too often here costs a question, what is missed costs a secret.

use super::super::shell::{Command, HOLE, Reading, Word};
use super::super::signs::{Sign, ways};
use super::arguments::has_option;
use super::readers::reader;
use super::reads::operands;

/// Stands in a word for what the shell finds names of files for.
const NAMES: char = '*';

/// They read whole folders where an option says so.
const GREPS: &str = "grep egrep fgrep zgrep zegrep zfgrep bzgrep bzegrep bzfgrep xzgrep xzegrep xzfgrep lzgrep lzegrep lzfgrep zstdgrep \
    ggrep gegrep gfgrep bsdgrep pcregrep pcre2grep";
/// They always do, or nobody knows the option with which they do not.
const SEARCHES: &str = "rgrep ag ack ack-grep ugrep ug ugrep+ rga ripgrep sift pt ucg hgrep vgrep tgrep git-grep ast-grep semgrep \
    difft difftastic ditto mksquashfs mkisofs genisoimage xorriso repomix code2prompt files-to-prompt gitingest yek";
const DIFFS: &str = "diff gdiff colordiff icdiff";
/// Archives, whose first word is a verb.
const ARCHIVES: &str = "7z 7za 7zr 7zz rar jar";
const TARS: &str = "tar gtar bsdtar star";
const PACKERS: &str = "gzip gunzip zcat pigz zstd lz4";
/// They put files elsewhere by a verb, a folder with all it holds.
const TRANSFERS: &str = "docker podman nerdctl kubectl aws gsutil gcloud rclone";
const TRANSFERRING: &str = "cp copy copyto sync mv move moveto rsync";

/// What of its words a command reads as a whole.
enum Whole {
    /// None.
    Nothing,
    /// The files that it is known to open, or the folder in which it runs.
    Opened,
    /// Of the files that it is known to open those that are folders, by their names.
    Folders,
    /// All that are no options.
    Words,
    /// All that are no options, but for the last one: that is where it goes. Those that are folders, by their names, if only these are.
    Sources { may_be_files: bool },
    /// It cannot be told which.
    Anywhere,
}

/// The folders that a command reads as a whole, whoever named the files in them: the workspace, where it names none; a text that
/// stands for any, where that cannot be told.
pub(in crate::policy) fn trees(command: &Command, reading: &Reading) -> Vec<String> {
    let Some(program) = command.program().filter(|_| !command.is_wrapper) else { return Vec::new() };
    // On some systems names in other letters are the same.
    let given = Given::of(command, reading);
    let anywhere = || vec![HOLE.to_string()];
    match given.whole(&program.to_lowercase(), command, reading) {
        Whole::Nothing => Vec::new(),
        Whole::Anywhere => anywhere(),
        Whole::Words => given.operands().map(folder_of).collect(),
        Whole::Sources { may_be_files } => {
            let sources = given.sources().into_iter().filter(|name| !may_be_files || may_be_folder(name));
            sources.map(folder_of).collect()
        }
        Whole::Opened => match operands(command, reading) {
            Some(named) if named.is_empty() => vec![".".to_owned()],
            named => named.unwrap_or_else(anywhere),
        },
        Whole::Folders => {
            let named = operands(command, reading).unwrap_or_else(anywhere);
            named.into_iter().filter(|name| may_be_folder(name)).collect()
        }
    }
}

/// The words of a command, each way to read them.
struct Given {
    words: Vec<String>,
}

impl Given {
    fn of(command: &Command, reading: &Reading) -> Self {
        let text = |way: Vec<Sign>| {
            let sign = |sign: Sign| match sign {
                Sign::Char(c) => c,
                Sign::One | Sign::Name => NAMES,
                Sign::Any => HOLE,
            };
            way.into_iter().map(sign).collect()
        };
        let words = command.arguments().iter().flat_map(|word| ways(word, reading)).map(text);
        Self { words: words.collect() }
    }

    /// Whether one of the words may be one of these options. Long ones may be shortened, letters may be joined.
    fn has(&self, letters: &str, long: &[&str]) -> bool {
        self.words.iter().any(|word| may_be_option(word, letters, long))
    }

    fn operands(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.words.iter().map(String::as_str).filter(|word| !word.starts_with('-'))
    }

    fn sources(&self) -> Vec<&str> {
        let mut all: Vec<&str> = self.operands().collect();
        all.pop();
        all
    }

    fn whole(&self, program: &str, command: &Command, reading: &Reading) -> Whole {
        let is = |names: &str| names.split_ascii_whitespace().any(|name| name == program);
        let when = |is_whole: bool, whole: Whole| if is_whole { whole } else { Whole::Nothing };
        if let [only] = self.words.as_slice()
            && ["--help", "--version"].contains(&only.as_str())
        {
            return Whole::Nothing;
        }
        match program {
            _ if is(GREPS) => {
                let long = ["recursive", "dereference-recursive", "directories"];
                when(self.has("rRd", &long) || has_grep_options(command, reading), Whole::Opened)
            }
            _ if is(SEARCHES) => Whole::Opened,
            "rg" => when(!lists_names(command), Whole::Opened),
            _ if is(DIFFS) && self.has("r", &["recursive"]) => Whole::Opened,
            // Of two folders it compares the files with the same names.
            _ if is(DIFFS) => Whole::Folders,
            "git" => when(self.is_git_of_trees(), Whole::Anywhere),
            "git-diff" | "git-difftool" => when(self.has("", &["no-index"]), Whole::Anywhere),
            "cp" | "gcp" | "scp" | "mv" | "gmv" => self.copied(program),
            "rsync" => Whole::Sources { may_be_files: false },
            _ if is(TARS) => self.packed(),
            _ if is(ARCHIVES) => self.packed_by_verb(),
            "zip" if self.has("R@", &["recurse-patterns", "names-stdin"]) => Whole::Anywhere,
            "zip" => when(self.has("r", &["recurse-paths"]), Whole::Words),
            "pax" => when(self.has("w", &[]), Whole::Anywhere),
            "cpio" => when(self.has("op", &["create", "pass-through"]), Whole::Anywhere),
            _ if is(PACKERS) => when(self.has("r", &["recursive"]), Whole::Words),
            "fd" | "fdfind" => when(self.has("xX", &["exec", "exec-batch"]), Whole::Anywhere),
            // The names come from whoever wrote them into the pipe.
            "parallel" => when(!self.words.iter().any(|word| word == ":::"), Whole::Anywhere),
            "sort" | "gsort" | "wc" | "gwc" => when(self.has("", &["files0-from"]), Whole::Anywhere),
            _ if is(TRANSFERS) => {
                let does = |verb: &str| self.words.iter().any(|word| word == verb);
                when(TRANSFERRING.split_ascii_whitespace().any(does), Whole::Words)
            }
            _ => Whole::Nothing,
        }
    }

    /// Whether git searches or compares the files themselves. An option before the verb can have any word for its value, and a setting can
    /// give a verb another name.
    fn is_git_of_trees(&self) -> bool {
        let reads = |verb: &str| verb == "grep" || verb.starts_with(HOLE);
        let compares = |verb: &str| {
            matches!(verb, "diff" | "difftool") && (self.has("", &["no-index"]) || self.has_path_outside())
        };
        let is_alias = |word: &str| word.to_lowercase().contains("alias.");
        match self.words.first() {
            Some(first) if first.starts_with('-') => {
                self.words.iter().any(|word| reads(word) || compares(word) || is_alias(word))
            }
            Some(verb) => reads(verb) || compares(verb),
            None => false,
        }
    }

    /// Whether of two paths one may be out of the repository: then git compares the files as they are.
    fn has_path_outside(&self) -> bool {
        let leaves =
            |word: &&str| word.starts_with(['/', HOLE]) || word.starts_with("..") || word.contains("/..");
        let is_path = |word: &&str| leaves(word) || word.starts_with('.') || word.contains('/');
        self.operands().any(|word| leaves(&word)) && self.operands().filter(is_path).count() > 1
    }

    /// A copy has what it is a copy of. What is moved to another name is moved with all it holds.
    fn copied(&self, program: &str) -> Whole {
        let is_moved = matches!(program, "mv" | "gmv");
        if !is_moved && !self.has("rRa", &["recursive", "archive"]) {
            return Whole::Nothing;
        }
        let says_where = program != "scp" && self.has("t", &["target-directory"]);
        match says_where {
            true => Whole::Words,
            false => Whole::Sources { may_be_files: is_moved },
        }
    }

    /// `tar`: its letters may stand in the first word without a `-`.
    fn packed(&self) -> Whole {
        let cluster = self.words.first().filter(|word| !word.starts_with('-'));
        let has = |letters: &str, long: &[&str]| {
            self.has(letters, long) || cluster.is_some_and(|word| word.contains(|c| letters.contains(c)))
        };
        if !has("cru", &["create", "append", "update"]) {
            return Whole::Nothing;
        }
        let goes_elsewhere = has("CT", &["directory", "cd", "files-from"]);
        if goes_elsewhere { Whole::Anywhere } else { Whole::Words }
    }

    fn packed_by_verb(&self) -> Whole {
        let verb = self.operands().next().unwrap_or_default().trim_start_matches(HOLE);
        let packs = verb.is_empty() || verb.starts_with(['a', 'u', 'c']) || self.has("c", &["create"]);
        if packs && self.has("C", &[]) {
            return Whole::Anywhere;
        }
        if packs { Whole::Words } else { Whole::Nothing }
    }
}

/// Whether a word may be one of these options.
fn may_be_option(word: &str, letters: &str, long: &[&str]) -> bool {
    if word.starts_with(HOLE) {
        return true;
    }
    // A file can be called like an option. No option has a dot or a slash.
    if word.starts_with(NAMES) {
        return !word.contains(['.', '/']);
    }
    let is_unknown = |text: &str| text.contains([HOLE, NAMES]);
    match word.strip_prefix("--") {
        Some(long) if is_unknown(long.split('=').next().unwrap_or_default()) => true,
        None if word.starts_with('-') && is_unknown(word) => true,
        _ => has_option(word, letters, long),
    }
}

/// Whether the environment adds options, which some systems still obey.
fn has_grep_options(command: &Command, reading: &Reading) -> bool {
    let is_it = |name: &str| name == "GREP_OPTIONS";
    let beside = |word: &Word| word.with_holes().split(['=', '+']).next().is_some_and(is_it);
    command.environment.iter().any(beside) || reading.assigned.iter().any(|(name, _)| is_it(name))
}

/// Whether `rg` shows names alone: the option is there, and it is no value of another one.
fn lists_names(command: &Command) -> bool {
    let taken = reader("rg").and_then(|rg| rg.take(command.arguments()));
    let names = |option: &String| matches!(option.as_str(), "--files" | "--type-list");
    taken.is_some_and(|taken| taken.options.iter().any(names))
}

/// The folder that a word names, or in which the shell looks for what it stands for.
fn folder_of(word: &str) -> String {
    let Some((before, after)) = word.split_once(NAMES) else { return word.to_owned() };
    let (folder, name) = before.rsplit_once('/').unwrap_or((".", before));
    // `.*` may stand for the folder above.
    if word.contains(HOLE) || name.starts_with('.') || after.contains("..") {
        return HOLE.to_string();
    }
    if folder.is_empty() { "/".to_owned() } else { folder.to_owned() }
}

/// Whether a name may be that of a folder: most of those that are not have an ending.
fn may_be_folder(name: &str) -> bool {
    let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    name.ends_with('/') || name.contains(HOLE) || !last.trim_start_matches('.').contains('.')
}
