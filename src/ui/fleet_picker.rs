//! What is at work for the session, to pick from: to be opened, or to be stopped.

use crate::agent::SubagentPath;
use crate::view::{FleetKind, FleetMember, View, WAITS_FOR_TURN};

use super::picker::{Choice, Item, Picker};
use super::picker_source::Source;

impl Picker {
    /// What is at work for the session.
    pub fn fleet(view: &View) -> Self {
        let all = view.fleet();
        let item = |member: &FleetMember<'_>| match &member.kind {
            FleetKind::Subagent { call, name, task, view } => Item {
                words: format!("{}{call} → {name}  {task}", "  ".repeat(member.path.len()))
                    .replace('\n', " "),
                aside: view.stands(),
                choice: Choice::Enter(member.path.iter().copied().chain([*call]).collect()),
            },
            FleetKind::Delegated { call, name, task, .. } => Item {
                words: format!("{call} → {name}  {task}").replace('\n', " "),
                aside: "another agent".to_owned(),
                choice: Choice::Reveal(*call),
            },
            FleetKind::Waiting { call, name, task } => Item {
                words: format!("{call} → {name}  {task}").replace('\n', " "),
                aside: WAITS_FOR_TURN.to_owned(),
                choice: Choice::Reveal(*call),
            },
            FleetKind::Shell(shell) => Item {
                words: shell.command.trim_end().replace('\n', " \u{21b5} "),
                aside: format!("stop {}", shell.id),
                choice: Choice::StopShell(shell.id.clone()),
            },
        };
        // What waits for the person comes first.
        let waits = |member: &&FleetMember<'_>| match &member.kind {
            FleetKind::Subagent { view, .. } => view.is_at_work() && !view.waiting().is_empty(),
            _ => false,
        };
        let (first, then): (Vec<_>, Vec<_>) = all.iter().partition(waits);
        Self::new(Source::Fleet, first.into_iter().chain(then).map(item).collect())
    }

    /// What is at work for the session, to be stopped: one of it, or all sub-agents.
    pub fn fleet_to_stop(view: &View) -> Self {
        let mut items = Vec::new();
        let mut first = Vec::new();
        for member in view.fleet() {
            match &member.kind {
                FleetKind::Subagent { call, name, task, view }
                    if view.is_at_work() || view.waits_for_turn() =>
                {
                    let path: SubagentPath = member.path.iter().copied().chain([*call]).collect();
                    if member.path.is_empty() {
                        first.push(path.clone());
                    }
                    items.push(Item {
                        words: format!("{}{call} → {name}  {task}", "  ".repeat(member.path.len()))
                            .replace('\n', " "),
                        aside: view.stands(),
                        choice: Choice::StopSubagents(vec![path]),
                    });
                }
                FleetKind::Shell(shell) if member.path.is_empty() => items.push(Item {
                    words: shell.command.trim_end().replace('\n', " \u{21b5} "),
                    aside: shell.id.clone(),
                    choice: Choice::StopShell(shell.id.clone()),
                }),
                FleetKind::Subagent { .. }
                | FleetKind::Delegated { .. }
                | FleetKind::Waiting { .. }
                | FleetKind::Shell(_) => {}
            }
        }
        if first.len() > 1 {
            let words = format!("all {} sub-agents", first.len());
            items.push(Item { words, aside: String::new(), choice: Choice::StopSubagents(first) });
        }
        Self::new(Source::FleetStop, items)
    }
}
