//! Images in the loop and its books: refused where nobody sees them, delivered while it runs, noted where they are left
//! out, counted, kept.

use std::sync::Arc;

use crate::pictures::image;
use countersign::agent::{Agent, Effect, Event, Input, Intent, Live, Settings};
use countersign::context::{build, estimate_tokens};
use countersign::ledger::{
    Arguments, AssistantMessage, Block, Body, CallId, Entry, EntryId, FORMAT_VERSION, Facts, Image, Injected,
    Injector, Ledger, Message, Millis, ModelRef, Outcome, SessionStarted, Settlement, Stop, ToolResult,
    ToolUse, Usage, UserMessage, recover,
};
use countersign::model::{Abilities, FailureClass, ModelEvent, ModelFailure, ModelNews, ModelSpec, Request};
use countersign::tool::{Preparation, SideEffect, ToolKind, ToolNews, ToolReport, ToolSpec};
use countersign::view::{View, ViewSettings, one_line};
use countersign::wire::record::{decode, encode, without_images};
use proptest::prelude::*;

/// An agent, and what it wanted so far.
struct AgentFixture {
    agent: Agent,
    now: u64,
    wanted: Vec<Effect>,
}

fn spec(name: &str, sight: Option<bool>) -> ModelSpec {
    let abilities = Abilities { vision: sight, ..Abilities::default() };
    ModelSpec { abilities, ..ModelSpec::unknown(ModelRef::parse(name)) }
}

impl AgentFixture {
    fn new(first: ModelSpec, fallback: Vec<ModelSpec>) -> Self {
        let read = ToolSpec {
            name: "read".into(),
            description: String::new(),
            schema: serde_json::json!({}),
            effect: SideEffect::Reads,
            paths: vec![],
            timeout_ms: None,
            kind: ToolKind::Plain,
            retrieves: false,
        };
        let settings = Settings { tools: vec![read], fallback, ..Settings::new(first) };
        Self { agent: Agent::new(settings), now: 1_000, wanted: Vec::new() }
    }

    fn step(&mut self, input: Input) {
        self.now += 10;
        self.wanted = self.agent.step(Millis(self.now), input);
    }

    fn says(&mut self, content: &str, images: Vec<Image>) {
        self.step(Input::Intent(Intent::Submit(UserMessage { images, ..UserMessage::text(content) })));
    }

    fn call(&self) -> (EntryId, Request) {
        let call =
            |e: &Effect| if let Effect::CallModel(id, r) = e { Some((*id, (**r).clone())) } else { None };
        self.wanted.iter().find_map(call).unwrap()
    }

    fn answers(&mut self, events: Vec<ModelEvent>) {
        let (message, _) = self.call();
        for event in events {
            self.step(Input::Model(message, ModelNews::Event(event)));
        }
        self.step(Input::Model(message, ModelNews::Finished));
    }

    /// Why something was refused, and the words that came back.
    fn refused(&self) -> Option<(String, Vec<String>)> {
        let live = |pick: &dyn Fn(&Live) -> bool| {
            let found = |e: &Effect| if let Effect::Emit(live) = e { Some(live.clone()) } else { None };
            self.wanted.iter().filter_map(found).find(|live| pick(live))
        };
        match (live(&|l| matches!(l, Live::Refused(_))), live(&|l| matches!(l, Live::Returned(_)))) {
            (Some(Live::Refused(why)), Some(Live::Returned(said))) => {
                Some((why, said.into_iter().map(|said| said.content).collect()))
            }
            _ => None,
        }
    }
}

/// The messages of the user, as the model gets them: words and names of images.
fn heard(request: &Request) -> Vec<(String, Vec<String>)> {
    let user = |m: &Message| match m {
        Message::User(said) => {
            Some((said.content.clone(), said.images.iter().map(|i| i.name.clone()).collect()))
        }
        _ => None,
    };
    request.messages.iter().filter_map(user).collect()
}

fn said(words: &str, images: &[&str]) -> (String, Vec<String>) {
    (words.to_owned(), images.iter().map(|name| (*name).to_owned()).collect())
}

#[test]
fn a_model_that_is_known_not_to_see_is_sent_nothing() {
    let mut fixture = AgentFixture::new(spec("near/blind", Some(false)), vec![]);
    fixture.says("what is @a.png", vec![image("a.png", 3, 5)]);
    let (why, words) = fixture.refused().unwrap();
    let refusal = "near/blind does not support images: choose another model (/model, or -m), or remove a.png";
    assert_eq!(why, refusal);
    assert_eq!(words, ["what is @a.png"]);
    assert!(fixture.agent.ledger().entries().is_empty() && fixture.agent.is_idle(), "nothing is written");
    fixture.says("then in words", vec![]);
    assert_eq!(heard(&fixture.call().1), [said("then in words", &[])]);
    fixture.says("or this: @a.png", vec![image("a.png", 3, 5)]);
    assert!(fixture.refused().is_some(), "while it runs, too");
    fixture.step(Input::Intent(Intent::Queue(UserMessage {
        images: vec![image("a.png", 3, 5)],
        ..UserMessage::text("later @a.png")
    })));
    assert_eq!(fixture.refused().unwrap().1, ["later @a.png"]);
}

