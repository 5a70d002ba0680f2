//! Images in the app: named or pasted, seen as a line, refused with the words kept.

use super::console::{CTRL_O, CTRL_U, Console, ENTER, USUAL};
use super::home::Home;
use crate::executable::executable;
use crate::pictures::png;

const START: &str = "\x1b[200~";
const END: &str = "\x1b[201~";

fn home_with_pictures() -> Home {
    let home = Home::new();
    std::fs::write(home.workspace().join("picture.png"), png(640, 480)).unwrap();
    std::fs::write(home.workspace().join("my shot.png"), png(12, 34)).unwrap();
    home
}

#[tokio::test]
async fn a_picture_is_named_sent_and_seen_as_a_line() {
    let home = home_with_pictures();
    let mut app = Console::scripted(&home, &serde_json::json!(["A cat."]));
    app.sees("ask anything").await;
    app.says("what is @picture.png").await;
    app.sees("[image: picture.png · 640×480 · ").await;
    app.sees("A cat.").await;
    app.rests().await;
    app.keys(CTRL_O).await;
    app.sees("user_message").await;
    app.keys("/user_message\r").await;
    app.sees("\"width\": 640").await;
    assert!(!app.screen().contains("iVBORw"), "{}", app.screen());
    app.keys("g").await;
    app.sees("ask anything").await;
    app.rests().await;
    app.quits().await;
    let kept = &home.entries("user_message")[0];
    assert_eq!(
        (&kept["content"], &kept["images"][0]["media_type"]),
        (&"what is @picture.png".into(), &"image/png".into())
    );
}

#[tokio::test]
async fn a_pasted_path_becomes_a_chip_if_it_is_a_picture() {
    let home = home_with_pictures();
    let mut app = Console::scripted(&home, &serde_json::json!(["Small."]));
    app.sees("ask anything").await;
    let path = home.workspace().canonicalize().unwrap().join("my shot.png").display().to_string();
    app.keys("see").await;
    app.keys(&format!("{START}{}{END}", path.replace(' ', "\\ "))).await;
    app.sees("see [Image 1 · my shot.png]").await;
    assert!(!app.screen().contains("work/my"), "{}", app.screen());
    app.keys(&format!("{START}/no/such.png{END}")).await;
    app.sees("/no/such.png").await;
    app.keys(ENTER).await;
    app.sees("Small.").await;
    app.sees("show the path").await;
    app.rests().await;
    app.quits().await;
    let said = &home.entries("user_message")[0];
    assert_eq!(said["content"], format!("see @\"{path}\" /no/such.png"));
    assert_eq!(said["images"].as_array().unwrap().len(), 1, "a path that is not there stays words");
}

#[tokio::test]
async fn a_missing_picture_is_said_and_the_words_stay() {
    let home = home_with_pictures();
    let mut app = Console::scripted(&home, &serde_json::json!(["Never asked.", "A cat."]));
    app.sees("ask anything").await;
    app.keys("what is @pictur.png\r").await;
    app.sees("there is no image at pictur.png: correct the path").await;
    app.sees("what is @pictur.png").await;
    assert!(home.session_files().is_empty(), "nothing is written");
    app.keys(CTRL_U).await;
    app.sees_no("pictur.png").await;
    app.says("what is @picture.png").await;
    app.sees("Never asked.").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.texts("user_message", "content"), ["what is @picture.png"]);
}

#[tokio::test]
async fn a_model_that_cannot_see_is_said_and_the_words_stay() {
    let home = home_with_pictures();
    let config = home.root().join("config/countersign/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    let server = "[providers.deepseek]\nbase_url = \"http://127.0.0.1:9\"\nprotocol = \"openai-chat\"\n";
    std::fs::write(config, server).unwrap();
    let mut app = Console::start(&home, USUAL, &["-m", "deepseek/deepseek-chat"]);
    app.sees("ask anything").await;
    app.keys("what is @picture.png\r").await;
    app.sees("deepseek/deepseek-chat does not support images: choose another model").await;
    app.sees("what is @picture.png").await;
    assert!(home.session_files().is_empty(), "nothing is written");
    app.keys(CTRL_U).await;
    app.rests().await;
    app.quits().await;
}

#[tokio::test]
async fn the_image_on_the_clipboard_is_attached() {
    let home = home_with_pictures();
    let tools = home.root().join("tools");
    std::fs::create_dir_all(&tools).unwrap();
    let shot = home.workspace().join("my shot.png").display().to_string();
    for (name, script) in [("wl-paste", format!("cat '{shot}'")), ("xclip", "exit 1".to_owned())] {
        let path = tools.join(name);
        executable(&path, &format!("#!/bin/sh\nPATH=/bin:/usr/bin\n{script}\n"));
    }
    let path = format!("{}:/bin:/usr/bin", tools.display());
    let script = serde_json::json!(["Small."]).to_string();
    let variables = [("PATH", path.as_str()), ("WAYLAND_DISPLAY", "wayland-0")];
    let mut app = Console::start_with(&home, USUAL, &["--script", &script], &variables);
    app.sees("ask anything").await;
    app.keys("see \x16").await;
    app.sees("see [Image 1 · 12×34 · ").await;
    app.keys("\x16").await;
    app.sees("[Image 2 · 12×34 · ").await;
    assert!(!app.screen().contains("pasted-"), "{}", app.screen());
    app.keys(ENTER).await;
    app.sees("Small.").await;
    app.sees("[Image 2 · 12×34 · ").await;
    app.rests().await;
    app.quits().await;
    let said = &home.entries("user_message")[0];
    assert_eq!(said["images"].as_array().unwrap().len(), 2, "each is a file of its own");
    let name = |at: usize| said["images"][at]["name"].as_str().unwrap();
    assert_eq!(said["content"], format!("see @{} @{}", name(0), name(1)));
}
