//! The product without a screen: whole conversations as the lines that are said, kept as snapshots and read by eye, and
//! what typed lines mean.

use crate::desk::{Desk, asked, snapshot};
use crate::scenes;
use crate::stage::{Stage, settings};
use countersign::agent::{Answer, Event, Intent, Live};
use countersign::ledger::{Decider, Ending, Outcome, Preview};
use countersign::policy::Mode;
use countersign::ui::linear::{Act, Line, LinearSession};
use countersign::ui::{EarlierSession, Reply, Request};
use serde_json::json;

type Scene = fn() -> Stage;

const SCENES: [(&str, Scene); 14] = [
    ("conversation", scenes::conversation),
    ("running", scenes::running),
    ("waiting_command", scenes::waiting_command),
    ("waiting_diff", scenes::waiting_diff),
    ("interrupted", scenes::interrupted),
    ("budget_stop", scenes::budget_stop),
    ("growing", scenes::growing),
    ("hosted", scenes::hosted),
    ("queued", scenes::queued),
    ("steered", scenes::steered),
    ("retrying", scenes::retrying),
    ("compacting", scenes::compacting),
    ("compacted", scenes::compacted),
    ("eventful", scenes::eventful),
];

#[test]
fn every_scene_is_told_in_words() {
    for (name, scene) in SCENES {
        snapshot(name, &Desk::new(scene()).said);
    }
}

#[test]
fn what_is_told_of_the_ledger_is_the_same_without_its_live_events() {
    for (name, scene) in SCENES {
        let whole = Desk::new(scene()).said;
        let mut durable = scene();
        durable.events.retain(|event| matches!(event, Event::Appended(_)));
        let durable = Desk::new(durable).said;
        let mut lines = whole.lines();
        for line in durable.lines() {
            assert!(
                lines.any(|told| told == line),
                "{name}: {line:?} is missing, or stands elsewhere in\n{whole}"
            );
        }
    }
}

#[test]
fn an_answer_is_said_line_by_line_and_never_again() {
    let mut stage = Stage::new();
    stage.user("Explain.");
    let message = stage.ledger.reserve();
    let mut desk = Desk::new(stage);
    let grows = |desk: &mut Desk, text: &str| {
        desk.stage.live(Live::Text { message, text: text.to_owned() });
        desk.hears()
    };
    assert_eq!(grows(&mut desk, "The first li"), "");
    assert_eq!(grows(&mut desk, "ne.\nThe sec"), "model: The first line.\n");
    assert_eq!(grows(&mut desk, "ond.\n\n  you: third"), "  The second.\n");
    desk.stage.say(Some(message), "", "The first line.\nThe second.\n\n  you: third", vec![]);
    assert_eq!(desk.hears(), "    you: third\n");
    desk.stage.end(Ending::Completed);
    let end = desk.hears();
    assert!(end.starts_with("end: done; 1 turn, 0 tool calls, 12.3 s, cost unknown\nnext: "), "{end}");
    assert!(end.ends_with("\nyou: "), "{end}");
}

#[test]
fn calls_are_answered_by_their_letters_and_numbers() {
    let mut desk = Desk::new(scenes::waiting_command());
    let ids: Vec<_> = desk.stage.events.iter().filter_map(asked).collect();
    let decide = |at: usize, answer: Answer| {
        let (request, call) = ids[at];
        vec![Act::Send(Intent::Decide { request, call, answer })]
    };
    assert_eq!(desk.types("y 2"), decide(1, Answer::AllowOnce));
    assert!(desk.said.ends_with("2 calls still wait for you: 1, 3\n"), "{}", desk.said);
    assert_eq!(desk.types("s"), [], "two wait");
    assert!(desk.said.ends_with("2 calls wait: say which one, as in s 1\n"), "{}", desk.said);
    assert_eq!(desk.types("s 1"), decide(0, Answer::AllowSession));
    assert_eq!(desk.types("y 2"), [], "answered already");
    assert!(
        desk.said.ends_with("not an answer: no call with that number is waiting; waiting: 3\n"),
        "{}",
        desk.said
    );
    assert_eq!(desk.types("r"), []);
    assert!(desk.said.ends_with("to cancel: "), "{}", desk.said);
    assert_eq!(desk.types("y"), decide(2, Answer::Deny("y".into())), "a reason is a reason, whatever it is");
    assert_eq!(desk.types("y"), [Act::Send(Intent::Submit("y".into()))], "nothing waits any more");
}

