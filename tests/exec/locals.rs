//! Servers of one's own: asked what their models can do, found, listed, and held to what they said.

use serde_json::{Value, json};

use crate::model_server::{ModelServer, Part, Reply};
use crate::servers::accepted;
use crate::world::{Ran, World};

/// A world in which the provider `name` is this server.
fn world(name: &str, server: &ModelServer) -> World {
    World::new().configured(&format!("[providers.{name}]\nbase_url = \"{}\"\n", server.base_url()))
}

fn models(world: &World, words: &[&str]) -> Ran {
    let output = world.program().arg("models").args(words).output().unwrap();
    Ran::of(output.status, output.stdout, output.stderr)
}

/// One provider of `models --json`.
fn provider(world: &World, name: &str) -> Value {
    let ran = models(world, &["--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let listed: Value = serde_json::from_str(&ran.out).unwrap();
    let of_name = |one: &&Value| one["provider"] == name;
    listed["providers"].as_array().unwrap().iter().find(of_name).unwrap_or_else(|| panic!("{name}")).clone()
}

#[test]
fn a_model_that_its_server_knows_without_tools_gets_them_as_text() {
    let call = "```tool_call\n{\"tool\": \"read\", \"arguments\": {\"path\": \"two.txt\"}}\n```";
    for (abilities, wanted_tools) in [(json!(["completion"]), false), (json!(["completion", "tools"]), true)]
    {
        let first = if wanted_tools {
            Part::call("a", "read", &json!({ "path": "two.txt" }))
        } else {
            Part::text(call)
        };
        let server = ModelServer::start(vec![Reply::Stream(vec![first]), Reply::text("Read.")])
            .page("/api/show", json!({ "capabilities": abilities, "parameters": "num_ctx 8192" }))
            .page("/api/ps", json!({ "models": [] }));
        let world = world("ollama", &server);
        let ran = world.exec(&["-m", "ollama/small", "read it"]);
        assert_eq!((ran.code, ran.out.as_str()), (0, "Read.\n"), "{}", ran.err);
        let sent = accepted(&server);
        assert_eq!(sent[0].get("tools").is_some(), wanted_tools, "{abilities}");
        assert_eq!(sent[0]["max_tokens"], 2048, "a quarter of the window that the server told");
        let asked: Vec<_> = server.visits().iter().map(|visit| visit.body.clone()).collect();
        assert!(asked.contains(&json!({ "model": "small" })), "{asked:?}");
    }
}

#[test]
fn a_model_that_the_table_knows_without_tools_gets_them_as_text_from_the_first_request() {
    for (model, takes_tools) in [("ollama/phi4:14b", false), ("ollama/llama3.1:8b", true)] {
        let server = ModelServer::start(vec![Reply::text("Hello.")]);
        let ran = world("ollama", &server).exec(&["-m", model, "hi"]);
        assert_eq!((ran.code, ran.out.as_str()), (0, "Hello.\n"), "{model}: {}", ran.err);
        let mut sent = server.requests();
        sent.retain(|request| request.path.ends_with("completions"));
        assert_eq!(sent.len(), 1, "{model}: nothing is tried first");
        assert_eq!(sent[0].body.get("tools").is_some(), takes_tools, "{model}");
        assert_eq!(sent[0].body.to_string().contains("## Available Tools"), !takes_tools, "{model}");
    }
}

#[test]
fn a_server_that_says_nothing_of_itself_is_used_all_the_same() {
    for name in ["ollama", "llamacpp", "vllm", "lmstudio"] {
        let server = ModelServer::start(vec![Reply::text("Hello.")]);
        let ran = world(name, &server).exec(&["-m", &format!("{name}/unheard-of"), "hi"]);
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "Hello.\n", ""), "{name}");
        let sent = server.requests().into_iter().find(|request| request.path.ends_with("completions"));
        assert_eq!(sent.unwrap().body["max_tokens"], 8192, "{name}");
    }
}

