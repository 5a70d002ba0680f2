//! How sub-agents stand that were at work when the process of their session died: what their own ledgers say.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::LaneTerms;
use super::worktree::{Worktree, worktree_of};
use crate::budget::{Limits, Meter};
use crate::ledger::{
    Body, Change, Entry, EntryId, Escrow, EscrowSettlement, Limit, Millis, Spent, TaskState, open_escrows,
    untold_escrows, was_asking,
};
use crate::runtime::store::find;
use crate::runtime::{SessionStore, of_ending};
use crate::ui::text::counted;

/// Most letters of the last words that are told.
const MOST: usize = 2_000;

/// What is known of each that is not settled, after the process that had the session of `cwd`. Of one whose session cannot be read
/// nothing is. What a lane of a race made until then becomes its branch. Those that work for the session which this one was forked from
/// are left alone: that one may live.
pub(crate) fn standing(state: &Path, cwd: &Path, entries: &[Arc<Entry>]) -> Vec<EscrowSettlement> {
    // One that waited has not begun, and what an agent elsewhere does is not known here.
    let began = untold_escrows(entries).into_iter().filter(|escrow| !escrow.waits && !escrow.is_elsewhere());
    // The process lived as long as the last that it wrote anywhere.
    let all: Vec<Escrow> = began.collect();
    let own = entries.last().map_or(Millis(0), |entry| entry.at);
    let lived =
        all.iter().filter_map(|escrow| last_of(state, escrow)).max().map_or(own, |last| last.max(own));
    let known = all.into_iter().filter_map(|escrow| {
        if is_of_another(entries, &escrow) {
            return of_another(state, &escrow);
        }
        let mut settled = of_one(state, &escrow, lived)?;
        if let (Some(words), Some(left)) = (&mut settled.answer, left_behind(cwd, entries, &escrow)) {
            words.push_str("\n\n");
            words.push_str(&left);
        }
        Some(settled)
    });
    known.collect()
}

/// Whether it was started by the session that this one was forked from.
fn is_of_another(entries: &[Arc<Entry>], escrow: &Escrow) -> bool {
    let Some(Body::SessionStarted(started)) = entries.first().map(|entry| &entry.body) else { return false };
    let reserved = entries.iter().find(|entry| match &entry.body {
        Body::Change(Change::EscrowReserved(reserved)) => reserved.call == escrow.call,
        _ => false,
    });
    started.forked_at().zip(reserved).is_some_and(|(last, reserved)| reserved.id <= last)
}

/// What it has spent and answered until now, as its own ledger says.
fn of_another(state: &Path, escrow: &Escrow) -> Option<EscrowSettlement> {
    let entries = entries_of(state, escrow)?;
    let mut meter = Meter::new(Limits::default());
    entries.iter().for_each(|entry| meter.read(entry));
    let spent = meter.spent(entries.last().map_or(Millis(0), |entry| entry.at));
    let (state, words) = match ended(&entries) {
        Some((state, words)) => (state, words),
        None => (
            TaskState::Unknown,
            format!(
                "The sub-agent works for the session that this one was forked from, and what becomes of it is told there. Its session is {}.",
                escrow.session
            ),
        ),
    };
    Some(EscrowSettlement { call: escrow.call, spent, is_assumed: false, state, answer: Some(words) })
}

/// How its task ended, and its answer.
fn ended(entries: &[Arc<Entry>]) -> Option<(TaskState, String)> {
    let ended = entries.iter().rev().find_map(|entry| match &entry.body {
        Body::TurnEnded(ended) => Some(ended),
        _ => None,
    })?;
    let (_, state, words) = of_ending(ended);
    Some((state, words))
}

/// What became of its worktree, if it had one.
fn left_behind(cwd: &Path, entries: &[Arc<Entry>], escrow: &Escrow) -> Option<String> {
    let top = worktree_of(cwd, &escrow.session)?;
    let terms = entries.iter().find_map(|entry| match &entry.body {
        Body::Command(call) if call.id == escrow.call => LaneTerms::read(&call.arguments).ok(),
        _ => None,
    });
    Some(match terms {
        Some(terms) => Worktree::left(top, terms.base).end_as(&terms.branch),
        None => format!("Its git worktree is still there: {}.", top.display()),
    })
}

