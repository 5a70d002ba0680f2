//! What a model is shown of a long session, for every protocol: each request is the one before with more at its end, and
//! reasoning goes back only where nothing before it has changed.

use countersign::context;
use countersign::ledger::*;
use countersign::model::{ModelSpec, ToolDescription};
use countersign::wire::{Endpoint, Protocol};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

const PROTOCOLS: [Protocol; 3] = [Protocol::Anthropic, Protocol::OpenAiChat, Protocol::OpenAiResponses];

/// What happens next in a session.
#[derive(Debug, Clone)]
enum Step {
    /// The user speaks and the model answers; some of its parts may be missing.
    Answer {
        thinks: bool,
        says: bool,
        searches: bool,
        calls: u8,
        fails: bool,
    },
    /// The same, by another model of a fallback chain.
    Other {
        calls: u8,
    },
    Refusal,
    /// The provider pauses with a search in hand, and goes on when asked.
    Pause {
        says: bool,
    },
    /// Esc: with words, with finished reasoning alone, or with nothing.
    Interrupted(u8),
    /// A failed attempt: withdrawn, then tried again.
    Failure,
    Injected,
    /// A message of the user's that a hook refuses.
    Withdrawn,
    /// Edits that the product has and could have.
    Compaction,
    WithdrawnLater,
}

fn step() -> impl Strategy<Value = Step> {
    let yes = any::<bool>;
    prop_oneof![
        6 => (yes(), yes(), yes(), 0..4_u8, yes()).prop_map(|(thinks, says, searches, calls, fails)| {
            Step::Answer { thinks, says, searches, calls, fails }
        }),
        1 => (0..3_u8).prop_map(|calls| Step::Other { calls }),
        1 => Just(Step::Refusal),
        2 => yes().prop_map(|says| Step::Pause { says }),
        1 => (0..3_u8).prop_map(Step::Interrupted),
        1 => Just(Step::Failure),
        1 => Just(Step::Injected),
        1 => Just(Step::Withdrawn),
        1 => Just(Step::Compaction),
        1 => Just(Step::WithdrawnLater),
    ]
}

/// A request as a provider's cache sees it: blocks in order, each with its role; marks of the cache are no part of it.
type Flat = Vec<Value>;

struct Session {
    ledger: Ledger,
    now: u64,
    /// The last request of each protocol; empty after an edit, when nothing is left to be a beginning of.
    before: Vec<Flat>,
    /// What stood before each answer of ours, by the number that its reasoning is signed with.
    bound: Vec<Flat>,
    injected: Option<EntryId>,
}

fn ours() -> ModelRef {
    ModelRef::parse("p/ours")
}

impl Session {
    fn new() -> Self {
        let mut ledger = Ledger::default();
        let started = SessionStarted {
            session: "s".into(),
            cwd: "/".into(),
            model: ours(),
            version: FORMAT_VERSION,
            system: "Be brief.".into(),
            mode: None,
            forked_from: None,
        };
        ledger.start(Millis(0), started);
        let before = vec![Vec::new(); PROTOCOLS.len()];
        Self { ledger, now: 0, before, bound: Vec::new(), injected: None }
    }

    fn at(&mut self) -> Millis {
        self.now += 1;
        Millis(self.now)
    }

    fn user(&mut self) -> EntryId {
        let now = self.at();
        self.ledger.user(now, format!("Message {now:?}").into()).unwrap()
    }

    fn write(&mut self, model: ModelRef, blocks: Vec<Block>, stop: Stop, interrupted: bool) -> EntryId {
        let (now, id) = (self.at(), self.ledger.reserve());
        let message = AssistantMessage { id, model, blocks, stop, usage: Usage::default(), interrupted };
        let open = self.ledger.assistant(now, message).unwrap();
        for (place, call) in open.into_iter().enumerate() {
            let outcome = if place % 2 == 1 { Outcome::Ok } else { Outcome::Failed };
            // A long session shows more images of this size than a request carries.
            let images = vec![crate::pictures::image("a.png", 3_000, 30); place % 2];
            let ending = Settlement { images, ..Settlement::synthetic(outcome, "a result") };
            self.ledger.settle(now, call, ending);
        }
        id
    }

    fn withdraw(&mut self, target: EntryId) {
        let now = self.at();
        self.ledger.remark(now, Remark::Tombstone(Tombstone { target, reason: "test".into() }));
    }

    /// The number to sign reasoning with: that of the request which it answers.
    fn thinking(&self, text: &str) -> Block {
        let number = self.bound.len() - 1;
        let block = json!({ "type": "thinking", "thinking": text, "signature": number.to_string() });
        Block::Thinking(Thinking { text: text.into(), replay: Some(block) })
    }

