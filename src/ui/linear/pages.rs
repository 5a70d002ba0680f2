//! What the screen has panes for, as lines: the ledger, outputs, what is going on. `ui/pages` has the rest.

use crate::ledger::{Body, CallId, Entry, EntryId, Millis};
use crate::policy::Mode;
use crate::ui::commands::COMMANDS;
use crate::ui::text::counted;
use crate::view::{Mark, PanelState, Row, View, one_line};

use super::calls::{changes, named};
use super::output::LinearOutput;
use super::words::{cost, count, duration, plain};

/// What can be taken back, and how.
pub(super) fn grants(view: &View, output: &mut LinearOutput) {
    let all = view.permissions().revocable();
    for (call, words) in &all {
        output.say(&format!("granted for this session with {call}: {words}"));
    }
    let hosts = &view.session.hosts;
    for host in hosts {
        output.say(&format!("allowed for this session: commands in the sandbox reach {host}; /permissions revoke {host} revokes it"));
    }
    for gap in &view.session.gaps {
        output.say(&format!("accepted for this session, though the sandbox does not hide it: {gap}; /permissions revoke gaps revokes it"));
    }
    match all.first() {
        Some((call, _)) => output.say(&format!("/permissions revoke {call} revokes the first one")),
        None if !hosts.is_empty() || !view.session.gaps.is_empty() => {}
        None => output.say("nothing is granted for this session"),
    }
}

/// What is in force, and what a command takes instead.
pub(super) fn values(command: &str, now: &str) -> String {
    let row = COMMANDS.iter().find(|row| row.name == command);
    format!("now: {now}; {command} takes {}", row.map(|row| row.values.join(", ")).unwrap_or_default())
}

/// The modes, and of a sub-agent those that it gets.
pub(super) fn modes(view: &View) -> String {
    let now = view.session.mode.as_str();
    let Some(above) = view.session.mode_above.filter(|above| *above < Mode::Unrestricted) else {
        return values("/mode", now);
    };
    let taken: Vec<&str> =
        Mode::ALL.iter().filter(|mode| **mode <= above).map(|mode| mode.as_str()).collect();
    let (taken, above) = (taken.join(", "), above.as_str());
    format!(
        "now: {now}; /mode takes {taken}; the others are looser than {above}, the mode of the session that started this one"
    )
}

/// What can be stopped, and how.
pub(super) fn running(view: &View, output: &mut LinearOutput) {
    let running: Vec<_> = view.shells().iter().filter(|shell| shell.is_running).collect();
    for shell in &running {
        output.say(&format!("{} runs: {}", shell.id, plain(&shell.command)));
    }
    match running.first() {
        Some(shell) => output.say(&format!("/shells stop {} stops the first one", shell.id)),
        None => output.say("nothing runs in the background"),
    }
}

/// The last entries, a line each.
pub(super) fn ledger(view: &View, entries: usize, output: &mut LinearOutput) {
    let rows = view.rows();
    let last = rows.get(rows.len().saturating_sub(entries)..).unwrap_or_default();
    last.iter().for_each(|row| output.say(&row_words(row)));
    output.say(&format!(
        "ledger: {} of {}; /show ID shows one in full",
        last.len(),
        counted(rows.len() as u64, "entry")
    ));
}

/// The entries in which these words stand.
pub(super) fn find(view: &View, wanted: &str, entry_json: fn(&Entry) -> String, output: &mut LinearOutput) {
    let lower = wanted.to_lowercase();
    let has = |row: &&Row| entry_json(&row.entry).to_lowercase().contains(&lower);
    let found: Vec<&Row> = view.rows().iter().filter(has).collect();
    found.iter().for_each(|row| output.say(&row_words(row)));
    output.say(&format!("found: {} with {wanted:?}", found.len()));
}

fn row_words(row: &Row) -> String {
    let marks: Vec<&str> = row.marks.iter().map(Mark::word).collect();
    let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
    let words = plain(&one_line(&row.entry));
    format!("{} {}{marks}: {words}", row.entry.id, row.entry.body.kind())
}

/// An entry as it is recorded.
pub(super) fn show(view: &View, id: EntryId, entry_json: fn(&Entry) -> String, output: &mut LinearOutput) {
    match view.row(id) {
        Some(row) => output.say(&format!("{id}: {}", entry_json(&row.entry))),
        None => output.say(&format!("show: there is no entry {id}")),
    }
}

/// All entries of a call, as they are recorded.
pub(super) fn show_call(
    view: &View,
    call: CallId,
    entry_json: fn(&Entry) -> String,
    output: &mut LinearOutput,
) {
    let rows: Vec<&Row> = view.rows().iter().filter(|row| row.entry.body.call() == Some(call)).collect();
    rows.iter().for_each(|row| output.say(&format!("{}: {}", row.entry.id, entry_json(&row.entry))));
    if rows.is_empty() {
        output.say(&format!("show: there is no call {call}"));
    }
}

/// All that a call wrote, or has written so far.
pub(super) fn output(view: &View, wanted: Option<CallId>, output: &mut LinearOutput) {
    let call = wanted.or_else(|| view.calls().next_back());
    let Some((call, panel)) = call.and_then(|call| Some((call, view.panel(call)?))) else {
        return output.say("output: there is no such call");
    };
    output.say(&format!("output of {call}, {}:", named(panel)));
    match (changes(panel), panel.result()) {
        (Some(lines), _) => lines.iter().for_each(|line| output.more(line)),
        (None, Some(result)) => output.more(&result.shown()),
        (None, None) => panel.written().for_each(|line| output.more(line)),
    }
    output.say(&format!("end of the output of {call}"));
}

/// What is going on, and which calls run.
pub(super) fn status(view: &View, now: Millis, output: &mut LinearOutput) {
    let time = duration(view.meter().wall_ms(now));
    output.say(&match view.status.is_busy() {
        true => format!("status: {}, turn {}, {time}", view.status.words(now), view.status.turn),
        false => "status: nothing runs".to_owned(),
    });
    for panel in view.calls().filter_map(|call| view.panel(call)) {
        let PanelState::Running { since, effect } = panel.state else { continue };
        let time = duration(now.since(since));
        output.say(&format!("tool {} ({}): runs for {time}", named(panel), effect.as_str()));
        if let Some(last) = panel.written().next_back() {
            output.more(last);
        }
    }
}

/// How a resumed session stands.
pub(super) fn resumed(view: &View) -> String {
    let of = |wanted: fn(&Body) -> bool| view.rows().iter().filter(|row| wanted(&row.entry.body)).count();
    let messages = of(|body| matches!(body, Body::User(_)));
    let calls = of(|body| matches!(body, Body::ToolCall(_)));
    format!(
        "resumed: {}, {}, paid {}; the last exchange:",
        match messages {
            1 => "1 message from you".to_owned(),
            n => format!("{n} messages from you"),
        },
        count(calls as u64, "tool call"),
        cost(view.meter().session_usage().cost)
    )
}
