//! What stands between the transcript and the composer, and how many rows it wants.

use crate::ui::layout::Above;
use crate::ui::local::Local;
use crate::view::View;

use super::{completion, file_menu, notice, queue};

/// Rows wanted between transcript and composer: for files or commands while one is typed, else for what to know
/// and what waits.
pub(super) fn above(local: &Local, view: &View, size: (u16, u16)) -> Above {
    let offered = [file_menu::rows(local), completion::rows(local, view)];
    match offered.into_iter().find(|rows| *rows > 0) {
        Some(rows) if local.waiting(view).is_empty() => Above::List(rows),
        Some(rows) => Above::Queue(rows),
        None => {
            let said = notice::rows(local, view, size);
            let rows = said.saturating_add(queue::rows(local, view));
            let is_quiet = said > 0 && local.waiting(view).is_empty();
            if is_quiet { Above::Notice(rows) } else { Above::Queue(rows) }
        }
    }
}
