//! What a person feels: the real program in a real pseudo-terminal, against a model on 127.0.0.1.
//!
//! Run with `cargo bench --bench live`; words after `--` choose figures by the start of their name. The figures are
//! printed with their targets beside them; nothing here passes or fails.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a bench is no interface"
)]

mod app;
mod editor;
mod files;
mod headless;
mod keys;
mod server;
mod shells;
mod size;
mod stream;
mod subagents;

use std::time::Duration;

use server::Server;

type Measure = fn(&Server);

fn main() {
    let all: [(&str, Measure); 17] = [
        ("first", keys::first_frame),
        ("idle", keys::idle),
        ("steady", keys::while_steady),
        ("full", keys::while_at_full_speed),
        ("files", files::named),
        ("print", keys::while_a_tool_prints),
        ("esc", keys::esc_in_a_shell),
        ("flood", stream::flood),
        ("two", stream::two_hundred_a_second),
        ("headless", headless::tool_turn),
        ("shells", shells::shell_calls),
        ("child", subagents::start),
        ("eight", subagents::eight),
        ("editor", editor::prompts),
        ("resume", headless::resume),
        ("rest", size::rest),
        ("memory", size::memory),
    ];
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let server = Server::start();
    println!("{:<44} {:>30}   target", "figure", "measured");
    for (name, measure) in all {
        if wanted.is_empty() || wanted.iter().any(|word| name.starts_with(word.as_str())) {
            measure(&server);
        }
    }
}

/// One row of the table.
pub(crate) fn row(figure: &str, measured: &str, target: &str) {
    println!("{figure:<44} {measured:>30}   {target}");
}

/// Milliseconds, as a number.
pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The median and the 99th of 100 (the largest but one of a hundred).
pub(crate) fn spread(times: &mut [Duration]) -> (f64, f64) {
    times.sort();
    let at = |share: usize| ms(times[(times.len() * share / 100).min(times.len() - 1)]);
    (at(50), at(99).min(ms(times[times.len().saturating_sub(2)])))
}
