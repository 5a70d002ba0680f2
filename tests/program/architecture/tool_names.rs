//! Names of tools: each is written once. What decides by a tool's nature asks its kind, and who has only a name uses a constant.

use std::collections::{BTreeMap, BTreeSet};

use countersign::runtime::{echo_spec, tool_specs};

use super::source::{SourceFile, source_files};

/// The file that declares the names.
const DECLARED: &str = "src/core/tool/name.rs";
/// Where the tools are.
const TOOLS: &str = "src/runtime/tools/";

/// Files with words that are spelled like the name of a tool, and what they mean there. A row that is no longer true must go.
const OTHER_WORDS: &[(&str, &[&str], &str)] = &[
    ("src/cli/acp/methods/initialize.rs", &["list"], "a member of the protocol's capabilities"),
    ("src/cli/acp/updates/plan.rs", &["plan"], "a kind of update"),
    (
        "src/cli/acp/updates/tool_call.rs",
        &["edit", "fetch", "read", "search"],
        "kinds of calls in the protocol",
    ),
    ("src/cli/whatif/args.rs", &["edit"], "the name of a flag"),
    ("src/config/flags.rs", &["ask"], "the flag and the key of rules that ask"),
    ("src/config/goal.rs", &["plan"], "a field of a goal's form"),
    ("src/config/key/behaviour.rs", &["ask"], "the key of rules that ask"),
    ("src/config/subagents/permission.rs", &["ask"], "a word of opencode's permissions"),
    ("src/core/goal/form.rs", &["plan"], "a field of a goal's form"),
    ("src/cli/import_settings/claude.rs", &["ask", "plan"], "words of its settings"),
    (
        "src/cli/import_settings/opencode.rs",
        &["ask", "edit", "glob", "list", "read"],
        "words of its permissions",
    ),
    ("src/core/goal/reply.rs", &["plan"], "a field of the reply at a checkpoint"),
    ("src/core/ledger/mode.rs", &["ask", "edit", "plan"], "modes"),
    ("src/core/policy/effect/git.rs", &["fetch", "list"], "subcommands of git"),
    ("src/core/policy/effect/openers.rs", &["shell"], "a subcommand that opens a shell"),
    ("src/core/policy/effect/readers.rs", &["echo"], "a program"),
    ("src/core/policy/effect/starters.rs", &["shell"], "a subcommand of programs for containers"),
    ("src/core/policy/effect/tables.rs", &["fetch", "list", "read", "search"], "programs and subcommands"),
    ("src/core/policy/git_names.rs", &["fetch"], "a subcommand of git"),
    ("src/core/policy/shell/builtin.rs", &["read"], "a builtin of the shell"),
    ("src/core/policy/shell/pipes.rs", &["echo"], "a program"),
    ("src/core/policy/shell/wrapper.rs", &["echo"], "the program that `xargs` runs by itself"),
    ("src/core/policy/suggest.rs", &["edit"], "a subcommand of kubectl"),
    ("src/core/wire/hook.rs", &["ask"], "a decision of a hook"),
    ("src/core/wire/record/chain.rs", &["plan"], "a member of a session file"),
    ("src/core/wire/record/goal.rs", &["plan"], "a member of a session file"),
    (
        "src/core/wire/record/legacy.rs",
        &["edit", "list", "plan", "read", "search", "shell", "shell_kill", "shell_output", "write"],
        "names in files of older versions, which stay what they were",
    ),
    ("src/runtime/models/rehearsal/verb.rs", &["list", "read", "search", "write"], "verbs of a request"),
    ("src/runtime/store/adopt.rs", &["write"], "what could not be done with a file"),
    ("src/runtime/store/lines.rs", &["read"], "what could not be done with a file"),
    ("src/runtime/store/scan.rs", &["read"], "what could not be done with a file"),
    ("src/runtime/store/whole.rs", &["read"], "what could not be done with a file"),
    ("src/runtime/tools/search.rs", &["glob"], "an argument"),
    ("src/session/subagents/worktree.rs", &["list"], "a subcommand of git"),
    ("src/ui/branches.rs", &["edit"], "a word of `/whatif`"),
    ("src/ui/inspector/what_if.rs", &["edit"], "a word of `/whatif`"),
    ("src/ui/panes/answers.rs", &["edit"], "what a key does"),
    ("src/ui/panes/page_answers.rs", &["edit"], "what a key does"),
    ("src/ui/panes/inspector/frame.rs", &["list"], "what a key does"),
    ("src/ui/commands/arguments.rs", &["ask", "edit", "plan"], "modes"),
    ("src/ui/pages/plan.rs", &["plan"], "the name of a page"),
    ("src/ui/text/highlight/paint.rs", &["shell"], "the language of a block of code"),
];

