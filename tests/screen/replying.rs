//! What the session answers to the screen: lists that were asked for, words that come back.

use crate::scenes;
use crate::screen_harness::{ScreenHarness, snapshot};
use countersign::ledger::{CallId, EntryId, Pastes, UserMessage};
use countersign::ui::local::Overlay;
use countersign::ui::pending_model::PendingModel;
use countersign::ui::picker::{Choice, Picker};
use countersign::ui::picker_source::Source;
use countersign::ui::replies::{reply, wanted_preview};
use countersign::ui::undo_preview::UndoPreview;
use countersign::ui::update::UiEffect;
use countersign::ui::{EarlierSession, ModelList, PreviewPart, Reply, Request};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

const NONE: KeyModifiers = KeyModifiers::NONE;

fn awaiting(source: Source) -> ScreenHarness {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.local.overlay = Some(Overlay::Picker(Picker::awaited(source)));
    harness
}

fn picker(harness: &ScreenHarness) -> Option<&Picker> {
    if let Some(Overlay::Picker(picker)) = &harness.local.overlay { Some(picker) } else { None }
}

fn session(id: &str) -> EarlierSession {
    EarlierSession { id: id.into(), words: format!("about {id}"), aside: "today".into() }
}

fn models() -> ModelList {
    let usable = vec![("a/b".to_owned(), "free".to_owned()), ("c/d".to_owned(), "dear".to_owned())];
    ModelList { usable, ..ModelList::default() }
}

fn answers() -> [(Source, Reply); 3] {
    let files = vec![("notes.txt".to_owned(), "restored".to_owned())];
    let offer = UndoPreview { since: CallId(3), files, commands: Vec::new(), is_refused: false };
    [
        (Source::Sessions, Reply::Sessions(vec![session("one"), session("two")])),
        (Source::Models, Reply::Models(models())),
        (Source::Undo, Reply::Undo(Ok(offer))),
    ]
}

#[test]
fn a_list_that_was_asked_for_opens_empty_and_is_filled() {
    for (source, answer) in answers() {
        let mut harness = awaiting(source);
        assert!(harness.frame(80, 24).contains("reading…"), "{source:?}");
        assert!(harness.key(KeyCode::Enter, NONE).is_empty(), "there is nothing to take");
        reply(&mut harness.local, &harness.view, answer);
        let picker = picker(&harness).unwrap();
        assert_eq!((picker.items.len(), picker.source, picker.is_awaited), (2, source, false));
        assert!(!harness.frame(80, 24).contains("reading…"));
    }
    snapshot("list_that_is_read_80x24", &awaiting(Source::Models).frame(80, 24));
}

#[test]
fn the_list_of_models_marks_the_current_one_and_says_what_cannot_be_used() {
    let mut harness = awaiting(Source::Models);
    let unusable = ["anthropic", "groq", "mistral", "xai"].map(|name| {
        let key = format!("{}_API_KEY", name.to_uppercase());
        format!("{name}: {key} is not set; export it")
    });
    let unusable = unusable.to_vec();
    let list = ModelList { answering: "a/b".to_owned(), unusable, ..models() };
    reply(&mut harness.local, &harness.view, Reply::Models(list));
    let frame = harness.frame(80, 24);
    let rows: Vec<&str> = frame.lines().map(str::trim).collect();
    assert!(rows[2].starts_with("› a/b ✓ ") && rows[3].starts_with("c/d "), "{frame}");
    let told = ["", "not usable", "anthropic: ANTHROPIC_API_KEY is not set; export it"];
    assert_eq!(rows[4..7], told, "{frame}");
    // It stays marked, and what cannot be used is never chosen.
    for _ in 0..5 {
        harness.key(KeyCode::Down, NONE);
    }
    let frame = harness.frame(80, 24);
    let rows: Vec<&str> = frame.lines().map(str::trim).collect();
    assert!(rows[2].starts_with("a/b ✓ ") && rows[3].starts_with("› c/d "), "{frame}");
    let low = harness.frame(40, 10);
    assert!(low.contains("not usable") && low.contains(" more: countersign models"), "{low}");
    harness.press("groq");
    let frame = harness.frame(80, 24);
    assert!(frame.contains("groq: GROQ_API_KEY") && !frame.contains("anthropic"), "{frame}");
}