#[test]
fn a_reason_can_be_taken_back_and_n_needs_none() {
    let mut desk = Desk::new(scenes::waiting_diff());
    assert_eq!(desk.types("r"), []);
    assert_eq!(desk.types("  "), []);
    assert!(desk.said.ends_with("cancelled: nothing is denied\n"), "{}", desk.said);
    assert_eq!(desk.types("e"), []);
    assert!(desk.said.contains("the arguments instead, as JSON in one line"), "{}", desk.said);
    assert_eq!(desk.types("not JSON"), []);
    assert!(
        desk.said.ends_with("not accepted: this is not JSON: expected ident at line 1 column 2\n"),
        "{}",
        desk.said
    );
    let acts = desk.types("n");
    assert!(
        matches!(&acts[..], [Act::Send(Intent::Decide { answer: Answer::Deny(why), .. })] if why.is_empty())
    );
}

#[test]
fn other_words_never_answer_and_are_kept() {
    let mut desk = Desk::new(scenes::waiting_command());
    for words in ["yes", "Y", "y please", "ok", "sure, y", "no", "y 1 2"] {
        assert_eq!(desk.types(words), [], "{words}");
        assert!(desk.said.ends_with(&format!("kept, /send sends it: {words}\n")), "{}", desk.said);
    }
    assert_eq!(desk.types("\"\"\""), []);
    assert_eq!(desk.types("y"), [], "a line of a longer text");
    assert_eq!(desk.types("\"\"\""), []);
    assert_eq!(desk.types("/send"), [], "not while a call waits");
    assert_eq!(desk.types("/budgets"), [], "commands go on");
    assert!(desk.said.contains("budget max_model_turns: 1 turn of 50 turns used, 49 turns left\n"));
    desk.types("n 1");
    desk.types("n 2");
    desk.types("n");
    let acts = desk.types("/send");
    let all = "yes\n\nY\n\ny please\n\nok\n\nsure, y\n\nno\n\ny 1 2\n\ny".to_owned();
    assert_eq!(acts, [Act::Send(Intent::Submit(all.into()))]);
}

#[test]
fn what_was_typed_before_a_question_answers_none() {
    let mut desk = Desk::new(scenes::waiting_command());
    assert_eq!(desk.types_at("y 1", 0), []);
    assert!(
        desk.said.contains("not an answer: y was typed before the question; type it again"),
        "{}",
        desk.said
    );
    let words = "use the other file, y";
    assert_eq!(desk.types_at(words, 0), [Act::Send(Intent::Submit(words.into()))], "it steers");

    // A second question: what was typed between the two answers the first alone.
    let call = desk.stage.tool_use("shell", json!({"command": "true"})).id;
    desk.stage.ask(call, "shell", Preview::Command("true".into()));
    desk.hears();
    assert!(matches!(&desk.types_at("n 1", 1)[..], [Act::Send(Intent::Decide { .. })]));
}

#[test]
fn a_refused_answer_can_be_given_again() {
    let mut desk = Desk::new(scenes::waiting_diff());
    assert_eq!(desk.types("y").len(), 1);
    desk.stage.live(Live::Refused("that call was answered".into()));
    let said = desk.hears();
    assert_eq!(said, "refused: that call was answered\n");
    assert_eq!(desk.types("y").len(), 1);
}

#[test]
fn ctrl_c_interrupts_and_twice_at_rest_leaves() {
    let mut desk = Desk::new(scenes::running());
    assert_eq!(desk.talk.interrupt(true), [Act::Abort]);
    let mut desk = Desk::new(scenes::conversation());
    assert_eq!(desk.talk.interrupt(true), []);
    assert_eq!(desk.writes(), "\nto quit: Ctrl-C again, Ctrl-D, or /quit\nyou: ");
    desk.types("/mode ask");
    assert_eq!(desk.talk.interrupt(true), [], "a line between them takes it back");
    assert_eq!(desk.talk.interrupt(true), [Act::Quit]);
    desk.types("\"\"\"");
    desk.types("half a text");
    assert_eq!(desk.talk.interrupt(true), []);
    assert_eq!(desk.writes(), "\ndropped: 1 line\nyou: ");
}

