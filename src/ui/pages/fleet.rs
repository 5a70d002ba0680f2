//! The page of all that is at work for the session: sub-agents and theirs, tasks of other agents, commands in the background. Each with
//! what it does, for how long, what it costs and what it waits for.

use std::sync::Arc;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{Page, PageEntry, PageFrame, Spoken};
use crate::agent::CallAddress;
use crate::ledger::{Ending, Millis};
use crate::ui::keymap::KeyAction;
use crate::ui::linear::words::plain;
use crate::ui::panes::words::{clock, cost_until_now, middle_of_command, one_row};
use crate::ui::picker_source::Source;
use crate::ui::text::{fit, width, wrap, wrap_spans};
use crate::view::{FleetKind, FleetMember, View, WAITS_FOR_TURN};

/// `/fleet`
pub(in crate::ui) const FLEET: PageEntry = PageEntry { name: "fleet", open: |_| Arc::new(Fleet) };

#[derive(Debug)]
struct Fleet;

/// A member in words: its sign, its name, its task, how it stands, and whether that is for the person to decide.
struct Told {
    sign: &'static str,
    name: String,
    task: String,
    stands: String,
    /// What it has spent: all of it, and what of that stands on a narrow screen.
    spent: [String; 2],
    waits: bool,
    is_over: bool,
    depth: usize,
}

impl Page for Fleet {
    fn title(&self, _: &View) -> String {
        "at work for this session".to_owned()
    }

    fn keys(&self, view: &View) -> Vec<(&'static str, &'static str)> {
        let all = view.fleet();
        let decides = (!view.waiting().is_empty()).then_some(("d", "decide"));
        let opens = (!all.is_empty()).then_some(("o", "open one"));
        let stops = all.iter().any(|member| stoppable(member).is_some()).then_some(("x", "stop one"));
        [decides.filter(|_| opens.is_some()), opens, stops].into_iter().flatten().collect()
    }

    fn opens(&self, command: KeyAction) -> Option<Source> {
        match command {
            KeyAction::Open => Some(Source::Fleet),
            KeyAction::Revoke => Some(Source::FleetStop),
            _ => None,
        }
    }

    fn decides(&self) -> bool {
        true
    }

    fn watches(&self, view: &View) -> bool {
        !view.fleet().is_empty()
    }

    fn rows(&self, frame: &PageFrame<'_>, width: u16) -> Vec<Line<'static>> {
        let all = in_order(frame.view);
        if all.is_empty() {
            return wrap(NOTHING, usize::from(width), frame.theme.dim);
        }
        all.iter().flat_map(|member| entry(frame, &told(member, frame.now), usize::from(width))).collect()
    }

    fn spoken(&self, view: &View, now: Millis) -> Vec<Spoken> {
        let all = in_order(view);
        if all.is_empty() {
            return vec![Spoken::Line(format!("fleet: {NOTHING}"))];
        }
        let said = |member: &FleetMember<'_>| {
            let Told { name, task, stands, spent: [spent, _], .. } = told(member, now);
            Spoken::Line(plain(&format!("{name}: {task}; {stands}{spent}")))
        };
        let first = all.iter().find_map(stoppable);
        let how = first.map(|named| Spoken::Line(format!("/fleet stop {named} stops the first one")));
        all.iter().map(said).chain(how).collect()
    }
}

/// By which name it can be stopped, if it can.
fn stoppable(member: &FleetMember<'_>) -> Option<String> {
    match &member.kind {
        FleetKind::Subagent { call, view, .. } if view.is_at_work() || view.waits_for_turn() => {
            let path = member.path.clone();
            Some(CallAddress { path, call: *call }.to_string())
        }
        FleetKind::Shell(shell) if member.path.is_empty() => Some(shell.id.clone()),
        FleetKind::Subagent { .. }
        | FleetKind::Delegated { .. }
        | FleetKind::Waiting { .. }
        | FleetKind::Shell(_) => None,
    }
}

/// Most rows of what waits for the person.
const MOST_OF_WAITING: usize = 3;

const NOTHING: &str = "Nothing is at work for this session: no sub-agent, no task of another agent, no command in the background.";

/// What waits for the person comes first, then what is at work, then what is over; those below a sub-agent stay with it.
fn in_order(view: &View) -> Vec<FleetMember<'_>> {
    let mut groups: Vec<(u8, Vec<FleetMember<'_>>)> = Vec::new();
    for member in view.fleet() {
        let place = match &member.kind {
            FleetKind::Subagent { view, .. } if view.is_at_work() && view.waiting_everywhere() > 0 => 0,
            FleetKind::Subagent { view, .. } if !view.is_at_work() && view.last_end().is_some() => 2,
            _ => 1,
        };
        match groups.last_mut().filter(|_| !member.path.is_empty()) {
            Some((_, group)) => group.push(member),
            None => groups.push((place, vec![member])),
        }
    }
    groups.sort_by_key(|(place, _)| *place);
    groups.into_iter().flat_map(|(_, group)| group).collect()
}

