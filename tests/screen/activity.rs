//! The line above the composer: it says what goes on in each phase, for how long, and how to stop it.

use countersign::agent::{Event, Live};
use countersign::context::no_room_for_message;
use countersign::ledger::{CompactionTrigger, Decider, EntryId, ModelRef, Preview};
use countersign::model::ModelSpec;
use countersign::ui::local::Unwritable;
use countersign::ui::replies::reply;
use countersign::ui::theme::Theme;
use countersign::ui::update::UiEffect;
use countersign::ui::{Reply, Request};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::json;

use crate::scenes;
use crate::screen_harness::{ScreenHarness, snapshot};
use crate::session_builder::SessionBuilder;

/// The line, without its margin: it ends with how to stop what goes on.
fn line(harness: &mut ScreenHarness, size: (u16, u16)) -> String {
    let frame = harness.frame(size.0, size.1);
    let line = frame.lines().find(|line| line.contains("esc interrupt") || line.contains("esc stop"));
    line.unwrap_or_else(|| panic!("{frame}")).trim().to_owned()
}

fn said(harness: &mut ScreenHarness) -> String {
    let line = line(harness, (80, 24));
    let words = line.strip_suffix("esc interrupt").unwrap().trim_end();
    words.split_once(' ').unwrap().1.to_owned()
}

fn asked() -> (ScreenHarness, EntryId) {
    let mut builder = SessionBuilder::new();
    builder.user("go");
    let message = builder.ledger.reserve();
    (ScreenHarness::new(builder), message)
}

fn live(harness: &mut ScreenHarness, news: Live) {
    harness.view.fold(&Event::Live(news));
}

#[test]
fn an_answer_is_followed_from_thinking_to_writing() {
    let (mut begun, message) = asked();
    live(&mut begun, Live::Thinking { message, text: "hmm ".into() });
    assert_eq!(said(&mut begun), "Thinking… 1 token · 1 s");
    let (mut harness, message) = asked();
    harness.builder.now += 3_000;
    assert_eq!(said(&mut harness), "Thinking… 4 s");
    live(&mut harness, Live::Thinking { message, text: "hm ".repeat(400) });
    assert_eq!(said(&mut harness), "Thinking… 300 tokens · 4 s");
    live(&mut harness, Live::Text { message, text: "word ".repeat(1_000) });
    harness.builder.now += 5_000;
    assert_eq!(said(&mut harness), "Answering… 1.5k tokens · 9 s");
    for size in [(40, 10), (44, 10), (48, 10), (60, 20)] {
        let low = line(&mut harness, size);
        assert!(low.contains("Answering… 1.5k tok"), "the word is whole, and the number has its unit: {low}");
    }
    let forming = |breaks, path: Option<&str>| {
        let (name, path) = ("write".to_owned(), path.map(str::to_owned));
        Live::CallForming { message, index: 0, name, bytes: 2_000, breaks, path }
    };
    live(&mut harness, forming(0, None));
    assert_eq!(said(&mut harness), "Writing a file… 2.0k bytes · 9 s");
    live(&mut harness, forming(239, Some("src/\u{1b}[31ma.rs")));
    harness.builder.now += 90_000;
    assert_eq!(said(&mut harness), "Writing src/^[[31ma.rs… 240 lines · 1:39");
    let low = line(&mut harness, (40, 10));
    assert!(low.ends_with("esc stop"), "how to stop it is never left out: {low}");
    assert!(low.contains("240 lines · 1:39"), "nor how much there is, nor for how long it goes on: {low}");
    for (path, ends) in
        [("src/core/deep/model.rs", "model.rs… 240 lines · 1"), ("a.rs", "a.rs… 240 lines · 1")]
    {
        live(&mut harness, forming(239, Some(path)));
        let low = line(&mut harness, (40, 10));
        assert!(low.contains(ends), "the name of the file is never left out: {low}");
    }
    live(&mut harness, forming(239, Some("src/core/deep/below/that/model.rs")));
    assert!(line(&mut harness, (60, 20)).contains("Writing src/"), "both ends of its path");
    assert!(line(&mut harness, (60, 20)).contains("/model.rs… 240 lines"), "both ends of its path");
    let read = Live::CallForming {
        message,
        index: 0,
        name: "read".to_owned(),
        bytes: 20,
        breaks: 0,
        path: Some("src/a.rs".to_owned()),
    };
    live(&mut harness, read);
    assert_eq!(said(&mut harness), "Reading src/a.rs… 20 bytes · 1:39");
}

