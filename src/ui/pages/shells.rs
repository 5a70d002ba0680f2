//! The page of background commands: what each is, how long it runs, and what it prints, as it prints it; of those that are
//! over, how they ended and the last line.

use std::sync::Arc;

use ratatui::text::{Line, Span};

use super::{Page, PageEntry, PageFrame, Spoken};
use crate::ledger::Millis;
use crate::ui::keymap::KeyAction;
use crate::ui::linear::words::{duration, plain};
use crate::ui::panes::words::{clock, one_row};
use crate::ui::picker_source::Source;
use crate::ui::text::{fit, width};
use crate::view::{BackgroundShell, View};

/// `/shells`
pub(in crate::ui) const SHELLS: PageEntry = PageEntry { name: "shells", open: |_| Arc::new(Shells) };

#[derive(Debug)]
struct Shells;

impl Page for Shells {
    fn title(&self, _: &View) -> String {
        "background commands".to_owned()
    }

    fn keys(&self, view: &View) -> Vec<(&'static str, &'static str)> {
        if self.watches(view) { vec![("x", "stop one")] } else { Vec::new() }
    }

    fn opens(&self, command: KeyAction) -> Option<Source> {
        (command == KeyAction::Revoke).then_some(Source::Shells)
    }

    fn watches(&self, view: &View) -> bool {
        view.shells().iter().any(|shell| shell.is_running)
    }

    fn rows(&self, frame: &PageFrame<'_>, width: u16) -> Vec<Line<'static>> {
        let shells = frame.view.shells();
        if shells.is_empty() {
            return vec![Line::styled("No background commands.", frame.theme.dim)];
        }
        shells.iter().rev().flat_map(|shell| entry(frame, shell, usize::from(width))).collect()
    }

    fn spoken(&self, view: &View, now: Millis) -> Vec<Spoken> {
        if view.shells().is_empty() {
            return vec![Spoken::Line("background commands: none".to_owned())];
        }
        view.shells().iter().flat_map(|shell| said(shell, now)).collect()
    }
}

/// A command as it was last asked for, and its last line.
fn said(shell: &BackgroundShell, now: Millis) -> Vec<Spoken> {
    let stands = if shell.is_running {
        let (since, asked) = (duration(now.since(shell.since)), duration(now.since(shell.asked)));
        format!("running for {since}, last checked {asked} ago")
    } else {
        plain(&shell.words)
    };
    let mut said = vec![Spoken::Line(format!("{}: {}; {stands}", shell.id, plain(&shell.command)))];
    if !shell.last_line.is_empty() {
        said.push(Spoken::More(shell.last_line.clone()));
    }
    said
}

fn entry(frame: &PageFrame<'_>, shell: &BackgroundShell, inner: usize) -> Vec<Line<'static>> {
    let theme = frame.theme;
    let id = format!("{:4} ", shell.id);
    let command = fit(&one_row(&shell.command), inner.saturating_sub(width(&id)));
    let stands = if shell.is_running {
        let since = clock(frame.now.since(shell.since) / 1_000);
        format!("     running for {since}")
    } else {
        let sign = if shell.has_failed { "✗ " } else { "" };
        format!("     {sign}{}", one_row(&shell.words))
    };
    let style = match (shell.is_running, shell.has_failed) {
        (true, _) => theme.accent,
        (false, true) => theme.error,
        (false, false) => theme.dim,
    };
    let mut lines = vec![
        Line::from(vec![Span::styled(id, theme.title), Span::styled(command, theme.text)]),
        Line::styled(fit(&stands, inner), style),
    ];
    let printed = frame.printed.get(&shell.id).filter(|rows| !rows.is_empty());
    if let Some(rows) = printed {
        let row = |row: &String| Line::styled(fit(&format!("     {}", one_row(row)), inner), theme.text);
        lines.extend(rows.iter().map(row));
    } else if !shell.last_line.is_empty() {
        lines.push(Line::styled(fit(&format!("     {}", one_row(&shell.last_line)), inner), theme.faint));
    }
    lines
}
