//! The theme without colours: weight, slant and line alone, so that `NO_COLOR` is honest.

use ratatui::style::{Modifier, Style};

use super::{Syntax, Theme};

/// A theme in which no style names a colour.
pub(super) fn theme() -> Theme {
    let plain = Style::new();
    let dim = plain.add_modifier(Modifier::DIM);
    let bold = plain.add_modifier(Modifier::BOLD);
    let reverse = plain.add_modifier(Modifier::REVERSED);
    let underline = plain.add_modifier(Modifier::UNDERLINED);
    let italic = plain.add_modifier(Modifier::ITALIC);
    Theme {
        text: plain,
        dim,
        faint: dim,
        accent: bold,
        user: bold,
        success: plain,
        warning: bold,
        error: bold,
        border: dim,
        border_waiting: bold,
        border_live: plain,
        title: bold,
        selection: reverse,
        code: bold,
        code_block: plain,
        heading: bold,
        link: underline,
        quote: italic,
        emphasis: italic,
        strong: bold,
        diff_add: bold,
        diff_remove: dim,
        diff_add_word: bold.add_modifier(Modifier::UNDERLINED),
        diff_remove_word: dim.add_modifier(Modifier::UNDERLINED),
        diff_context: plain,
        diff_hunk: dim,
        gauge_full: plain,
        gauge_empty: dim,
        gauge_warn: bold,
        gauge_over: bold.add_modifier(Modifier::REVERSED),
        composer: plain,
        placeholder: dim,
        status: dim,
        syntax: syntax(plain, bold, dim),
        background: None,
        is_dark: true,
        name: "plain".to_owned(),
    }
}

const fn syntax(plain: Style, bold: Style, dim: Style) -> Syntax {
    Syntax {
        keyword: bold,
        string: plain,
        escape: plain,
        comment: dim,
        function: plain,
        r#type: plain,
        number: plain,
        constant: plain,
        operator: plain,
        punctuation: plain,
        variable: plain,
        attribute: plain,
        tag: bold,
    }
}
