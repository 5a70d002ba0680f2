//! The codecs against streams: recorded ones beside the repository, golden ones in it, each cut in every way.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::answer::{Answer, lines};
use crate::support::{fixture, history, hosted, read_all_ways};
use countersign::model::{Effort, FailureClass, Request};
use countersign::wire::{Endpoint, Protocol, Secret, http_failure, sse};
use serde_json::{Value, json};

const PROTOCOLS: [(&str, Protocol); 3] = [
    ("anthropic", Protocol::Anthropic),
    ("openai-chat", Protocol::OpenAiChat),
    ("openai-responses", Protocol::OpenAiResponses),
];

/// Bytes, and the names and data of the events in them.
type StreamCase = (&'static [u8], &'static [(&'static str, &'static str)]);

fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|f| endings.iter().any(|ending| f.to_string_lossy().ends_with(ending)));
    files.sort();
    assert!(!files.is_empty(), "nothing to test in {}", folder.display());
    files
}

fn golden(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/wire")).join(name)
}

/// Compares with a golden file; with COUNTERSIGN_UPDATE_GOLDEN set it is written instead, to be read by a person.
fn hold_to(path: &Path, actual: &str) {
    if std::env::var_os("COUNTERSIGN_UPDATE_GOLDEN").is_some() {
        std::fs::write(path, actual).unwrap();
    }
    let wanted = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(actual, wanted, "{}", path.display());
}

#[test]
fn recorded_streams_say_what_their_notes_expect() {
    let Some(folder) = fixture::folder() else { return };
    for (name, protocol) in PROTOCOLS {
        for file in files(&folder.join(name), &[".sse"]) {
            let shown = file.to_string_lossy();
            let news = read_all_ways(protocol, &std::fs::read(&file).unwrap(), &shown);
            let notes = std::fs::read(file.with_extension("expected.json")).unwrap();
            let notes: Value = serde_json::from_slice(&notes).unwrap();
            fixture::compare(&Answer::of(&news), &notes, &shown);
            if protocol != Protocol::OpenAiChat {
                hosted::compare_order(hosted::events(news), &notes, &shown);
            }
        }
    }
}

/// What this very program does where `COUNTERSIGN_FIXTURES` names nothing.
#[test]
fn a_clone_without_recordings_passes_and_says_so() {
    let run = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "wire::recorded_streams_say_what_their_notes_expect"])
        .env("COUNTERSIGN_FIXTURES", "/nonexistent/streams")
        .env_remove("CI")
        .output()
        .unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    let wanted = "recorded streams not found at /nonexistent/streams; set COUNTERSIGN_FIXTURES; running the golden \
                  streams alone\n";
    assert!(run.status.success() && said.contains(wanted), "{said}");
}

/// What the checks of a merge do there. They look first, so nothing is built.
#[cfg(unix)]
#[test]
fn without_recordings_the_checks_fail_and_say_why() {
    let checks = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.ci/run"));
    let run = std::process::Command::new(checks)
        .env("COUNTERSIGN_FIXTURES", "/nonexistent/streams")
        // No cargo is there, in case they do not look.
        .env("PATH", "/usr/bin:/bin")
        .env("CARGO_HOME", "/nonexistent")
        .output()
        .unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(
        !run.status.success() && said.contains("the recorded streams are missing: /nonexistent"),
        "{said}"
    );
}

#[test]
fn golden_streams_say_the_same_however_they_are_cut() {
    for (name, protocol) in PROTOCOLS {
        let mut seen = BTreeSet::new();
        for file in files(&golden(name), &[".sse", ".json", ".html"]) {
            assert!(seen.insert(file.with_extension("news")), "two streams share a name: {}", file.display());
            let bytes = std::fs::read(&file).unwrap();
            let news = read_all_ways(protocol, &bytes, &file.to_string_lossy());
            for at in 0..bytes.len() {
                let mut first = Some(at);
                let cut = crate::support::read(protocol, &bytes, || first.take().unwrap_or(usize::MAX));
                assert_eq!(cut, news, "{} cut at {at}", file.display());
            }
            hold_to(&file.with_extension("news"), &lines(&news));
        }
    }
}

