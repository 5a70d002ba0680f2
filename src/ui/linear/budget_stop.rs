//! A budget stop in lines: `/raise` counts a moment after the stop stood on the terminal, as every answer does.

use crate::ledger::EntryId;
use crate::ui::commands::{Fronts, LinearCommand, Meaning, read};
use crate::view::View;

use super::moment::Moment;

/// What is said of a line that raises nothing.
pub(super) const EARLY: &str = "not raised: /raise came right after the stop; type it again";

/// Whether a text is a command that spends, or changes files.
pub(super) fn decides(text: &str) -> bool {
    raises(text) || undoes(text)
}

/// Whether a text does the undo that was said.
pub(super) fn undoes(text: &str) -> bool {
    means(text, &LinearCommand::Undo)
}

/// Whether a text raises the limit that has stopped a run.
fn raises(text: &str) -> bool {
    means(text, &LinearCommand::Raise)
}

fn means(text: &str, command: &LinearCommand) -> bool {
    matches!(read(text, Fronts::Lines), Some(Ok(Meaning::Linear(meant))) if meant == *command)
}

/// The stop that was written last, by the end of its run, and when.
#[derive(Debug, Default)]
pub(super) struct Stop(Option<(EntryId, Moment)>);

impl Stop {
    fn of(view: &View) -> Option<EntryId> {
        view.offer().and(view.last_end_id())
    }

    /// Whether there is one that was not written yet.
    pub(super) fn is_new(&self, view: &View) -> bool {
        let now = Self::of(view);
        now.is_some() && now != self.0.map(|(end, _)| end)
    }

    /// All that was said stands on the terminal.
    pub(super) fn written(&mut self, view: &View, moment: Moment) {
        if self.is_new(view) {
            self.0 = Self::of(view).map(|end| (end, moment));
        }
    }

    /// Whether a line would raise a limit before its writer can have read of the stop.
    pub(super) fn is_raised_early(&self, view: &View, text: &str, now: Moment) -> bool {
        let answers = |(end, said): (EntryId, Moment)| Self::of(view) == Some(end) && now.answers(said);
        raises(text) && Self::of(view).is_some() && !self.0.is_some_and(answers)
    }
}
