//! The real binary, with an environment of its own: words on stdout, one line on stderr, exit codes.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

/// A home of its own, a folder to work in, and no variable that was not set here.
struct World {
    place: tempfile::TempDir,
    variables: Vec<(&'static str, String)>,
}

/// What a run left behind.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl World {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("work")).unwrap();
        Self { place, variables: Vec::new() }
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    fn user(self, text: &str) -> Self {
        let file = self.user_file();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    fn user_file(&self) -> PathBuf {
        self.place.path().join("config/countersign/config.toml")
    }

    fn run(&self, words: &[&str]) -> Ran {
        let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_countersign"))
            .args(words)
            .env_clear()
            .env("HOME", self.place.path())
            .env("XDG_CONFIG_HOME", self.place.path().join("config"))
            .env("XDG_STATE_HOME", self.place.path().join("state"))
            .env("RUST_BACKTRACE", "1")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.place.path().join("work"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: status.code().unwrap(), out: text(stdout), err: text(stderr) }
    }

    /// A run that must fail with exit 2 and one line; returns the line.
    fn refused(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words:?}: {}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
        assert!(ran.err.starts_with("error: ") && ran.err.contains("; next: "), "{}", ran.err);
        ran.err
    }
}

#[test]
fn version_and_help() {
    let world = World::new();
    let version = world.run(&["--version"]);
    assert_eq!((version.code, version.out.trim()), (0, concat!("countersign ", env!("CARGO_PKG_VERSION"))));
    let help = world.run(&["--help"]);
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    for wanted in ["Examples:", "countersign exec --json", "Exit codes", "--max-cost", "--on-approval"] {
        assert_eq!(help.out.contains(wanted), wanted != "--on-approval", "{wanted}");
    }
    let exec = world.run(&["exec", "--help"]);
    assert!(exec.code == 0 && exec.out.contains("--on-approval") && exec.out.contains("--deny"));
    assert!(!world.place.path().join("state").exists(), "asking for help leaves nothing behind");
}

#[test]
fn wrong_usage_is_one_line_and_exit_2() {
    let world = World::new();
    let line = world.refused(&["--modell", "x"]);
    assert!(line.contains("; a similar argument exists: '--model'; next: see"), "{line}");
    assert!(world.refused(&["fix", "the", "tests"]).contains("in quotes"));
    assert!(world.refused(&["inspect"]).contains("SESSION"));
    assert!(world.refused(&["exec", "--last", "--resume", "x", "go on"]).contains("--last"));
    assert!(world.refused(&["hello", "exec", "there"]).contains("before the command"));
    assert!(world.refused(&["config"]).contains("--help"));
    assert!(
        world.refused(&["exec", "--max-turns", "-3", "x"]).contains("--max-turns: cannot be negative: -3")
    );
    assert!(world.refused(&["exec", "--max-cost", "nan", "x"]).contains("--max-cost: must be an amount"));
    assert!(world.refused(&["exec", "--mode", "Auto", "x"]).contains("edit, auto or"));
    assert!(
        world.refused(&["exec", "--mode", "bold", "x"]).contains("plan, ask, edit, auto or unrestricted")
    );
    assert!(world.refused(&["exec", "--tools", "both", "x"]).contains("\"string\""));
    assert!(
        world.refused(&["exec", "--token-budget", "-1", "x"]).contains("--token-budget: cannot be negative")
    );
    assert!(world.refused(&["exec", "--fallback", "", "x"]).contains("--fallback: must be a string"));
    assert!(world.refused(&["exec", "--on-approval", "maybe", "x"]).contains("--on-approval: must be"));
    assert!(world.refused(&["exec", "--allow", "shell(", "x"]).contains("closing"));
    assert!(world.refused(&["exec", "-C", "nowhere", "x"]).contains("nowhere"));
    assert!(
        world.refused(&["exec", "-c", "budget.max_turn=3", "x"]).contains("unknown key `budget.max_turn`")
    );
}

#[test]
fn a_wrong_configuration_names_file_and_line() {
    let world = World::new().user("mode = 'ask'\n\n[budget]\nmax_tool_call = 3\n");
    for words in [&["exec", "x"][..], &["config", "show"], &["resume"], &[]] {
        let line = world.refused(words);
        let place = format!("{}:4: ", world.user_file().display());
        assert!(line.contains(&place) && line.contains("did you mean `budget.max_tool_calls`?"), "{line}");
    }
    let path = world.run(&["config", "path"]);
    assert_eq!((path.code, path.out.trim()), (0, world.user_file().to_str().unwrap()));
}

