//! An agent as KAOS's runtime (`pydantic-ai-server` 0.8.4) is on the wire: its card names localhost and 0.3, its methods are
//! neither those of 1.0 nor of 0.3, a message is answered when its task is over.

use std::sync::{Arc, Condvar, Mutex};

use serde_json::{Value, json};

use super::site::{Asked, Reply, Site};

/// What it answers, word for word.
pub(crate) const ANSWER: &str = "The worker did it.";

#[derive(Default)]
struct ServerState {
    tasks: Vec<Value>,
    /// Tasks are worked on until this is false, or they are cancelled.
    is_busy: bool,
}

struct Shared {
    server: Mutex<ServerState>,
    changed: Condvar,
}

/// The agent. Below `base`, as behind a gateway.
pub(crate) struct Kaos {
    pub(crate) site: Site,
    shared: Arc<Shared>,
}

impl Kaos {
    /// One whose card stands at `card`: `/.well-known/agent.json` today.
    pub(crate) fn at(base: &'static str, card: &'static str) -> Self {
        let shared = Arc::new(Shared { server: Mutex::default(), changed: Condvar::new() });
        let own = shared.clone();
        let site = Site::new(move |asked, reply| {
            let Some(path) = asked.path.strip_prefix(base) else { return not_there(reply) };
            match (asked.method.as_str(), path) {
                ("get", path) if path == card => reply.json(&described()),
                ("post", "/") => own.answer(asked, reply),
                _ => not_there(reply),
            }
        });
        Self { site, shared }
    }

    pub(crate) fn new() -> Self {
        Self::at("", "/.well-known/agent.json")
    }

    pub(crate) fn busy(&self, is_busy: bool) {
        self.shared.server.lock().unwrap().is_busy = is_busy;
        self.shared.changed.notify_all();
    }

    /// How each task stands.
    pub(crate) fn states(&self) -> Vec<String> {
        let state = |task: &Value| task["status"]["state"].as_str().unwrap().to_owned();
        self.shared.server.lock().unwrap().tasks.iter().map(state).collect()
    }
}

fn not_there(reply: Reply) {
    reply.whole("404 Not Found\r\ncontent-type: application/json", br#"{"detail":"Not Found"}"#);
}

fn described() -> Value {
    json!({
        "name": "worker", "description": "mocked", "url": "http://localhost:8000", "version": "0.8.4",
        "protocolVersion": "0.3.0",
        "skills": [{ "id": "delegate_to_x", "name": "delegate_to_x", "description": "x", "tags": [],
            "inputModes": ["application/json"], "outputModes": ["application/json"] }],
        "capabilities": { "streaming": true, "pushNotifications": false, "stateTransitionHistory": true },
        "supportedProtocols": ["jsonrpc"],
        "defaultInputModes": ["application/json"], "defaultOutputModes": ["application/json"],
    })
}

fn said(role: &str, text: &str) -> Value {
    json!({ "role": role, "parts": [{ "type": "text", "text": text }] })
}

impl Shared {
    fn answer(&self, asked: &Asked, reply: Reply) {
        let params = &asked.body["params"];
        let result = match asked.rpc() {
            "SendMessage" | "tasks/send" => self.send(params),
            "GetTask" | "tasks/get" => self.task(params, |_| true),
            "ListTasks" | "tasks/list" => {
                let tasks = self.server.lock().unwrap().tasks.clone();
                Ok(json!({ "count": tasks.len(), "tasks": tasks }))
            }
            "CancelTask" | "tasks/cancel" => self.task(params, |task| {
                let goes_on = task["status"]["state"] == "working";
                if goes_on {
                    task["status"] = status("canceled", "Canceled by request");
                }
                goes_on
            }),
            method => Err((-32601, format!("Method not found: {method}"))),
        };
        let id = &asked.body["id"];
        reply.json(&match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err((code, message)) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        });
    }

    fn send(&self, params: &Value) -> Result<Value, (i64, String)> {
        let parts = params["message"]["parts"].as_array().cloned().unwrap_or_default();
        let texts = parts.iter().filter(|part| part["type"] == "text");
        let text: Vec<&str> = texts.filter_map(|part| part["text"].as_str()).collect();
        if text.join(" ").is_empty() {
            return Err((-32602, "Message must contain text content".to_owned()));
        }
        let text = text.join(" ");
        let mut server = self.server.lock().unwrap();
        let at = server.tasks.len();
        let session = params["contextId"].as_str().unwrap_or("session_1");
        server.tasks.push(json!({
            "id": format!("task_{at}"), "sessionId": session, "status": status("working", "Task started"),
            "history": [said("user", &text)], "artifacts": [], "metadata": {}, "autonomous": false, "output": "",
            "events": [{ "id": "event_1", "type": "task_started", "timestamp": "2026-11-22T00:00:00Z", "data": {} }],
        }));
        server =
            self.changed.wait_while(server, |server| server.is_busy && working(&server.tasks[at])).unwrap();
        let task = &mut server.tasks[at];
        if working(task) {
            let (state, words) = match text.as_str() {
                "fail" => ("failed", "the model is gone"),
                _ => ("completed", "Task completed"),
            };
            task["status"] = status(state, words);
            if state == "completed" {
                task["history"].as_array_mut().unwrap().push(said("agent", ANSWER));
            }
        }
        Ok(task.clone())
    }

    fn task(&self, params: &Value, change: impl Fn(&mut Value) -> bool) -> Result<Value, (i64, String)> {
        let mut server = self.server.lock().unwrap();
        let task = server.tasks.iter_mut().find(|task| task["id"] == params["id"]);
        let task = task.ok_or((-32001, "Task not found".to_owned()))?;
        let changed = change(task).then(|| task.clone());
        self.changed.notify_all();
        changed.ok_or((-32002, "Task cannot be canceled".to_owned()))
    }
}

fn working(task: &Value) -> bool {
    task["status"]["state"] == "working"
}

fn status(state: &str, message: &str) -> Value {
    json!({ "state": state, "timestamp": "2026-11-22T00:00:00Z", "message": message })
}