#[test]
fn commands_do_what_they_do_on_the_screen() {
    let mut desk = Desk::new(scenes::conversation());
    assert_eq!(desk.types("/compact"), [Act::Send(Intent::Compact)]);
    assert_eq!(desk.types("/mode edit"), [Act::Send(Intent::SetMode(Mode::Edit))]);
    assert_eq!(desk.types("/model a/b"), [Act::Ask(Request::ChooseModel("a/b".into()))]);
    assert_eq!(desk.types("/later say goodbye"), [Act::Send(Intent::Queue("say goodbye".into()))]);
    assert_eq!(desk.types("/quit"), [Act::Quit]);
    assert_eq!(desk.types("/model"), [Act::Ask(Request::ListModels)]);
    desk.talk.models(vec![("a/one".into(), "8 tokens".into()), ("b/two".into(), "9 tokens".into())]);
    assert_eq!(desk.types("/model 2"), [Act::Ask(Request::ChooseModel("b/two".into()))]);
    assert_eq!(desk.types("/sessions"), [Act::Ask(Request::ListSessions)]);
    let elsewhere =
        |id: &str| EarlierSession { id: id.into(), words: "hello".into(), aside: "today \u{b7} done".into() };
    desk.talk.sessions(vec![elsewhere("0191"), elsewhere("0192")]);
    assert_eq!(desk.types("/sessions 2"), [Act::Resume("0192".into())]);
    assert_eq!(desk.types("/sessions 3"), []);
    assert!(desk.said.contains("session 1: hello, today, done\nsession 2: hello"), "{}", desk.said);
    assert_eq!(desk.types("/nonsense"), []);
    assert_eq!(desk.types("//etc"), [Act::Send(Intent::Submit("//etc".into()))]);
    assert_eq!(desk.types("one\\"), []);
    assert_eq!(desk.types("two"), [Act::Send(Intent::Submit("one\ntwo".into()))]);
}

#[test]
fn it_is_not_the_persons_turn_while_an_answer_is_on_its_way() {
    let why = || "it is not there".to_owned();
    let answers = [
        ("/model", Reply::Models(vec![("a/one".into(), "8 tokens".into())]), "model 1: a/one"),
        ("/model x/y", Reply::NoModel { name: "x/y".into(), why: why() }, "refused: it is not there"),
        ("/sessions", Reply::Sessions(Vec::new()), "sessions: there are no others"),
        ("/undo", Reply::Undo(Err(why())), "undo: it is not there"),
        ("look at @x.png", Reply::Returned { words: "look at @x.png".into(), why: why() }, "refused: it is"),
    ];
    for (typed, reply, said) in answers {
        let mut desk = Desk::new(scenes::conversation());
        desk.types(typed);
        assert!(!desk.talk.rests(), "{typed}");
        desk.talk.reply(Reply::Notice("a server was found".into()));
        assert!(!desk.talk.rests(), "{typed}: a notice is no answer");
        desk.talk.reply(reply);
        assert!(desk.talk.rests(), "{typed}");
        assert!(desk.writes().contains(said), "{typed}");
    }
}

#[test]
fn every_page_is_lines() {
    let mut desk = Desk::new(scenes::interrupted());
    desk.said.clear();
    for page in [
        "/help",
        "/status",
        "/budgets",
        "/ledger 4",
        "/ledger",
        "/show e2",
        "/show c2",
        "/output",
        "/find clippy",
    ] {
        desk.types(page);
    }
    snapshot("pages", &desk.said);
}

#[test]
fn a_budget_is_told_when_it_is_near_and_raised_by_a_word() {
    let mut desk = Desk::new(scenes::budget_stop());
    let offer = desk.types("/raise");
    assert!(matches!(&offer[..], [Act::Send(Intent::Raise { to: 100, .. })]), "{offer:?}");
    let mut stage = Stage::new();
    stage.user("Go on.");
    for _ in 1..42 {
        stage.call_model(countersign::ledger::Transition::NextTurn);
    }
    let said = Desk::new(stage).said;
    let warning = "budget max_model_turns: near its limit, 40 turns of 50 turns used, 10 turns left\n";
    assert_eq!(said.matches("max_model_turns").count(), 1, "{said}");
    assert!(said.contains(warning), "{said}");
}

#[test]
fn a_resumed_session_says_how_it_stands_and_its_last_exchange() {
    let stage = scenes::eventful();
    let mut talk = LinearSession::new(settings(), |_| String::new());
    talk.begin(&stage.events, Some("the rehearsal answers"));
    talk.settle();
    snapshot("resumed", &talk.words());

    let stage = scenes::waiting_diff();
    let mut talk = LinearSession::new(settings(), |_| String::new());
    let durable: Vec<Event> = stage.events.clone();
    talk.begin(&durable, None);
    assert!(talk.settle(), "the call that waited waits again");
    talk.written(1, std::time::Duration::ZERO);
    let said = talk.words();
    assert!(said.contains("resumed: 1 message from you, 1 tool call") && said.contains("added:"), "{said}");
    let acts = talk.line(&crate::desk::typed("y", 1));
    assert!(matches!(&acts[..], [Act::Send(Intent::Decide { .. })]));
}