#[test]
fn a_model_that_nobody_knows_is_shown_the_image() {
    for sight in [None, Some(true)] {
        let mut fixture = AgentFixture::new(spec("near/model", sight), vec![]);
        fixture.says("what is @a.png", vec![image("a.png", 3, 5)]);
        assert_eq!(heard(&fixture.call().1), [said("what is @a.png", &["a.png"])]);
    }
}

#[test]
fn what_is_shown_while_it_runs_arrives_with_the_results() {
    let mut fixture = AgentFixture::new(spec("near/model", None), vec![]);
    fixture.says("look", vec![]);
    let (message, _) = fixture.call();
    let call = ModelEvent::CallStarted { index: 0, wire_id: "w".into(), name: "read".into() };
    fixture.step(Input::Model(message, ModelNews::Event(call)));
    fixture.says("like @b.png", vec![image("b.png", 3, 5)]);
    fixture.step(Input::Model(message, ModelNews::Finished));
    let id = fixture.wanted.iter().find_map(|e| if let Effect::Prepare(c) = e { Some(c.call) } else { None });
    fixture.step(Input::Prepared(id.unwrap(), Preparation::default()));
    let done = ToolReport {
        outcome: countersign::ledger::Outcome::Ok,
        content: "seen".into(),
        written: None,
        cut_chars: 0,
        facts: Facts::default(),
        images: vec![],
        transient: false,
        refused: false,
        remote: None,
        is_unsent: false,
    };
    fixture.step(Input::Tool(id.unwrap(), ToolNews::Done(Box::new(done))));
    assert_eq!(heard(&fixture.call().1), [said("look", &[]), said("like @b.png", &["b.png"])]);
    let kept = fixture.agent.ledger().entries().iter().find_map(|e| match &e.body {
        Body::Injected(injected) => Some(injected.shown()),
        _ => None,
    });
    assert_eq!(kept.unwrap(), format!("like @b.png\n{}", image("b.png", 3, 5).label()));
}

#[test]
fn a_fallback_that_cannot_see_reads_a_note_and_the_ledger_keeps_the_image() {
    let mut fixture = AgentFixture::new(spec("near/sees", None), vec![spec("near/blind", Some(false))]);
    fixture.says("what is @a.png", vec![image("a.png", 640, 480)]);
    let (message, first) = fixture.call();
    assert_eq!(heard(&first), [said("what is @a.png", &["a.png"])]);
    let gone = ModelFailure::new(FailureClass::UnknownModel, "gone");
    fixture.step(Input::Model(message, ModelNews::Failed(gone)));
    let (_, second) = fixture.call();
    assert_eq!(second.model, ModelRef::parse("near/blind"));
    let bytes = image("a.png", 640, 480).bytes();
    let note = format!(
        "what is @a.png\n[image: a.png · 640×480 · {bytes} B, omitted: this model does not support images]"
    );
    assert_eq!(heard(&second), [said(&note, &[])]);
    let shown = |e: &&Arc<Entry>| matches!(&e.body, Body::User(said) if said.images.len() == 1);
    assert_eq!(fixture.agent.ledger().entries().iter().filter(shown).count(), 1);
    fixture.answers(vec![ModelEvent::Text("A cat?".into())]);
    fixture.says("look again", vec![]);
    assert_eq!(
        heard(&fixture.call().1)[0],
        said("what is @a.png", &["a.png"]),
        "the first model sees it again"
    );
}

#[test]
fn a_summary_keeps_what_the_user_showed_last() {
    let mut fixture = AgentFixture::new(spec("near/model", None), vec![]);
    fixture.says("old @a.png", vec![image("a.png", 3, 5)]);
    fixture.answers(vec![ModelEvent::Text("Old.".into())]);
    fixture.says("new @b.png", vec![image("b.png", 3, 5)]);
    fixture.answers(vec![ModelEvent::Text("New.".into())]);
    fixture.step(Input::Intent(Intent::Compact));
    fixture.answers(vec![ModelEvent::Text("Two pictures.".into())]);
    fixture.says("and?", vec![]);
    let heard = heard(&fixture.call().1);
    assert!(heard[0].0.contains("Two pictures.") && heard[0].1.is_empty(), "{heard:?}");
    assert_eq!(
        heard[1..],
        [said("new @b.png", &["b.png"]), said("and?", &[])],
        "the last exchange stays as it was"
    );
}

