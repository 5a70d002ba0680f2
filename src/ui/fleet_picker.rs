//! What is at work for the session, to pick from: to be opened, or to be stopped.

use crate::agent::{CallAddress, SubagentPath};
use crate::ledger::CallId;
use crate::view::{FleetKind, FleetMember, View, WAITS_FOR_TURN};

use super::picker::{Choice, Item, Picker};
use super::picker_source::Source;

/// A member by the calls that lead to it, `c7/c2`: in a list that is narrowed by typing it may stand without those above it.
fn words(member: &FleetMember<'_>, call: CallId, name: &str, task: &str) -> String {
    let address = CallAddress { path: member.path.clone(), call };
    format!("{address} → {name}  {task}").replace('\n', " ")
}

/// What waits for the person comes first, and what is over last.
fn place(member: &FleetMember<'_>) -> u8 {
    match &member.kind {
        FleetKind::Subagent { view, .. } if view.is_over_below() => 2,
        FleetKind::Subagent { view, .. } if view.is_at_work() && !view.waiting().is_empty() => 0,
        FleetKind::Subagent { .. }
        | FleetKind::Delegated { .. }
        | FleetKind::Waiting { .. }
        | FleetKind::Shell(_) => 1,
    }
}

impl Picker {
    /// What is at work for the session.
    pub fn fleet(view: &View) -> Self {
        let mut all = view.fleet();
        all.sort_by_key(place);
        // A call of a sub-agent has its card in that one's session.
        let shows = |member: &FleetMember<'_>, call: CallId| match member.path.is_empty() {
            true => Choice::Reveal(call),
            false => Choice::Enter(member.path.clone()),
        };
        let item = |member: &FleetMember<'_>| match &member.kind {
            FleetKind::Subagent { call, name, task, view } => Item {
                words: words(member, *call, name, task),
                aside: view.stands(),
                choice: Choice::Enter(member.path.iter().copied().chain([*call]).collect()),
            },
            FleetKind::Delegated { call, name, task, .. } => Item {
                words: words(member, *call, name, task),
                aside: "another agent".to_owned(),
                choice: shows(member, *call),
            },
            FleetKind::Waiting { call, name, task } => Item {
                words: words(member, *call, name, task),
                aside: WAITS_FOR_TURN.to_owned(),
                choice: match member.path.is_empty() {
                    true => Choice::RevealWaiting(*call),
                    false => Choice::Enter(member.path.clone()),
                },
            },
            FleetKind::Shell(shell) if member.path.is_empty() => Item {
                words: shell.command.trim_end().replace('\n', " \u{21b5} "),
                aside: format!("stop {}", shell.id),
                choice: Choice::StopShell(shell.id.clone()),
            },
            FleetKind::Shell(shell) => Item {
                words: shell.command.trim_end().replace('\n', " \u{21b5} "),
                aside: "of a sub-agent".to_owned(),
                choice: Choice::Enter(member.path.clone()),
            },
        };
        Self::new(Source::Fleet, all.iter().map(item).collect())
    }

    /// What is at work for the session, to be stopped: one of it, or all sub-agents.
    pub fn fleet_to_stop(view: &View) -> Self {
        let mut items = Vec::new();
        let (mut tops, mut agents) = (Vec::<SubagentPath>::new(), 0_usize);
        for member in view.fleet() {
            match &member.kind {
                FleetKind::Subagent { call, name, task, view }
                    if view.is_at_work() || view.waits_for_turn() =>
                {
                    let path: SubagentPath = member.path.iter().copied().chain([*call]).collect();
                    // What works for one that is stopped is stopped with it.
                    if !tops.iter().any(|above| path.starts_with(above)) {
                        tops.push(path.clone());
                    }
                    agents += 1;
                    items.push(Item {
                        words: words(&member, *call, name, task),
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
        if tops.len() > 1 {
            let words = format!("all {agents} sub-agents");
            items.push(Item { words, aside: String::new(), choice: Choice::StopSubagents(tops) });
        }
        Self::new(Source::FleetStop, items)
    }
}
