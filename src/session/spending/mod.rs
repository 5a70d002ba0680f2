//! What all sessions have spent, added up: for the command line and for the page of it.

mod tally;

use std::path::{Path, PathBuf};

use crate::config::environment::Environment;
use crate::config::fault::one_line;
use crate::config::models::dollars;
use crate::ledger::Usage;
use crate::runtime::store::{SessionSpending, spending};
use crate::ui::text::{fit, grouped, sanitize};
use crate::ui::usage_table::{UsageBy, UsageTable};

pub(crate) use tally::{Spend, Tally};

/// Cells of a name.
const MOST_OF_A_NAME: usize = 48;

/// Adds up for a front end.
#[derive(Debug, Clone)]
pub(crate) struct UsageReader {
    state: PathBuf,
    environment: Environment,
}

impl UsageReader {
    /// Of the sessions in this state folder.
    pub(crate) fn new(state: PathBuf, environment: Environment) -> Self {
        Self { state, environment }
    }

    /// Reads all sessions, which may take seconds.
    pub(crate) fn table(&self, by: UsageBy) -> UsageTable {
        let (sessions, unreadable) = spending(&self.state);
        let mut tally = Tally::default();
        sessions.iter().for_each(|session| tally.add(session, by, None));
        let mut table = table(by, &tally, &self.environment);
        if tally.total == Spend::default() {
            table = UsageTable {
                remarks: vec!["Nothing has been spent yet.".to_owned()],
                ..UsageTable::default()
            };
        }
        let not_counted = left_out(&sessions, &unreadable).into_iter();
        table.remarks.extend(not_counted.map(|remark| sanitize(&remark).into_owned()));
        table
    }
}

/// What is to be said of sessions that were not counted, or perhaps not whole: which, and how many.
pub(crate) fn left_out(sessions: &[SessionSpending], unreadable: &[String]) -> Vec<String> {
    let broken = sessions.iter().filter_map(|session| session.broken.as_deref());
    let mut remarks: Vec<String> = broken.map(one_line).collect();
    remarks.extend(unreadable.iter().map(|why| format!("{}; not counted", one_line(why))));
    match remarks.len() {
        0 | 1 => {}
        bad => remarks.push(format!("{bad} sessions were not counted, or only in part")),
    }
    remarks
}

/// The table of what was added up.
pub(crate) fn table(by: UsageBy, tally: &Tally, environment: &Environment) -> UsageTable {
    let heads: &[&str] = match by {
        UsageBy::Tool => &["calls", "failed"],
        _ => &["answers", "input", "output", "cached", "cost", "retries", "errors"],
    };
    let heads = std::iter::once(by.as_str()).chain(heads.iter().copied()).map(str::to_owned).collect();
    let row = |(name, row): (&String, &Spend)| {
        let name = if by == UsageBy::Project { environment.shown(Path::new(name)) } else { name.clone() };
        cells(by, fit(&sanitize(&one_line(&name)), MOST_OF_A_NAME), row)
    };
    let total = cells(by, "total".to_owned(), &tally.total);
    let rows = tally.rows.iter().map(row).chain([total]).collect();
    // Each remark is about tokens and costs, which a table of tools does not have.
    let remarks = if by == UsageBy::Tool { Vec::new() } else { remarks(&tally.total) };
    UsageTable { heads, rows, remarks }
}

fn cells(by: UsageBy, name: String, row: &Spend) -> Vec<String> {
    let numbers: &[u64] = match by {
        UsageBy::Tool => &[row.calls, row.failed],
        _ => &[row.answers, row.usage.input, row.usage.output, row.usage.cache_read],
    };
    let mut cells: Vec<String> =
        std::iter::once(name).chain(numbers.iter().map(|number| grouped(*number))).collect();
    if by != UsageBy::Tool {
        cells.extend([cost(row), grouped(row.retries), grouped(row.errors)]);
    }
    cells
}

/// What a row cost. Answers without a price are named: they would count as free.
fn cost(row: &Spend) -> String {
    let priced = row.usage.cost.map(|micros| format!("${}", dollars(micros.0)));
    match (priced, row.unpriced) {
        (Some(priced), 0) => priced,
        (Some(priced), unpriced) if unpriced < row.answers => format!("{priced} + {unpriced} without price"),
        (None, 0) if row.assumed == 0 => "$0.00".to_owned(),
        _ => "unknown".to_owned(),
    }
}

/// What the numbers include, and what they leave out.
fn remarks(total: &Spend) -> Vec<String> {
    let mut all = Vec::new();
    if total.withdrawn > 0 {
        let count = answers(total.withdrawn);
        all.push(match total.withdrawn_usage.cost {
            Some(cost) => format!("${} of it is for {count} that errors cut off.", dollars(cost.0)),
            None if total.withdrawn == 1 => {
                format!("{count} was cut off by an error; its cost is not known.")
            }
            None => format!("{count} were cut off by errors; their cost is not known."),
        });
    }
    if total.estimated > 0 {
        let count = answers(total.estimated);
        let why = "cut short, or of a model that reports no counts, as a scripted one";
        all.push(match total.estimated_usage.cost {
            Some(cost) => format!(
                "${} of it is an estimate for {} without a count of tokens: {why}.",
                dollars(cost.0),
                answers(total.estimated_priced)
            ),
            None => format!("The tokens of {count} are estimates, as no count came with them: {why}."),
        });
    }
    if total.assumed > 0 {
        let Usage { input, output, cost, .. } = total.assumed_usage;
        let tokens = || format!("{} input and {} output tokens", grouped(input), grouped(output));
        let set_aside = cost.map_or_else(tokens, |cost| format!("${}", dollars(cost.0)));
        let tasks = if total.assumed == 1 { "1 task".to_owned() } else { format!("{} tasks", total.assumed) };
        all.push(format!(
            "{set_aside} of it was set aside for {tasks}: what was spent of that is not known."
        ));
    }
    if total.unpriced > 0 {
        let requests = if total.unpriced == 1 { "request" } else { "requests" };
        let count = total.unpriced;
        all.push(format!("{count} {requests} without a known price: their cost is not in the sums."));
    }
    all
}

fn answers(count: u64) -> String {
    if count == 1 { "1 answer".to_owned() } else { format!("{count} answers") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::MicroDollars;

    #[test]
    fn answers_that_errors_cut_off_are_told_with_and_without_a_price() {
        let said = |count: u64, cost: Option<u64>| {
            let withdrawn_usage = Usage { cost: cost.map(MicroDollars), ..Usage::default() };
            remarks(&Spend { withdrawn: count, withdrawn_usage, ..Spend::default() }).concat()
        };
        assert_eq!(said(6, None), "6 answers were cut off by errors; their cost is not known.");
        assert_eq!(said(1, None), "1 answer was cut off by an error; its cost is not known.");
        assert!(said(1, Some(250_000)).ends_with(" of it is for 1 answer that errors cut off."));
    }
}