#[test]
fn each_phase_has_its_words() {
    let (mut harness, _) = asked();
    harness.builder.now += 1_000;
    for (news, words) in [
        (Live::Discovering, "Waiting for MCP servers and agents… 2 s"),
        (Live::Compacting(CompactionTrigger::Auto), "Summarizing the conversation… 2 s"),
    ] {
        live(&mut harness, news);
        assert_eq!(said(&mut harness), words);
    }
    let mut harness = ScreenHarness::new(scenes::running());
    harness.builder.now += 31_000;
    let words = said(&mut harness);
    assert_eq!(words, "Running cargo build… 35 s");
}

#[test]
fn at_rest_it_says_so_and_stops_nothing() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    let frame = harness.frame(80, 24);
    assert!(frame.lines().any(|line| line.trim() == "Ready"), "{frame}");
    assert!(!frame.contains("interrupt"));
}

#[test]
fn the_sign_moves_unless_it_shall_not() {
    let (mut harness, _) = asked();
    let mut signs = Vec::new();
    for _ in 0..10 {
        signs.push(line(&mut harness, (80, 24)).chars().next().unwrap());
        harness.builder.now += 125;
    }
    signs.dedup();
    assert_eq!(signs.len(), 10, "{signs:?}");
    harness.local.motion = false;
    for _ in 0..10 {
        harness.builder.now += 125;
        assert_eq!(line(&mut harness, (80, 24)).chars().next(), Some('●'));
    }
    assert!(!harness.local.moves(&harness.view));
    harness.local.motion = true;
    assert!(harness.local.moves(&harness.view));
    let waits = ScreenHarness::new(scenes::waiting_command());
    assert!(!waits.local.moves(&waits.view), "nothing moves while a person is waited for");
}

/// A command that runs and writes, one behind it, and one that waits for the person.
fn running_beside() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Build it.");
    let commands = ["cargo build", "sleep 30", "cat docs/long.txt"];
    let uses = commands.map(|command| builder.tool_use("shell", json!({ "command": command }))).to_vec();
    let open = builder.say(None, "", "Three commands.", uses);
    let calls: Vec<_> = open.iter().map(|call| call.id()).collect();
    std::mem::forget(open);
    builder.ask(calls[2], "shell", Preview::Command(commands[2].into()));
    builder.decide(calls[0], true, Decider::User);
    builder.run(calls[0], "shell");
    builder.output(calls[0], &(0..40).map(|n| format!("Compiling crate-{n}\n")).collect::<String>());
    builder.decide(calls[1], true, Decider::User);
    builder.now += 4_000;
    builder
}

