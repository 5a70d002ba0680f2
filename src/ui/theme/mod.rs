//! Themes: what each role on the screen looks like, read from TOML so that people can bring their own.

/// Dark or light: what stands behind the words.
pub mod background;
mod depth;
mod parse;
mod plain;
mod program;
mod roles;
mod shipped;

pub(crate) use parse::resembling;
pub use program::Inks;
pub use roles::{Syntax, Theme};
use shipped::BUILTIN;

impl Theme {
    /// A theme that comes with the program.
    #[must_use]
    pub fn builtin(name: &str) -> Option<Self> {
        if name == "plain" {
            return Some(Self::plain());
        }
        let (_, source) = BUILTIN.iter().find(|(known, _)| *known == name)?;
        Self::parse(source).ok()
    }

    /// The names of the themes that come with the program.
    #[must_use]
    pub const fn names() -> &'static [&'static str] {
        &[
            "countersign-dark",
            "countersign-light",
            "ember",
            "paper",
            "contrast-dark",
            "contrast-light",
            "sixteen",
            "plain",
        ]
    }

    /// Reads a theme file. Roles that it leaves out are taken from the built-in theme of the same shade.
    ///
    /// # Errors
    /// One line that names the line, the key and, when there is one, the key or colour that it resembles.
    pub fn parse(toml: &str) -> Result<Self, String> {
        parse::parse(toml)
    }

    /// The theme in the 256 colours of terminals that do not say they show exact ones (`COLORTERM`).
    #[must_use]
    pub fn with_256_colours(self) -> Self {
        depth::reduced(self)
    }

    /// No colour at all, for `NO_COLOR`: bold, dim, underline and reverse alone carry the emphasis.
    #[must_use]
    pub fn plain() -> Self {
        plain::theme()
    }
}

#[cfg(test)]
mod tests;
