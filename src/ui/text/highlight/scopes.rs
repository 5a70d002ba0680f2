//! From the scopes of a syntax definition to the roles of a theme, so that code follows the theme.

use std::collections::BTreeMap;

use ratatui::style::Style;
use syntect::parsing::Scope;

use crate::ui::theme::Syntax;

/// Which style of the palette a scope takes.
type Role = fn(&Syntax) -> Style;

/// Scopes by prefix, the more special before the more general. Scopes without a role (`meta`, `source`) leave the
/// choice to the scope around them.
const ROLES: &[(&str, Role)] = &[
    ("comment", |syntax| syntax.comment),
    ("punctuation.definition.comment", |syntax| syntax.comment),
    ("constant.character.escape", |syntax| syntax.escape),
    ("constant.other.placeholder", |syntax| syntax.escape),
    ("constant.numeric", |syntax| syntax.number),
    ("constant", |syntax| syntax.constant),
    ("punctuation.definition.string", |syntax| syntax.string),
    ("string", |syntax| syntax.string),
    ("punctuation.definition.annotation", |syntax| syntax.attribute),
    ("punctuation.definition.tag", |syntax| syntax.punctuation),
    ("punctuation.definition.heading", |syntax| syntax.keyword),
    ("punctuation", |syntax| syntax.punctuation),
    ("keyword.operator.word", |syntax| syntax.keyword),
    ("keyword.operator.logical.python", |syntax| syntax.keyword),
    ("keyword.operator", |syntax| syntax.operator),
    ("keyword", |syntax| syntax.keyword),
    ("storage.type.numeric", |syntax| syntax.number),
    ("storage", |syntax| syntax.keyword),
    ("entity.name.function", |syntax| syntax.function),
    ("entity.name.macro", |syntax| syntax.function),
    ("entity.name.tag", |syntax| syntax.tag),
    ("entity.name.section", |syntax| syntax.keyword),
    ("entity.name.namespace", |syntax| syntax.variable),
    ("entity.name.constant", |syntax| syntax.constant),
    ("entity.name.label", |syntax| syntax.attribute),
    ("entity.name", |syntax| syntax.r#type),
    ("entity.other.attribute-name", |syntax| syntax.attribute),
    ("entity.other.inherited-class", |syntax| syntax.r#type),
    ("support.function", |syntax| syntax.function),
    ("support.macro", |syntax| syntax.function),
    ("support.type.property-name", |syntax| syntax.attribute),
    ("support.type", |syntax| syntax.r#type),
    ("support.class", |syntax| syntax.r#type),
    ("support.constant", |syntax| syntax.constant),
    ("variable.function", |syntax| syntax.function),
    ("variable.annotation", |syntax| syntax.attribute),
    ("variable.language", |syntax| syntax.keyword),
    ("variable.other.constant", |syntax| syntax.constant),
    ("variable", |syntax| syntax.variable),
    ("markup.heading", |syntax| syntax.keyword),
    ("markup.inserted", |syntax| syntax.string),
    ("markup.deleted", |syntax| syntax.tag),
    ("markup.raw", |syntax| syntax.string),
    ("markup.underline.link", |syntax| syntax.function),
];

/// Finds the role of a scope, and remembers it.
pub(super) struct Roles {
    prefixes: Vec<(Scope, Role)>,
    known: BTreeMap<Scope, Option<Role>>,
}

impl Roles {
    pub(super) fn new() -> Self {
        let prefixes =
            ROLES.iter().filter_map(|(name, role)| Some((Scope::new(name).ok()?, *role))).collect();
        Self { prefixes, known: BTreeMap::new() }
    }

    /// The style of the innermost scope that has a role; code without one keeps `base`.
    pub(super) fn style(&mut self, stack: &[Scope], syntax: &Syntax, base: Style) -> Style {
        let role = stack.iter().rev().find_map(|scope| self.role(*scope));
        role.map_or(base, |role| base.patch(role(syntax)))
    }

    fn role(&mut self, scope: Scope) -> Option<Role> {
        let prefixes = &self.prefixes;
        *self.known.entry(scope).or_insert_with(|| {
            prefixes.iter().find(|(prefix, _)| prefix.is_prefix_of(scope)).map(|(_, role)| *role)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::Theme;

    #[test]
    fn every_prefix_is_a_scope_and_none_hides_a_later_one() {
        assert_eq!(Roles::new().prefixes.len(), ROLES.len());
        for (index, (general, _)) in ROLES.iter().enumerate() {
            for (special, _) in ROLES.iter().skip(index + 1) {
                assert!(!special.starts_with(&format!("{general}.")), "{general} hides {special}");
            }
        }
    }

    #[test]
    fn the_innermost_scope_with_a_role_decides() {
        let theme = Theme::builtin("countersign-dark").unwrap();
        let mut roles = Roles::new();
        let stack = |names: &[&str]| names.iter().map(|name| Scope::new(name).unwrap()).collect::<Vec<_>>();
        let inside = stack(&["source.rust", "string.quoted.double.rust", "constant.character.escape.rust"]);
        assert_eq!(roles.style(&inside, &theme.syntax, Style::new()), theme.syntax.escape);
        let around = stack(&["source.rust", "keyword.control.rust", "meta.block.rust"]);
        assert_eq!(roles.style(&around, &theme.syntax, Style::new()), theme.syntax.keyword);
        assert_eq!(roles.style(&stack(&["source.rust"]), &theme.syntax, theme.text), theme.text);
    }
}
