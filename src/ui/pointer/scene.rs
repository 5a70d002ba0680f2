//! What the mouse points at.

use ratatui::layout::Rect;

use crate::ui::panes::Layouts;
use crate::view::View;

/// What the mouse points at: the session, its last frame, and the size of the screen.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The session.
    pub view: &'a View,
    /// The last frame.
    pub layouts: &'a Layouts,
    /// The screen.
    pub screen: Rect,
}
