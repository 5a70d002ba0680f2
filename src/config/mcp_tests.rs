//! MCP servers as written: errors with their line, what is shown, what a project's files may do.

use std::fs;

use crate::config::load;
use crate::config::peers::world::World;

const TWO: &str = "[mcp_servers.files]\ncommand = 'npx'\nargs = ['-y', '${PACKAGE:-files}', '']\n\
                   env = { TOKEN = 'sk-planted', PORT = '${PORT}' }\nsandbox = true\nnetwork = true\n\
                   reads = ['list']\nstart_seconds = 5\ncall_seconds = 60\n\
                   [mcp_servers.docs]\nurl = 'https://mcp.example/mcp?key=sk-planted'\nenabled = false\n\
                   headers.Authorization = 'Bearer sk-planted'\n";

#[test]
fn a_server_is_read_and_shown_without_its_keys() {
    let config = World::of(TWO).config();
    let files = &config.mcp_servers["files"];
    assert_eq!((files.command.as_deref(), files.args.len()), (Some("npx"), 3));
    assert_eq!(files.env["TOKEN"].expose(), "sk-planted");
    assert_eq!((files.start_seconds, files.call_seconds, files.sandbox), (5, Some(60), true));
    assert_eq!((config.mcp_servers["docs"].start_seconds, config.mcp_servers["docs"].enabled), (20, false));
    let shown = config.show();
    for line in [
        "mcp_servers.files.command = \"npx\"  # ",
        "mcp_servers.files.args = [\"-y\", \"${PACKAGE:-files}\", \"\"]  # ",
        "mcp_servers.files.env.TOKEN = \"…\"  # ",
        "mcp_servers.files.sandbox = true  # ",
        "mcp_servers.docs.url = \"https://mcp.example/mcp?…\"  # ",
        "mcp_servers.docs.headers.Authorization = \"…\"  # ",
        "mcp_servers.docs.enabled = false  # ",
    ] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    assert!(!shown.contains("planted") && !format!("{config:?}").contains("Bearer"), "{shown}");
    let again = World::of(&shown).config();
    assert_eq!(again.mcp_servers["files"].args, files.args);
    assert_eq!(again.mcp_servers["docs"].headers.len(), 1);
}

/// A file, and what is said of it.
const WRONG: &[(&str, &str)] = &[
    ("[mcp_server.x]\ncommand = 'x'", ":1: unknown key `mcp_server`; did you mean `mcp_servers`?"),
    (
        "[mcp_servers.x]\ncomand = 'x'",
        ":2: unknown key `mcp_servers.x.comand`; did you mean `mcp_servers.x.command`?",
    ),
    ("[mcp_servers.x]\ncommand = 'x'\ntimeout = 3", ":3: unknown key `mcp_servers.x.timeout`"),
    ("[mcp_servers.x]\nreads = ['a']", ":2: mcp_servers.x: has neither a `command` nor a `url`"),
    ("[mcp_servers.x]\ncommand = 3", ":2: mcp_servers.x.command: must be a string, not 3"),
    ("[mcp_servers.x]\nargs = '-y a'", ":2: mcp_servers.x.args: must be a list of strings, as in"),
    (
        "[mcp_servers.x]\ncommand = 'a'\nurl = 'https://h/'",
        ":3: mcp_servers.x.url: a server must have a `command` or a `url`, not both",
    ),
    ("[mcp_servers.x]\ncommand = 'a'\nheaders.A = 'planted'", ":3: mcp_servers.x.headers: needs `url`"),
    ("[mcp_servers.x]\ncommand = 'a'\nnetwork = true", ":3: mcp_servers.x.network: needs `sandbox = true`"),
    ("[mcp_servers.x]\nurl = 'https://h'\nargs = ['a']", ":3: mcp_servers.x.args: needs `command`"),
    ("[mcp_servers.x]\nurl = 'https://h'\nenv.A = 'planted'", ":3: mcp_servers.x.env: needs `command`"),
    ("[mcp_servers.x]\nurl = 'https://h'\nsandbox = true", ":3: mcp_servers.x.sandbox: needs `command`"),
    ("[mcp_servers.x]\nurl = 'h/planted'", ":2: mcp_servers.x.url: must be an address that begins with"),
    (
        "[mcp_servers.x]\nurl = 'file:///planted'",
        ":2: mcp_servers.x.url: must be an address that begins \
        with",
    ),
    (
        "[mcp_servers.x]\nurl = 'https://me:planted@h/'",
        ":2: mcp_servers.x.url: must be an address without a user name",
    ),
    (
        "[mcp_servers.x]\ncommand = 'a'\nenv.A = '${planted'",
        ":3: mcp_servers.x.env.A: contains a `${` without its `}`",
    ),
    ("[mcp_servers.x]\ncommand = 'a'\nenv.A = 7", ":3: mcp_servers.x.env.A: must be a string; next"),
    ("[mcp_servers.x]\ncommand = 'a'\nenv.'A-B' = 'planted'", "is not a valid variable name"),
    ("[mcp_servers.x]\nurl = 'https://h'\nheaders.'A B' = 'planted'", "is not a valid header name"),
    ("[mcp_servers.x]\nargs = ['${}']", ":2: mcp_servers.x.args: contains a `${…}` that is not ${NAME}"),
    ("[mcp_servers.x]\nstart_seconds = 0", ":2: mcp_servers.x.start_seconds: must be at least 1"),
    ("[mcp_servers.x]\nenabled = 'no'", ":2: mcp_servers.x.enabled: must be true or false"),
    ("[mcp_servers.a__b]\ncommand = 'x'", ":2: mcp_servers.a__b.command: a server's name has letters"),
    ("[mcp_servers.'a b']\ncommand = 'x'", ":2: mcp_servers.\"a b\".command: a server's name has letters"),
    ("[mcp_servers.x_]\ncommand = 'x'", "a server's name has letters"),
    ("[mcp_servers.a23456789012345678901234567890123]\ncommand = 'x'", "has at most 32 characters"),
];

