//! A price that waits: the client is asked before the run goes on, and its answer accepts the price or ends the prompt.

use serde_json::Value;

use super::pending::PriceQuestion;
use super::session_state::Conversation;
use crate::agent::Intent;
use crate::cli::acp::methods::session_prompt;
use crate::cli::acp::methods::session_request_permission as permission;
use crate::cli::acp::rpc;
use crate::cli::acp::updates::price;
use crate::ledger::{Ending, EntryId, TurnEnded};
use crate::view::Offer;

/// Requests about prices begin so, after their session.
const NAME: &str = "price/";

impl Conversation {
    /// A run has ended. If a price is what it waits for, the client is asked, and its prompt waits on. False: it is over.
    pub(super) async fn ask_price(&mut self, entry: EntryId, end: &TurnEnded) -> bool {
        let may_ask = self.prompt.as_ref().is_some_and(|prompt| prompt.waits_for_its_end());
        let Some(Offer::Price { estimate, up_to }) = self.view.offer().filter(|_| may_ask) else {
            return false;
        };
        if end.reason != Ending::PriceAsked {
            return false;
        }
        let call = price::asked(entry, &estimate, up_to);
        let params = permission::params(&self.id, &call, &permission::price(up_to));
        let request = rpc::request(&format!("{}/{NAME}{entry}", self.id), permission::METHOD, params);
        let ended = session_prompt::ended(entry, end);
        self.price = Some(PriceQuestion { entry, up_to, ended, is_accepted: false });
        self.client.out.send(&request).await;
        true
    }

    /// The client answered about a price. False: the request is about something else.
    pub(super) async fn price_answered(&mut self, request: &str, outcome: &Result<Value, Value>) -> bool {
        let Some(named) = request.strip_prefix(NAME) else { return false };
        let is_open =
            |price: &&mut PriceQuestion| EntryId::parse(named) == Some(price.entry) && !price.is_accepted;
        let Some(price) = self.price.as_mut().filter(|price| is_open(price)) else {
            self.remark("an answer about a price came too late, or twice: it changed nothing").await;
            return true;
        };
        let said = match outcome {
            Ok(result) => permission::said(&permission::price(price.up_to), result),
            Err(_) => Err("the editor could not ask".to_owned()),
        };
        let (entry, up_to) = (price.entry, price.up_to);
        match said {
            Ok(permission::PermissionAnswer::Price(true)) => {
                price.is_accepted = true;
                self.update(price::answered(entry, true)).await;
                self.wish(Intent::AcceptPrice { up_to }).await;
            }
            Ok(permission::PermissionAnswer::Cancelled) => self.cancel_once().await,
            Ok(_) => self.refuse_price().await,
            Err(why) => {
                self.remark(&format!("nobody decided about the price, so the run has ended: {why}")).await;
                self.refuse_price().await;
            }
        }
        true
    }

    /// The price is not accepted: the prompt is answered with the end of its run.
    pub(super) async fn refuse_price(&mut self) {
        if let Some(PriceQuestion { entry, ended, .. }) = self.price.take() {
            self.update(price::answered(entry, false)).await;
            self.end_with(ended);
            self.settle_prompt().await;
        }
    }

    /// The prompt was taken back while a price waited. False: none does.
    pub(super) async fn cancel_price(&mut self) -> bool {
        let Some(price) = self.price.take_if(|price| !price.is_accepted) else { return false };
        self.update(price::answered(price.entry, false)).await;
        self.end_with(session_prompt::cancelled());
        self.settle_prompt().await;
        true
    }

    /// The loop did not take the price. False: none was with it.
    pub(super) async fn price_refused(&mut self, why: &str) -> bool {
        if !self.price.as_ref().is_some_and(|price| price.is_accepted) {
            return false;
        }
        self.remark(why).await;
        self.refuse_price().await;
        true
    }
}