#[test]
fn every_kind_of_server_is_listed_with_what_it_tells() {
    let listed = json!({ "data": [{ "id": "one", "max_model_len": 16_384 }] });
    let server = ModelServer::start(Vec::new())
        .page("/v1/models", listed)
        .page("/props", json!({ "default_generation_settings": { "n_ctx": 16_384 } }))
        .page("/api/v0/models", json!({ "data": [{ "id": "one", "loaded_context_length": 16_384 }] }))
        .page("/api/show", json!({ "capabilities": ["tools"], "parameters": "num_ctx 16384" }))
        .page("/api/ps", json!({ "models": [] }));
    for name in ["ollama", "llamacpp", "vllm", "lmstudio"] {
        let told = provider(&world(name, &server), name);
        assert_eq!(told["usable"], true, "{told}");
        let model = &told["models"][0];
        assert_eq!((&model["model"], &model["window"]), (&json!(format!("{name}/one")), &json!(16_384)));
        assert_eq!(model["usd_per_million"], Value::Null, "a price that nobody knows");
    }
    let own = provider(&world("mine", &server), "mine");
    assert_eq!(own["models"][0]["model"], "mine/one", "any server without a key is asked");
}

#[test]
fn a_server_without_a_list_is_there_and_its_configured_models_can_be_chosen() {
    let server = ModelServer::start(Vec::new());
    let none = provider(&world("mine", &server), "mine");
    assert!(none["usable"] == false && none["why"].as_str().unwrap().ends_with(" lists no models"), "{none}");
    let said = format!(
        "[providers.mine]\nbase_url = \"{}\"\n[providers.mine.models.big]\nwindow = 16384\n",
        server.base_url()
    );
    let told = provider(&World::new().configured(&said), "mine");
    assert_eq!(told["usable"], true, "{told}");
    let model = &told["models"][0];
    assert_eq!((&model["model"], &model["window"]), (&json!("mine/big"), &json!(16_384)));
}

#[test]
fn a_server_that_accepts_and_never_answers_did_not_answer_in_time() {
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let said = format!("[providers.mine]\nbase_url = \"http://{}/v1\"\n", silent.local_addr().unwrap());
    let told = provider(&World::new().configured(&said), "mine");
    let why = told["why"].as_str().unwrap();
    assert!(told["usable"] == false && why.ends_with("/v1 did not answer in time"), "{told}");
}

#[test]
fn the_list_says_why_the_rest_is_not_usable() {
    let gone = ModelServer::start(Vec::new());
    let world = world("vllm", &gone).with("GROQ_API_KEY", "gsk-planted-key");
    drop(gone);
    let none = provider(&world, "vllm");
    assert!(
        none["usable"] == false && none["why"].as_str().unwrap().starts_with("no server answers at http")
    );
    let (groq, mistral) = (provider(&world, "groq"), provider(&world, "mistral"));
    assert_eq!((&groq["usable"], &groq["how"]), (&json!(true), &json!("GROQ_API_KEY")));
    assert_eq!((&mistral["usable"], &mistral["why"]), (&json!(false), &json!("MISTRAL_API_KEY is not set")));
    let openai = provider(&world, "openai-chat");
    let sol = openai["models"].as_array().unwrap().iter().find(|m| m["model"] == "openai-chat/gpt-6.1-sol");
    assert_eq!(sol.unwrap()["long_prompt"]["above"], 272_000);
    assert_eq!(sol.unwrap()["usd_per_million"]["cache_read"], 0.1);
    let words = models(&world, &[]).out;
    for wanted in
        ["\nrehearsal: embedded", "\ngroq: GROQ_API_KEY\n", "\nnot usable\n", "  vllm: no server answers"]
    {
        assert!(words.contains(wanted), "{wanted} in {words}");
    }
    assert!(!words.contains("gsk-planted"));
}

