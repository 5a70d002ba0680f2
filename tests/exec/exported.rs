//! Documents made of a session: what is left out is gone everywhere, and what is left can still be proved.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::sealed::{allowed, key, seal, verify};
use crate::steered::Steered;
use crate::world::{Ran, World, script};

const SECRET: &str = "the launch code is 0000-1111";

/// A session in which a command is run, whose result repeats a word of the question.
fn world() -> World {
    let world = World::new();
    let script = format!(
        r#"[{{"text":"I look.","tool_calls":[{{"name":"shell","arguments":{{"command":"echo '{SECRET}'"}}}}]}},"It said: {SECRET}."]"#
    );
    let ran =
        world.json(&["--mode", "unrestricted", "--script", &script, "find <b>it</b> & tell \u{202e}me"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    world
}

fn export(world: &World, words: &[&str]) -> Ran {
    let mut all = vec!["export", "--last"];
    all.extend(words);
    world.sessions_cli(&all)
}

fn kept(world: &World, name: &str, text: &str) -> PathBuf {
    let file = world.place().join(name);
    fs::write(&file, text).unwrap();
    file
}

fn check(world: &World, file: &Path) -> Ran {
    world.sessions_cli(&["check", file.to_str().unwrap()])
}

#[test]
fn what_is_left_out_is_gone_everywhere_and_the_chain_holds() {
    let world = world();
    let whole = world.session_text();
    for rules in [
        &["--redact", "results"][..],
        &["--redact", "text:LAUNCH code"],
        &["--redact", "results,arguments"],
        &["--redact", "all"],
    ] {
        let mut words = vec!["--format", "jsonl"];
        words.extend(rules);
        let ran = export(&world, &words);
        assert_eq!(ran.code, 0, "{rules:?}: {ran:?}");
        assert!(!ran.out.contains("launch code") && !ran.out.contains("0000-1111"), "{rules:?}: {}", ran.out);
        assert!(ran.err.contains("left out: "), "{rules:?}: {}", ran.err);
        assert_eq!(ran.out.lines().count(), whole.lines().count());
        let file = kept(&world, "part.jsonl", &ran.out);
        let checked = check(&world, &file);
        assert!(
            checked.code == 0 && checked.out.contains("their hashes are in the chain"),
            "{rules:?}: {checked:?}"
        );
        let shown = world.sessions_cli(&["show", file.to_str().unwrap()]);
        assert!(shown.code == 0 && shown.out.contains("(left out)"), "{rules:?}: {shown:?}");
        // It can be looked at as every other session can.
        let cast = world.place().join("cast");
        let words = ["replay", file.to_str().unwrap(), "--record", cast.to_str().unwrap()];
        let played = world.program().args(words).output().unwrap();
        assert!(played.status.success(), "{rules:?}: {played:?}");
        let cast_text = fs::read_to_string(&cast).unwrap();
        assert!(cast_text.contains("left out"), "{rules:?}");
        fs::remove_file(&cast).unwrap();
        // It is a document, and no session.
        for verb in ["import", "fork"] {
            let ran = world.sessions_cli(&[verb, file.to_str().unwrap()]);
            assert!(ran.code != 0 && ran.err.contains("left out of this file"), "{verb}: {ran:?}");
        }
    }
    assert_eq!(export(&world, &["--format", "jsonl"]).out, whole, "without rules it is the file");
    let no_rule = export(&world, &["--format", "jsonl", "--redact", "secrets"]);
    assert!(no_rule.code == 2 && no_rule.err.contains("`secrets` is not known here"), "{no_rule:?}");
    let folder = world.work().file_name().unwrap().to_str().unwrap().to_owned();
    let stays = export(&world, &["--format", "jsonl", "--redact", &format!("text:{folder}")]);
    assert!(stays.code == 1 && stays.out.is_empty() && stays.err.contains("is also in line 1"), "{stays:?}");
}

#[test]
fn an_entry_that_is_left_out_takes_along_what_repeats_it() {
    let world = world();
    let call = world.entries().into_iter().find(|entry| entry["type"] == "tool_call").unwrap();
    let ran = export(&world, &["--format", "jsonl", "--redact", call["entry"].as_str().unwrap()]);
    assert!(ran.code == 0 && !ran.out.contains("echo '"), "{}", ran.out);
    assert!(ran.out.contains("I look."), "{}", ran.out);
}

#[test]
fn a_part_is_verified_with_the_seal_of_the_whole() {
    let world = world();
    let Some(mine) = key(&world.place(), "key", "") else { return };
    assert_eq!(seal(&world, &mine).code, 0);
    let said = world.entries().into_iter().find(|entry| entry["type"] == "user_message").unwrap();
    let part = export(&world, &["--format", "jsonl", "--only", said["entry"].as_str().unwrap()]);
    assert!(part.out.contains("find <b>it</b>") && !part.out.contains("launch code"), "{}", part.out);
    let file = kept(&world, "part.jsonl", &part.out);
    let proved = verify(&world, &file, &allowed(&mine));
    assert!(proved.code == 0 && proved.out.contains("verified: all lines are sealed"), "{proved:?}");
    assert!(
        proved.out.contains("receipts: not checked for c1, of which something is left out"),
        "{proved:?}"
    );
    // Nothing that is there can be changed, and nothing can be put where something was left out.
    let other = part.out.replace("find <b>", "lose <b>");
    let filled = part.out.replacen("}\n{", ",\"salts\":{},\"content\":\"x\"}\n{", 1);
    for forged in [other, filled] {
        let file = kept(&world, "forged.jsonl", &forged);
        let ran = verify(&world, &file, &allowed(&mine));
        assert!(ran.code == 1 && ran.out.contains("not verified"), "{ran:?}");
    }
    let transcript = export(&world, &["--only", said["entry"].as_str().unwrap()]);
    assert!(transcript.out.contains("find") && !transcript.out.contains("shell"), "{}", transcript.out);
    let told = |text: &str| assert!(text.contains("this is not all of the session"), "{text}");
    told(&transcript.out);
    told(&export(&world, &["--format", "html", "--redact", "arguments"]).out);
    let without = export(&world, &["--redact", "arguments"]).out;
    assert!(!without.contains("0 tool calls") && without.contains("1 tool call"), "{without}");
    told(&without);
    assert!(without.contains("(left out)") && !without.contains("{}"), "{without}");
}

#[test]
fn a_key_of_the_environment_is_in_no_document() {
    let world = World::new().with("SOME_API_KEY", "sk-test-000111222333");
    let script =
        r#"[{"tool_calls":[{"name":"shell","arguments":{"command":"echo sk-test-000111222333"}}]},"Done."]"#;
    assert_eq!(world.json(&["--mode", "unrestricted", "--script", script, "go"]).code, 0);
    for format in ["markdown", "html", "json", "jsonl"] {
        let ran = export(&world, &["--format", format]);
        assert!(ran.code == 0 && ran.out.contains("Done."), "{format}: {ran:?}");
        assert!(!ran.out.contains("sk-test-000111222333"), "{format}: {}", ran.out);
    }
}

#[test]
fn a_page_has_no_markup_except_ours() {
    let world = world();
    let page = export(&world, &["--format", "html"]);
    assert_eq!(page.code, 0, "{}", page.err);
    assert!(page.out.contains("find &lt;b&gt;it&lt;/b&gt; &amp; tell"), "{}", page.out);
    assert!(!page.out.contains("<b>") && !page.out.contains('\u{202e}'), "{}", page.out);
    assert!(!page.out.contains("http://") && !page.out.contains("https://"), "it loads nothing");
    assert!(!page.out.contains("{{") && page.out.contains("allowed by the rules"), "{}", page.out);
    let count = |what: &str| page.out.matches(what).count();
    for (open, close) in [
        ("<article", "</article>"),
        ("<details", "</details>"),
        ("<section", "</section>"),
        ("<pre", "</pre>"),
    ] {
        assert_eq!(count(open), count(close), "{open}");
    }
    // What is for an import is whole.
    assert_eq!(export(&world, &["--json", "--redact", "results"]).code, 2);
    let json: Value = serde_json::from_str(&export(&world, &["--format", "json"]).out).unwrap();
    assert_eq!(json["events"][0]["type"], "session_started");
}

#[test]
fn an_attestation_says_who_decided_what_and_has_no_contents() {
    let world = world();
    let Some(mine) = key(&world.place(), "key", "") else { return };
    let path = mine.to_str().unwrap();
    let ran = export(&world, &["--format", "attestation", "--key", path]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let envelope: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(envelope["payloadType"], "application/vnd.in-toto+json");
    let folder = world.session_file().parent().unwrap().to_owned();
    let file = folder.join("attestation.json");
    fs::write(&file, &ran.out).unwrap();
    let signers = allowed(&mine);
    let good = verify(&world, &file, &signers);
    assert!(good.code == 0 && good.out.contains("is the file that it is about"), "{good:?}");
    assert!(
        good.out.contains("you@example.org signed it; it lists 1 call and the decisions about it"),
        "{good:?}"
    );
    // Of the payload: who decided, about what, and nothing that was said.
    let payload = verify_payload(&envelope);
    assert_eq!(payload["predicate"]["calls"][0]["decisions"][0]["by"], "policy");
    assert!(!payload.to_string().contains("launch"), "{payload}");
    // Somebody else's payload, and a session that went on.
    let forged = ran.out.replacen("\"sig\":\"", "\"sig\":\"AAAA", 1);
    fs::write(&file, forged).unwrap();
    assert_eq!(verify(&world, &file, &signers).code, 1);
    fs::write(&file, &ran.out).unwrap();
    assert_eq!(world.json(&["--last", "--script", r#"["More."]"#, "more"]).code, 0);
    let later = verify(&world, &file, &signers);
    assert!(later.code == 1 && later.out.contains("the session was continued since"), "{later:?}");
    let refused = export(&world, &["--format", "attestation", "--key", path, "--redact", "all"]);
    assert_eq!(refused.code, 2, "{refused:?}");
}

/// Whoever reads the document sees what the user gave away with the call.
#[test]
fn a_document_says_for_how_long_and_with_which_rule_a_call_was_allowed() {
    let world = world();
    let mut text = String::new();
    for mut entry in world.entries() {
        if entry["type"] == "approval" {
            assert_eq!(entry["by"], "policy");
            (entry["by"], entry["decision"]) = ("user".into(), "sandbox".into());
            (entry["scope"], entry["rule"]) = ("session".into(), "shell(echo *)".into());
        }
        text += &format!("{entry}\n");
    }
    let file = kept(&world, "signed.jsonl", &crate::forged::rechained(&text));
    for (format, words) in [
        (
            "html",
            "<h3 class=\"good\">allowed by the user for the session: shell(echo *), in the sandbox</h3>",
        ),
        (
            "markdown",
            "*allowed by the user for the session: shell(echo \\*), in the sandbox:*\n\n> unrestricted",
        ),
    ] {
        let ran = world.sessions_cli(&["export", file.to_str().unwrap(), "--format", format]);
        assert!(ran.code == 0 && ran.out.contains(words), "{format}: {ran:?}");
    }
    let denied = World::new().configured("deny = [\"shell(touch *)\"]\n");
    let script = r#"[{"tool_calls":[{"name":"shell","arguments":{"command":"touch x"}}]},"ok"]"#;
    denied.json(&["--script", script, "x"]);
    let page = export(&denied, &[]).out;
    assert!(page.contains("*denied by the rules: shell(touch \\*)"), "{page}");
}

fn verify_payload(envelope: &Value) -> Value {
    use base64::Engine as _;
    let payload = envelope["payload"].as_str().unwrap();
    serde_json::from_slice(&base64::engine::general_purpose::STANDARD.decode(payload).unwrap()).unwrap()
}

#[test]
fn a_rule_that_leaves_nothing_out_exports_nothing() {
    let world = world();
    for (words, why) in [
        (["--redact", "e99"], "nothing in the session is left out by `e99`"),
        (["--redact", "text:No such WORDS"], "nothing in the session is left out by `text:No such WORDS`"),
        (
            ["--redact", "text:LAUNCH code,text:Words"],
            "by `text:LAUNCH code,text:Words`; it is one text with its commas: give each text a --redact of its own",
        ),
        (["--redact", ""], "there is no rule after --redact"),
        (["--only", "e2,e99"], "the session has no entry of those that --only names with `e99`"),
        (["--only", "e99..e120"], "the session has no entry of those that --only names with `e99..e120`"),
    ] {
        let ran = export(&world, &words);
        assert!(ran.code != 0 && ran.out.is_empty() && ran.err.contains(why), "{words:?}: {ran:?}");
    }
}

/// A sub-agent in the background reports when its call has its result already.
#[test]
fn results_that_are_left_out_take_along_what_came_after_them() {
    let world = World::new();
    let call = json!({ "name": "delegate_to_explore", "arguments": { "task": "Look.", "background": true } });
    let replies = script(json!([{ "tool_calls": [call] }, "Done.", { "text": "LATEWORD", "delay_ms": 300 }]));
    let mut run = Steered::start(&world, &["--script", &replies, "go"]);
    run.until("delegation_response");
    let ran = run.end();
    assert_eq!(ran.code, 0, "{}", ran.err);
    let answer = ran.one("escrow_settled")["answer"].as_str().unwrap().to_owned();
    assert!(answer == "LATEWORD" || answer == "Done.", "{answer}");
    for format in ["markdown", "html"] {
        let whole = export(&world, &["--format", format]);
        assert!(whole.out.contains("is completed: 1 turn") && whole.out.contains(&answer), "{whole:?}");
    }
    let shown = world.sessions_cli(&["show", "--last"]).out;
    assert!(shown.contains("the sub-agent is completed: 1 turn"), "{shown}");
    let copy = export(&world, &["--format", "jsonl", "--redact", "results"]);
    assert_eq!(copy.code, 0, "{copy:?}");
    let mut lines = copy.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let settled = lines.find(|line| line["type"] == "escrow_settled").unwrap();
    assert!(settled.get("answer").is_none() && settled["sealed"].get("answer").is_some(), "{settled}");
    let checked = check(&world, &kept(&world, "part.jsonl", &copy.out));
    assert!(checked.code == 0, "{checked:?}");
}

/// A command of which only a part is quoted by the question, and what the formats make of it.
#[test]
fn arguments_that_are_left_out_are_not_quoted_in_part() {
    let world = World::new().configured("allow = [\"shell(ls *)\"]\n");
    let script = r#"[{"tool_calls":[{"name":"shell","arguments":{"command":"ls src && deploy --password HUNTER2SECRET"}}]},"ok"]"#;
    world.json(&["--script", script, "x"]);
    let entries = world.entries();
    let asked = entries.iter().find(|entry| entry["type"] == "approval_request").unwrap();
    assert!(asked["why"].as_str().unwrap().contains("HUNTER2SECRET"), "{asked}");
    let of =
        |kind: &str| entries.iter().find(|entry| entry["type"] == kind).unwrap()["entry"].as_str().unwrap();
    for rule in ["arguments", of("tool_call"), of("agent_response"), of("approval_request")] {
        for format in ["jsonl", "json", "html", "markdown"] {
            let ran = export(&world, &["--format", format, "--redact", rule]);
            assert!(ran.code == 0 && ran.out.contains("ok"), "{rule} {format}: {ran:?}");
            assert!(!ran.out.contains("HUNTER2SECRET"), "{rule} {format}: {}", ran.out);
        }
    }
}

/// The name of an argument is chosen by the tool, and what it says can be anything.
#[test]
fn an_argument_is_left_out_whatever_it_is_called() {
    let world = World::new();
    fs::write(world.work().join("a.txt"), "one\n").unwrap();
    let script = r#"[{"tool_calls":[{"name":"no_such_tool","arguments":{"name":"LONGSECRET9"}}]},"I said LONGSECRET9."]"#;
    world.json(&["--script", script, "x"]);
    let ran = export(&world, &["--format", "jsonl", "--redact", "arguments"]);
    assert!(ran.code == 0 && !ran.out.contains("LONGSECRET9"), "{ran:?}");
}

#[test]
fn a_text_is_left_out_where_it_is_escaped_and_where_its_lines_begin_otherwise() {
    let world = World::new();
    let script = r#"["He wrote {\"command\":\"say \\\"QUO TED\\\" now\"} and the diff was\n+first SECRET line\n+second line\n.","Only a second line."]"#;
    world.json(&["--script", script, "x"]);
    world.json(&["--last", "--script", r#"["Only the second line."]"#, "y"]);
    let escaped = export(&world, &["--format", "jsonl", "--redact", "text:say \"QUO ted\""]);
    assert!(escaped.code == 0 && !escaped.out.contains("QUO"), "{escaped:?}");
    let lines = export(&world, &["--format", "jsonl", "--redact", "text:first secret line\nsecond line"]);
    assert!(lines.code == 0 && !lines.out.contains("SECRET"), "{lines:?}");
    // One of its lines stands alone, which may be by chance: that is said.
    assert!(lines.out.contains("Only the second line."), "{}", lines.out);
    assert!(lines.err.contains("a single line of a text to leave out is still in e"), "{}", lines.err);
}

/// As Python and others write JSON: each letter that is not ASCII as an escape, some of two halves.
#[test]
fn a_text_is_left_out_however_the_json_of_others_escapes_it() {
    let key = "sk-p\u{e4}ss-0001112223";
    let world = World::new().with("SOME_API_KEY", key);
    let said = r#"{"a":"\u00d6sterreich-Geheimnis","b":"pass\ud83d\ude00word-secret","c":"sk-p\u00e4ss-0001112223"}"#;
    fs::write(world.work().join("said.json"), format!("{said}\n{}\n", Value::from(said))).unwrap();
    let script = r#"[{"tool_calls":[{"name":"read","arguments":{"path":"said.json"}}]},"Done."]"#;
    assert_eq!(world.json(&["--script", script, "x"]).code, 0);
    for (text, rest) in [
        ("text:\u{d6}sterreich-Geheimnis", "sterreich-Geheimnis"),
        ("text:\u{f6}STERREICH-geheimnis", "sterreich-Geheimnis"),
        ("text:pass\u{1f600}word-secret", "word-secret"),
        ("results", "ss-0001112223"),
    ] {
        for format in ["jsonl", "json", "markdown", "html"] {
            let ran = export(&world, &["--format", format, "--redact", text]);
            assert!(ran.code == 0 && ran.out.contains("Done."), "{text} {format}: {ran:?}");
            assert!(!ran.out.contains(rest), "{text} {format}: {}", ran.out);
        }
    }
    for format in ["jsonl", "json", "markdown", "html"] {
        let ran = export(&world, &["--format", format]);
        assert!(ran.code == 0 && ran.out.contains("Done."), "{format}: {ran:?}");
        assert!(!ran.out.contains("ss-0001112223"), "{format}: {}", ran.out);
    }
    let other = world.program().args(["exposure", "--text", "pass\u{1f600}word-secret"]).output().unwrap();
    assert!(String::from_utf8_lossy(&other.stdout).contains("the result of read said.json"), "{other:?}");
}
