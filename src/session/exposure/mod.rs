//! Who has seen a file or a text: which entries of which sessions had it, and where these went.

mod books;
mod carriers;
mod counted;
mod reach;
mod reached;
mod wanted;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

pub(crate) use reach::Destination;
pub(crate) use reached::Reached;
pub(crate) use wanted::{Sought, SoughtFile, SoughtText};

use crate::ledger::{Body, CallId, EntryId, Millis, ModelRef, SessionStarted};
use crate::runtime::SessionStore;
use crate::runtime::store::{broken_chain, damage, each, files, incomplete, is_unwritten, known};
use crate::session::decided::Decided;
use crate::wire::record::read_document;
use books::Books;
use carriers::{action, carriers};
use counted::Counted;
use reach::{InCall, InRequests, Sending, in_calls, in_requests};
use reached::count;
use wanted::Prefilter;

/// An entry that had it.
#[derive(Debug, Clone)]
pub(crate) struct Exposed {
    pub(crate) session: String,
    pub(crate) folder: String,
    pub(crate) entry: EntryId,
    pub(crate) at: Millis,
    /// The type of the entry.
    pub(crate) kind: &'static str,
    /// What of it had it, in words. Not yet safe for a screen.
    pub(crate) what: String,
    pub(crate) variable: Option<String>,
    pub(crate) call: Option<CallId>,
    pub(crate) is_certain: bool,
    /// By whose decision the call ran.
    pub(crate) decided: Option<Decided>,
    /// Where it went; empty: it is in the session, and was in no request.
    pub(crate) reached: BTreeMap<Destination, Reached>,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Exposure {
    /// By session, oldest first, and then in the order of the entries.
    pub(crate) all: Vec<Exposed>,
    /// Each request and call once.
    pub(crate) sum: BTreeMap<Destination, Reached>,
    /// How many sessions were searched.
    pub(crate) sessions: usize,
    /// Sessions that could not be read, and why.
    pub(crate) unreadable: Vec<String>,
    /// What is wrong with sessions: all of it in those of which something is told, and what their hashes say in the others.
    pub(crate) damaged: Vec<String>,
    /// What to know of the other sessions of which something was left out.
    pub(crate) incomplete: Vec<String>,
}

/// What was found in one file, and what is wrong with it or missing. What it does not say may have been taken
/// out of it.
struct OfFile {
    found: Option<OfSession>,
    damage: Option<String>,
    missing: Option<String>,
}

/// What one session says.
struct OfSession {
    id: String,
    /// Of a fork, the other session and the last entry that both have.
    forked_from: Option<(String, EntryId)>,
    exposed: Vec<Exposed>,
    requests: InRequests,
    /// Calls that sent it, each with the places of what is said of it.
    calls: Vec<(Sending, Range<usize>)>,
}

/// Searches all sessions of a state folder, or this file alone; of what was sent, what was sent since then.
pub(crate) fn exposure(
    state: &Path,
    only: Option<PathBuf>,
    wanted: &Sought,
    since: Option<Millis>,
) -> Exposure {
    let mut paths = only.map_or_else(|| files(state), |path| vec![path]);
    // Ids are ordered by time: what a fork has of another session counts where it was first.
    paths.sort();
    let filter = Prefilter::of(wanted);
    let found = each(&paths, |_: &mut (), path| of_file(path, wanted, &filter));
    let mut exposure = Exposure { sessions: paths.len(), ..Exposure::default() };
    let mut seen = Seen::default();
    for (path, one) in paths.iter().zip(found) {
        match one {
            Ok(OfFile { found, damage, missing }) => {
                match damage {
                    Some(damage) => exposure.damaged.push(damage),
                    None => exposure.incomplete.extend(missing),
                }
                if let Some(session) = found {
                    exposure.take(session, since, &mut seen);
                }
            }
            Err(why) => {
                exposure.sessions -= 1;
                if !is_unwritten(path) {
                    exposure.unreadable.push(why);
                }
            }
        }
    }
    exposure
}

fn of_file(path: &Path, wanted: &Sought, filter: &Prefilter) -> Result<OfFile, String> {
    let known = known(path);
    let bytes = SessionStore::bytes(path)?;
    let found = if filter.passes(&bytes) { in_session(path, &bytes, wanted)? } else { None };
    let damage = if found.is_some() { damage } else { broken_chain };
    Ok(OfFile { damage: damage(path, known, &bytes), missing: incomplete(path, &bytes), found })
}

fn in_session(path: &Path, bytes: &[u8], wanted: &Sought) -> Result<Option<OfSession>, String> {
    let file = read_document(bytes).map_err(|why| format!("{}: {why}", path.display()))?;
    let mut books = Books::of(&file.entries);
    books.imported_to = file.imported_to;
    let carriers = carriers(&books, wanted);
    let (id, forked_from) = match file.entries.first().map(|first| &first.body) {
        // What an import was made from, nobody here has seen: it counts by itself.
        Some(Body::SessionStarted(started)) => {
            (started.session.clone(), origin(started).filter(|_| file.imported_to.is_none()))
        }
        _ => (String::new(), None),
    };
    let mut exposed = Vec::new();
    for carrier in &carriers {
        let what = (carrier.what.clone(), carrier.variable.clone());
        exposed.extend(exposure_of(&books, carrier.at, what, carrier.call, carrier.is_certain));
    }
    let requests = in_requests(&books, &carriers);
    let mut calls = Vec::new();
    for InCall { sending, call, at, variables } in in_calls(&books, wanted) {
        let begins = exposed.len();
        for variable in variables {
            let what = (format!("the call {}", action(&books, call)), variable);
            // A text stands in the call, wherever the call came.
            let has_it = sending.is_certain || matches!(wanted, Sought::Texts(_));
            exposed.extend(exposure_of(&books, at, what, Some(call), has_it));
        }
        calls.push((sending, begins..exposed.len()));
    }
    if exposed.is_empty() {
        return Ok(None);
    }
    Ok(Some(OfSession { id, forked_from, exposed, requests, calls }))
}

fn origin(started: &SessionStarted) -> Option<(String, EntryId)> {
    let (parent, _) = started.forked_from.as_deref()?.rsplit_once('@')?;
    Some((parent.to_owned(), started.forked_at()?))
}

/// What was counted already.
#[derive(Default)]
struct Seen {
    sendings: BTreeSet<(String, EntryId, Destination)>,
    parents: BTreeMap<String, (String, EntryId)>,
}

impl Seen {
    /// Whether this was not counted yet, in this session or in one that it was forked from.
    fn is_new(&mut self, session: &str, sending: &Sending) -> bool {
        let mut session = session.to_owned();
        // Files may name each other in a circle.
        for _ in 0..=self.parents.len() {
            match self.parents.get(&session) {
                Some((parent, last)) if sending.entry <= *last => session.clone_from(parent),
                _ => break,
            }
        }
        self.sendings.insert((session, sending.entry, sending.to.clone()))
    }
}

fn exposure_of(
    books: &Books<'_>,
    at: usize,
    (what, variable): (String, Option<String>),
    call: Option<CallId>,
    is_certain: bool,
) -> Option<Exposed> {
    let entry = books.entries.get(at)?;
    let (session, folder) = match books.entries.first().map(|first| &first.body) {
        Some(Body::SessionStarted(started)) => (started.session.clone(), started.cwd.clone()),
        _ => (String::new(), String::new()),
    };
    let decided = call.and_then(|call| {
        let allowed = books.entries.get(books.calls.get(&call)?.allowed_at?)?;
        Some(Decided::allowing(allowed, call)?.imported_to(books.imported_to))
    });
    Some(Exposed {
        session,
        folder,
        entry: entry.id,
        at: entry.at,
        kind: entry.body.kind(),
        what,
        variable,
        call,
        is_certain,
        decided,
        reached: BTreeMap::new(),
    })
}

impl Exposure {
    fn take(&mut self, session: OfSession, since: Option<Millis>, seen: &mut Seen) {
        let OfSession { id, forked_from, mut exposed, requests, calls } = session;
        seen.parents.extend(forked_from.map(|from| (id.clone(), from)));
        let is_wanted = |at: Millis| since.is_none_or(|since| at >= since);
        let mut is_other = BTreeSet::new();
        for (sending, places) in &calls {
            if !seen.is_new(&id, sending) || !is_wanted(sending.at) {
                is_other.extend(places.clone());
                continue;
            }
            for one in exposed.get_mut(places.clone()).into_iter().flatten() {
                count(&mut one.reached, &sending.to, &Reached::once(sending));
            }
            self.add(sending);
        }
        let counts = |sending: &Sending| seen.is_new(&id, sending) && is_wanted(sending.at);
        let counted = Counted::of(&requests.sendings, counts);
        requests
            .sendings
            .iter()
            .zip(&counted.is_in)
            .filter(|(_, is_in)| **is_in)
            .for_each(|(one, _)| self.add(one));
        for (place, span) in &requests.spans {
            if counted.has_others(span) {
                is_other.insert(*place);
            }
            let Some(one) = exposed.get_mut(*place) else { continue };
            for (to, reached) in counted.reached(&requests.sendings, span) {
                count(&mut one.reached, to, &reached);
            }
        }
        // What went nowhere but where it was counted already, or before the time that is asked about, is left out.
        let keeps = |(place, one): &(usize, Exposed)| {
            !one.reached.is_empty() || (!is_other.contains(place) && is_wanted(one.at))
        };
        let mut kept: Vec<Exposed> =
            exposed.into_iter().enumerate().filter(keeps).map(|(_, one)| one).collect();
        kept.sort_by_key(|one| one.entry);
        self.all.extend(kept);
    }

