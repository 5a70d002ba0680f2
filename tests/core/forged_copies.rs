//! Forgeries in a copy that leaves something out: what one call lacks hides nothing of the others, and an
//! honest copy is well-formed.

use std::collections::BTreeSet;

use countersign::ledger::*;
use countersign::wire::record::{Audit, ContentField, Links, audit_entries, encode, without};

use crate::contradictions::chained_text;
use crate::forged_contents::bodies;
use crate::one_of_all::{self, entries, said};

fn text(bodies: Vec<Body>) -> String {
    chained_text(entries(bodies).iter().map(encode).collect())
}

/// A field of an entry.
type Field = (u64, &'static str);

fn is(content: &ContentField<'_>, field: Field) -> bool {
    content.entry == Some(EntryId(field.0)) && content.name == field.1
}

fn copy(text: &str, fields: &[Field]) -> String {
    let copy =
        without(text.as_bytes(), &mut |content| fields.iter().any(|field| is(&content, *field))).unwrap();
    assert_eq!(copy.fields, fields.len() as u64, "each is there");
    copy.text
}

fn checked(text: &str) -> Audit {
    audit_entries(text.as_bytes(), Links::default()).0
}

/// Copies of a session that a person could make of it: each field can be left out, and those of a name or of
/// all names.
#[test]
fn an_honest_copy_contradicts_itself_nowhere() {
    let mut in_order = bodies();
    let Body::Assistant(first) = &in_order[3] else { panic!("{:?}", in_order[3]) };
    // The words stand behind the calls, so the order is written, too.
    let blocks = first.blocks.iter().cloned().chain([Block::Text("I look.".into())]).collect();
    in_order[3] = said(4, blocks, Stop::ToolUse);
    for bodies in [bodies(), one_of_all::bodies(), in_order] {
        let whole = text(bodies);
        let mut fields: Vec<(Option<EntryId>, String)> = Vec::new();
        without(whole.as_bytes(), &mut |content| {
            fields.push((content.entry, content.name.to_owned()));
            false
        })
        .unwrap();
        let stands = |leaves_out: &dyn Fn(&ContentField<'_>) -> bool, what: &str| {
            let copy = without(whole.as_bytes(), &mut |content| leaves_out(&content)).unwrap();
            let audit = checked(&copy.text);
            assert!(audit.faults.is_empty() && audit.redacted == copy.fields, "{what}: {:?}", audit.faults);
            assert_eq!((audit.lacks_content, audit.calls), (true, checked(&whole).calls), "{what}");
        };
        assert!(fields.len() > 30, "{fields:?}");
        for (entry, name) in &fields {
            let one = |content: &ContentField<'_>| content.entry == *entry && content.name == name;
            stands(&one, &format!("{entry:?} {name}"));
        }
        for name in fields.iter().map(|(_, name)| name).collect::<BTreeSet<_>>() {
            stands(&|content| content.name == name, name);
        }
        stands(&|_| true, "all");
    }
}

#[test]
fn what_is_left_out_of_one_call_hides_nothing_of_another() {
    type Forgery = (fn(&mut Vec<Body>), usize, &'static str);
    fn decision(all: &mut [Body], change: impl FnOnce(&mut Decision)) {
        let Body::ApprovalDecided(decision) = &mut all[18] else { panic!("{:?}", all[18]) };
        change(decision);
    }
    let forgeries: [Forgery; 7] = [
        (|all| decision(all, |one| one.digest = "0".repeat(64)), 19, "is for another action"),
        (|all| drop(all.remove(18)), 20, "ran, but nobody allowed it before"),
        (|all| decision(all, |one| one.allow = false), 21, "ran, but nobody allowed it before"),
        (|all| all.insert(21, all[20].clone()), 22, "has a second result"),
        (|all| drop(all.remove(20)), 22, "comes before the result of call c4"),
        (|all| decision(all, |one| one.by = Decider::Hook), 19, "a hook can only deny"),
        (
            |all| {
                let Body::TurnEnded(end) = &mut all[23] else { panic!("{:?}", all[23]) };
                end.text = "Failed.".into();
            },
            24,
            "another answer than its last one",
        ),
    ];
    // Of the first call, and in the last case of the message that makes all of them.
    for field in [(5, "arguments"), (9, "arguments"), (10, "digest"), (11, "content"), (4, "tool_calls")] {
        for (change, line, what) in forgeries {
            let mut bodies = bodies();
            change(&mut bodies);
            let audit = checked(&copy(&text(bodies), &[field]));
            let first =
                audit.faults.first().unwrap_or_else(|| panic!("{field:?}: nothing is found of {what}"));
            assert!(first.line == line && first.what.contains(what), "{field:?}: {:?}", audit.faults);
        }
    }
}

#[test]
fn a_call_that_lacks_something_is_checked_for_all_else() {
    let lacks: [Field; 2] = [(4, "tool_calls"), (5, "arguments")];
    let found = |change: fn(&mut Vec<Body>)| {
        let mut bodies = bodies();
        change(&mut bodies);
        let first = checked(&copy(&text(bodies), &lacks)).faults.into_iter().next();
        first.map(|fault| (fault.line, fault.what))
    };
    assert_eq!(found(|_| ()), None);
    let undecided = found(|all| drop(all.remove(9)));
    assert_eq!(undecided, Some((10, "call c1 ran, but nobody allowed it before".to_owned())));
    // What was shown of it is what the receipt is for.
    let another = found(|all| {
        let Body::ApprovalDecided(decision) = &mut all[9] else { panic!("{:?}", all[9]) };
        decision.digest = "0".repeat(64);
    });
    assert_eq!(another, Some((10, "the receipt of call c1 is for another action".to_owned())));
}

#[test]
fn the_calls_are_named_whose_receipts_are_not_checked() {
    let whole = text(bodies());
    let unheld = |fields: &[Field]| {
        let calls = checked(&copy(&whole, fields)).unheld;
        calls.into_iter().map(|call| call.0).collect::<Vec<_>>()
    };
    assert_eq!(unheld(&[]), [0_u64; 0]);
    for field in ["arguments", "digest"] {
        assert_eq!(unheld(&[(if field == "digest" { 19 } else { 8 }, field)]), [4], "{field}");
    }
    assert_eq!(unheld(&[(4, "tool_calls")]), [1, 2, 3, 4]);
    assert_eq!(unheld(&[(11, "content"), (10, "reason")]), [0_u64; 0]);
}

#[test]
fn nothing_is_left_out_of_a_session_that_is_kept() {
    let whole = text(bodies());
    let kept = |text: &str| audit_entries(text.as_bytes(), Links::default().kept()).0.faults;
    assert_eq!(kept(&whole), []);
    let faults = kept(&copy(&whole, &[(5, "arguments")]));
    let first = faults.first().map(|fault| (fault.line, fault.what.as_str()));
    let what =
        "`arguments` was left out, and nothing of countersign leaves anything out of a session that it keeps";
    assert_eq!(first, Some((5, what)));
}
