//! Files that a message names, in the app: chosen from the list, sent as a line; a secret is asked about.

use super::console::{CTRL_U, Console, ENTER};
use super::home::Home;

#[tokio::test]
async fn a_file_is_chosen_from_the_list_and_goes_with_the_message() {
    let home = Home::new();
    home.write("first.rs", "fn one() {}\n");
    home.write("notes.md", "one\ntwo\n");
    let mut app = Console::scripted(&home, &serde_json::json!(["Read."]));
    app.sees("ask anything").await;
    app.keys("see @").await;
    app.sees("first.rs").await;
    app.keys("no").await;
    app.sees("› notes.md").await;
    app.takes_time(std::time::Duration::from_millis(100)).await;
    app.keys(ENTER).await;
    app.sees("see @notes.md").await;
    app.keys(ENTER).await;
    app.sees("[file: notes.md · lines 1-2]").await;
    app.sees("Read.").await;
    app.rests().await;
    app.quits().await;
    let said = &home.entries("user_message")[0];
    assert_eq!((&said["content"], &said["files"][0]["path"]), (&"see @notes.md".into(), &"notes.md".into()));
}

#[tokio::test]
async fn a_secret_is_sent_only_when_the_message_is_sent_again() {
    let home = Home::new();
    home.write(".env", "TOKEN=1\n");
    let mut app = Console::scripted(&home, &serde_json::json!(["Read."]));
    app.sees("ask anything").await;
    app.keys("see @.env\r").await;
    app.sees("see @.env").await;
    app.sees(".env may contain secrets: send it again to attach it").await;
    assert!(home.session_files().is_empty(), "nothing is written");
    app.takes_time(std::time::Duration::from_millis(600)).await;
    app.keys(ENTER).await;
    app.sees("Read.").await;
    app.rests().await;
    app.keys("see @gone#L1\r").await;
    app.sees("there is no file at gone").await;
    app.keys(CTRL_U).await;
    app.keys("why is @user.name nil?\r").await;
    app.sees("there is no file at user.name: correct the path, or send it again").await;
    assert_eq!(home.entries("user_message").len(), 1, "nothing is sent");
    app.keys(CTRL_U).await;
    app.quits().await;
    let said = &home.entries("user_message")[0];
    assert_eq!(said["files"][0]["confirmed"], ".env may contain secrets");
}
