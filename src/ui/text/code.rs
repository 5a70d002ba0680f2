//! Code in our own sentences: what is typed or named there stands between backquotes.

use ratatui::style::Style;
use ratatui::text::Span;

/// A sentence of ours on the screen: what stands between two backquotes has the look of code, and the backquotes are left out. A sentence
/// of others keeps them: in a command they mean something.
pub(in crate::ui) fn with_code(words: &str, base: Style, code: Style) -> Vec<Span<'static>> {
    let pieces: Vec<&str> = words.split('`').collect();
    // One that has no other half is no quote.
    let is_quoted = pieces.len() % 2 == 1;
    if !is_quoted {
        return vec![Span::styled(words.to_owned(), base)];
    }
    let looks = [base, base.patch(code)].into_iter().cycle();
    let pieces = pieces.into_iter().zip(looks).filter(|(piece, _)| !piece.is_empty());
    pieces.map(|(piece, look)| Span::styled(piece.to_owned(), look)).collect()
}

#[cfg(test)]
mod tests {
    use ratatui::style::Modifier;

    use super::*;

    #[test]
    fn what_is_quoted_looks_like_code_and_the_rest_does_not() {
        let code = Style::new().add_modifier(Modifier::BOLD);
        let spans = with_code("Run `countersign trust`, or `x`.", Style::new(), code);
        let told: Vec<(&str, bool)> =
            spans.iter().map(|span| (span.content.as_ref(), span.style == code)).collect();
        let wanted =
            [("Run ", false), ("countersign trust", true), (", or ", false), ("x", true), (".", false)];
        assert_eq!(told, wanted);
        assert_eq!(with_code("a ` b", Style::new(), code), [Span::styled("a ` b", Style::new())]);
        assert!(with_code("", Style::new(), code).is_empty());
    }
}
