//! May it go on: the ten budgets of the design, metered by folding the ledger, so that resume, replay, gauges
//! and hard stops count the same way.

mod bound;
mod escrow;
mod forecast;
mod limits;
mod meter;
#[cfg(test)]
mod meter_tests;
mod returns;
mod wall_clock;

pub use crate::ledger::{Limit, LimitRow, Span, Unit};
pub use bound::{Bound, BoundRow};
pub use escrow::Grantable;
pub use forecast::{Cost, Forecast, Pace};
pub use limits::Limits;
pub use meter::{Gauge, Meter};
pub use returns::{Returns, TokenBudget, Verdict};
