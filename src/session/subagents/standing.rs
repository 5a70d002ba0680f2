//! How sub-agents stand that were at work when the process of their session died: what their own ledgers say.

use std::path::Path;
use std::sync::Arc;

use super::cut_off::CutOff;
use super::last_words::{came, ended, own_part, stands, was_cut_off};
use super::left_worktrees::{of_one_that_worked, of_one_unbegun, of_one_unknown};
use super::own_ledger::{
    entries_of, has_open_call, is_of_another, name_in, names_of, open_below, own_name, reserved_at,
};
use super::unbegun::unbegun;
use crate::budget::{Bound, Limits, Meter};
use crate::ledger::{
    Body, CallId, Change, Entry, EntryId, Escrow, EscrowSettlement, Limit, Millis, Reach, Spent, Stood,
    TaskState, Usage, untold_escrows, was_asking,
};
use crate::policy::shell::shell_word;
use crate::runtime::store::subagents::started_by;
use crate::runtime::store::{exact, held};
use crate::tool::bound;

/// What is known of each that is not settled, after the process that had the session of `cwd`. Of one whose session cannot be read
/// nothing is. What a lane of a race made until then becomes its branch. Those that work for the session which this one was forked from
/// are left alone: that one may live. The ledger of one that was asking its model, or had open calls, is ended.
///
/// What an import says up to `imported_to` is another's: its sub-agents did not work here, and no session or worktree of these names is theirs.
pub(crate) fn standing(
    state: &Path,
    cwd: &Path,
    (entries, imported_to): (&[Arc<Entry>], Option<EntryId>),
    cut_off: &CutOff<'_>,
) -> Vec<Stood> {
    let own_id = own_name(entries).unwrap_or_default();
    let is_ours = |escrow: &Escrow| {
        let is_from_here = reserved_at(entries, escrow.call).is_some_and(|at| Some(at) > imported_to);
        let is_fit =
            if is_of_another(entries, escrow) { escrow.of_session().is_some() } else { escrow.is_of(own_id) };
        is_from_here && is_fit
    };
    // One that waited has not begun, and what an agent elsewhere does is not known here.
    let began = untold_escrows(entries).into_iter().filter(|escrow| !escrow.waits && is_ours(escrow));
    // The process lived as long as the last that it wrote anywhere.
    let all: Vec<Escrow> = began.collect();
    let own = entries.last().map_or(Millis(0), |entry| entry.at);
    let lived =
        all.iter().filter_map(|escrow| last_of(state, escrow)).max().map_or(own, |last| last.max(own));
    let above = own_name(entries).map(|own| names_of(state, own)).unwrap_or_default();
    // An answer is a result of its call, and as long at most as any.
    let most = usize::try_from(cut_off.settings.limits.bound(Bound::ResultChars)).unwrap_or(usize::MAX);
    let within = |mut stood: Stood| {
        stood.settled.answer = stood.settled.answer.map(|words| bound(&words, most).text);
        stood
    };
    let known = all.into_iter().filter_map(|escrow| {
        if is_of_another(entries, &escrow) {
            return of_another(state, &escrow).map(within);
        }
        if let Some(stood) = unbegun(state, &escrow) {
            return Some(within(saying(stood, of_one_unbegun(cwd, entries, &escrow))));
        }
        let names = with(&above, name_in(entries, &escrow.session));
        let Some(stood) = of_one(state, &escrow, &names, lived, cut_off) else {
            let left = of_one_unknown(cwd, &escrow)?;
            let settled = EscrowSettlement { answer: Some(left), ..EscrowSettlement::assumed(&escrow) };
            return Some(Stood { settled, reach: Reach::CutShort });
        };
        Some(within(saying(stood, of_one_that_worked(cwd, entries, &escrow))))
    });
    known.collect()
}

/// With this at the end of what is told of it.
fn saying(mut stood: Stood, more: Option<String>) -> Stood {
    if let (Some(words), Some(more)) = (&mut stood.settled.answer, more) {
        words.push_str("\n\n");
        words.push_str(&more);
    }
    stood
}

fn with(above: &[String], name: String) -> Vec<String> {
    above.iter().cloned().chain([name]).collect()
}

/// What it has spent and answered until now, as its own ledger says.
fn of_another(store: &Path, escrow: &Escrow) -> Option<Stood> {
    let entries = own_part(entries_of(store, &escrow.session)?);
    let mut meter = Meter::new(Limits::default());
    entries.iter().for_each(|entry| meter.read(entry));
    let spent = meter.spent(entries.last().map_or(Millis(0), |entry| entry.at));
    let below = reaches_below(store, &entries, &escrow.session);
    let (state, words) = match ended(&entries, &below) {
        Some((state, words)) => (state, words),
        // It may go on there.
        None if was_cut_off(&entries) => (TaskState::Unknown, stands(&entries, &escrow.session, &below).1),
        None => (TaskState::Unknown, not_ended(store, &escrow.session)),
    };
    let settled =
        EscrowSettlement { call: escrow.call, spent, is_assumed: false, state, answer: Some(words) };
    Some(Stood { settled, reach: Reach::CutShort })
}

