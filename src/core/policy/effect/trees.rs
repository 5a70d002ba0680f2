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

/// Options before a verb of git that say nothing of where it looks.
const OF_PAGERS: &[&str] = &["--no-pager", "-P", "--paginate", "-p"];
/// Endings of names that are hardly ever those of folders.
const OF_FILES: &str = "rs c h cc cpp cxx hh hpp m mm go py pyi pyx rb js jsx mjs cjs ts tsx java kt kts swift cs fs scala clj ex exs erl hs ml mli \
    lua pl pm php r jl dart zig nim v vim el lisp sh bash zsh fish ps1 bat cmd sql html htm css scss sass less vue svelte xml xsd json jsonl \
    json5 yaml yml toml ini cfg conf properties md mdx markdown rst txt text adoc tex org csv tsv log diff patch lock snap out err tmp bak \
    orig new rej svg png jpg jpeg gif webp ico pdf zip gz tgz tar xz bz2 zst 7z a o so dylib dll exe wasm proto graphql gradle cmake mk in \
    tmpl j2 pem key crt ipynb sum mod";

/// A folder that a command reads as a whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::policy) struct Tree {
    /// Its name; a text that stands for any, where that is not known.
    pub(in crate::policy) name: String,
    /// Whether the name looks like that of a file. Then only a rule that takes it for a folder says that it is one, and a `*` in it is any
    /// name.
    pub(in crate::policy) looks_like_file: bool,
}

impl Tree {
    /// Any folder.
    pub(in crate::policy) fn anywhere() -> Self {
        Self::called(&HOLE.to_string())
    }

    fn called(name: &str) -> Self {
        Self { name: name.to_owned(), looks_like_file: false }
    }

    /// The folder that a word names, or in which the shell looks for what it stands for.
    fn folder(word: &str) -> Self {
        Self::called(&folder_of(word))
    }

    fn perhaps(word: &str) -> Self {
        match may_be_folder(word) {
            true => Self::folder(word),
            false => Self { name: word.to_owned(), looks_like_file: true },
        }
    }
}

/// What of its words a command reads as a whole.
enum Whole {
    /// None.
    Nothing,
    /// The files that it is known to open, or the folder in which it runs.
    Opened,
    /// Of the files that it is known to open those that are folders.
    Folders,
    /// All that are no options.
    Words,
    /// All that are no options, but for the last one: that is where it goes.
    Sources,
    /// Of these words those that are folders.
    Perhaps(Vec<String>),
    /// It cannot be told which.
    Anywhere,
}

impl Whole {
    fn perhaps(words: Vec<&str>) -> Self {
        Self::Perhaps(words.into_iter().map(str::to_owned).collect())
    }
}

/// The folders that a command reads as a whole, whoever named the files in them: the workspace, where it names none; any, where that
/// cannot be told.
pub(in crate::policy) fn trees(command: &Command, reading: &Reading) -> Vec<Tree> {
    let Some(program) = command.program().filter(|_| !command.is_wrapper) else { return Vec::new() };
    // On some systems names in other letters are the same.
    let given = Given::of(command, reading);
    let anywhere = || vec![Tree::anywhere()];
    match given.whole(&program.to_lowercase(), command, reading) {
        Whole::Nothing => Vec::new(),
        Whole::Anywhere => anywhere(),
        Whole::Words => given.operands().map(Tree::folder).collect(),
        Whole::Sources => given.sources().into_iter().map(Tree::folder).collect(),
        Whole::Perhaps(names) => names.iter().map(|name| Tree::perhaps(name)).collect(),
        Whole::Opened => match operands(command, reading) {
            Some(named) if named.is_empty() => vec![Tree::called(".")],
            Some(named) => named.iter().map(|name| Tree::called(name)).collect(),
            None => anywhere(),
        },
        Whole::Folders => match operands(command, reading) {
            Some(named) => named.iter().map(|name| Tree::perhaps(name)).collect(),
            None => anywhere(),
        },
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

    fn operands(&self) -> impl Iterator<Item = &str> {
        operands_of(self.words.iter().map(String::as_str))
    }

    fn sources(&self) -> Vec<&str> {
        all_but_last(self.operands())
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
            "git" => self.of_git(),
            "git-diff" | "git-difftool" => self.compared(self.words.iter().map(String::as_str)),
            "cp" | "gcp" | "scp" | "mv" | "gmv" => self.copied(program),
            "rsync" => Whole::Sources,
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

    /// What git searches, compares or moves of the files themselves. An option before the verb can have any word for its value, and a setting
    /// can give a verb another name.
    fn of_git(&self) -> Whole {
        let mut words = self.words.iter().map(String::as_str).skip_while(|word| OF_PAGERS.contains(word));
        let Some(first) = words.next() else { return Whole::Nothing };
        let rest: Vec<&str> = words.collect();
        let reads = |verb: &str| verb == "grep" || verb.starts_with(HOLE);
        let compares = |verb: &str| matches!(verb, "diff" | "difftool");
        if first.starts_with('-') {
            let is_alias = |word: &str| word.to_lowercase().contains("alias.");
            let other =
                is_alias(first) || rest.iter().any(|word| reads(word) || *word == "mv" || is_alias(word));
            let mut after = rest.iter().copied().skip_while(|word| !compares(word));
            // Nor is it known from which folder the names go.
            let is_of_trees =
                other || after.next().is_some() && !matches!(self.compared(after), Whole::Nothing);
            return if is_of_trees { Whole::Anywhere } else { Whole::Nothing };
        }
        match first {
            verb if reads(verb) => Whole::Anywhere,
            verb if compares(verb) => self.compared(rest.into_iter()),
            "mv" => Whole::perhaps(all_but_last(operands_of(rest.into_iter()))),
            _ => Whole::Nothing,
        }
    }

    /// What `git diff` with these words behind it reads itself. Where there is no repository, two names are those of files and folders,
    /// whatever stands between them.
    fn compared<'w>(&self, after: impl Iterator<Item = &'w str>) -> Whole {
        if self.has("", &["no-index"]) || self.has_path_outside() {
            return Whole::Anywhere;
        }
        let names: Vec<&str> = operands_of(after).filter(|word| !is_commit(word)).collect();
        if names.len() > 1 { Whole::perhaps(names) } else { Whole::Nothing }
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
        match (is_moved, says_where) {
            (false, true) => Whole::Words,
            (false, false) => Whole::Sources,
            (true, true) => Whole::perhaps(self.operands().collect()),
            (true, false) => Whole::perhaps(self.sources()),
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

/// The words that are no options.
fn operands_of<'w>(words: impl Iterator<Item = &'w str>) -> impl Iterator<Item = &'w str> {
    let mut are_options_over = false;
    words.filter(move |word| {
        let is_operand = are_options_over || !word.starts_with('-');
        are_options_over |= *word == "--";
        is_operand
    })
}

fn all_but_last<'w>(words: impl Iterator<Item = &'w str>) -> Vec<&'w str> {
    let mut all: Vec<&str> = words.collect();
    all.pop();
    all
}

/// Whether a word for git is spelled as a commit, and hardly a folder.
fn is_commit(word: &str) -> bool {
    matches!(word, "HEAD" | "@") || word.starts_with("HEAD~") || word.contains('^') || word.contains("@{")
}

/// Whether a name may be that of a folder: what ends as files do hardly is.
fn may_be_folder(name: &str) -> bool {
    let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let ending = last.trim_start_matches('.').rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
    let is_of_file =
        ending.is_some_and(|ending| OF_FILES.split_ascii_whitespace().any(|known| known == ending));
    name.ends_with('/') || name.contains(HOLE) || !is_of_file
}
