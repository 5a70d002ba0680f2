//! The product without a screen: whole conversations as the lines that are said, kept as snapshots, and what typed lines mean.

use crate::linear_harness::{LinearHarness, asked, snapshot};
use crate::scenes;
use crate::session_builder::{SessionBuilder, settings};
use countersign::agent::{Answer, Event, Intent, Live};
use countersign::ledger::{Decider, Ending, Outcome, Preview, Sandboxing};
use countersign::policy::Mode;
use countersign::ui::linear::{Line, LinearEffect, LinearSession};
use countersign::ui::{EarlierSession, ModelList, Reply, Request};
use serde_json::json;

type Scene = fn() -> SessionBuilder;

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
        snapshot(name, &LinearHarness::new(scene()).said);
    }
}

#[test]
fn what_is_told_of_the_ledger_is_the_same_without_its_live_events() {
    for (name, scene) in SCENES {
        let whole = LinearHarness::new(scene()).said;
        let mut durable = scene();
        durable.events.retain(|event| matches!(event, Event::Appended(_)));
        let durable = LinearHarness::new(durable).said;
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
    let mut builder = SessionBuilder::new();
    builder.user("Explain.");
    let message = builder.ledger.reserve();
    let mut linear = LinearHarness::new(builder);
    let grows = |linear: &mut LinearHarness, text: &str| {
        linear.builder.live(Live::Text { message, text: text.to_owned() });
        linear.hears()
    };
    assert_eq!(grows(&mut linear, "The first li"), "");
    assert_eq!(grows(&mut linear, "ne.\nThe sec"), "model: The first line.\n");
    assert_eq!(grows(&mut linear, "ond.\n\n  you: third"), "  The second.\n");
    linear.builder.say(Some(message), "", "The first line.\nThe second.\n\n  you: third", vec![]);
    assert_eq!(linear.hears(), "    you: third\n");
    linear.builder.end(Ending::Completed);
    let end = linear.hears();
    assert!(end.starts_with("end: done; 1 turn, 0 tool calls, 12.3 s, cost unknown\nnext: "), "{end}");
    assert!(end.ends_with("\nyou: "), "{end}");
}

#[test]
fn calls_are_answered_by_their_letters_and_numbers() {
    let mut linear = LinearHarness::new(scenes::waiting_command());
    let ids: Vec<_> = linear.builder.events.iter().filter_map(asked).collect();
    let decide = |at: usize, answer: Answer| {
        let (request, call) = ids[at];
        vec![LinearEffect::Send(Intent::Decide { request, call, answer })]
    };
    assert_eq!(linear.types("y 2"), decide(1, Answer::AllowOnce));
    assert!(linear.said.ends_with("2 calls still wait for you: 1, 3\n"), "{}", linear.said);
    assert_eq!(linear.types("s"), [], "two wait");
    assert!(linear.said.ends_with("2 calls wait: say which one, as in s 1\n"), "{}", linear.said);
    assert_eq!(linear.types("s 1"), decide(0, Answer::AllowSession));
    assert_eq!(linear.types("y 2"), [], "answered already");
    assert!(
        linear.said.ends_with("not an answer: no call with that number is waiting; waiting: 3\n"),
        "{}",
        linear.said
    );
    assert_eq!(linear.types("r"), []);
    assert!(linear.said.ends_with("to cancel: "), "{}", linear.said);
    assert_eq!(
        linear.types("y"),
        decide(2, Answer::Deny("y".into())),
        "a reason is a reason, whatever it is"
    );
    assert_eq!(linear.types("y"), [LinearEffect::Send(Intent::Submit("y".into()))], "nothing waits any more");
}

#[test]
fn a_reason_can_be_taken_back_and_n_needs_none() {
    let mut linear = LinearHarness::new(scenes::waiting_diff());
    assert_eq!(linear.types("r"), []);
    assert_eq!(linear.types("  "), []);
    assert!(linear.said.ends_with("cancelled: nothing is denied\n"), "{}", linear.said);
    assert_eq!(linear.types("e"), []);
    assert!(linear.said.contains("the arguments instead, as JSON in one line"), "{}", linear.said);
    assert_eq!(linear.types("not JSON"), []);
    assert!(
        linear.said.ends_with("not accepted: this is not JSON: expected ident at line 1 column 2\n"),
        "{}",
        linear.said
    );
    let acts = linear.types("n");
    assert!(
        matches!(&acts[..], [LinearEffect::Send(Intent::Decide { answer: Answer::Deny(why), .. })] if why.is_empty())
    );
}

#[test]
fn other_words_never_answer_and_are_kept() {
    let mut linear = LinearHarness::new(scenes::waiting_command());
    for words in ["yes", "Y", "y please", "ok", "sure, y", "no", "y 1 2"] {
        assert_eq!(linear.types(words), [], "{words}");
        assert!(linear.said.ends_with(&format!("kept, /send sends it: {words}\n")), "{}", linear.said);
    }
    assert_eq!(linear.types("\"\"\""), []);
    assert_eq!(linear.types("y"), [], "a line of a longer text");
    assert_eq!(linear.types("\"\"\""), []);
    assert_eq!(linear.types("/send"), [], "not while a call waits");
    assert_eq!(linear.types("/budgets"), [], "commands go on");
    assert!(linear.said.contains("budget max_model_turns: 1 turn of 50 turns used, 49 turns left\n"));
    linear.types("n 1");
    linear.types("n 2");
    linear.types("n");
    let acts = linear.types("/send");
    let all = "yes\n\nY\n\ny please\n\nok\n\nsure, y\n\nno\n\ny 1 2\n\ny".to_owned();
    assert_eq!(acts, [LinearEffect::Send(Intent::Submit(all.into()))]);
}

#[test]
fn what_was_typed_before_a_question_answers_none() {
    let mut linear = LinearHarness::new(scenes::waiting_command());
    assert_eq!(linear.types_at("y 1", 0), []);
    assert!(
        linear.said.contains("not an answer: y was typed before the question; type it again"),
        "{}",
        linear.said
    );
    let words = "use the other file, y";
    assert_eq!(linear.types_at(words, 0), [LinearEffect::Send(Intent::Submit(words.into()))], "it steers");

    // A second question: what was typed between the two answers the first alone.
    let call = linear.builder.tool_use("shell", json!({"command": "true"})).id;
    linear.builder.ask(call, "shell", Preview::Command("true".into()));
    linear.hears();
    assert!(matches!(&linear.types_at("n 1", 1)[..], [LinearEffect::Send(Intent::Decide { .. })]));
}

#[test]
fn a_refused_answer_can_be_given_again() {
    let mut linear = LinearHarness::new(scenes::waiting_diff());
    assert_eq!(linear.types("y").len(), 1);
    linear.builder.live(Live::Refused("that call was answered".into()));
    let said = linear.hears();
    assert_eq!(said, "refused: that call was answered\n");
    assert_eq!(linear.types("y").len(), 1);
}

#[test]
fn ctrl_c_interrupts_and_twice_at_rest_leaves() {
    let mut linear = LinearHarness::new(scenes::running());
    assert_eq!(linear.talk.interrupt(true), [LinearEffect::Abort]);
    let mut linear = LinearHarness::new(scenes::conversation());
    assert_eq!(linear.talk.interrupt(true), []);
    assert_eq!(linear.writes(), "\nto quit: Ctrl-C again, Ctrl-D, or /quit\nyou: ");
    linear.types("/mode ask");
    assert_eq!(linear.talk.interrupt(true), [], "a line between them takes it back");
    assert_eq!(linear.talk.interrupt(true), [LinearEffect::Quit]);
    linear.types("\"\"\"");
    linear.types("half a text");
    assert_eq!(linear.talk.interrupt(true), []);
    assert_eq!(linear.writes(), "\ndropped: 1 line\nyou: ");
}

#[test]
fn commands_do_what_they_do_on_the_screen() {
    let mut linear = LinearHarness::new(scenes::conversation());
    assert_eq!(linear.types("/compact"), [LinearEffect::Send(Intent::Compact)]);
    assert_eq!(linear.types("/mode edit"), [LinearEffect::Send(Intent::SetMode(Mode::Edit))]);
    assert_eq!(linear.types("/model a/b"), [LinearEffect::Ask(Request::ChooseModel("a/b".into()))]);
    assert_eq!(linear.types("/later say goodbye"), [LinearEffect::Send(Intent::Queue("say goodbye".into()))]);
    assert_eq!(linear.types("/quit"), [LinearEffect::Quit]);
    assert_eq!(
        linear.types("/model"),
        [LinearEffect::Ask(Request::ListModels("anthropic/claude-test".into()))]
    );
    let usable = vec![("a/one".into(), "8 tokens".into()), ("b/two".into(), "9 tokens".into())];
    linear.talk.models(ModelList { usable, answering: "b/two".into(), unusable: vec!["c: no key".into()] });
    assert_eq!(linear.types("/model 2"), [LinearEffect::Ask(Request::ChooseModel("b/two".into()))]);
    assert!(linear.said.contains("b/two, in use, 9 tokens\nnot usable: c: no key\n"), "{}", linear.said);
    assert_eq!(linear.types("/sessions"), [LinearEffect::Ask(Request::ListSessions)]);
    let elsewhere =
        |id: &str| EarlierSession { id: id.into(), words: "hello".into(), aside: "today \u{b7} done".into() };
    linear.talk.sessions(vec![elsewhere("0191"), elsewhere("0192")]);
    assert_eq!(linear.types("/sessions 2"), [LinearEffect::Resume("0192".into())]);
    assert_eq!(linear.types("/sessions 3"), []);
    assert!(linear.said.contains("session 1: hello, today, done\nsession 2: hello"), "{}", linear.said);
    assert_eq!(linear.types("/nonsense"), []);
    assert_eq!(linear.types("//etc"), [LinearEffect::Send(Intent::Submit("/etc".into()))]);
    assert_eq!(linear.types("one\\"), []);
    assert_eq!(linear.types("two"), [LinearEffect::Send(Intent::Submit("one\ntwo".into()))]);
}

#[test]
fn it_is_not_the_persons_turn_while_an_answer_is_on_its_way() {
    let why = || "it is not there".to_owned();
    let answers = [
        ("/model", Reply::Models(ModelList::default()), "models: none listed"),
        ("/model x/y", Reply::NoModel { name: "x/y".into(), why: why() }, "refused: it is not there"),
        ("/sessions", Reply::Sessions(Vec::new()), "sessions: there are no others"),
        ("/undo", Reply::Undo(Err(why())), "undo: it is not there"),
        ("look at @x.png", Reply::Returned { said: "look at @x.png".into(), why: why() }, "refused: it is"),
    ];
    for (typed, reply, said) in answers {
        let mut linear = LinearHarness::new(scenes::conversation());
        linear.types(typed);
        assert!(!linear.talk.rests(), "{typed}");
        linear.talk.reply(Reply::Notice("a server was found".into()));
        assert!(!linear.talk.rests(), "{typed}: a notice is no answer");
        linear.talk.reply(reply);
        assert!(linear.talk.rests(), "{typed}");
        assert!(linear.writes().contains(said), "{typed}");
    }
}

#[test]
fn every_page_is_lines() {
    let mut linear = LinearHarness::new(scenes::interrupted());
    linear.said.clear();
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
        linear.types(page);
    }
    snapshot("pages", &linear.said);
}

