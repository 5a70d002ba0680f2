//! A background command that ends while nobody asks: it is written once, shown, and told to the model.

use countersign::agent::{Answer, Event};
use countersign::budget::Limits;
use countersign::ledger::{BackgroundStatus, Body, Outcome};
use countersign::model::ToolCalls;
use countersign::policy::Mode;
use countersign::view::{View, ViewSettings};

use super::fixture::{DriverFixture, call};

/// A run that has begun `b1` in the background and is over.
async fn with_a_server() -> DriverFixture {
    let mut fixture = DriverFixture::open();
    fixture.submit("serve").await;
    let model = fixture.next_model_call().await;
    model.call(0, "shell", r#"{"command":"serve","background":true}"#).await;
    model.finish().await;
    let request = fixture.until_request().await;
    fixture.decide(request, call(1), Answer::AllowOnce).await;
    let running = BackgroundStatus::running(1, 1).line();
    fixture.next_tool_run().await.done(Outcome::Ok, &format!("(nothing new)\n{running}"));
    answered(&mut fixture).await;
    fixture
}

async fn answered(fixture: &mut DriverFixture) {
    let model = fixture.next_model_call().await;
    model.say("Done.").await;
    model.finish().await;
    fixture.until_turn_ended().await;
}

fn view_settings() -> ViewSettings {
    ViewSettings {
        model: "script".into(),
        mode: Mode::Ask,
        effort: None,
        cwd: "/w".into(),
        branch: None,
        window: 1_000,
        limits: Limits::default(),
        token_budget: None,
        tool_calls: ToolCalls::Native,
        rules: vec![],
        tools: vec![],
        commands: Vec::new(),
        ignored: Vec::new(),
        hosts: Vec::new(),
        imported_to: None,
    }
}

fn noted(bodies: &[Body]) -> Vec<String> {
    let note = |b: &Body| if let Body::Note(note) = b { Some(note.for_people().to_owned()) } else { None };
    bodies.iter().filter_map(note).collect()
}

fn injected(bodies: &[Body]) -> Vec<String> {
    let text = |b: &Body| if let Body::Injected(i) = b { Some(i.text.clone()) } else { None };
    bodies.iter().filter_map(text).filter(|text| text.contains("b1")).collect()
}

#[tokio::test(start_paused = true)]
async fn an_end_is_written_once_and_told_with_the_next_message() {
    let mut fixture = with_a_server().await;
    for _ in 0..2 {
        fixture.background_ended(call(1), BackgroundStatus::ended(1, "exit code 3", 9)).await;
    }
    fixture.until_entry(|body| matches!(body, Body::Note(_))).await;
    fixture.submit("and now").await;
    answered(&mut fixture).await;
    let bodies = fixture.all_heard();
    assert_eq!(noted(&bodies), ["[b1: exit code 3 after 9 s]"]);
    let told =
        "The background command b1 has ended: exit code 3 after 9 s. shell_output says what it printed.";
    assert_eq!(injected(&bodies), [told]);
}

#[tokio::test(start_paused = true)]
async fn what_a_result_has_told_is_not_told_again() {
    let mut fixture = with_a_server().await;
    fixture.submit("how is it").await;
    let model = fixture.next_model_call().await;
    model.call(0, "shell_output", r#"{"id":"b1"}"#).await;
    model.finish().await;
    // No such tool is staged, so its result says nothing of b1; the end then comes while the model speaks.
    let model = fixture.next_model_call().await;
    fixture.background_ended(call(1), BackgroundStatus::ended(1, "exit code 0", 2)).await;
    fixture.until_entry(|body| matches!(body, Body::Note(_))).await;
    model.call(0, "read", "{}").await;
    model.finish().await;
    fixture.next_tool_run().await.done(Outcome::Ok, "[b1: running for 99 s]");
    answered(&mut fixture).await;
    let bodies = fixture.all_heard();
    assert_eq!(
        (noted(&bodies).len(), injected(&bodies).len()),
        (1, 1),
        "what a file says stands for nothing"
    );
}

#[tokio::test(start_paused = true)]
async fn the_view_counts_it_as_ended() {
    let mut fixture = with_a_server().await;
    let mut view = View::new(view_settings());
    fixture.told().iter().for_each(|entry| view.fold(&Event::Appended(entry.clone())));
    assert!(view.shells()[0].is_running);
    fixture.background_ended(call(1), BackgroundStatus::ended(1, "exit code 3", 9)).await;
    fixture.until_entry(|body| matches!(body, Body::Note(_))).await;
    view.fold(&Event::Appended(fixture.told().last().unwrap().clone()));
    let shell = &view.shells()[0];
    assert!(!shell.is_running);
    assert_eq!(shell.words, "exit code 3 after 9 s");
}
