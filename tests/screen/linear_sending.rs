//! What is said in lines of a message that was typed; texts of several lines, and what of them is carried
//! out.

use crate::linear_harness::LinearHarness;
use crate::scenes;
use crate::session_builder::{SessionBuilder, settings};
use countersign::agent::{Event, Intent, Live};
use countersign::hooks::HookPoint;
use countersign::ledger::{AttachedFile, EntryId, Image, Millis, Pastes, UserMessage};
use countersign::ui::linear::{Echo, Line, LinearEffect};
use countersign::ui::{Reply, Request};
use countersign::view::{NamedCommand, Template, ViewSettings};

#[test]
fn what_went_with_a_message_is_said_and_how_much_of_it() {
    let mut lines = LinearHarness::new(SessionBuilder::new());
    let typed = "see @long.txt";
    assert!(matches!(lines.types(typed).as_slice(), [LinearEffect::Send(_) | LinearEffect::Ask(_)]));
    let file = AttachedFile {
        path: "long.txt".into(),
        first: 1,
        last: 1,
        of_lines: 0,
        sha256: String::new(),
        confirmed: String::new(),
        cut_bytes: 12_001,
        cut_chars: 0,
        text: "x".into(),
    };
    lines.builder.message(UserMessage { files: vec![file], ..UserMessage::text(typed) });
    let said = lines.hears();
    let told = "sent with it: [file: long.txt, only the beginning of line 1, 12,001 bytes of it not sent]\n";
    assert!(said.contains(told), "{said}");
    assert!(!said.contains("you: see"), "its words are known: {said}");
}

#[test]
fn an_image_of_the_clipboard_has_a_word_and_no_path() {
    let name = "/tmp/countersign-clipboard-1/pasted-1.png";
    let content = format!("see @{name} now");
    let image = Image {
        name: name.to_owned(),
        media_type: "image/png".to_owned(),
        data: "A".repeat(16_000).into(),
        size: Some((320, 160)),
    };
    let images = vec![image];
    let pastes = Pastes::of(&content, vec![(4, 46)]).naming(&content, &images);
    let pasted = UserMessage { images, pastes, ..UserMessage::text(content) };
    let said = |message: &UserMessage, imported_to| {
        let known = ViewSettings { imported_to, ..settings() };
        let mut lines = LinearHarness::told(SessionBuilder::new(), known);
        lines.builder.message(message.clone());
        lines.hears();
        lines.types("/rewind");
        lines.said
    };
    let words = said(&pasted, None);
    assert!(words.contains("you: see [Image] now\n") && words.contains("[image: 320"), "{words}");
    assert!(words.contains("message 1, ") && !words.contains("pasted-1"), "{words}");
    // What was typed stays, and what comes from elsewhere hides nothing.
    let typed = UserMessage { pastes: Pastes::default(), ..pasted.clone() };
    for words in [said(&typed, None), said(&pasted, Some(EntryId(u64::MAX)))] {
        assert!(words.contains(&format!("you: see @{name} now\n")), "{words}");
    }
}

/// Two messages are recorded for a skill that runs something first; the line that was typed stood there three times.
#[test]
fn a_skill_is_said_once_whether_it_runs_something_first_or_not() {
    for text in ["Look at $1.", "State: !`git status`\n\nLook at $1."] {
        let skill = NamedCommand {
            name: "sk".to_owned(),
            description: String::new(),
            hint: String::new(),
            file: ".agents/skills/sk/SKILL.md".to_owned(),
            sha256: "ab".to_owned(),
            template: Template::read(text, false),
            is_skill: true,
        };
        let known = ViewSettings { commands: vec![skill], ..settings() };
        let mut lines = LinearHarness::told(SessionBuilder::new(), known);
        let acts = lines.types("/sk a b");
        let message = match acts.as_slice() {
            [LinearEffect::Send(Intent::Submit(message))] => message.clone(),
            [LinearEffect::Send(Intent::Command(own))] => {
                lines.builder.own_command(&own.typed.as_ref().unwrap().content, "clean");
                UserMessage::clone(own.then.as_ref().unwrap())
            }
            other => panic!("{text}: {other:?}"),
        };
        lines.builder.message(message);
        lines.hears();
        assert_eq!(lines.said.matches("you: /sk a b").count(), 1, "{text}\n{}", lines.said);
        assert!(!lines.said.contains("Look at a"), "{}", lines.said);
    }
}

