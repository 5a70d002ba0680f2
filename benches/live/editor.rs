//! What an editor waits for: `countersign acp` on its standard input and output.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::app::{Home, program};
use crate::server::{Server, Stamp};
use crate::{row, spread};

struct Editor {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    asked: u64,
}

impl Editor {
    fn start(home: &Home) -> Self {
        let mut child = Command::new(program())
            .arg("acp")
            .env_clear()
            .envs(home.variables())
            .current_dir(home.workspace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from, asked: 0 }
    }

    fn ask(&mut self, method: &str, params: &Value) -> u64 {
        self.asked += 1;
        let line = json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params });
        self.to.write_all(format!("{line}\n").as_bytes()).unwrap();
        self.asked
    }

    /// The next line for which this holds, and when it was there.
    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> (Value, Instant) {
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the program has left");
            let at = Instant::now();
            let said: Value = serde_json::from_str(&line).unwrap();
            if wanted(&said) {
                return (said, at);
            }
        }
    }

    fn answer(&mut self, id: u64) -> (Value, Instant) {
        self.until(|said| said["id"] == id)
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        self.child.kill().unwrap_or_default();
        self.child.wait().map(drop).unwrap_or_default();
    }
}

pub fn prompts(server: &Server) {
    let home = Home::new(&server.base_url());
    let mut editor = Editor::start(&home);
    let hello = editor.ask("initialize", &json!({ "protocolVersion": 1, "clientCapabilities": {} }));
    editor.answer(hello);
    let (mut news, mut updates): (Vec<Duration>, Vec<Duration>) = (0..40)
        .map(|_| {
            let began = Instant::now();
            let asked = editor.ask("session/new", &json!({ "cwd": home.workspace(), "mcpServers": [] }));
            let (session, made) = editor.answer(asked);
            let session = session["result"]["sessionId"].clone();
            assert!(session.is_string(), "no session was made");
            let prompt = json!({ "sessionId": session, "prompt": [{ "type": "text", "text": "do:well." }] });
            let asked = editor.ask("session/prompt", &prompt);
            let of_text = |said: &Value| said["params"]["update"]["sessionUpdate"] == "agent_message_chunk";
            let (_, told) = editor.until(of_text);
            editor.answer(asked);
            let closed = editor.ask("session/close", &json!({ "sessionId": session }));
            editor.answer(closed);
            let first = server.stamp(Stamp::Answers, "well").unwrap();
            (made - began, told.saturating_duration_since(first))
        })
        .unzip();
    let (median, most) = spread(&mut news);
    row("session/new of an editor", &format!("{median:.2} ms, most {most:.2}"), "20 ms");
    let (median, most) = spread(&mut updates);
    row("first update after the model's first byte", &format!("{median:.2} ms, most {most:.2}"), "5 ms");
}
