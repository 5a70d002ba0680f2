//! Instructions of folders below the session's own, as long as the model can see them.

use serde_json::json;

use super::console::Console;
use super::home::Home;

#[tokio::test]
async fn after_a_summary_the_instructions_of_a_folder_come_again() {
    let home = Home::new();
    std::fs::create_dir_all(home.workspace().join("sub")).unwrap();
    home.write("sub/AGENTS.md", "sub words");
    home.write("sub/a.txt", "a text");
    let read = json!({ "tool_calls": [{ "name": "read", "arguments": { "path": "sub/a.txt" } }] });
    let script = json!([read, read, "it was read", "what was said in short", read, "it was read again"]);
    let mut app = Console::scripted(&home, &script);
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("it was read").await;
    app.rests().await;
    app.keys("/compact\r").await;
    app.sees("what was said in short").await;
    app.rests().await;
    app.says("once more").await;
    app.sees("it was read again").await;
    app.rests().await;
    app.quits().await;
    let told: Vec<bool> =
        home.texts("tool_result", "content").iter().map(|content| content.contains("sub words")).collect();
    assert_eq!(told, [true, false, true]);
}