#[test]
fn an_effort_that_the_model_does_not_take_is_refused_when_it_is_asked_for() {
    let world = World::new().with("OPENAI_API_KEY", "sk-1").with("ANTHROPIC_API_KEY", "sk-2");
    let refused = |words: &[&str]| world.refused(&[&["exec"], words, &["x"]].concat());
    let line = refused(&["-m", "anthropic/claude-sonnet-5-5", "--effort", "none"]);
    assert!(
        line.contains("does not support the effort `none`") && line.contains("low, medium, high"),
        "{line}"
    );
    let line = refused(&["-m", "openai/gpt-4o", "--effort", "low"]);
    assert!(line.contains("--effort") && line.contains("does not reason"), "{line}");
    let line = refused(&["-m", "openai/gpt-5.2", "-c", "effort=max"]);
    assert!(line.contains("none, low, medium, high, xhigh"), "{line}");
    assert!(refused(&["--effort", "hard"]).contains("is not an effort; use none, minimal"));
}

#[test]
fn models_that_cannot_be_reached() {
    let world = World::new();
    let refused = |model: &str| world.refused(&["exec", "-m", model, "x"]);
    assert!(refused("anthropic/claude-sonnet-5-5").contains("ANTHROPIC_API_KEY is not set"));
    assert!(refused("openai-chat/gpt-6.1-sol").contains("OPENAI_API_KEY is not set"));
    assert!(refused("openrouter/a/b").contains("OPENROUTER_API_KEY"));
    assert!(refused("antropic/x").contains("did you mean `anthropic`?"));
    assert!(refused("zebra/x").contains("anthropic, openai, openai-chat, openrouter, gemini, groq"));
    assert!(refused("openai/gpt-6.1-sol").contains("OPENAI_API_KEY is not set"));
    assert!(refused("openai").contains("as in openai/gpt-6.1-sol"));
    assert!(refused("claude-sonnet-5-5").contains("write anthropic/claude-sonnet-5-5"));
    assert!(refused("anthropic").contains("as in anthropic/claude"));
    assert!(refused("script").contains("--script FILE-or-JSON"));
    assert!(refused("").contains("-m"));
    assert!(world.refused(&["exec", "--script", "nowhere.json", "x"]).contains("nowhere.json"));
    let cost = world.refused(&["exec", "--max-cost", "1", "-m", "ollama/llama3.1:8b", "x"]);
    assert!(cost.contains("models.\"ollama/llama3.1:8b\"") && cost.contains("usd_in"), "{cost}");
    let keyed = World::new().with("ANTHROPIC_API_KEY", "sk-secret");
    assert!(!keyed.refused(&["exec", "-m", "antropic/x", "x"]).contains("sk-secret"));
}

#[test]
fn every_model_of_a_chain_must_be_reachable() {
    let world = World::new().user("fallback = ['ollama/small']\n");
    let refused = |words: &[&str]| world.refused(&[&["exec", "-m", "rehearsal"], words, &["x"]].concat());
    assert!(
        refused(&["--fallback", "zebra/x"])
            .contains("--fallback: the fallback model cannot answer: unknown provider")
    );
    let keyless = refused(&["--fallback", "ollama/a", "--fallback", "anthropic/x"]);
    assert!(
        keyless.contains("ANTHROPIC_API_KEY is not set") && keyless.contains("remove anthropic/x from"),
        "{keyless}"
    );
    let priceless = refused(&["--max-cost", "1"]);
    assert!(
        priceless.contains("config.toml:1: the fallback") && priceless.contains("ollama/small"),
        "{priceless}"
    );
    let shown = world.run(&["config", "show", "-m", "rehearsal"]);
    assert!(shown.out.starts_with("# answers: rehearsal (-m), or else ollama/small"), "{}", shown.out);
}

#[test]
fn the_next_model_of_the_chain_answers() {
    let world = World::new();
    let script = r#"[{"text": "Half an ans", "error": {"class": "quota", "message": "no money"}}]"#;
    let words = ["exec", "--json", "--script", script, "--fallback", "rehearsal", "what can you do?"];
    let ran = world.run(&words);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| lines.iter().filter(|line| line["type"] == kind).collect::<Vec<_>>();
    let reasons: Vec<_> = of("transition").iter().map(|line| line["reason"].clone()).collect();
    assert_eq!(reasons, ["submitted", "model_fallback"]);
    let models: Vec<_> = of("agent_response").iter().map(|line| line["model"].clone()).collect();
    assert_eq!(models, ["script", "rehearsal"]);
    assert_eq!(of("tombstone")[0]["target"], of("agent_response")[0]["id"]);
    assert!(
        !of("turn_ended")[0]["text"].as_str().unwrap().contains("Half"),
        "what was withdrawn is no answer"
    );
}