#[test]
fn a_wait_without_a_word_is_said_once_with_the_way_to_stop_it() {
    let mut linear = LinearHarness::new(SessionBuilder::new());
    linear.types("see @a.txt");
    assert_eq!(linear.talk.says_in(), None);
    linear.talk.reply(Reply::Reading(true));
    let due = linear.talk.says_in().unwrap();
    linear.talk.say_wait();
    assert_eq!(linear.writes(), "", "it has just begun");
    let later = Millis(linear.builder.now + u64::try_from(due.as_millis()).unwrap());
    linear.talk.tick(later);
    linear.talk.say_wait();
    let said = linear.writes();
    assert!(said.starts_with("waiting: reading the files of your message, for 2"), "{said}");
    assert!(said.contains("Ctrl-C stops it") && linear.talk.says_in().is_none());
    let acts = linear.talk.interrupt(false);
    assert_eq!(acts, [LinearEffect::Abort, LinearEffect::Ask(Request::StopReading)]);
    linear.types("/status");
    assert!(linear.said.contains("status: reading the files of your message"), "{}", linear.said);
    linear.talk.reply(Reply::Reading(false));
    assert!(linear.talk.says_in().is_none());
    linear.talk.hear(&Event::Live(Live::AskingHooks(HookPoint::UserPrompt)));
    linear.talk.tick(Millis(later.0 + 60_000));
    linear.talk.say_wait();
    assert!(linear.writes().contains("waiting: asking hooks, for "), "{}", linear.said);
}

/// Types these lines one after the other, each by itself or all together.
fn types_lines(linear: &mut LinearHarness, lines: &[(&str, bool)]) -> Vec<LinearEffect> {
    let mut acts = Vec::new();
    for (text, alone) in lines {
        let line = Line { alone: *alone, ..linear.line(text, linear.questions) };
        acts.extend(linear.hears_line(&line));
    }
    acts
}

#[test]
fn nothing_between_quotes_is_a_command() {
    for alone in [true, false] {
        for text in [
            "!touch x",
            "!pip install x\nand more",
            "/mode unrestricted",
            "/permissions gaps",
            "/undo yes",
            "/raise",
        ] {
            let mut linear = LinearHarness::new(scenes::budget_stop());
            let lines = ["\"\"\""].into_iter().chain(text.lines()).chain(["\"\"\""]);
            let lines: Vec<(&str, bool)> = lines.map(|line| (line, alone)).collect();
            let message = [LinearEffect::Send(Intent::Submit(text.into()))];
            assert_eq!(types_lines(&mut linear, &lines), message, "{text}");
            assert!(linear.said.contains("is a command; the text is a message"), "{}", linear.said);
            // It stays a message when it comes back.
            linear.talk.hear(&Event::Live(Live::Returned(vec![text.into()])));
            linear.writes();
            assert_eq!(linear.types("/send"), message, "{text}");
        }
    }
    let mut asked = LinearHarness::new(scenes::waiting_command());
    let questions = asked.questions;
    assert_eq!(types_lines(&mut asked, &[("\"\"\"!touch x\"\"\"", true)]), []);
    assert_eq!(asked.questions, questions);
    asked.writes();
    assert!(asked.said.contains("not sent: a call waits for you"), "{}", asked.said);
    assert!(asked.said.ends_with("kept, /send sends it: !touch x\n"), "{}", asked.said);
}

#[test]
fn a_command_is_joined_only_of_lines_that_came_by_themselves() {
    for came in [[false, false], [false, true], [true, false]] {
        for (first, last) in [("!touch \\", "x"), ("/mode \\", "unrestricted"), ("/later \\", "go on")] {
            let mut linear = LinearHarness::new(SessionBuilder::new());
            let lines = [(first, came[0]), (last, came[1])];
            assert_eq!(types_lines(&mut linear, &lines), [], "{first} {came:?}");
            assert!(linear.said.contains("came together with other lines"), "{}", linear.said);
        }
    }
    let mut linear = LinearHarness::new(SessionBuilder::new());
    let acts = types_lines(&mut linear, &[("!echo one \\", true), ("two", true)]);
    assert!(
        matches!(&acts[..], [LinearEffect::Send(Intent::Command(own))] if own.command == "echo one \\\ntwo"),
        "the shell joins the lines: {acts:?}"
    );
    let words = types_lines(&mut linear, &[("one\\", false), ("two", false)]);
    assert_eq!(words, [LinearEffect::Send(Intent::Submit("one\ntwo".into()))]);
    // What decides is one line.
    let mut stopped = LinearHarness::new(scenes::budget_stop());
    assert_eq!(types_lines(&mut stopped, &[("/raise\\", true), ("", true)]), []);
    assert_eq!(stopped.types("/raise").len(), 1);
}