#[test]
fn an_image_counts_in_the_estimate_however_large_it_says_to_be() {
    let size = |images: Vec<Image>| {
        let mut fixture = AgentFixture::new(spec("near/model", None), vec![]);
        fixture.says("what", images);
        estimate_tokens(&fixture.call().1)
    };
    let none = size(vec![]);
    assert_eq!(size(vec![image("a.png", 640, 480)]) - none, 410);
    assert_eq!(size(vec![image("a.png", u32::MAX, u32::MAX); 20]) - none, 20 * Image::MOST_TOKENS);
}

#[test]
fn people_see_a_line_for_each_image_and_never_its_bytes() {
    let shown = UserMessage { images: vec![image("a.png", 640, 480)], ..UserMessage::text("what is @a.png") };
    let data = Arc::clone(&shown.images[0].data);
    let entry = Arc::new(Entry { id: EntryId(2), at: Millis(1), body: Body::User(Arc::new(shown)) });
    let line = one_line(&entry);
    assert!(line.starts_with("what is @a.png [image: a.png · 640×480 · "), "{line}");
    let told = without_images(&entry);
    assert_eq!(told["images"][0]["width"], 640);
    assert!(told["images"][0]["bytes"].as_u64().unwrap() > 50 && !told.to_string().contains(&*data));
    assert_eq!(encode(&entry)["images"][0]["data"], *data);
    assert_eq!(encode(&entry)["content"], "what is @a.png", "the words stay the words");
    let mut view = View::new(ViewSettings {
        model: "near/model".into(),
        cwd: "~".into(),
        window: 1,
        ..ViewSettings::unknown()
    });
    view.fold(&Event::Appended(entry));
    assert!(!format!("{view:?}").contains(&*data));
}

#[test]
fn a_record_with_half_an_image_names_the_field() {
    let body =
        Body::User(Arc::new(UserMessage { images: vec![image("a.png", 3, 5)], ..UserMessage::text("x") }));
    let whole = encode(&Entry { id: EntryId(2), at: Millis(1), body });
    for (field, says) in [("data", "is missing"), ("name", "is missing"), ("height", "is missing")] {
        let mut broken = whole.clone();
        broken["images"][0].as_object_mut().unwrap().remove(field);
        let fault = decode(&broken).unwrap_err().to_string();
        assert!(fault.contains(field) && fault.contains(says), "{fault}");
    }
    let mut none = whole;
    none.as_object_mut().unwrap().remove("images");
    assert_eq!(decode(&none).unwrap().body, Body::User(Arc::new("x".into())), "an older record");
}

/// A session whose user asks to look, and whose `read` shows these images, one result each.
fn looked(images: Vec<Image>, last: Outcome) -> Ledger {
    let mut ledger = Ledger::default();
    let (session, cwd, system) = ("s".into(), "/".into(), String::new());
    let model = ModelRef::parse("near/model");
    let (version, mode, forked_from) = (FORMAT_VERSION, None, None);
    ledger.start(Millis(0), SessionStarted { session, cwd, model, version, system, mode, forked_from });
    ledger.user(Millis(1), "look".into()).unwrap();
    let id = ledger.reserve();
    let call = |ledger: &mut Ledger| ToolUse {
        id: ledger.mint_call(),
        wire_id: String::new(),
        name: "read".into(),
        arguments: Arguments::parse("{}"),
    };
    let blocks = images.iter().map(|_| Block::ToolUse(call(&mut ledger))).collect();
    let (model, usage) = (ModelRef::parse("near/model"), Usage::default());
    let said = AssistantMessage { id, model, blocks, stop: Stop::ToolUse, usage, interrupted: false };
    let open = ledger.assistant(Millis(2), said).unwrap();
    let most = open.len();
    for (at, (token, image)) in open.into_iter().zip(images).enumerate() {
        let outcome = if at + 1 == most { last.clone() } else { Outcome::Ok };
        let ending = Settlement::synthetic(outcome, "seen");
        ledger.settle(Millis(3), token, Settlement { images: vec![image], ..ending });
    }
    ledger
}

/// The results as a model gets them: words, and how many images.
fn results(ledger: &Ledger, sight: Option<bool>) -> Vec<(String, usize)> {
    let request = build(ledger, "", vec![], &spec("near/model", sight), None).unwrap();
    let told = request.messages.iter().flat_map(|message| match message {
        Message::Results(results) => results.iter().map(|r| (r.content.clone(), r.images.len())).collect(),
        _ => Vec::new(),
    });
    told.collect()
}

