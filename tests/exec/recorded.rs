//! A session that is recorded as it would be played: a file for players, and nothing in it that should not be.

use std::fs;
use std::num::NonZero;

use serde_json::Value;

use crate::foreign::{claude, import};
use crate::world::{Ran, World};

const KEY: &str = "sk-test-000111222333444555666777";

/// A session of several runs, one of which prints a key.
fn world() -> World {
    let world = World::new().with("SOME_API_KEY", KEY);
    let script = format!(
        r#"[{{"text":"I look.","tool_calls":[{{"name":"shell","arguments":{{"command":"echo {KEY}; echo shown"}}}}]}},"The word is **green**."]"#
    );
    for _ in 0..2 {
        let ran = world.exec(&["--mode", "unrestricted", "--script", &script, "what is the word?"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        if world.sessions().len() == 1 {
            let again = world.exec(&["--last", "--mode", "unrestricted", "--script", &script, "and now?"]);
            assert_eq!(again.code, 0, "{}", again.err);
        }
    }
    world
}

fn replay(world: &World, words: &[&str]) -> Ran {
    let id = world.sessions()[0].file_stem().unwrap().to_str().unwrap().to_owned();
    let output = world.program().args(["replay", &id]).args(words).output().unwrap();
    Ran::of(output.status, output.stdout, output.stderr)
}

/// The header, and each frame with its time.
fn read(text: &str) -> (Value, Vec<(f64, String)>) {
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let header = lines.next().unwrap();
    let frames = lines.map(|line| {
        assert_eq!(line[1], "o");
        (line[0].as_f64().unwrap(), line[2].as_str().unwrap().to_owned())
    });
    (header, frames.collect())
}

#[test]
fn a_recording_of_an_import_says_in_its_frames_that_it_is_one() {
    let world = World::new();
    assert_eq!(import(&world, &claude(&world), &[]).code, 0);
    let file = world.place().join("import.cast").display().to_string();
    let ran = replay(&world, &["--record", &file, "--size", "100x30"]);
    assert!(
        ran.code == 0 && ran.err.contains("came with an import; nobody here saw them decided"),
        "{ran:?}"
    );
    let (_, frames) = read(&fs::read_to_string(&file).unwrap());
    let mut terminal = vt100::Parser::new(NonZero::new(30).unwrap(), NonZero::new(100).unwrap(), 0);
    frames.iter().for_each(|(_, bytes)| terminal.process(bytes.as_bytes()));
    let last = terminal.screen().contents();
    let told = "This session came with an import: nobody here saw its decisions.";
    assert!(last.contains(told) && last.contains("There is a first line."), "{last}");
}

#[test]
fn a_recording_shows_what_the_session_says_and_is_the_same_each_time() {
    let world = world();
    let file = |name: &str| world.place().join(name).display().to_string();
    for (size, columns, rows) in [("100x30", 100_u16, 30_u16), ("40x10", 40, 10), ("200x50", 200, 50)] {
        let (one, two) = (file(&format!("one-{size}.cast")), file(&format!("two-{size}.cast")));
        let ran = replay(&world, &["--record", &one, "--size", size]);
        assert!(ran.code == 0 && ran.out.contains("frames were recorded to"), "{ran:?}");
        assert_eq!(replay(&world, &["--record", &two, "--size", size]).code, 0);
        let text = fs::read_to_string(&one).unwrap();
        assert_eq!(text, fs::read_to_string(&two).unwrap());
        let (header, frames) = read(&text);
        assert_eq!(
            (&header["version"], &header["width"], &header["height"]),
            (&2.into(), &columns.into(), &rows.into())
        );
        assert!(header["timestamp"].as_u64().unwrap() > 1_700_000_000);
        let mut terminal = vt100::Parser::new(NonZero::new(rows).unwrap(), NonZero::new(columns).unwrap(), 0);
        let mut before = 0.0;
        for (at, bytes) in &frames {
            assert!(*at >= before && *at - before <= 0.401, "no pause is long: {before} to {at}");
            before = *at;
            terminal.process(bytes.as_bytes());
            let screen = terminal.screen().contents();
            assert!(!screen.replace('\n', "").contains("sk-test"), "{screen}");
        }
        let last = terminal.screen().contents();
        let count = world_entries(&world);
        assert!(last.contains("The word is green.") && last.contains("✓ done"), "{size}: {last}");
        assert!(last.contains(&format!("‖ {count}/{count} ")), "{size}: {last}");
        assert!(!text.contains("sk-test"), "no key, in no piece");
    }
}

fn world_entries(world: &World) -> usize {
    fs::read_to_string(&world.sessions()[0]).unwrap().lines().count()
}

#[test]
fn a_recording_overwrites_nothing_and_takes_a_size_a_speed_and_a_theme() {
    let world = world();
    let file = world.place().join("talk.cast");
    let name = file.to_str().unwrap();
    fs::write(&file, "mine").unwrap();
    let ran = replay(&world, &["--record", name]);
    assert!(ran.code == 2 && ran.complaint().contains("exists already"), "{ran:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    for (words, said) in [
        (&["--size", "39x30"][..], "not a screen size"),
        (&["--size", "80x9"], "not a screen size"),
        (&["--size", "wide"], "not a screen size"),
        (&["--speed", "0"], "--speed must be"),
        (&["--speed", "NaN"], "--speed must be"),
        (&["--theme", "nobodys"], "there is no theme"),
    ] {
        let new = world.place().join("new.cast");
        let ran = replay(&world, &[&["--record", new.to_str().unwrap()], words].concat());
        assert!(ran.code == 2 && ran.complaint().contains(said), "{words:?}: {ran:?}");
        assert!(!new.exists(), "{words:?}");
    }
    let end = |name: &str, words: &[&str]| {
        let file = world.place().join(name);
        assert_eq!(replay(&world, &[&["--record", file.to_str().unwrap()], words].concat()).code, 0);
        let (_, frames) = read(&fs::read_to_string(&file).unwrap());
        frames
    };
    let (usual, fast) = (end("a.cast", &[]), end("b.cast", &["--speed", "10"]));
    assert_eq!(usual.len(), fast.len());
    let (usual_end, fast_end) = (usual[usual.len() - 1].0, fast[fast.len() - 1].0);
    assert!((usual_end / 10.0 - fast_end).abs() <= 0.002, "{usual_end} {fast_end}");
    assert_ne!(usual, end("c.cast", &["--theme", "paper"]), "other colours");
}
