//! What has happened since the user spoke last: rounds of calls with their results.

use std::sync::Arc;

use crate::context::words::wish_in;
use crate::goal::words::is_brief;
use crate::ledger::{Arguments, Message, Outcome, ToolResult};
use crate::model::Request;

use super::request::{RehearsalRequest, understand};

/// One message with calls, and how they ended.
pub(super) type Round = Vec<CompletedCall>;

/// A call and its result.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CompletedCall {
    pub(super) name: String,
    pub(super) arguments: Arguments,
    pub(super) result: Arc<ToolResult>,
}

impl CompletedCall {
    pub(super) fn is_ok(&self) -> bool {
        self.result.outcome == Outcome::Ok
    }
}

/// The last words of the user, and the rounds since then. What came with results, as a word typed meanwhile or the note that
/// a call was changed, takes the place of what was asked only if it asks for something itself. What is told of a goal never does: its
/// objective is what was asked.
pub(super) fn since_user(request: &Request) -> (&str, Vec<Round>) {
    let mut words = "";
    let mut rounds: Vec<Round> = Vec::new();
    let mut calls = Vec::new();
    let mut came_with_results = false;
    for message in &request.messages {
        let is_beside = std::mem::replace(&mut came_with_results, matches!(message, Message::Results(_)));
        match message {
            Message::User(said) => {
                if is_brief(&said.content) {
                    continue;
                }
                let new = wish_in(&said.content);
                if is_beside && understand(new) == RehearsalRequest::Unclear {
                    came_with_results = true;
                    continue;
                }
                words = new;
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
                        Some(CompletedCall { name: call.name.clone(), arguments, result: Arc::clone(result) })
                    })
                    .collect(),
            ),
        }
    }
    (words, rounds)
}
