//! Adds up what sessions have spent, row by row.

use std::collections::BTreeMap;

use chrono::{DateTime, Local, NaiveDate};

use crate::ledger::{EntryId, Millis, Usage};
use crate::runtime::store::SessionSpending;
use crate::ui::usage_table::UsageBy as By;
use crate::wire::record::{SpentLine, SpentWhat};

/// The row, among those of models, of what belongs to none that is known.
const SET_ASIDE: &str = "(set aside)";

/// What belongs to one row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Spend {
    /// Answers and summaries of models.
    pub(crate) answers: u64,
    /// Their tokens and cost.
    pub(crate) usage: Usage,
    /// Answers whose price is unknown.
    pub(crate) unpriced: u64,
    /// Answers that were withdrawn, as an error had cut them off; their part of `usage`.
    pub(crate) withdrawn: u64,
    /// See `withdrawn`.
    pub(crate) withdrawn_usage: Usage,
    /// Answers that ended before anybody counted their tokens; their part of `usage` is an estimate.
    pub(crate) estimated: u64,
    /// See `estimated`.
    pub(crate) estimated_usage: Usage,
    /// Those of them that have a price.
    pub(crate) estimated_priced: u64,
    /// Tasks of which nobody knows what they spent.
    pub(crate) assumed: u64,
    /// What was set aside for them, beside what their own sessions recorded; their part of `usage`.
    pub(crate) assumed_usage: Usage,
    /// Model calls that were tried again.
    pub(crate) retries: u64,
    /// Errors.
    pub(crate) errors: u64,
    /// Results of tools.
    pub(crate) calls: u64,
    /// Those of them that are errors.
    pub(crate) failed: u64,
}

/// The rows, and their sum.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// By name.
    pub(crate) rows: BTreeMap<String, Spend>,
    /// All together.
    pub(crate) total: Spend,
}

/// The day of a moment, where this machine is.
pub(crate) fn day(at: Millis) -> NaiveDate {
    let moment = i64::try_from(at.0).ok().and_then(DateTime::from_timestamp_millis).unwrap_or_default();
    moment.with_timezone(&Local).date_naive()
}

impl Tally {
    /// Adds a session, from a day on.
    pub(crate) fn add(&mut self, session: &SessionSpending, by: By, since: Option<NaiveDate>) {
        let mut model = session.model.as_str();
        let mut answers: BTreeMap<EntryId, (Option<String>, Usage)> = BTreeMap::new();
        for line in &session.lines {
            if let SpentWhat::Answer { model: answering, .. } = &line.what {
                model = answering;
            }
            let on = day(line.at);
            if since.is_some_and(|since| on < since) {
                continue;
            }
            let name = match (by, &line.what) {
                // What a withdrawn answer cost belongs where the answer was counted.
                (_, SpentWhat::Withdrawn(answer)) => match answers.get(answer) {
                    Some((name, usage)) => {
                        let (name, usage) = (name.clone(), *usage);
                        self.each(name, |row| {
                            row.withdrawn += 1;
                            row.withdrawn_usage = row.withdrawn_usage.plus(usage);
                        });
                        continue;
                    }
                    None => continue,
                },
                (By::Model, SpentWhat::Assumed { usage, .. }) if *usage == Usage::default() => continue,
                (By::Model, SpentWhat::Assumed { .. }) => Some(SET_ASIDE.to_owned()),
                (By::Model, _) => Some(model.to_owned()),
                (By::Project, _) => Some(session.cwd.clone()),
                (By::Day, _) => Some(on.format("%Y-%m-%d").to_string()),
                (By::Tool, SpentWhat::Tool { name, .. }) => Some(name.clone()),
                // No tool has tokens of its own; they are in the sum.
                (By::Tool, _) => None,
            };
            if let SpentWhat::Answer { usage, .. } = &line.what {
                answers.insert(line.entry, (name.clone(), *usage));
            }
            self.each(name, |row| row.read(line));
        }
    }

    fn each(&mut self, name: Option<String>, change: impl Fn(&mut Spend)) {
        change(&mut self.total);
        if let Some(name) = name {
            change(self.rows.entry(name).or_default());
        }
    }
}

impl Spend {
    fn read(&mut self, line: &SpentLine) {
        match &line.what {
            SpentWhat::Answer { usage, .. } => {
                self.answers += 1;
                self.unpriced += u64::from(usage.cost.is_none());
                self.usage = self.usage.plus(*usage);
                if usage.estimated {
                    self.estimated += 1;
                    self.estimated_priced += u64::from(usage.cost.is_some());
                    self.estimated_usage = self.estimated_usage.plus(*usage);
                }
            }
            SpentWhat::Assumed { usage, .. } if *usage == Usage::default() => {}
            SpentWhat::Assumed { usage, .. } => {
                self.assumed += 1;
                self.usage = self.usage.plus(*usage);
                self.assumed_usage = self.assumed_usage.plus(*usage);
            }
            SpentWhat::Tool { failed, .. } => {
                self.calls += 1;
                self.failed += u64::from(*failed);
            }
            SpentWhat::Retry => self.retries += 1,
            SpentWhat::Error => self.errors += 1,
            SpentWhat::Withdrawn(_) => {}
        }
    }
}
