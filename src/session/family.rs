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
        Self::with(sessions, |session| first_line_of(&session.path)?.forked_from)
    }

    fn with(sessions: &'s [Summary], origin: impl Fn(&Summary) -> Option<String>) -> Self {
        let mut family = Self {
            known: sessions.iter().map(|one| (one.id.as_str(), one)).collect(),
            below: BTreeMap::new(),
            from: BTreeMap::new(),
        };
        // Oldest first, as branches are made.
        for summary in sessions.iter().rev() {
            let origin = origin(summary);
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
        let ids = self.below.keys().map(String::as_str);
        let (roots, branches): (Vec<&str>, Vec<&str>) = ids.partition(|id| !self.from.contains_key(*id));
        let (mut told, mut reached) = (Vec::new(), BTreeSet::new());
        // What no first session leads to has origins that form a ring: a file from elsewhere may say so.
        for id in roots.into_iter().chain(branches) {
            if !reached.contains(id) {
                let root = self.root_of(id);
                reached.extend(self.reached_from(root));
                told.extend(self.tree_of(root, ""));
            }
        }
        told
    }

    /// The lines of the tree in which this session stands, which is marked; none if it has no branches and is none.
    pub(crate) fn around(&self, id: &str) -> Vec<String> {
        let (first, above) = self.begin_near(id);
        if !self.below.contains_key(first) {
            return Vec::new();
        }
        let above = (above > 0).then(|| format!("… {above} more above"));
        above.into_iter().chain(self.tree_of(first, id)).collect()
    }

    /// The sessions of the tree in which this one stands; none if it has no branches and is none.
    pub(crate) fn rows_around(&self, id: &str) -> Vec<BranchRow> {
        let (first, above) = self.begin_near(id);
        let mut rows = Vec::new();
        if self.below.contains_key(first) {
            let words = self.known.get(first).map_or_else(|| "not here".to_owned(), |one| words_of(one));
            let words = if above > 0 { format!("{words}  … below {above} more") } else { words };
            rows.push(BranchRow {
                id: first.to_owned(),
                depth: 0,
                at: String::new(),
                words,
                is_own: first == id,
            });
            self.walk_rows(first, 1, id, &mut BTreeSet::from([first.to_owned()]), &mut rows);
        }
        rows
    }

    fn walk_rows(
        &self,
        above: &str,
        depth: usize,
        own: &str,
        seen: &mut BTreeSet<String>,
        rows: &mut Vec<BranchRow>,
    ) {
        for (at, branch) in self.below.get(above).into_iter().flatten() {
            let (id, at) = (branch.id.clone(), first_words(at, MOST));
            let is_new = seen.insert(id.clone());
            let goes_on = is_new && depth + 1 < MOST_DEPTH;
            let words = words_of(branch) + &self.rest(&id, is_new, goes_on);
            rows.push(BranchRow { is_own: id == own, id, depth, at, words });
            if goes_on {
                self.walk_rows(&branch.id, depth + 1, own, seen, rows);
            }
        }
    }

    /// What is not shown below a session, for its own line.
    fn rest(&self, id: &str, is_new: bool, goes_on: bool) -> String {
        match (is_new, goes_on) {
            (false, _) => "  … its origins form a ring".to_owned(),
            (true, true) => String::new(),
            (true, false) => match self.reached_from(id).len().saturating_sub(1) {
                0 => String::new(),
                more => format!("  … and {more} more below"),
            },
        }
    }

    /// This session and all below it, however deep.
    fn reached_from<'i>(&'i self, id: &'i str) -> BTreeSet<&'i str> {
        let (mut reached, mut open) = (BTreeSet::from([id]), vec![id]);
        while let Some(above) = open.pop() {
            for (_, branch) in self.below.get(above).into_iter().flatten() {
                if reached.insert(branch.id.as_str()) {
                    open.push(&branch.id);
                }
            }
        }
        reached
    }

    /// This session and those that it was made from, up to the first; of a ring, once around.
    fn line_of<'i>(&'i self, id: &'i str) -> Vec<&'i str> {
        let (mut line, mut seen, mut one) = (vec![id], BTreeSet::from([id]), id);
        while let Some(from) = self.from.get(one).map(String::as_str).filter(|from| seen.insert(*from)) {
            line.push(from);
            one = from;
        }
        line
    }

    /// The first session of the tree in which this one stands: of a ring the first by its id.
    fn root_of<'i>(&'i self, id: &'i str) -> &'i str {
        let line = self.line_of(id);
        let last = line.last().copied().unwrap_or(id);
        match self.from.get(last) {
            None => last,
            Some(_) => self.line_of(last).into_iter().min().unwrap_or(last),
        }
    }

    /// Where a tree begins that shows this session, and how many stand above that: one far below the first
    /// would not be in it.
    fn begin_near<'i>(&'i self, id: &'i str) -> (&'i str, usize) {
        let line = self.line_of(id);
        let near = line.get(MOST_DEPTH / 2).copied().filter(|_| line.len() > MOST_DEPTH);
        match near {
            Some(near) => (near, line.len().saturating_sub(MOST_DEPTH / 2 + 1)),
            None => (self.root_of(id), 0),
        }
    }

    fn tree_of(&self, root: &str, own: &str) -> Vec<String> {
        let mut told = vec![match self.known.get(root) {
            Some(summary) => row(summary, own),
            None => format!("{}  (not here)", first_words(root, MOST)),
        }];
        self.walk(root, "", own, &mut BTreeSet::from([root.to_owned()]), &mut told);
        told
    }

    /// The branches of a session, behind the lines that lead past them.
    fn walk(&self, id: &str, lead: &str, own: &str, seen: &mut BTreeSet<String>, told: &mut Vec<String>) {
        let branches = self.below.get(id).map(Vec::as_slice).unwrap_or_default();
        for (number, (at, branch)) in (1..).zip(branches) {
            let (sign, past) = if number == branches.len() { ("└─", "   ") } else { ("├─", "│  ") };
            let below = format!("{lead}{past}");
            let is_new = seen.insert(branch.id.clone());
            let goes_on = is_new && below.chars().count() < MOST_DEPTH * 3;
            let rest = self.rest(&branch.id, is_new, goes_on);
            told.push(format!("{lead}{sign} {} {}{rest}", first_words(at, MOST), row(branch, own)));
            if goes_on {
                self.walk(&branch.id, &below, own, seen, told);
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Millis;

    fn session(id: &str) -> Summary {
        Summary {
            id: id.to_owned(),
            cwd: String::new(),
            started: Millis(0),
            model: String::new(),
            first_message: "hello".to_owned(),
            name: None,
            tags: Vec::new(),
            is_sealed: false,
            ending: None,
            entries: 1,
            bytes: 1,
            path: std::path::PathBuf::new(),
        }
    }

    /// A family of sessions, each with what it was made from.
    fn told<T>(origins: &[(&str, Option<&str>)], tell: impl Fn(&Family<'_>) -> T) -> T {
        let sessions: Vec<Summary> = origins.iter().map(|(id, _)| session(id)).collect();
        let origin = |one: &Summary| {
            let from = origins.iter().find(|(id, _)| *id == one.id).and_then(|(_, from)| *from);
            from.map(|from| format!("{from}@e2"))
        };
        tell(&Family::with(&sessions, origin))
    }

    #[test]
    fn what_is_too_deep_is_counted_and_a_session_is_in_its_own_tree() {
        let ids: Vec<String> = (100..200).map(|number| format!("s{number}")).collect();
        let mut origins: Vec<(&str, Option<&str>)> = vec![("s100", None)];
        origins.extend(ids.windows(2).map(|pair| (pair[1].as_str(), Some(pair[0].as_str()))));
        let all = told(&origins, |family| family.all());
        assert_eq!(all.len(), MOST_DEPTH + 1);
        assert!(all[MOST_DEPTH].ends_with("  … and 59 more below"), "{}", all[MOST_DEPTH]);
        let around = told(&origins, |family| family.around("s190"));
        assert_eq!(around[0], "… 70 more above");
        assert!(around.iter().any(|line| line.ends_with("← this session")), "{around:?}");
        let rows = told(&origins, |family| family.rows_around("s190"));
        assert!(rows[0].words.ends_with("  … below 70 more") && rows[0].id == "s170", "{:?}", rows[0]);
        assert!(rows.iter().any(|row| row.is_own) && rows.last().is_some_and(|row| row.id == "s199"));
    }

    #[test]
    fn sessions_whose_origins_form_a_ring_are_shown() {
        let ring = [("a", Some("c")), ("b", Some("a")), ("c", Some("b")), ("d", Some("b")), ("x", None)];
        let all = told(&ring, |family| family.all());
        assert_eq!(all.len(), 5, "{all:?}");
        assert!(all[0].starts_with("a  ") && all.iter().any(|line| line.ends_with("form a ring")), "{all:?}");
        assert_eq!(told(&ring, |family| family.around("d")).len(), 5);
        assert_eq!(told(&ring, |family| family.rows_around("c")).len(), 5);
        assert!(told(&ring, |family| family.around("x")).is_empty());
    }
}
