//! `docs/SESSION-FORMAT.md`: its verifier, in another language, agrees with ours.

use std::fs;
use std::process::Command;

use countersign::wire::record::Chain;
use serde_json::json;

fn lines() -> Vec<String> {
    let mut chain = Chain::default();
    let mut salt = 0;
    let mut salts = || {
        salt += 1;
        [salt; 16]
    };
    let started =
        json!({ "type": "session_started", "entry": "e1", "version": 3, "system": "be \"brief\"\u{85}" });
    let said = json!({ "type": "user_message", "entry": "e2", "content": "日本, \"hash\":\"x\"\n", "images": [1.5, {}] });
    let plain = json!({ "type": "transition", "entry": "e3", "turn": 1 });
    [started, said, plain].map(|record| chain.line(record, &mut salts) + "\n").into()
}

#[test]
fn the_verifier_of_the_page_finds_what_was_changed() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/SESSION-FORMAT.md")).unwrap();
    let (_, code) = page.split_once("```python\n").unwrap();
    let (code, _) = code.split_once("```").unwrap();
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("s.jsonl");
    let verify = |text: String| {
        fs::write(&file, text).unwrap();
        Command::new("python3").args(["-c", code]).arg(&file).output()
    };
    let whole = lines().concat();
    let Ok(ran) = verify(whole.clone()) else {
        assert!(std::env::var_os("CI").is_none(), "there is no python3");
        return;
    };
    let head = serde_json::from_str::<serde_json::Value>(&lines()[2]).unwrap()["hash"].clone();
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), head.as_str().unwrap(), "{ran:?}");
    // Half a line at the end is what a dying process leaves; anywhere else it is none.
    let torn = verify(whole.clone() + "{\"type\":\"user_mess").unwrap();
    assert_eq!(torn.stdout, ran.stdout, "{torn:?}");
    let before = "{\"type\":\"session_started\",\"version\":2}\n";
    for (forged, said) in [
        (whole.replacen("日本", "中国", 1), "line 2: content was changed"),
        (whole.replacen("\"turn\":1", "\"turn\":2", 1), "line 3 was changed"),
        (lines()[..1].concat() + &lines()[2], "line 2 does not follow"),
        (before.to_owned() + &whole, "line 2 does not follow"),
        (whole.clone() + "{\"type\":\n", "line 4 is no JSON"),
    ] {
        let ran = verify(forged).unwrap();
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(!ran.status.success() && told.contains(said), "{said}: {told}");
    }
}
