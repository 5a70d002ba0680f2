//! Hosts that the configuration opens to commands in the sandbox.

use countersign::ui::linear::LinearSession;
use countersign::view::{View, ViewSettings};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use crate::screen_harness::ScreenHarness;
use crate::session_builder::{SessionBuilder, settings};

#[test]
fn hosts_of_the_configuration_are_on_the_page_and_said() {
    let hosts = vec!["docs.example".to_owned(), "*.crates.example".to_owned()];
    let told = ViewSettings { hosts, ..settings() };
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.view = View::new(told.clone());
    harness.press("/permissions");
    harness.key(KeyCode::Enter, KeyModifiers::NONE);
    let frame = harness.frame(80, 24);
    assert!(frame.contains("Sandbox: hosts, configured") && frame.contains("*.crates.example"), "{frame}");
    let mut talk = LinearSession::new(told, |_| String::new());
    talk.begin(&[], None);
    talk.line(&crate::linear_harness::typed("/permissions", 0));
    let said = talk.words();
    assert!(said.contains("configured: commands in the sandbox reach docs.example"), "{said}");
}
