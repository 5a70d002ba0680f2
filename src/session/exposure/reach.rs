//! Where what is looked for went: the requests of models that had it, and the calls that took it elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::books::{Books, Naming, strings};
use super::carriers::Carrier;
use super::wanted::{Sought, SoughtText};
use crate::ledger::{Body, CallId, Entry, EntryId, Millis, ModelRef};
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
    /// Whether it surely went there.
    pub(super) is_certain: bool,
}

/// The requests that had one of the carriers, in their order.
#[derive(Debug, Default)]
pub(super) struct InRequests {
    pub(super) sendings: Vec<Sending>,
    /// Which of them had which carrier, by its place in the list of carriers: from one request on, up to another.
    pub(super) spans: Vec<(usize, Range<usize>)>,
}

/// A call that took it elsewhere.
#[derive(Debug)]
pub(super) struct InCall {
    pub(super) sending: Sending,
    pub(super) call: CallId,
    /// The place of its entry.
    pub(super) at: usize,
    /// The variables whose values are in its arguments.
    pub(super) variables: Vec<Option<String>>,
}

/// The requests that had one of the carriers. A request has what the one before it had, and what was said since then; only where something
/// was withdrawn or replaced, or another model is asked, is it looked up as a whole.
pub(super) fn in_requests(books: &Books<'_>, carriers: &[Carrier]) -> InRequests {
    let mut of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, carrier) in carriers.iter().enumerate() {
        of.entry(carrier.at).or_default().push(number);
    }
    let replaces = |entry: &Entry| {
        matches!(entry.body, Body::Compaction(_) | Body::Tombstone(_) | Body::ProviderLimit(_))
    };
    let mut found = InRequests::default();
    // Since which request each is in all of them.
    let mut had: BTreeMap<usize, usize> = BTreeMap::new();
    let mut last: Option<(usize, Option<ModelRef>)> = None;
    for request in requests(books.entries) {
        let next = found.sendings.len();
        let before = last.replace((request.after, request.model.clone()));
        let since = before.filter(|(after, model)| *model == request.model && *after <= request.after);
        let since =
            since.map(|(after, _)| (after, books.entries.get(after..request.after).unwrap_or_default()));
        match since.filter(|(_, new)| !new.iter().any(|entry| replaces(entry))) {
            Some((after, new)) => {
                if of.range(after..request.after).next().is_some() {
                    had.extend(
                        carried(new, after, carriers, &of, &request).into_iter().map(|one| (one, next)),
                    );
                }
            }
            None => {
                let before = books.entries.get(..request.after).unwrap_or(books.entries);
                let now = carried(before, 0, carriers, &of, &request);
                had.retain(|one, from| {
                    let stays = now.contains(one);
                    if !stays {
                        found.spans.push((*one, *from..next));
                    }
                    stays
                });
                for one in now {
                    had.entry(one).or_insert(next);
                }
            }
        }
        if !had.is_empty() {
            let ModelRequest { entry, at, model, is_answered, .. } = request;
            let to = Destination::Model(model);
            found.sendings.push(Sending { to, entry, at, is_answered, is_certain: true });
        }
    }
    let all = found.sendings.len();
    found.spans.extend(had.into_iter().map(|(one, from)| (one, from..all)));
    found
}

/// Which carriers are in what a request had of these entries, the first of which has this place.
fn carried(
    entries: &[Arc<Entry>],
    first: usize,
    carriers: &[Carrier],
    of: &BTreeMap<usize, Vec<usize>>,
    request: &ModelRequest,
) -> BTreeSet<usize> {
    if of.range(first..first + entries.len()).next().is_none() {
        return BTreeSet::new();
    }
    let request = ModelRequest { after: entries.len(), ..request.clone() };
    let parts = contents(entries, &request);
    let numbers = parts.iter().flat_map(|(at, part)| {
        let here = of.get(&(first + at)).into_iter().flatten().copied();
        here.filter(|number| carriers.get(*number).is_some_and(|carrier| carrier.is_in(part)))
    });
    numbers.collect()
}

/// The calls that took it elsewhere, or may have.
pub(super) fn in_calls(books: &Books<'_>, wanted: &Sought) -> Vec<InCall> {
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
        // A page that was not fetched may have been refused here, or by nobody who could be reached.
        let is_reached = name != FETCH || call.is_done() || call.is_answered();
        let is_certain = to != Destination::Command && !is_named_only && is_reached;
        let sending = Sending { to, entry: entry.id, at: entry.at, is_answered: true, is_certain };
        found.push(InCall { sending, call: made.id, at, variables });
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
            let is_in = |sought: &&SoughtText| strings.iter().any(|part| sought.is_in(part));
            let found: Vec<Option<String>> =
                texts.iter().filter(is_in).map(|sought| sought.variable.clone()).collect();
            (!found.is_empty()).then_some((found, false))
        }
    }
}
