//! Paints code with a syntax definition: the slow part, which runs beside the screen.

use std::collections::BTreeMap;

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use syntect::easy::ScopeRegionIterator;
use syntect::parsing::{ParseState, ScopeStack, SyntaxReference, SyntaxSet};

use super::scopes::Roles;
use crate::ui::theme::Syntax;

/// Bytes of a line beyond which it stays plain: such lines are data, and cost seconds.
const LONGEST_LINE: usize = 2_000;

/// Blocks that may grow at the same time; the one that began first is forgotten.
const MOST_GROWING: usize = 16;

/// The colours to paint with.
#[derive(Debug, Clone)]
pub(super) struct Palette {
    pub(super) syntax: Syntax,
    pub(super) base: Style,
}

/// The syntax definitions, and where each growing block stands. Loading takes milliseconds, first use of a language
/// more, so none of it may happen on the way to a frame.
pub(super) struct Painter {
    syntaxes: SyntaxSet,
    roles: Roles,
    growing: BTreeMap<u64, Position>,
}

/// Where the parser stands after a line.
struct Position {
    parser: ParseState,
    scopes: ScopeStack,
}

impl Painter {
    pub(super) fn load() -> Self {
        Self { syntaxes: two_face::syntax::extra_newlines(), roles: Roles::new(), growing: BTreeMap::new() }
    }

    /// Paints a whole block.
    pub(super) fn paint(&mut self, language: &str, code: &str, palette: &Palette) -> Vec<Line<'static>> {
        let mut position = self.find(language).map(Position::start);
        self.go_on(&mut position, code, palette)
    }

    /// Paints the next lines of the block `id`, from where its last ones ended.
    pub(super) fn grow(
        &mut self,
        id: u64,
        language: &str,
        code: &str,
        palette: &Palette,
    ) -> Vec<Line<'static>> {
        let kept = self.growing.remove(&id);
        let mut position = kept.or_else(|| self.find(language).map(Position::start));
        let lines = self.go_on(&mut position, code, palette);
        if let Some(position) = position {
            self.growing.insert(id, position);
        }
        while self.growing.len() > MOST_GROWING {
            self.growing.pop_first();
        }
        lines
    }

    fn find(&self, language: &str) -> Option<&SyntaxReference> {
        let token = match language {
            "shell" | "console" | "terminal" | "shell-session" | "zsh" => "sh",
            "jsonc" | "json5" | "jsonl" => "json",
            "golang" => "go",
            "patch" => "diff",
            "dockerfile" => "Dockerfile",
            _ => language,
        };
        self.syntaxes.find_syntax_by_token(token).filter(|syntax| syntax.name != "Plain Text")
    }

    fn go_on(
        &mut self,
        position: &mut Option<Position>,
        code: &str,
        palette: &Palette,
    ) -> Vec<Line<'static>> {
        code.split_inclusive('\n')
            .map(|line| {
                let painted = position
                    .as_mut()
                    .filter(|_| line.len() <= LONGEST_LINE)
                    .and_then(|position| position.line(line, &self.syntaxes, &mut self.roles, palette));
                painted.unwrap_or_else(|| Line::styled(line.trim_end_matches('\n').to_owned(), palette.base))
            })
            .collect()
    }
}

impl Position {
    fn start(syntax: &SyntaxReference) -> Self {
        Self { parser: ParseState::new(syntax), scopes: ScopeStack::new() }
    }

    /// One line in colour, or `None` if the syntax definition fails on it.
    fn line(
        &mut self,
        line: &str,
        syntaxes: &SyntaxSet,
        roles: &mut Roles,
        palette: &Palette,
    ) -> Option<Line<'static>> {
        let operations = self.parser.parse_line(line, syntaxes).ok()?;
        let mut spans: Vec<Span<'static>> = Vec::new();
        for (region, operation) in ScopeRegionIterator::new(&operations, line) {
            self.scopes.apply(operation).ok()?;
            let text = region.trim_end_matches('\n');
            if text.is_empty() {
                continue;
            }
            let style = roles.style(self.scopes.as_slice(), &palette.syntax, palette.base);
            match spans.last_mut() {
                Some(last) if last.style == style => last.content.to_mut().push_str(text),
                _ => spans.push(Span::styled(text.to_owned(), style)),
            }
        }
        Some(Line::from(spans))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_licences_of_the_definitions_are_shipped() {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let shipped = words(include_str!("../../../../assets/LICENSES-syntaxes.md"));
        let listing = two_face::acknowledgement::listing();
        for licence in listing.for_syntaxes().iter().filter(|licence| licence.needs_acknowledgement()) {
            assert!(shipped.contains(&words(&licence.text)), "{} is missing", licence.rel_path.display());
        }
    }

    #[test]
    fn a_block_that_was_forgotten_begins_anew() {
        let theme = crate::ui::theme::Theme::plain();
        let palette = Palette { syntax: theme.syntax, base: Style::new() };
        let mut painter = Painter::load();
        for id in 0..40 {
            assert_eq!(painter.grow(id, "rust", "/* open\n", &palette).len(), 1);
        }
        assert_eq!(painter.growing.len(), MOST_GROWING);
        let inside = painter.grow(39, "rust", "still */ let\n", &palette);
        let anew = painter.grow(0, "rust", "still */ let\n", &palette);
        assert_ne!(inside, anew);
    }
}