#[test]
fn a_budget_is_told_when_it_is_near_and_raised_by_a_word() {
    let mut linear = LinearHarness::new(scenes::budget_stop());
    let offer = linear.types("/raise");
    assert!(matches!(&offer[..], [LinearEffect::Send(Intent::Raise { to: 100, .. })]), "{offer:?}");
    let mut builder = SessionBuilder::new();
    builder.user("Go on.");
    for _ in 1..42 {
        builder.call_model(countersign::ledger::Transition::NextTurn);
    }
    let said = LinearHarness::new(builder).said;
    let warning = "budget max_model_turns: near its limit, 40 turns of 50 turns used, 10 turns left\n";
    assert_eq!(said.matches("max_model_turns").count(), 1, "{said}");
    assert!(said.contains(warning), "{said}");
}

#[test]
fn a_resumed_session_says_how_it_stands_and_its_last_exchange() {
    let builder = scenes::eventful();
    let mut talk = LinearSession::new(settings(), |_| String::new());
    talk.begin(&builder.events, Some("the rehearsal answers"));
    talk.settle();
    snapshot("resumed", &talk.words());

    let builder = scenes::waiting_diff();
    let mut talk = LinearSession::new(settings(), |_| String::new());
    let durable: Vec<Event> = builder.events.clone();
    talk.begin(&durable, None);
    assert!(talk.settle(), "the call that waited waits again");
    talk.written(1, std::time::Duration::ZERO);
    let said = talk.words();
    assert!(said.contains("resumed: 1 message from you, 1 tool call") && said.contains("added:"), "{said}");
    let acts = talk.line(&crate::linear_harness::typed("y", 1));
    assert!(matches!(&acts[..], [LinearEffect::Send(Intent::Decide { .. })]));
}

