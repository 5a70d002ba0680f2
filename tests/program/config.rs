//! The configuration: layers, sources, errors that name their place, and projects that can only tighten.

use std::{fs, path::Path};

use countersign::agent::{Attendance, FinalResponse};
use countersign::budget::{Limit, TokenBudget};
use countersign::config::{
    CommandLineSetting, Config, Flags, LimitFlags, environment::Environment, exit::Exit, load,
};
use countersign::ledger::MicroDollars;
use countersign::policy::Mode;

use crate::configured::World;

fn pair(text: &str) -> Vec<CommandLineSetting> {
    vec![CommandLineSetting::Pair(text.to_owned())]
}

#[test]
fn each_layer_wins_over_the_one_before() {
    let world = World::new().user("model = 'user/one'\nmode = 'edit'\n[budget]\nmax_total_cost = 2.50\n");
    let config = world.config();
    assert_eq!(config.model.as_deref(), Some("user/one"));
    assert_eq!(config.limits.get(Limit::Cost), Some(2_500_000));
    assert!(config.source("budget.max_total_cost").to_string().ends_with("xdg/countersign/config.toml:4"));

    let world = world.variable("COUNTERSIGN_MODEL", "env/two");
    assert_eq!(world.config().model.as_deref(), Some("env/two"));
    assert_eq!(world.config().source("model").to_string(), "COUNTERSIGN_MODEL");

    let by_pair = Flags { config: vec!["model=pair/three".into()], ..Flags::default() };
    assert_eq!(world.load(&by_pair).unwrap().model.as_deref(), Some("pair/three"));

    let by_flag =
        Flags { model: Some("flag/four".into()), limits: LimitFlags::of(Limit::Cost, "0.000001"), ..by_pair };
    let config = world.load(&by_flag).unwrap();
    assert_eq!(config.model.as_deref(), Some("flag/four"));
    assert_eq!(config.limits.get(Limit::Cost), Some(1));
    assert_eq!(config.source("budget.max_total_cost").to_string(), "--max-cost");
    assert_eq!(config.mode, Mode::Edit);
}

#[test]
fn nothing_set_is_the_default() {
    let config = World::new().config();
    assert_eq!(config.mode, Mode::Ask);
    assert_eq!(config.limits.get(Limit::Turns), Some(50));
    assert_eq!((config.tool_timeout_ms, config.parallel), (30_000, true));
    assert_eq!(config.on_approval, Attendance::Deny);
    assert_eq!((config.token_budget(), config.fallback.len()), (None, 0));
    assert_eq!((config.final_response, config.limit_is_steps), (FinalResponse::SameCall, false));
    assert_eq!((config.max_consecutive_failures, config.compact_at_percent), (8, 80));
    let answer = config.answer;
    assert_eq!((answer.bytes, answer.argument_bytes, answer.calls), (8 << 20, 4 << 20, 128));
    assert_eq!(config.source("mode").to_string(), "default");
}

