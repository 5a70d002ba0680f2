//! The page of what all sessions have spent. It is opened at once, and filled when they are added up.

use std::sync::Arc;

use ratatui::text::Line;

use super::{OpenPage, Page, PageFrame, Spoken};
use crate::ledger::Millis;
use crate::ui::text::wrap;
use crate::ui::usage_table::UsageTable;
use crate::view::View;

/// Its name.
pub(in crate::ui) const NAME: &str = "usage";

/// `None`: the sessions are being added up.
#[derive(Debug)]
struct Usage(Option<UsageTable>);

/// The page before its table is there.
pub(in crate::ui) fn awaited() -> OpenPage {
    OpenPage { name: NAME, page: Arc::new(Usage(None)), scrolled: 0 }
}

/// The page with its table.
pub(in crate::ui) fn filled(table: UsageTable) -> Arc<dyn Page> {
    Arc::new(Usage(Some(table)))
}

/// The table in words: a line per row.
pub(in crate::ui) fn said(table: &UsageTable) -> Vec<String> {
    let heads = || table.heads.iter().skip(1);
    let row = |row: &Vec<String>| {
        let name = row.first().map(String::as_str).unwrap_or_default();
        let cells: Vec<String> =
            heads().zip(row.iter().skip(1)).map(|(head, cell)| format!("{head} {cell}")).collect();
        format!("usage {name}: {}", cells.join(", "))
    };
    table.rows.iter().map(row).chain(table.remarks.iter().map(|remark| format!("usage: {remark}"))).collect()
}

impl Page for Usage {
    fn title(&self, _: &View) -> String {
        "usage of all sessions".to_owned()
    }

    fn rows(&self, frame: &PageFrame<'_>, width: u16) -> Vec<Line<'static>> {
        let (theme, width) = (frame.theme, usize::from(width));
        let Some(table) = &self.0 else {
            return vec![Line::styled("Adding up all sessions…", theme.dim)];
        };
        let mut lines: Vec<Line<'static>> = Vec::new();
        if !table.rows.is_empty() {
            let last = table.rows.len();
            lines.extend(table.laid(width).into_iter().enumerate().flat_map(|(at, rows)| {
                let style = if at == 0 || at == last { theme.title } else { theme.text };
                rows.into_iter().map(move |line| Line::styled(line, style))
            }));
            lines.push(Line::default());
        }
        lines.extend(table.remarks.iter().flat_map(|remark| wrap(remark, width, theme.dim)));
        lines
    }

    fn spoken(&self, _: &View, _: Millis) -> Vec<Spoken> {
        let said = self.0.as_ref().map(said).unwrap_or_default();
        said.into_iter().map(Spoken::Line).collect()
    }
}
