//! Books that cannot be written for a while: nothing acts, nobody is told of an entry, nothing is lost, and it goes on.

use std::time::Duration;

use countersign::agent::{Answer, Event, Intent, Live};
use countersign::ledger::{Body, Ending, Outcome, UserMessage};
use countersign::policy::Mode;
use countersign::runtime::DriverError;
use tokio::time::timeout;

use super::fixture::{Disk, DriverFixture, call};
use super::{ending, results};

/// The next event, which must say that the books are shut.
async fn shut(fixture: &mut DriverFixture) -> (String, usize, Vec<String>) {
    match fixture.next_event().await {
        Event::Live(Live::LedgerUnwritable { why, entries, said }) => {
            (why, entries, said.into_iter().map(|said| said.content).collect())
        }
        other => panic!("{other:?}"),
    }
}

fn kinds(bodies: &[Body]) -> Vec<&'static str> {
    bodies.iter().map(Body::kind).collect()
}

#[tokio::test(start_paused = true)]
async fn a_message_waits_for_the_disk_and_is_sent_when_there_is_room() {
    let mut fixture = DriverFixture::with_a_full_disk();
    fixture.submit("hello").await;
    let (why, entries, said) = shut(&mut fixture).await;
    assert_eq!((why.as_str(), said), ("no space left on device", vec!["hello".to_owned()]));
    assert!(entries >= 2, "{entries}");
    assert!(!fixture.a_model_was_called() && fixture.kept().is_empty());
    fixture.disk(Disk::Sound);
    // The paused clock jumps to the next try.
    let model = fixture.next_model_call().await;
    assert_eq!(fixture.kept().len(), entries, "each is durable, once, before the model is asked");
    model.say("Good day.").await;
    model.finish().await;
    let mut opened = 0;
    let bodies = loop {
        match fixture.next_event().await {
            Event::Live(Live::LedgerWritable) => opened += 1,
            Event::Live(Live::LedgerUnwritable { .. }) => panic!("said twice"),
            Event::Live(_) => {}
            Event::Appended(entry) => {
                fixture.heard(&entry.body);
                if matches!(entry.body, Body::TurnEnded(_)) {
                    break fixture.all_heard();
                }
            }
        }
    };
    assert_eq!((opened, ending(&bodies)), (1, Ending::Completed));
    assert!(matches!(&bodies[0], Body::SessionStarted(_)));
    assert_eq!(fixture.close().await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_name_that_something_else_has_is_not_waited_for() {
    let mut fixture = DriverFixture::with_disk(Disk::Taken);
    fixture.submit("hello").await;
    let (why, entries, _) = shut(&mut fixture).await;
    assert_eq!(why, "the file exists");
    let ends = async { while fixture.handles().events.recv().await.is_some() {} };
    timeout(Duration::from_millis(500), ends).await.expect("the loop ends without a second try");
    let DriverError::Store { unwritten, .. } = fixture.close().await.unwrap_err();
    assert!(unwritten.len() >= entries && !fixture.a_model_was_called(), "{unwritten:?}");
}

#[tokio::test(start_paused = true)]
async fn what_could_not_be_synced_is_written_again() {
    let mut fixture = DriverFixture::with_a_failing_disk();
    fixture.submit("hello").await;
    let (why, entries, _) = shut(&mut fixture).await;
    assert_eq!(why, "the disk is broken");
    fixture.disk(Disk::Sound);
    let model = fixture.next_model_call().await;
    model.say("Good day.").await;
    model.finish().await;
    fixture.until_turn_ended().await;
    let kept = kinds(&fixture.kept());
    assert!(kept.len() > entries);
    assert_eq!(kept.iter().filter(|kind| **kind == "user_message").count(), 1, "{kept:?}");
}

#[tokio::test(start_paused = true)]
async fn what_is_typed_meanwhile_goes_back_to_who_typed_it() {
    let mut fixture = DriverFixture::with_a_full_disk();
    fixture.submit("hello").await;
    shut(&mut fixture).await;
    fixture.submit("and more").await;
    assert_eq!(fixture.next_event().await, Event::Live(Live::Returned(vec!["and more".into()])));
    let Event::Live(Live::Refused(why)) = fixture.next_event().await else { panic!() };
    assert!(why.contains("no space left on device"), "{why}");
    // The mode needs no record: it can be tightened at any time.
    fixture.handles().intents.send(Intent::SetMode(Mode::Plan)).await.unwrap();
    assert_eq!(fixture.next_event().await, Event::Live(Live::ModeChanged(Mode::Plan)));
    // A wish is a reason to try at once.
    fixture.disk(Disk::Sound);
    fixture.handles().intents.send(Intent::Queue("later".into())).await.unwrap();
    fixture.next_model_call().await;
    let later = [UserMessage::from("later")];
    fixture.until_live(|live| matches!(live, Live::Waiting { queued, .. } if *queued == later)).await;
}

#[tokio::test(start_paused = true)]
async fn esc_takes_back_what_waits_for_the_disk() {
    let mut fixture = DriverFixture::with_a_full_disk();
    fixture.submit("hello").await;
    let (_, before, _) = shut(&mut fixture).await;
    fixture.escape().await;
    let (_, after, _) = shut(&mut fixture).await;
    assert!(after > before);
    fixture.disk(Disk::Sound);
    let bodies = fixture.until_turn_ended().await;
    assert_eq!(ending(&bodies), Ending::AbortedStreaming);
    assert!(!fixture.a_model_was_called(), "the call that waited was cancelled");
    let counts = |body: &Body| matches!(body, Body::Assistant(_));
    assert!(!bodies.iter().any(counts), "nothing was sent, so nothing counts: {:?}", kinds(&bodies));
    assert_eq!(fixture.close().await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_decision_is_taken_only_when_it_can_be_recorded() {
    let mut fixture = DriverFixture::open();
    fixture.submit("change it").await;
    let model = fixture.next_model_call().await;
    model.call(0, "write", "{}").await;
    model.finish().await;
    let request = fixture.until_request().await;
    fixture.disk(Disk::Full);
    fixture.decide(request, call(1), Answer::AllowOnce).await;
    // The first decision finds out, and waits as an entry. The second is refused.
    fixture.until_live(|live| matches!(live, Live::LedgerUnwritable { .. })).await;
    fixture.decide(request, call(1), Answer::Deny("no".into())).await;
    fixture.until_live(|live| matches!(live, Live::Refused(_))).await;
    assert!(!fixture.done().contains(&"tool"));
    fixture.disk(Disk::Sound);
    let run = fixture.next_tool_run().await;
    let kept = fixture.kept();
    assert_eq!(kinds(&kept).last(), Some(&"approval"), "{:?}", kinds(&kept));
    run.done(Outcome::Ok, "written");
    fixture.next_model_call().await;
}

#[tokio::test(start_paused = true)]
async fn a_result_waits_and_the_model_is_not_asked_without_it() {
    let mut fixture = DriverFixture::open();
    fixture.submit("look").await;
    let model = fixture.next_model_call().await;
    model.call(0, "read", "{}").await;
    model.finish().await;
    let run = fixture.next_tool_run().await;
    fixture.until_live(|live| matches!(live, Live::Progress { .. })).await;
    fixture.disk(Disk::Full);
    run.done(Outcome::Ok, "contents");
    fixture.until_live(|live| matches!(live, Live::LedgerUnwritable { .. })).await;
    fixture.done();
    // It is tried again, but not often.
    tokio::time::sleep(Duration::from_secs(60)).await;
    let tried = fixture.done();
    assert!(!tried.contains(&"model"), "{tried:?}");
    let tries = tried.iter().filter(|what| **what == "write").count();
    assert!((4..=8).contains(&tries), "{tried:?}");
    fixture.disk(Disk::Sound);
    let model = fixture.next_model_call().await;
    model.say("Done.").await;
    model.finish().await;
    let bodies = fixture.until_turn_ended().await;
    assert_eq!(results(&bodies), [("ok".to_owned(), "contents".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn the_last_words_say_what_was_not_recorded() {
    let mut fixture = DriverFixture::open();
    fixture.submit("look").await;
    let model = fixture.next_model_call().await;
    model.call(0, "read", "{}").await;
    model.finish().await;
    let run = fixture.next_tool_run().await;
    fixture.disk(Disk::Full);
    let DriverError::Store { unwritten, .. } = fixture.close().await.unwrap_err();
    run.until_dropped().await;
    let bodies: Vec<Body> = unwritten.iter().map(|entry| entry.body.clone()).collect();
    assert_eq!(kinds(&bodies), ["tool_result", "turn_ended"]);
    assert_eq!(ending(&bodies), Ending::AbortedTools);
}

/// Each write and each sync of a run fails once: the books come out the same, and nothing acts between the failure and
/// the next success.
#[tokio::test(start_paused = true)]
async fn one_failure_anywhere_changes_nothing_but_the_time_it_takes() {
    let whole = run_with(Disk::Sound).await;
    assert!(whole.1.len() > 8, "{whole:?}");
    let steps = whole.1.iter().filter(|what| ["write", "sync"].contains(what)).count();
    for at in 0..steps {
        let (books, log) = run_with(Disk::FailingAt(at)).await;
        assert_eq!(books, whole.0, "failure {at}");
        let failed = log.iter().position(|what| *what == "failed").unwrap();
        let next_act = log[failed..].iter().position(|what| ["model", "tool"].contains(what));
        let next_sync = log[failed + 1..].iter().position(|what| *what == "sync").unwrap();
        assert!(next_act.is_none_or(|act| act > next_sync), "failure {at}: {log:?}");
    }
}

async fn run_with(disk: Disk) -> (Vec<&'static str>, Vec<&'static str>) {
    let mut fixture = DriverFixture::with_disk(disk);
    fixture.submit("look").await;
    let model = fixture.next_model_call().await;
    model.call(0, "read", "{}").await;
    model.finish().await;
    fixture.next_tool_run().await.done(Outcome::Ok, "contents");
    let model = fixture.next_model_call().await;
    model.say("Done.").await;
    model.finish().await;
    let told = fixture.until_turn_ended().await;
    let kept = fixture.kept();
    assert_eq!(kinds(&told), kinds(&kept), "what is told is what is durable, in its order");
    (kinds(&kept), fixture.done())
}
