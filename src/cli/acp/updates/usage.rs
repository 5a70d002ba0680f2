//! `usage_update`: how full the window is, what the session has cost, and all budgets.

use serde_json::{Value, json};

use crate::budget::{Gauge, Limit};
use crate::ledger::{Millis, Usage};
use crate::view::View;

/// After an answer with this usage.
pub(in crate::cli::acp) fn after(view: &View, usage: Usage) -> Value {
    let gauges = view.gauges(Millis(0));
    let spent = gauges.iter().find(|gauge| gauge.name == Limit::Cost.name()).map_or(0, |gauge| gauge.used);
    let cost = (spent > 0).then(|| json!({ "amount": spent as f64 / 1e6, "currency": "USD" }));
    json!({
        "sessionUpdate": "usage_update",
        "used": usage.input.saturating_add(usage.output),
        "size": view.session.window,
        "cost": cost,
        "_meta": { "countersign/budgets": gauges.iter().map(budget).collect::<Vec<_>>() },
    })
}

/// In the unit of the limit; money in millionths of a dollar.
fn budget(gauge: &Gauge) -> Value {
    json!({ "name": gauge.name, "used": gauge.used, "limit": gauge.limit })
}
