//! The new text of an edit that waits is changed as text.

use crate::editing::{before, enter, proposed, waiting};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::{Value, json};

#[test]
fn the_new_text_of_the_only_replacement_is_changed_as_text() {
    let edit = |new: &str| json!({ "old_text": "fn a() {}", "new_text": new });
    let call = |edits: Vec<Value>| json!({ "path": "a.rs", "edits": edits });
    let mut harness = before(waiting("edit", call(vec![edit("fn a() {\n\tb(\"x\");\n}\n")])));
    harness.answers("e");
    assert_eq!(harness.local.composer.text(), "fn a() {\n⇥b(\"x\");\n}");
    harness.press("pub ");
    harness.key(KeyCode::End, KeyModifiers::CONTROL);
    harness.press(" // b");
    harness.key(KeyCode::Home, KeyModifiers::CONTROL);
    harness.press("/*a*/ ");
    let (_, _, arguments) = proposed(&enter(&mut harness));
    assert_eq!(arguments, call(vec![edit("/*a*/ pub fn a() {\n\tb(\"x\");\n} // b\n")]));
    // Several are changed as JSON, and so is one that only deletes.
    for edits in [vec![edit("b"), edit("c")], vec![edit("")]] {
        let mut harness = before(waiting("edit", call(edits.clone())));
        harness.answers("e");
        let json: Value = serde_json::from_str(&harness.local.composer.text()).unwrap();
        assert_eq!(json, call(edits));
    }
}
