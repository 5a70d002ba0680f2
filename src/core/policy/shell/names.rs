//! Names with a meaning: reserved words, and variables that change what commands do.

/// Reserved words of dash and bash, where a command may begin.
pub(super) const RESERVED: &[&str] = &[
    "if", "then", "elif", "else", "fi", "for", "in", "do", "done", "while", "until", "case", "esac", "{",
    "}", "!", "[[", "function", "select", "coproc",
];

/// Variables that only change how a program talks, which may be set before any command.
const HARMLESS: &[&str] = &[
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "CARGO_TERM_COLOR",
    "CARGO_INCREMENTAL",
    "DEBUG",
    "FORCE_COLOR",
    "INSTA_UPDATE",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LINES",
    "NODE_ENV",
    "NO_COLOR",
    "PROPTEST_CASES",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "RUST_TEST_THREADS",
    "TERM",
    "TZ",
];

/// Variables that change which program a name means, what a shell runs, or what a loader brings in.
const CHANGING: &[&str] = &[
    "PATH",
    "IFS",
    "ENV",
    "BASH_ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "CDPATH",
    "HOME",
    "OLDPWD",
    "PWD",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "PROMPT_COMMAND",
    "GLOBIGNORE",
    "POSIXLY_CORRECT",
    "SHELL",
    "PAGER",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "NODE_OPTIONS",
    "RUBYOPT",
    "RUBYLIB",
    "PERL5OPT",
    "PERL5LIB",
    "PERL5DB",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "MAKEFLAGS",
    "MAKEFILES",
    "RIPGREP_CONFIG_PATH",
    "XDG_CONFIG_HOME",
    "TMPDIR",
    "OPTIND",
    "TIMEFORMAT",
    "FCEDIT",
];

/// Variables with such names whose value is a text, a time or a switch, whatever it is.
const ONLY_TEXT: &[&str] = &[
    "GIT_AUTHOR_DATE",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_COMMITTER_DATE",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_LFS_SKIP_SMUDGE",
    "GIT_OPTIONAL_LOCKS",
    "GIT_TERMINAL_PROMPT",
];
/// Variables that name a pager or an editor.
const OF_PROGRAMS: &[&str] =
    &["PAGER", "MANPAGER", "GIT_PAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR"];
/// What these may name: it shows a text, or does nothing.
const PLAIN_PROGRAMS: &[&str] = &["", "cat", "less", "more", "true", ":"];
/// Variables that turn on messages. Another value is a file that these are written to.
const OF_TRACES: &[&str] = &["GIT_TRACE", "GIT_TRACE_PERFORMANCE", "GIT_TRACE_SETUP", "GIT_CURL_VERBOSE"];
const SWITCHES: &[&str] = &["", "0", "1", "2", "true", "false"];

/// Whether the variable changes what later words mean.
pub(super) fn changes_meaning(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let starts = ["LD_", "DYLD_", "BASH_", "GIT_", "PYTHON", "GLIBC_", "GCONV_", "ZDOT", "CARGO_TARGET_"];
    CHANGING.contains(&upper.as_str()) || starts.iter().any(|start| upper.starts_with(start))
}

/// Whether setting it before a command needs no rule of its own.
pub(super) fn is_harmless(name: &str) -> bool {
    HARMLESS.contains(&name)
}

/// Whether such a variable is set to what starts nothing and opens nothing: it needs no rule then. `value`: what the text tells.
pub(super) fn is_plain(name: &str, value: Option<&str>) -> bool {
    let is_one_of = |values: &[&str]| value.is_some_and(|value| values.contains(&value));
    ONLY_TEXT.contains(&name)
        || (OF_PROGRAMS.contains(&name) && is_one_of(PLAIN_PROGRAMS))
        || (OF_TRACES.contains(&name) && is_one_of(SWITCHES))
}

/// Whether such a variable changes no meaning with this value, whether or not it needs a rule.
pub(super) fn keeps_meaning(name: &str, value: Option<&str>) -> bool {
    is_plain(name, value)
        || name == "CARGO_TARGET_DIR"
        || (name == "RUSTC_WRAPPER" && matches!(value, Some("" | "sccache")))
}

/// A name that the environment does not hold by custom: a variable of the line's own.
pub(in crate::policy) fn is_local(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.ends_with("_proxy")
        && !name.starts_with("npm_")
}

/// Whether it is the name of a variable or a function.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The last part of a path.
pub(super) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether the name is found along `PATH`, or in the folders of the system: not a file of the workspace.
pub(in crate::policy) fn is_of_system(name: &str) -> bool {
    let folder = name.strip_suffix(base(name)).unwrap_or_default();
    matches!(folder, "" | "/bin/" | "/usr/bin/" | "/sbin/" | "/usr/sbin/")
}
