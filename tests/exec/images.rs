//! Images that a message names: sent, kept, and not told; or one clear line, and nothing is sent or written.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use countersign::wire::base64;
use image::ImageFormat;
use serde_json::{Value, json};

use crate::model_server::{ModelServer, Reply, picture};
use crate::pictures::{gif, jpeg, png, png_with, quarters};
use crate::servers::{ALL, ANTHROPIC, accepted};
use crate::world::{World, script};

impl World {
    fn picture(&self, name: &str, bytes: &[u8]) {
        fs::write(self.work().join(name), bytes).unwrap();
    }
}

/// The types and bytes of the images that the user has shown, in a request.
fn shown(body: &Value) -> Vec<(String, Vec<u8>)> {
    let messages = body["messages"].as_array().or(body["input"].as_array()).unwrap();
    let users = messages.iter().filter(|message| message["role"] == "user");
    let parts = users.filter_map(|message| message["content"].as_array()).flatten();
    parts.filter_map(image).collect()
}

fn image(part: &Value) -> Option<(String, Vec<u8>)> {
    let (kind, data) = match part["type"].as_str()? {
        "image" => (part["source"]["media_type"].as_str()?, part["source"]["data"].as_str()?),
        "input_image" => part["image_url"].as_str()?.strip_prefix("data:")?.split_once(";base64,")?,
        "image_url" => part["image_url"]["url"].as_str()?.strip_prefix("data:")?.split_once(";base64,")?,
        _ => return None,
    };
    Some((kind.to_owned(), picture::decoded(data).unwrap()))
}

