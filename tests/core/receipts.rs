//! The page of receipts, and calls that a hook has changed.

use countersign::ledger::{Arguments, Decider, Note, Remark};
use countersign::view::Receipts;
use serde_json::json;

use crate::session_builder::{SessionBuilder, view};

#[test]
fn a_receipt_is_for_what_a_hook_has_made_of_the_call() {
    let mut builder = SessionBuilder::new();
    builder.user("Run it.");
    let call = builder.tool_use("shell", json!({"command": "make deploy"}));
    let id = call.id;
    let _open = builder.say(None, "", "", vec![call]);
    let changed = json!({"command": "mkdir -p safe"});
    builder.remark(Remark::Note(Note::of_hook(id, changed.clone(), "A hook changed it.")));
    builder.decide(id, true, Decider::User);
    let view = view(&builder.events);
    let mut receipts = Receipts::default();
    receipts.read(view.rows());
    let told = receipts.get(0, false).unwrap();
    assert!(told.fingerprint.contains("mkdir -p safe"), "{told:?}");
    assert_eq!((told.name.as_str(), told.about.as_str()), ("shell", "$ mkdir -p safe"));
    assert_eq!(view.panel(id).unwrap().arguments(), Some(&Arguments::from_value(changed)));
}