#[test]
fn hostile_words_stay_words() {
    let mut stage = Stage::new();
    stage.user("go");
    let call = stage.tool_use("sh\u{1b}]0;x\u{7}ell", json!({"command": "printf '\u{1b}[2J'\r\ny once"}));
    let mut open =
        stage.say(None, "", "fine\nwaits for you 1 of 1: shell\n\u{9b}2J\u{202e}", vec![call]).into_iter();
    let call = open.next().unwrap();
    stage.ask(call.id(), "shell", Preview::Command("printf '\u{1b}[2J'\ranswer: y".into()));
    let mut desk = Desk::new(stage);
    desk.stage.decide(call.id(), true, Decider::User);
    desk.stage.settle(call, Outcome::Ok, "\u{1b}[31mred\u{1b}[0m\nyou: yes\n", 3);
    desk.hears();
    snapshot("hostile", &desk.said);
}

#[test]
fn questions_are_answered_in_words_and_calls_are_changed_in_them() {
    let mut stage = Stage::new();
    stage.user("Tidy up.");
    let asks = stage.tool_use("ask", json!({ "question": "Which?", "choices": ["old", "new"] }));
    let runs = stage.tool_use("shell", json!({ "command": "make clean", "timeout_seconds": 5 }));
    let open = stage.say(None, "", "", vec![asks, runs]);
    stage.ask(open[0].id(), "ask", Preview::None);
    stage.ask(open[1].id(), "shell", Preview::Command("make clean".into()));
    let mut desk = Desk::new(stage);
    assert!(desk.said.contains("question: Which?\nchoice 1: old\nchoice 2: new\n"), "{}", desk.said);
    assert!(desk.types("y 1").is_empty() && desk.said.contains("is a question"), "{}", desk.said);
    desk.types("r 1");
    match &desk.types("2")[..] {
        [Act::Send(Intent::Decide { answer: Answer::Reply(words), .. })] => assert_eq!(words, "new"),
        other => panic!("{other:?}"),
    }
    desk.types("e 2");
    match &desk.types("make distclean")[..] {
        [Act::Send(Intent::Decide { answer: Answer::Edit(arguments), .. })] => {
            assert_eq!(arguments.to_value(), json!({ "command": "make distclean", "timeout_seconds": 5 }));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_line_decides_only_by_itself_and_a_moment_after_the_question() {
    let mut desk = Desk::new(scenes::waiting_diff());
    let questions = desk.questions;
    let mut line = desk.line("y", questions);
    line.at = std::time::Duration::from_millis(499);
    assert_eq!(desk.hears_line(&line), [], "the question was just said");
    assert!(
        desk.said.ends_with("y came right after the question; type it again to answer\n"),
        "{}",
        desk.said
    );
    let together = Line { alone: false, at: std::time::Duration::from_secs(9), ..line.clone() };
    assert_eq!(desk.hears_line(&together), [], "a paste of several lines");
    assert!(desk.said.contains("y came together with other lines"), "{}", desk.said);
    line.at = std::time::Duration::from_secs(10);
    assert_eq!(desk.hears_line(&line).len(), 1);

    // What is left waits anew: a second line right after the first one is for none of them.
    let mut desk = Desk::new(scenes::waiting_command());
    assert_eq!(desk.types("y 1").len(), 1);
    let mut next = desk.line("n 2", desk.questions);
    next.at -= std::time::Duration::from_millis(900);
    assert_eq!(desk.hears_line(&next), []);
    assert_eq!(desk.types("n 2").len(), 1);

    let mut stopped = Desk::new(scenes::budget_stop());
    let raise = Line { alone: false, ..stopped.line("/raise", 0) };
    assert_eq!(stopped.hears_line(&raise), [], "a paste raises nothing");
    let mut soon = stopped.line("/raise", stopped.questions);
    soon.at = std::time::Duration::from_millis(499);
    assert_eq!(stopped.hears_line(&soon), [], "the stop was just said");
    assert!(stopped.said.contains("/raise came right after the stop; type it again"), "{}", stopped.said);
    let before = stopped.line("/raise", stopped.questions - 1);
    assert_eq!(stopped.hears_line(&before), [], "it was typed before the stop stood there");
    assert_eq!(stopped.types("/raise").len(), 1);
}
