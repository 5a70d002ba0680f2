//! Races whose lanes differ by a seed: it is in the session of its lane, and in each of its requests, or the race is refused.

use std::fs;

use serde_json::{Value, json};

use crate::model_server::{Part, Reply};
use crate::races::in_a_repository;
use crate::servers::{ANTHROPIC, OPENAI, RESPONSES, accepted};
use crate::world::{of_type, script, text};

#[test]
fn the_seed_of_a_lane_is_in_its_session_and_in_each_of_its_requests() {
    let look = || Reply::Stream(vec![Part::call("a", "list", &json!({}))]);
    let (server, world) = OPENAI.serve(vec![look(), look(), Reply::text("Done."), Reply::text("Done.")]);
    let world = in_a_repository(world);
    let ran = world.race(&["--json", "--seeds", "5,6", "Look at it with care"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let mut sent: Vec<u64> = accepted(&server).iter().map(|body| body["seed"].as_u64().unwrap()).collect();
    // Which lane hears which answer is not said: one may look twice.
    assert_eq!(sent.len(), 4);
    sent.sort_unstable();
    sent.dedup();
    assert_eq!(sent, [5, 6]);
    for (line, seed) in ran.out.lines().zip([5, 6]) {
        let lane: Value = serde_json::from_str(line).unwrap();
        assert_eq!(lane["seed"], seed);
        let is_its = |path: &std::path::PathBuf| path.file_stem().unwrap() == text(&lane, "session").as_str();
        let file = world.sessions().into_iter().find(is_its).unwrap();
        let entries: Vec<Value> =
            fs::read_to_string(file).unwrap().lines().map(crate::books::unchained).collect();
        let set = of_type(&entries, "seed_set");
        assert_eq!(set.iter().map(|set| set["seed"].clone()).collect::<Vec<_>>(), [json!(seed)]);
        assert_eq!(world.sessions_cli(&["check", &text(&lane, "session")]).code, 0);
    }
    let shown = world.race(&["show"]).out;
    let head = shown.lines().next().unwrap();
    assert!(
        head.contains("seed") && shown.lines().any(|line| line.starts_with('2') && line.contains("  6  ")),
        "{shown}"
    );
}

#[test]
fn a_race_with_seeds_and_a_model_that_takes_none_is_refused_before_anything_starts() {
    for speech in [ANTHROPIC, RESPONSES] {
        let (server, world) = speech.serve(Vec::new());
        let world = in_a_repository(world);
        for words in [
            &["--seeds", "1,2", "Do it with care"][..],
            &["--seeds", "1,2", "--models", speech.model, "Do it with care"],
            &[
                "--seeds",
                "1",
                "--models",
                &format!("script,{}", speech.model),
                "--script",
                "[]",
                "Do it with care",
            ],
        ] {
            let ran = world.race(words);
            let why = format!("{} takes no seed", speech.model);
            assert!(ran.code == 2 && ran.err.contains(&why), "{words:?}: {ran:?}");
        }
        assert!(world.sessions().is_empty() && server.requests().is_empty());
    }
    let world = in_a_repository(crate::world::World::new());
    let replies = script(json!(["Done.", "Done."]));
    // A script stands for any model.
    assert_eq!(world.race(&["--seeds", "1,2", "--script", &replies, "Do it with care"]).code, 0);
    assert_eq!(world.race(&["--seeds", "-1", "--script", &replies, "Do it with care"]).code, 2);
}
