//! The first line: who this is, where it works, which model and mode.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::model::ToolCalls;
use crate::policy::Mode;
use crate::ui::pending_model::PendingModel;
use crate::ui::text::{fit, width};

use super::Screen;
use super::words::{both_ends, cells, one_row};

/// Cells of a model's name, at least.
const LEAST_OF_MODEL: usize = 6;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let (theme, settings) = (screen.theme, &screen.view.settings);
    let mode = screen.view.session.mode;
    let total = usize::from(area.width).saturating_sub(2);
    let mode_style = if mode == Mode::Unrestricted { theme.warning } else { theme.text };
    let model = one_row(&answering(screen));
    let mut right = vec![Span::styled(format!("{} · ", fit(&model, total / 2)), theme.dim)];
    right.push(Span::styled(mode.as_str(), mode_style));
    if total >= 70 && screen.view.session.tool_calls == ToolCalls::InText {
        right.push(Span::styled(" · tools as text", theme.dim));
    }
    let running = screen.view.shells().iter().filter(|shell| shell.is_running).count();
    if running > 0 {
        let words = if running == 1 { "1 shell".to_owned() } else { format!("{running} shells") };
        right.push(Span::styled(format!(" · {words}"), theme.accent));
    }
    let needed: usize = right.iter().map(|s| width(&s.content)).sum();
    let mut left = vec![Span::styled("countersign", theme.accent)];
    let branch = settings.branch.as_deref().map(|b| format!(" · {}", one_row(b))).unwrap_or_default();
    let room = total.saturating_sub(needed + 11 + 2 + 2);
    let place = match screen.local.lineage.as_slice() {
        [] => folder(&one_row(&settings.cwd), &branch, room),
        names => {
            let names = one_row(&names.join(" › "));
            let whole = format!("› {names} (← back)");
            // The way back is said in any case.
            if width(&whole) <= room { whole } else { format!("← {names}") }
        }
    };
    if let Some(own) = screen.local.lineage.last()
        && width(&place) > room
    {
        return narrow(frame, area, &format!("← {}", one_row(own)), screen);
    }
    if cells(&left) + 1 + needed > total {
        let rest = right.into_iter().skip(1).collect();
        let line = crowded(left, Span::styled(model, theme.dim), rest, total);
        return frame.render_widget(line, Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), 1));
    }
    if room >= 6 {
        left.push(Span::styled(format!("  {}", fit(&place, room)), theme.dim));
    }
    let line = both_ends(left, right, total);
    frame.render_widget(line, Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), 1));
}

/// Where there is no room for all: the mode and what runs stay, then as much of the model as has room, then our name.
fn crowded(
    name: Vec<Span<'static>>,
    model: Span<'static>,
    rest: Vec<Span<'static>>,
    total: usize,
) -> Line<'static> {
    let taken = cells(&rest) + width(" · ");
    let beside_name = total.saturating_sub(cells(&name) + 1 + taken);
    let has_name = beside_name >= LEAST_OF_MODEL;
    let room = if has_name { beside_name } else { total.saturating_sub(taken) };
    let mut right = Vec::new();
    if room >= LEAST_OF_MODEL {
        let words = fit(&model.content, room.min(total / 2));
        right.push(Span::styled(format!("{words} · "), model.style));
    }
    right.extend(rest);
    if has_name { both_ends(name, right, total) } else { Line::from(right) }
}

/// The folder and its branch in so many cells: the name of the project tells it from others, so folders above it go first.
fn folder(path: &str, branch: &str, room: usize) -> String {
    let whole = format!("{path}{branch}");
    if width(&whole) <= room {
        return whole;
    }
    let ends = path.match_indices('/').filter_map(|(at, _)| path.get(at..));
    let mut ends = ends.skip(1).filter(|end| end.len() > 1).map(|end| format!("…{end}{branch}"));
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    ends.find(|end| width(end) <= room).unwrap_or_else(|| fit(&format!("{name}{branch}"), room))
}

/// The same of an opened sub-agent where there is no room for all: which one it is comes first, then the mode, then the model.
fn narrow(frame: &mut Frame<'_>, area: Rect, own: &str, screen: &Screen<'_>) {
    let theme = screen.theme;
    let mode = screen.view.session.mode;
    let total = usize::from(area.width).saturating_sub(2);
    let mode_style = if mode == Mode::Unrestricted { theme.warning } else { theme.text };
    let own = fit(own, total);
    let mut room = total.saturating_sub(width(&own) + 2);
    let mut right = Vec::new();
    if width(mode.as_str()) <= room {
        room -= width(mode.as_str());
        right.push(Span::styled(mode.as_str(), mode_style));
    }
    let model = format!("{} · ", one_row(&answering(screen)));
    if !right.is_empty() && width(&model) <= room {
        right.insert(0, Span::styled(model, theme.dim));
    }
    let line = both_ends(vec![Span::styled(own, theme.accent)], right, total);
    frame.render_widget(line, Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), 1));
}

/// The model that answers, beside the one that is looked for, or the one that will from the next turn on; and how hard it thinks.
fn answering(screen: &Screen<'_>) -> String {
    let now = &screen.view.session.model;
    let model = match &screen.local.next_model {
        Some(PendingModel::Sought(name)) => format!("{now}, looking for {name}"),
        Some(PendingModel::Next(next)) if next != now => format!("→ {next}"),
        Some(PendingModel::Next(_)) | None => now.clone(),
    };
    screen.view.session.effort.map_or_else(|| model.clone(), |effort| format!("{model} ({effort})"))
}

#[cfg(test)]
mod tests {
    use super::folder;

    #[test]
    fn of_a_long_path_the_project_and_its_branch_stay() {
        let path = "/srv/alpha/ws/shop";
        for (room, shown) in [
            (28, "/srv/alpha/ws/shop · master"),
            (26, "…/alpha/ws/shop · master"),
            (20, "…/ws/shop · master"),
            (16, "…/shop · master"),
            (13, "shop · master"),
            (10, "shop · ma…"),
            (4, "sho…"),
        ] {
            assert_eq!(folder(path, " · master", room), shown, "{room}");
        }
        assert_eq!(folder("~/src/parser", "", 9), "…/parser");
        assert_eq!(folder("/", "", 9), "/");
    }
}
