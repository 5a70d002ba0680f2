//! Going back to before a message: the conversation goes on in another session, with or without the files, and the old one
//! stays.

use std::time::Duration;

use super::console::{Console, ENTER, ESC, USUAL};
use super::home::Home;

/// The arrow down.
const DOWN: &str = "\x1b[B";
const BEFORE: &str = "alpha\nbeta\ngamma\n";

/// An app in which a folder was listed and a file was changed.
async fn changed(home: &Home) -> Console {
    let mut app = Console::start(home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("list").await;
    app.sees("This folder has").await;
    app.rests().await;
    app.says("change beta to delta in notes.txt").await;
    app.allows().await;
    app.sees("Done: edited").await;
    app.rests().await;
    assert_ne!(home.read("notes.txt"), BEFORE);
    app
}

/// Both sessions in the order in which they were begun: their entries' types, and the first entry of the second.
fn sessions(home: &Home) -> (Vec<String>, Vec<String>, serde_json::Value) {
    let read = |path: &std::path::PathBuf| -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let mut files = home.session_files();
    files.sort();
    let [old, new] = files.as_slice() else { panic!("{files:?}") };
    let kinds = |lines: &[serde_json::Value]| {
        lines.iter().map(|line| line["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (old, new) = (read(old), read(new));
    (kinds(&old), kinds(&new), new[0].clone())
}

#[tokio::test]
async fn the_conversation_goes_back_and_the_message_is_in_the_composer() {
    let home = Home::new();
    let mut app = changed(&home).await;
    app.keys(ESC).await;
    app.sees("esc again: go back to an earlier message").await;
    app.takes_time(Duration::from_millis(60)).await;
    app.keys(ESC).await;
    app.sees("go back to before").await;
    app.keys(ENTER).await;
    app.sees("the conversation and the files").await;
    app.keys(ENTER).await;
    // The other session: without what was said since, and with the words to say them anew.
    app.sees_no("Done: edited").await;
    app.sees("│ change beta to delta in notes.txt").await;
    assert!(app.screen().contains("› list"), "{}", app.screen());
    assert_ne!(home.read("notes.txt"), BEFORE, "the files stay");
    app.keys("\x15").await;
    app.sees("ask anything").await;
    app.says("list").await;
    app.until("a second answer", |screen| screen.matches("This folder has").count() == 2).await;
    app.rests().await;
    app.quits().await;
    let (old, new, began) = sessions(&home);
    assert_eq!(old.last().unwrap(), "rewound", "the old one stays, and says where it goes on: {old:?}");
    assert_eq!(old.iter().filter(|kind| *kind == "user_message").count(), 2);
    assert_eq!(new.iter().filter(|kind| *kind == "user_message").count(), 2, "{new:?}");
    assert!(began["forked_from"].as_str().unwrap().contains("@e"), "{began}");
}

#[tokio::test]
async fn the_files_go_back_first_and_then_the_conversation() {
    let home = Home::new();
    let mut app = changed(&home).await;
    app.keys("/rewind\r").await;
    app.sees("esc back").await;
    app.keys(ENTER).await;
    app.sees("the conversation and the files").await;
    app.keys(DOWN).await;
    app.sees("› the conversation and the files").await;
    app.keys(ENTER).await;
    app.sees("undo what was done to 1 file").await;
    app.reads().await;
    app.keys(ENTER).await;
    app.sees("│ change beta to delta in notes.txt").await;
    app.sees("1 file is as it was before").await;
    assert_eq!(home.read("notes.txt"), BEFORE);
    app.keys("\x15").await;
    app.rests().await;
    app.quits().await;
    let (old, new, _) = sessions(&home);
    assert_eq!(old[old.len() - 2..], ["files_restored", "rewound"]);
    assert!(!new.contains(&"files_restored".to_owned()), "what is undone was never done here: {new:?}");
}

#[tokio::test]
async fn a_preview_that_is_left_goes_nowhere() {
    let home = Home::new();
    let mut app = changed(&home).await;
    app.keys("/rewind\r").await;
    app.sees("esc back").await;
    app.keys(ENTER).await;
    app.sees("the conversation and the files").await;
    app.keys(DOWN).await;
    app.keys(ENTER).await;
    app.sees("undo what was done to 1 file").await;
    app.keys(ESC).await;
    app.sees_no("undo what was done").await;
    // An undo after that is an undo.
    app.keys("/undo\r").await;
    app.sees("undo what was done to 1 file").await;
    app.reads().await;
    app.keys(ENTER).await;
    app.sees("⟲ undone: restored: notes.txt").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.session_files().len(), 1);
}

#[tokio::test]
async fn a_new_session_begins_and_the_old_one_stays() {
    let home = Home::new();
    let mut app = changed(&home).await;
    // What was deleted in the one can be put in in the other.
    app.keys("a second thought").await;
    app.sees("a second thought").await;
    app.keys("\x15").await;
    app.sees_no("a second thought").await;
    app.keys("/new\r").await;
    app.sees_no("This folder has").await;
    app.sees("ask anything").await;
    app.keys("\x19").await;
    app.sees("a second thought").await;
    app.keys("\x15").await;
    app.sees("ask anything").await;
    app.says("list").await;
    app.sees("This folder has").await;
    app.rests().await;
    app.quits().await;
    let (old, new, began) = sessions(&home);
    assert_eq!(old.iter().filter(|kind| *kind == "user_message").count(), 2);
    assert_eq!(new.iter().filter(|kind| *kind == "user_message").count(), 1);
    assert!(began["forked_from"].is_null(), "{began}");
}

#[tokio::test]
async fn a_second_rewind_still_knows_what_was_changed() {
    let home = Home::new();
    let mut app = changed(&home).await;
    app.says("list").await;
    app.until("a second answer", |screen| screen.matches("This folder has").count() == 2).await;
    app.rests().await;
    app.keys("/rewind\r").await;
    app.sees("esc back").await;
    app.keys(ENTER).await;
    app.sees("the conversation and the files").await;
    app.keys(ENTER).await;
    app.sees("│ list").await;
    app.keys("\x15").await;
    app.sees("ask anything").await;
    assert_ne!(home.read("notes.txt"), BEFORE, "only the conversation went back");
    app.keys("/diff\r").await;
    app.sees("+ delta").await;
    app.keys(ESC).await;
    app.sees("ask anything").await;
    app.keys("/rewind\r").await;
    app.sees("change beta to delta").await;
    app.sees("esc back").await;
    app.keys(ENTER).await;
    app.sees("the conversation and the files").await;
    app.keys(DOWN).await;
    app.sees("› the conversation and the files").await;
    app.keys(ENTER).await;
    app.sees("undo what was done to 1 file").await;
    app.reads().await;
    app.keys(ENTER).await;
    app.sees("│ change beta to delta in notes.txt").await;
    assert_eq!(home.read("notes.txt"), BEFORE);
    app.keys("\x15").await;
    app.rests().await;
    app.quits().await;
}