/// A file, and what is said of it.
const WRONG_FILES: &[(&str, &str)] = &[
    ("\nmodle = 'x'", "config.toml:2: unknown key `modle`; did you mean `model`?"),
    (
        "[budget]\nmax_model_turn = 3",
        "config.toml:2: unknown key `budget.max_model_turn`; did you mean `budget.max_model_turns`?",
    ),
    (
        "max_tool_calls = 3",
        "config.toml:1: unknown key `max_tool_calls`; did you mean `budget.max_tool_calls`?",
    ),
    (
        "[providers.x]\napi_key = 'sk-secret'",
        "config.toml:2: unknown key `providers.x.api_key`; did you mean `providers.x.api_key_env`?",
    ),
    ("zebra = 1", "config.toml:1: unknown key `zebra`; next:"),
    ("[budget]\nmax_model_turns = -1", "config.toml:2: budget.max_model_turns: cannot be negative: -1"),
    (
        "[budget]\nmax_model_turns = 'many'",
        "config.toml:2: budget.max_model_turns: must be a whole number, not the string \"many\"",
    ),
    (
        "[budget]\nmax_model_turns = 99999999999999999999999",
        "config.toml:2: budget.max_model_turns: must be at most",
    ),
    ("[budget]\nmax_total_cost = nan", "config.toml:2: budget.max_total_cost: must be an amount"),
    ("[budget]\nmax_total_cost = -0.5", "config.toml:2: budget.max_total_cost: cannot be negative"),
    (
        "[budget]\nmax_parallel_tool_calls = 0",
        "config.toml:2: budget.max_parallel_tool_calls: must be at least 1",
    ),
    ("mode = 'automatic'", "config.toml:1: mode: `automatic` is not a mode; use plan, ask, edit, auto"),
    ("mode = 3", "config.toml:1: mode: must be a string, not 3"),
    (
        "images = 'ascii'",
        "config.toml:1: images: must be \"auto\", \"kitty\", \"iterm\", \"sixel\" or \"off\", not \"ascii\"",
    ),
    ("allow = ['shell(']", "config.toml:1: allow: `shell(` is not a rule"),
    ("budget = 3", "config.toml:1: `budget` is a table of keys"),
    (
        "[loop]\ntools = 'both'",
        "config.toml:2: loop.tools: must be \"native\", \"string\" or \"auto\", not \"both\"",
    ),
    ("[providers.x]\nprotocol = 'grpc'", "config.toml:2: providers.x.protocol: \"grpc\" is not a protocol"),
    ("model = 'a'\nmodel = 'b'", "config.toml:2: duplicate key"),
    ("fallback = [3]", "config.toml:1: fallback: must be a string, not 3"),
    ("fallback = true", "config.toml:1: fallback: must be a list of strings, not true"),
    ("fallback = ['']", "config.toml:1: fallback: must be a string"),
    ("[budget]\ntoken_budget = -1", "config.toml:2: budget.token_budget: cannot be negative: -1"),
    ("[budget]\ntoken_budgets = 1", "config.toml:2: unknown key `budget.token_budgets`; did you mean"),
    (
        "[budget]\ntoken_budget_enough_percent = 101",
        "config.toml:2: budget.token_budget_enough_percent: must be at most 100, not 101",
    ),
    ("[budget]\ntoken_budget_patience = 1e3", "config.toml:2: budget.token_budget_patience: must be a whole"),
    (
        "[loop]\nfinal_response = 'both'",
        "loop.final_response: must be \"same_call\" or \"separate\", not \"both\"",
    ),
    (
        "[loop]\nmax_consecutive_failures = 0",
        "config.toml:2: loop.max_consecutive_failures: must be at least 1, not 0",
    ),
    ("[loop]\ncompact_at_percent = 0", "config.toml:2: loop.compact_at_percent: must be at least 1, not 0"),
    ("[loop]\ncompact_at_percent = 200", "loop.compact_at_percent: must be at most 100, not 200"),
    ("effort = 'hard'", "config.toml:1: effort: `hard` is not an effort; use none, minimal, low"),
    ("effort = 3", "config.toml:1: effort: must be a string, not 3"),
    ("model = ", "config.toml:1: "),
    ("log = 'x=loud'", "config.toml:1: log: must be a log filter"),
];

#[test]
fn a_wrong_file_names_the_line_and_the_key_it_resembles() {
    for (text, wanted) in WRONG_FILES {
        let said = World::new().user(text).wrong();
        assert!(said.contains(wanted), "{text:?} said {said}");
        assert!(said.starts_with("error: /xdg/countersign/") && said.contains("; next: "), "{said}");
        assert!(!said.contains("sk-secret"));
    }
}

#[test]
fn a_key_in_the_wrong_place_is_not_repeated() {
    let said = World::new().user("[providers.x]\napi_key_env = 'sk-ant-secret'").wrong();
    assert!(said.contains("not the key") && !said.contains("sk-ant"), "{said}");
    let said = World::new().variable("OPENAI_BASE_URL", "https://me:hunter2@h").wrong();
    assert!(said.contains("OPENAI_BASE_URL") && !said.contains("hunter2"), "{said}");
}

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let world = World::new();
    fs::create_dir_all(world.path("xdg/countersign/config.toml")).unwrap();
    assert!(world.wrong().contains("not a regular file"));
    let world = World::new();
    let file = world.write("xdg/countersign/config.toml", "");
    fs::write(file, b"theme = \"\xff\"").unwrap();
    assert!(world.load(&Flags::default()).is_ok(), "bytes that are not UTF-8 are replaced, not fatal");
}

