//! An agent that does what the first word of its task says, in either version of the protocol, and refuses what the official
//! SDK would refuse.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::{Value, json};

use super::site::{Asked, Reply, Site};
use super::way::Way;

/// What stands in the header `X-Key` of whoever may hand it tasks.
pub(crate) const KEY: &str = "key-123456789";

/// What a task does next.
#[derive(Clone)]
enum Step {
    State(&'static str, Option<String>),
    Make(&'static str, Vec<Value>, bool),
    /// Until it is cancelled.
    Hold,
    /// Ends, and tells nobody who does not ask.
    Hide,
}

#[derive(Clone)]
struct Task {
    id: String,
    steps: VecDeque<Step>,
    state: &'static str,
    message: Option<String>,
    artifacts: Vec<(&'static str, Vec<Value>)>,
}

impl Task {
    fn is_over(&self) -> bool {
        matches!(self.state, "completed" | "failed" | "canceled" | "rejected")
    }

    /// Takes the next step; what it tells. `None`: nothing happens until somebody does something.
    fn step(&mut self, way: Way) -> Option<Value> {
        let id = json!(self.id);
        match self.steps.front()?.clone() {
            Step::State(state, message) => {
                self.steps.pop_front();
                (self.state, self.message) = (state, message);
                let update = json!({ "taskId": id, "contextId": "c", "status": self.status(way) });
                Some(way.event("statusUpdate", "status-update", update))
            }
            Step::Make(artifact, parts, append) => {
                self.steps.pop_front();
                let made = json!({ "artifactId": artifact, "parts": way.parts(&parts) });
                match self.artifacts.iter_mut().find(|(id, _)| *id == artifact) {
                    Some((_, old)) if append => old.extend(parts),
                    Some((_, old)) => *old = parts,
                    None => self.artifacts.push((artifact, parts)),
                }
                let update = json!({ "taskId": id, "contextId": "c", "artifact": made, "append": append });
                Some(way.event("artifactUpdate", "artifact-update", update))
            }
            Step::Hide => {
                self.state = "completed";
                self.artifacts.push(("a", text("ready")));
                None
            }
            Step::Hold => None,
        }
    }

    fn status(&self, way: Way) -> Value {
        let message = self.message.as_ref().map(|words| way.said(words));
        json!({ "state": way.state(self.state), "message": message, "timestamp": "2026-11-22T00:00:00.000Z" })
    }

    fn whole(&self, way: Way) -> Value {
        let made = |(id, parts): &(&str, Vec<Value>)| json!({ "artifactId": id, "parts": way.parts(parts) });
        let artifacts: Vec<Value> = self.artifacts.iter().map(made).collect();
        let mut task =
            json!({ "id": self.id, "contextId": "c", "status": self.status(way), "artifacts": artifacts });
        if !way.is_new {
            task["kind"] = json!("task");
        }
        task
    }
}

fn text(words: &str) -> Vec<Value> {
    vec![json!({ "text": words })]
}

/// What a task of these words does.
fn steps(words: &str) -> Vec<Step> {
    let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
    let with = |state| Step::State(state, (!rest.is_empty()).then(|| rest.to_owned()));
    let working = Step::State("working", Some("on it".to_owned()));
    match verb {
        "echo" => {
            let (first, second) = rest.split_at(rest.len() / 2);
            vec![
                working,
                Step::Make("a", text(first), false),
                Step::Make("a", text(second), true),
                Step::State("completed", None),
            ]
        }
        "say" => vec![with("completed")],
        "fail" => vec![working, with("failed")],
        "reject" => vec![with("rejected")],
        "cancel" => vec![working, with("canceled")],
        "login" => vec![with("auth-required")],
        "ask" => vec![working, with("input-required")],
        "slow" => vec![working, Step::Hold],
        "stay" => vec![Step::Hold],
        "later" => steps(rest),
        "hide" => vec![working, Step::Hide],
        "give" => vec![
            Step::Make("a", vec![serde_json::from_str(rest).unwrap()], false),
            Step::State("completed", None),
        ],
        _ => vec![working, Step::Make("a", text(words), false), Step::State("completed", None)],
    }
}

/// What can be changed while it works.
#[derive(Default)]
struct ServerState {
    tasks: BTreeMap<String, Task>,
    /// The ids of messages, each of which may come once.
    messages: BTreeSet<String>,
    /// Messages are kept and not answered.
    is_mute: bool,
    /// Streams end after so many bytes.
    cut: Option<usize>,
}

/// The agent.
pub(crate) struct Agent {
    pub(crate) site: Site,
    shared: Arc<Shared>,
}

struct Shared {
    way: Way,
    tenant: Option<&'static str>,
    message: Option<&'static str>,
    server: Mutex<ServerState>,
    changed: Condvar,
}

impl Agent {
    /// One that is spoken to in this way; that wants this tenant named; and messages of this id alone, or each of another.
    pub(crate) fn of(way: Way, tenant: Option<&'static str>, message: Option<&'static str>) -> Self {
        let server = Mutex::default();
        let shared = Arc::new(Shared { way, tenant, message, server, changed: Condvar::new() });
        let (own, listener) = (shared.clone(), std::net::TcpListener::bind("127.0.0.1:0").unwrap());
        let url = format!("http://{}/rpc?k=1", listener.local_addr().unwrap());
        let site = Site::listening(listener, move |asked, reply| own.answer(asked, reply, &url));
        Self { site, shared }
    }

    /// Messages are not answered while it is so.
    pub(crate) fn mute(&self, is_mute: bool) {
        self.shared.server.lock().unwrap().is_mute = is_mute;
        self.shared.changed.notify_all();
    }

    /// Streams break off after so many bytes, and the tasks end meanwhile.
    pub(crate) fn cut_streams(&self, after: usize) {
        self.shared.server.lock().unwrap().cut = Some(after);
    }

    pub(crate) fn state(&self, task: &str) -> &'static str {
        self.shared.server.lock().unwrap().tasks[task].state
    }
}

type Refusal = (i64, &'static str);

impl Shared {
    fn answer(&self, asked: &Asked, reply: Reply, url: &str) {
        if asked.header("x-key") != Some(KEY) {
            return reply.whole("401 Unauthorized", b"");
        }
        if asked.method == "get" {
            return match asked.path.as_str() {
                "/.well-known/agent-card.json" => reply.json(&self.card(url)),
                _ => reply.whole("404 Not Found", b""),
            };
        }
        let id = asked.body["id"].clone();
        let whole = |result: Result<Value, Refusal>| match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err((code, message)) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        };
        if asked.path != "/rpc?k=1" {
            return reply.whole("404 Not Found", b"");
        }
        if let Err(refusal) = self.check(asked) {
            return reply.json(&whole(Err(refusal)));
        }
        let [send, get, cancel] = self.way.methods();
        match asked.rpc() {
            method if method == send => match self.take(&asked.body["params"]["message"]) {
                Err(refusal) => reply.json(&whole(Err(refusal))),
                Ok(Taken::Message(message)) if self.way.streams => {
                    let event = format!("data: {}\n\n", whole(Ok(message)));
                    reply.open("200 OK\r\ncontent-type: text/event-stream").write(event.as_bytes());
                }
                Ok(Taken::Message(message)) => reply.json(&whole(Ok(message))),
                Ok(Taken::Task(task)) if self.way.streams => {
                    self.stream(&task, reply, &|event| format!("data: {}\n\n", whole(Ok(event))));
                }
                Ok(Taken::Task(task)) => {
                    let whole_task = self.server.lock().unwrap().tasks[&task].whole(self.way);
                    reply.json(&whole(Ok(self.way.event("task", "task", whole_task))));
                }
            },
            method if method == get => reply.json(&whole(self.get(asked))),
            method if method == cancel => reply.json(&whole(self.cancel(asked))),
            _ => reply.json(&whole(Err((-32601, "Method not found")))),
        }
    }

    fn card(&self, url: &str) -> Value {
        let mut card = json!({
            "name": "The writer", "description": "Writes things.", "version": "2.1",
            "capabilities": { "streaming": self.way.streams },
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [{ "id": "w", "name": "Letters", "description": "Writes letters.", "tags": [] }],
        });
        if self.way.is_new {
            let mut interface = json!({ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" });
            if let Some(tenant) = self.tenant {
                interface["tenant"] = json!(tenant);
            }
            card["supportedInterfaces"] = json!([interface]);
        } else {
            card["url"] = json!(url);
            card["protocolVersion"] = json!("0.3.0");
            card["preferredTransport"] = json!("JSONRPC");
        }
        card
    }

    /// What every request must have.
    fn check(&self, asked: &Asked) -> Result<(), Refusal> {
        let version = asked.header("a2a-version").unwrap_or("0.3");
        if version != if self.way.is_new { "1.0" } else { "0.3" } {
            return Err((-32009, "Version not supported"));
        }
        let is_json = asked.header("content-type") == Some("application/json");
        if asked.body["jsonrpc"] != "2.0" || asked.body["id"].is_null() || !is_json {
            return Err((-32600, "Invalid request"));
        }
        let tenant = asked.body["params"].get("tenant").and_then(Value::as_str);
        if tenant != self.tenant { Err((-32602, "Invalid tenant")) } else { Ok(()) }
    }

    /// Whether a message has the id that it must have.
    fn is_named(&self, id: Option<&str>) -> bool {
        let is_new = |id: &str| self.server.lock().unwrap().messages.insert(id.to_owned());
        match (id, self.message) {
            (Some(id), Some(only)) => id == only,
            (Some(id), None) => !id.is_empty() && is_new(id),
            (None, _) => false,
        }
    }

    fn take(&self, message: &Value) -> Result<Taken, Refusal> {
        let (role, kind) =
            if self.way.is_new { ("ROLE_USER", None) } else { ("user", Some(&json!("message"))) };
        let part = &message["parts"][0];
        let part_kind = if self.way.is_new { None } else { Some(&json!("text")) };
        if !self.is_named(message["messageId"].as_str())
            || message["role"] != role
            || message.get("kind") != kind
        {
            return Err((-32602, "Invalid message"));
        }
        let Some(words) = part["text"].as_str().filter(|_| part.get("kind") == part_kind) else {
            return Err((-32602, "Invalid part"));
        };
        let mut server = self.server.lock().unwrap();
        server = self.changed.wait_while(server, |server| server.is_mute).unwrap();
        if let Some(id) = message.get("taskId") {
            let id = id.as_str().ok_or((-32602, "Invalid task id"))?;
            let task = server.tasks.get_mut(id).ok_or((-32001, "Task not found"))?;
            if task.is_over() {
                return Err((-32004, "The task is over"));
            }
            // Some take an answer in, and first say again how the task stood.
            if !words.starts_with("later ") {
                (task.state, task.message) = ("submitted", None);
            }
            task.steps = steps(words).into();
            return Ok(Taken::Task(id.to_owned()));
        }
        if let Some(words) = words.strip_prefix("answer ") {
            return Ok(Taken::Message(self.way.event("message", "message", self.way.said(words))));
        }
        if words == "refuse" {
            return Err((-32603, "no paper, key-123456789\u{1b}[2J"));
        }
        let id = format!("t-{}", server.tasks.len() + 1);
        let task = Task {
            id: id.clone(),
            steps: steps(words).into(),
            state: "submitted",
            message: None,
            artifacts: Vec::new(),
        };
        server.tasks.insert(id.clone(), task);
        Ok(Taken::Task(id))
    }

    /// Tells what the task does, as it does it.
    fn stream(&self, id: &str, reply: Reply, written: &dyn Fn(Value) -> String) {
        let mut reply = reply.open("200 OK\r\ncontent-type: text/event-stream");
        let mut server = self.server.lock().unwrap();
        let mut left = server.cut;
        let mut tell = |event: Value| {
            let event = written(event);
            let now = event.len().min(left.unwrap_or(usize::MAX));
            left = left.map(|left| left - now);
            reply.write(&event.as_bytes()[..now]);
            left != Some(0)
        };
        let mut goes_on = tell(self.way.event("task", "task", server.tasks[id].whole(self.way)));
        loop {
            let Some(task) = server.tasks.get_mut(id) else { return };
            match task.step(self.way) {
                Some(event) => goes_on = goes_on && tell(event),
                None if task.steps.is_empty() => return,
                None => server = self.changed.wait(server).unwrap(),
            }
        }
    }

    fn named<'d>(&self, asked: &Asked, server: &'d mut ServerState) -> Result<&'d mut Task, Refusal> {
        let id = asked.body["params"]["id"].as_str().unwrap_or_default();
        server.tasks.get_mut(id).ok_or((-32001, "Task not found"))
    }

    /// A task that nobody listens to takes a step whenever it is asked about.
    fn get(&self, asked: &Asked) -> Result<Value, Refusal> {
        let mut server = self.server.lock().unwrap();
        let task = self.named(asked, &mut server)?;
        task.step(self.way);
        Ok(task.whole(self.way))
    }

    fn cancel(&self, asked: &Asked) -> Result<Value, Refusal> {
        let mut server = self.server.lock().unwrap();
        let task = self.named(asked, &mut server)?;
        if task.is_over() {
            return Err((-32002, "Task cannot be canceled"));
        }
        task.steps = [Step::State("canceled", None)].into();
        task.step(self.way);
        self.changed.notify_all();
        Ok(task.whole(self.way))
    }
}

enum Taken {
    Task(String),
    Message(Value),
}
