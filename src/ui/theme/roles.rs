//! The roles that a theme gives a look to.

use ratatui::style::{Color, Style};

/// Declares a set of named styles together with the only two things that are done by name:
/// listing the names, and finding the style of one.
macro_rules! styles {
    ($(#[$outer:meta])* $name:ident { $($(#[$doc:meta])* $field:ident $key:literal,)* } $($extra:tt)*) => {
        $(#[$outer])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[$doc])* pub $field: Style,)*
            $($extra)*
        }

        impl $name {
            /// The names of all styles, as a theme file spells them.
            pub(super) const KEYS: &'static [&'static str] = &[$($key,)*];

            /// The style that a theme file calls `key`.
            pub(super) fn style_mut(&mut self, key: &str) -> Option<&mut Style> {
                match key {
                    $($key => Some(&mut self.$field),)*
                    _ => None,
                }
            }

            /// All styles, in the order of their names.
            pub(super) fn styles(&self) -> impl Iterator<Item = Style> + use<> {
                [$(self.$field,)*].into_iter()
            }
        }
    };
}

styles! {
    /// The colours of code, by what a piece of code is.
    Syntax {
        /// `fn`, `if`, `return`, storage modifiers.
        keyword "keyword",
        /// String and character literals.
        string "string",
        /// Escapes inside strings.
        escape "escape",
        /// Comments.
        comment "comment",
        /// Names of functions where they are defined or called.
        function "function",
        /// Names of types.
        r#type "type",
        /// Numbers.
        number "number",
        /// `true`, `null` and named constants.
        constant "constant",
        /// `+`, `=`, `->`.
        operator "operator",
        /// Brackets, commas, semicolons.
        punctuation "punctuation",
        /// Names of variables and parameters.
        variable "variable",
        /// Attributes, annotations, decorators; keys of data formats.
        attribute "attribute",
        /// Tags of markup.
        tag "tag",
    }
}

styles! {
    /// Everything that the screen knows about looks: one style for each role.
    Theme {
        /// Ordinary text.
        text "text",
        /// Secondary text that is still read.
        dim "dim",
        /// Separators and other things that are seen, not read.
        faint "faint",
        /// The one accent colour.
        accent "accent",
        /// What the user said.
        user "user",
        /// Something went well.
        success "success",
        /// Something wants attention.
        warning "warning",
        /// Something failed.
        error "error",
        /// The border of a resting box.
        border "border",
        /// The border of a box that waits for the user.
        border_waiting "border_waiting",
        /// The border of a box whose tool is running.
        border_live "border_live",
        /// Titles of boxes and panes.
        title "title",
        /// The selected row or text.
        selection "selection",
        /// Code inside a sentence.
        code "code",
        /// Code in a block, before highlighting.
        code_block "code_block",
        /// Headings of markdown.
        heading "heading",
        /// Text of a link.
        link "link",
        /// Quoted text.
        quote "quote",
        /// Emphasised text.
        emphasis "emphasis",
        /// Strongly emphasised text.
        strong "strong",
        /// A line that a diff adds.
        diff_add "diff_add",
        /// A line that a diff removes.
        diff_remove "diff_remove",
        /// The words of an added line that changed.
        diff_add_word "diff_add_word",
        /// The words of a removed line that changed.
        diff_remove_word "diff_remove_word",
        /// An unchanged line of a diff.
        diff_context "diff_context",
        /// The header of a hunk or file in a diff.
        diff_hunk "diff_hunk",
        /// The used part of a gauge.
        gauge_full "gauge_full",
        /// The free part of a gauge.
        gauge_empty "gauge_empty",
        /// The used part of a gauge that nears its limit.
        gauge_warn "gauge_warn",
        /// The used part of a gauge that is at or over its limit.
        gauge_over "gauge_over",
        /// What is being typed.
        composer "composer",
        /// What an empty composer shows.
        placeholder "placeholder",
        /// The status line.
        status "status",
    }
    /// The colours of code.
    pub syntax: Syntax,
    /// A background to paint; `None` leaves the terminal's own.
    pub background: Option<Color>,
    /// Whether the theme is made for a dark background.
    pub is_dark: bool,
    /// The theme's name, as in `--theme NAME`.
    pub name: String,
}
