//! The time line of a session that is played: how far it is, and where decisions, errors and tombstones stand.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::ui::replay_keys::{Replay, ReplayMark};
use crate::ui::text::fit;
use crate::ui::theme::Theme;

/// Rows that it takes, with the row of its keys.
pub(super) const ROWS: u16 = 2;
/// Fewer cells tell nothing: the times are left out before that.
const LEAST_TRACK: usize = 12;

/// Draws the time line and its keys in the place of what would be typed.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, replay: &Replay, theme: &Theme) {
    let [before, after] = words(replay, area.width);
    let track = track(area, replay);
    let mut line = vec![Span::styled(before, theme.text)];
    for cell in 0..usize::from(track.width) {
        line.push(self::cell(replay, cell, usize::from(track.width), theme));
    }
    line.push(Span::styled(after, theme.dim));
    frame.render_widget(Line::from(line), Rect { height: area.height.min(1), ..area });
    if area.height > 1 {
        let words = fit(&replay.words(), usize::from(area.width));
        let row = Rect { y: area.y + 1, height: 1, ..area };
        frame.render_widget(Line::styled(words, theme.placeholder), row);
    }
}

/// Where the track itself is: the cells that can be clicked.
pub(super) fn track(area: Rect, replay: &Replay) -> Rect {
    let [before, after] =
        words(replay, area.width).map(|words| u16::try_from(words.chars().count()).unwrap_or(u16::MAX));
    let width = area.width.saturating_sub(before).saturating_sub(after);
    Rect { x: area.x + before.min(area.width), width, height: area.height.min(1), ..area }
}

/// What stands before and behind the track.
fn words(replay: &Replay, width: u16) -> [String; 2] {
    let sign = if replay.paused || replay.is_over() { "‖" } else { "▸" };
    let before = format!("{sign} {}/{} ", replay.shown, replay.count());
    let (shown, all) = replay.times();
    let after = format!(" {} / {}", clock(shown), clock(all));
    let left = usize::from(width).saturating_sub(before.chars().count() + after.chars().count());
    if left < LEAST_TRACK { [before, String::new()] } else { [before, after] }
}

/// `4:07`, `1:04:07`.
fn clock(ms: u64) -> String {
    let seconds = ms / 1_000;
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// One cell of the track: where it stands, else what stands out there, else whether it was shown.
fn cell(replay: &Replay, cell: usize, width: usize, theme: &Theme) -> Span<'static> {
    let all = replay.count();
    let from = all * cell / width;
    // With fewer entries than cells an entry has several, and is marked in the last of them, as is the place.
    let to = all * (cell + 1) / width;
    if place(replay, width) == Some(cell) {
        return Span::styled("●", theme.accent);
    }
    let is_shown = from < replay.shown;
    match replay.mark(from..to) {
        Some(mark) => {
            let style = match mark {
                ReplayMark::Decision => theme.warning,
                ReplayMark::Error => theme.error,
                ReplayMark::Tombstone => theme.dim,
            };
            Span::styled(mark.key(), style)
        }
        None if is_shown => Span::styled("━", theme.accent),
        None => Span::styled("─", theme.faint),
    }
}

/// The cell of the entry that is shown last.
fn place(replay: &Replay, width: usize) -> Option<usize> {
    let last = replay.shown.checked_sub(1)?;
    Some(((last + 1) * width).saturating_sub(1) / replay.count().max(1))
}