/// What is known of one that has not ended and works for another session.
fn not_ended(state: &Path, session: &str) -> String {
    let above = started_by(session).unwrap_or(session);
    let is_at_work = exact(state, above).is_some_and(|path| held(&path).is_some());
    let what = if is_at_work {
        "works for the session that this one was forked from, and what becomes of it is told there".to_owned()
    } else {
        format!(
            "worked for the session that this one was forked from, and was cut off: no process has that session open. `countersign resume \
             {}` settles it there",
            shell_word(above)
        )
    };
    format!("The sub-agent {what}. Its session is {session}.")
}

fn last_of(state: &Path, escrow: &Escrow) -> Option<Millis> {
    own_part(entries_of(state, &escrow.session)?).last().map(|entry| entry.at)
}

/// What one has spent until then, if its run had not ended before.
fn of_one(
    state: &Path,
    escrow: &Escrow,
    names: &[String],
    lived: Millis,
    cut_off: &CutOff<'_>,
) -> Option<Stood> {
    let entries = own_part(entries_of(state, &escrow.session)?);
    let mut limits = Limits::default();
    Limit::ALL.iter().for_each(|limit| limits.set(*limit, escrow.limits.get(limit).copied()));
    let mut meter = Meter::new(limits);
    entries.iter().for_each(|entry| meter.read(entry));
    let last = entries.last().map_or(Millis(0), |entry| entry.at).max(lived);
    // What worked for it died with it, and has spent what its own ledger says.
    let settle = |below: Escrow| {
        let names = with(names, name_in(&entries, &below.session));
        let reach = if below.waits { Reach::NothingStarted } else { Reach::CutShort };
        let stood = unbegun(state, &below).or_else(|| of_one(state, &below, &names, last, cut_off));
        stood.unwrap_or_else(|| Stood { settled: EscrowSettlement::of_the_dead(&below), reach })
    };
    let below: Vec<Stood> = open_below(&entries, &escrow.session).into_iter().map(settle).collect();
    let is_assumed = below.iter().any(|stood| stood.settled.is_assumed);
    for Stood { settled, .. } in &below {
        let body = Body::Change(Change::EscrowSettled(settled.clone()));
        meter.read(&Entry { id: EntryId(0), at: last, body });
    }
    let reaches = reaches_below(state, &entries, &escrow.session);
    let (stand, words) = stands(&entries, &escrow.session, &reaches);
    let mut spent = meter.spent(last);
    if was_asking(&entries) {
        spent.usage =
            cut_off.end(state, escrow, names, &below).unwrap_or_else(|| all_of(escrow, spent.usage));
    } else if has_open_call(&entries) {
        // What cannot be written now, whoever goes on with it writes.
        cut_off.end(state, escrow, names, &below);
    }
    let settled =
        EscrowSettlement { call: escrow.call, spent, is_assumed, state: stand, answer: Some(words) };
    Some(Stood { settled, reach: came(&entries, &reaches).reach() })
}

/// How far the calls of its sub-agents came, as their own ledgers say: of those that are not over, and of those in the background, of which
/// no result of a call says it.
fn reaches_below(state: &Path, entries: &[Arc<Entry>], session: &str) -> Vec<(CallId, Reach)> {
    let open: Vec<CallId> = open_below(entries, session).into_iter().map(|escrow| escrow.call).collect();
    let reserved = entries.iter().filter_map(|entry| match &entry.body {
        Body::Change(Change::EscrowReserved(escrow)) if escrow.is_of(session) => Some(escrow),
        _ => None,
    });
    let begins = |call: CallId| {
        let is_it = |entry: &Arc<Entry>| entry.body == Body::Change(Change::SubagentStarted { call });
        entries.iter().any(is_it)
    };
    let reach = |escrow: &Escrow| {
        if escrow.waits && !begins(escrow.call) || unbegun(state, escrow).is_some() {
            return Reach::NothingStarted;
        }
        let Some(own) = entries_of(state, &escrow.session).map(own_part) else { return Reach::CutShort };
        came(&own, &reaches_below(state, &own, &escrow.session)).reach()
    };
    let counts = |escrow: &&Escrow| escrow.in_background || open.contains(&escrow.call);
    reserved.filter(counts).map(|escrow| (escrow.call, reach(escrow))).collect()
}