    fn calls(&mut self, count: u8) -> Vec<Block> {
        let call = |_| {
            let (id, arguments) = (self.ledger.mint_call(), Arguments::parse("{\"path\":\"a\"}"));
            // Providers repeat their ids.
            Block::ToolUse(ToolUse { id, wire_id: "same".into(), name: "read".into(), arguments })
        };
        (0..count).map(call).collect()
    }

    fn play(&mut self, step: &Step) {
        match *step {
            Step::Answer { thinks, says, searches, calls, fails } => {
                self.user();
                if fails {
                    self.fail();
                }
                self.ask();
                let mut blocks = Vec::new();
                blocks.extend(thinks.then(|| self.thinking("Hm.")));
                blocks.extend(thinks.then(sealed));
                if searches {
                    blocks.extend(search(self.now));
                    blocks.extend([text("It rains."), cited("It rains.")]);
                }
                blocks.extend(says.then(|| text("I say.")));
                blocks.extend(self.calls(calls));
                self.write(ours(), blocks, Stop::End, false);
            }
            Step::Other { calls } => self.other(calls),
            Step::Refusal => {
                self.user();
                self.ask();
                let blocks = vec![self.thinking("No."), text("I cannot")];
                self.write(ours(), blocks, Stop::Refusal, false);
            }
            Step::Pause { says } => self.pause(says),
            Step::Interrupted(left) => {
                self.user();
                self.ask();
                let mut blocks = vec![self.thinking("Wait."), text("I was abo")];
                blocks.truncate(usize::from(left));
                self.write(ours(), blocks, Stop::Interrupted, true);
            }
            Step::Failure => {
                self.user();
                self.fail();
            }
            Step::Injected => {
                let now = self.at();
                let injected = Injected::text(Injector::Environment, format!("News {now:?}"));
                self.injected = Some(self.ledger.inject(now, injected).unwrap());
            }
            Step::Withdrawn => {
                let id = self.user();
                self.withdraw(id);
            }
            Step::Compaction => self.compact(),
            Step::WithdrawnLater => {
                if let Some(id) = self.injected.take() {
                    self.withdraw(id);
                    self.before.fill(Vec::new());
                }
            }
        }
    }

    fn other(&mut self, calls: u8) {
        self.user();
        let reasoning = json!({ "type": "thinking", "thinking": "?", "signature": "not ours" });
        let foreign = Thinking { text: "?".into(), replay: Some(reasoning) };
        let mut blocks = vec![Block::Thinking(foreign), text("Other words.")];
        blocks.extend(search(self.now));
        blocks.extend(self.calls(calls));
        self.write(ModelRef::parse("p/other"), blocks, Stop::End, false);
    }

    fn pause(&mut self, says: bool) {
        self.user();
        self.ask();
        let [call, result] = search(self.now);
        let mut blocks = vec![self.thinking("Search.")];
        blocks.extend(says.then(|| text("Searching.")));
        blocks.push(call);
        self.write(ours(), blocks, Stop::Pause, false);
        self.ask();
        let blocks = vec![result, self.thinking("So."), text("Found.")];
        self.write(ours(), blocks, Stop::End, false);
    }

    fn fail(&mut self) {
        self.ask();
        let blocks = vec![self.thinking("Half"), text("Half a")];
        let id = self.write(ours(), blocks, Stop::Interrupted, true);
        self.withdraw(id);
    }

    fn compact(&mut self) {
        let now = self.at();
        let replaces_to = self.ledger.last_id().unwrap();
        let made = Compaction {
            trigger: CompactionTrigger::Auto,
            replaces_to,
            summary: "What was said.".into(),
            model: ours(),
            usage: Usage::default(),
            tokens_before: 2,
            tokens_after: 1,
        };
        self.ledger.compact(now, made).unwrap();
        self.before.fill(Vec::new());
        self.injected = None;
    }

    /// The next request: in each protocol the last one, and more. Another model would be sent nobody's reasoning.
    fn ask(&mut self) {
        for (at, protocol) in PROTOCOLS.into_iter().enumerate() {
            let stranger = self.body(protocol, &ModelRef::parse("q/chosen")).to_string();
            for blob in ["signature", "\"sealed\"", "server_tool_use"] {
                assert!(!stranger.contains(blob), "{protocol:?}: another model reads {blob}: {stranger}");
            }
            let body = self.body(protocol, &ours());
            let flat = flat(&body);
            let before = &self.before[at];
            assert!(flat.starts_with(before), "{protocol:?}\n{before:#?}\nis no beginning of\n{flat:#?}");
            if protocol == Protocol::Anthropic {
                check_marks(&body);
                check_reasoning(&flat, &self.bound);
                self.bound.push(flat.clone());
            }
            self.before[at] = flat;
        }
    }

