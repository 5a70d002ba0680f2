//! Names on the pages: flags, subcommands, slash commands, keys, files, settings, endings, exit codes.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use countersign::cli::args::Args;
use countersign::config::Flags;
use countersign::config::exit::Exit;
use countersign::ledger::Ending;
use countersign::ui::chord::Chord;
use countersign::ui::commands::{COMMANDS, Fronts, SlashCommand};
use countersign::ui::keymap::BINDINGS;

use super::pages::{Page, Span, all, guide, root};
use super::words::commands;
use crate::configured::World;

/// Spans of the guide that are about this program: on the page for those who come from another one, the first
/// columns of its tables are about that.
fn spans() -> Vec<Span> {
    let of = |page: Page| {
        let compares = page.path.ends_with("coming-from.md");
        page.spans().into_iter().filter(move |span| !(compares && span.before_last_cell))
    };
    guide().into_iter().flat_map(of).collect()
}

/// Fails with all that is wrong.
fn none_of(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Why the program does not take these words; a command that only lacks something is one.
fn refused(words: &[String]) -> Option<String> {
    match Args::try_parse_from(words) {
        Ok(args) => {
            let prompt = args.prompt.filter(|_| args.command.is_none())?;
            let is_word = prompt.chars().all(|c| c.is_ascii_lowercase());
            (is_word && prompt != "tour").then(|| format!("there is no command {prompt}"))
        }
        Err(error) => {
            let lacks = matches!(
                error.kind(),
                ErrorKind::DisplayHelp
                    | ErrorKind::DisplayVersion
                    | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                    | ErrorKind::MissingRequiredArgument
            );
            (!lacks).then(|| error.to_string().lines().next().unwrap_or_default().to_owned())
        }
    }
}

#[test]
fn every_command_line_is_one() {
    let mut wrong = Vec::new();
    let mut count = 0;
    let mut check = |place: &str, line: &str| {
        for words in commands(line) {
            count += 1;
            wrong.extend(refused(&words).map(|why| format!("{place}: {line}: {why}")));
        }
    };
    for page in guide() {
        for fence in page.fences().iter().filter(|fence| fence.info == "sh") {
            fence.body.lines().for_each(|line| check(&fence.place, line));
        }
    }
    for span in spans() {
        check(&span.place, &span.text);
    }
    none_of(wrong);
    assert!(count > 50, "{count}");
    let words = |line: &str| commands(line).remove(0);
    for line in ["countersign sesions list", "countersign --modell x", "countersign sessions lits"] {
        assert!(refused(&words(line)).is_some(), "{line}");
    }
}

/// All long flags, of all commands.
fn flags(command: &clap::Command) -> BTreeSet<String> {
    let own = command
        .get_arguments()
        .filter_map(|arg| arg.get_all_aliases().map(|all| (arg, all)).or(Some((arg, Vec::new()))));
    let mut flags: BTreeSet<String> = BTreeSet::from(["help".to_owned(), "version".to_owned()]);
    for (arg, aliases) in own {
        flags.extend(arg.get_long().map(str::to_owned));
        flags.extend(aliases.into_iter().map(str::to_owned));
    }
    command.get_subcommands().for_each(|sub| flags.extend(self::flags(sub)));
    flags
}

#[test]
fn every_flag_is_one() {
    let known = flags(&Args::command());
    let mut wrong = Vec::new();
    for span in spans().iter().filter(|span| span.text.starts_with("--")) {
        let name = span.text.trim_start_matches('-').split([' ', '=']).next().unwrap();
        if !known.contains(name) {
            wrong.push(format!("{}: there is no flag --{name}", span.place));
        }
    }
    none_of(wrong);
    assert!(known.contains("max-cost") && known.contains("test-keys") && !known.contains("max-price"));
}

/// The commands that begin with a slash: of the screen, and those that the program lists where there is none.
fn slashes() -> BTreeSet<String> {
    let home = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .arg("--screen-reader")
        .env_clear()
        .env("HOME", home.path())
        .current_dir(home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"/help\n/quit\n").unwrap();
    let said = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let lines = said.lines().filter(|line| line.starts_with('/'));
    let listed = lines.filter_map(|line| line.split([':', ' ']).next());
    // Other names of a command are not listed.
    let of_the_screen = COMMANDS.iter().filter(|row| row.is_in(Fronts::Screen)).map(|row| row.name);
    of_the_screen.chain(listed).map(|name| name.trim_start_matches('/').to_owned()).collect()
}

#[test]
fn every_slash_command_is_one() {
    let known = slashes();
    let mut named = BTreeSet::new();
    let mut wrong = Vec::new();
    for span in spans() {
        let Some(word) = span.text.strip_prefix('/').and_then(|rest| rest.split(' ').next()) else {
            continue;
        };
        if word.is_empty() || !word.chars().all(|c| c.is_ascii_lowercase()) {
            continue;
        }
        named.insert(word.to_owned());
        if !known.contains(word) {
            wrong.push(format!("{}: there is no command /{word}", span.place));
        }
    }
    wrong.extend(known.difference(&named).map(|word| format!("no page explains /{word}")));
    none_of(wrong);
}

/// The commands that a page's tables explain: in the first cell of a row.
fn in_tables_of(page: &str) -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide").join(page);
    let text = std::fs::read_to_string(path).unwrap();
    let cells =
        text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next().map(str::to_owned));
    let words = cells.flat_map(|cell| cell.split('`').map(str::to_owned).collect::<Vec<_>>());
    words
        .filter(|word| word.starts_with('/'))
        .filter_map(|word| Some(word.split(' ').next()?.to_owned()))
        .collect()
}