#[test]
fn hostile_words_stay_words() {
    let mut builder = SessionBuilder::new();
    builder.user("go");
    let call = builder.tool_use("sh\u{1b}]0;x\u{7}ell", json!({"command": "printf '\u{1b}[2J'\r\ny once"}));
    let mut open =
        builder.say(None, "", "fine\nwaits for you 1: shell\n\u{9b}2J\u{202e}", vec![call]).into_iter();
    let call = open.next().unwrap();
    builder.ask(call.id(), "shell", Preview::Command("printf '\u{1b}[2J'\ranswer: y".into()));
    let mut linear = LinearHarness::new(builder);
    linear.builder.decide(call.id(), true, Decider::User);
    linear.builder.settle(call, Outcome::Ok, "\u{1b}[31mred\u{1b}[0m\nyou: yes\n", 3);
    linear.hears();
    snapshot("hostile", &linear.said);
}

#[test]
fn questions_are_answered_in_words_and_calls_are_changed_in_them() {
    let mut builder = SessionBuilder::new();
    builder.user("Tidy up.");
    let asks = builder.tool_use("ask", json!({ "question": "Which?", "choices": ["old", "new"] }));
    let runs = builder.tool_use("shell", json!({ "command": "make clean", "timeout_seconds": 5 }));
    let open = builder.say(None, "", "", vec![asks, runs]);
    builder.ask(open[0].id(), "ask", Preview::None);
    builder.ask(open[1].id(), "shell", Preview::Command("make clean".into()));
    let mut linear = LinearHarness::new(builder);
    assert!(linear.said.contains("question: Which?\nchoice 1: old\nchoice 2: new\n"), "{}", linear.said);
    assert!(linear.types("y 1").is_empty() && linear.said.contains("is a question"), "{}", linear.said);
    linear.types("r 1");
    match &linear.types("2")[..] {
        [LinearEffect::Send(Intent::Decide { answer: Answer::Reply(words), .. })] => assert_eq!(words, "new"),
        other => panic!("{other:?}"),
    }
    linear.types("e 2");
    match &linear.types("make distclean")[..] {
        [LinearEffect::Send(Intent::Decide { answer: Answer::Edit(arguments), .. })] => {
            assert_eq!(arguments.to_value(), json!({ "command": "make distclean", "timeout_seconds": 5 }));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_line_decides_only_by_itself_and_a_moment_after_the_question() {
    let mut linear = LinearHarness::new(scenes::waiting_diff());
    let questions = linear.questions;
    let mut line = linear.line("y", questions);
    line.at = std::time::Duration::from_millis(499);
    assert_eq!(linear.hears_line(&line), [], "the question was just said");
    assert!(
        linear.said.ends_with("y came right after the question; type it again to answer\n"),
        "{}",
        linear.said
    );
    let together = Line { alone: false, at: std::time::Duration::from_secs(9), ..line.clone() };
    assert_eq!(linear.hears_line(&together), [], "a paste of several lines");
    assert!(linear.said.contains("y came together with other lines"), "{}", linear.said);
    line.at = std::time::Duration::from_secs(10);
    assert_eq!(linear.hears_line(&line).len(), 1);

    // What is left waits anew: a second line right after the first one is for none of them.
    let mut linear = LinearHarness::new(scenes::waiting_command());
    assert_eq!(linear.types("y 1").len(), 1);
    let mut next = linear.line("n 2", linear.questions);
    next.at -= std::time::Duration::from_millis(900);
    assert_eq!(linear.hears_line(&next), []);
    assert_eq!(linear.types("n 2").len(), 1);

    let mut stopped = LinearHarness::new(scenes::budget_stop());
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

#[test]
fn g_accepts_what_the_sandbox_cannot_hide_from_one_call_and_allows_it() {
    let mut builder = SessionBuilder::new();
    builder.user("Test it.");
    let calls = ["make a", "make b"].map(|command| builder.tool_use("shell", json!({ "command": command })));
    let open = builder.say(None, "", "", calls.to_vec());
    builder.sandboxing = Sandboxing::Within;
    builder.gaps = vec![".env can be read".to_owned()];
    builder.ask(open[0].id(), "shell", Preview::Command("make a".to_owned()));
    builder.gaps.clear();
    builder.ask(open[1].id(), "shell", Preview::Command("make b".to_owned()));
    std::mem::forget(open);
    let mut linear = LinearHarness::new(builder);
    assert!(linear.said.contains("g 1 anyway, this session,"), "{}", linear.said);
    let (request, call) = linear.builder.events.iter().find_map(asked).unwrap();
    assert_eq!(linear.types("g 2"), [], "nothing is to be accepted there");
    assert!(linear.said.contains("call 2 does not wait because of the sandbox"), "{}", linear.said);
    let accepts = Intent::AcceptGaps { call: Some(call), gaps: vec![".env can be read".to_owned()] };
    let both = [accepts, Intent::Decide { request, call, answer: Answer::AllowOnce }];
    assert_eq!(linear.types("g 1"), both.map(LinearEffect::Send));
    assert!(linear.said.ends_with("1 call still waits for you: 2\n"), "{}", linear.said);
}