#[test]
fn an_answer_opens_nothing_that_was_closed_and_fills_no_other_list() {
    for (source, answer) in answers() {
        let mut harness = awaiting(source);
        harness.key(KeyCode::Esc, NONE);
        reply(&mut harness.local, &harness.view, answer.clone());
        assert!(harness.local.overlay.is_none(), "{source:?}");
        let mut harness = awaiting(Source::Prompts);
        reply(&mut harness.local, &harness.view, answer.clone());
        assert!(picker(&harness).unwrap().items.is_empty(), "{source:?}");
        // One that is filled already is not filled twice: its lines would move under the chosen one.
        let mut harness = awaiting(source);
        reply(&mut harness.local, &harness.view, answer.clone());
        harness.key(KeyCode::Down, NONE);
        let before = picker(&harness).cloned();
        let empty = match answer {
            Reply::Sessions(_) => Reply::Sessions(Vec::new()),
            Reply::Models(_) => Reply::Models(ModelList::default()),
            _ => Reply::Undo(Err("too late".into())),
        };
        reply(&mut harness.local, &harness.view, empty);
        assert_eq!(picker(&harness).cloned(), before, "{source:?}");
    }
}

#[test]
fn why_there_is_no_undo_stands_in_the_status_line() {
    for answer in [Reply::Undo(Err("a run is under way".into())), Reply::Refused("a run is under way".into())]
    {
        let mut harness = awaiting(Source::Undo);
        reply(&mut harness.local, &harness.view, answer);
        assert!(harness.local.overlay.is_none());
        assert!(harness.frame(80, 24).contains("a run is under way"));
    }
}

#[test]
fn where_no_file_changed_the_conversation_can_still_be_taken_back() {
    let mut harness = awaiting(Source::Undo);
    let Some(Overlay::Picker(open)) = &mut harness.local.overlay else { panic!("a list is open") };
    open.rewinds = Some(EntryId(2));
    reply(&mut harness.local, &harness.view, Reply::NothingToUndo);
    assert!(harness.frame(80, 24).contains("take back the conversation; no file was changed"));
    assert_eq!(harness.key(KeyCode::Enter, NONE), [UiEffect::Ask(Request::Rewind(EntryId(2)))]);
    let mut harness = awaiting(Source::Undo);
    reply(&mut harness.local, &harness.view, Reply::NothingToUndo);
    assert!(harness.local.overlay.is_none());
    assert!(harness.frame(80, 24).contains("nothing to undo"));
}

#[test]
fn words_that_were_not_sent_come_back_before_what_is_typed() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.press("and then");
    reply(
        &mut harness.local,
        &harness.view,
        Reply::Returned { said: "look at @x.png".into(), why: "there is none".into() },
    );
    assert_eq!(harness.local.composer.text(), "look at @x.png\n\nand then");
    assert!(harness.frame(80, 24).contains("there is none"));
    // What was typed around a paste stays in sight: it may be what is to be corrected.
    let mut harness = ScreenHarness::new(scenes::conversation());
    let words = format!("see @gone.rs {} please", "line\n".repeat(5_000));
    let pastes = Pastes::of(&words, vec![(13, words.len() - 7)]);
    let said = UserMessage { pastes, ..words.as_str().into() };
    reply(&mut harness.local, &harness.view, Reply::Returned { said, why: "there is none".into() });
    let frame = harness.frame(80, 24);
    assert!(frame.contains("see @gone.rs [Pasted 5,000 lines] please"), "{frame}");
    assert_eq!(harness.local.composer.whole(), words);
}

#[test]
fn a_model_that_is_not_found_is_no_longer_looked_for() {
    let sought = |name: &str| Some(PendingModel::Sought(name.to_owned()));
    let answer = |name: &str| Reply::NoModel { name: name.to_owned(), why: "no key".into() };
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.local.next_model = sought("a/b");
    reply(&mut harness.local, &harness.view, answer("c/d"));
    assert_eq!(harness.local.next_model, sought("a/b"), "another one is looked for");
    assert_eq!(harness.local.composer.text(), "/model c/d");
    reply(&mut harness.local, &harness.view, answer("a/b"));
    assert_eq!(harness.local.next_model, None);
}

#[test]
fn a_preview_is_asked_for_once_and_belongs_to_its_session() {
    let mut harness = awaiting(Source::Sessions);
    assert_eq!(wanted_preview(&mut harness.local), None);
    reply(&mut harness.local, &harness.view, Reply::Sessions(vec![session("one"), session("two")]));
    assert_eq!(wanted_preview(&mut harness.local).as_deref(), Some("one"));
    assert_eq!(wanted_preview(&mut harness.local), None, "it is on its way");
    harness.key(KeyCode::Down, NONE);
    assert_eq!(wanted_preview(&mut harness.local).as_deref(), Some("two"));
    let lines = |of: &str| Reply::Preview {
        id: of.into(),
        parts: vec![PreviewPart::Answered(format!("last **words** of {of}"))],
    };
    reply(&mut harness.local, &harness.view, lines("one"));
    assert!(!harness.frame(120, 24).contains("last words"), "that one is not chosen any more");
    reply(&mut harness.local, &harness.view, lines("two"));
    assert!(harness.frame(120, 24).contains("last words of two"));
    assert!(
        matches!(picker(&harness).unwrap().current().unwrap().choice, Choice::Session(ref id) if id == "two")
    );
}
