//! The page of budgets: what was used, the limit, what is left, and what was paid.

use std::sync::Arc;

use ratatui::text::Line;

use super::{Page, PageEntry, PageFrame, Spoken};
use crate::budget::{Gauge, Limit};
use crate::ledger::{Millis, grouped};
use crate::ui::linear::words::{amount, cost, count, used};
use crate::ui::panes::budgets;
use crate::view::View;

/// `/budgets`
pub(in crate::ui) const BUDGETS: PageEntry = PageEntry { name: "budgets", open: |_| Arc::new(Budgets) };

#[derive(Debug)]
struct Budgets;

impl Page for Budgets {
    fn title(&self, _: &View) -> String {
        "budgets".to_owned()
    }

    fn rows(&self, frame: &PageFrame<'_>, width: u16) -> Vec<Line<'static>> {
        budgets::lines(frame, usize::from(width))
    }

    /// All budgets, what was used of the context, and what was paid.
    fn spoken(&self, view: &View, now: Millis) -> Vec<Spoken> {
        let paid_for = view.meter().session_usage();
        let is_unpriced = paid_for.cost.is_none() && (paid_for.input > 0 || paid_for.output > 0);
        let budget = |gauge: Gauge| match gauge.limit {
            // A cost that nobody knows is not none.
            None if is_unpriced && gauge.name == Limit::Cost.name() => {
                format!("budget {}: unknown, no limit", gauge.name)
            }
            _ => {
                let below = Limit::parse(gauge.name).map(|limit| (limit, view.spent_below(limit, now)));
                let below = below.filter(|(_, spent)| *spent > 0).map(|(limit, spent)| {
                    let of = if gauge.set_aside > 0 { "of what is set aside" } else { "more" };
                    format!("; agents have spent {} {of} so far", amount(Some(limit), spent))
                });
                format!("budget {}: {}{}", gauge.name, used(gauge), below.unwrap_or_default())
            }
        };
        let mut said: Vec<String> = view.gauges(now).into_iter().map(budget).collect();
        let tokens = view.meter().usage().output;
        said.push(match view.token_budget() {
            Some(limit) => {
                budget(Gauge { name: Limit::Tokens.name(), used: tokens, limit: Some(limit), set_aside: 0 })
            }
            None => format!("budget {}: not set", Limit::Tokens.name()),
        });
        said.extend(view.goal_forecast().map(|goal| format!("goal: {}", goal.words())));
        let next = view.session.next.and_then(|next| next.cost());
        said.extend(
            next.map(|cost| format!("next request: {} for the prompt, without your message", cost.prompt)),
        );
        let context = view.meter().context_tokens();
        let window = grouped(view.session.window);
        said.push(format!("context: {} of {window} tokens", grouped(context)));
        let paid = [("this run", view.meter().usage()), ("this session", view.meter().session_usage())];
        said.extend(paid.map(|(what, usage)| {
            let words = format!("{} in, {} out", count(usage.input, "token"), count(usage.output, "token"));
            format!("paid {what}: {}, {words}", cost(usage.cost))
        }));
        said.into_iter().map(Spoken::Line).collect()
    }
}