#[test]
fn what_runs_while_a_call_waits_stays_in_sight_and_moves() {
    let mut harness = ScreenHarness::new(running_beside());
    let frame = harness.frame(80, 24);
    let title = frame.lines().find(|line| line.contains("╭ shell  $ cargo build"));
    assert!(title.is_some_and(|title| title.contains(" s ╮")), "{frame}");
    assert!(
        frame.contains("crate-39") && frame.contains("crate-38") && !frame.contains("crate-37"),
        "{frame}"
    );
    let said = line(&mut harness, (80, 24));
    assert!(
        said.contains("1 running ") && said.contains("for you: 1 call · keys go to your message"),
        "{said}"
    );
    assert!(line(&mut harness, (120, 40)).contains(" · Waiting for you: 1 call"), "{said}");
    assert!(line(&mut harness, (40, 10)).contains("1 call"), "{said}");
    assert!(harness.local.moves(&harness.view));
    harness.builder.now += 125;
    assert_ne!(line(&mut harness, (80, 24)).chars().next(), said.chars().next(), "the sign moves");
    snapshot("running_beside_80x24", &frame);
    // That something runs is said with the keys at the call, too.
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    for is_early in [true, false] {
        let said = line(&mut harness, (80, 24));
        assert!(said.contains("1 running ") && said.contains("for you: 1 call · keys"), "{said}");
        assert_eq!(said.contains("in a moment"), is_early, "{said}");
        harness.waits(1_000);
    }
    let said = line(&mut harness, (60, 24));
    assert!(said.contains("1 running · 1 call · keys: this call"), "{said}");
    // With the keys elsewhere the box is as high as before.
    let mut running = ScreenHarness::new(scenes::running());
    assert!(!running.frame(80, 24).contains("running "), "nothing waits");
}

#[test]
fn a_card_with_the_keys_is_no_alarm() {
    let mut harness = ScreenHarness::new(scenes::running());
    harness.theme = Theme::builtin("countersign-dark").unwrap();
    harness.frame(80, 24);
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    let frame = harness.frame(80, 24);
    let said =
        frame.lines().find(|line| line.contains("keys go to this card")).unwrap_or_else(|| panic!("{frame}"));
    assert!(said.contains("Running cargo build") && !said.contains('●'), "{said}");
    let drawn = harness.buffer(80, 24);
    let row = (0..24).find(|y| frame.lines().nth(usize::from(*y)) == Some(said)).unwrap();
    assert!((0..80).all(|x| drawn[(x, row)].style().fg != harness.theme.warning.fg), "{said}");
    let last = frame.trim_end().lines().last().unwrap();
    assert!(last.contains("c copy command") && !last.contains("copy code"), "{last}");
}

#[test]
fn a_refusal_is_wrapped_so_that_what_to_do_next_is_read() {
    let why = "refused: the file notes.txt is larger than the 400 KB that the files of a message may have together: name the \
        lines that matter, as in @notes.txt#L10-40, or let the model read it in parts";
    for scene in [scenes::conversation(), scenes::waiting_command(), scenes::running()] {
        let mut harness = ScreenHarness::new(scene);
        harness.local.hint = Some(why.to_owned());
        for (width, height) in [(80, 24), (60, 20)] {
            let frame = harness.frame(width, height);
            let words = frame.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.contains("as in @notes.txt#L10-40"), "{frame}");
        }
        let low = harness.frame(40, 10);
        assert!(low.contains("refused: the file note"), "{low}");
        // Of what is longer still, the end is cut, and says so.
        harness.local.hint = Some("a long word ".repeat(100));
        for (height, most) in [(24, 8), (15, 4)] {
            let frame = harness.frame(80, height);
            let rows = frame.lines().filter(|line| line.contains("a long word")).count();
            // Beside what waits for the person there may be room for less.
            assert!(rows == most || (rows < most && frame.contains("waits for you")), "{frame}");
            assert!(frame.contains('…'), "{frame}");
        }
    }
}

/// Words as they are told from each other: without what stands around them.
fn words_of(text: &str) -> Vec<&str> {
    text.split_whitespace().map(|word| word.trim_matches([',', ':', '(', ')'])).collect()
}

