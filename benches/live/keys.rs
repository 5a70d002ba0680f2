//! How long a key takes: from its bytes written to the terminal to the bytes that show it.

use std::time::Duration;

use crate::app::{App, Home};
use crate::server::Server;
use crate::{ms, row, spread};

/// Letters of a key burst; none of them is on the screen otherwise.
const LETTERS: &str = "QZXJKVWQZXJKVWQZXJKV";
/// Between two keys of somebody who types very fast, and out of step with anything that ticks.
const PAUSE: Duration = Duration::from_millis(37);

pub fn first_frame(server: &Server) {
    let home = Home::new(&server.base_url());
    let mut times: Vec<Duration> = (0..20)
        .map(|_| {
            let mut app = App::start(&home, &[]);
            let began = app.began;
            app.sees("ask anything") - began
        })
        .collect();
    times.sort();
    let measured = format!("{:.1} ms, least {:.1}", ms(times[10]), ms(times[0]));
    row("first frame, median of 20", &measured, "15 ms");
}

/// A hundred keys, five times twenty; the composer is cleared in between.
pub fn type_hundred(app: &mut App) -> Vec<Duration> {
    let mut times = Vec::new();
    for _ in 0..5 {
        for end in 1..=LETTERS.len() {
            let typed = &LETTERS[..end];
            let pressed = app.keys(&typed[end - 1..]);
            times.push(app.until(typed, |screen| screen.contains(typed)) - pressed);
            app.serve(PAUSE);
        }
        app.keys("\x15");
        app.until("an empty composer", |screen| !screen.contains(&LETTERS[..2]));
    }
    times
}

pub fn report(figure: &str, mut times: Vec<Duration>, target: &str) {
    let (median, most) = spread(&mut times);
    row(figure, &format!("{median:.2} ms, 99th {most:.2}"), target);
}

pub fn idle(server: &Server) {
    let mut app = App::ready(&Home::new(&server.base_url()), &[]);
    report("a key, idle", type_hundred(&mut app), "1 ms, 99th 4");
}

pub fn while_steady(server: &Server) {
    let mut app = App::ready(&Home::new(&server.base_url()), &[]);
    app.says("do:steady.");
    app.sees("folk is lost");
    report("a key, 200 deltas a second", type_hundred(&mut app), "2 ms, 99th 8");
}

pub fn while_at_full_speed(server: &Server) {
    let mut app = App::ready(&Home::new(&server.base_url()), &[]);
    app.says("do:endless.");
    app.sees("folk is lost");
    report("a key, deltas at full speed", type_hundred(&mut app), "2 ms, 99th 8");
}

pub fn while_a_tool_prints(server: &Server) {
    let mut times = Vec::new();
    for _ in 0..5 {
        let mut app = App::ready(&Home::new(&server.base_url()), &[]);
        app.says("do:print.");
        app.sees("the tool prints a line");
        for end in 1..=LETTERS.len() {
            let typed = &LETTERS[..end];
            let pressed = app.keys(&typed[end - 1..]);
            times.push(app.until(typed, |screen| screen.contains(typed)) - pressed);
            app.serve(Duration::from_millis(11));
        }
    }
    report("a key, a tool prints a gigabyte", times, "2 ms, 99th 8");
}

pub fn esc_in_a_shell(server: &Server) {
    let mut times = Vec::new();
    let mut left = 0;
    for _ in 0..20 {
        // The folder must outlive the app's start: a command runs in it.
        let home = Home::new(&server.base_url());
        let mut app = App::ready(&home, &[]);
        app.says("do:sleep.");
        app.sees("asleep");
        // The frame may have come in two reads: its last line says that it is whole.
        app.sees("esc interrupt");
        let pressed = app.keys("\x1b");
        times.push(app.rests() - pressed);
        app.serve(Duration::from_millis(100));
        left += children_of(app.id());
    }
    let (median, most) = spread(&mut times);
    let measured = format!("{median:.2} ms, most {most:.2}; left {left}");
    row("Esc in a shell to a ready composer", &measured, "5 ms, nothing left");
}

/// Processes that the app has started and that still live; one that is dead and not yet reaped is none.
fn children_of(id: u32) -> usize {
    let lists = std::fs::read_dir(format!("/proc/{id}/task")).unwrap().flatten();
    lists
        .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
        .map(|children| children.split_whitespace().filter(|id| lives(id)).count())
        .sum()
}

fn lives(id: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with('Z'))
}
