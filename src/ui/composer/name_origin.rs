//! Where the name of a slash command comes from.

/// Where the first word comes from, which may name a slash command. A folded paste is known by its own name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::ui::composer) enum NameOrigin {
    /// It was typed.
    #[default]
    Typed,
    /// It, or a part of it, was pasted as one line, which is in sight.
    PastedLine,
    /// It was pasted with several lines, or was written for something else.
    Words,
}
