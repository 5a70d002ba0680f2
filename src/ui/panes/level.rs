//! How near a limit is: as a bar, a colour and a word, the same in the line of gauges and on the page of budgets.

use ratatui::style::Style;
use ratatui::text::Span;

use crate::ui::theme::Theme;

/// How near a limit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// There is no limit, or it is far.
    Calm,
    /// 75 % are used.
    Near,
    /// 90 % are used.
    Close,
    /// All of it is used.
    Over,
}

impl Level {
    pub(super) fn of(used: u64, limit: Option<u64>) -> Self {
        match limit {
            None => Self::Calm,
            Some(limit) if used >= limit => Self::Over,
            Some(limit) if used >= limit - limit / 10 => Self::Close,
            Some(limit) if used >= limit - limit / 4 => Self::Near,
            Some(_) => Self::Calm,
        }
    }

    /// The same without colours, to stand behind numbers.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Calm => "",
            Self::Near | Self::Close => ", near the limit",
            Self::Over => " used up",
        }
    }

    /// The same where there is little room: the numbers say how near it is.
    pub(super) const fn short_word(self) -> &'static str {
        match self {
            Self::Calm => "",
            Self::Near | Self::Close => "!",
            Self::Over => " used up",
        }
    }

    pub(super) fn style(self, theme: &Theme) -> Style {
        match self {
            Self::Calm => theme.gauge_full,
            Self::Near => theme.gauge_warn,
            Self::Close | Self::Over => theme.gauge_over,
        }
    }
}

/// A bar of so many cells, filled by halves. Only what is used up fills all of them, and anything at all fills a half.
pub(super) fn bar(used: u64, limit: u64, size: u64, theme: &Theme) -> Vec<Span<'static>> {
    let part = (u128::from(used) * u128::from(size) * 2) / u128::from(limit.max(1));
    let most = size.saturating_mul(2);
    let halves = if used >= limit { most } else { u64::try_from(part).unwrap_or(most).min(most) };
    let halves = halves.max(u64::from(used > 0 && size > 0));
    let (full, half) = (halves / 2, halves % 2);
    let cells = |sign: &str, n: u64| sign.repeat(usize::try_from(n).unwrap_or(0));
    let style = Level::of(used, Some(limit)).style(theme);
    vec![
        Span::styled(format!("{}{}", cells("\u{2501}", full), cells("\u{257e}", half)), style),
        Span::styled(cells("\u{2500}", size - full - half), theme.gauge_empty),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_near_from_three_quarters_on() {
        for (used, limit, level) in [
            (u64::MAX, None, Level::Calm),
            (74, Some(100), Level::Calm),
            (75, Some(100), Level::Near),
            (89, Some(100), Level::Near),
            (90, Some(100), Level::Close),
            (99, Some(100), Level::Close),
            (100, Some(100), Level::Over),
            (0, Some(0), Level::Over),
            (0, Some(1), Level::Calm),
            (u64::MAX, Some(u64::MAX), Level::Over),
        ] {
            assert_eq!(Level::of(used, limit), level, "{used} of {limit:?}");
        }
    }

    #[test]
    fn a_bar_is_as_long_as_it_shall_be() {
        let theme = Theme::plain();
        for (used, limit, shows) in [
            (0, 9, "───"),
            (4, 1_000, "╾──"),
            (1, 9, "╾──"),
            (3, 9, "━──"),
            (8, 9, "━━╾"),
            (99, 100, "━━╾"),
            (9, 9, "━━━"),
            (9, 0, "━━━"),
            (u64::MAX, 1, "━━━"),
        ] {
            let text: String = bar(used, limit, 3, &theme).iter().map(|s| s.content.clone()).collect();
            assert_eq!(text, shows, "{used} of {limit}");
        }
    }
}
