//! Sub-agents: how soon one starts, and what eight of them cost while they answer.

use std::time::Duration;

use crate::app::{App, Home};
use crate::keys::{report, type_hundred};
use crate::server::{EIGHT, PER_SECOND_OF_ONE, Server, Stamp};
use crate::{ms, row, spread};

/// From the last byte of the answer that starts a sub-agent to the last byte of the sub-agent's first request.
pub fn start(server: &Server) {
    let mut app = App::ready(&Home::new(&server.base_url()), &[]);
    let mut times: Vec<Duration> = (0..40)
        .map(|_| {
            app.says("do:child.");
            app.sees("esc interrupt");
            app.rests();
            server.stamp(Stamp::Asked, "well").unwrap() - server.stamp(Stamp::Answered, "child").unwrap()
        })
        .collect();
    let (median, most) = spread(&mut times);
    row("a sub-agent's first request", &format!("{median:.2} ms, most {most:.2}"), "5 ms");
}

pub fn eight(server: &Server) {
    let mut app = App::ready(&Home::new(&server.base_url()), &[]);
    app.says("do:eight.");
    app.until("all of them answer", |screen| screen.matches("answering").count() >= EIGHT);
    report("a key, eight sub-agents answer", type_hundred(&mut app), "4 ms, 99th 12");
    let (cpu, time) = (app.cpu(), Duration::from_secs(5));
    app.serve(time);
    let share = ms(app.cpu() - cpu) / ms(time) * 100.0;
    let figure = format!("  {EIGHT} times {PER_SECOND_OF_ONE} deltas a second, of a core");
    row(&figure, &format!("{share:.1} %"), "10 %");
}
