//! How lanes stand whose ledgers are gone, cannot be read or were never begun.

use std::collections::BTreeMap;

use super::*;
use crate::ledger::{
    EntryId, FORMAT_VERSION, Millis, ModelRef, SessionStarted, TaskState, ToolUse, UserMessage,
};
use crate::session::racing::adopting::adoption;
use crate::session::racing::told;
use crate::tool::DELEGATE_TO;

/// The session of the lane.
const SESSION: &str = "01a212db-4b20-75c8-900c-c85deed01609-c1";

/// A race of one lane, which has begun, and may have settled.
fn race(settled: Option<EscrowSettlement>) -> Vec<Arc<Entry>> {
    let terms = LaneTerms {
        task: "Do it".to_owned(),
        model: None,
        seed: None,
        check: None,
        base: "a".repeat(40),
        branch: "race/0a1b/1".to_owned(),
    };
    let (call, session) = (CallId(1), SESSION.to_owned());
    let command = ToolUse {
        id: call,
        wire_id: String::new(),
        name: format!("{DELEGATE_TO}{LANE}1"),
        arguments: terms.arguments(),
    };
    let escrow =
        Escrow { call, session, limits: BTreeMap::new(), parallel: 1, in_background: true, waits: false };
    let started = SessionStarted {
        session: "s".to_owned(),
        cwd: "/w".to_owned(),
        model: ModelRef::parse("script"),
        version: FORMAT_VERSION,
        system: String::new(),
        mode: None,
        forked_from: None,
    };
    let bodies = [
        Body::SessionStarted(started),
        Body::User(Arc::new(UserMessage::text("race"))),
        Body::Command(command),
        Body::Change(Change::EscrowReserved(escrow)),
    ];
    let settled = settled.map(|settled| Body::Change(Change::EscrowSettled(settled)));
    let entry = |(id, body)| Arc::new(Entry { id: EntryId(id), at: Millis(id), body });
    (1..).zip(bodies.into_iter().chain(settled)).map(entry).collect()
}

#[test]
fn a_lane_whose_ledger_cannot_be_read_has_begun_and_is_damaged() {
    let place = tempfile::tempdir().unwrap();
    let ledger = place.path().join(format!("sessions/{SESSION}.jsonl"));
    std::fs::create_dir(place.path().join("sessions")).unwrap();
    let adopted = |lanes: &[LaneStanding]| adoption(lanes, 1, place.path()).unwrap_err();
    for text in [None, Some("")] {
        if let Some(text) = text {
            std::fs::write(&ledger, text).unwrap();
        }
        let lanes = lanes(place.path(), &race(None), place.path(), false);
        assert_eq!(told::row(&lanes[0])[3], "not started");
        assert!(told::next(&lanes, "adopt")[0].contains("was gone before lane 1 began"), "{text:?}");
        assert!(adopted(&lanes).contains("lane 1 never began"), "{text:?}");
    }
    std::fs::write(&ledger, "what nobody can read\n").unwrap();
    let lanes = lanes(place.path(), &race(None), place.path(), false);
    assert_eq!(told::row(&lanes[0])[3], "damaged");
    let why = format!("session {SESSION} cannot be read: ");
    let next = told::next(&lanes, "adopt");
    assert!(next[0].starts_with(&format!("lane 1 (damaged): {why}")), "{next:?}");
    assert!(next[1].contains("the process that ran lane 1 is gone"), "{next:?}");
    assert!(adopted(&lanes).starts_with(&format!("nothing was taken: {why}")));
}

#[test]
fn a_lane_of_which_nobody_knows_what_it_did_is_cut_off() {
    let reserved = race(None).into_iter().find_map(|entry| match &entry.body {
        Body::Change(Change::EscrowReserved(escrow)) => Some(escrow.clone()),
        _ => None,
    });
    let said = "It ended with the process. Its last words:\nDone it,\nall of it.\n\nIts branch is there.";
    let settled =
        EscrowSettlement { answer: Some(said.to_owned()), ..EscrowSettlement::assumed(&reserved.unwrap()) };
    let place = tempfile::tempdir().unwrap();
    let lanes = lanes(place.path(), &race(Some(settled)), place.path(), false);
    assert_eq!(told::row(&lanes[0])[3], "cut off", "its file is gone, and all of its share is charged");
    let line = "lane 1 (cut off): It ended with the process. Its last words: Done it, all of it.";
    assert_eq!(told::next(&lanes, "adopt")[0], line);
}

#[test]
fn a_lane_that_could_not_be_started_is_not_cut_off() {
    let settled = EscrowSettlement::not_started(CallId(1), TaskState::Rejected, "there is no room");
    let place = tempfile::tempdir().unwrap();
    let lanes = lanes(place.path(), &race(Some(settled)), place.path(), true);
    assert_eq!(told::row(&lanes[0])[3], "not started");
    assert!(
        told::next(&lanes, "adopt")[0]
            .contains("lane 1 (not started): It was not started: there is no room.")
    );
}

#[test]
fn what_no_lane_was_started_for_is_said_once_and_whole() {
    let why = format!("the task is {}too long; shorten it", "far ".repeat(200));
    let settled = EscrowSettlement::not_started(CallId(1), TaskState::Rejected, &why);
    let place = tempfile::tempdir().unwrap();
    let mut lanes = lanes(place.path(), &race(Some(settled)), place.path(), true);
    lanes.push(LaneStanding { lane: 2, ..lanes[0].clone() });
    let said = told::next(&lanes, "adopt").join("\n");
    assert!(said.starts_with("lanes 1, 2 (not started): It was not started: the task"), "{said}");
    assert_eq!(said.matches("too long; shorten it.").count(), 1, "{said}");
}
