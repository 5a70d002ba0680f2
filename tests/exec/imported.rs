//! `import-settings`: the settings of other tools, printed as ours, added to ours, and never more than they were.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::world::{Ran, World};

const CLAUDE: &str = r#"{
  "$schema": "https://example.org/schema",
  "model": "opus",
  "permissions": {
    "allow": ["Bash(npm test:*)", "Edit(src/*.rs)", "WebSearch", 7],
    "deny": ["Read(./.env)"],
    "defaultMode": "acceptEdits",
    "additionalDirectories": ["../docs"]
  },
  "hooks": { "PreToolUse": [{ "matcher": "Bash|Write", "hooks": [{ "type": "command", "command": "./check.sh", "timeout": 5 },
    { "type": "prompt", "prompt": "x" }] }], "SessionEnd": [] },
  "statusLine": { "type": "command", "command": "~/line.sh" },
  "env": { "TOKEN": "planted-key" }
}"#;
const STATE: &str = r#"{ "oauthAccount": "planted-account", "mcpServers": { "files": { "command": "npx", "args": ["-y", "server", "--token", "planted-key"],
  "env": { "API_KEY": "planted-key" } } }, "projects": { "/home/ada/x": { "mcpServers": { "db": { "command": "planted-db" } } } } }"#;
const CODEX: &str = "model = \"gpt-6\"\nmodel_reasoning_effort = \"high\"\nsandbox_mode = \"danger-full-access\"\n\
    [mcp_servers.docs]\nurl = \"https://docs.example/mcp\"\nbearer_token_env_var = \"DOCS_TOKEN\"\nstartup_timeout_sec = 7.5\n\
    [model_providers.own]\nbase_url = \"http://127.0.0.1:8080/v1\"\nenv_key = \"OWN_KEY\"\nwire_api = \"responses\"\n\
    [sandbox_workspace_write]\nnetwork_access = true\n";
const RULES: &str = "prefix_rule(pattern=[\"git\", [\"push\", \"fetch\"]], decision=\"prompt\")\nprefix_rule(pattern=[\"rm\"], decision=\"forbidden\")\n";
const OPENCODE: &str = r#"{
  // mine
  "model": "anthropic/claude-x",
  "permission": { "edit": "ask", "bash": { "*": "ask", "git *": "allow", "rm *": "deny" } },
  "mcp": { "local": { "type": "local", "command": ["node", "server.js"], "environment": { "PORT": "80" } } },
}"#;

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn imports(world: &World, words: &[&str]) -> Ran {
    let output = world.program().arg("import-settings").args(words).output().unwrap();
    Ran::of(output.status, output.stdout, output.stderr)
}

/// A home in which all three were used.
fn home() -> World {
    let world = World::new();
    let at = |name: &str| world.place().join(name);
    write(&at(".claude/settings.json"), CLAUDE);
    write(&at(".claude.json"), STATE);
    write(&at(".claude/commands/fix.md"), "fix $1");
    write(&at(".codex/config.toml"), CODEX);
    write(&at(".codex/rules/default.rules"), RULES);
    write(&at(".config/opencode/opencode.json"), OPENCODE);
    world
}

