//! Tasks from their message to their end, in both versions, told of in streams and asked about.

use countersign::ledger::{Outcome, TaskState};
use serde_json::json;

use crate::a2a::agent::Agent;
use crate::a2a::way::Way;
use crate::agents::broken::UNKNOWN;
use crate::agents::fixture::{ACTION, remote, said, sorted};
use crate::pictures;

#[tokio::test]
async fn a_task_is_done_and_told_of_in_every_way() {
    for way in Way::ALL {
        let agent = Agent::new(way);
        let (report, shown) = agent.fixture().call(json!({ "task": "echo hällo" })).await;
        assert_eq!(said(&report), (Outcome::Ok, "hällo"), "{way:?}");
        assert_eq!(report.remote, remote(Some("t-1"), TaskState::Completed));
        let (text, tasks) = sorted(&shown);
        assert_eq!((text.as_str(), tasks), ("on it\nhällo", vec!["t-1".to_owned()]), "{way:?}");
        let asked = agent.site.asked();
        let [send, get, _] = way.methods();
        let message = &asked.iter().find(|one| one.rpc() == send).unwrap().body["params"]["message"];
        assert_eq!((&message["messageId"], message.get("taskId")), (&json!(ACTION), None));
        assert_eq!(agent.site.count(send), 1);
        assert_eq!(agent.site.count(get) > 0, !way.streams, "{:?}", agent.site.methods());
    }
}

#[tokio::test]
async fn the_tenant_stands_in_every_request() {
    let agent = Agent::with_tenant(Way { is_new: true, streams: false }, Some("us"));
    let fixture = agent.fixture();
    assert_eq!(said(&fixture.hand("echo x").await), (Outcome::Ok, "x"));
    let mut begun = fixture.begin("slow");
    begun.shown().await;
    begun.cut().await;
    let mut fixture = fixture;
    assert_eq!(fixture.late().await.0, "canceled, as the agent writer confirms (its task t-2)");
}

#[tokio::test]
async fn every_end_is_told() {
    use TaskState as State;
    let ends = [
        ("say done", Outcome::Ok, State::Completed, "done"),
        ("say", Outcome::Ok, State::Completed, "(nothing)"),
        ("fail no ink", Outcome::Failed, State::Failed, "the agent writer failed the task and says: no ink"),
        ("fail", Outcome::Failed, State::Failed, "the agent writer failed the task and did not say why"),
        (
            "reject never",
            Outcome::Failed,
            State::Rejected,
            "the agent writer rejected the task and says: never",
        ),
        ("cancel bye", Outcome::Failed, State::Canceled, "the agent writer canceled the task and says: bye"),
        (
            "login here",
            Outcome::Failed,
            State::AuthRequired,
            "the agent writer needs a login for the task, which cannot be given here, and says: here",
        ),
    ];
    for way in Way::ALL {
        let agent = Agent::new(way);
        let fixture = agent.fixture();
        for (number, (task, outcome, state, words)) in ends.clone().into_iter().enumerate() {
            let report = fixture.hand(task).await;
            assert_eq!(said(&report), (outcome, words), "{way:?} {task}");
            assert_eq!(report.remote, remote(Some(&format!("t-{}", number + 1)), state));
            assert!(!report.transient);
        }
        let (report, shown) = fixture.call(json!({ "task": "answer hello" })).await;
        assert_eq!(said(&report), (Outcome::Ok, "hello"), "{way:?}");
        assert_eq!((report.remote, sorted(&shown).0.as_str()), (remote(None, State::Completed), "hello"));
        let report = fixture.hand("refuse").await;
        let words = "the agent writer refused the task: no paper, [hidden][2J (error -32603)";
        assert_eq!(said(&report), (Outcome::Failed, words), "{way:?}");
        assert_eq!(report.remote, remote(None, State::Unknown));
    }
}

#[tokio::test]
async fn a_task_that_asks_goes_on_with_its_name() {
    for way in Way::ALL {
        let agent = Agent::new(way);
        let fixture = agent.fixture();
        let report = fixture.hand("ask Which colour?").await;
        let words = "Which colour?\n[the agent writer waits for an answer: call delegate_to_writer with task_id \"t-1\"]";
        assert_eq!(said(&report), (Outcome::Ok, words), "{way:?}");
        assert_eq!(report.remote, remote(Some("t-1"), TaskState::InputRequired));
        let (report, shown) = fixture.call(json!({ "task": "echo blue", "task_id": "t-1" })).await;
        assert_eq!(said(&report), (Outcome::Ok, "blue"), "{way:?}");
        assert_eq!(report.remote, remote(Some("t-1"), TaskState::Completed));
        assert_eq!(sorted(&shown).1, ["t-1"]);
        let (report, _) = fixture.call(json!({ "task": "echo blue", "task_id": "t-9" })).await;
        let words = "the agent writer refused the task: Task not found (error -32001)";
        assert_eq!(said(&report), (Outcome::Failed, words), "{way:?}");
    }
}

