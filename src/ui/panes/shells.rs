//! The page of background commands: what each is, how it stood when it was last asked for, its last line.

use ratatui::text::{Line, Span};

use crate::ui::text::{fit, width};
use crate::view::BackgroundShell;

use super::Screen;
use super::output::Laid;
use super::words::{clock, one_row};

/// The page, on lines of at most `inner` cells.
pub(super) fn lay(screen: &Screen<'_>, inner: u16) -> Laid {
    let shells = screen.view.shells();
    let lines = if shells.is_empty() {
        vec![Line::styled("No command was started in the background.", screen.theme.dim)]
    } else {
        shells.iter().rev().flat_map(|shell| entry(screen, shell, usize::from(inner))).collect()
    };
    ("background commands".to_owned(), lines, Vec::new())
}

fn entry(screen: &Screen<'_>, shell: &BackgroundShell, inner: usize) -> Vec<Line<'static>> {
    let theme = screen.theme;
    let id = format!("{:4} ", shell.id);
    let command = fit(&one_row(&shell.command), inner.saturating_sub(width(&id)));
    let stands = if shell.is_running {
        let since = clock(screen.now.since(shell.since) / 1_000);
        let asked = clock(screen.now.since(shell.asked) / 1_000);
        format!("     runs for {since}, as the agent saw it {asked} ago")
    } else {
        format!("     {}", one_row(&shell.words))
    };
    let style = if shell.is_running { theme.accent } else { theme.dim };
    let mut lines = vec![
        Line::from(vec![Span::styled(id, theme.title), Span::styled(command, theme.text)]),
        Line::styled(fit(&stands, inner), style),
    ];
    if !shell.last_line.is_empty() {
        lines.push(Line::styled(fit(&format!("     {}", one_row(&shell.last_line)), inner), theme.faint));
    }
    lines
}
