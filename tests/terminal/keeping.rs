//! "Always" for the project and for everywhere: the line is shown, written after the decision, and counts in the next session.

use serde_json::json;

use super::console::{Console, ENTER};
use super::home::Home;

const RIGHT: &str = "\x1b[C";

const RULE: &str = "shell(git init -q one)";

#[tokio::test]
async fn a_rule_is_written_where_it_was_shown_and_counts_in_the_next_session() {
    let makes = json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": "git init -q one" } }] });
    let line = format!("allow = [\"{RULE}\"]");
    for (steps, file) in [(1, "workspace/.countersign/config.toml"), (2, "config/countersign/config.toml")] {
        let home = Home::new();
        let file = home
            .root()
            .join(file.replace("workspace", &home.workspace().file_name().unwrap().to_string_lossy()));
        let mut app = Console::scripted(&home, &json!([makes, "made"]));
        app.sees("ask anything").await;
        app.says("go").await;
        app.answers("a").await;
        app.sees(&format!("always: {RULE}")).await;
        for _ in 0..steps {
            app.keys(RIGHT).await;
        }
        app.sees(&line).await;
        assert!(!file.exists(), "it is only shown");
        app.has_the_keys().await;
        app.keys(ENTER).await;
        app.sees("made").await;
        app.sees(&format!("added {RULE} to")).await;
        assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("{line}\n"));
        app.rests().await;
        app.quits().await;
        let decision = &home.entries("approval")[0];
        let scope = if steps == 1 { "project" } else { "everywhere" };
        assert_eq!((&decision["scope"], &decision["rule"]), (&json!(scope), &json!(RULE)));
        let mut app = Console::scripted(&home, &json!([makes, "made again"]));
        app.sees("ask anything").await;
        app.says("go").await;
        app.sees("made again").await;
        assert_eq!(home.entries("approval")[0]["by"], "policy", "nobody was asked");
        app.rests().await;
        app.quits().await;
    }
}
