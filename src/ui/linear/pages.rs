//! What the screen has panes for, as lines: help, budgets, the ledger, outputs, what is going on.

use crate::budget::{Gauge, Limit};
use crate::ledger::{Body, CallId, Entry, EntryId, Millis};
use crate::ui::slash;
use crate::view::{Granted, Mark, PanelState, Permissions, PlanProgress, Row, View, one_line, summary};

use super::calls::named;
use super::commands;
use super::voice::Voice;
use super::words::{amount, cost, count, duration, plain};

/// What can be typed.
pub(super) fn help(voice: &mut Voice) {
    voice.say("help: a line is a message; a line that ends in a backslash goes on in the next one; \"\"\" begins and ends a text of several lines");
    voice.say("help: while a call waits, y allows it once, s for this session, n denies it, r denies it with a reason; y 2 answers the second");
    voice.say("help: b allows a command once, in the sandbox, where there is one");
    voice.say("help: a says a rule that would cover it and its like, with the earlier calls that it would have covered; a once more takes it for this session, any other line does not");
    voice.say("help: Ctrl-C interrupts what runs; Ctrl-D leaves; a message while it works is delivered with the next tool results");
    let of_the_screen = slash::KNOWN.iter().filter(|(name, _)| !["/theme", "/ledger"].contains(name));
    for (name, words) in of_the_screen.chain(commands::KNOWN.iter()) {
        voice.say(&format!("{name}: {words}"));
    }
}

/// All budgets, what was used of the context, and what was paid.
pub(super) fn budgets(view: &View, now: Millis, voice: &mut Voice) {
    for gauge in view.gauges(now) {
        voice.say(&format!("budget {}: {}", gauge.name, used(gauge)));
    }
    let tokens = view.meter().usage().output;
    voice.say(&match view.token_budget() {
        Some(limit) => {
            let gauge = Gauge { name: Limit::Tokens.name(), used: tokens, limit: Some(limit) };
            format!("budget {}: {}", gauge.name, used(gauge))
        }
        None => format!("budget {}: not set", Limit::Tokens.name()),
    });
    let context = view.meter().context_tokens();
    voice.say(&format!("context: {context} of {} tokens", view.session.window));
    for (what, usage) in [("this run", view.meter().usage()), ("this session", view.meter().session_usage())]
    {
        let words = format!("{} in, {} out", count(usage.input, "token"), count(usage.output, "token"));
        voice.say(&format!("paid {what}: {}, {words}", cost(usage.cost)));
    }
}

/// The mode and what it allows, the rules in force, strictest first, and what was allowed exactly.
pub(super) fn permissions(view: &View, voice: &mut Voice) {
    let (mode, all) = (view.session.mode, view.permissions());
    let Permissions { rules, taken, granted } = &all;
    voice.say(&format!("mode: {mode}: {}", mode.allows()));
    for rule in rules {
        let matched = match rule.last {
            None => "matched nothing yet".to_owned(),
            Some(call) => {
                let arguments = view.panel(call).and_then(|panel| panel.arguments());
                format!("last matched {call} {}", arguments.map(summary).unwrap_or_default())
            }
        };
        let counts = if rule.counts { "" } else { ", which does not count" };
        let (kind, text, origin) = (rule.kind.as_str(), &rule.text, &rule.origin);
        voice.say(&format!("rule: {kind} {text}, from {origin}{counts}; {matched}"));
    }
    for Granted { call, name, about, last } in granted {
        let since = last.map_or_else(|| "no call since".to_owned(), |last| format!("last allowed {last}"));
        voice.say(&format!("allowed for this session by you with {call}; {since}; exactly: {name} {about}"));
    }
    for (call, rule) in taken {
        voice.say(&format!("taken for this session by you with {call}: {rule}"));
    }
    if let Some((call, _)) = all.revocable().first() {
        voice.say(&format!(
            "to take one back: /permissions revoke and its call, as in /permissions revoke {call}"
        ));
    }
    let exactly = match granted.len() {
        0 => String::new(),
        all => format!(", and {} allowed exactly", count(all as u64, "action")),
    };
    voice.say(&format!("permissions: {} in force{exactly}", count(rules.len() as u64, "rule")));
}

/// What can be taken back, and how.
pub(super) fn grants(view: &View, voice: &mut Voice) {
    let all = view.permissions().revocable();
    for (call, words) in &all {
        voice.say(&format!("granted for this session with {call}: {words}"));
    }
    match all.first() {
        Some((call, _)) => voice.say(&format!("/permissions revoke {call} takes the first one back")),
        None => voice.say("nothing is granted for this session"),
    }
}

