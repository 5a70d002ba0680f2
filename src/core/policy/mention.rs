//! The words of a line that may be names of files, and the folders that they are named in.

use std::collections::BTreeSet;

use super::effect::{self, Tree};
use super::sed_calls;
use super::shell::{self, Access, Command, HOLE, Reading, Word};
use super::signs::{Sign, path, signs, text, ways};
use super::started::lines_in;
use crate::tool::SideEffect;
use crate::tool::name::{EDIT, READ, WRITE};

/// Tools whose patterns are paths.
pub(super) const OF_FILES: &[&str] = &[READ, WRITE, EDIT];
/// What stands around a path in a word: of options, lists, hosts, and texts of other languages.
const AROUND: &str = "=@:,;|&<>(){}[]'\"` \t\n";
/// Letters of options that may stand before a path.
const MOST_LETTERS: usize = 64;
/// Parts of a word that go on to its end, beyond this many.
const MOST_TAILS: usize = 64;
/// A command that reads more folders as a whole counts as one that may read any: each is compared with each rule.
const MOST_TREES: usize = 256;

/// The words of a line that may be names of files.
pub(super) struct Mentioned {
    /// The folders in which they may be.
    pub(super) folders: Vec<Vec<Sign>>,
    /// Whether they may be in the workspace too, because a move to the only folder fails or is a subshell's.
    pub(super) may_stay: bool,
    /// Files that are opened, as they are written.
    pub(super) opened: Vec<(Access, String)>,
    /// Folders that are read as a whole, without a word about the files in them.
    pub(super) trees: Vec<NamedTree>,
    /// Other names.
    pub(super) perhaps: Vec<(&'static [&'static str], Vec<Sign>)>,
}

/// A folder that is read as a whole.
pub(super) struct NamedTree {
    /// Its name.
    pub(super) name: Vec<Sign>,
    /// Whether it is one only if a rule takes that name for a folder.
    pub(super) looks_like_file: bool,
}

impl NamedTree {
    fn of(tree: &Tree) -> Self {
        let sign = |c: char| if tree.looks_like_file && c == '*' { Sign::Name } else { Sign::Char(c) };
        let is_any = tree.name.contains(HOLE);
        let name = if is_any { vec![Sign::Any] } else { tree.name.chars().map(sign).collect() };
        Self { name, looks_like_file: tree.looks_like_file }
    }
}

impl Mentioned {
    pub(super) fn in_line(line: &str, reading: &Reading) -> Self {
        let folders = folders(line, reading);
        let may_stay = begins_with_move(line) && !all_follows_the_move(line);
        let mut this = Self { folders, may_stay, opened: Vec::new(), trees: Vec::new(), perhaps: Vec::new() };
        for command in reading.commands.iter().filter(|command| !command.is_wrapper) {
            this.command(command, reading);
        }
        for file in reading.redirections.iter().filter(|file| !effect::is_sink(file)) {
            match file.target.literal() {
                Some(path) => this.opened.push((file.access, path)),
                None => this
                    .perhaps
                    .extend(ways(&file.target, reading).into_iter().map(|way| (tools(file.access), way))),
            }
        }
        this
    }

    fn command(&mut self, command: &Command, reading: &Reading) {
        // To go to a folder is not to read it.
        if command.name().as_deref() == Some("cd") {
            return;
        }
        self.trees.extend(all_trees(command, reading).iter().map(NamedTree::of));
        let reads = looks(command);
        if let Some(files) = effect::operands(command, reading).filter(|_| reads) {
            if command.program().as_deref() == Some("git") {
                self.in_git(&files);
            }
            self.opened.extend(files.into_iter().map(|path| (Access::Reads, path)));
            return;
        }
        if reads && !effect::opens(command) {
            return;
        }
        let uses = match reads {
            true => tools(Access::Reads),
            false if effect::reads_nothing(command) => tools(Access::Writes),
            false => OF_FILES,
        };
        // A name may be joined to the letter before it: `wout`.
        let files = sed_calls::of_command(command).into_iter().flat_map(|script| script.files);
        let sign = |file: &String| if file.contains(HOLE) { vec![Sign::Any] } else { signs(file) };
        self.perhaps.extend(files.map(|file| (uses, sign(&file))));
        let environment = command.environment.iter();
        for word in environment.chain(command.arguments()) {
            for way in all_ways(word, reading) {
                self.perhaps.extend(parts(&way).into_iter().map(|part| (uses, part)));
            }
        }
    }