#[test]
fn what_can_be_said_is_a_configuration_and_the_rest_is_named() {
    let world = home();
    let ran = imports(&world, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for line in [
        "    \"shell(npm test)\",\n    \"shell(npm test *)\",\n",
        "deny = [\n    \"read(.env)\",\n    \"read(.env/*)\",\n    \"shell(rm)\",\n    \"shell(rm *)\",\n]",
        "    \"shell(git push)\",\n    \"shell(git push *)\",\n    \"shell(git fetch)\",\n    \"shell(git fetch *)\",\n",
        "mode = \"edit\"\n",
        "status_line = \"~/line.sh\"\n",
        "model = \"openai/gpt-6\"\n",
        "effort = \"high\"\n",
        "[[hooks.pre_tool]]\ncommand = \"./check.sh\"\nmatcher = \"edit|shell|write\"\ntimeout_seconds = 5\n",
        "[mcp_servers.files]\ncommand = \"npx\"\nargs = [\"-y\", \"server\", \"--token\", \"${FILES_TOKEN}\"]\nenv = { API_KEY = \"${API_KEY}\" }\n",
        "[mcp_servers.docs]\nurl = \"https://docs.example/mcp\"\nheaders = { Authorization = \"Bearer ${DOCS_TOKEN}\" }\nstart_seconds = 8\n",
        "[mcp_servers.local]\ncommand = \"node\"\nargs = [\"server.js\"]\nenv = { PORT = \"80\" }\n",
        "[providers.own]\nbase_url = \"http://127.0.0.1:8080/v1\"\nprotocol = \"openai-responses\"\napi_key_env = \"OWN_KEY\"\n",
        "# - ~/.claude/settings.json: allow \"WebSearch\": providers search the web here: hosted_tools switches that on",
        "# - ~/.claude/settings.json: allow \"Edit(src/*.rs)\": `*` is one folder's names there",
        "# - ~/.claude/settings.json: model: a short name",
        "# - ~/.claude/settings.json: hooks of SessionEnd: there is no such point here\n",
        "# - ~/.claude/settings.json: env: values are not copied",
        "# - ~/.claude.json: the servers for /home/ada/x: they hold in one folder only",
        "# - ~/.claude/settings.json: the hook of the type prompt of PreToolUse: only hooks that are commands exist here\n",
        "# - ~/.claude/settings.json: permissions.additionalDirectories: name them in tools.sandbox.writable",
        "# - ~/.codex/config.toml: sandbox_workspace_write.network_access: name the hosts in tools.sandbox.network",
        "# - model: `model` stays \"openai/gpt-6\", and is not changed to \"anthropic/claude-x\"\n",
        "# - ~/.codex/config.toml: sandbox_mode danger-full-access: choose a mode yourself",
        "# - ~/.config/opencode/opencode.json: permission bash \"git *\": allow: the last match wins there",
        "# - .claude/commands is read as it is\n",
    ] {
        assert!(ran.out.contains(line), "{line} in {}", ran.out);
    }
    assert!(!ran.out.contains("planted"), "{}", ran.out);
    assert!(!world.config_file().exists(), "it only prints");
    // What is printed is a configuration.
    let read = World::new().configured(&ran.out);
    let shown = read.program().args(["config", "show"]).output().unwrap();
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    let one = imports(&world, &["codex"]);
    assert!(one.out.contains("gpt-6") && !one.out.contains("npm test"), "{}", one.out);
}

#[test]
fn with_write_they_are_added_and_nothing_is_changed() {
    let world = home().configured("# mine\nmode = \"plan\"\ndeny = [\"shell(rm *)\"] # never\n\n[mcp_servers.files]\ncommand = \"mine\"\n");
    let ran = imports(&world, &["--write"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let now = fs::read_to_string(world.config_file()).unwrap();
    assert!(now.starts_with("# mine\nmode = \"plan\"\n"), "{now}");
    assert!(
        now.contains("[mcp_servers.files]\ncommand = \"mine\"\n") && now.contains("[mcp_servers.docs]"),
        "{now}"
    );
    assert!(
        now.contains("deny = [\"shell(rm *)\", \"read(.env)\", \"read(.env/*)\", \"shell(rm)\"] # never"),
        "{now}"
    );
    // What permits comes first.
    let at = |line: &str| ran.out.find(line).unwrap_or_else(|| panic!("{line} in {}", ran.out));
    assert!(at("\n  allow = \"shell(npm test)\"\n") < at("\n  deny = \"read(.env)\"\n"), "{}", ran.out);
    assert!(at("\n  hooks.pre_tool: command = ") < at("\n  deny = "), "{}", ran.out);
    assert!(ran.out.contains("`mode` stays \"plan\", and is not changed to \"edit\""), "{}", ran.out);
    assert!(ran.out.contains("mcp_servers.files stays as the configuration has it"), "{}", ran.out);
    let again = imports(&world, &["--write"]);
    assert!(again.out.contains("Nothing to add; no file is written\n"), "{}", again.out);
    assert_eq!(fs::read_to_string(world.config_file()).unwrap(), now);
}

#[test]
fn what_a_project_says_goes_to_the_project_alone() {
    let world = World::new();
    write(
        &world.work().join(".claude/settings.json"),
        r#"{ "permissions": { "deny": ["Bash(curl:*)"], "allow": ["Bash"] }, "statusLine": { "type": "command", "command": "~/line.sh" } }"#,
    );
    assert!(imports(&world, &[]).out.contains("No settings of another tool"), "not of the user's");
    let ran = imports(&world, &["--project", "--write"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("run `countersign trust`"), "{}", ran.out);
    assert!(!world.config_file().exists());
    let ours = world.file(".countersign/config.toml");
    assert!(ours.contains("shell(curl *)") && !ours.contains("status_line"), "{ours}");
    assert!(ran.out.contains("# - statusLine: not added: a project's file cannot set it"), "{}", ran.out);
    // The project of a provider that it cannot set starts all the same.
    let with_own = World::new();
    let codex = "model = \"m\"\nmodel_provider = \"own\"\n[otel]\nexporter = \"none\"\n[model_providers.own]\nbase_url = \"http://127.0.0.1:8080/v1\"\n";
    write(&with_own.work().join(".codex/config.toml"), codex);
    let ran = imports(&with_own, &["codex", "--project", "--write"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("Nothing to add; no file is written\n"), "{}", ran.out);
    assert!(
        ran.out.contains("# - model: not added: its provider is neither built in nor set"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("for headers; in your own configuration: no project's file can set that\n"),
        "{}",
        ran.out
    );
    assert!(!with_own.work().join(".countersign").exists());
    // A link of the repository leads nowhere.
    let other = World::new().configured("mode = \"plan\"\n");
    write(&other.work().join(".claude/settings.json"), r#"{ "permissions": { "allow": ["Bash"] } }"#);
    fs::create_dir(other.work().join(".countersign")).unwrap();
    symlink(other.config_file(), other.work().join(".countersign/config.toml")).unwrap();
    let ran = imports(&other, &["--project", "--write"]);
    assert!(ran.code == 1 && ran.err.contains("symbolic link"), "{} {}", ran.code, ran.err);
    assert_eq!(fs::read_to_string(other.config_file()).unwrap(), "mode = \"plan\"\n");
    // Without trust only what is stricter counts.
    let shown = world.program().args(["config", "show"]).output().unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.contains("deny = [\"shell(curl)\", \"shell(curl *)\"]")
            && !shown.contains("allow = [\"shell\"]"),
        "{shown}"
    );
}

const COMMANDS: &str = r#"{ "command": {
  "deploy": { "template": "Deploy it.\nSay \u001b[2J when.", "description": "It's the deploy", "agent": "build" },
  "fix": { "template": "Fix $1: $2" }, "a/b": { "template": "x" }, "help": { "template": "x" }, "mute": {} } }"#;

#[test]
fn commands_are_printed_and_written_as_files_where_there_are_none() {
    let world = World::new();
    write(&world.place().join(".config/opencode/opencode.json"), COMMANDS);
    let folder = world.config_file().with_file_name("commands");
    let ran = imports(&world, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for line in [
        "# A file of its own, ~/config/countersign/commands/deploy.md:\n#   ---\n#   description: 'It''s the deploy'\n#   ---\n#   Deploy it.\n",
        "# A file of its own, ~/config/countersign/commands/opencode/fix.md:\n#   Fix $1: $2\n",
        "command deploy, agent: has no effect in a command here\n",
        "command a/b: its name must be at most",
        "command help: a command of this program has this name",
        "command mute: it is empty",
    ] {
        assert!(ran.out.contains(line), "{line} in {}", ran.out);
    }
    assert!(!ran.out.contains('\u{1b}') && !folder.exists(), "it only prints: {}", ran.out);
    // One that is there stays.
    write(&folder.join("opencode/fix.md"), "mine");
    let ran = imports(&world, &["--write"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let said = format!("A command was written: /deploy: {}\n", folder.join("deploy.md").display());
    assert!(ran.out.contains(&said) && ran.out.contains("fix.md stays as it is"), "{}", ran.out);
    let text = fs::read_to_string(folder.join("deploy.md")).unwrap();
    assert!(text.starts_with("---\ndescription: 'It''s the deploy'\n---\nDeploy it.\n"), "{text}");
    assert_eq!(fs::read_to_string(folder.join("opencode/fix.md")).unwrap(), "mine");
    assert!(!world.config_file().exists(), "no setting, no configuration");
    let called = world.json(&["--script", r#"["Done."]"#, "/deploy"]);
    assert!(text_of_message(&called).contains("Deploy it."), "{}", called.out);
    // Once more writes nothing.
    assert!(!imports(&world, &["--write"]).out.contains("was written"));
}

#[test]
fn what_is_not_read_is_named_with_what_is_in_its_place() {
    let world = World::new();
    let at = |name: &str| world.place().join(name);
    write(
        &at(".claude/settings.json"),
        r#"{ "sandbox": {}, "cleanupPeriodDays": 7, "spinnerTipsEnabled": false, "effortLevel": "high", "disableAllHooks": true,
          "statusLine": { "command": "~/line.sh", "padding": 0 }, "permissions": { "deny": ["Agent(Explore)"] },
          "hooks": { "Stop": [{ "hooks": [{ "command": "./stop.sh" }] }] } }"#,
    );
    write(
        &at(".claude.json"),
        r#"{ "mcpServers": { "s": { "command": "x", "timeout": 5, "oauth": {} } }, "projects": { "/home/ada/x": { "allowedTools": ["Bash"] } } }"#,
    );
    write(
        &at(".codex/config.toml"),
        "approval_policy = \"never\"\nnotify = [\"notify-send\"]\nfile_opener = \"none\"\n[otel]\nexporter = \"none\"\n\
         [model_providers.own]\nname = \"Own\"\nbase_url = \"http://127.0.0.1:8080/v1\"\nquery_params = { v = \"planted-key\" }\n\
         [mcp_servers.docs]\nurl = \"https://docs.example/mcp\"\ncwd = \"/x\"\nrequired = true\n",
    );
    write(&at(".codex/prompts/fix.md"), "fix $1");
    write(
        &at(".config/opencode/opencode.json"),
        r#"{ "provider": {}, "keybinds": {}, "agent": {}, "share": "manual", "mcp": { "l": { "type": "local", "command": ["x"], "timeout": 5 } } }"#,
    );
    let ran = imports(&world, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for line in [
        "effort = \"high\"\n",
        "    \"delegate_to_explore\",\n",
        "settings.json: sandbox: write tools.sandbox: network for hosts",
        "settings.json: cleanupPeriodDays: write sessions.keep_days",
        "settings.json: spinnerTipsEnabled: has no counterpart here\n",
        "settings.json: hooks: they are switched off there",
        "settings.json: statusLine, padding: has no counterpart here\n",
        ".claude.json: the server s, timeout: write start_seconds and call_seconds\n",
        ".claude.json: the server s, oauth: has no counterpart here\n",
        ".claude.json: allowedTools for /home/ada/x: they hold in one folder only",
        "config.toml: approval_policy: choose a mode yourself",
        "config.toml: notify: write [[hooks.notification]]",
        "config.toml: file_opener: has no counterpart here\n",
        "config.toml: otel: write telemetry.otlp",
        "config.toml: the provider own, query_params: has no counterpart here: requests have no query",
        "config.toml: the server docs, cwd: has no counterpart here: servers start in the folder of the session\n",
        "config.toml: the server docs, required: has no counterpart here\n",
        "# - .codex/prompts is not read: copy its files into a folder of commands",
        "opencode.json: provider: write [providers.NAME]\n",
        "opencode.json: keybinds: write [keys.PLACE]\n",
        "opencode.json: agent: write a file of .countersign/agents",
        "opencode.json: share: has no counterpart here\n",
        "opencode.json: the server l, timeout: write start_seconds",
    ] {
        assert!(ran.out.contains(line), "{line} in {}", ran.out);
    }
    assert!(!ran.out.contains("stop.sh") && !ran.out.contains("planted"), "{}", ran.out);
    assert!(!ran.out.contains("the provider own, name"), "a label: {}", ran.out);
}

fn text_of_message(ran: &Ran) -> String {
    ran.one("user_message")["content"].as_str().unwrap().to_owned()
}

#[test]
fn commands_of_a_project_go_to_the_project_and_through_no_link() {
    let world = World::new();
    write(&world.work().join("opencode.json"), COMMANDS);
    let ran = imports(&world, &["--project", "--write"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(world.file(".countersign/commands/deploy.md").contains("Deploy it."));
    assert!(ran.out.contains("run `countersign trust`"), "{}", ran.out);
    assert!(!world.config_file().with_file_name("commands").exists());
    let other = World::new();
    write(&other.work().join("opencode.json"), COMMANDS);
    let elsewhere = other.place().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::create_dir(other.work().join(".countersign")).unwrap();
    symlink(&elsewhere, other.work().join(".countersign/commands")).unwrap();
    let ran = imports(&other, &["--project", "--write"]);
    assert!(ran.code == 1 && ran.err.contains("symbolic link"), "{} {}", ran.code, ran.err);
    assert_eq!(elsewhere.read_dir().unwrap().count(), 0);
}

#[test]
fn what_is_read_where_it_is_is_said_where_there_are_no_settings() {
    let world = World::new();
    write(&world.place().join(".claude/commands/cc.md"), "Do it.");
    let ran = imports(&world, &[]);
    assert!(ran.out.contains("No settings of another tool"), "{}", ran.out);
    assert!(ran.out.contains("# - .claude/commands is read as it is\n"), "{}", ran.out);
}

#[test]
fn files_that_are_not_settings_are_named_and_hold_up_nobody() {
    let long = format!("{{ \"a\": \"{}\" }}", "x".repeat(2_000_000));
    let deep = "[".repeat(200_000);
    let many =
        format!("{{ \"permissions\": {{ \"allow\": [{}] }} }}", vec!["\"Bash(a:*)\""; 20_000].join(","));
    let odd = "{ \"mcpServers\": { \"a\\u001b[2Jb\": { \"command\": \"x\\u0007\" } }, \"permissions\": 7, \"hooks\": { \"Stop\": [1, { \"hooks\": [2] }] }, \"\\u202e\": 1 }";
    for (text, says, code) in [
        ("", "cannot be read as JSON", 1),
        ("{\n  \"a\": oops\n}", "line 2 column", 1),
        ("[]", "it is not a table", 1),
        (&long, "larger than a megabyte", 1),
        (&deep, "cannot be read as JSON", 1),
        (&many, "shell(a *)", 0),
        (odd, "has no counterpart here", 0),
    ] {
        let world = World::new();
        write(&world.place().join(".claude/settings.json"), text);
        write(&world.place().join(".claude.json"), text);
        let ran = imports(&world, &["claude", "--write"]);
        let all = ran.out.clone() + &ran.err + &fs::read_to_string(world.config_file()).unwrap_or_default();
        assert!(ran.code == code && all.contains(says), "{says}: {}", &all[..all.len().min(2000)]);
        assert_eq!(code == 1, ran.err.contains("~/.claude/settings.json: "), "{}", ran.err);
        assert_eq!(code == 1, ran.out.is_empty(), "what was not read is not said to be: {}", ran.out);
        assert!(!all.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{all}");
        assert!(all.len() < 100_000);
    }
    let world = World::new();
    let place = world.place().join(".claude/settings.json");
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(&place).status().unwrap().success());
    symlink("/dev/zero", world.place().join(".claude.json")).unwrap();
    let ran = imports(&world, &["claude"]);
    assert!(ran.code == 1 && ran.err.matches("is not a regular file").count() == 2, "{}{}", ran.out, ran.err);
}
