//! Going back to before a message: the ways in lines, the list on the screen, and what is said of it.

use countersign::agent::Event;
use countersign::ledger::{CallId, Change, Ending, EntryId, FilesRestored, Millis, Remark};
use countersign::ui::linear::LinearEffect;
use countersign::ui::local::Overlay;
use countersign::ui::picker::{Choice, Picker};
use countersign::ui::picker_source::Source;
use countersign::ui::replies::reply;
use countersign::ui::undo_preview::UndoPreview;
use countersign::ui::update::UiEffect;
use countersign::ui::{Reply, Request};

use crate::linear_harness::LinearHarness;
use crate::scenes;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::{SessionBuilder, view};

fn two_messages() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("first");
    builder.user("//help me");
    builder
}

/// The entry of the second message.
fn second(builder: &SessionBuilder) -> EntryId {
    let mut entries = builder.events.iter().rev().filter_map(|event| match event {
        Event::Appended(entry) if entry.body.kind() == "user_message" => Some(entry.id),
        _ => None,
    });
    entries.next().unwrap()
}

#[test]
fn lines_offer_the_conversation_the_files_or_both() {
    let builder = two_messages();
    let message = second(&builder);
    let mut linear = LinearHarness::new(builder);
    linear.types("/rewind");
    assert!(linear.said.contains("message 2, just now: //help me\n"), "{}", linear.said);
    assert!(linear.types("/rewind 2").is_empty());
    for way in
        ["conversation: the conversation;", "files: the files;", "both: the conversation and the files;"]
    {
        assert!(linear.said.contains(&format!("/rewind 2 {way}")), "{way}: {}", linear.said);
    }
    let asks = |request| [LinearEffect::Ask(request)];
    assert_eq!(linear.types("/rewind 2 conversation"), asks(Request::Rewind(message)));
    assert_eq!(linear.types("/rewind 2 files"), asks(Request::PlanUndo(Some(message))));
    assert!(linear.types("/rewind 2 all").is_empty() && linear.said.contains("conversation, files or both"));
    assert_eq!(linear.talk.draft(message).content, "//help me", "what goes on there is said as it was typed");
}

fn plan() -> UndoPreview {
    let files = vec![("a.txt".to_owned(), "restored".to_owned())];
    UndoPreview { since: CallId(1), files, commands: Vec::new(), is_refused: false }
}

#[test]
fn both_in_lines_puts_the_files_back_first() {
    let builder = two_messages();
    let message = second(&builder);
    let mut linear = LinearHarness::new(builder);
    linear.types("/rewind");
    assert_eq!(linear.types("/rewind 2 both"), [LinearEffect::Ask(Request::PlanUndo(Some(message)))]);
    // It was typed before the plan was written, or right after that.
    let mut soon = linear.line("/undo yes", linear.questions);
    linear.talk.reply(Reply::Undo(Ok(plan())));
    assert_eq!(linear.talk.line(&soon), []);
    linear.writes();
    assert_eq!(linear.hears_line(&soon), [], "nobody had read it");
    (soon.typed, soon.at) = (linear.questions, linear.clock + std::time::Duration::from_millis(499));
    assert_eq!(linear.hears_line(&soon), []);
    assert!(linear.said.contains("not undone: /undo yes came right after the plan"), "{}", linear.said);
    let acts = linear.types("/undo yes");
    assert!(matches!(acts.as_slice(), [LinearEffect::Ask(Request::Restore { .. })]), "{acts:?}");
    assert!(linear.kept.is_empty());
    let (since, none) = (CallId(1), Vec::new());
    let done = FilesRestored { since, restored: none.clone(), deleted: none.clone(), left: none };
    linear.builder.remark(Remark::Change(Change::FilesRestored(done)));
    linear.hears();
    assert_eq!(linear.kept, [Request::Rewind(message)]);
    // Where no file was changed, the conversation alone can.
    linear.types("/rewind 2 both");
    linear.talk.reply(Reply::NothingToUndo);
    linear.writes();
    assert!(linear.said.contains("/rewind 2 conversation takes back the conversation"), "{}", linear.said);
}

#[test]
fn a_custom_command_stands_once_and_only_if_it_sent_something() {
    let mut builder = SessionBuilder::new();
    builder.user("first");
    builder.end(Ending::Completed);
    builder.custom_command("fix this", "false");
    builder.custom_command("fix that", "ls");
    let called = second(&builder);
    builder.user("fix that");
    let picker = Picker::rewind(&ScreenHarness::new(builder).view, Millis(0));
    let words: Vec<&str> = picker.items.iter().map(|item| item.words.as_str()).collect();
    assert_eq!(words, ["fix that", "first"]);
    assert_eq!(picker.items[0].choice, Choice::Rewind(called), "before what it runs");
}

#[test]
fn the_confirmation_names_the_message_in_words() {
    let view = ScreenHarness::new(crate::scenes::conversation()).view;
    assert_eq!(plan().words(&view), "undo what was done to 1 file since “Why does the parser reject em…”");
}

#[test]
fn the_list_says_when_and_the_confirmation_is_called_a_rewind() {
    let builder = two_messages();
    let mut harness = ScreenHarness::new(builder);
    let now = Millis(harness.builder.now + 2 * 3_600_000);
    harness.local.overlay = Some(Overlay::Picker(Picker::rewind(&harness.view, now)));
    let frame = harness.frame(80, 24);
    assert!(frame.contains("2 h ago") && frame.contains("//help me") && !frame.contains(" e2"), "{frame}");
    for is_rewind in [false, true] {
        let picker = Picker { is_rewind, ..Picker::awaited(Source::Undo) };
        harness.local.overlay = Some(Overlay::Picker(picker));
        reply(&mut harness.local, &harness.view, Reply::Undo(Ok(plan())));
        let title = harness.frame(80, 24).lines().next().unwrap().trim().to_owned();
        assert!(title.starts_with(if is_rewind { "rewind " } else { "undo " }), "{title}");
    }
}

#[test]
fn an_undo_of_more_files_than_fit_is_read_to_its_end_first() {
    let files: Vec<_> = (0..9).map(|at| (format!("file-{at}.txt"), "deleted".to_owned())).collect();
    let view = view(&scenes::conversation().events);
    let plan = UndoPreview { since: CallId(3), files, commands: Vec::new(), is_refused: false };
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.local.overlay = Some(Overlay::Picker(Picker::undo(plan, None, &view)));
    let mut keys = 0;
    loop {
        let shown = harness.frame(40, 10);
        let is_at_its_end = shown.contains("file-8.txt");
        assert_eq!(shown.contains("do it"), is_at_its_end, "{shown}");
        harness.waits(1_000);
        let taken = harness.press("y");
        if is_at_its_end {
            assert!(matches!(taken.as_slice(), [UiEffect::Ask(Request::Restore { .. })]), "{taken:?}");
            break;
        }
        assert!(taken.is_empty(), "{shown}");
        keys += 1;
    }
    assert!(keys > 0);
}