    /// What git takes for a path in a word: after the commit in `HEAD:src/a.rs`, in the index as `:src/a.rs`, from the top as
    /// `:/src/a.rs`, and behind the signs of `:(top)src/a.rs`.
    fn in_git(&mut self, words: &[String]) {
        for word in words {
            for (at, _) in word.match_indices(':') {
                let path = word.get(at + 1..).unwrap_or_default();
                let path = if at == 0 { path.trim_start_matches('/') } else { path };
                self.opened.push((Access::Reads, path.to_owned()));
            }
            let parts = parts(&signs(word)).into_iter();
            self.perhaps.extend(parts.map(|part| (tools(Access::Reads), part)));
        }
    }

    /// The workspace, where the names may be in it although the line begins with a move.
    pub(super) fn stays(&self) -> Option<Vec<Sign>> {
        self.may_stay.then(Vec::new)
    }

    /// The paths of a name, from each folder in which it may be.
    pub(super) fn paths(&self, name: &[Sign]) -> Vec<Vec<Sign>> {
        self.folders.iter().map(|folder| path(folder, name)).collect()
    }
}

/// Paths that a look at the line should follow, beside what it surely opens: each from the folder that it is named in.
pub(super) fn mentioned(line: &str, reading: &Reading) -> Vec<String> {
    let mentioned = Mentioned::in_line(line, reading);
    let opened = mentioned.opened.iter().map(|(_, path)| signs(path));
    let perhaps = mentioned.perhaps.iter().map(|(_, name)| name.clone());
    let names: Vec<Vec<Sign>> = opened.chain(perhaps).collect();
    let folders: Vec<Vec<Sign>> = mentioned.folders.iter().cloned().chain(mentioned.stays()).collect();
    let paths = names.iter().flat_map(|name| folders.iter().filter_map(|folder| joined(folder, name)));
    paths.filter(|path| !path.starts_with('-') && !path.is_empty()).collect()
}

/// The path as the kernel will be given it from the workspace, if all of it is known.
pub(super) fn joined(folder: &[Sign], name: &[Sign]) -> Option<String> {
    let (folder, name) = (text(folder)?, text(name)?);
    Some(if folder.is_empty() || name.starts_with('/') { name } else { format!("{folder}/{name}") })
}

/// The ways to read a word. One of which a part is not known may name a link, to any file.
fn all_ways(word: &Word, reading: &Reading) -> Vec<Vec<Sign>> {
    let mut all = ways(word, reading);
    for way in &mut all {
        if way.contains(&Sign::Any) {
            *way = vec![Sign::Any];
        }
    }
    all
}

/// The folders that a command reads as a whole, and those that what it starts reads: any tail of a launcher's words may be a command, and a
/// word a line.
fn all_trees(command: &Command, reading: &Reading) -> BTreeSet<Tree> {
    let launches = command.program().is_some_and(|program| effect::is_launcher(&program.to_lowercase()));
    let words = if launches && !command.is_wrapper { command.arguments() } else { &[] };
    let tails = (0..words.len().min(MOST_TAILS)).filter_map(|at| words.get(at..));
    let of_tails = tails.flat_map(|tail| {
        effect::trees(&Command { environment: Vec::new(), words: tail.to_vec(), is_wrapper: false }, reading)
    });
    let of_lines = words.iter().map(Word::with_holes).flat_map(|text| {
        let started: Vec<Reading> = lines_in(&text).into_iter().map(shell::read).collect();
        let of_started = |started: &Reading| -> Vec<Tree> {
            started.commands.iter().flat_map(|command| effect::trees(command, started)).collect()
        };
        started.iter().flat_map(of_started).collect::<Vec<_>>()
    });
    let mut all = BTreeSet::new();
    for tree in effect::trees(command, reading).into_iter().chain(of_tails).chain(of_lines) {
        let is_any = tree.name.contains(HOLE);
        all.insert(tree);
        if is_any || all.len() > MOST_TREES {
            return BTreeSet::from([Tree::anywhere()]);
        }
    }
    all
}