/// Whether a file is all tests.
fn is_test(file: &SourceFile) -> bool {
    file.name.ends_with("_tests.rs")
}

/// The file of a tool may write its name: a tool that nothing else knows needs no constant.
fn is_file_of(file: &str, tool: &str) -> bool {
    let inside = file.strip_prefix(TOOLS).unwrap_or_default();
    inside == format!("{tool}.rs") || inside == format!("{tool}/mod.rs")
}

/// Which names are written as literals, by file.
fn written<'f>(files: &'f [SourceFile], names: &BTreeSet<String>) -> BTreeMap<&'f str, BTreeSet<String>> {
    let mut found: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for file in files.iter().filter(|file| !is_test(file) && file.name != DECLARED) {
        let here = names.iter().filter(|name| file.code.contains(&format!("\"{name}\"")));
        let here: BTreeSet<String> = here.filter(|name| !is_file_of(&file.name, name)).cloned().collect();
        if !here.is_empty() {
            found.insert(&file.name, here);
        }
    }
    found
}

#[test]
fn names_of_tools_are_written_once() {
    let names: BTreeSet<String> =
        tool_specs().into_iter().chain([echo_spec()]).map(|tool| tool.name).collect();
    let files = source_files(&["src"]);
    let found = written(&files, &names);
    let permitted: BTreeMap<&str, BTreeSet<String>> = OTHER_WORDS
        .iter()
        .map(|(file, words, _)| (*file, words.iter().map(|word| (*word).to_owned()).collect()))
        .collect();
    assert!(OTHER_WORDS.iter().all(|(_, words, reason)| !words.is_empty() && !reason.is_empty()));
    let differs = |one: &BTreeMap<&str, BTreeSet<String>>, other: &BTreeMap<&str, BTreeSet<String>>| {
        let rows = one.iter().filter(|(file, words)| other.get(*file) != Some(words));
        rows.map(|(file, words)| format!("{file}: {words:?}")).collect::<Vec<_>>().join("\n")
    };
    let (new, gone) = (differs(&found, &permitted), differs(&permitted, &found));
    assert!(
        new.is_empty() && gone.is_empty(),
        "names of tools are declared in {DECLARED}; written here:\n{new}\npermitted and not so:\n{gone}"
    );
}

#[test]
fn a_name_is_found_where_it_is_code_and_nowhere_else() {
    let file = |name: &str, code: &str| SourceFile {
        name: name.to_owned(),
        text: String::new(),
        code: code.to_owned(),
    };
    let files = [
        file("src/ui/a.rs", "if call.name == \"shell\" {}"),
        file("src/ui/b.rs", "say(\"use shell\")"),
        file("src/ui/b_tests.rs", "\"shell\""),
        file("src/runtime/tools/shell.rs", "spec(\"shell\", \"glob\")"),
        file(DECLARED, "\"shell\""),
    ];
    let names = ["shell", "glob"].map(str::to_owned).into();
    let found = written(&files, &names);
    let expected = [("src/ui/a.rs", "shell"), ("src/runtime/tools/shell.rs", "glob")];
    assert_eq!(found, expected.map(|(file, name)| (file, BTreeSet::from([name.to_owned()]))).into());
}
