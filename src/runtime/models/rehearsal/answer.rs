//! From what was asked, and what has happened since, to the next answer.

use crate::model::Request;
use crate::wire::script::{Reply, ScriptedCall};

use super::reply::{propose, say};
use super::request::{RehearsalRequest, RehearsedAction, understand};
use super::round::{Round, since_user};
use super::{report, tour, words};

/// What the rehearsal says to a request.
pub(super) fn answer(request: &Request) -> Reply {
    let (words, rounds) = since_user(request);
    let reply = match understand(words) {
        RehearsalRequest::Tour => tour::step(&rounds),
        RehearsalRequest::Help => say(words::help()),
        RehearsalRequest::Explain => say(words::EXPLANATION.trim_end()),
        RehearsalRequest::Unclear => say(words::not_understood(words)),
        RehearsalRequest::Do(batches) => carry_out(&batches, &rounds),
    };
    only_what_exists(reply, request)
}

/// The next batch; a report when all are done or when one went wrong.
fn carry_out(batches: &[Vec<RehearsedAction>], rounds: &[Round]) -> Reply {
    let went_well = rounds.iter().flatten().all(super::round::CompletedCall::is_ok);
    match batches.get(rounds.len()) {
        Some(batch) if rounds.is_empty() => propose(format!("I'll {}.", words::plan(batch)), batch),
        Some(batch) if went_well => {
            propose(format!("That went well. Now I'll {}.", words::plan(batch)), batch)
        }
        Some(_) => {
            let left: Vec<RehearsedAction> = batches.iter().skip(rounds.len()).flatten().cloned().collect();
            let plan = words::plan(&left);
            say(format!("{}\n\nSo I stop here and did not {plan}.", report::report(rounds)))
        }
        None => say(report::report(rounds)),
    }
}

/// A session may have other tools than these: then it says so instead of calling what is not there.
fn only_what_exists(reply: Reply, request: &Request) -> Reply {
    let is_there = |call: &ScriptedCall| request.tools.iter().any(|tool| tool.name == call.name);
    match reply.calls.iter().find(|call| !is_there(call)) {
        None => reply,
        Some(missing) => say(format!(
            "For that I would need the tool `{}`, which this session does not have. I did nothing.",
            missing.name
        )),
    }
}
