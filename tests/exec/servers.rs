//! Whole runs against a strict model server, in every protocol: it refuses a malformed history as providers do.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::model_server::{ModelServer, Part, Recorded, Reply, gate};
use crate::world::{World, text};

pub(crate) const KEY: &str = "sk-very-secret-1234567890";

/// How a protocol is reached.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Speech {
    pub(crate) model: &'static str,
    pub(crate) key: &'static str,
    pub(crate) url: &'static str,
    /// Its word for a message that was cut by the output limit.
    pub(crate) length: &'static str,
}

pub(crate) const ANTHROPIC: Speech = Speech {
    model: "anthropic/tested",
    key: "ANTHROPIC_API_KEY",
    url: "ANTHROPIC_BASE_URL",
    length: "max_tokens",
};
pub(crate) const OPENAI: Speech =
    Speech { model: "openai-chat/tested", key: "OPENAI_API_KEY", url: "OPENAI_BASE_URL", length: "length" };
pub(crate) const RESPONSES: Speech = Speech {
    model: "openai/tested",
    key: "OPENAI_API_KEY",
    url: "OPENAI_BASE_URL",
    length: "max_output_tokens",
};
pub(crate) const ALL: [Speech; 3] = [ANTHROPIC, OPENAI, RESPONSES];

impl Speech {
    /// A server that demands the key, and a world that knows it.
    pub(crate) fn serve(&self, replies: Vec<Reply>) -> (ModelServer, World) {
        let server = ModelServer::start_with_key(replies, Some(KEY));
        let world = World::new().with("COUNTERSIGN_MODEL", self.model);
        let world = world.with(self.key, KEY).with(self.url, &server.base_url());
        (server, world)
    }
}

/// What was sent, after a look at the server: every request was accepted and every reply used.
pub(crate) fn accepted(server: &ModelServer) -> Vec<Value> {
    let requests = server.requests();
    for Recorded { status, body, .. } in &requests {
        assert_ne!(*status, 400, "refused: {body:#}");
    }
    assert_eq!(server.left(), 0, "not all replies were asked for");
    requests.into_iter().map(|request| request.body).collect()
}

#[test]
fn a_long_turn() {
    for speech in ALL {
        let (server, world) = speech.serve(vec![
            Reply::Stream(vec![
                Part::Thinking("Two files.".to_owned()),
                Part::text("I look."),
                Part::call("call_1", "read", &json!({ "path": "one.txt" })),
                Part::call("call_2", "read", &json!({ "path": "two.txt" })),
                Part::call("call_3", "search", &json!({ "pattern": "line" })),
                Part::Usage(1200, 40),
            ]),
            Reply::Stream(vec![
                Part::call("call_1", "shell", &json!({ "command": "rm one.txt" })),
                Part::call("call_5", "read", &json!({ "pfad": "one.txt" })),
                Part::call("odd id!", "dance", &json!({ "with": "me" })),
                Part::Call {
                    id: "call_7".to_owned(),
                    name: "read".to_owned(),
                    arguments: "{\"path\": ".to_owned(),
                },
                Part::Call { id: String::new(), name: "list".to_owned(), arguments: String::new() },
            ]),
            Reply::text("All looked at."),
        ]);
        let ran = world.json(&["look"]);
        assert_eq!(
            (ran.code, ran.err.as_str()),
            (
                4,
                "denied by policy: shell $ rm one.txt (no rule covers it; no user is available to approve it)\n"
            ),
            "{speech:?}: {}",
            ran.out
        );
        let wanted = ["ok", "ok", "ok", "denied", "invalid", "unknown_tool", "invalid", "ok"];
        assert_eq!(ran.outcomes(), wanted, "{speech:?}");
        let sent = accepted(&server);
        assert_eq!(sent.len(), 3);
        let last = sent[2].to_string();
        for words in ["first line", "another file", "I look.", "dance", "Denied", "look"] {
            assert!(last.contains(words), "{speech:?}: {words} in {last}");
        }
        assert!(sent.iter().all(|body| body["model"] == "tested" && body["stream"] == true));
        assert_eq!(
            (&sent[0]["tools"], &sent[0]["system"], &sent[0]["instructions"]),
            (&sent[2]["tools"], &sent[2]["system"], &sent[2]["instructions"]),
            "frozen"
        );
        let usage = &ran.all("agent_response")[0]["usage"];
        assert_eq!((&usage["input"], &usage["output"]), (&json!(1200), &json!(40)));
        assert_eq!(ran.all("agent_response")[0]["model"], speech.model);
        assert!(!ran.all("thinking_delta").is_empty());
    }
}