#[tokio::test]
async fn a_question_that_was_answered_is_not_taken_for_a_new_one() {
    for way in Way::ALL {
        let agent = Agent::new(way);
        let fixture = agent.fixture();
        fixture.hand("ask Which colour?").await;
        let (report, _) = fixture.call(json!({ "task": "later ask Which blue?", "task_id": "t-1" })).await;
        assert!(report.content.starts_with("Which blue?\n["), "{way:?}: {}", report.content);
        if !way.streams {
            // What goes on waiting for the same is believed in the end.
            let (report, _) = fixture.call(json!({ "task": "later stay", "task_id": "t-1" })).await;
            assert!(report.content.starts_with("Which blue?\n["), "{way:?}: {}", report.content);
            assert_eq!(report.remote, remote(Some("t-1"), TaskState::InputRequired));
        }
        let (report, _) = fixture.call(json!({ "task": "later echo navy", "task_id": "t-1" })).await;
        assert_eq!(said(&report), (Outcome::Ok, "navy"), "{way:?}");
    }
}

#[tokio::test]
async fn things_that_a_task_gives_are_named_or_shown() {
    use base64::Engine as _;
    let png =
        base64::engine::general_purpose::STANDARD.encode(pictures::quarters(3, 2, image::ImageFormat::Png));
    for way in Way::ALL {
        let agent = Agent::new(way);
        let fixture = agent.fixture();
        let give = |part: serde_json::Value| format!("give {part}");
        let data = fixture.hand(&give(json!({ "data": { "a": [1] } }))).await;
        assert_eq!(said(&data), (Outcome::Ok, r#"{"a":[1]}"#), "{way:?}");
        let file = json!({ "raw": "AAAA", "filename": "f.bin", "mediaType": "a/b" });
        assert_eq!(said(&fixture.hand(&give(file)).await), (Outcome::Ok, "[file f.bin (a/b, 3 bytes)]"));
        let link = json!({ "url": "http://x.test/f", "filename": "f", "mediaType": "a/b" });
        assert_eq!(said(&fixture.hand(&give(link)).await), (Outcome::Ok, "[link http://x.test/f (f, a/b)]"));
        let image =
            fixture.hand(&give(json!({ "raw": png, "filename": "p.png", "mediaType": "image/png" }))).await;
        assert!(image.content.starts_with("(PNG image of 3×2"), "{}", image.content);
        assert_eq!((image.images.len(), image.images[0].size), (1, Some((3, 2))));
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_anywhere_is_asked_on() {
    for is_new in [true, false] {
        let way = Way { is_new, streams: true };
        let agent = Agent::new(way);
        let fixture = agent.fixture();
        fixture.found().await;
        let [_, get, _] = way.methods();
        let mut named_from = None;
        for cut in 1.. {
            agent.cut_streams(cut);
            let before = agent.site.count(get);
            let (report, shown) = fixture.call(json!({ "task": "echo hällo" })).await;
            let (task, tasks) = (format!("t-{cut}"), sorted(&shown).1);
            if tasks.is_empty() {
                let why = "the answer of agent writer could not be read: it ended its answer before \
                    reporting anything about the task; it may have accepted the task; check before repeating";
                assert_eq!(said(&report), (UNKNOWN, why), "{way:?} {cut}");
                assert_eq!((report.remote, named_from), (remote(None, TaskState::Unknown), None));
                continue;
            }
            named_from.get_or_insert(cut);
            assert_eq!(said(&report), (Outcome::Ok, "hällo"), "{way:?} {cut}");
            assert_eq!(report.remote, remote(Some(&task), TaskState::Completed));
            assert_eq!(tasks, [task]);
            if agent.site.count(get) == before {
                break;
            }
        }
        assert!(named_from.is_some_and(|at| at > 100) && agent.site.count(get) > 200, "{named_from:?}");
    }
}