#[test]
fn recorded_errors_have_the_class_and_the_action_that_their_notes_expect() {
    let Some(folder) = fixture::folder() else { return };
    let errors: Value = serde_json::from_slice(&std::fs::read(folder.join("errors.json")).unwrap()).unwrap();
    assert_eq!(errors["errors"].as_array().unwrap().len(), 55);
    for error in errors["errors"].as_array().unwrap() {
        let headers = error["headers"].as_object().unwrap();
        let headers: Vec<_> =
            headers.iter().map(|(n, v)| (n.clone(), v.as_str().unwrap().to_owned())).collect();
        let status = u16::try_from(error["status"].as_u64().unwrap()).unwrap();
        let failure = http_failure(status, &headers, error["body"].as_str().unwrap().as_bytes());
        let fits = match error["class"].as_str().unwrap() {
            "auth" => failure.class == FailureClass::Auth,
            "context_overflow" => failure.class == FailureClass::Overflow,
            "history_unpaired" => failure.class == FailureClass::Pairing,
            "model_not_found" => failure.class == FailureClass::UnknownModel,
            "quota" => failure.class == FailureClass::Quota,
            "rate_limit" | "overloaded" | "server_error" => failure.class == FailureClass::Transient,
            "model_output_rejected" => failure.class == FailureClass::OutputRejected,
            "reasoning_replay" => failure.class == FailureClass::ReplayRefused,
            "tools_unsupported" => failure.class == FailureClass::NoTools,
            "max_output_too_large" => {
                matches!(failure.class, FailureClass::OutputLimit { most: 16_384 | 64_000 })
            }
            "invalid_request" | "request_too_large" => failure.class == FailureClass::BadRequest,
            other => panic!("unknown class {other}"),
        };
        assert!(fits, "{failure:?} for {error}");
        assert_eq!(failure.class.action().as_str(), error["action"], "{failure:?} for {error}");
        assert!(!failure.message.contains('\n') && !failure.next_step().is_empty(), "{failure:?}");
        let told = [("retry-after", 1000), ("retry-after-ms", 1)]
            .iter()
            .find_map(|(name, unit)| Some(error["headers"][name].as_str()?.parse::<u64>().unwrap() * unit));
        assert!(told.is_none() || failure.retry_after_ms == told, "{failure:?} for {error}");
    }
}

#[test]
fn requests_are_what_the_golden_files_say() {
    for (case, request) in history::cases() {
        for (name, protocol) in PROTOCOLS {
            let endpoint = Endpoint::new("http://127.0.0.1:1", Some(Secret::new("sk-never-in-a-body")));
            let call = protocol.encode(&request, &endpoint);
            let body: Value = serde_json::from_slice(&call.body).unwrap();
            let shown = serde_json::to_string_pretty(&body).unwrap() + "\n";
            assert!(!shown.contains("sk-never"), "the key is in a body");
            hold_to(&golden("requests").join(format!("{case}.{name}.json")), &shown);
        }
    }
}

#[test]
fn a_longer_history_begins_like_the_shorter_one() {
    let (_, request) = history::cases().into_iter().next().unwrap();
    let messages = |protocol: Protocol, count: usize| {
        let request = Request { messages: request.messages[..count].to_vec(), ..request.clone() };
        let body = protocol.encode(&request, &Endpoint::new("http://x", None)).body;
        let mut body: Value = serde_json::from_slice(&body).unwrap();
        // Breakpoints move along with the end; they are no part of what is cached.
        let name = if body.get("input").is_some() { "input" } else { "messages" };
        let messages = body[name].as_array_mut().unwrap();
        for block in messages.iter_mut().filter_map(|m| m["content"].as_array_mut()).flatten() {
            block.as_object_mut().unwrap().remove("cache_control");
        }
        messages.clone()
    };
    for (_, protocol) in PROTOCOLS {
        let whole = messages(protocol, request.messages.len());
        for count in 1..request.messages.len() {
            let shorter = messages(protocol, count);
            // The last message may still grow: results and the words after them are one message there.
            let settled = shorter.len().saturating_sub(1);
            assert_eq!(shorter[..settled], whole[..settled], "{protocol:?}, {count} messages");
        }
    }
}