#[test]
fn the_base_url_with_and_without_v1() {
    for speech in ALL {
        for end in ["", "/", "/v1", "/v1/"] {
            let server = ModelServer::start(vec![Reply::text("Hello.")]);
            let url = server.base_url() + end;
            let ran =
                World::new().with(speech.key, KEY).with(speech.url, &url).exec(&["-m", speech.model, "hi"]);
            assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "Hello.\n", ""), "{url}");
            accepted(&server);
        }
    }
}

#[test]
fn a_message_that_was_cut_is_not_acted_on() {
    for speech in ALL {
        let (server, world) = speech.serve(vec![
            Reply::Stream(vec![
                Part::call("a", "write", &json!({ "path": "cut.txt", "content": "half of it" })),
                Part::Stop(speech.length.to_owned()),
            ]),
            Reply::text("I try again in parts."),
        ]);
        let ran = world.json(&["--mode", "unrestricted", "write"]);
        assert_eq!((ran.code, ran.outcomes()), (0, vec!["failed".to_owned()]), "{speech:?}: {}", ran.out);
        assert!(!world.work().join("cut.txt").exists());
        assert!(text(&ran.one("tool_result"), "content").contains("was not run"));
        assert_eq!(ran.all("agent_response")[0]["stop_reason"], "length");
        accepted(&server);
    }
}

#[test]
fn trouble_on_the_way_is_retried() {
    for speech in ALL {
        let soon = |reply: Reply| reply.header("retry-after-ms", "5");
        let (server, world) = speech.serve(vec![
            soon(Reply::error(500, "api_error", "Internal trouble")),
            soon(Reply::error(429, "rate_limit_error", "Slow down")),
            Reply::Stream(vec![
                Part::text("WITHDRAWN"),
                Part::call("a", "write", &json!({ "path": "never.txt", "content": "x" })),
                Part::Error("overloaded_error".to_owned(), "Overloaded, try again in 5ms".to_owned()),
            ]),
            Reply::text("Whole."),
        ]);
        let ran = world.json(&["--mode", "unrestricted", "hi"]);
        assert_eq!((ran.code, ran.ended()["text"].clone()), (0, json!("Whole.")), "{speech:?}: {}", ran.out);
        let delta = &ran.all("text_delta")[0];
        let stone = ran.one("tombstone");
        assert_eq!((&delta["text"], &stone["target"]), (&json!("WITHDRAWN"), &delta["message"]));
        assert!(text(&stone, "reason").contains("Overloaded"), "{stone}");
        assert!(ran.all("tool_call").is_empty() && !world.work().join("never.txt").exists());
        let reasons: Vec<_> =
            ran.all("transition").iter().map(|t| (t["turn"].clone(), text(t, "reason"))).collect();
        assert_eq!(reasons[1..], vec![(json!(1), "transient_retry".to_owned()); 3]);
        assert_eq!(ran.ended()["turns"], 1, "a retry is not a turn");
        let sent = accepted(&server);
        assert_eq!(sent.len(), 4);
        assert_eq!(sent[3], sent[0], "the same request again, without a trace of what failed");
        let more = ModelServer::start(vec![Reply::text("Yes.")]);
        let world = world.with(speech.url, &more.base_url());
        assert_eq!(world.json(&["--last", "and now?"]).code, 0);
        assert!(!accepted(&more)[0].to_string().contains("WITHDRAWN"));
    }
}

#[test]
fn retries_have_an_end() {
    for speech in ALL {
        let failing = || Reply::error(503, "api_error", "Down for today").header("retry-after-ms", "1");
        let (server, world) = speech.serve(vec![failing(), failing(), failing()]);
        let ran = world.json(&["-c", "budget.max_retries_per_model_call=2", "hi"]);
        assert_eq!((ran.code, ran.reason().as_str()), (1, "model_error"));
        let line = ran.complaint();
        assert!(line.contains("Down for today") && line.contains("2 retries"), "{line}");
        accepted(&server);
    }
}

