//! What is to go otherwise at a departure, as it was typed: the same for the command line and for both front ends.

use std::sync::Arc;

use crate::agent::{Answer, Intent};
use crate::config::fault::Fault;
use crate::ledger::{Arguments, Body, CallId, Entry, EntryId};
use crate::recorded::{Crossroads, Departure, Twist};
use crate::runtime::tool_specs;
use crate::tool::Registry;

/// What was typed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Typed<'w> {
    /// Deny the call, for this reason.
    pub(crate) deny: Option<&'w str>,
    /// Allow it.
    pub(crate) allow: bool,
    /// The arguments of the call, or the words of the message.
    pub(crate) edit: Option<&'w str>,
    /// Another model answers, which makes a message worth saying again.
    pub(crate) has_other_model: bool,
}

/// What is otherwise there.
///
/// # Errors
/// Nothing is, or it is nothing for such an entry.
pub(crate) fn twist(typed: Typed<'_>, entries: &[Arc<Entry>], departure: &Departure) -> Result<Twist, Fault> {
    match departure.crossroads {
        Crossroads::Decision(call) | Crossroads::Ruled(call) => {
            let answer = match (typed.deny, typed.allow, typed.edit) {
                (Some(reason), _, _) => Answer::Deny(reason.to_owned()),
                (None, true, _) => Answer::AllowOnce,
                (None, false, Some(edit)) => match Arguments::parse(edit) {
                    arguments @ Arguments::Object(_) => {
                        fits(call, &arguments, entries)?;
                        Answer::Edit(arguments)
                    }
                    Arguments::Unusable(_) => {
                        return Err(Fault::usage(
                            "the changed arguments are not a JSON object",
                            "give all arguments of the call",
                        ));
                    }
                },
                // What was decided in the session is not decided anew without a word of the person who makes the branch.
                (None, false, None) if typed.has_other_model => {
                    return Err(Fault::usage(
                        format!("{call} has to be decided there before another model can answer"),
                        "also say what you decide: --allow, --deny REASON or --edit ARGUMENTS; in the app, \
                         decide, then choose the model with /model",
                    ));
                }
                (None, false, None) => {
                    return Err(Fault::usage("nothing would be different", "deny, allow or edit the call"));
                }
            };
            Ok(Twist::Decides(call, answer))
        }
        Crossroads::Message(message) => {
            if typed.deny.is_some() || typed.allow {
                return Err(Fault::usage(
                    format!("{message} is a message, not a call to decide about"),
                    "edit its words, or give another model",
                ));
            }
            if typed.edit.is_none() && !typed.has_other_model {
                return Err(Fault::usage(
                    "nothing would be different",
                    "edit the words, or give another model",
                ));
            }
            if typed.edit.is_some_and(|words| words.trim().is_empty()) {
                return Err(Fault::usage("the message is empty", "give the new message"));
            }
            let words = typed.edit.map(str::to_owned);
            Ok(Twist::Says(message, words.unwrap_or_else(|| said(entries, message).content)))
        }
    }
}

/// That a call of one of our own tools can be made with these arguments.
fn fits(call: CallId, arguments: &Arguments, entries: &[Arc<Entry>]) -> Result<(), Fault> {
    if entries.iter().any(|entry| matches!(&entry.body, Body::Validation(check) if check.id == call)) {
        return Err(Fault::usage(
            format!("{call} is the check of a goal, which cannot be changed"),
            "deny or allow it",
        ));
    }
    let name = entries.iter().find_map(|entry| match &entry.body {
        Body::ToolCall(made) if made.id == call => Some(made.name.as_str()),
        _ => None,
    });
    let specs = tool_specs();
    let Some(name) = name.filter(|name| specs.iter().any(|spec| spec.name == *name)) else { return Ok(()) };
    Registry::new(specs.clone()).validate(name, arguments).map_err(|why| {
        Fault::usage(
            format!("{call} cannot be made like that: {}", why.0),
            format!("give all arguments of {name}"),
        )
    })
}

/// What the branch begins with. `None`: nobody was asked about the call, so the decision is known before it is examined.
pub(crate) fn first(twist: &Twist, departure: &Departure, entries: &[Arc<Entry>]) -> Option<Intent> {
    Some(match twist {
        Twist::Decides(call, answer) => {
            Intent::Decide { request: departure.request?, call: *call, answer: answer.clone() }
        }
        Twist::Says(message, words) => {
            let mut said = said(entries, *message);
            said.content.clone_from(words);
            Intent::Submit(said)
        }
    })
}

fn said(entries: &[Arc<Entry>], message: EntryId) -> crate::ledger::UserMessage {
    let found = entries.iter().find_map(|entry| match &entry.body {
        Body::User(said) if entry.id == message => Some(said.as_ref().clone()),
        _ => None,
    });
    found.unwrap_or_default()
}
