//! Tasks that go to another agent: asked about, under way, answered, asked back, interrupted; and the same in words.

use countersign::ledger::{
    Abort, AbortPath, Decider, OpenCall, Outcome, Preview, RemoteTask, Settlement, TaskState,
};
use countersign::ledger::{CutBy, Ending, Millis, aborted_text};
use serde_json::{Value, json};

use crate::screen_harness::{ScreenHarness, snapshot};
use crate::session_builder::SessionBuilder;

const ASKS: &str = "Which kind of qubit?\n[the agent researcher waits for an answer: call delegate_to_researcher with \
                    task_id \"t-4711\"]";
const TOOL: &str = "delegate_to_researcher";

type Scene = fn() -> SessionBuilder;

fn called(arguments: Value) -> (SessionBuilder, OpenCall) {
    let mut builder = SessionBuilder::new();
    builder.user("What do we know about qubits?");
    let call = builder.tool_use(TOOL, arguments);
    let open = builder.say(None, "", "I will ask the researcher.", vec![call]).pop().unwrap();
    (builder, open)
}

fn task() -> Value {
    json!({ "task": "Find out what a qubit is.\nName three sources, with their dates." })
}

fn asked() -> SessionBuilder {
    let (mut builder, open) = called(task());
    let at = Preview::Recipient("https://agents.example.org/a2a".into());
    builder.offer(open.id(), TOOL, at, Some(TOOL));
    std::mem::forget(open);
    builder
}

fn sent(arguments: Value) -> (SessionBuilder, OpenCall) {
    let (mut builder, mut open) = called(arguments);
    builder.decide(open.id(), true, Decider::User);
    builder.ledger.delegate(Millis(builder.now), &mut open, "researcher", "Find out what a qubit is.");
    builder.tell();
    builder.run(open.id(), TOOL);
    builder.ledger.accepted(Millis(builder.now), &mut open, "t-4711");
    builder.tell();
    builder.output(open.id(), "reading three papers\n");
    (builder, open)
}

fn ended(outcome: Outcome, content: &str, state: TaskState) -> SessionBuilder {
    let (mut builder, open) = sent(task());
    let remote = Some(RemoteTask { id: Some("t-4711".into()), state });
    let ending = Settlement { duration_ms: 4_200, remote, ..Settlement::synthetic(outcome, content) };
    builder.finish(open, ending);
    builder
}

fn interrupted() -> SessionBuilder {
    let abort = Abort { path: AbortPath::C, ran_ms: Some(4_200), by: CutBy::User, within: None };
    let words = aborted_text(abort);
    let mut builder = ended(Outcome::Aborted(abort), &words, TaskState::Unknown);
    builder.end(Ending::AbortedTools);
    builder.note("c1", "Canceled, as the agent researcher confirms (its task t-4711).");
    builder
}

#[test]
fn a_delegation_from_its_question_to_its_end() {
    let scenes: [(&str, Scene); 5] = [
        ("asked", asked),
        ("running", || {
            let (builder, open) = sent(task());
            std::mem::forget(open);
            builder
        }),
        ("done", || ended(Outcome::Ok, "A qubit is the unit of quantum information.", TaskState::Completed)),
        ("asks_back", || ended(Outcome::Ok, ASKS, TaskState::InputRequired)),
        ("interrupted", interrupted),
    ];
    for (name, scene) in scenes {
        for (width, height) in [(80, 24), (120, 40), (40, 10)] {
            let frame = ScreenHarness::new(scene()).frame(width, height);
            snapshot(&format!("delegation_{name}_{width}x{height}"), &frame);
        }
    }
}

#[test]
fn a_row_of_a_result_is_cut_in_one_place() {
    let done = || ended(Outcome::Ok, "A qubit is the unit of quantum information.", TaskState::Completed);
    let asks_back = || ended(Outcome::Ok, ASKS, TaskState::InputRequired);
    for scene in [done(), asks_back(), interrupted()] {
        let frame = ScreenHarness::new(scene).frame(40, 24);
        let row = frame.lines().find(|row| row.contains(" c1 →")).unwrap_or_else(|| panic!("{frame}"));
        assert!(row.contains("c1 → researcher  Find") && row.matches('…').count() == 1, "{row}");
    }
    let (builder, open) = sent(task());
    std::mem::forget(open);
    let frame = ScreenHarness::new(builder).frame(80, 24);
    let said = frame.lines().find(|row| row.contains("Waiting for researcher")).unwrap_or_default();
    assert!(said.contains("qubit is. …") && said.matches('…').count() == 1, "{frame}");
}