#[test]
fn a_wrong_server_names_its_line_and_what_it_resembles() {
    for (text, wanted) in WRONG {
        let said = World::of(text).load(&[]).unwrap_err();
        assert!(said.contains(wanted) && said.contains("/config.toml:"), "{text}\n{said}");
        assert!(!said.contains("planted"), "{said}");
    }
}

#[test]
fn a_pair_on_the_command_line_changes_a_server() {
    let world = World::of(TWO);
    let config = world.load(&["mcp_servers.docs.enabled=true", "mcp_servers.files.env.PORT=80"]).unwrap();
    assert!(config.mcp_servers["docs"].enabled);
    assert_eq!(config.mcp_servers["files"].env["PORT"].expose(), "80");
    let said = world.load(&["mcp_servers.new.sandbox=true"]).unwrap_err();
    assert!(said.starts_with("error: -c: mcp_servers.new: has neither"), "{said}");
}

const SHARED: &str = r#"{ "inputs": [], "mcpServers": {
  "files": { "command": "evil", "args": ["a b"], "alwaysAllow": ["list"] },
  "own": { "command": "npx", "args": ["-y", "it's"],
    "env": { "TOKEN": "${GITHUB_TOKEN}", "PLAIN": "planted", "KEY": "${KEY}" } },
  "web": { "type": "http", "url": "https://h.example/?k=${KEY}", "headers": { "X-Key": "${KEY:-planted}" } }
} }"#;

#[test]
fn a_shared_file_starts_nothing_until_its_folder_is_trusted() {
    let world = World::of("");
    world.file("repo/.mcp.json", SHARED);
    let config = world.config();
    assert_eq!((config.mcp_servers.len(), config.untrusted_mcp_servers.len()), (0, 3));
    assert_eq!(
        world.warnings(),
        [
            "/repo/.mcp.json:2: `mcpServers.files`, `mcpServers.own`, `mcpServers.web` are ignored: a project's file can only \
          tighten unless its folder is trusted; run `countersign trust` there to see what would be started \
          and to decide"
        ]
    );
    assert_eq!(
        world.demands(),
        [
            "starts MCP server files: evil \"a b\" /repo/.mcp.json:2",
            "starts MCP server own: npx -y \"it's\"; gets KEY of your environment, PLAIN=planted, TOKEN with GITHUB_TOKEN of your \
             environment /repo/.mcp.json:3",
            "reaches MCP server web: https://h.example/?k=${KEY}; is sent the headers X-Key=${KEY:-planted} with KEY \
             of your environment /repo/.mcp.json:5",
        ]
    );
    let trusted = world.trust().config();
    assert_eq!((trusted.mcp_servers.len(), trusted.warnings.len()), (3, 0), "{:?}", trusted.warnings);
    let shown = trusted.show();
    assert!(shown.contains("/repo/.mcp.json:4 (trusted)") && !shown.contains("planted"), "{shown}");
    world.file("repo/.mcp.json", &SHARED.replace("evil", "evil2"));
    assert_eq!(world.config().mcp_servers.len(), 0);
}