#[test]
fn a_project_tightens() {
    let world = World::new().user("mode = 'edit'").project(
        "mode = 'plan'\ndeny = ['shell(git push *)']\nask = 'write'\non_approval = 'stop'\n\
         [budget]\nmax_model_turns = 5\nmax_total_cost = 1\n[loop]\nparallel_tool_execution = false\ntool_timeout_seconds = 5\n\
         max_answer_bytes = 10000\nmax_argument_bytes = 20000\nmax_calls_per_answer = 3",
    );
    let config = world.config();
    assert_eq!(config.warnings, Vec::<String>::new());
    assert_eq!((config.mode, config.on_approval, config.parallel), (Mode::Plan, Attendance::Stop, false));
    assert_eq!((config.limits.get(Limit::Turns), config.tool_timeout_ms), (Some(5), 5000));
    assert_eq!(config.limits.get(Limit::Cost), Some(1_000_000));
    let answer = config.answer;
    assert_eq!((answer.bytes, answer.argument_bytes, answer.calls), (10_000, 20_000, 3));
    let rules: Vec<String> = config.rules.iter().map(|sourced| sourced.rule.to_string()).collect();
    assert_eq!(rules, ["shell(git push *)", "write"]);
    assert!(config.rules.iter().all(|sourced| sourced.source.to_string().contains("repo/.countersign")));
}

#[test]
fn a_project_cannot_loosen() {
    let loose = [
        "mode = 'unrestricted'",
        "allow = ['shell']",
        "model = 'evil/model'",
        "script = '[]'",
        "log = 'trace'",
        "providers.anthropic.base_url = 'https://evil.example'",
        "hosted_tools.anthropic = ['web_search']",
        "providers.x.headers.a = 'b'",
        "providers.x.api_key_env = 'HOME'",
        "providers.x.api_key_command = 'id'",
        "providers.x.api_key_file = '/etc/passwd'",
        "providers.x.quirks.bearer = true",
        "models.script.tools = false",
        "models.script.long_prompt_above = 1",
        "models.script.usd_in = 0",
        "budget.max_model_turns = 51",
        "budget.max_parallel_tool_calls = 9",
        "loop.max_steps = 1000",
        "loop.tool_timeout_seconds = 31",
        "loop.max_answer_bytes = 8388609",
        "loop.max_argument_bytes = 4194305",
        "loop.max_calls_per_answer = 129",
        "fallback = ['evil/model']",
        "tools.echo = true",
        "tools.fetch.allow_hosts = ['localhost']",
        "tools.sandbox.reads = true",
        "tools.sandbox.network = true",
        "tools.sandbox.writable = ['~/.cargo']",
        "budget.token_budget = 1000",
        "budget.token_budget_enough_percent = 91",
        "budget.token_budget_little_tokens = 499",
        "budget.token_budget_patience = 4",
        "loop.final_response = 'separate'",
        "loop.max_consecutive_failures = 9",
        "loop.compact_at_percent = 10",
    ];
    for text in loose {
        let (plain, config) = (World::new().config(), World::new().project(text).config());
        assert_eq!(config.warnings.len(), 1, "{text}");
        assert!(config.warnings.concat().contains("config.toml:1: `"), "{:?}", config.warnings);
        let shown = |config: &Config| {
            config.show().lines().filter(|l| !l.starts_with("# ignored")).collect::<String>()
        };
        assert_eq!(shown(&config), shown(&plain), "{text}");
        assert_eq!((config.providers, config.models), (plain.providers, plain.models), "{text}");
    }
    let wrong = World::new().project("modle = 'x'").wrong();
    assert!(wrong.contains("/repo/.countersign/config.toml:1: unknown key"), "{wrong}");
    assert!(wrong.contains("belongs to the project") && wrong.contains("/config.toml.off)"), "{wrong}");
    assert!(!World::new().user("denny = []").wrong().contains("belongs to the project"));
}

#[test]
fn hosts_that_fetch_reaches_are_named_by_the_user() {
    let config = World::new().user("[tools.fetch]\nallow_hosts = ['LOCALHOST:3000', '[::1]']").config();
    assert!(
        config.show().contains("tools.fetch.allow_hosts = [\"localhost:3000\", \"[::1]\"]"),
        "{}",
        config.show()
    );
    let wrong = World::new().user("tools.fetch.allow_hosts = ['http://x/']").wrong();
    assert!(wrong.contains("config.toml:1:") && wrong.contains("must be hosts, as in"), "{wrong}");
}

