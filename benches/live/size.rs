//! What it keeps, and what it does while nobody asks for anything.

use std::time::{Duration, Instant};

use crate::app::{App, Home};
use crate::server::Server;
use crate::{ms, row};

pub fn rest(server: &Server) {
    let mut app = App::ready(&Home::new(&server.base_url()), &[]);
    app.says("do:turn.0.");
    app.sees("turn 0 over");
    app.rests();
    app.serve(Duration::from_millis(500));
    let (cpu, bytes) = (app.cpu(), app.bytes);
    app.serve(Duration::from_secs(2));
    let measured =
        format!("{:.2} ms of CPU, {} bytes", (app.cpu() - cpu).as_secs_f64() * 1e3, app.bytes - bytes);
    row("two seconds of rest", &measured, "none, none");
}

/// Turns of 4 KB; `COUNTERSIGN_TURNS` says how many, 1,000 unless set.
pub fn memory(server: &Server) {
    let turns: usize =
        std::env::var("COUNTERSIGN_TURNS").ok().and_then(|turns| turns.parse().ok()).unwrap_or(1_000);
    let mut app = App::ready(&Home::new(&server.base_url()), &[]);
    app.serve(Duration::from_millis(200));
    row("memory at start", &app.memory().to_string(), "15 MB");
    let mut times = Vec::with_capacity(turns);
    for turn in 0..turns {
        app.says(&format!("do:turn.{turn}."));
        let (began, theirs) = (Instant::now(), server.spent());
        app.sees(&format!("turn {turn} over"));
        app.rests();
        times.push(began.elapsed().saturating_sub(server.spent() - theirs));
    }
    row(&format!("memory after {turns} turns of 4 KB"), &app.memory().to_string(), "40 MB");
    let (early, late) = (around(&times, 20), around(&times, turns * 22 / 25));
    let measured = format!("{early:.1} ms, {late:.1} ms: {:.1} times", late / early);
    row(&format!("turn 20, turn {}, the server's time left out", turns * 22 / 25), &measured, "-");
}

/// The median of the turns around this one, in milliseconds.
fn around(times: &[Duration], turn: usize) -> f64 {
    let mut near: Vec<Duration> = times.iter().skip(turn.saturating_sub(10)).take(21).copied().collect();
    near.sort();
    near.get(near.len() / 2).map_or(0.0, |time| ms(*time))
}