#[test]
fn the_settings_of_the_loop_reach_it() {
    let world = World::new();
    let ended = |words: &[&str]| {
        let ran = world.run(&[&["exec", "--json", "--mode", "unrestricted"], words, &["x"]].concat());
        let last: serde_json::Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
        (ran.code, last["reason"].as_str().unwrap().to_owned(), last["text"].as_str().unwrap().to_owned())
    };
    let look = r#"{"tool_calls":[{"name":"list","arguments":{}}]}"#;
    let steps = ended(&["-c", "loop.max_steps=1", "--script", &format!("[{look}]")]);
    assert_eq!(steps, (3, "max_turns".into(), "Reached maximum reasoning steps (1)".into()));
    let fenced = r#"["```tool_call\n{\"tool\": \"list\", \"arguments\": {}}\n```"]"#;
    let in_text = ended(&["--tools", "string", "-c", "loop.max_steps=1", "--script", fenced]);
    assert_eq!(in_text, steps, "calls in text are counted alike");
    for (fails, ending) in [
        (r#"{"tool_calls":[{"name":"read","arguments":{"path":"none.txt"}}]}"#, "repeated_failures"),
        (r#"{"tool_calls":[{"name":"nothing","arguments":{}}]}"#, "tool_unavailable"),
    ] {
        let twice = format!("[{fails},{fails},\"never\"]");
        let failures = ended(&["-c", "loop.max_consecutive_failures=2", "--script", &twice]);
        assert_eq!((failures.0, failures.1.as_str()), (1, ending));
    }
    let two = r#"["notes", "The final words."]"#;
    let separate = ended(&["-c", "loop.final_response=separate", "--script", two]);
    assert_eq!(separate, (0, "completed".into(), "The final words.".into()));
    let one = ended(&["-c", "loop.final_response=separate", "--script", r#"["Hello!"]"#]);
    assert_eq!(one, (0, "completed".into(), "Hello!".into()), "a script may end before the second phase");
    let little = r#"["a", "b", "c", "d", "e"]"#;
    let budget =
        ended(&["--token-budget", "9000", "-c", "budget.token_budget_patience=1", "--script", little]);
    assert_eq!((budget.0, budget.1.as_str(), budget.2.as_str()), (3, "token_budget", "b"));
}

#[test]
fn completions() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish"] {
        let ran = world.run(&["completions", shell]);
        assert!(ran.code == 0 && ran.out.contains("max-turns") && ran.out.contains("inspect"), "{shell}");
        assert!(ran.out.contains("unrestricted"), "{shell}: the words of --mode");
    }
    // The word behind the program is a command: as the message it would be the first, and the command the second.
    let zsh = world.run(&["completions", "zsh"]).out;
    assert!(zsh.contains("words=($line[1] ") && !zsh.contains("$line[2]"), "{zsh}");
    assert!(world.refused(&["completions", "cobol"]).contains("cobol"));
}

#[test]
fn the_synopsis_of_a_man_page_names_the_values_of_options() {
    let world = World::new();
    let model = r"[\-m|\-\-model <PROVIDER/MODEL>]";
    let main = world.run(&["man"]).out;
    assert!(main.contains(model) && main.contains(r"[\-\-screen\-reader]"), "{main}");
    assert!(main.contains("[PROMPT] [COMMAND]"), "{main}");
    let folder = world.place.path().join("man");
    fs::create_dir(&folder).unwrap();
    assert_eq!(world.run(&["man", "--dir", folder.to_str().unwrap()]).code, 0);
    let page = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert!(page("countersign-exec.1").contains(model));
    let bisect = page("countersign-sessions-bisect.1");
    assert!(bisect.contains(r"\fBcountersign sessions bisect\fR ["), "{bisect}");
    assert!(bisect.contains(r"\-\- <COMMAND>..."), "{bisect}");
    let verify = page("countersign-verify.1");
    assert!(verify.contains(r" \-\-allowed\-signers <FILE> "), "{verify}");
}

#[test]
fn config_init_writes_once_and_show_reads_it() {
    let world = World::new();
    let first = world.run(&["config", "init"]);
    assert_eq!(first.code, 0, "{}", first.err);
    assert_eq!(
        fs::read_to_string(world.user_file()).unwrap(),
        include_str!("../../assets/config.example.toml")
    );
    fs::write(world.user_file(), "mode = 'plan'\n").unwrap();
    assert!(world.refused(&["config", "init"]).contains("already exists"));
    assert_eq!(fs::read_to_string(world.user_file()).unwrap(), "mode = 'plan'\n");
    let shown = world.run(&["config", "show", "--max-turns", "7", "-c", "theme=light"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert!(shown.out.starts_with("# answers: rehearsal"), "{}", shown.out);
    for wanted in [
        "mode = \"plan\"  # ",
        "config.toml:1",
        "budget.max_model_turns = 7  # --max-turns",
        "theme = \"light\"  # -c",
    ] {
        assert!(shown.out.contains(wanted), "{wanted} in {}", shown.out);
    }
}

#[test]
fn a_home_is_not_needed_to_ask_for_the_configuration() {
    let ran = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["config", "show"])
        .env_clear()
        .current_dir(World::new().place.path().parent().unwrap())
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(0));
}

#[test]
fn what_is_known_of_models_and_servers_can_be_said_and_is_shown() {
    let said = "[providers.x]\napi_key_command = 'echo sk-1'\napi_key_file = '~/k'\nquirks.strict_order = false\n\
                [models.'a/b']\nlong_prompt_above = 9\nlong_prompt_usd_in = 1.5\ntools = false\nextra_efforts = ['max']";
    let shown = World::new().user(said).run(&["config", "show"]).out;
    for line in [
        "providers.x.api_key_command = \"(hidden)\"",
        "providers.x.api_key_file = \"~/k\"",
        "providers.x.quirks.strict_order = false",
        "models.\"a/b\".long_prompt_above = 9",
        "models.\"a/b\".long_prompt_usd_in = 1.5",
        "models.\"a/b\".tools = false",
        "models.\"a/b\".extra_efforts = [\"max\"]",
    ] {
        assert!(shown.contains(&format!("{line}  # ")), "{line} in {shown}");
    }
    assert!(!shown.contains("sk-1"));
    for (text, wanted) in [
        ("[providers.x]\napi_key_file = 'sk-ant-secret'", "not the key"),
        (
            "[models.'a/b']\nextra_efforts = ['huge']",
            "must be a list of none, minimal, xhigh, max, not \"huge\"",
        ),
        ("[models.'a/b']\ntools = 1", "must be true or false, not 1"),
    ] {
        let said = World::new().user(text).refused(&["config", "show"]);
        assert!(said.contains(wanted) && !said.contains("sk-ant"), "{said}");
    }
}

#[test]
fn a_mistyped_command_is_an_error_with_a_suggestion() {
    for (typed, near) in
        [("hlep", "--help"), ("resmue", "resume"), ("sesions", "sessions"), ("help", "--help")]
    {
        let ran = World::new().run(&[typed]);
        assert_eq!(ran.code, 2, "{typed}: {}", ran.err);
        assert!(
            ran.err.contains(&format!("`{typed}` is not a command; did you mean `{near}`?")),
            "{}",
            ran.err
        );
    }
}

#[test]
fn a_mistyped_command_is_recognised_with_words_behind_it_and_a_missing_one_names_those_there_are() {
    for (typed, near) in
        [(["sesions", "list"], "sessions"), (["exce", "hi"], "exec"), (["doctorr", "now"], "doctor")]
    {
        let ran = World::new().run(&typed);
        assert_eq!(ran.code, 2, "{typed:?}: {}", ran.err);
        let says = format!("`{}` is not a command; did you mean `{near}`?", typed[0]);
        assert!(ran.err.contains(&says), "{}", ran.err);
    }
    let ran = World::new().run(&["fix", "the parser"]);
    assert!(ran.err.contains("put a PROMPT of several words in quotes"), "{}", ran.err);
    for (command, below) in [("sessions", ["list", "show", "export"]), ("config", ["show", "path", "init"])] {
        let ran = World::new().run(&[command]);
        assert_eq!(ran.code, 2, "{command}: {}", ran.err);
        assert!(below.iter().all(|name| ran.err.contains(name)), "{}", ran.err);
    }
}

#[test]
fn lines_of_words_end_with_their_input() {
    let ran = World::new().run(&["--screen-reader", "-m", "rehearsal"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("model rehearsal, mode ask"), "{}", ran.out);
}

#[test]
fn without_a_terminal_no_sequences_are_written() {
    let ran = World::new().run(&[]);
    assert_ne!(ran.code, 0);
    assert!(!ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}'), "{:?} {:?}", ran.out, ran.err);
    assert!(ran.err.contains("terminal"), "{}", ran.err);
}
