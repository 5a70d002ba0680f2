//! Shells and other programs with a language: the one list of them, with where each takes its program from.

/// Where a program with a language takes what it runs from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ProgramSource {
    /// A shell: its options, a file, or its standard input. Its words are lines for it.
    Shell,
    /// An option, the first operand, or else the standard input.
    Program,
    /// The same, but options bring it in whole words.
    PowerShell,
    /// The standard input, whatever its words are.
    Input,
    /// The standard input, if no option brings a program. Operands are no programs.
    Database,
    /// Options or the first operand; the standard input is what it works on, unless a word names it as the program.
    Filter,
    /// Files, of which the standard input is one only where a word names it.
    Files,
    /// Keys, which it takes from the standard input, unless a word says that this is the text to edit.
    Editor,
}

/// Programs that are alike.
pub(super) struct Interpreter {
    names: &'static [&'static str],
    /// Where they take what they run from.
    pub(super) source: ProgramSource,
    /// Letters of options that bring the program.
    pub(super) code: &'static str,
    /// Letters of options behind which a value is joined.
    pub(super) valued: &'static str,
    /// Letters of options whose value is the next word, if nothing is joined to them.
    pub(super) detached: &'static str,
    /// Letters of options with which it takes commands from its standard input besides.
    pub(super) console: &'static str,
}

impl Interpreter {
    /// The same, with letters of options that open a console.
    const fn opened_by(mut self, console: &'static str) -> Self {
        self.console = console;
        self
    }
}

const fn of(
    names: &'static [&'static str],
    source: ProgramSource,
    code: &'static str,
    valued: &'static str,
    detached: &'static str,
) -> Interpreter {
    Interpreter { names, source, code, valued, detached, console: "" }
}

/// Shells whose `-c` is read as a line of its own, not as words that may start something.
const READ_AS_LINES: &[&str] = &["sh", "bash", "dash"];
/// Names that many versions and editions of one program begin with.
const PYTHONS: &[&str] = &["python", "pypy", "ipython"];
const PYTHON: Interpreter = of(PYTHONS, ProgramSource::Program, "cm", "WX", "WX").opened_by("i");
/// What takes the next word in one of the many that have a row together: where it is none in another, a line is asked about.
const OTHERS: &str = "DIJLUCHglpt";

const INTERPRETERS: &[Interpreter] = &[
    of(READ_AS_LINES, ProgramSource::Shell, "c", "o", "oO"),
    of(
        &[
            "zsh",
            "ksh",
            "mksh",
            "ash",
            "fish",
            "csh",
            "tcsh",
            "nu",
            "xonsh",
            "elvish",
            "yash",
            "rbash",
            "rksh",
            "rzsh",
            "posh",
            "osh",
            "ysh",
            "lksh",
            "oksh",
            "pdksh",
            "rc",
            "es",
            "sash",
            "hush",
            "bosh",
            "pbosh",
            "ion",
            "murex",
            "brush",
            "scsh",
            "zsh-beta",
            "static-sh",
            "sh.distrib",
        ],
        ProgramSource::Shell,
        "c",
        "o",
        "oCD",
    ),
    of(&["perl"], ProgramSource::Program, "eE", "mMIFDxiC", "I").opened_by("d"),
    of(&["ruby", "raku", "jruby", "truffleruby", "mruby"], ProgramSource::Program, "e", "rIEKxlM", "rIEC"),
    of(&["lua", "luajit"], ProgramSource::Program, "e", "rIEKxlM", "l").opened_by("i"),
    of(&["node", "nodejs", "tsx", "ts-node"], ProgramSource::Program, "ep", "rC", "rC").opened_by("i"),
    of(&["php", "php-cgi"], ProgramSource::Program, "rfFRB", "dcz", "dczt").opened_by("a"),
    of(
        &[
            "tclsh",
            "wish",
            "jimsh",
            "irb",
            "sbcl",
            "jshell",
            "iex",
            "m4",
            "octave",
            "sqlite3",
            "duckdb",
            "dc",
            "gp",
            "gap",
            "maxima",
            "scilab",
            "gforth",
            "utop",
            "sml",
            "poly",
            "swipl",
            "gprolog",
            "erl",
            "escript",
            "scheme",
            "mit-scheme",
            "csi",
            "gsi",
            "gosh",
            "chez",
            "clisp",
            "ecl",
            "ccl",
            "janet",
            "hy",
            "fennel",
            "qjs",
            "runghc",
            "runhaskell",
            "pyspark",
            "spark-shell",
            "sparkr",
            "groovysh",
        ],
        ProgramSource::Program,
        "",
        "",
        OTHERS,
    )
    .opened_by("i"),
    of(&["expect", "racket"], ProgramSource::Program, "cef", "", OTHERS).opened_by("i"),
    of(&["gnuplot"], ProgramSource::Program, "", "", "e"),
    of(&["r", "rscript"], ProgramSource::Program, "ef", "", OTHERS),
    of(&["julia"], ProgramSource::Program, "eE", "", OTHERS).opened_by("i"),
    of(&["guile", "bpython"], ProgramSource::Program, "cm", "", OTHERS).opened_by("i"),
    of(
        &["deno", "bun", "osascript", "ghci", "elixir", "clojure", "clj", "groovy", "scala", "ocaml"],
        ProgramSource::Program,
        "e",
        "",
        OTHERS,
    )
    .opened_by("i"),
    of(&["pwsh", "powershell", "pwsh-preview", "pwsh-lts"], ProgramSource::PowerShell, "", "", ""),
    of(&["psql"], ProgramSource::Database, "cf", "UhpdoFRPTvL", "UhpdoFRPTvL"),
    of(&["mysql", "mariadb"], ProgramSource::Database, "e", "uhpPDS", "uhPDS"),
    of(
        &[
            "pgcli",
            "mycli",
            "litecli",
            "usql",
            "sqlplus",
            "sqlcmd",
            "sqlline",
            "beeline",
            "hive",
            "impala-shell",
            "snowsql",
            "mysqlsh",
            "mongosh",
            "mongo",
        ],
        ProgramSource::Database,
        "cef",
        "",
        "",
    ),
    of(
        &["ex", "ed", "red", "gdb", "lldb", "jdb", "sftp", "ftp", "lftp", "ncftp", "smbclient"],
        ProgramSource::Input,
        "",
        "",
        "",
    ),
    of(&["vim", "vi", "view", "rvim", "gvim", "vimdiff", "nvim"], ProgramSource::Editor, "", "", ""),
    of(&["make", "gmake", "emacs", "ghc"], ProgramSource::Files, "", "", ""),
    of(&["awk", "gawk", "mawk", "nawk"], ProgramSource::Filter, "fEi", "", ""),
    of(&["sed", "gsed"], ProgramSource::Filter, "f", "", ""),
];

