//! Where what the composer holds comes from.

use super::name_origin::NameOrigin;

/// Where the first word comes from, and whether all of it was typed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::ui::composer) struct TextOrigin {
    /// Where the first word comes from.
    pub(in crate::ui::composer) name: NameOrigin,
    /// Something was put in that was not typed, anywhere in it.
    pub(in crate::ui::composer) has_paste: bool,
}