/// The tools whose rules are about this.
pub(super) fn tools(access: Access) -> &'static [&'static str] {
    match access {
        Access::Reads => &[READ],
        Access::Writes => &[WRITE, EDIT],
    }
}

/// Where the names of a line are: the workspace, and what it changes to. Any text stands for a folder that is not known.
fn folders(line: &str, reading: &Reading) -> Vec<Vec<Sign>> {
    let anywhere = || vec![vec![Sign::Any]];
    let moves: Vec<&Command> = reading.commands.iter().filter(|command| changes_folder(command)).collect();
    let [only] = moves.as_slice() else {
        return if moves.is_empty() { vec![Vec::new()] } else { anywhere() };
    };
    let to = match only.arguments() {
        [to] if only.program().as_deref() == Some("cd") && !reading.repeats => to.literal(),
        _ => None,
    };
    match to {
        // The shell leaves a folder that is a link by the way it came, the kernel does not.
        Some(to) if !to.starts_with('-') && !to.contains("/..") => {
            let to = path(&[], &signs(&to));
            if begins_with_move(line) { vec![to] } else { vec![Vec::new(), to] }
        }
        _ => anywhere(),
    }
}

/// The word, and what in it may be a path: after a sign that ends another word, up to the next one or to the end, and
/// after the letters of options.
fn parts(word: &[Sign]) -> Vec<Vec<Sign>> {
    let ends = |sign: &Sign| matches!(sign, Sign::Char(c) if AROUND.contains(*c));
    let mut all = vec![word.to_vec()];
    let starts = word.iter().enumerate().filter(|(_, sign)| ends(sign)).map(|(at, _)| at + 1);
    all.extend(starts.take(MOST_TAILS).filter_map(|at| word.get(at..)).map(<[Sign]>::to_vec));
    if word.iter().any(ends) {
        all.extend(word.split(ends).map(<[Sign]>::to_vec));
    }
    if word.first() == Some(&Sign::Char('-')) {
        all.extend((2..word.len().min(MOST_LETTERS)).filter_map(|at| word.get(at..)).map(<[Sign]>::to_vec));
    }
    all.retain(|part| !part.is_empty());
    all
}

/// Whether the command looks and does nothing else.
pub(super) fn looks(command: &Command) -> bool {
    effect::of_command(command) == Some(SideEffect::Reads)
}

/// Whether the line changes its folder before all else.
pub(super) fn begins_with_move(line: &str) -> bool {
    line.trim_start_matches(['(', ' ']).starts_with("cd ")
}

/// Whether nothing of a line that begins with a move runs where the line began: the rest runs only if the move succeeded, and
/// no subshell ends before it. Signs in quotes count too; the price is a question.
fn all_follows_the_move(line: &str) -> bool {
    let line = line.trim();
    let inner = line.strip_prefix('(').and_then(|line| line.strip_suffix(')')).unwrap_or(line);
    let (first, rest) = inner.split_once("&&").unwrap_or((inner, ""));
    let ends = |text: &str| text.contains([';', '\n', '(', ')', '{', '}', '&', '`']) || text.contains("||");
    !first.contains('|') && !ends(first) && !rest.split("&&").any(ends)
}

/// Whether what follows runs in another folder than what came before; of `find -execdir` each time in another one.
pub(super) fn changes_folder(command: &Command) -> bool {
    let moves_about = |word: &Word| matches!(word.literal().as_deref(), Some("-execdir" | "-okdir"));
    command.program().is_none_or(|name| match name.as_str() {
        "cd" | "pushd" | "popd" | "chdir" => true,
        "find" | "gfind" => command.arguments().iter().any(moves_about),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folders_that_a_line_reads_are_few_however_long_it_is() {
        let trees = |line: &str| Mentioned::in_line(line, &shell::read(line)).trees.len();
        let words: String = (0..1_900).map(|number| format!(" w{number}")).collect();
        let copies = "cp -r ".repeat(30);
        for start in ["xargs ", "watch ", "cd a; cd b; watch ", ""] {
            assert_eq!(trees(&format!("{start}{copies}{words}")), 1, "{start}: any");
        }
        for start in ["watch ", ""] {
            assert_eq!(trees(&format!("{start}{copies}a b c")), 3, "{start}: each of cp, a and b once");
        }
    }
}