#[test]
fn the_values_that_a_project_gives_are_shown_before_it_is_trusted() {
    let world = World::of("");
    world.file(
        "repo/.mcp.json",
        r#"{ "mcpServers": { "a": { "command": "x", "env": {
            "LD_PRELOAD": "/tmp/evil.so", "BOTH": "./evil.so:${HOME}", "DEFAULT": "${X:-evil}",
            "EMPTY": "", "KEY": "${KEY}", "LINES": "a\nb, PLAIN" } } } }"#,
    );
    let shown = "starts MCP server a: x; gets BOTH=./evil.so:${HOME} with HOME of your environment, DEFAULT=${X:-evil} with X of \
                 your environment, EMPTY=\"\", KEY of your environment, LD_PRELOAD=/tmp/evil.so, \
                 LINES=\"a\\nb, PLAIN\" /repo/.mcp.json:1";
    assert_eq!(world.demands(), [shown]);
    // The lists of a session, which are shown at any time, name them only, as they do those of the user.
    let config = world.trust().config();
    let listed = format!("{:?}", crate::config::peers::described::<crate::config::McpEntry>(&config));
    assert!(listed.contains("LD_PRELOAD") && !listed.contains("evil"), "{listed}");
}

#[test]
fn a_project_tightens_the_user_s_server_and_changes_nothing_else_of_it() {
    let world = World::of(&TWO.replace("network = true\n", ""));
    world.file("repo/.mcp.json", SHARED).trust();
    let config = world.config();
    assert_eq!(config.mcp_servers["files"].command.as_deref(), Some("npx"), "the user's wins");
    let warnings = world.warnings();
    assert!(
        warnings.len() == 1
            && warnings[0].contains(
                "`mcpServers.files.command`, `mcpServers.files.args` are ignored: the server is yours"
            )
            && warnings[0].contains("config.toml:2)"),
        "{warnings:?}"
    );
    for (tighter, holds) in [
        ("enabled = false", true),
        ("reads = []", true),
        ("call_seconds = 9", true),
        ("sandbox = false", false),
        ("network = true", false),
        ("roots = true", false),
        ("reads = ['list', 'more']", false),
        ("env.LD_PRELOAD = 'x'", false),
        ("start_seconds = 6", false),
        ("url = 'https://evil.example'", false),
    ] {
        let world = World::of(&TWO.replace("network = true\n", ""));
        let before = world.config();
        world.file("repo/.countersign/config.toml", &format!("[mcp_servers.files]\n{tighter}"));
        for _ in 0..2 {
            let after = world.config();
            assert_eq!(after.mcp_servers != before.mcp_servers, holds, "{tighter}");
            assert_eq!(after.warnings.len(), usize::from(!holds), "{tighter}: {:?}", after.warnings);
            world.trust();
        }
    }
    let off = World::of("[mcp_servers.own]\nenabled = false");
    off.file("repo/.mcp.json", SHARED).trust();
    assert!(
        !off.config().mcp_servers["own"].enabled && off.warnings().is_empty(),
        "a no of the user's is one"
    );
}