fn told(member: &FleetMember<'_>, now: Millis) -> Told {
    let depth = member.path.len();
    let lasts = |since: Millis| {
        let time = format!(" · {}", clock(now.since(since) / 1_000));
        [time.clone(), time]
    };
    match &member.kind {
        FleetKind::Subagent { call, name, task, view } => {
            let spent = spent(view, now);
            let waits = view.is_at_work() && view.waiting_everywhere() > 0;
            let is_over = !view.is_at_work() && view.last_end().is_some();
            Told {
                sign: if waits {
                    "?"
                } else if is_over {
                    match view.last_end().map(|end| end.reason) {
                        Some(Ending::Completed | Ending::GoalReached) => "✓",
                        Some(Ending::AbortedStreaming | Ending::AbortedTools) => "■",
                        _ => "✗",
                    }
                } else if view.waits_for_turn() {
                    "◌"
                } else {
                    "●"
                },
                name: format!("{call} → {name}"),
                task: task.clone(),
                stands: view.stands(),
                spent,
                waits,
                is_over,
                depth,
            }
        }
        FleetKind::Delegated { call, name, task, since, at_most } => Told {
            sign: "●",
            name: format!("{call} → {name}"),
            task: task.clone(),
            stands: "another agent works on it; esc stops it with the turn".to_owned(),
            spent: lasts(*since).map(|time| match at_most {
                Some(most) => format!(" · at most {most}{time}"),
                None => time,
            }),
            waits: false,
            is_over: false,
            depth,
        },
        FleetKind::Waiting { call, name, task } => to_start(format!("{call} → {name}"), task.clone(), depth),
        FleetKind::Shell(shell) => Told {
            sign: "●",
            name: shell.id.clone(),
            task: shell.command.clone(),
            stands: "running".to_owned(),
            spent: lasts(shell.since),
            waits: false,
            is_over: false,
            depth,
        },
    }
}

/// One that starts when another one is over.
fn to_start(name: String, task: String, depth: usize) -> Told {
    let (sign, stands, spent) = ("◌", WAITS_FOR_TURN.to_owned(), Default::default());
    Told { sign, name, task, stands, spent, waits: false, is_over: false, depth }
}

/// What a sub-agent has spent. One that has not begun has nothing to show for it.
fn spent(view: &View, now: Millis) -> [String; 2] {
    if view.waits_for_turn() {
        return Default::default();
    }
    let (turns, most) = view.turns_of();
    let turns = most.map_or_else(|| turns.to_string(), |most| format!("{turns}/{most}"));
    let cost = cost_until_now(view);
    let time = clock(view.worked_ms(now) / 1_000);
    [format!(" · turn {turns} · {cost} · {time}"), format!(" · {cost} · {time}")]
}

/// Who and what for, and how it stands: a row each, and more where something waits for the person that has no room in one.
fn entry(frame: &PageFrame<'_>, told: &Told, inner: usize) -> Vec<Line<'static>> {
    let theme = frame.theme;
    let indent = "  ".repeat(told.depth);
    let head = format!("{indent}{} {}  ", told.sign, told.name);
    let task = fit(&one_row(&told.task), inner.saturating_sub(width(&head)));
    let style = if told.waits {
        theme.warning
    } else if told.is_over {
        theme.dim
    } else {
        theme.accent
    };
    // What it does is cut where there is no room, and not for how long and for how much. What waits for the person comes before both.
    let (stands, [spent, least]) = (one_row(&told.stands), &told.spent);
    let room = inner.saturating_sub(width(&indent) + 2);
    let fits = |spent: &&String| width(&stands) + width(spent) <= room;
    let mut rows = vec![Line::from(vec![Span::styled(head, theme.title), Span::styled(task, theme.text)])];
    let stands = match [spent, least].into_iter().find(fits) {
        Some(spent) => format!("{stands}{spent}"),
        None if told.waits => {
            rows.extend(what_waits(&stands, &format!("{indent}  "), inner, style));
            return rows;
        }
        None => format!("{}{least}", fit(&stands, room.saturating_sub(width(least)))),
    };
    rows.push(Line::styled(fit(&format!("{indent}  {stands}"), inner), style));
    rows
}

/// What is to be decided, in as many rows as it needs: where there are too few for it, its middle is left out.
fn what_waits(words: &str, indent: &str, inner: usize, style: Style) -> Vec<Line<'static>> {
    let rows = |cells: usize| {
        let lead = || Span::raw(indent.to_owned());
        wrap_spans(vec![lead(), Span::styled(middle_of_command(words, cells), style)], inner, vec![lead()])
    };
    let fits = |rows: &Vec<Line<'_>>| rows.len() <= MOST_OF_WAITING;
    (1..=inner * MOST_OF_WAITING).rev().map(rows).find(fits).unwrap_or_default()
}
