//! The process is killed at instants that nobody chose: what it told is kept, nothing runs twice, the file proves itself, and
//! a provider takes what is left.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::model_server::{ModelServer, Reply};
use crate::servers::{ALL, KEY};
use crate::world::{World, of_type, script};

/// How often, unless `COUNTERSIGN_KILLS` says otherwise.
const KILLS: usize = 9;

#[test]
fn killed_at_any_instant() {
    let kills = std::env::var("COUNTERSIGN_KILLS").map_or(KILLS, |count| count.parse().unwrap());
    let command = |number: u64| json!({ "name": "shell", "arguments": { "command": format!("echo {number} >> log.txt") } });
    let turns = (1..8).map(|turn| json!({ "text": "I go on.", "tool_calls": [command(turn)] }));
    let replies = script(Value::Array(turns.chain([json!("Done.")]).collect()));
    let words = ["--json", "--mode", "unrestricted", "--script", &replies, "go"];
    let began = Instant::now();
    World::new().exec(&words);
    let whole = began.elapsed();
    let server = ModelServer::start((0..kills).map(|_| Reply::text("Fine.")).collect());
    let mut random = u64::from(std::process::id());
    let mut resumed = 0;
    for kill in 0..kills {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let after = whole.mul_f64((random >> 40) as f64 / f64::from(1 << 24));
        let speech = &ALL[kill % ALL.len()];
        let world = World::new().with(speech.key, KEY).with(speech.url, &server.base_url());
        let run = world.begin(&words);
        spins(after);
        let told: Vec<Value> = run.kill_and_read();
        let told: Vec<Value> = told.into_iter().filter(|event| event.get("entry").is_some()).collect();
        if world.sessions().is_empty() {
            assert!(told.is_empty(), "what was told is kept");
            continue;
        }
        if !world.session_text().contains('\n') {
            assert!(told.is_empty(), "what was told is kept");
            continue;
        }
        // The kill may have torn the last line, which nobody was told of.
        let text = world.session_text();
        let whole = text.rsplit_once('\n').unwrap().0;
        let entries: Vec<Value> = whole.lines().map(crate::books::unchained).collect();
        assert_eq!(entries[..told.len()], told, "after {after:?}: what was told is kept");
        let checked = world.sessions_cli(&["check", "--last"]);
        assert_eq!(checked.code, 0, "after {after:?}: {}", checked.out);
        let ran = world.json(&["-m", speech.model, "--last", "go on"]);
        assert_eq!(ran.code, 0, "after {after:?}: {}", ran.err);
        let checked = world.sessions_cli(&["check", "--last"]);
        assert_eq!(checked.code, 0, "after {after:?}: {}", checked.out);
        let log = fs::read_to_string(world.work().join("log.txt")).unwrap_or_default();
        assert!("1\n2\n3\n4\n5\n6\n7\n".starts_with(&log), "in order, and none twice: {log:?}");
        let calls = of_type(&world.entries(), "tool_result").len();
        assert!(calls >= log.lines().count(), "what ran has its result");
        resumed += 1;
    }
    assert!(resumed > 0, "no kill came late enough");
    assert!(server.requests().iter().all(|request| request.status != 400), "the server refused a request");
}

/// Waits without giving the processor away: the instant is not one at which something happens.
fn spins(time: Duration) {
    let until = Instant::now() + time;
    while Instant::now() < until {
        std::hint::spin_loop();
    }
}