#[test]
fn the_tables_of_commands_are_complete() {
    let in_lists = |row: &&SlashCommand| !row.help.is_empty();
    for (page, front) in [("screen.md", Fronts::Screen), ("screen-readers.md", Fronts::Lines)] {
        let known = in_tables_of(page);
        let is_there = |row: &&SlashCommand| match front {
            Fronts::Lines => row.place == Fronts::Lines,
            Fronts::Screen | Fronts::Both => row.is_in(front),
        };
        let rows = COMMANDS.iter().filter(in_lists).filter(is_there);
        // A form of a command that the page of the screen has.
        let rows = rows.filter(|row| !(front == Fronts::Lines && row.name == "/undo"));
        none_of(
            rows.filter(|row| !known.contains(row.name)).map(|row| format!("{page}: {}", row.name)).collect(),
        );
    }
}

#[test]
fn every_key_is_bound() {
    let bound: Vec<Chord> = BINDINGS.iter().map(|b| Chord::new(b.code, b.modifiers)).collect();
    let mut wrong = Vec::new();
    for page in guide() {
        for (place, word) in page.chords() {
            // What is no chord at all is a word such as `shift-drag`.
            let Ok(chord) = Chord::parse(&word) else { continue };
            if !bound.contains(&chord) && !is_own_example(&page, &word) {
                wrong.push(format!("{place}: {word} is not bound"));
            }
        }
    }
    none_of(wrong);
}

/// Keys that a page binds itself.
fn is_own_example(page: &Page, word: &str) -> bool {
    page.fences().iter().any(|fence| fence.info == "toml" && fence.body.contains(&format!("\"{word}\"")))
}

#[test]
fn every_binding_is_on_the_page_of_keys() {
    let page = guide().into_iter().find(|page| page.path == "docs/guide/screen.md").unwrap();
    let spans: BTreeSet<String> = page.spans().into_iter().map(|span| span.text.to_lowercase()).collect();
    let keys = BINDINGS
        .iter()
        .flat_map(|binding| binding.keys.to_lowercase().split(' ').map(str::to_owned).collect::<Vec<_>>());
    let wrong: BTreeSet<String> = keys.filter(|key| !key.is_empty() && !spans.contains(key)).collect();
    assert!(wrong.is_empty(), "docs/guide/screen.md does not name {wrong:?}");
}

/// The words of the program's source and of what is built into it.
fn source() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut folders = vec![root().join("src"), root().join("assets/prompts")];
    let mut files =
        vec![root().join("assets/config.example.toml"), root().join("tests/program/guide/console.rs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    for file in files {
        let Ok(text) = fs::read_to_string(file) else { continue };
        let found = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        words.extend(found.filter(|word| word.contains('_')).map(str::to_owned));
    }
    words
}

/// Settings, endings, events, tools and variables: whatever has an underscore is a word of the program.
#[test]
fn every_name_is_known_to_the_program() {
    let known = source();
    let mut wrong = Vec::new();
    for span in spans() {
        for word in span.text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            let word = word.trim_matches('_');
            let is_name = word.contains('_') && !word.contains("__");
            if is_name && !known.contains(word) {
                wrong.push(format!("{}: the program knows no {word}", span.place));
            }
        }
    }
    none_of(wrong);
    assert!(known.contains("max_cost") && known.contains("DEBUG_MOCK_RESPONSES"));
}