#[test]
fn a_project_can_lower_a_token_budget() {
    let user = "[budget]\ntoken_budget = 1000\n[loop]\nfinal_response = 'separate'";
    let lower = "[budget]\ntoken_budget = 900\ntoken_budget_enough_percent = 80\ntoken_budget_little_tokens = 600\n\
                 token_budget_patience = 1\n[loop]\nfinal_response = 'same_call'";
    let config = World::new().user(user).project(lower).config();
    assert_eq!(config.warnings, Vec::<String>::new());
    let all = TokenBudget { tokens: 900, enough_percent: 80, little_tokens: 600, patience: 1 };
    assert_eq!(config.token_budget(), Some(all));
    assert_eq!(config.final_response, FinalResponse::SameCall);
    let higher = World::new().user(user).project("budget.token_budget = 1001").config();
    assert_eq!((higher.warnings.len(), higher.token_budget()), (1, Some(TokenBudget::of(1000))));
}

#[test]
fn a_chain_is_said_anew_and_repeated_flags_add_to_it() {
    let world = World::new().user("fallback = ['user/one', 'user/two']");
    let chain = |pairs: &[&str], flags: &[&str]| {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let flags = Flags { config: owned(pairs), fallback: owned(flags), ..Flags::default() };
        world.load(&flags).unwrap().fallback
    };
    assert_eq!(chain(&[], &[]), ["user/one", "user/two"]);
    assert_eq!(chain(&["fallback=[]"], &[]), Vec::<String>::new());
    assert_eq!(chain(&["fallback=pair/one"], &[]), ["pair/one"]);
    assert_eq!(chain(&["fallback=['pair/one']"], &["flag/one", "flag/two"]), ["flag/one", "flag/two"]);
    let many = vec!["a/b"; 17];
    let flags = Flags { fallback: many.iter().map(|text| (*text).to_owned()).collect(), ..Flags::default() };
    let said = world.load(&flags).unwrap_err().to_string();
    assert!(said.contains("--fallback: must have at most 16 models, not 17"), "{said}");
}

#[test]
fn the_key_that_set_the_turn_limit_is_remembered() {
    let steps = |pairs: &[&str], max_turns: Option<&str>| {
        let flags = Flags {
            config: pairs.iter().map(|text| (*text).to_owned()).collect(),
            limits: max_turns.map(|most| LimitFlags::of(Limit::Turns, most)).unwrap_or_default(),
            ..Flags::default()
        };
        let config = World::new().load(&flags).unwrap();
        (config.limits.get(Limit::Turns), config.limit_is_steps)
    };
    assert_eq!(steps(&["loop.max_steps=5"], None), (Some(5), true));
    assert_eq!(steps(&["loop.max_tool_iterations=5"], None), (Some(5), false));
    assert_eq!(steps(&["loop.max_steps=5", "budget.max_model_turns=6"], None), (Some(6), false));
    assert_eq!(steps(&["loop.max_steps=5"], Some("7")), (Some(7), false));
    let shown = World::new().user("loop.max_steps = 5").config().show();
    assert!(World::new().user(&shown).config().limit_is_steps, "{shown}");
}

#[test]
fn every_folder_down_from_the_root_may_tighten() {
    let world = World::new().project("budget.max_tool_calls = 10");
    world.write("repo/deep/.countersign/config.toml", "budget.max_tool_calls = 20\ndeny = ['write']");
    world.write(".countersign/config.toml", "budget.max_tool_calls = 1");
    let config = world.config();
    assert_eq!(config.limits.get(Limit::ToolCalls), Some(10));
    assert_eq!((config.warnings.len(), config.rules.len()), (1, 1));
}

#[test]
fn the_user_decides_over_the_project() {
    let world = World::new().project("mode = 'plan'");
    let flags = Flags { mode: Some("edit".into()), ..Flags::default() };
    assert_eq!(world.load(&flags).unwrap().mode, Mode::Edit);
}

