//! What the inspector knows while it is open: which page, which entry, what is looked for.

use std::collections::BTreeMap;

use crate::ledger::{Body, CallId, Change, EntryId};
use crate::ui::branches::{BranchRow, SideBySide};
use crate::view::View;

use super::page_data::PageData;
use super::tab::{Group, Side, Tab};

/// The state of the inspector.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inspector {
    /// The page.
    pub tab: Tab,
    /// The chosen line of each page; none follows the last.
    pub selected: BTreeMap<Tab, usize>,
    /// Which kinds the table shows.
    pub group: Group,
    /// Which entries the page of what the model sees lists.
    pub side: Side,
    /// Whether decisions that nobody was asked for are left out.
    pub asked: bool,
    /// What is looked for.
    pub query: String,
    /// Whether that is being written.
    pub typing: bool,
    /// Whether the entry has the whole screen.
    pub open: bool,
    /// Rows by which the entry, or the plots, are scrolled.
    pub scroll: u16,
    /// One line at the foot, until the next key.
    pub said: Option<String>,
    /// The tree of branches; `None`: it was not asked for, or is not here yet.
    pub tree: Option<Vec<BranchRow>>,
    /// This session beside the one that was chosen in the tree.
    pub beside: Option<SideBySide>,
    /// Whether it was opened from that of the session which started this one, and leads back there.
    pub walked_in: bool,
    /// What the pages are made of.
    pub books: Box<PageData>,
}

impl Inspector {
    /// Opened from the inspector of the session that started the one it is of.
    #[must_use]
    pub fn walked_in() -> Self {
        Self { walked_in: true, ..Self::default() }
    }

    /// Brings what the page shows up to date with the session: each entry is read once.
    pub fn catch_up(&mut self, view: &View) {
        self.books.catch_up(self.tab, self.group, &self.query, view);
    }

    /// The call of the sub-agent that the chosen entry is about.
    pub fn subagent(&self, view: &View) -> Option<CallId> {
        let row = self.entry(view).and_then(|id| view.row(id))?;
        let call = match &row.entry.body {
            Body::Change(Change::EscrowReserved(escrow)) => Some(escrow.call),
            Body::Change(Change::EscrowSettled(settled)) => Some(settled.call),
            Body::Change(Change::SubagentStarted { call } | Change::SubagentWaits { call, .. }) => {
                Some(*call)
            }
            Body::DelegationRequested(sent) => Some(sent.call),
            body => body.call(),
        };
        call.filter(|call| view.subagent_session(*call).is_some())
    }

    /// How many lines the page has.
    pub fn count(&self, view: &View) -> usize {
        match self.tab {
            Tab::Ledger => self.books.shown(self.group).map_or_else(|| view.rows().len(), <[usize]>::len),
            Tab::ModelSees => self.books.sights(self.side).len(),
            Tab::Timeline => self.books.timeline.moments().len(),
            Tab::Budgets => 0,
            Tab::Branches if self.open => self.compared().len(),
            Tab::Branches => self.tree.as_ref().map_or(0, Vec::len),
            Tab::Approvals => self.books.receipts.len(self.asked),
        }
    }

    /// The chosen line.
    pub fn place(&self, count: usize) -> usize {
        let last = count.saturating_sub(1);
        self.selected.get(&self.tab).map_or(last, |at| (*at).min(last))
    }

    /// The branch that is chosen in the tree.
    pub fn branch(&self) -> Option<&BranchRow> {
        let tree = self.tree.as_ref()?;
        let last = tree.len().saturating_sub(1);
        tree.get(self.selected.get(&Tab::Branches).map_or(last, |at| (*at).min(last)))
    }

    /// The rows of the comparison, if it is the one of the chosen branch.
    pub fn compared(&self) -> &[(Option<String>, Option<String>)] {
        let of = self.branch().map(|branch| branch.id.as_str());
        let beside = self.beside.as_ref().filter(|beside| Some(beside.id.as_str()) == of);
        beside.map_or(&[], |beside| beside.rows.as_slice())
    }

    /// The row of the ledger at a line of the table.
    pub fn row_at(&self, line: usize) -> Option<usize> {
        self.books.shown(self.group).map_or(Some(line), |shown| shown.get(line).copied())
    }

    /// The entry that the chosen line is about.
    pub fn entry(&self, view: &View) -> Option<EntryId> {
        let at = self.place(self.count(view));
        match self.tab {
            Tab::Ledger => view.rows().get(self.row_at(at)?).map(|row| row.entry.id),
            Tab::ModelSees => self.books.sights(self.side).at(at).map(|sight| sight.entry),
            Tab::Timeline => self.books.timeline.moments().get(at).map(|moment| moment.entry),
            Tab::Budgets | Tab::Branches => None,
            Tab::Approvals => self.books.receipts.get(at, self.asked).map(|receipt| receipt.entry),
        }
    }
}