/// What its own file has, and no other that begins like it. What is wrong with its lines may be wrong with what it spent: then nothing
/// of it is believed, and all that was set aside counts.
fn entries_of(state: &Path, escrow: &Escrow) -> Option<Vec<Arc<Entry>>> {
    let path = find(state, &escrow.session).ok()?;
    let is_it = path.file_stem().and_then(|stem| stem.to_str()) == Some(&escrow.session);
    let (file, damage) = is_it.then(|| SessionStore::audited(&path).ok()).flatten()?;
    damage.is_none().then_some(file.entries)
}

fn last_of(state: &Path, escrow: &Escrow) -> Option<Millis> {
    entries_of(state, escrow)?.last().map(|entry| entry.at)
}

/// What one has spent until then, if its run had not ended before.
fn of_one(state: &Path, escrow: &Escrow, lived: Millis) -> Option<EscrowSettlement> {
    let entries = entries_of(state, escrow)?;
    let mut limits = Limits::default();
    Limit::ALL.iter().for_each(|limit| limits.set(*limit, escrow.limits.get(limit).copied()));
    let mut meter = Meter::new(limits);
    entries.iter().for_each(|entry| meter.read(entry));
    let last = entries.last().map_or(Millis(0), |entry| entry.at).max(lived);
    // What worked for it died with it, and has spent what its own ledger says.
    let mut is_assumed = false;
    for below in open_escrows(&entries) {
        let settled = of_one(state, &below, last).unwrap_or_else(|| {
            is_assumed = true;
            EscrowSettlement::assumed(&below)
        });
        is_assumed |= settled.is_assumed;
        let body = Body::Change(Change::EscrowSettled(settled));
        meter.read(&Entry { id: EntryId(0), at: last, body });
    }
    let (state, words) = stands(&entries, &escrow.session);
    let mut spent = meter.spent(last);
    // What a request cost that was under way is not known, and could be all that was set aside: were nothing charged, a session that is
    // killed again and again would spend more than it may.
    if was_asking(&entries) {
        let most = Spent::all_of(escrow).usage;
        let usage = &mut spent.usage;
        (usage.input, usage.output) = (usage.input.max(most.input), usage.output.max(most.output));
        (usage.cost, usage.estimated) = (most.cost.or(usage.cost), true);
    }
    Some(EscrowSettlement { call: escrow.call, spent, is_assumed, state, answer: Some(words) })
}