#[test]
fn images_are_sent_kept_and_not_told() {
    for speech in ALL {
        let (server, world) = speech.serve(vec![Reply::text("A cat."), Reply::text("The same.")]);
        let (first, second) = (png(640, 480), jpeg(9, 7));
        world.picture("a.png", &first);
        world.picture("my picture.png", &second);
        symlink(world.work().join("a.png"), world.place().join("link")).unwrap();
        let prompt = "Compare (@a.png), @\"my picture.png\" and @../link; ask @alice, or me@home.png";
        let ran = world.exec(&["--json", prompt]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{speech:?}: {}", ran.out);
        let images = [
            ("image/png".to_owned(), first.clone()),
            ("image/jpeg".to_owned(), second),
            ("image/png".to_owned(), first),
        ];
        let told = ran.one("user_message");
        assert_eq!(told["content"], prompt);
        let of_first = &told["images"][0];
        assert_eq!(
            (&of_first["name"], &of_first["width"], &of_first["height"], &of_first["bytes"]),
            (&json!("a.png"), &json!(640), &json!(480), &json!(images[0].1.len()))
        );
        assert!(!ran.out.contains("iVBORw0KGgo"), "the bytes are in no event");
        let kept = &world.entries().into_iter().find(|e| e["type"] == "user_message").unwrap()["images"][0];
        assert_eq!(picture::decoded(kept["data"].as_str().unwrap()).unwrap(), images[0].1);
        assert_eq!(
            world.exec(&["--last", "and again"]).out,
            "The same.\n",
            "a resumed session sends them again"
        );
        let sent = accepted(&server);
        assert_eq!(sent.iter().map(shown).collect::<Vec<_>>(), [images.clone(), images], "{speech:?}");
    }
}

#[test]
fn images_are_named_by_a_flag_too() {
    let world = World::new();
    world.picture("a.gif", &gif(640, 480));
    world.picture("b.png", &png(3, 5));
    world.picture("words.txt", b"not a picture");
    fs::create_dir(world.work().join("sub")).unwrap();
    let answer = ["--json", "--script", r#"["fine"]"#];
    let ran =
        world.exec(&[&answer[..], &["-C", "sub", "--image", "a.gif", "--image", "b.png", "look"]].concat());
    let said = ran.one("user_message");
    let names: Vec<&Value> = said["images"].as_array().unwrap().iter().map(|i| &i["name"]).collect();
    assert_eq!(
        (ran.code, &said["content"], names),
        (0, &json!("look"), vec![&json!("a.gif"), &json!("b.png")])
    );
    assert!(Command::new("mkfifo").arg(world.work().join("pipe.png")).status().unwrap().success());
    let cases = [
        ("words.txt", "words.txt cannot be sent: it is not a PNG"),
        ("missing.png", "there is no image at missing.png; next: correct the path"),
        ("pipe.png", "pipe.png cannot be read: it is not a regular file"),
    ];
    for (name, says) in cases {
        let line = world.refused(&["--script", r#"["no"]"#, "--image", name, "look"]);
        assert!(line.contains(says), "{line}");
    }
    assert_eq!(world.sessions().len(), 1);
    let flags: Vec<&str> = std::iter::repeat_n(["--image", "b.png"], 21).flatten().collect();
    let line = world.refused(&[&["--script", r#"["no"]"#], &flags[..], &["look"]].concat());
    assert!(line.contains("a message can have at most 20 images"), "{line}");
}

#[test]
fn what_read_shows_is_sent_kept_and_not_told() {
    for speech in ALL {
        let calls = Reply::call("call_1", "read", &json!({ "path": "shot.gif" }));
        let (server, world) = speech.serve(vec![calls, Reply::text("A cat."), Reply::text("The same.")]);
        let world = world.configured(&format!("[models.\"{}\"]\nvision = true\n", speech.model));
        let bytes = quarters(8, 6, ImageFormat::Gif);
        world.picture("shot.gif", &bytes);
        let ran = world.exec(&["--json", "look"]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{speech:?}: {}", ran.out);
        let told = ran.one("tool_result");
        assert_eq!(told["images"][0]["bytes"], json!(bytes.len()), "{told}");
        assert!(!ran.out.contains("R0lGODlh"), "the bytes are in no event");
        assert_eq!(world.exec(&["--last", "and again"]).out, "The same.\n");
        let sent = accepted(&server);
        let shows = |body: &Value| body.to_string().matches(&base64(&bytes)).count();
        assert_eq!(sent.iter().map(shows).collect::<Vec<_>>(), [0, 1, 1], "{speech:?}: once a request");
    }
}

#[test]
fn a_script_and_the_rehearsal_take_images_too() {
    let world = World::new();
    world.picture("a.gif", &gif(640, 480));
    let ran = world.exec(&["--script", &script(json!(["A cat."])), "what is @a.gif"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "A cat.\n"), "{}", ran.err);
    let ran = world.exec(&["--json", "-m", "rehearsal", "what is @a.gif"]);
    assert_eq!((ran.code, &ran.one("user_message")["images"][0]["media_type"]), (0, &json!("image/gif")));
}

#[test]
fn a_model_that_cannot_see_is_refused_before_anything_is_written() {
    let server = ModelServer::start(vec![Reply::text("Words I take.")]);
    let world = World::new().configured(&format!(
        "[providers.deepseek]\nbase_url = \"{}\"\nprotocol = \"openai-chat\"\n",
        server.base_url()
    ));
    world.picture("a.png", &png(3, 5));
    let line = world.refused(&["-m", "deepseek/deepseek-chat", "what is @a.png"]);
    assert!(
        line.contains("deepseek/deepseek-chat does not support images; next: choose another model"),
        "{line}"
    );
    assert!(world.sessions().is_empty() && server.requests().is_empty());
    let ran = world.exec(&["-m", "deepseek/deepseek-chat", "no image"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "Words I take.\n"), "{}", ran.err);
}

#[test]
fn a_provider_that_refuses_an_image_is_heard() {
    let says = "messages.0.content.0.image.source: Could not process image";
    let (server, world) = ANTHROPIC.serve(vec![Reply::error(400, "invalid_request_error", says)]);
    world.picture("a.png", &png(3, 5));
    let ran = world.exec(&["what is @a.png"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.complaint().contains("Could not process image"), "{}", ran.err);
    assert_eq!(shown(&server.requests()[0].body).len(), 1);
}

#[test]
fn what_is_no_image_is_one_line_and_nothing_is_sent() {
    let world = World::new();
    let work = world.work();
    fs::create_dir(work.join("folder.png")).unwrap();
    assert!(Command::new("mkfifo").arg(work.join("pipe.png")).status().unwrap().success());
    symlink(work.join("nowhere"), work.join("dangling.png")).unwrap();
    symlink(work.join("loop.png"), work.join("loop.png")).unwrap();
    world.picture("empty.png", b"");
    world.picture("words.png", b"not a picture");
    world.picture("cut.png", &png(3, 5)[..40]);
    world.picture("lies.png", &png(0, 5));
    world.picture("huge.png", &png(60_000, 3));
    world.picture("heavy.png", &png_with(3, 5, &vec![7; 5_000_000]));
    world.picture("a.bmp", b"BM");
    let cases = [
        ("@missing.png.", "there is no image at missing.png; next: correct the path"),
        ("@\"no such.png\"", "there is no image at no such.png"),
        ("@folder.png", "folder.png cannot be read: it is not a regular file"),
        ("@pipe.png", "pipe.png cannot be read: it is not a regular file"),
        ("@dangling.png", "dangling.png is a broken link"),
        ("@loop.png", "`loop.png` goes through too many symlinks"),
        ("@empty.png", "empty.png cannot be sent: it is not a PNG, JPEG, GIF or WebP image"),
        ("@words.png", "words.png cannot be sent: it is not a PNG"),
        ("@cut.png", "cut.png cannot be sent: it is damaged or cut short"),
        ("@lies.png", "lies.png cannot be sent: it is damaged"),
        ("@huge.png", "huge.png has 60000×3 pixels; at most 8000 per side are allowed; next: scale it down"),
        ("@heavy.png", "heavy.png is larger than 3.9 MB; next: scale it down"),
        ("@a.bmp", "a.bmp cannot be sent: it is not a PNG, JPEG, GIF or WebP image; next: save it as a PNG"),
        ("@~/no.png", "there is no image at ~/no.png"),
        ("@/proc/self/no\u{1b}[31m.png", r"there is no image at /proc/self/no\u{1b}[31m.png"),
    ];
    for (prompt, says) in cases {
        let line = world.refused(&["--script", &script(json!(["no"])), &format!("what is {prompt}")]);
        assert!(line.contains(says), "{prompt}: {line}");
    }
    assert!(world.sessions().is_empty(), "nothing is written");
}

#[test]
fn a_picture_that_a_rule_asks_about_goes_by_a_flag_and_not_by_a_mention() {
    let world = World::new().configured("ask = [\"read(kept*)\"]\ndeny = [\"read(denied*)\"]\n");
    for name in ["kept.png", "denied.png", ".env"] {
        world.picture(name, &png(3, 5));
    }
    let told = ["--script", r#"["fine"]"#];
    let cases = [
        (vec!["see @kept.png"], "kept.png: rule read(kept*) asks; next: put its path in `backquotes`"),
        (vec!["see @.env"], ".env may contain secrets"),
        (vec!["see @denied.png"], "denied.png cannot be attached: rule read(denied*) denies it"),
        (
            vec!["--image", "denied.png", "see"],
            "denied.png cannot be attached: rule read(denied*) denies it; next: name another image, or remove the flag",
        ),
    ];
    for (words, says) in cases {
        let line = world.refused(&[&told[..], &words[..]].concat());
        assert!(line.contains(says), "{words:?}: {line}");
    }
    assert!(world.sessions().is_empty(), "nothing is written");
    let ran = world.exec(&[&told[..], &["--image", "kept.png", "see"]].concat());
    assert_eq!((ran.code, ran.out.as_str()), (0, "fine\n"), "{}", ran.err);
}

#[test]
fn too_many_images_are_refused() {
    let world = World::new();
    let names: Vec<String> = (0..21).map(|n| format!("@{n}.png")).collect();
    for n in 0..21 {
        world.picture(&format!("{n}.png"), &png(3, 5));
    }
    let told = ["--script", r#"["fine"]"#];
    let line = world.refused(&[&told[..], &[&names.join(" ")]].concat());
    assert!(line.contains("a message can have at most 20 images; next: send the others"), "{line}");
    let ran = world.exec(&[&told[..], &[&names[..20].join(" ")]].concat());
    assert_eq!((ran.code, ran.out.as_str()), (0, "fine\n"), "{}", ran.err);
    for n in 0..6 {
        world.picture(&format!("{n}.png"), &png_with(3, 5, &vec![7; 3_700_000]));
    }
    let line = world.refused(&[&told[..], &[&names[..6].join(" ")]].concat());
    assert!(line.contains("larger than 20 MB together"), "{line}");
}

#[test]
fn words_with_an_at_sign_stay_words() {
    let world = World::new();
    world.picture("untold", &png(3, 5));
    let prompt = "@alice: see @one.txt, @.git and `@missing.png`, icon@2x.png, @untold";
    let ran = world.exec(&["--json", "--script", r#"["fine"]"#, prompt]);
    let said = ran.one("user_message");
    assert_eq!((ran.code, &said["content"]), (0, &json!(prompt)), "{}", ran.err);
    let names: Vec<&Value> = said["images"].as_array().unwrap().iter().map(|i| &i["name"]).collect();
    assert_eq!(names, ["untold"], "a picture needs no ending");
}