#[test]
fn pairs_take_toml_or_plain_text() {
    let world = World::new();
    let turns = |text: &str| world.load_given(&pair(text)).map(|config| config.limits.get(Limit::Turns));
    assert_eq!(turns("budget.max_model_turns=7").unwrap(), Some(7));
    assert_eq!(turns("budget = { max_model_turns = 8 }").unwrap(), Some(8));
    assert_eq!(turns("loop.max_steps=9").unwrap(), Some(9));
    assert_eq!(turns("budget.max_model_turns=0").unwrap(), Some(0));
    let model = |text: &str| world.load_given(&pair(text)).unwrap().model;
    assert_eq!(model("model=a/b-1").as_deref(), Some("a/b-1"));
    assert_eq!(model("model=\"a/b\"").as_deref(), Some("a/b"));
    assert_eq!(model("model=7").as_deref(), Some("7"));
    let rules = world.load_given(&pair("allow=shell(cargo test *)")).unwrap().rules;
    assert_eq!(rules.len(), 1);
    let denied = world.load_given(&pair(r#"deny=["read(x)", "shell(rm *)"]"#)).unwrap().rules;
    assert_eq!(denied.len(), 2);
    let facts = world.load_given(&pair("models.\"a/b\".usd_in=3.75")).unwrap().models;
    assert_eq!(facts.get("a/b").unwrap().usd_in, Some(MicroDollars(3_750_000)));
    for wrong in
        ["budget.max_model_turns", "budget.max_model_turnz=3", "=3", "a b=3", "mode=\"plan\"\nmodel=\"x\""]
    {
        assert_eq!(turns(wrong).unwrap_err().exit, Exit::Usage, "{wrong}");
    }
}

#[test]
fn what_is_shown_can_be_read_again_and_hides_headers() {
    let world = World::new()
        .user("allow = ['shell(a *)']\n[providers.x]\nbase_url = 'http://h'\nheaders.authorization = 'Bearer sk-1'\n[models.'a/b']\nusd_in = 0.5");
    let shown = world.config().show();
    assert!(!shown.contains("sk-1") && shown.contains("(hidden)"), "{shown}");
    assert!(shown.contains("config.toml:1") && shown.contains("# default"), "{shown}");
    assert!(shown.contains("models.\"a/b\".usd_in = 0.5  # "), "{shown}");
    let again = World::new().user(&shown);
    assert_eq!(again.config().rules(), world.config().rules());
}

#[test]
fn the_network_is_the_users_own_affair() {
    let text = "[network]\nproxy = 'socks5h://127.0.0.1:1080'\nca_file = '/etc/ours.pem'";
    let config = World::new().user(text).config();
    assert_eq!(config.network.proxy.as_deref(), Some("socks5h://127.0.0.1:1080"));
    assert_eq!(config.network.ca_file.as_deref(), Some(Path::new("/etc/ours.pem")));
    let config = World::new().project(text).config();
    assert_eq!((config.network, config.warnings.len()), (Default::default(), 2));
    for wrong in ["proxy.example:3128", "ftp://proxy.example", "http://me:secret@proxy.example"] {
        let fault =
            World::new().load_given(&pair(&format!("network.proxy={wrong}"))).unwrap_err().to_string();
        assert!(fault.contains("network.proxy") && fault.contains("HTTPS_PROXY"), "{fault}");
        assert!(!fault.contains("secret"), "{fault}");
    }
}

#[test]
fn keys_are_bound_by_the_user_alone_and_mistakes_have_a_line() {
    let text = "[keys.everywhere]\nledger = ['ctrl-l', 'f3']\nbudgets = []";
    let (bound, none) = (World::new().user(text).config(), Config::default());
    assert_ne!(bound.keymap, none.keymap);
    assert!(bound.show().contains("keys.everywhere.ledger = [\"ctrl-l\", \"f3\"]  # "), "{}", bound.show());
    assert_eq!(World::new().user(&bound.show()).config().keymap, bound.keymap);
    let ours = World::new().project(text).config();
    assert_eq!((ours.keymap, ours.warnings.len()), (none.keymap, 2));
    for (text, says) in [
        (
            "[keys.everywhere]\nledgr = 'f3'",
            "config.toml:2: keys.everywhere.ledgr: unknown name `ledgr`; did you mean `ledger`?",
        ),
        (
            "[keys.everywhere]\nledger = 'ctrl-b'",
            "config.toml:2: keys.everywhere.ledger: ctrl-b is also bound to `keys.everywhere.budgets`",
        ),
        ("\n[keys.composer]\nsend = 'x'", "config.toml:3: keys.composer.send: x could no longer be typed"),
        ("[keys.approval]\nonce = 3", "keys.approval.once: must be a list of strings, not 3"),
        ("[keys.approval]\nonce = 'esc'", "esc always interrupts"),
    ] {
        let fault = World::new().user(text).load_given(&[]).unwrap_err().to_string();
        assert!(fault.contains(says), "{fault}");
    }
}

#[test]
fn the_path_of_a_project_ends_at_its_root() {
    let world = World::new();
    world.write(".countersign/config.toml", "mode = 'plan'");
    assert_eq!(world.config().mode, Mode::Ask);
    let outside = load(Path::new("/"), &Environment::default(), &[]).unwrap();
    assert_eq!(outside.mode, Mode::Ask);
}