#[test]
fn models_of_two_protocols_are_listed_once_and_each_protocol_can_be_named() {
    let world = World::new().with("OPENAI_API_KEY", "sk-planted-key");
    let words = models(&world, &[]).out;
    assert!(words.contains("  openai/gpt-6.1-sol ") && !words.contains("openai-chat/gpt-6.1-sol"), "{words}");
    let count = |name: &str| provider(&world, name)["models"].as_array().unwrap().len();
    let (chat, all) = (count("openai-chat"), count("openai"));
    assert!(chat < all, "some have no Chat Completions: {chat} of {all}");
    let other = format!(
        "\nopenai-chat: OPENAI_API_KEY\n  openai-chat/NAME: {chat} of the {all} listed models of openai, by another protocol\n"
    );
    assert!(words.contains(&other), "{words}");
    // Whoever looks for it by its name finds it.
    let narrowed = models(&world, &["openai-chat"]).out;
    assert!(narrowed.contains("  openai-chat/gpt-6.1-sol "), "{narrowed}");
    let used = world.configured("model = \"openai-chat/gpt-6.1-sol\"\n");
    let words = models(&used, &[]).out;
    assert!(words.contains("  openai-chat/gpt-6.1-sol ") && !words.contains("openai/gpt-6.1-sol"), "{words}");
}

#[test]
fn a_name_narrows_the_list() {
    let world = World::new().with("ANTHROPIC_API_KEY", "sk-1");
    let narrowed = models(&world, &["Claude-Sonnet"]).out;
    assert!(
        narrowed.contains("anthropic/claude-sonnet-5-5") && !narrowed.contains("claude-opus"),
        "{narrowed}"
    );
    assert!(!narrowed.contains("rehearsal") && !narrowed.contains("groq"), "{narrowed}");
    let none = models(&world, &["zebra-9"]);
    assert_eq!((none.code, none.out.as_str()), (2, ""));
    assert!(none.complaint().contains("no known model has `zebra-9`"));
}

/// A server may serve more than it names, and one that does not answer has its models all the same.
#[test]
fn models_that_the_configuration_describes_are_listed_beside_those_of_the_server() {
    let described = "[models.\"big/own\"]\nwindow = 9000\n[models.\"big/told\"]\nwindow = 7000\n";
    let server = ModelServer::start(Vec::new()).page("/v1/models", json!({ "data": [{ "id": "told" }] }));
    let at = |url: &str| format!("[providers.big]\nbase_url = \"{url}\"\n{described}");
    let windows = |world: &World| {
        let ran = models(world, &["big/", "--json"]);
        let listed: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
        let all = listed["providers"][0]["models"].as_array().unwrap().clone();
        all.iter().map(|one| (one["model"].to_string(), one["window"].as_u64())).collect::<Vec<_>>()
    };
    let (told, own) = (("\"big/told\"".to_owned(), Some(7000)), ("\"big/own\"".to_owned(), Some(9000)));
    assert_eq!(windows(&World::new().configured(&at(&server.base_url()))), [told.clone(), own.clone()]);
    let gone = at(&server.base_url());
    drop(server);
    assert_eq!(windows(&World::new().configured(&gone)), [own, told], "nobody answers");
}

#[test]
fn whoever_has_no_key_is_offered_the_server_that_answers() {
    let gone = ModelServer::start(Vec::new());
    let server = ModelServer::start(Vec::new())
        .page("/v1/models", json!({ "data": [{ "id": "small" }, { "id": "large" }] }));
    let at =
        |name: &str, one: &ModelServer| format!("[providers.{name}]\nbase_url = \"{}\"\n", one.base_url());
    let places =
        ["llamacpp", "vllm", "lmstudio"].map(|name| at(name, &gone)).concat() + &at("ollama", &server);
    drop(gone);
    let world = World::new().configured(&places);
    let ran = world.exec(&["list"]);
    let offer = "note: A server (ollama) is running on this machine: start with -m ollama/small (or \
        large).\n";
    assert!(ran.code == 0 && ran.err.ends_with(offer), "{}", ran.err);
    for named in [world.exec(&["-m", "rehearsal", "list"]), world.with("GROQ_API_KEY", "k").exec(&["list"])] {
        assert!(!named.err.contains("is running on this machine"), "{}", named.err);
    }
    assert_eq!(server.visits().len(), 1, "whoever chose, or has a key, is not kept waiting");
}