    /// One more time that something went somewhere: models are told by their providers.
    fn add(&mut self, sending: &Sending) {
        let to = match &sending.to {
            Destination::Model(Some(model)) => {
                Destination::Model(Some(ModelRef { name: String::new(), ..model.clone() }))
            }
            other => other.clone(),
        };
        count(&mut self.sum, &to, &Reached::once(sending));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sending(entry: u64) -> Sending {
        Sending {
            to: Destination::Command,
            entry: EntryId(entry),
            at: Millis(0),
            is_answered: true,
            is_certain: true,
        }
    }

    #[test]
    fn what_forks_have_of_each_other_counts_once_even_in_a_circle() {
        let mut seen = Seen::default();
        assert!(seen.is_new("one", &sending(3)) && seen.is_new("other", &sending(3)));
        seen.parents.insert("two".into(), ("one".into(), EntryId(5)));
        seen.parents.insert("three".into(), ("two".into(), EntryId(4)));
        assert!(!seen.is_new("two", &sending(3)) && !seen.is_new("three", &sending(3)));
        assert!(seen.is_new("three", &sending(5)) && seen.is_new("two", &sending(5)));
        seen.parents.insert("one".into(), ("three".into(), EntryId(9)));
        assert!(seen.is_new("one", &sending(4)));
    }
}
