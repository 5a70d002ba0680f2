//! Where what is looked for went: the requests of models that had it, and the calls that took it elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use super::books::{Books, Naming, strings};
use super::carriers::Carrier;
use super::wanted::Sought;
use crate::ledger::{Body, CallId, EntryId, Millis, ModelRef};
use crate::policy::server;
use crate::tool::name::{FETCH, delegate, mcp};
use crate::view::{ModelRequest, contents, requests};

/// Who got it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Destination {
    /// A model of a provider; `None`: one that the session fell back to, which no entry names.
    Model(Option<ModelRef>),
    /// An MCP server.
    Server(String),
    /// Another agent.
    Agent(String),
    /// A host that a page was fetched from.
    Host(String),
    /// A command that may have sent it anywhere.
    Command,
}

/// One time that it went somewhere.
#[derive(Debug, Clone)]
pub(super) struct Sending {
    pub(super) to: Destination,
    /// The entry that tells of it.
    pub(super) entry: EntryId,
    pub(super) at: Millis,
    /// Whether somebody answered.
    pub(super) is_answered: bool,
    /// The carriers that were in it, by their places; for a call, the call itself.
    pub(super) by: Carried,
}

#[derive(Debug, Clone)]
pub(super) enum Carried {
    /// Places in the list of carriers.
    Carriers(Vec<usize>),
    /// A call, by the names of the variables whose values are in its arguments; whether it surely had it.
    Call { call: CallId, at: usize, variables: Vec<Option<String>>, is_certain: bool },
}

/// The requests that had one of the carriers. What is in a request changes with what is withdrawn, replaced or added: only then it is
/// looked up again.
pub(super) fn in_requests(books: &Books<'_>, carriers: &[Carrier]) -> Vec<Sending> {
    let mut of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, carrier) in carriers.iter().enumerate() {
        of.entry(carrier.at).or_default().push(number);
    }
    let changes = |at: &usize| {
        let entry = books.entries.get(*at);
        of.contains_key(at)
            || entry.is_some_and(|entry| {
                matches!(entry.body, Body::Compaction(_) | Body::Tombstone(_) | Body::ProviderLimit(_))
            })
    };
    let changing: BTreeSet<usize> = (0..books.entries.len()).filter(changes).collect();
    let (mut found, mut had, mut last): (_, Vec<usize>, Option<(usize, Option<ModelRef>)>) =
        (Vec::new(), Vec::new(), None);
    for request in requests(books.entries) {
        let is_same = last.as_ref().is_some_and(|(after, model)| {
            *model == request.model
                && *after <= request.after
                && changing.range(*after..request.after).next().is_none()
        });
        if !is_same {
            had = carried(books, carriers, &of, &request);
        }
        last = Some((request.after, request.model.clone()));
        if !had.is_empty() {
            let ModelRequest { entry, at, model, is_answered, .. } = request;
            let by = Carried::Carriers(had.clone());
            found.push(Sending { to: Destination::Model(model), entry, at, is_answered, by });
        }
    }
    found
}

fn carried(
    books: &Books<'_>,
    carriers: &[Carrier],
    of: &BTreeMap<usize, Vec<usize>>,
    request: &ModelRequest,
) -> Vec<usize> {
    if of.range(..request.after).next().is_none() {
        return Vec::new();
    }
    let parts = contents(books.entries, request);
    let numbers = parts.iter().flat_map(|(at, part)| {
        let here = of.get(at).into_iter().flatten().copied();
        here.filter(|number| carriers.get(*number).is_some_and(|carrier| carrier.is_in(part)))
    });
    numbers.collect()
}

/// The calls that took it elsewhere, or may have.
pub(super) fn in_calls(books: &Books<'_>, wanted: &Sought) -> Vec<Sending> {
    let mut found = Vec::new();
    for (at, entry) in books.entries.iter().enumerate() {
        let (Body::ToolCall(made) | Body::Validation(made) | Body::Command(made)) = &entry.body else {
            continue;
        };
        let Some(call) = books.calls.get(&made.id).filter(|call| call.is_started()) else { continue };
        let name = call.asked.name.as_str();
        let to = match (delegate(name), mcp(name)) {
            (Some(agent), _) => Destination::Agent(agent.to_owned()),
            (None, Some((server, _))) => Destination::Server(server.to_owned()),
            (None, None) if name == FETCH => {
                let host = call.asked.arguments.text("url").and_then(server);
                Destination::Host(host.unwrap_or_else(|| "an unknown host".to_owned()))
            }
            (None, None) if call.sends() => Destination::Command,
            (None, None) => continue,
        };
        let Some((variables, is_named_only)) = has(books, made.id, wanted) else { continue };
        let is_certain = to != Destination::Command && !is_named_only;
        let by = Carried::Call { call: made.id, at, variables, is_certain };
        found.push(Sending { to, entry: entry.id, at: entry.at, is_answered: true, by });
    }
    found
}

/// The variables whose values are in the arguments of a call, and whether it only names a file.
fn has(books: &Books<'_>, call: CallId, wanted: &Sought) -> Option<(Vec<Option<String>>, bool)> {
    match wanted {
        Sought::File(file) => {
            let is_named = books.naming(call, file).is_some_and(|naming| naming == Naming::Possible);
            is_named.then(|| (vec![None], true))
        }
        Sought::Texts(texts) => {
            let arguments = books.calls.get(&call)?.asked.arguments.to_value();
            let strings = strings(&arguments);
            let is_in = |text: &str| strings.iter().any(|part| part.contains(text));
            let found: Vec<Option<String>> = texts
                .iter()
                .filter(|sought| is_in(&sought.text))
                .map(|sought| sought.variable.clone())
                .collect();
            (!found.is_empty()).then_some((found, false))
        }
    }
}