#[test]
fn every_path_of_the_repository_is_there() {
    let tops = ["src/", "tests/", "docs/", "assets/", "benches/", "examples/", "themes/", ".ci/"];
    let mut wrong = Vec::new();
    for page in all() {
        for span in page.spans() {
            let path = span.text.split("::").next().unwrap();
            let is_path =
                tops.iter().any(|top| path.starts_with(top)) && !path.contains([' ', '*', '…', '(']);
            let is_example = path.chars().any(|c| c.is_ascii_uppercase()) && !path.ends_with(".md");
            if is_path && !is_example && !root().join(path).exists() {
                wrong.push(format!("{}: there is no {path}", span.place));
            }
        }
    }
    none_of(wrong);
}

#[test]
fn every_block_of_configuration_is_read() {
    let mut count = 0;
    for page in guide() {
        for fence in page.fences().iter().filter(|fence| fence.info == "toml") {
            count += 1;
            let read = World::new().user(&fence.body).load(&Flags::default());
            assert!(read.is_ok(), "{}: {}", fence.place, read.unwrap_err());
        }
    }
    assert!(count > 10, "{count}");
}

/// A key with the tables above it, as in `tools.sandbox.reads`.
#[test]
fn every_setting_is_one() {
    let tables =
        ["budget.", "loop.", "tools.", "network.", "providers.", "mcp_servers.", "agents.", "models."];
    let mut wrong = Vec::new();
    for span in spans() {
        let key = span.text.split(['=', ' ']).next().unwrap();
        if !tables.iter().any(|table| key.starts_with(table)) {
            continue;
        }
        let flags = Flags { config: vec![format!("{key}=1")], ..Flags::default() };
        if let Err(fault) = World::new().load(&flags)
            && fault.to_string().contains("unknown key")
        {
            wrong.push(format!("{}: {fault}", span.place));
        }
    }
    none_of(wrong);
}

#[test]
fn json_is_json() {
    for page in guide() {
        for fence in page.fences().iter().filter(|fence| fence.info == "json") {
            let read = serde_json::from_str::<serde_json::Value>(&fence.body);
            assert!(read.is_ok(), "{}: {}", fence.place, read.unwrap_err());
        }
    }
}

/// Every `type` that `exec --json` writes, as the source has them.
#[test]
fn every_event_is_on_the_page() {
    let page = guide().into_iter().find(|page| page.path == "docs/guide/headless.md").unwrap();
    let named: BTreeSet<String> = page.spans().into_iter().map(|span| span.text).collect();
    let read = |file: &str| fs::read_to_string(root().join(file)).unwrap();
    let (entries, live) = (read("src/core/ledger/entry.rs"), read("src/cli/events.rs"));
    let kinds = entries.split_once("pub fn kind(").unwrap().1.split("\n    }\n").next().unwrap();
    let kinds = kinds.split(" => \"").skip(1).chain(live.split("\"type\": \"").skip(1));
    let kinds: BTreeSet<String> = kinds.map(|rest| rest.split('"').next().unwrap().to_owned()).collect();
    assert!(kinds.len() > 25 && kinds.contains("tool_output"), "{kinds:?}");
    let missing: Vec<&String> = kinds.difference(&named).collect();
    assert!(missing.is_empty(), "docs/guide/headless.md does not name {missing:?}");
}

#[test]
fn the_exit_codes_are_those_of_the_program() {
    let page = guide().into_iter().find(|page| page.path == "docs/guide/headless.md").unwrap();
    let rows =
        page.text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next()?.parse::<u8>().ok());
    let real: BTreeSet<u8> = Ending::ALL.iter().copied().map(|ending| Exit::from(ending).code()).collect();
    let real: BTreeSet<u8> = real.into_iter().chain([Exit::Usage.code()]).collect();
    assert_eq!(rows.collect::<BTreeSet<_>>(), real);
    assert!(Path::new("docs/ENDINGS.md").exists());
}

/// A row of the page of budgets with a number at its end: the default of the setting that it names.
#[test]
fn the_defaults_of_budgets_are_those_of_the_program() {
    let page = guide().into_iter().find(|page| page.path == "docs/guide/budgets.md").unwrap();
    let config = World::new().config();
    let shown = config.show();
    let default = |key: &str| {
        let line = shown.lines().find(|line| line.split(" = ").next() == Some(key))?;
        line.split(" = ").nth(1)?.split(' ').next()
    };
    let mut count = 0;
    for row in page.text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let number = cells.last().unwrap();
        if number.parse::<u64>().is_err() {
            continue;
        }
        let key = cells.iter().map(|cell| cell.trim_matches('`')).find_map(|cell| {
            [cell.to_owned(), format!("budget.{cell}")].into_iter().find(|key| default(key).is_some())
        });
        let key = key.unwrap_or_else(|| panic!("no setting in {row}"));
        assert_eq!(default(&key), Some(*number), "{key}");
        count += 1;
    }
    assert!(count > 8, "{count}");
}