/// The background commands, as they were last asked for.
pub(super) fn shells(view: &View, now: Millis, voice: &mut Voice) {
    for shell in view.shells() {
        let stands = if shell.is_running {
            let (since, asked) = (duration(now.since(shell.since)), duration(now.since(shell.asked)));
            format!("runs for {since}, as the agent saw it {asked} ago")
        } else {
            plain(&shell.words)
        };
        voice.say(&format!("{}: {}; {stands}", shell.id, plain(&shell.command)));
        if !shell.last_line.is_empty() {
            voice.more(&shell.last_line);
        }
    }
    if view.shells().is_empty() {
        voice.say("background commands: none was started");
    }
}

/// `12 turns of 50 turns used, 38 turns left`
pub(super) fn used(Gauge { name, used, limit }: Gauge) -> String {
    let write = |value| amount(Limit::parse(name), value);
    match limit {
        None => format!("{} used, no limit", write(used)),
        Some(limit) if used >= limit => format!("{} of {} used, used up", write(used), write(limit)),
        Some(limit) => {
            format!("{} of {} used, {} left", write(used), write(limit), write(limit - used))
        }
    }
}

/// The model's to-do list, an item a line.
pub(super) fn plan(view: &View, voice: &mut Voice) {
    let items = view.plan();
    if items.is_empty() {
        return voice.say("plan: there is none");
    }
    let PlanProgress { done, all, .. } = PlanProgress::of(items);
    voice.say(&format!("plan: {done} of {all} done"));
    for (at, item) in items.iter().enumerate() {
        voice.say(&format!("item {}, {}: {}", at + 1, item.status.word(), plain(&item.text)));
    }
}

/// The last entries, a line each.
pub(super) fn ledger(view: &View, entries: usize, voice: &mut Voice) {
    let rows = view.rows();
    let last = rows.get(rows.len().saturating_sub(entries)..).unwrap_or_default();
    last.iter().for_each(|row| voice.say(&row_words(row)));
    voice.say(&format!("ledger: {} of {} entries; /show ID says one whole", last.len(), rows.len()));
}

/// The entries in which these words stand.
pub(super) fn find(view: &View, wanted: &str, entry_json: fn(&Entry) -> String, voice: &mut Voice) {
    let lower = wanted.to_lowercase();
    let has = |row: &&Row| entry_json(&row.entry).to_lowercase().contains(&lower);
    let found: Vec<&Row> = view.rows().iter().filter(has).collect();
    found.iter().for_each(|row| voice.say(&row_words(row)));
    voice.say(&format!("found: {} with {wanted:?}", found.len()));
}

fn row_words(row: &Row) -> String {
    let marks: Vec<&str> = row.marks.iter().map(Mark::word).collect();
    let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
    let words = plain(&one_line(&row.entry));
    format!("{} {}{marks}: {words}", row.entry.id, row.entry.body.kind())
}

/// An entry as it is recorded.
pub(super) fn show(view: &View, id: EntryId, entry_json: fn(&Entry) -> String, voice: &mut Voice) {
    match view.row(id) {
        Some(row) => voice.say(&format!("{id}: {}", entry_json(&row.entry))),
        None => voice.say(&format!("show: there is no entry {id}")),
    }
}

/// All entries of a call, as they are recorded.
pub(super) fn show_call(view: &View, call: CallId, entry_json: fn(&Entry) -> String, voice: &mut Voice) {
    let rows: Vec<&Row> = view.rows().iter().filter(|row| row.entry.body.call() == Some(call)).collect();
    rows.iter().for_each(|row| voice.say(&format!("{}: {}", row.entry.id, entry_json(&row.entry))));
    if rows.is_empty() {
        voice.say(&format!("show: there is no call {call}"));
    }
}

/// All that a call wrote, or has written so far.
pub(super) fn output(view: &View, wanted: Option<CallId>, voice: &mut Voice) {
    let call = wanted.or_else(|| view.calls().next_back());
    let Some((call, panel)) = call.and_then(|call| Some((call, view.panel(call)?))) else {
        return voice.say("output: there is no such call");
    };
    voice.say(&format!("output of {call}, {}:", named(panel)));
    match panel.result() {
        Some(result) => voice.more(&result.shown()),
        None => panel.written().for_each(|line| voice.more(line)),
    }
    voice.say(&format!("end of the output of {call}"));
}

/// What is going on, and which calls run.
pub(super) fn status(view: &View, now: Millis, voice: &mut Voice) {
    let time = duration(view.meter().wall_ms(now));
    voice.say(&match view.status.is_busy() {
        true => format!("status: {}, turn {}, {time}", view.status.words(now), view.status.turn),
        false => "status: nothing runs".to_owned(),
    });
    for panel in view.calls().filter_map(|call| view.panel(call)) {
        let PanelState::Running { since, effect } = panel.state else { continue };
        let time = duration(now.since(since));
        voice.say(&format!("tool {} ({}): runs for {time}", named(panel), effect.as_str()));
        if let Some(last) = panel.written().next_back() {
            voice.more(last);
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
            1 => "1 message of yours".to_owned(),
            n => format!("{n} messages of yours"),
        },
        count(calls as u64, "tool call"),
        cost(view.meter().session_usage().cost)
    )
}