#[test]
fn a_result_shows_its_image_to_who_can_see_and_a_note_to_who_cannot() {
    let ledger = looked(vec![image("a.png", 640, 480)], Outcome::Ok);
    assert_eq!(results(&ledger, Some(true)), [("seen".to_owned(), 1)]);
    let facts = image("a.png", 640, 480).facts();
    let note = format!("seen\n[{facts}, omitted: this model does not support images]");
    assert_eq!(results(&ledger, Some(false)), [(note, 0)]);
    let unsure = results(&ledger, None);
    assert!(
        unsure[0].1 == 0 && unsure[0].0.contains("it is not known whether this model supports images"),
        "{unsure:?}"
    );
    assert_eq!(results(&ledger, Some(true)), [("seen".to_owned(), 1)], "the ledger keeps it");
    let failed = looked(vec![image("a.png", 640, 480)], Outcome::Failed);
    assert_eq!(results(&failed, Some(true)), [("seen".to_owned(), 0)], "providers take no images in errors");
    let size = |ledger: &Ledger| {
        estimate_tokens(&build(ledger, "", vec![], &spec("near/model", Some(true)), None).unwrap())
    };
    assert_eq!(size(&ledger) - size(&failed), 410, "it counts as one of the user's does");
}

#[test]
fn what_a_request_cannot_carry_is_left_out_and_what_was_sent_stays() {
    let kept = |images: &[Image]| {
        let told = results(&looked(images.to_vec(), Outcome::Ok), Some(true));
        let left_out =
            told.iter().filter(|(words, _)| words.contains("a request cannot contain this many images"));
        let kept: Vec<bool> = told.iter().map(|(_, images)| *images == 1).collect();
        assert_eq!(left_out.count(), kept.iter().filter(|kept| !**kept).count());
        kept
    };
    // Where there are more than twenty images, none may have more than 2,000 pixels a side.
    let (wide, small) = (image("wide.png", 3_000, 30), image("small.png", 3, 5));
    assert_eq!(kept(&vec![wide.clone(); 21]).iter().rposition(|kept| *kept), Some(19));
    let mixed = [vec![small.clone(); 20], vec![wide.clone(), small.clone()]].concat();
    assert_eq!(kept(&mixed)[19..], [true, false, true]);
    let mixed = [vec![wide], vec![small.clone(); 20]].concat();
    assert_eq!(kept(&mixed)[18..], [true, true, false]);
    assert_eq!(kept(&vec![small.clone(); 101])[98..], [true, true, false]);
    // 20 MB in all; a smaller one still finds room.
    let large = Image { data: "A".repeat(5_200_000).into(), ..small.clone() };
    let many = [vec![large; 6], vec![small]].concat();
    assert_eq!(kept(&many), [true, true, true, true, true, false, true]);
}

#[test]
fn a_crash_right_after_a_result_keeps_what_it_showed() {
    let ledger = looked(vec![image("a.png", 640, 480), image("b.png", 3, 5)], Outcome::Ok);
    let on_disk = ledger.entries().iter().map(|entry| Arc::new(decode(&encode(entry)).unwrap()));
    let read = on_disk.take(ledger.entries().len() - 1).collect();
    let recovered = recover(read, Millis(9)).unwrap();
    let told = results(&recovered.ledger, Some(true));
    assert_eq!(told[0], ("seen".to_owned(), 1));
    assert_eq!(told[1].1, 0, "nothing is made up for the other");
}

proptest! {
    #[test]
    fn every_image_survives_its_line(
        content in any::<String>(),
        name in any::<String>(),
        media_type in any::<String>(),
        data in any::<String>(),
        size in proptest::option::of(any::<(u32, u32)>()),
        place in 0..3_u8,
    ) {
        let images = vec![Image { name, media_type, data: data.into(), size }];
        let body = if place == 0 {
            let (call, outcome) = (CallId(3), Outcome::Ok);
            let (name, written, duration_ms, cut_chars) = ("read".into(), None, 1, 2);
            Body::ToolResult(Arc::new(ToolResult {
                call,
                name,
                outcome,
                content,
                written,
                duration_ms,
                cut_chars,
                facts: Facts::default(),
                images,
            }))
        } else if place == 1 {
            Body::Injected(Injected { images, ..Injected::text(Injector::Steering, content) })
        } else {
            Body::User(Arc::new(UserMessage { images, ..UserMessage::text(content) }))
        };
        let entry = Entry { id: EntryId(7), at: Millis(7), body };
        let read = serde_json::from_str(&encode(&entry).to_string()).unwrap();
        prop_assert_eq!(decode(&read).unwrap(), entry);
    }
}
