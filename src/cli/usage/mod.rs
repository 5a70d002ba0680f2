//! `usage`: what all sessions have spent, by model, project, tool or day.

pub mod args;
mod tally;

use std::path::Path;

use chrono::{Days, Local};
use serde_json::{Map, Value, json};

use super::outcome::{complain, say};
use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::config::models::dollars;
use crate::ledger::MicroDollars;
use crate::runtime::store::spending;
use crate::session::compose::state_of;
use crate::ui::text::{fit, sanitize, width};
use crate::wire::record;
use args::{By, UsageArgs};
use tally::{Spend, Tally};

/// Cells of a name.
const MOST_OF_A_NAME: usize = 48;

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
    for why in &unreadable {
        complain(&format!("note: {}; not counted", one_line(why)));
    }
    let mut tally = Tally::default();
    sessions.iter().for_each(|session| tally.add(session, words.by, since));
    if words.json {
        let since = since.map_or(Value::Null, |day| day.format("%Y-%m-%d").to_string().into());
        let rows: Vec<Value> =
            tally.rows.iter().map(|(name, row)| as_json(Some((words.by, name)), row)).collect();
        let all = json!({ "by": words.by.as_str(), "since": since, "rows": rows, "total": as_json(None, &tally.total) });
        return say(&format!("{}\n", record::line(&all)));
    }
    if tally.total == Spend::default() {
        complain("note: nothing has been spent yet");
        return Ok(Exit::Completed);
    }
    say(&table(words.by, &tally, environment))
}

fn as_json(name: Option<(By, &str)>, row: &Spend) -> Value {
    let usd = |cost: Option<MicroDollars>| cost.map_or(Value::Null, |micros| json!(micros.0 as f64 / 1e6));
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
        "cost_usd": usd(row.usage.cost),
        "answers_without_price": row.unpriced,
        "withdrawn_answers": row.withdrawn,
        "withdrawn_cost_usd": usd(row.withdrawn_usage.cost),
        "retries": row.retries,
        "errors": row.errors,
        "tool_calls": row.calls,
        "failed_tool_calls": row.failed,
    });
    if let Value::Object(members) = members {
        all.extend(members);
    }
    Value::Object(all)
}

fn table(by: By, tally: &Tally, environment: &Environment) -> String {
    let heads: &[&str] = match by {
        By::Tool => &["calls", "failed"],
        _ => &["answers", "input", "output", "cached", "cost", "retries", "errors"],
    };
    let mut rows: Vec<Vec<String>> =
        vec![std::iter::once(by.as_str()).chain(heads.iter().copied()).map(str::to_owned).collect()];
    for (name, row) in &tally.rows {
        let name = if by == By::Project { environment.shown(Path::new(name)) } else { name.clone() };
        rows.push(cells(by, fit(&sanitize(&one_line(&name)), MOST_OF_A_NAME), row));
    }
    rows.push(cells(by, "total".to_owned(), &tally.total));
    let columns = heads.len() + 1;
    let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max();
    let widths: Vec<usize> = (0..columns).map(|column| widest(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in &rows {
        for (column, (cell, most)) in row.iter().zip(&widths).enumerate() {
            let space = " ".repeat(most.saturating_sub(width(cell)));
            // Names stand at the left of their column, numbers at the right.
            text += &if column == 0 { format!("{cell}{space}") } else { format!("  {space}{cell}") };
        }
        text.push('\n');
    }
    text + &remarks(&tally.total)
}

fn cells(by: By, name: String, row: &Spend) -> Vec<String> {
    let numbers: &[u64] = match by {
        By::Tool => &[row.calls, row.failed],
        _ => &[row.answers, row.usage.input, row.usage.output, row.usage.cache_read],
    };
    let mut cells: Vec<String> = std::iter::once(name).chain(numbers.iter().map(u64::to_string)).collect();
    if by != By::Tool {
        cells.extend([cost(row), row.retries.to_string(), row.errors.to_string()]);
    }
    cells
}

/// What a row cost. Answers without a price are named: they would count as free.
fn cost(row: &Spend) -> String {
    let priced = row.usage.cost.map(|micros| format!("${}", dollars(micros.0)));
    match (priced, row.unpriced) {
        (Some(priced), 0) => priced,
        (Some(priced), unpriced) if unpriced < row.answers => format!("{priced} + {unpriced} without price"),
        (None, 0) => "$0.00".to_owned(),
        _ => "no price".to_owned(),
    }
}

/// What the numbers include, and what they leave out.
fn remarks(total: &Spend) -> String {
    let mut text = String::new();
    if total.withdrawn > 0 {
        let cost = total
            .withdrawn_usage
            .cost
            .map_or_else(|| "an unknown price".to_owned(), |micros| format!("${}", dollars(micros.0)));
        text += &format!("{cost} of it is for {} that errors cut off.\n", answers(total.withdrawn));
    }
    if total.unpriced > 0 {
        text += &format!("The price of {} is unknown.\n", answers(total.unpriced));
    }
    text
}

fn answers(count: u64) -> String {
    if count == 1 { "1 answer".to_owned() } else { format!("{count} answers") }
}
