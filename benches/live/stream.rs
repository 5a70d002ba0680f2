//! What an answer costs on its way to the screen.

use std::time::Duration;

use crate::app::{App, Home};
use crate::row;
use crate::server::{DELTAS, PER_SECOND, Server, delta};

pub fn flood(server: &Server) {
    let rounds = 5;
    let (mut cpu, mut bytes, mut time) = (Duration::MAX, 0, Duration::MAX);
    for _ in 0..rounds {
        let mut app = App::ready(&Home::new(&server.base_url()), &[]);
        app.says("do:turn.0.");
        app.sees("turn 0 over");
        app.rests();
        app.says("do:flood.");
        let (cpu_before, bytes_before, began) = (app.cpu(), app.bytes, std::time::Instant::now());
        let over = app.sees("lostover.").max(app.rests());
        let spent = app.cpu() - cpu_before;
        if spent < cpu {
            (cpu, bytes, time) = (spent, app.bytes - bytes_before, over - began);
        }
    }
    let text: usize = (0..DELTAS).map(|number| delta(number).replace("\\n", "\n").len()).sum();
    let measured = format!("{:.3} s of CPU in {:.2} s", cpu.as_secs_f64(), time.as_secs_f64());
    row("20,000 deltas of 4, full speed, best of 5", &measured, "0.15 s");
    row("bytes written for each byte of text", &format!("{:.2}", bytes as f64 / text as f64), "1.5");
}

pub fn two_hundred_a_second(server: &Server) {
    let mut app = App::ready(&Home::new(&server.base_url()), &[]);
    app.says("do:steady.");
    app.sees("folk is lost");
    let time = Duration::from_secs(5);
    let (cpu, bytes, count) = (app.cpu(), app.bytes, app.count);
    app.serve(time);
    let share = (app.cpu() - cpu).as_secs_f64() / time.as_secs_f64() * 100.0;
    row("200 deltas a second, of a core", &format!("{share:.1} %"), "4 %");
    let written = (app.bytes - bytes) as f64 / (time.as_secs() as f64 * f64::from(PER_SECOND) * 4.0);
    let frames = (app.count - count) as f64 / time.as_secs_f64();
    row("  written for each byte, reads a second", &format!("{written:.1}, {frames:.0}"), "-, 120");
}