#[test]
fn a_server_that_does_not_stream() {
    for speech in ALL {
        let (server, world) = speech.serve(vec![
            Reply::Whole(vec![
                Part::text("Let me see."),
                Part::call("a", "read", &json!({ "path": "two.txt" })),
            ]),
            Reply::Whole(vec![Part::text("Seen.")]),
        ]);
        let ran = world.json(&["hi"]);
        assert_eq!((ran.code, ran.outcomes()), (0, vec!["ok".to_owned()]), "{speech:?}: {}", ran.out);
        accepted(&server);
    }
}

#[test]
fn a_connection_that_breaks_is_made_again() {
    for (speech, end) in [(ANTHROPIC, Part::Cut), (OPENAI, Part::End), (RESPONSES, Part::End)] {
        let half = Reply::Stream(vec![Part::text("half"), end]);
        let (server, world) = speech.serve(vec![half, Reply::text("Whole.")]);
        let ran = world.json(&["hi"]);
        assert_eq!((ran.code, ran.ended()["text"].clone()), (0, json!("Whole.")), "{speech:?}: {}", ran.out);
        assert_eq!(ran.all("tombstone").len(), 1);
        let sent = accepted(&server);
        assert_eq!(sent[1], sent[0]);
    }
}

#[test]
fn the_output_limit_is_what_the_budget_leaves() {
    for speech in ALL {
        let look =
            |tokens: u64| Reply::Stream(vec![Part::call("a", "list", &json!({})), Part::Usage(10, tokens)]);
        let (server, world) = speech.serve(vec![look(30), look(60)]);
        let ran = world.json(&["--max-output-tokens", "90", "go"]);
        assert_eq!((ran.code, ran.reason().as_str()), (3, "max_output_tokens"));
        let limits: Vec<Option<u64>> = accepted(&server)
            .iter()
            .map(|body| {
                let names = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
                names.iter().find_map(|name| body[name].as_u64())
            })
            .collect();
        assert_eq!(limits, [Some(90), Some(60)], "{speech:?}");
    }
}

#[test]
fn effort_is_asked_for_with_every_request_of_the_conversation() {
    for speech in ALL {
        let look = Reply::Stream(vec![Part::Thinking("Hm.".to_owned()), Part::call("a", "list", &json!({}))]);
        let (server, world) = speech.serve(vec![look, Reply::text("Seen."), Reply::text("Again.")]);
        assert_eq!(world.json(&["--effort", "high", "go"]).code, 0, "{speech:?}");
        assert_eq!(world.json(&["--last", "-c", "effort=low", "and now?"]).code, 0, "{speech:?}");
        let sent = accepted(&server);
        let paths = ["/output_config/effort", "/reasoning_effort", "/reasoning/effort"];
        let effort =
            |body: &Value| paths.iter().find_map(|path| body.pointer(path)).cloned().unwrap_or_default();
        assert_eq!(sent.iter().map(effort).collect::<Vec<_>>(), ["high", "high", "low"], "{speech:?}");
    }
}

