//! What was decided about a call, said when it is recorded.

use crate::ledger::{Decider, Decision, Scope};
use crate::view::{Panel, View};

use super::calls::named;
use super::output::LinearOutput;

/// Says a decision about a call of this session. Of a denial the result tells, unless it comes later, with those of other calls.
pub(super) fn decided(view: &View, decision: &Decision, output: &mut LinearOutput) {
    let Some(panel) = view.panel(decision.call) else { return };
    let runs_long = panel.arguments().is_some_and(|arguments| arguments.text("command").is_some());
    match (decision.allow, decision.by) {
        (true, Decider::User) => output.say(&allowed(panel, decision, "")),
        (true, by) if runs_long => {
            output.say(&format!("tool {}: starts, allowed by {}", named(panel), by.as_str()));
        }
        (false, Decider::User) if others_are_open(view, decision) => {
            output.say(&format!("denied: {}", named(panel)));
        }
        (true | false, _) => {}
    }
}

/// Says what a person decided about a call of a sub-agent, whose results are not said here. `whose` names it.
pub(super) fn decided_below(view: &View, decision: &Decision, whose: &str, output: &mut LinearOutput) {
    let Some(panel) = view.panel(decision.call).filter(|_| decision.by == Decider::User) else { return };
    let of = format!(" (of the sub-agent {whose})");
    if decision.allow {
        return output.say(&allowed(panel, decision, &of));
    }
    output.say(&format!("denied by you{of}: {}", named(panel)));
    output.more(&decision.reason);
}

/// Whether another call has no result yet.
fn others_are_open(view: &View, decision: &Decision) -> bool {
    let mut others = view.calls().filter(|call| *call != decision.call);
    others.any(|call| view.panel(call).is_some_and(|panel| panel.result().is_none()))
}

fn allowed(panel: &Panel, decision: &Decision, whose: &str) -> String {
    let call = named(panel);
    match (decision.rule.as_deref(), decision.scope) {
        (Some(rule), _) => format!("allowed{whose}: {call}; and for this session, what {rule} covers"),
        (None, Scope::Session) if !whose.is_empty() => format!("allowed for its session{whose}: {call}"),
        (None, Scope::Session) => format!("allowed for this session: {call}"),
        (None, _) => format!("allowed once{whose}: {call}"),
    }
}
