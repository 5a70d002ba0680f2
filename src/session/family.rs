//! Which session was made from which: each with its branches below it.

use std::collections::{BTreeMap, BTreeSet};

use super::other_sessions::{first_words, when};
use crate::runtime::store::{Summary, first_line_of};
use crate::ui::BranchRow;

/// Characters of the first words, and of an id from elsewhere.
const MOST: usize = 60;
/// Most levels that are shown: a file from elsewhere may say anything of where it comes from.
const MOST_DEPTH: usize = 40;

/// The branches of all sessions.
pub(crate) struct Family<'s> {
    known: BTreeMap<&'s str, &'s Summary>,
    /// Below each session: where its branches begin, and which they are.
    below: BTreeMap<String, Vec<(String, &'s Summary)>>,
    /// What each branch was made from.
    from: BTreeMap<&'s str, String>,
}

impl<'s> Family<'s> {
    /// Reads the first line of each session; they come newest first.
    pub(crate) fn of(sessions: &'s [Summary]) -> Self {
        let mut family = Self {
            known: sessions.iter().map(|one| (one.id.as_str(), one)).collect(),
            below: BTreeMap::new(),
            from: BTreeMap::new(),
        };
        // Oldest first, as branches are made.
        for summary in sessions.iter().rev() {
            let origin = first_line_of(&summary.path).and_then(|line| line.forked_from);
            let Some((from, at)) = origin.as_deref().and_then(|origin| origin.rsplit_once('@')) else {
                continue;
            };
            family.from.insert(&summary.id, from.to_owned());
            family.below.entry(from.to_owned()).or_default().push((at.to_owned(), summary));
        }
        family
    }

    /// A line a session: all that have branches and are none, each with its branches.
    pub(crate) fn all(&self) -> Vec<String> {
        let roots = self.below.keys().filter(|id| !self.from.contains_key(id.as_str()));
        roots.flat_map(|root| self.tree_of(root, "")).collect()
    }

    /// The lines of the tree in which this session stands, which is marked; none if it has no branches and is none.
    pub(crate) fn around(&self, id: &str) -> Vec<String> {
        let root = self.root_of(id);
        if self.below.contains_key(root) { self.tree_of(root, id) } else { Vec::new() }
    }

    /// The sessions of the tree in which this one stands; none if it has no branches and is none.
    pub(crate) fn rows_around(&self, id: &str) -> Vec<BranchRow> {
        let root = self.root_of(id);
        let mut rows = Vec::new();
        if self.below.contains_key(root) {
            let words = self.known.get(root).map_or_else(|| "not here".to_owned(), |one| words_of(one));
            rows.push(BranchRow {
                id: root.to_owned(),
                depth: 0,
                at: String::new(),
                words,
                is_own: root == id,
            });
            self.walk_rows(root, 1, id, &mut rows);
        }
        rows
    }

    fn walk_rows(&self, above: &str, depth: usize, own: &str, rows: &mut Vec<BranchRow>) {
        for (at, branch) in self.below.get(above).into_iter().flatten().filter(|_| depth < MOST_DEPTH) {
            let (id, at) = (branch.id.clone(), first_words(at, MOST));
            rows.push(BranchRow { is_own: id == own, id, depth, at, words: words_of(branch) });
            self.walk_rows(&branch.id, depth + 1, own, rows);
        }
    }

    /// The first session of the tree in which this one stands.
    fn root_of<'i>(&'i self, id: &'i str) -> &'i str {
        let (mut root, mut seen) = (id, BTreeSet::new());
        while let Some(from) = self.from.get(root).filter(|from| seen.insert(from.as_str())) {
            root = from;
        }
        root
    }

    fn tree_of(&self, root: &str, own: &str) -> Vec<String> {
        let mut told = vec![match self.known.get(root) {
            Some(summary) => row(summary, own),
            None => format!("{}  (not here)", first_words(root, MOST)),
        }];
        self.walk(root, "", own, &mut told);
        told
    }

    /// The branches of a session, behind the lines that lead past them.
    fn walk(&self, id: &str, lead: &str, own: &str, told: &mut Vec<String>) {
        let branches = self.below.get(id).map(Vec::as_slice).unwrap_or_default();
        if lead.chars().count() >= MOST_DEPTH * 3 {
            return;
        }
        for (number, (at, branch)) in (1..).zip(branches) {
            let (sign, past) = if number == branches.len() { ("└─", "   ") } else { ("├─", "│  ") };
            told.push(format!("{lead}{sign} {} {}", first_words(at, MOST), row(branch, own)));
            self.walk(&branch.id, &format!("{lead}{past}"), own, told);
        }
    }
}

/// When a session began, how it ended, and what it is called.
fn words_of(summary: &Summary) -> String {
    let ending = summary.ending.as_deref().unwrap_or("unfinished");
    let (ending, title) = (first_words(ending, MOST), first_words(summary.title(), MOST));
    format!("{}  {ending}  {title}", when(summary.started))
}

fn row(summary: &Summary, own: &str) -> String {
    let here = if summary.id == own { "  ← this session" } else { "" };
    format!("{}  {}{here}", first_words(&summary.id, MOST), words_of(summary))
}