#[test]
fn an_effort_from_a_file_is_lowered_to_what_the_model_takes() {
    for (reasons, said, sent) in
        [("true", "`high` is used instead", json!("high")), ("false", "does not reason", json!(null))]
    {
        let (server, world) = RESPONSES.serve(vec![Reply::text("Yes.")]);
        let text = format!("effort = 'max'\n[models.'openai/tested']\nreasoning = {reasons}\n");
        let ran = world.configured(&text).exec(&["hi"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.err.contains(said) && ran.err.contains("config.toml:1"), "{}", ran.err);
        assert_eq!(accepted(&server)[0]["reasoning"]["effort"], sent);
    }
}

#[test]
fn cost_has_a_price_or_is_refused() {
    for speech in ALL {
        let (server, world) = speech.serve(vec![Reply::Stream(vec![
            Part::call("a", "list", &json!({})),
            Part::Usage(100_000, 1000),
        ])]);
        let line = world.refused(&["--max-cost", "0.1", "hi"]);
        assert!(line.contains(speech.model) && line.contains("usd_in"), "{line}");
        let price = [("usd_in", "3"), ("usd_out", "15")]
            .map(|(key, usd)| format!("models.\"{}\".{key}={usd}", speech.model));
        let ran = world.json(&["-c", &price[0], "-c", &price[1], "--max-cost", "0.1", "hi"]);
        assert_eq!((ran.code, ran.reason().as_str()), (3, "max_cost"), "{speech:?}");
        assert_eq!(ran.ended()["cost_usd"], json!(0.315));
        assert_eq!(accepted(&server).len(), 1);
    }
}

#[test]
fn a_server_sees_at_once_that_an_answer_was_interrupted() {
    for speech in ALL {
        let (wait, opener) = gate();
        let (server, world) =
            speech.serve(vec![Reply::Stream(vec![Part::text("Hel"), wait, Part::text("lo")])]);
        let mut run = world.begin(&["--json", "go"]);
        run.until(|event| event["type"] == "text_delta");
        run.signal(Signal::INT);
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(server.closed(1));
        let ran = run.finish();
        assert_eq!((ran.code, ran.reason().as_str()), (130, "aborted_streaming"), "{speech:?}");
        drop(opener);
    }
}

/// To a proxy the whole address is said. Here the server stands for one, and knows no such path.
#[test]
fn calls_go_through_the_proxy_of_the_configuration() {
    let server = ModelServer::start(Vec::new());
    let world = World::new().with("COUNTERSIGN_MODEL", ANTHROPIC.model).with(ANTHROPIC.key, KEY);
    let world = world.with(ANTHROPIC.url, "http://model.test");
    let ran = world.exec(&["-c", &format!("network.proxy={}", server.base_url()), "go"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert_eq!(server.requests()[0].path, "http://model.test/v1/messages");
}

#[test]
fn a_model_whose_limit_was_learned_is_asked_for_less() {
    let refusal = "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for tested";
    let (server, world) = ANTHROPIC.serve(vec![
        Reply::error(400, "invalid_request_error", refusal),
        Reply::text("Hello."),
        Reply::text("Again."),
    ]);
    assert_eq!(world.exec(&["go"]).code, 0);
    assert_eq!(world.exec(&["--last", "on"]).code, 0);
    let asked: Vec<u64> = server.requests().iter().map(|r| r.body["max_tokens"].as_u64().unwrap()).collect();
    assert_eq!(asked, [8192, 4096, 4096]);
}

/// The signature of a thinking block that a provider no longer accepts: the block goes, the rest stays.
#[test]
fn a_history_whose_reasoning_is_refused_is_sent_without_it() {
    let refusal = "messages.1.content.0: Invalid `signature` in `thinking` block";
    let (server, world) = ANTHROPIC.serve(vec![
        Reply::Stream(vec![Part::Thinking("Hm.".to_owned()), Part::text("Hello.")]),
        Reply::error(400, "invalid_request_error", refusal),
        Reply::text("Again."),
    ]);
    assert_eq!(world.exec(&["go"]).code, 0);
    assert_eq!(world.exec(&["--last", "on"]).code, 0);
    let thinks: Vec<bool> =
        server.requests().iter().map(|r| r.body["messages"].to_string().contains("Hm.")).collect();
    assert_eq!(thinks, [false, true, false]);
}

#[test]
fn a_current_model_is_asked_to_think_and_to_show_it_unless_a_person_says_no() {
    let shown = json!({ "type": "adaptive", "display": "summarized" });
    for (model, words, thinking, most) in [
        ("anthropic/claude-opus-5-5", &[][..], shown.clone(), 32_768),
        ("anthropic/claude-sonnet-5-5", &["--effort", "max"], shown, 128_000),
        ("anthropic/claude-haiku-5-5", &["--effort", "none"], json!({ "type": "disabled" }), 32_768),
        ("anthropic/claude-haiku-4-5", &[], json!(null), 32_768),
        ("anthropic/nobody-knows-it", &[], json!(null), 8_192),
    ] {
        let look = Reply::Stream(vec![Part::Thinking("Hm.".to_owned()), Part::call("a", "list", &json!({}))]);
        let (server, world) = Speech { model, ..ANTHROPIC }.serve(vec![look, Reply::text("Seen.")]);
        let ran = world.json(&[words, &["go"]].concat());
        assert_eq!(ran.code, 0, "{model}: {}", ran.err);
        for body in accepted(&server) {
            assert_eq!((&body["thinking"], &body["max_tokens"]), (&thinking, &json!(most)), "{model}");
        }
        assert!(ran.out.contains("thinking_delta") && ran.out.contains("Hm."), "{}", ran.out);
    }
}