/// Where its task stands, and what to tell of it: its answer if it had one, or the last that it said.
fn stands(entries: &[Arc<Entry>], session: &str) -> (TaskState, String) {
    if let Some(ended) = ended(entries) {
        return ended;
    }
    let said = entries.iter().rev().find_map(|entry| match &entry.body {
        Body::Assistant(message) => Some(message.text()).filter(|text| !text.trim().is_empty()),
        _ => None,
    });
    let (mut calls, mut started) = (0, BTreeSet::new());
    for entry in entries {
        match &entry.body {
            Body::ToolResult(result) => {
                calls += 1;
                started.remove(&result.call);
            }
            Body::ApprovalDecided(decision) if decision.allow => drop(started.insert(decision.call)),
            _ => {}
        }
    }
    let lost = match started.len() {
        0 => String::new(),
        calls => format!(
            " It had been allowed to start {} that did not end: effects may be partial; check before repeating.",
            counted(calls as u64, "call")
        ),
    };
    let said = said.map_or_else(
        || "Nothing that it said was written down.".to_owned(),
        |said| format!("The last that it said:\n{}", said.chars().take(MOST).collect::<String>()),
    );
    let words = format!(
        "The sub-agent's work ended with the process after {}; nothing of it is done again.{lost} Its session is \
         {session}. {said}",
        counted(calls, "finished call")
    );
    (TaskState::Unknown, words)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::ledger::{
        AssistantMessage, Block, CallId, FORMAT_VERSION, MicroDollars, ModelRef, SessionStarted, Stop,
        Transition, Usage, UserMessage,
    };
    use crate::runtime::StorePort;

    fn entry(id: u64, at: u64, body: Body) -> Arc<Entry> {
        Arc::new(Entry { id: EntryId(id), at: Millis(at), body })
    }

    fn started(session: &str) -> Body {
        Body::SessionStarted(SessionStarted {
            session: session.to_owned(),
            cwd: "/w".to_owned(),
            model: ModelRef::parse("script"),
            version: FORMAT_VERSION,
            system: String::new(),
            mode: None,
            forked_from: None,
        })
    }

    /// How a sub-agent of these limits stands whose ledger has these entries.
    fn stands(limits: BTreeMap<Limit, u64>, own: &[Arc<Entry>]) -> EscrowSettlement {
        stands_in(started("s"), limits, own)
    }

    /// The same in a session that begins so.
    fn stands_in(begins: Body, limits: BTreeMap<Limit, u64>, own: &[Arc<Entry>]) -> EscrowSettlement {
        stand(begins, limits, own, str::to_owned).remove(0)
    }

    /// The same, where the file of the sub-agent is changed so.
    fn stand(
        begins: Body,
        limits: BTreeMap<Limit, u64>,
        own: &[Arc<Entry>],
        change: impl Fn(&str) -> String,
    ) -> Vec<EscrowSettlement> {
        let place = tempfile::tempdir().unwrap();
        let (call, session) = (CallId(1), "s-c1".to_owned());
        let mut store = SessionStore::create(place.path(), &session).unwrap();
        store.append(own).unwrap();
        store.sync().unwrap();
        drop(store);
        let file = find(place.path(), &session).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, change(&text)).unwrap();
        let escrow = Escrow { call, session, limits, parallel: 1, in_background: true, waits: false };
        let above = [
            entry(1, 900, begins),
            entry(2, 950, Body::Change(Change::EscrowReserved(escrow))),
            entry(3, 9_000, Body::Change(Change::Renamed { name: "later".to_owned() })),
        ];
        standing(place.path(), Path::new("/w"), &above)
    }

    /// One that asked its model, and what is known after that.
    fn asking() -> Vec<Arc<Entry>> {
        vec![
            entry(1, 1_000, started("s-c1")),
            entry(2, 1_000, Body::User(Arc::new(UserMessage::text("go")))),
            entry(3, 1_500, Body::Transition { turn: 1, reason: Transition::Submitted }),
        ]
    }

    #[test]
    fn one_that_was_killed_has_worked_as_long_as_its_process_is_known_to_have_lived() {
        let stands = stands(BTreeMap::new(), &asking());
        assert_eq!((stands.spent.turns, stands.spent.wall_ms), (1, 8_000));
    }

    #[test]
    fn one_of_the_session_that_this_was_forked_from_is_left_to_it() {
        let Body::SessionStarted(mut begins) = started("fork") else { return };
        begins.forked_from = Some("s@e2".to_owned());
        let limits = BTreeMap::from([(Limit::Cost, 5_000), (Limit::OutputTokens, 70)]);
        let settled = stands_in(Body::SessionStarted(begins), limits, &asking());
        assert_eq!(
            (settled.spent.usage.output, settled.spent.turns, settled.state),
            (0, 1, TaskState::Unknown)
        );
        let said = settled.answer.unwrap();
        assert!(said.contains("forked from") && !said.contains("ended with the process"), "{said}");
    }

    #[test]
    fn nothing_is_believed_of_one_whose_ledger_was_changed() {
        let stands =
            |change: &dyn Fn(&str) -> String| stand(started("s"), BTreeMap::new(), &asking(), change);
        assert_eq!(stands(&str::to_owned).len(), 1);
        assert!(stands(&|text| text.replace("\"turn\":1", "\"turn\":0")).is_empty());
        let shorter = |text: &str| text.lines().take(2).map(|line| format!("{line}\n")).collect();
        assert!(stands(&shorter).is_empty(), "a line is missing");
    }

    #[test]
    fn an_answer_that_was_being_written_may_have_cost_all_that_was_set_aside() {
        let limits = || BTreeMap::from([(Limit::Turns, 9), (Limit::Cost, 5_000), (Limit::OutputTokens, 70)]);
        let settled = stands(limits(), &asking());
        let Usage { output, cost, estimated, .. } = settled.spent.usage;
        assert_eq!((output, cost, estimated), (70, Some(MicroDollars(5_000)), true));
        assert_eq!((settled.spent.turns, settled.is_assumed), (1, false));
        // What it has answered is known.
        let mut answered = asking();
        let usage = Usage { input: 7, output: 3, cost: Some(MicroDollars(40)), ..Usage::default() };
        let said = AssistantMessage {
            id: EntryId(4),
            model: ModelRef::parse("script"),
            blocks: vec![Block::Text("Done.".into())],
            stop: Stop::End,
            usage,
            interrupted: false,
        };
        answered.push(entry(4, 1_600, Body::Assistant(Arc::new(said))));
        let settled = stands(limits(), &answered);
        assert_eq!(settled.spent.usage, usage);
    }
}
