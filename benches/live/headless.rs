//! Turns without a screen, and sessions taken up again.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use countersign::wire::record::Chain;

use crate::app::{App, Home, program};
use crate::server::Server;
use crate::{row, spread};

/// One run of `exec`: how long it took, and what of that was the server's.
fn exec(home: &Home, server: &Server, wish: &str) -> (Duration, Duration) {
    let spent = server.spent();
    let began = Instant::now();
    let done = Command::new(program())
        .args(["exec", wish])
        .env_clear()
        .envs(home.variables())
        .current_dir(home.workspace())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let took = began.elapsed();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    (took, server.spent() - spent)
}

/// A run of two turns with one call against a run of one turn: the difference is a tool turn. They take turns, so that
/// what changes on the machine meanwhile changes both.
pub fn tool_turn(server: &Server) {
    let home = Home::new(&server.base_url());
    let run = |wish: &str| {
        let (took, theirs) = exec(&home, server, wish);
        took.saturating_sub(theirs)
    };
    let (mut plain, mut tool): (Vec<Duration>, Vec<Duration>) =
        (0..101).map(|_| (run("do:well."), run("do:read."))).unzip();
    let ((plain, _), (tool, _)) = (spread(&mut plain), spread(&mut tool));
    row("a headless run of one turn, start to end", &format!("{plain:.1} ms"), "-");
    row("a headless tool turn more (read)", &format!("{:.2} ms", tool - plain), "2 ms");
    row(
        "  of that: its two syncs on this disk",
        &format!("{:.2} ms", 2.0 * sync_time(&home.workspace())),
        "-",
    );
}

/// The median of writing and syncing 200 bytes here, in milliseconds.
fn sync_time(folder: &Path) -> f64 {
    use std::io::Write;
    let mut file = fs::File::create(folder.join("sync")).unwrap();
    let mut times: Vec<Duration> = (0..50)
        .map(|_| {
            let began = Instant::now();
            file.write_all(&[b'x'; 200]).unwrap();
            file.sync_data().unwrap();
            began.elapsed()
        })
        .collect();
    spread(&mut times).0
}

/// A session of 10,000 entries, made of a real one whose last turn is told again and again.
pub fn resume(server: &Server) {
    let home = Home::new(&server.base_url());
    exec(&home, server, "do:turn.1.");
    let file = session_file(&home.state()).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, repeated(&text, 10_000)).unwrap();
    fs::remove_file(file.with_extension("head")).unwrap_or_default();
    let id = file.file_stem().unwrap().to_string_lossy().into_owned();
    let mut times: Vec<Duration> = (0..10)
        .map(|_| {
            let mut app = App::start(&home, &["resume", &id]);
            let began = app.began;
            app.sees("turn 1 over") - began
        })
        .collect();
    let megabytes = fs::metadata(&file).unwrap().len() as f64 / 1e6;
    let measured = format!("{:.0} ms ({megabytes:.0} MB)", spread(&mut times).0);
    row("the end of 10,000 entries resumed", &measured, "100 ms");
}

/// The lines of a session, and those from its message on again until there are so many: with new numbers.
fn repeated(text: &str, entries: usize) -> String {
    let mut lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let from = lines.iter().position(|line| line["type"] == "user_message").unwrap();
    let turn = lines[from..].to_vec();
    while lines.len() < entries {
        for line in &turn {
            let mut line = line.clone();
            let id = serde_json::Value::from(format!("e{}", lines.len() + 1));
            if line["id"] == line["entry"] {
                line["id"] = id.clone();
            }
            line["entry"] = id;
            lines.push(line);
        }
    }
    let mut chain = Chain::default();
    lines.into_iter().map(|line| chain.line(line, &mut || [7; 16]) + "\n").collect()
}

fn session_file(folder: &Path) -> Option<std::path::PathBuf> {
    fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
        let path = entry.path();
        let is_session = path.extension().is_some_and(|ending| ending == "jsonl");
        if path.is_dir() { session_file(&path) } else { Some(path).filter(|_| is_session) }
    })
}
