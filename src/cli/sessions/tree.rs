//! `sessions tree`: which session was made from which.

use std::collections::{BTreeMap, BTreeSet};

use super::place::{SessionPlace, lines, remark};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::runtime::store::{Summary, first_line_of, list};
use crate::session::other_sessions::{first_words, when};

/// Characters of the first words, and of an id from elsewhere.
const MOST: usize = 60;
/// Most levels that are shown: a file from elsewhere may say anything of where it comes from.
const MOST_DEPTH: usize = 40;

/// Shows all sessions that have branches, each with its branches below it.
pub(super) fn run(place: &SessionPlace) -> Result<Exit, Fault> {
    let sessions = list(&place.state).sessions;
    let known: BTreeMap<&str, &Summary> = sessions.iter().map(|one| (one.id.as_str(), one)).collect();
    let mut below: BTreeMap<String, Vec<(String, &Summary)>> = BTreeMap::new();
    let mut branches = BTreeSet::new();
    // Oldest first, as branches are made.
    for summary in sessions.iter().rev() {
        let origin = first_line_of(&summary.path).and_then(|line| line.forked_from);
        let Some((from, at)) = origin.as_deref().and_then(|origin| origin.rsplit_once('@')) else { continue };
        branches.insert(summary.id.as_str());
        below.entry(from.to_owned()).or_default().push((at.to_owned(), summary));
    }
    let roots = below.keys().filter(|id| !branches.contains(id.as_str()));
    let mut told = Vec::new();
    for root in roots {
        told.push(match known.get(root.as_str()) {
            Some(summary) => row(summary),
            None => format!("{}  (not here)", first_words(root, MOST)),
        });
        walk(&below, root, 1, &mut told);
    }
    if told.is_empty() {
        remark("no session has branches; `countersign whatif` and `/fork` make some");
    }
    say(&place.without_keys(lines(told)))
}

fn walk(below: &BTreeMap<String, Vec<(String, &Summary)>>, id: &str, depth: usize, told: &mut Vec<String>) {
    for (at, branch) in below.get(id).into_iter().flatten().filter(|_| depth < MOST_DEPTH) {
        let indent = "   ".repeat(depth - 1);
        told.push(format!("{indent}└─ {} {}", first_words(at, MOST), row(branch)));
        walk(below, &branch.id, depth + 1, told);
    }
}

fn row(summary: &Summary) -> String {
    let ending = summary.ending.as_deref().unwrap_or("unfinished");
    format!(
        "{}  {}  {}  {}",
        first_words(&summary.id, MOST),
        when(summary.started),
        first_words(ending, MOST),
        first_words(summary.title(), MOST)
    )
}
