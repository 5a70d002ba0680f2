//! `usage`: what all sessions have spent, by model, project, tool or day.

pub mod args;

use chrono::{Days, Local};
use serde_json::{Map, Value, json};

use super::outcome::{complain, say};
use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::MicroDollars;
use crate::runtime::store::spending;
use crate::session::compose::state_of;
use crate::session::spending::{Spend, Tally, left_out, table};
use crate::ui::usage_table::UsageBy as By;
use crate::wire::record;
use args::UsageArgs;

/// Adds up all sessions.
///
/// # Errors
/// There is no folder for sessions, or stdout cannot be written to.
pub(super) fn run(words: &UsageArgs, environment: &Environment) -> Result<Exit, Fault> {
    let since = words.days.and_then(|days| {
        let before = Days::new(u64::from(days.saturating_sub(1)));
        Local::now().date_naive().checked_sub_days(before)
    });
    let (sessions, unreadable) = spending(&state_of(environment)?);
    for remark in left_out(&sessions, &unreadable) {
        complain(&format!("note: {remark}"));
    }
    let mut tally = Tally::default();
    sessions.iter().for_each(|session| tally.add(session, words.by, since));
    if words.json {
        let since = since.map_or(Value::Null, |day| day.format("%Y-%m-%d").to_string().into());
        let rows: Vec<Value> =
            tally.rows.iter().map(|(name, row)| as_json(Some((words.by, name)), row)).collect();
        let in_part = sessions.iter().filter(|session| session.broken.is_some()).count();
        let all = json!({
            "by": words.by.as_str(),
            "since": since,
            "rows": rows,
            "total": as_json(None, &tally.total),
            "sessions_not_counted": unreadable.len(),
            "sessions_counted_in_part": in_part,
        });
        return say(&format!("{}\n", record::line(&all)));
    }
    if tally.total == Spend::default() {
        complain("note: nothing has been spent yet");
        return Ok(Exit::Completed);
    }
    let table = table(words.by, &tally, environment);
    let lines = table.lines(usize::MAX).into_iter().chain(table.remarks);
    say(&lines.map(|line| line + "\n").collect::<String>())
}

fn as_json(name: Option<(By, &str)>, row: &Spend) -> Value {
    let mut all = Map::new();
    if let Some((by, name)) = name {
        all.insert(by.as_str().to_owned(), name.into());
    }
    let members = json!({
        "answers": row.answers,
        "input": row.usage.input,
        "output": row.usage.output,
        "cache_read": row.usage.cache_read,
        "cache_write": row.usage.cache_write,
        "reasoning": row.usage.reasoning,
        "answers_without_price": row.unpriced,
        "withdrawn_answers": row.withdrawn,
        "estimated_answers": row.estimated,
        "assumed_tasks": row.assumed,
        "retries": row.retries,
        "errors": row.errors,
        "tool_calls": row.calls,
        "failed_tool_calls": row.failed,
    });
    if let Value::Object(members) = members {
        all.extend(members);
    }
    // Where nothing was spent, that costs nothing. A tool has no costs of its own.
    let is_free = row.unpriced == 0 && row.assumed == 0 && !matches!(name, Some((By::Tool, _)));
    let nothing = is_free.then_some(MicroDollars(0));
    // A price that is not known has no member: `answers_without_price` says of how many.
    let costs = [
        ("cost_usd", row.usage.cost.or(nothing)),
        ("withdrawn_cost_usd", row.withdrawn_usage.cost),
        ("estimated_cost_usd", row.estimated_usage.cost),
        ("assumed_cost_usd", row.assumed_usage.cost),
    ];
    for (name, cost) in costs {
        if let Some(MicroDollars(micros)) = cost {
            all.insert(name.to_owned(), json!(micros as f64 / 1e6));
        }
    }
    Value::Object(all)
}
