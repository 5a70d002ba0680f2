//! An editor as far as the tests need one.

use std::io::{BufRead, BufReader, Read as _, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use agent_client_protocol_schema::v1::{
    CreateElicitationRequest, InitializeResponse, ListSessionsResponse, LoadSessionResponse,
    NewSessionResponse, PromptResponse, ReadTextFileRequest, RequestPermissionRequest, ResumeSessionResponse,
    SessionNotification, SetSessionConfigOptionResponse, SetSessionModeResponse, WriteTextFileRequest,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::world::{Ran, World};

/// An editor and the program that it has started.
pub(super) struct Editor {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    next_id: i64,
    /// The methods of requests that were not answered yet, by id.
    open: Vec<(Value, String)>,
    /// All that came.
    pub(super) seen: Vec<Value>,
    /// Answers requests about files: the method, the path, and the text to be written.
    pub(super) files: Option<Files>,
}

/// Answers requests about files.
type Files = Box<dyn FnMut(&str, &Path, Option<&str>) -> FileAnswer>;

/// What an editor says about a file.
pub(super) enum FileAnswer {
    /// This result.
    Result(Value),
    /// This error.
    Error(&'static str),
    /// Nothing.
    Silence,
}

/// The text of a tool's call in a script.
pub(super) fn calls(name: &str, arguments: Value) -> Value {
    json!({ "tool_calls": [{ "name": name, "arguments": arguments }] })
}

pub(super) fn touches(file: &str) -> Value {
    calls("shell", json!({ "command": format!("touch {file}") }))
}

impl Editor {
    /// Starts the program; nothing is said yet.
    pub(super) fn silent(world: &World, words: &[&str]) -> Self {
        Self::begun(world.program(), words)
    }

    fn begun(mut program: Command, words: &[&str]) -> Self {
        let mut child = program.arg("acp").args(words).stdin(Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from, next_id: 0, open: Vec::new(), seen: Vec::new(), files: None }
    }

    /// Starts it and greets it.
    pub(super) fn start(world: &World, words: &[&str]) -> Self {
        Self::able(world, words, json!({}))
    }

    /// The same with these abilities.
    pub(super) fn able(world: &World, words: &[&str], abilities: Value) -> Self {
        Self::starting(world.program(), words, abilities)
    }

    /// The same, started so.
    pub(super) fn starting(program: Command, words: &[&str], abilities: Value) -> Self {
        let mut editor = Self::begun(program, words);
        let asked = json!({ "protocolVersion": 1, "clientCapabilities": abilities });
        assert_eq!(editor.ask("initialize", asked)["protocolVersion"], 1);
        editor
    }

    /// With answers of a script, in a session of the world's folder, whose id it gives.
    pub(super) fn with_script(world: &World, mode: &str, script: Value) -> (Self, String) {
        let mut editor = Self::start(world, &["--mode", mode, "--script", &script.to_string()]);
        let session = editor.new_session(world);
        (editor, session)
    }

    pub(super) fn new_session(&mut self, world: &World) -> String {
        let opened = self.ask("session/new", json!({ "cwd": world.work(), "mcpServers": [] }));
        opened["sessionId"].as_str().unwrap().to_owned()
    }

    pub(super) fn raw(&mut self, line: &str) {
        self.to.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Sends a request; gives its id.
    pub(super) fn send(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = json!(self.next_id);
        self.open.push((id.clone(), method.to_owned()));
        self.raw(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        id
    }

    pub(super) fn tell(&mut self, method: &str, params: Value) {
        self.raw(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Answers a request of the program.
    pub(super) fn answer(&mut self, request: &Value, result: Value) {
        self.raw(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }).to_string());
    }

    /// Chooses an option of a permission request.
    pub(super) fn choose(&mut self, request: &Value, option: &str) {
        self.answer(request, json!({ "outcome": { "outcome": "selected", "optionId": option } }));
    }

    pub(super) fn prompt(&mut self, session: &str, text: &str) -> Value {
        self.say(session, json!([{ "type": "text", "text": text }]))
    }

    pub(super) fn say(&mut self, session: &str, blocks: Value) -> Value {
        self.send("session/prompt", json!({ "sessionId": session, "prompt": blocks }))
    }

    /// A request and its result.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let message = self.until(|message| message["id"] == id && message.get("method").is_none());
        assert!(message.get("error").is_none(), "{method}: {message}");
        message["result"].clone()
    }

    /// A request and its error: code and words.
    pub(super) fn refused(&mut self, method: &str, params: Value) -> (i64, String) {
        let id = self.send(method, params);
        self.error(&id)
    }

    pub(super) fn error(&mut self, id: &Value) -> (i64, String) {
        let message = self.until(|message| message["id"] == *id && message.get("method").is_none());
        let error = &message["error"];
        (error["code"].as_i64().expect("an error"), error["message"].as_str().unwrap().to_owned())
    }

    /// The result of a prompt, or of another request that was sent.
    pub(super) fn result(&mut self, id: &Value) -> Value {
        let message = self.until(|message| message["id"] == *id && message.get("method").is_none());
        assert!(message.get("error").is_none(), "{message}");
        message["result"].clone()
    }

    pub(super) fn stop_reason(&mut self, id: &Value) -> String {
        self.result(id)["stopReason"].as_str().unwrap().to_owned()
    }

    /// The next request of this method.
    pub(super) fn asked(&mut self, method: &str) -> Value {
        self.until(|message| message["method"] == method)
    }

    /// The next update of this kind.
    pub(super) fn update(&mut self, kind: &str) -> Value {
        let message = self.until(|message| message["params"]["update"]["sessionUpdate"] == kind);
        message["params"]["update"].clone()
    }

    /// The updates of this kind so far.
    pub(super) fn updates(&self, kind: &str) -> Vec<Value> {
        let updates = self.seen.iter().map(|message| &message["params"]["update"]);
        updates.filter(|update| update["sessionUpdate"] == kind).cloned().collect()
    }

    /// The texts of chunks of this kind so far, joined.
    pub(super) fn words(&self, kind: &str) -> String {
        self.updates(kind).iter().filter_map(|chunk| chunk["content"]["text"].as_str()).collect()
    }

    /// The next message like this.
    pub(super) fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "it ended: {:#?}", self.seen);
            let message: Value = serde_json::from_str(&line).expect(&line);
            self.check(&message);
            self.seen.push(message.clone());
            self.answer_about_files(&message);
            if is_it(&message) {
                return message;
            }
        }
    }

    fn answer_about_files(&mut self, message: &Value) {
        let (Some(method), Some(files)) = (message["method"].as_str(), &mut self.files) else { return };
        if !method.starts_with("fs/") {
            return;
        }
        let params = &message["params"];
        let path = Path::new(params["path"].as_str().unwrap()).to_owned();
        match files(method, &path, params["content"].as_str()) {
            FileAnswer::Result(result) => self.answer(message, result),
            FileAnswer::Error(words) => {
                let error = json!({ "code": -32002, "message": words });
                self.raw(&json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }).to_string());
            }
            FileAnswer::Silence => {}
        }
    }

    /// Goes away, and waits for the end of the program.
    pub(super) fn leave(mut self) -> Ran {
        self.to = None;
        let mut out = String::new();
        self.from.read_to_string(&mut out).unwrap();
        for line in out.lines() {
            let message: Value = serde_json::from_str(line).expect(line);
            self.check(&message);
        }
        let output = self.child.wait_with_output().unwrap();
        Ran::of(output.status, out.into_bytes(), output.stderr)
    }

    /// Closes the end that it reads from and not the one that it writes to, asks for something, and waits for the end of the program.
    pub(super) fn read_no_more(self) -> Ran {
        let Self { child, mut to, from, .. } = self;
        drop(from);
        let asked = json!({ "jsonrpc": "2.0", "id": "last", "method": "session/list", "params": {} });
        to.as_mut().unwrap().write_all(format!("{asked}\n").as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        drop(to);
        Ran::of(output.status, output.stdout, output.stderr)
    }

    /// Whether the types of the protocol's authors have all that a message says.
    fn check(&mut self, message: &Value) {
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        let params = &message["params"];
        match message["method"].as_str() {
            Some("session/update") => keeps::<SessionNotification>(params),
            Some("session/request_permission") => keeps::<RequestPermissionRequest>(params),
            Some("fs/read_text_file") => keeps::<ReadTextFileRequest>(params),
            Some("fs/write_text_file") => keeps::<WriteTextFileRequest>(params),
            Some("elicitation/create") => keeps::<CreateElicitationRequest>(params),
            Some(other) => panic!("a method that no editor has: {other}"),
            None => {
                let at = self.open.iter().position(|(id, _)| *id == message["id"]);
                let method = at.map(|at| self.open.remove(at).1);
                if message.get("error").is_none() {
                    check_result(&method.expect("an answer to nothing"), &message["result"]);
                }
            }
        }
    }
}

