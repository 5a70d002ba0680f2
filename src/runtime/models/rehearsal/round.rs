//! What has happened since the user spoke last: rounds of calls with their results.

use std::sync::Arc;

use crate::context::words::wish_in;
use crate::ledger::{Arguments, Message, Outcome, ToolResult};
use crate::model::Request;

/// One message with calls, and how they ended.
pub(super) type Round = Vec<Call>;

/// A call and its result.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) arguments: Arguments,
    pub(super) result: Arc<ToolResult>,
}

impl Call {
    pub(super) fn is_ok(&self) -> bool {
        self.result.outcome == Outcome::Ok
    }
}

/// The last words of the user, and the rounds since then.
pub(super) fn since_user(request: &Request) -> (&str, Vec<Round>) {
    let mut words = "";
    let mut rounds: Vec<Round> = Vec::new();
    let mut calls = Vec::new();
    for message in &request.messages {
        match message {
            Message::User(said) => {
                words = wish_in(&said.content);
                rounds.clear();
                calls.clear();
            }
            Message::Assistant(said) => calls = said.calls().collect(),
            Message::Results(results) => rounds.push(
                results
                    .iter()
                    .filter_map(|result| {
                        let call = calls.iter().find(|call| call.id == result.call)?;
                        let arguments = call.arguments.clone();
                        Some(Call { name: call.name.clone(), arguments, result: Arc::clone(result) })
                    })
                    .collect(),
            ),
        }
    }
    (words, rounds)
}