/// What is known of the program of this name, in whatever version: `lua5.4`, `zsh-5.9`, `psql.exe`.
pub(super) fn interpreter(program: &str) -> Option<&'static Interpreter> {
    if PYTHONS.iter().any(|name| program.starts_with(name)) {
        return Some(&PYTHON);
    }
    let name = listed_name(program)?;
    INTERPRETERS.iter().find(|known| known.names.contains(&name))
}

/// The name under which a program is listed, in whatever version: `lua` of `lua5.4`.
pub(super) fn listed_name(program: &str) -> Option<&str> {
    let bare = plain(program);
    let unversioned = bare.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let is_listed = |name: &&str| INTERPRETERS.iter().any(|known| known.names.contains(name));
    [bare, unversioned, before_version(bare)].into_iter().find(is_listed)
}

/// The name without what only says how the program was built: `dash-static`, `psql.exe`.
pub(super) fn plain(program: &str) -> &str {
    let bare = program.strip_suffix(".exe").unwrap_or(program);
    ["-static", ".static"].into_iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare)
}

/// What stands before a version and an edition, as in `perl5.38-x86_64-linux-gnu`; else empty. So short a name as `ed` says nothing
/// (`ed25519-keygen`).
fn before_version(bare: &str) -> &str {
    let version = bare.find(|c: char| c.is_ascii_digit()).unwrap_or(bare.len());
    let (name, version) = bare.split_at_checked(version).unwrap_or_default();
    let edition = version.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let name = name.trim_end_matches(['.', '-']);
    if name.len() > 2 && edition.starts_with('-') { name } else { "" }
}

/// Whether it has a language in which others can be started, and is no shell and no filter.
pub(super) fn has_language(program: &str) -> bool {
    interpreter(program)
        .is_some_and(|known| !matches!(known.source, ProgramSource::Shell | ProgramSource::Filter))
}

/// Whether it is a shell.
pub(super) fn is_shell(program: &str) -> bool {
    interpreter(program).is_some_and(|known| known.source == ProgramSource::Shell)
}

/// Whether it is a shell whose words are looked at one by one.
pub(super) fn is_shell_by_words(program: &str) -> bool {
    is_shell(program) && !READ_AS_LINES.contains(&program)
}

/// Whether its standard input is what it works on, unless an option says that it is its program.
pub(super) fn is_filter(program: &str) -> bool {
    interpreter(program).is_some_and(|known| known.source == ProgramSource::Filter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_of_a_program_is_known() {
        for (name, source) in [
            ("zsh", ProgramSource::Shell),
            ("zsh-5.9", ProgramSource::Shell),
            ("bash5", ProgramSource::Shell),
            ("lua5.4", ProgramSource::Program),
            ("perl5.38.2", ProgramSource::Program),
            ("pypy3", ProgramSource::Program),
            ("python3.12", ProgramSource::Program),
            ("tclsh8.6", ProgramSource::Program),
            ("sqlite3", ProgramSource::Program),
            ("m4", ProgramSource::Program),
            ("psql.exe", ProgramSource::Database),
            ("gawk-5.1", ProgramSource::Filter),
            ("dash-static", ProgramSource::Shell),
            ("bash-static", ProgramSource::Shell),
            ("zsh5-static", ProgramSource::Shell),
            ("bash.static", ProgramSource::Shell),
            ("sash", ProgramSource::Shell),
            ("ksh93", ProgramSource::Shell),
            ("node22", ProgramSource::Program),
            ("ruby3.2", ProgramSource::Program),
            ("php-cgi8.3", ProgramSource::Program),
            ("perl5.38-x86_64-linux-gnu", ProgramSource::Program),
            ("luajit-2.1.0-beta3", ProgramSource::Program),
            ("pwsh-preview", ProgramSource::PowerShell),
        ] {
            assert!(interpreter(name).is_some_and(|known| known.source == source), "{name}");
        }
        for name in [
            "",
            "5",
            "-static",
            "cat",
            "make2.x",
            "shasum",
            "nodemon",
            "ed25519-keygen",
            "node-gyp",
            "perl-static-x",
        ] {
            assert!(interpreter(name).is_none(), "{name}");
        }
    }

    #[test]
    fn no_program_is_listed_twice() {
        let mut names: Vec<&str> =
            INTERPRETERS.iter().chain([&PYTHON]).flat_map(|known| known.names).copied().collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
