//! A machine that sleeps: the monotonic clock stands still meanwhile, as that of a paused test does.

use std::thread::sleep;
use std::time::Duration;

use countersign::ledger::Body;

use super::fixture::DriverFixture;

#[tokio::test(start_paused = true)]
async fn times_catch_up_after_a_sleep_and_no_run_counts_it() {
    let mut fixture = DriverFixture::open();
    fixture.submit("hello").await;
    let model = fixture.next_model_call().await;
    sleep(Duration::from_millis(1_500));
    model.say("Good day.").await;
    model.finish().await;
    let bodies = fixture.until_turn_ended().await;
    let ended = fixture.told().last().unwrap().at;
    let Some(Body::TurnEnded(run)) = bodies.last() else { panic!("{bodies:?}") };
    assert!(run.wall_ms < 1_000, "the run slept for most of the time: {} ms", run.wall_ms);
    fixture.submit("and on").await;
    fixture.until_entry(|body| matches!(body, Body::User(_))).await;
    let said = fixture.told().last().unwrap().at;
    assert!(said.since(ended) >= 1_000, "{ended:?} {said:?}");
}
