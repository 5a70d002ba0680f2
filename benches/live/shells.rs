//! What a shell call costs more than its command, alone and beside many other processes.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::app::{Home, program};
use crate::server::Server;
use crate::{row, spread};

/// Calls of the longer run; the difference to a run of one call is what they cost.
const CALLS: usize = 41;
/// Other processes.
const OTHERS: usize = 2_000;

/// A run of so many calls of `true`.
fn run(home: &Home, calls: usize) -> Duration {
    let call = r#"{"tool_calls":[{"name":"shell","arguments":{"command":"true"}}]}"#;
    let script = format!("[{}\"Done.\"]", format!("{call},").repeat(calls));
    let began = Instant::now();
    let done = Command::new(program())
        .args(["exec", "--mode", "unrestricted", "--max-turns", "100", "--script", &script, "go"])
        .env_clear()
        .envs(home.variables())
        .current_dir(home.workspace())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    began.elapsed()
}

/// Milliseconds of one call.
fn one_call(home: &Home) -> f64 {
    let (mut one, mut many): (Vec<Duration>, Vec<Duration>) =
        (0..11).map(|_| (run(home, 1), run(home, CALLS))).unzip();
    (spread(&mut many).0 - spread(&mut one).0) / (CALLS - 1) as f64
}

/// Milliseconds of `sh -c true` started by itself.
fn the_command() -> f64 {
    let mut times: Vec<Duration> = (0..101)
        .map(|_| {
            let began = Instant::now();
            Command::new("sh").args(["-c", "true"]).status().unwrap();
            began.elapsed()
        })
        .collect();
    spread(&mut times).0
}

/// The same calls with few and with many other processes, which are ended afterwards.
pub fn shell_calls(server: &Server) {
    let home = Home::new(&server.base_url());
    let (alone, few) = (the_command(), one_call(&home));
    let mut others: Vec<Child> =
        (0..OTHERS).map(|_| Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap()).collect();
    let (beside, many) = (the_command(), one_call(&home));
    for other in &mut others {
        other.kill().unwrap();
        other.wait().unwrap();
    }
    let figure = |call: f64, command: f64| format!("{call:.2} ms, the command {command:.2}");
    row("a shell call and its turn", &figure(few, alone), "-");
    row("  the same beside 2,000 processes", &figure(many, beside), "0 ms more");
}