#[test]
fn effort_is_said_as_each_protocol_says_it() {
    let said = |protocol: Protocol, effort: Effort, adaptive: bool, max_output: u64| {
        let (_, request) = history::cases().into_iter().next().unwrap();
        let request = Request { effort: Some(effort), adaptive_thinking: adaptive, max_output, ..request };
        let body = protocol.encode(&request, &Endpoint::new("http://x", None)).body;
        serde_json::from_slice::<Value>(&body).unwrap()
    };
    for level in Effort::ALL.iter().copied() {
        let name = level.as_str();
        assert_eq!(said(Protocol::OpenAiChat, level, true, 99)["reasoning_effort"], name);
        let responses = &said(Protocol::OpenAiResponses, level, true, 99)["reasoning"];
        let summary = if level == Effort::None { Value::Null } else { json!("auto") };
        assert_eq!((&responses["effort"], &responses["summary"]), (&json!(name), &summary));
    }
    let anthropic = |level, adaptive, most| {
        let body = said(Protocol::Anthropic, level, adaptive, most);
        (body["thinking"].clone(), body["output_config"]["effort"].clone())
    };
    let adaptive = json!({ "type": "adaptive", "display": "summarized" });
    assert_eq!(anthropic(Effort::XHigh, true, 99), (adaptive, json!("xhigh")));
    assert_eq!(anthropic(Effort::Minimal, true, 99).1, "low");
    assert_eq!(anthropic(Effort::None, true, 99), (json!({ "type": "disabled" }), Value::Null));
    let tokens = |most| anthropic(Effort::High, false, most).0;
    assert_eq!(tokens(64_000), json!({ "type": "enabled", "budget_tokens": 16_384 }));
    assert_eq!(tokens(4_096), json!({ "type": "enabled", "budget_tokens": 2_048 }));
    assert_eq!(tokens(2_047), Value::Null, "less than the least that thinking takes");
}

#[test]
fn an_older_model_does_not_begin_to_think_amid_its_calls() {
    let thinking = |count: usize| {
        let (_, request) = history::cases().into_iter().next().unwrap();
        let messages = request.messages.iter().take(count).cloned().collect();
        let request = Request { effort: Some(Effort::Low), messages, ..request };
        let body = Protocol::Anthropic.encode(&request, &Endpoint::new("http://x", None)).body;
        serde_json::from_slice::<Value>(&body).unwrap()["thinking"]["type"].clone()
    };
    assert_eq!(thinking(1), "enabled");
    assert_eq!(thinking(3), "enabled", "the calls came after thinking");
    assert_eq!(thinking(8), Value::Null, "the call came without");
    assert_eq!(thinking(10), "enabled", "an answer ended the calls");
}

#[test]
fn base_urls_work_with_and_without_their_version() {
    let url = |protocol: Protocol, base: &str| {
        let request = history::cases().remove(0).1;
        protocol.encode(&request, &Endpoint::new(base, None)).url
    };
    for base in ["https://api.anthropic.com", "https://api.anthropic.com/", "https://api.anthropic.com/v1/"] {
        assert_eq!(url(Protocol::Anthropic, base), "https://api.anthropic.com/v1/messages");
    }
    for (base, wanted) in [
        ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
        (" http://localhost:11434/v1/ ", "http://localhost:11434/v1/chat/completions"),
        ("https://h/api/paas/v4", "https://h/api/paas/v4/chat/completions"),
        ("https://h/v1beta/openai/", "https://h/v1beta/openai/chat/completions"),
        ("https://h/openai/v1?api-version=2", "https://h/openai/v1/chat/completions?api-version=2"),
        ("https://h/v1/chat/completions", "https://h/v1/chat/completions"),
        ("https://v1.example.com", "https://v1.example.com/v1/chat/completions"),
    ] {
        assert_eq!(url(Protocol::OpenAiChat, base), wanted);
        let (base, wanted) =
            (base.trim_end_matches("/chat/completions"), wanted.replace("chat/completions", "responses"));
        assert_eq!(url(Protocol::OpenAiResponses, base), wanted);
    }
}