/// What a request cost that was under way is not known, and could be all that was set aside: were nothing charged, a session that is
/// killed again and again would spend more than it may.
fn all_of(escrow: &Escrow, mut usage: Usage) -> Usage {
    let most = Spent::all_of(escrow).usage;
    (usage.input, usage.output) = (usage.input.max(most.input), usage.output.max(most.output));
    (usage.cost, usage.estimated) = (most.cost.or(usage.cost), true);
    usage
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::agent::Settings;
    use crate::ledger::{
        AssistantMessage, Block, Ending, FORMAT_VERSION, MicroDollars, ModelRef, SessionStarted, Stop,
        Transition, TurnEnded, UserMessage,
    };
    use crate::model::{ModelSpec, Price, Rates};
    use crate::runtime::store::find;
    use crate::runtime::{SessionStore, StorePort};

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
        stand(begins, limits, own, str::to_owned).remove(0).settled
    }

    /// The same, where the file of the sub-agent is changed so.
    fn stand(
        begins: Body,
        limits: BTreeMap<Limit, u64>,
        own: &[Arc<Entry>],
        change: impl Fn(&str) -> String,
    ) -> Vec<Stood> {
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
        let settings = settings();
        let had = |_: &[String], settings| settings;
        let cut_off =
            CutOff { known: Box::new(|_| None), had: Box::new(had), settings: &settings, now: Millis(9_500) };
        let settled = || {
            // A child of another test has what is open here until it is its own program.
            while held(&file).is_some() {
                std::thread::yield_now();
            }
            standing(place.path(), Path::new("/w"), (&above, None), &cut_off)
        };
        // Both ledgers say the same, also when it is asked again.
        let (settled, again) = (settled(), settled());
        let usage = |all: &[Stood]| all.iter().map(|one| one.settled.spent.usage).collect::<Vec<_>>();
        assert_eq!(usage(&again), usage(&settled));
        let said = |all: &[Stood]| {
            let told = |one: &Stood| (one.settled.state, one.settled.answer.clone(), one.reach);
            all.iter().map(told).collect::<Vec<_>>()
        };
        assert_eq!(said(&again), said(&settled));
        let mut meter = Meter::new(Limits::default());
        for entry in entries_of(place.path(), "s-c1").into_iter().flatten() {
            meter.read(&entry);
        }
        for one in settled.iter().filter(|one| one.settled.spent.usage.estimated) {
            assert_eq!(meter.session_usage(), one.settled.spent.usage);
        }
        settled
    }

    /// Of the session above.
    fn settings() -> Settings {
        let rates = Rates { input: 1_000_000, output: 10_000_000, ..Rates::default() };
        let model = ModelSpec::unknown(ModelRef::parse("script"));
        Settings::new(ModelSpec { price: Some(Price::flat(rates)), ..model })
    }

    /// One that asked its model, and what is known after that.
    fn asking() -> Vec<Arc<Entry>> {
        vec![
            entry(1, 1_000, started("s-c1")),
            entry(2, 1_000, Body::User(Arc::new(UserMessage::text("go ".repeat(100))))),
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
    fn an_answer_that_was_being_written_counts_at_its_most_within_what_was_set_aside() {
        let limits = || BTreeMap::from([(Limit::Turns, 9), (Limit::Cost, 5_000), (Limit::OutputTokens, 70)]);
        let settled = stands(limits(), &asking());
        let Usage { input, output, cost, estimated, .. } = settled.spent.usage;
        assert!(input > 0 && cost <= Some(MicroDollars(5_000)), "{input} {cost:?}");
        assert_eq!((output, cost, estimated), (70, Some(MicroDollars(input + 700)), true));
        assert_eq!((settled.spent.turns, settled.is_assumed), (1, false));
        // So it does where nothing limits it.
        let settled = stands(BTreeMap::new(), &asking());
        assert!(settled.spent.usage.output >= 1_000 && settled.spent.usage.cost > cost);
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

    #[test]
    fn what_a_person_did_in_it_afterwards_is_not_charged() {
        let usage = Usage { input: 7, output: 3, ..Usage::default() };
        let said = |id| {
            Body::Assistant(Arc::new(AssistantMessage {
                blocks: vec![Block::Text("Done.".into())],
                ..AssistantMessage::unheard(EntryId(id), ModelRef::parse("script"), usage)
            }))
        };
        let ended = || {
            Body::TurnEnded(TurnEnded {
                reason: Ending::AbortedStreaming,
                turns: 1,
                tool_calls: 0,
                hosted_tools: 0,
                usage,
                wall_ms: 600,
                text: "Done.".into(),
                not_ok: Vec::new(),
                next_safe_action: String::new(),
                cut_by: None,
            })
        };
        let mut own = asking();
        own.extend([entry(4, 1_600, said(4)), entry(5, 1_600, ended())]);
        own.extend([
            entry(6, 2_000, Body::User(Arc::new(UserMessage::text("and on")))),
            entry(7, 2_000, Body::Transition { turn: 1, reason: Transition::Submitted }),
            entry(8, 2_500, said(8)),
            entry(9, 2_500, ended()),
        ]);
        let settled = stands(BTreeMap::new(), &own);
        assert_eq!((settled.spent.usage, settled.spent.wall_ms), (usage, 600));
    }
}
