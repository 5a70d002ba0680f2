//! With what a run goes on that a budget or a price stopped.

use crate::agent::Intent;
use crate::budget::Limit;
use crate::ledger::{Body, Ending, PriceEstimate, TurnEnded};

use super::View;

/// With what a run that a budget or a price stopped can go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// A limit can be raised.
    Limit {
        /// Which.
        limit: Limit,
        /// The limit in force plus its configured size, in its own unit.
        to: u64,
    },
    /// What the next request costs can be accepted.
    Price {
        /// What is known of it.
        estimate: PriceEstimate,
        /// What a request of the run may cost then, in micro-dollars: twice as much, as each is a little larger.
        up_to: u64,
    },
}

impl Offer {
    /// What whoever takes it wants.
    pub fn taken(&self) -> Intent {
        match self {
            Self::Limit { limit, to } => Intent::Raise { limit: *limit, to: *to },
            Self::Price { up_to, .. } => Intent::AcceptPrice { up_to: *up_to },
        }
    }
}

impl View {
    /// A sub-agent's run is not taken up again: its task is over with it.
    pub(super) fn offer_after(&self, ended: &TurnEnded) -> Option<Offer> {
        if self.is_below() {
            return None;
        }
        if ended.reason == Ending::PriceAsked {
            return self.price_to_accept();
        }
        let limit = Limit::of_ending(ended.reason)?;
        if limit == Limit::Tokens {
            let to = self.token_budget()?.saturating_add(self.settings.token_budget?);
            return Some(Offer::Limit { limit, to });
        }
        let configured = || self.settings.limits.get(limit).or_else(|| self.meter.limits().get(limit));
        let size = self.meter.size_by_goal(limit).or_else(configured)?;
        let to = self.meter.limits().get(limit)?.saturating_add(size);
        Some(Offer::Limit { limit, to })
    }

    /// What was written down shortly before the run ended.
    fn price_to_accept(&self) -> Option<Offer> {
        let notes = self.rows.iter().rev().filter_map(|row| match &row.entry.body {
            Body::Note(note) => note.price(),
            _ => None,
        });
        let estimate = *notes.take(1).next()?;
        // Whole cents: what is read is what is accepted.
        let up_to = estimate.most().saturating_mul(2).div_ceil(10_000).saturating_mul(10_000);
        Some(Offer::Price { estimate, up_to })
    }

    pub(super) fn withdraw_offer(&mut self) {
        if self.offer.take().is_some()
            && let Some(card) = self.cards.last_mut()
        {
            card.revision = self.revision;
        }
    }
}