fn check_result(method: &str, result: &Value) {
    match method {
        "initialize" => keeps::<InitializeResponse>(result),
        "session/new" => keeps::<NewSessionResponse>(result),
        "session/load" => keeps::<LoadSessionResponse>(result),
        "session/resume" => keeps::<ResumeSessionResponse>(result),
        "session/list" => keeps::<ListSessionsResponse>(result),
        "session/prompt" => keeps::<PromptResponse>(result),
        "session/set_mode" => keeps::<SetSessionModeResponse>(result),
        "session/set_config_option" => keeps::<SetSessionConfigOptionResponse>(result),
        "authenticate" | "session/close" | "session/delete" => assert!(result.is_object(), "{result}"),
        other => panic!("{other} has an answer"),
    }
}

/// Reads a value as a type, which must lose nothing of it: what it does not know, it drops.
fn keeps<T: DeserializeOwned + Serialize>(value: &Value) {
    let read: T = serde_json::from_value(value.clone()).unwrap_or_else(|why| panic!("{why}: {value}"));
    let again = serde_json::to_value(&read).unwrap();
    if let Some(lost) = lost(value, &again, "") {
        panic!("{lost} is lost of {value}, which is read as {again}");
    }
}

fn lost(said: &Value, kept: &Value, at: &str) -> Option<String> {
    match (said, kept) {
        (Value::Object(members), _) => members.iter().find_map(|(name, value)| {
            // What a type has by default, it does not write.
            let is_default = value.is_null()
                || value.as_array().is_some_and(Vec::is_empty)
                || (name == "kind" && value == "other")
                || (name == "status" && value == "pending");
            match kept.get(name) {
                None if is_default => None,
                None => Some(format!("{at}/{name}")),
                Some(kept) => lost(value, kept, &format!("{at}/{name}")),
            }
        }),
        (Value::Array(items), Value::Array(kept)) if items.len() == kept.len() => {
            let pairs = items.iter().zip(kept).enumerate();
            pairs.into_iter().find_map(|(n, (item, kept))| lost(item, kept, &format!("{at}/{n}")))
        }
        _ => (said != kept).then(|| at.to_owned()),
    }
}