#[test]
fn no_word_is_cut_on_a_narrow_screen() {
    let scenes: [fn() -> SessionBuilder; 9] = [
        scenes::running,
        scenes::waiting_command,
        scenes::waiting_diff,
        scenes::retrying,
        scenes::compacting,
        scenes::growing,
        scenes::hosted_growing,
        scenes::queued,
        running_beside,
    ];
    for scene in scenes {
        for (is_shut, tabs) in [(false, 0), (false, 1), (true, 0)] {
            let mut harness = ScreenHarness::new(scene());
            if is_shut {
                let why = "no space left on device".to_owned();
                harness.local.shut = Some(Unwritable { why, entries: 3, said: Vec::new() });
            }
            for _ in 0..tabs {
                harness.frame(120, 40);
                harness.key(KeyCode::Tab, KeyModifiers::NONE);
            }
            let whole = line(&mut harness, (120, 40));
            let known: Vec<&str> =
                words_of(&whole).into_iter().map(|word| word.trim_end_matches('…')).collect();
            for width in 40..=60 {
                let narrow = line(&mut harness, (width, 12));
                // Of a path any part is left out, and a sign stands there.
                let cut = words_of(&narrow).into_iter().filter_map(|word| word.strip_suffix('…'));
                for word in cut.filter(|word| !word.is_empty() && !word.contains('…')) {
                    // Folders before a name may be left out, too.
                    let is_whole = |known: &&str| *known == word || known.ends_with(&format!("/{word}"));
                    assert!(known.iter().any(is_whole), "{width}: {word:?} is cut\n{narrow}\n{whole}");
                }
            }
        }
    }
}

/// The message itself is back in the composer, which has the rows that it needs.
#[test]
fn what_to_do_about_a_message_that_does_not_fit_is_in_sight_on_the_lowest_screen() {
    let spec = ModelSpec { window: 8_000, ..ModelSpec::unknown(ModelRef::parse("anthropic/claude-test")) };
    let (what, next) = no_room_for_message(&spec, 2_800, 5_000).unwrap();
    for scene in [scenes::conversation(), scenes::running()] {
        let mut harness = ScreenHarness::new(scene);
        harness.local.composer.replace(&"a long message ".repeat(200));
        harness.local.hint = Some(format!("{what}: {next}"));
        let frame = harness.frame(40, 10);
        let words = frame.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("context window: shorten it"), "{frame}");
        let high = harness.frame(80, 24).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            high.contains("shorten it (about 5,000 tokens;") && high.contains("room for 4,944"),
            "{high}"
        );
    }
}

#[test]
fn a_message_stands_beside_what_waits_for_the_person() {
    for (width, height) in [(40, 10), (80, 24), (120, 40)] {
        let mut harness = ScreenHarness::new(scenes::waiting_command());
        let before = harness.frame(width, height);
        harness.local.hint = Some("too soon: press again".to_owned());
        let frame = harness.frame(width, height);
        assert!(frame.contains("3 calls · too soon: press again"), "{frame}");
        let box_of = |frame: &str| frame.lines().filter(|line| line.contains('│')).count();
        assert_eq!(box_of(&before), box_of(&frame), "what was read stays where it was");
        harness.local.hint = Some("57 rows unseen: press again".to_owned());
        let frame = harness.frame(width, height);
        assert!(frame.contains("● 3") || frame.contains("Waiting for you: 3 calls"), "{frame}");
        assert!(frame.contains("· 57 rows unseen: press again"), "{frame}");
        harness.local.hint = Some(format!("a long message {}, and its end", "that goes on ".repeat(12)));
        let frame = harness.frame(width, height);
        assert!(frame.contains("● 3") || frame.contains("Waiting for you: 3 calls"), "{frame}");
        assert!(frame.contains("a long message"), "{frame}");
        assert!(height < 16 || frame.contains("and its end"), "{frame}");
    }
}

#[test]
fn files_that_are_read_are_named_with_their_time_and_how_to_stop() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.waits(5_000);
    harness.frame(80, 24);
    reply(&mut harness.local, &harness.view, Reply::Reading(true));
    harness.waits(3_000);
    let frame = harness.frame(80, 24);
    assert!(frame.contains("Reading files… 3 s") && frame.contains("esc interrupt"), "{frame}");
    let acts = harness.key(KeyCode::Esc, KeyModifiers::NONE);
    assert_eq!(acts, [UiEffect::Ask(Request::StopReading)]);
    reply(&mut harness.local, &harness.view, Reply::Reading(false));
    let frame = harness.frame(80, 24);
    assert!(frame.contains("Ready") && !frame.contains("Reading files"), "{frame}");
}
