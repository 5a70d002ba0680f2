//! Background commands: their page shows what they print while they print it, and stops one.

use serde_json::json;

use super::console::{Console, ENTER, ESC};
use super::home::Home;

#[tokio::test]
async fn the_page_is_live_and_a_person_stops_one() {
    let home = Home::new();
    let command = "n=0; while :; do n=$((n+1)); echo tick $n; sleep 0.1; done";
    let begins = json!({ "name": "shell", "arguments": { "command": command, "background": true } });
    let mut app = Console::scripted(&home, &json!([{ "tool_calls": [begins] }, "it runs", "good to know"]));
    app.sees("ask anything").await;
    app.says("go").await;
    app.allows().await;
    app.sees("it runs").await;
    app.rests().await;
    app.keys("/shells\r").await;
    app.sees("background commands").await;
    // Nobody asks for it, and no key is pressed.
    app.sees("tick 30").await;
    app.keys("x").await;
    app.sees("stop a background command").await;
    // Not as a part of a paste.
    app.reads().await;
    app.keys(ENTER).await;
    app.keys(ESC).await;
    app.sees("ended by the user").await;
    app.says("what now?").await;
    app.sees("good to know").await;
    app.rests().await;
    app.quits().await;
    let kinds: Vec<String> =
        home.session().iter().map(|entry| entry["type"].as_str().unwrap().to_owned()).collect();
    let at = |kind: &str| kinds.iter().position(|found| found == kind).unwrap_or_else(|| panic!("{kinds:?}"));
    assert!(at("background_stopped") < at("note"), "it is on record before it is done: {kinds:?}");
    assert!(
        home.texts("injected", "text").iter().any(|text| text.contains("b1 has ended: ended by the user"))
    );
}
