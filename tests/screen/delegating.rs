//! Tasks that go to another agent: asked about, under way, answered, asked back, interrupted; and the same in words.

use countersign::ledger::{
    Abort, AbortPath, Decider, OpenCall, Outcome, Preview, RemoteTask, Settlement, TaskState,
};
use countersign::ledger::{CutBy, Ending, Millis, aborted_text};
use serde_json::{Value, json};

use crate::frames::{Seat, snapshot};
use crate::stage::Stage;

const ASKS: &str = "Which kind of qubit?\n[the agent researcher waits for an answer: call delegate_to_researcher with \
                    task_id \"t-4711\"]";
const TOOL: &str = "delegate_to_researcher";

type Scene = fn() -> Stage;

fn called(arguments: Value) -> (Stage, OpenCall) {
    let mut stage = Stage::new();
    stage.user("What do we know about qubits?");
    let call = stage.tool_use(TOOL, arguments);
    let open = stage.say(None, "", "I will ask the researcher.", vec![call]).pop().unwrap();
    (stage, open)
}

fn task() -> Value {
    json!({ "task": "Find out what a qubit is.\nName three sources, with their dates." })
}

fn asked() -> Stage {
    let (mut stage, open) = called(task());
    let at = Preview::Recipient("https://agents.example.org/a2a".into());
    stage.offer(open.id(), TOOL, at, Some(TOOL));
    std::mem::forget(open);
    stage
}

fn sent(arguments: Value) -> (Stage, OpenCall) {
    let (mut stage, mut open) = called(arguments);
    stage.decide(open.id(), true, Decider::User);
    stage.ledger.delegate(Millis(stage.now), &mut open, "researcher", "Find out what a qubit is.");
    stage.tell();
    stage.run(open.id(), TOOL);
    stage.ledger.accepted(Millis(stage.now), &mut open, "t-4711");
    stage.tell();
    stage.output(open.id(), "reading three papers\n");
    (stage, open)
}

fn ended(outcome: Outcome, content: &str, state: TaskState) -> Stage {
    let (mut stage, open) = sent(task());
    let remote = Some(RemoteTask { id: Some("t-4711".into()), state });
    let ending = Settlement { duration_ms: 4_200, remote, ..Settlement::synthetic(outcome, content) };
    stage.finish(open, ending);
    stage
}

fn interrupted() -> Stage {
    let abort = Abort { path: AbortPath::C, ran_ms: Some(4_200), by: CutBy::User };
    let words = aborted_text(abort);
    let mut stage = ended(Outcome::Aborted(abort), &words, TaskState::Unknown);
    stage.end(Ending::AbortedTools);
    stage.note("c1", "Canceled, as the agent researcher confirms (its task t-4711).");
    stage
}

#[test]
fn a_delegation_from_its_question_to_its_end() {
    let scenes: [(&str, Scene); 5] = [
        ("asked", asked),
        ("running", || {
            let (stage, open) = sent(task());
            std::mem::forget(open);
            stage
        }),
        ("done", || ended(Outcome::Ok, "A qubit is the unit of quantum information.", TaskState::Completed)),
        ("asks_back", || ended(Outcome::Ok, ASKS, TaskState::InputRequired)),
        ("interrupted", interrupted),
    ];
    for (name, scene) in scenes {
        for (width, height) in [(80, 24), (120, 40), (40, 10)] {
            let frame = Seat::new(scene()).frame(width, height);
            snapshot(&format!("delegation_{name}_{width}x{height}"), &frame);
        }
    }
}
