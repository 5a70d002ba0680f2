//! Sub-agents in lines, from above: what was decided about their calls, and what came of them.

use crate::agent::Event;
use crate::ledger::{Body, Change, EscrowSettlement, TaskState};
use crate::view::{View, change};

use super::decisions::decided_below;
use super::output::LinearOutput;
use super::words::plain;

/// Says of an event in a sub-agent's session what concerns the person here.
pub(super) fn below(view: &View, event: &Event, output: &mut LinearOutput) {
    let (path, Event::Appended(entry)) = event.located() else { return };
    if let (Body::ApprovalDecided(decision), Some(child)) = (&entry.body, view.below(&path)) {
        decided_below(child, decision, &plain(&view.asked_by(&path).to_string()), output);
    }
}

/// Says that one is over. Of one in the background that did not get to its end nothing else says why.
pub(super) fn settled(view: &View, settled: &EscrowSettlement, output: &mut LinearOutput) {
    let ended = Change::EscrowSettled(settled.clone());
    output.say(&format!("{}: {}", change::heading(&ended), change::words(&ended)));
    if let Some(check) = view.subagent(settled.call).and_then(View::denied_check) {
        output.more(&check);
    }
    let in_background = view.panel(settled.call).is_some_and(|panel| panel.in_background.is_some());
    let has_reason = !matches!(settled.state, TaskState::Completed | TaskState::Canceled);
    if let Some(why) = settled.answer.as_deref().filter(|_| in_background && has_reason) {
        output.more(&format!("why: {why}"));
    }
}
