//! A session played on the screen: paced by keys, and nothing is said, settled or written.

use super::console::{CTRL_C, Console, ESC, USUAL};
use super::home::Home;

async fn kept(home: &Home) {
    let mut app = Console::start(home, USUAL, &["read notes.txt"]);
    app.sees("✓ done").await;
    app.rests().await;
    app.quits().await;
}

#[tokio::test]
async fn it_plays_to_the_end_and_changes_nothing() {
    let home = Home::new();
    kept(&home).await;
    let file = std::fs::read(&home.session_files()[0]).unwrap();
    for way in ["q", ESC, CTRL_C] {
        let mut app = Console::start(&home, USUAL, &["replay", "--last"]);
        app.sees("✓ done").await;
        app.sees("the end of the session; q quits").await;
        assert!(app.screen().contains("read notes.txt"));
        assert!(app.screen().contains("replay at 1x"), "{}", app.screen());
        app.keys("hello").await;
        app.keys(way).await;
        assert_eq!(app.ends().await.code(), Some(0), "{way:?}");
        app.assert_restored();
    }
    assert_eq!(std::fs::read(&home.session_files()[0]).unwrap(), file);
}

#[tokio::test]
async fn keys_pace_it() {
    let home = Home::new();
    kept(&home).await;
    let path = &home.session_files()[0];
    let count = std::fs::read_to_string(path).unwrap().lines().count();
    let mut app = Console::start(&home, USUAL, &["replay", "--last"]);
    app.sees("replay at 1x").await;
    app.keys(" ").await;
    app.sees("paused at 1x").await;
    app.keys("+").await;
    app.sees("paused at 2x").await;
    app.keys("--").await;
    app.sees("paused at 1/2x").await;
    for _ in 0..count {
        app.keys("\x1b[C").await;
    }
    app.sees("✓ done").await;
    app.sees("paused at 1/2x").await;
    app.keys("q").await;
    assert_eq!(app.ends().await.code(), Some(0));
}

#[tokio::test]
async fn it_goes_back_and_on_again() {
    let home = Home::new();
    kept(&home).await;
    let count = std::fs::read_to_string(&home.session_files()[0]).unwrap().lines().count();
    let mut app = Console::start(&home, USUAL, &["replay", "--last"]);
    app.sees("the end of the session; q quits").await;
    app.sees("✓ done").await;
    app.keys("\x1b[D").await;
    app.sees(&format!("{}/{count} ", count - 1)).await;
    app.sees_no("✓ done").await;
    app.keys("\x1b[H").await;
    app.sees(&format!("1/{count} ")).await;
    app.sees_no("read notes.txt").await;
    app.keys("d").await;
    app.sees("paused at 1x · space plays").await;
    app.sees("read notes.txt").await;
    app.keys("t").await;
    app.sees("there is no later tombstone").await;
    app.keys("\x1b[F").await;
    app.sees("✓ done").await;
    app.keys("q").await;
    assert_eq!(app.ends().await.code(), Some(0));
    app.assert_restored();
}