    fn body(&self, protocol: Protocol, model: &ModelRef) -> Value {
        let tool =
            |name: &str| ToolDescription::new(name.into(), "A tool.".into(), json!({ "type": "object" }));
        let mut spec = ModelSpec::unknown(model.clone());
        spec.abilities.vision = Some(true);
        let tools = vec![tool("read"), tool("write")];
        let request = context::build(&self.ledger, "Be brief.", tools, &spec, None).unwrap();
        let mut endpoint = Endpoint::new("http://127.0.0.1:1", None);
        if protocol != Protocol::OpenAiChat {
            endpoint.hosted_tools = vec!["web_search".into()];
        }
        serde_json::from_slice(&protocol.encode(&request, &endpoint).body).unwrap()
    }
}

fn text(words: &str) -> Block {
    Block::Text(words.into())
}

/// Reasoning as Responses seals it: each protocol sends its own alone.
fn sealed() -> Block {
    let item = json!({ "type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "sealed" });
    Block::Thinking(Thinking { text: String::new(), replay: Some(item) })
}

fn hosted(kind: &str, id: &str, value: Value) -> Block {
    Block::Hosted(Hosted { kind: kind.into(), name: "web_search".into(), id: id.into(), value })
}

fn search(number: u64) -> [Block; 2] {
    let id = format!("srv_{number}");
    let asked = json!({ "type": "server_tool_use", "id": id, "name": "web_search", "input": {} });
    let found = json!({ "type": "web_search_tool_result", "tool_use_id": id, "content": [] });
    [hosted("server_tool_use", &id, asked), hosted("web_search_tool_result", &id, found)]
}

fn cited(words: &str) -> Block {
    hosted(Hosted::CITATIONS, "", json!({ "type": "text", "text": words, "citations": [{ "url": "u" }] }))
}

/// Tools, system and blocks, in the order of the cache.
fn flat(body: &Value) -> Flat {
    let mut flat = vec![body["tools"].clone(), body["system"].clone(), body["instructions"].clone()];
    for message in body.get("messages").or(body.get("input")).and_then(Value::as_array).unwrap() {
        match message["content"].as_array() {
            Some(blocks) => flat.extend(blocks.iter().map(|block| json!([message["role"], block]))),
            None => flat.push(message.clone()),
        }
    }
    flat.iter_mut().for_each(without_marks);
    flat
}

fn without_marks(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("cache_control");
            members.values_mut().for_each(without_marks);
        }
        Value::Array(items) => items.iter_mut().for_each(without_marks),
        _ => {}
    }
}

/// At most four marks: on the last tool, the last block of the system prompt, and the ends of the last two messages of
/// the user's; none on reasoning, none on text without words.
fn check_marks(body: &Value) {
    let marked = |block: &Value| block.get("cache_control").is_some();
    let marks = body.to_string().matches("\"cache_control\":{").count();
    assert!(body["tools"].as_array().unwrap().last().is_some_and(marked));
    assert!(body["system"].as_array().unwrap().last().is_some_and(marked));
    let messages = body["messages"].as_array().unwrap();
    let ends: Vec<&Value> = messages
        .iter()
        .filter(|m| m["role"] == "user")
        .map(|m| m["content"].as_array().unwrap().last().unwrap())
        .collect();
    for end in ends.iter().rev().take(2) {
        assert!(marked(end) && end["type"] != "thinking" && end["text"] != "", "{end}");
    }
    assert_eq!(marks, 2 + ends.len().min(2), "{body:#}");
}

/// Reasoning is bound to all that came before it: what it was signed for must stand before it still.
fn check_reasoning(flat: &Flat, bound: &[Flat]) {
    for (at, block) in flat.iter().enumerate().filter(|(_, b)| b[1]["type"] == "thinking") {
        let number: usize = block[1]["signature"].as_str().unwrap().parse().expect("a signature of ours");
        assert!(
            flat[..at].starts_with(&bound[number]),
            "the history before block {at} was edited: {flat:#?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn a_long_session_only_grows_at_its_end(steps in vec(step(), 1..30)) {
        let mut session = Session::new();
        for step in &steps {
            session.play(step);
        }
        session.user();
        session.ask();
    }
}

/// Without edits nothing is lost: reasoning of a session that only grows is sent again, all of it.
#[test]
fn reasoning_goes_back_until_something_before_it_changes() {
    let count = |s: &Session| {
        flat(&s.body(Protocol::Anthropic, &ours())).iter().filter(|b| b[1]["type"] == "thinking").count()
    };
    let answer = Step::Answer { thinks: true, says: true, searches: false, calls: 1, fails: true };
    let mut session = Session::new();
    session.play(&answer);
    session.play(&Step::Injected);
    session.play(&answer);
    session.play(&Step::Pause { says: true });
    assert_eq!(count(&session), 4);
    // What stands before the withdrawn message is untouched; all that follows it loses its reasoning, at once.
    session.play(&Step::WithdrawnLater);
    assert_eq!(count(&session), 1);
    session.play(&answer);
    assert_eq!(count(&session), 2, "what is made after the edit is bound to the history as it is now");
    session.play(&Step::Compaction);
    assert_eq!(count(&session), 0);
}
