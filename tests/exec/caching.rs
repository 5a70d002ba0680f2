//! A long session hits the provider's cache: each request is the one before with more at its end, also after a resume.

use serde_json::{Value, json};

use crate::model_server::{Part, Reply};
use crate::servers::{ALL, RESPONSES, accepted};

/// Tools, system and blocks in the order of the cache, without its marks.
fn flat(body: &Value) -> Vec<String> {
    let mut flat = ["tools", "system", "instructions"].map(|name| body[name].to_string()).to_vec();
    for message in body.get("messages").or(body.get("input")).and_then(Value::as_array).unwrap() {
        match message["content"].as_array() {
            Some(blocks) => {
                flat.extend(blocks.iter().map(|block| json!([message["role"], block]).to_string()))
            }
            None => flat.push(message.to_string()),
        }
    }
    let mark = json!({ "cache_control": { "type": "ephemeral" } }).to_string();
    let mark = format!(",{}", mark.trim_matches(['{', '}'])) + "}";
    flat.into_iter().map(|block| block.replace(&mark, "")).collect()
}

#[test]
fn each_request_begins_with_the_one_before() {
    for speech in ALL {
        let look = |path: &str| {
            let thinks = Part::Thinking(format!("I need {path}."));
            Reply::Stream(vec![thinks, Part::call("same", "read", &json!({ "path": path }))])
        };
        let mut replies = vec![look("one.txt"), look("two.txt"), look("none.txt"), Reply::text("Read.")];
        replies.extend([look("two.txt"), Reply::text("Again."), Reply::text("Bye.")]);
        let (server, world) = speech.serve(replies);
        for (words, resumed) in [("read all", false), ("once more", true), ("thanks", true)] {
            let last: &[&str] = if resumed { &["--last", words] } else { &[words] };
            let ran = world.exec(last);
            assert_eq!(ran.code, 0, "{speech:?}: {}", ran.err);
        }
        let sent: Vec<Vec<String>> = accepted(&server).iter().map(flat).collect();
        assert_eq!(sent.len(), 7);
        for pair in sent.windows(2) {
            assert!(pair[0].len() < pair[1].len(), "{speech:?}");
            assert!(!pair[0].concat().contains("ephemeral"), "marks are left out");
            assert_eq!(pair[0][..], pair[1][..pair[0].len()], "{speech:?}");
        }
    }
}

#[test]
fn what_changes_stands_in_a_message_and_not_in_what_is_frozen() {
    for speech in ALL {
        let (server, world) = speech.serve(vec![Reply::text("Hello.")]);
        assert_eq!(world.exec(&["hi"]).code, 0, "{speech:?}");
        let sent = flat(&accepted(&server)[0]);
        let of_user = |block: &String| block.starts_with("[\"user\"") || block.contains("\"role\":\"user\"");
        let (said, frozen): (Vec<String>, Vec<String>) = sent.into_iter().partition(of_user);
        let folder = format!("Folder: {}", world.work().display());
        for fact in ["Date: ", &folder, "Git branch: "] {
            assert!(said.concat().contains(fact), "{speech:?}: {fact} in {said:?}");
            assert!(!frozen.concat().contains(fact), "{speech:?}: {fact}");
        }
    }
}

#[test]
fn a_conversation_has_one_cache_key_over_its_resumes_and_a_fork_has_its_own() {
    let (server, world) = RESPONSES.serve((0..5).map(|_| Reply::text("Yes.")).collect());
    for words in [&["first"][..], &["--last", "again"]] {
        let ran = world.exec(words);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    let forked = world.sessions_cli(&["fork", "--last"]);
    assert_eq!(forked.code, 0, "{}", forked.err);
    for words in [&["--last", "as the fork"][..], &["--last", "and on"], &["anew"]] {
        let ran = world.exec(words);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    let sent = accepted(&server);
    let keys: Vec<&str> = sent.iter().map(|body| body["prompt_cache_key"].as_str().unwrap()).collect();
    assert_eq!(keys.len(), 5);
    assert_eq!((keys[0], keys[2]), (keys[1], keys[3]), "each session keeps its own");
    assert!(keys[0] != keys[2] && keys[0] != keys[4] && keys[2] != keys[4], "{keys:?}");
    assert!(forked.out.starts_with(keys[2]), "{} {}", keys[2], forked.out);
}