#[test]
fn a_model_that_does_not_answer_is_kept_as_the_command_that_named_it() {
    let mut linear = LinearHarness::new(SessionBuilder::new());
    let chosen = [LinearEffect::Ask(Request::ChooseModel("x/y".into()))];
    assert_eq!(linear.types("/model x/y"), chosen);
    linear.talk.reply(Reply::NoModel { name: "x/y".into(), why: "no".to_owned() });
    linear.writes();
    assert!(linear.said.contains("kept, /send sends it: /model x/y\n"), "{}", linear.said);
    assert_eq!(linear.types("/send"), chosen);
}

/// Lines that came at once at a terminal.
fn at_once(linear: &mut LinearHarness, texts: &[&str]) -> Vec<Line> {
    let questions = linear.questions;
    texts.iter().map(|text| Line { alone: false, ..linear.line(text, questions) }).collect()
}

#[test]
fn lines_that_came_at_once_are_one_message_that_is_recorded_as_pasted() {
    let mut linear = LinearHarness::new(SessionBuilder::new());
    let texts: Vec<String> = (1..=30).map(|n| if n == 4 { String::new() } else { format!("p{n}") }).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let lines = at_once(&mut linear, &texts);
    assert!(linear.talk.are_one_text(&lines));
    let whole = texts.join("\n");
    let said = UserMessage { pastes: Pastes::all(&whole), ..UserMessage::text(whole) };
    assert_eq!(linear.talk.pasted(&lines), [LinearEffect::Send(Intent::Submit(said))]);
    assert!(linear.writes().contains("pasted: 30 lines, one message\n"), "{}", linear.said);
    // A few lines are words, as they are on the screen; a command among them is one of them.
    let lines = at_once(&mut linear, &["!touch x", "and more", "/mode unrestricted", ""]);
    assert!(linear.talk.are_one_text(&lines));
    let said = UserMessage::text("!touch x\nand more\n/mode unrestricted");
    assert_eq!(linear.talk.pasted(&lines), [LinearEffect::Send(Intent::Submit(said))]);
    assert!(linear.writes().contains("note: nothing in a paste"), "{}", linear.said);
}

#[test]
fn lines_that_came_at_once_are_no_message_where_each_has_a_meaning_of_its_own() {
    let mut linear = LinearHarness::new(SessionBuilder::new());
    for lines in
        [&["!touch x", "/help", ""][..], &["one"], &["\"\"\"", "one", "two"], &["\"\"\"one", "two\"\"\"", ""]]
    {
        let lines = at_once(&mut linear, lines);
        assert!(!linear.talk.are_one_text(&lines), "{lines:?}");
    }
    let source = at_once(&mut linear, &["\"\"\"What it does.\"\"\"", "import os"]);
    assert!(linear.talk.are_one_text(&source), "a text that only begins with quotes");
    let piped: Vec<Line> = at_once(&mut linear, &["one", "two"])
        .into_iter()
        .map(|line| Line { echo: Echo::Unseen, ..line })
        .collect();
    assert!(!linear.talk.are_one_text(&piped));
    linear.types("\"\"\"");
    let lines = at_once(&mut linear, &["one", "two"]);
    assert!(!linear.talk.are_one_text(&lines), "quotes are open");
}

#[test]
fn lines_that_came_at_once_answer_no_call_and_are_kept_together() {
    let mut asked = LinearHarness::new(scenes::waiting_command());
    let answers = at_once(&mut asked, &["y 1", "y 2"]);
    assert!(!asked.talk.are_one_text(&answers), "each is refused by its name");
    let lines = at_once(&mut asked, &["y 1", "and be quick"]);
    assert!(asked.talk.are_one_text(&lines));
    assert_eq!(asked.talk.pasted(&lines), []);
    asked.writes();
    assert!(asked.said.contains("not sent: a call waits for you"), "{}", asked.said);
    assert!(asked.said.ends_with("kept, /send sends it: y 1\n  and be quick\n"), "{}", asked.said);
}