#[test]
fn secrets_stay_out_of_debug_texts_and_shown_urls() {
    let secret = "sk-abcdef123456";
    let mut endpoint =
        Endpoint::new(format!("https://me:{secret}@h/v1?key={secret}"), Some(Secret::new(secret)));
    endpoint.headers.push(("X-Extra".to_owned(), Secret::new(secret)));
    for (_, protocol) in PROTOCOLS {
        let call = protocol.encode(&history::cases().remove(0).1, &endpoint);
        assert!(call.headers.iter().any(|(_, value)| value.expose().contains(secret)));
        assert!(!format!("{call:?} {:?}", endpoint.key).contains(secret));
    }
    assert_eq!(endpoint.shown_url(), "https://h/v1");
    assert!(!format!("{endpoint:?}").contains(secret), "{endpoint:?}");
}

#[test]
fn the_event_stream_is_read_as_the_standard_says() {
    let cases: &[StreamCase] = &[
        (b"\xEF\xBB\xBFdata: a\n\n", &[("", "a")]),
        (b"\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\n", &[]),
        (b"data:a\ndata:  b\ndata\n\n\n\n", &[("", "a\n b\n")]),
        (b"event: x\r\ndata: a\r\n\r\ndata: b\r\rdata: c\n\r\n", &[("x", "a"), ("", "b"), ("", "c")]),
        (b": comment\nid: 7\nretry: 1\nfoo: bar\nDATA: a\n\n", &[]),
        (b"event: lost\n\ndata: a\n\n", &[("", "a")]),
        (b"data: a:b: c\n\n", &[("", "a:b: c")]),
        ("data: Grüße 👋\n\n".as_bytes(), &[("", "Grüße 👋")]),
        (b"data: \xff\n\n", &[("", "\u{fffd}")]),
        (b"data: a\n\ndata: b", &[("", "a")]),
        (b"data: a\n\ndata: b\n", &[("", "a"), ("", "b")]),
        (b"data: a\ndata: [DONE]", &[]),
        (b"data: a\n\ndata: [DONE]", &[("", "a"), ("", "[DONE]")]),
        (b"data: [DON", &[]),
    ];
    for (bytes, wanted) in cases {
        for size in [1, 2, 3, usize::MAX] {
            let mut decoder = sse::SseDecoder::default();
            let mut events = Vec::new();
            for piece in bytes.chunks(size) {
                decoder.push(piece, &mut events).unwrap();
            }
            events.extend(decoder.finish());
            let read: Vec<_> = events.iter().map(|e| (e.name.as_str(), e.data.as_str())).collect();
            assert_eq!(read, *wanted, "{:?} in pieces of {size}", String::from_utf8_lossy(bytes));
        }
    }
}

#[test]
fn an_event_has_a_largest_size() {
    let mut decoder = sse::SseDecoder::with_limit(1000);
    let mut events = Vec::new();
    assert_eq!(decoder.push(b"data: small\n\n", &mut events), Ok(()));
    let refused = decoder.push(&[b'x'; 1001], &mut events);
    assert_eq!(refused, Err(sse::EventTooLarge { limit: 1000 }));
    assert_eq!(decoder.push(b"\n\ndata: later\n\n", &mut events), refused, "it stays refused");
    assert_eq!(events.len(), 1);
    // Many short lines of one event count together.
    let mut decoder = sse::SseDecoder::with_limit(1000);
    assert!((0..300).any(|_| decoder.push(b"data: abcdef\n", &mut events).is_err()));
}
