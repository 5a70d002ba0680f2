//! Keys of several lines, as those in PEM are: no document has them, with whatever a tool wrote before each line.

use std::fs;

use crate::world::{Ran, World};

const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMIIBVQIBADANBgkqhkiG9w0BAQEFAASC/AT8wggE7\nAq7BFUpkGp3+LQmlQYAgEAAkEwr1tEn9X0Qp8ZkW\nsHORT+T=\n-----END PRIVATE KEY-----\n";

fn said(world: &World, words: &[&str]) -> Ran {
    let output = world.program().args(words).output().unwrap();
    Ran::of(output.status, output.stdout, output.stderr)
}

/// A session in which tools and the model repeat this key, each in another way.
fn session(variable: &str) -> World {
    let world = World::new().with(variable, KEY);
    fs::write(world.work().join("key.pem"), KEY).unwrap();
    let script = r#"[{"tool_calls":[{"name":"read","arguments":{"path":"key.pem"}}]},
        {"tool_calls":[{"name":"shell","arguments":{"command":"sed 's/^/+/' key.pem; echo; sed 's/^/> > /' key.pem"}}]},
        {"tool_calls":[{"name":"shell","arguments":{"command":"sed -n 2p key.pem"}}]},
        "Done."]"#;
    let ran = world.json(&["--mode", "unrestricted", "--script", script, "show it"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(world.session_text().contains("sHORT+T="));
    world
}

#[test]
fn no_document_has_a_key_of_several_lines() {
    let world = session("MY_PRIVATE_KEY");
    let mut documents = Vec::new();
    for format in ["markdown", "html", "json", "jsonl"] {
        documents.push((format, said(&world, &["sessions", "export", "--last", "--format", format])));
    }
    documents.push(("lines", said(&world, &["sessions", "export", "--last", "--json"])));
    documents.push(("traces", said(&world, &["sessions", "otlp", "--last", "--contents"])));
    for (file, words) in [
        ("kept.jsonl", &["test", "record", "--last", "--mode", "unrestricted", "-o", "kept.jsonl"][..]),
        ("kept.cast", &["replay", "--last", "--record", "kept.cast"]),
    ] {
        let mut ran = said(&world, words);
        assert_eq!(ran.code, 0, "{file}: {ran:?}");
        ran.out = world.file(file);
        documents.push((file, ran));
    }
    for (name, ran) in documents {
        assert_eq!(ran.code, 0, "{name}: {ran:?}");
        assert!(ran.out.len() > 500, "{name}: {ran:?}");
        let text = ran.out.to_lowercase();
        for line in KEY.lines().filter(|line| !line.starts_with('-')) {
            // The screen breaks lines.
            let part = line.get(..8).unwrap_or(line).to_lowercase();
            assert!(!text.contains(&part), "{name} has {line}: {}", ran.out);
        }
    }
}

#[test]
fn a_key_of_several_lines_that_was_sent_is_told() {
    let world = session("MY_PRIVATE_KEY");
    let keys = said(&world, &["exposure", "--keys"]);
    assert!(
        keys.out.contains("MY_PRIVATE_KEY") && keys.out.contains("the result of read key.pem"),
        "{keys:?}"
    );
    assert!(keys.out.contains("to script"), "{keys:?}");
    let part = "Aq7BFUpkGp3+LQmlQYAgEAAkEwr1tEn9X0Qp8ZkW\nsHORT+T=";
    let text = said(&session("OTHER"), &["exposure", "--text", part]);
    assert!(text.out.contains("the result of read key.pem") && text.out.contains("to script"), "{text:?}");
    let other = said(&world, &["exposure", "--text", "sHORT+T=\nAq7BFUpkGp3+LQmlQYAgEAAkEwr1tEn9X0Qp8ZkW"]);
    assert!(!other.out.contains("key.pem"), "{other:?}");
}

#[test]
fn one_long_line_of_such_a_key_is_the_key() {
    let world = World::new().with("MY_PRIVATE_KEY", KEY);
    fs::write(world.work().join("key.pem"), KEY).unwrap();
    let script =
        r#"[{"tool_calls":[{"name":"shell","arguments":{"command":"sed -n 3p key.pem"}}]}, "Done."]"#;
    assert_eq!(world.json(&["--mode", "unrestricted", "--script", script, "show it"]).code, 0);
    let keys = said(&world, &["exposure", "--keys"]);
    assert!(keys.out.contains("MY_PRIVATE_KEY") && keys.out.contains("sed -n 3p key.pem"), "{keys:?}");
}

#[test]
fn a_key_that_is_wrapped_otherwise_where_it_was_sent_is_told() {
    let body: String =
        (0..400_u64).map(|n| format!("{:04x}", n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48)).collect();
    let file = |columns: usize| {
        let lines = body.as_bytes().chunks(columns).map(|line| std::str::from_utf8(line).unwrap());
        let lines: String = lines.map(|line| format!("{line}\n")).collect();
        format!("-----BEGIN PRIVATE KEY-----\n{lines}-----END PRIVATE KEY-----\n")
    };
    for (key, sent) in [(body.clone(), file(64)), (file(64), body.clone()), (file(64), file(76))] {
        let world = World::new().with("MY_PRIVATE_KEY", &key);
        fs::write(world.work().join("key.pem"), &sent).unwrap();
        let script = r#"[{"tool_calls":[{"name":"read","arguments":{"path":"key.pem"}}]}, "Done."]"#;
        assert_eq!(world.json(&["--mode", "unrestricted", "--script", script, "show it"]).code, 0);
        let keys = said(&world, &["exposure", "--keys"]);
        assert!(keys.out.contains("the result of read key.pem has MY_PRIVATE_KEY"), "{keys:?}");
        let document = said(&world, &["sessions", "export", "--last", "--format", "markdown"]);
        assert!(!document.out.contains(&body[200..232]), "{document:?}");
    }
}