#[test]
fn a_project_s_own_file_adds_to_the_shared_one_and_folders_do_not_mix() {
    let world = World::of("");
    world.file("repo/.mcp.json", SHARED);
    world.file(
        "repo/.countersign/config.toml",
        "[mcp_servers.own]\nsandbox = true\nreads = ['list']\n[mcp_servers.none]\nenabled = false",
    );
    let demands = world.demands();
    assert!(
        demands.iter().any(|one| one.contains("own: npx")
            && one.contains("; in the sandbox, without a network; gets KEY")
            && one.contains("; runs its tools list")),
        "{demands:?}"
    );
    let config = world.trust().config();
    assert!(config.mcp_servers["own"].sandbox && !config.mcp_servers.contains_key("none"));
    let deep = world.place().join("repo/deep");
    fs::create_dir_all(deep.join(".countersign")).unwrap();
    fs::write(deep.join(".mcp.json"), r#"{"mcpServers":{"own":{"command":"evil"}}}"#).unwrap();
    let config = load(&deep, &world.environment(), &[]).unwrap();
    assert_eq!(config.mcp_servers["own"].command.as_deref(), Some("npx"), "with another folder's keys");
    assert!(config.warnings[0].contains("the server is another folder's"), "{:?}", config.warnings);
}

#[test]
fn the_folder_is_told_to_a_project_s_own_programs_and_to_whom_the_user_says() {
    let world =
        World::of("[mcp_servers.mine]\ncommand = 'a'\n[mcp_servers.asked]\nurl = 'https://h'\nroots = true");
    world.file("repo/.mcp.json", SHARED);
    world.file(
        "repo/.countersign/config.toml",
        "[mcp_servers.asked]\nroots = false\n[mcp_servers.files]\nroots = false",
    );
    let told = |config: &crate::config::Config| -> Vec<String> {
        let told = config.mcp_servers.iter().filter(|(_, server)| server.offers_roots());
        told.map(|(name, _)| name.clone()).collect()
    };
    // What a project says to tighten holds without trust.
    assert_eq!(told(&world.config()), Vec::<String>::new());
    let config = world.trust().config();
    assert_eq!(told(&config), ["own"], "not the address, nor the one that says no");
    let shown = config.show();
    assert!(shown.contains("mcp_servers.asked.roots = false  # ") && !shown.contains("own.roots"), "{shown}");
    world.file("repo/.countersign/config.toml", "[mcp_servers.web]\nroots = true");
    let demands = world.demands();
    assert!(
        demands
            .iter()
            .any(|one| one.starts_with("reaches MCP server web: ")
                && one.contains("; is told the working folder")),
        "{demands:?}"
    );
}

#[test]
fn a_broken_shared_file_stops_nobody_who_has_not_trusted_it() {
    for (text, wanted) in [
        ("", "/repo/.mcp.json:1: is not a JSON object: EOF"),
        ("{\n\n  x", "/repo/.mcp.json:3: is not a JSON object: key must be a string at line 3 column 3"),
        ("[]", "/repo/.mcp.json:1: is not a JSON object: invalid type: sequence"),
        ("{\n\"mcpServers\": 3}", "/repo/.mcp.json:2: mcpServers: must be an object of servers"),
    ] {
        let world = World::of("mode = 'plan'");
        world.file("repo/.mcp.json", text);
        let warnings = world.warnings();
        assert!(warnings.len() == 1 && warnings[0].contains(wanted), "{text}: {warnings:?}");
        let said = world.trust().load(&[]).unwrap_err();
        assert!(said.contains(&wanted.replacen(": ", " (trusted): ", 1)), "{said}");
    }
    for (server, wanted) in [
        ("3", "mcpServers.x: must be an object"),
        ("{}", "mcpServers.x: has neither a `command` nor a `url`"),
        (r#"{"command": ["planted"]}"#, "mcpServers.x.command: must be a string"),
        (r#"{"command": "a", "args": "planted"}"#, "mcpServers.x.args: must be a list of strings"),
        (r#"{"command": "a", "env": {"A": 1}}"#, "mcpServers.x.env: must be an object of strings"),
        (
            r#"{"command": "a", "env": {"A B": "planted"}}"#,
            "mcpServers.x.env.\"A B\": is not a valid variable name",
        ),
        (
            r#"{"type": "sse", "url": "https://h"}"#,
            "mcpServers.x.type: must be \"stdio\" or \"http\", not \"sse\"",
        ),
        (r#"{"url": "ftp://planted"}"#, "mcpServers.x.url: must be an address"),
    ] {
        let world = World::of("");
        let whole = format!("{{\"mcpServers\": {{\n\"x\": {server},\n\"good\": {{\"command\": \"a\"}} }} }}");
        world.file("repo/.mcp.json", &whole);
        for _ in 0..2 {
            let warnings = world.warnings();
            assert!(
                warnings.iter().any(|one| one.contains(".mcp.json:2") && one.contains(wanted)),
                "{warnings:?}"
            );
            assert!(!warnings.concat().contains("planted"), "{warnings:?}");
            world.trust();
        }
        assert_eq!(world.config().mcp_servers.keys().collect::<Vec<_>>(), ["good"], "{server}");
    }
}

#[test]
fn hostile_names_are_left_out_and_written_out() {
    let world = World::of("");
    world.file("repo/.mcp.json", "{\"mcpServers\": {\"\\u001b]0;x\\u0007\\u202e\": {\"command\": \"a\"}}}");
    let warnings = world.config().warnings;
    assert!(warnings.len() == 1 && warnings[0].contains("a server's name has letters"), "{warnings:?}");
    assert!(!warnings[0].contains('\u{1b}') && !warnings[0].contains('\u{202e}'), "{warnings:?}");
}
