//! What it keeps, and what it does while nobody asks for anything.

use std::time::Duration;

use crate::app::{App, Home};
use crate::row;
use crate::server::Server;

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
    let (pss, rss) = app.memory();
    row("memory at start", &format!("{pss:.1} MB (resident {rss:.1})"), "15 MB");
    for turn in 0..turns {
        app.says(&format!("do:turn.{turn}."));
        app.sees(&format!("turn {turn} over"));
        app.rests();
    }
    let (pss, rss) = app.memory();
    row(&format!("memory after {turns} turns of 4 KB"), &format!("{pss:.1} MB (resident {rss:.1})"), "40 MB");
}
