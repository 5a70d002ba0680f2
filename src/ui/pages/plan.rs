//! The page of the model's to-do list, item by item.

use std::sync::Arc;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{Page, PageEntry, PageFrame, Spoken};
use crate::ledger::Millis;
use crate::ui::linear::words::plain;
use crate::ui::panes::words::one_row;
use crate::ui::text::{MEASURE, wrap};
use crate::ui::theme::Theme;
use crate::view::{PlanItem, PlanProgress, PlanStatus, View};

/// Cells before an item's words: its sign, and how it stands.
const HEAD: usize = 8;

/// `/plan`
pub(in crate::ui) const PLAN: PageEntry = PageEntry { name: "plan", open: |_| Arc::new(Plan) };

#[derive(Debug)]
struct Plan;

impl Page for Plan {
    fn title(&self, view: &View) -> String {
        if view.plan().is_empty() {
            return "plan".to_owned();
        }
        let PlanProgress { done, all, .. } = PlanProgress::of(view.plan());
        format!("plan · {done} of {all} done")
    }

    fn rows(&self, frame: &PageFrame<'_>, width: u16) -> Vec<Line<'static>> {
        let (items, theme, inner) = (frame.view.plan(), frame.theme, usize::from(width));
        if items.is_empty() {
            let none = "no active plan";
            return wrap(none, inner.max(1), theme.dim);
        }
        items.iter().flat_map(|item| lines(item, inner.min(MEASURE), theme)).collect()
    }

    fn spoken(&self, view: &View, _: Millis) -> Vec<Spoken> {
        let items = view.plan();
        if items.is_empty() {
            return vec![Spoken::Line("plan: there is none".to_owned())];
        }
        let PlanProgress { done, all, .. } = PlanProgress::of(items);
        let items = items
            .iter()
            .enumerate()
            .map(|(at, item)| format!("item {}, {}: {}", at + 1, item.status.word(), plain(&item.text)));
        std::iter::once(format!("plan: {done} of {all} done")).chain(items).map(Spoken::Line).collect()
    }
}

/// One item: `✓ done  read the parser`, broken where it must be.
fn lines(item: &PlanItem, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let (sign, style, words) = standing(item.status, theme);
    let head = format!("{sign} {:width$}", item.status.word(), width = HEAD - 2);
    let heads = std::iter::once(head).chain(std::iter::repeat(" ".repeat(HEAD)));
    let broken = wrap(&one_row(&item.text), inner.saturating_sub(HEAD).max(1), words);
    let with_head = |(head, line): (String, Line<'static>)| {
        Line::from_iter(std::iter::once(Span::styled(head, style)).chain(line.spans))
    };
    heads.zip(broken).map(with_head).collect()
}

/// Its sign, and what the sign and the words look like.
fn standing(status: PlanStatus, theme: &Theme) -> (&'static str, Style, Style) {
    match status {
        PlanStatus::Completed => ("✓", theme.success, theme.dim),
        PlanStatus::InProgress => ("▸", theme.accent, theme.text),
        PlanStatus::Pending => ("·", theme.dim, theme.text),
    }
}
