//! The real binary in a real pseudo-terminal: keys in, a parsed screen out. Waits for what is on the screen, never for time.

use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use pty_process::{OwnedReadPty, OwnedWritePty, Size};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;

/// Long enough for a loaded machine; a test that meets it has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// A fresh home and a workspace in it.
pub struct Home {
    pub folder: TempDir,
}

impl Home {
    pub fn new() -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(home.workspace()).unwrap();
        std::fs::write(home.workspace().join("notes.txt"), "alpha\nbeta\ngamma\n").unwrap();
        home
    }
    pub fn workspace(&self) -> PathBuf {
        self.folder.path().join("work")
    }
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.workspace().join(name)).unwrap()
    }
    /// The newest session file, line by line.
    pub fn session(&self) -> Vec<serde_json::Value> {
        let state = self.folder.path().join("state");
        let mut files = Vec::new();
        collect(&state, &mut files);
        files.sort();
        let text = std::fs::read_to_string(files.last().expect("a session file")).unwrap();
        text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "jsonl") {
            files.push(path);
        }
    }
}

/// A running app and its terminal.
pub struct Console {
    child: Child,
    read: OwnedReadPty,
    write: OwnedWritePty,
    parser: vt100::Parser,
    /// Everything that was written to the terminal.
    pub bytes: Vec<u8>,
}

impl Console {
    pub fn start(home: &Home, size: (u16, u16), arguments: &[&str]) -> Self {
        Self::start_with(home, size, arguments, &[])
    }

    /// `size` is columns by rows.
    pub fn start_with(home: &Home, size: (u16, u16), arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let (pty, pts) = pty_process::open().unwrap();
        pty.resize(Size::new(size.1, size.0)).unwrap();
        let root = home.folder.path();
        let child = pty_process::Command::new(env!("CARGO_BIN_EXE_countersign"))
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .env("HOME", root)
            .env("XDG_CONFIG_HOME", root.join("config"))
            .env("XDG_STATE_HOME", root.join("state"))
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8")
            .envs(environment.iter().copied())
            .current_dir(home.workspace())
            .kill_on_drop(true)
            .spawn(pts)
            .unwrap();
        let (read, write) = pty.into_split();
        Self { child, read, write, parser: parser(size), bytes: Vec::new() }
    }

    pub fn screen(&self) -> String {
        self.parser.screen().contents()
    }

    pub fn terminal(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    pub fn process_id(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// Reads until the screen satisfies `wanted`.
    pub async fn until(&mut self, what: &str, wanted: impl Fn(&str) -> bool) {
        let waited = tokio::time::timeout(PATIENCE, async {
            while !wanted(&self.screen()) {
                if !self.read_more().await {
                    panic!("the app ended while waiting for: {what}\n{}", self.screen());
                }
            }
        });
        if waited.await.is_err() {
            panic!("never seen: {what}\n{}", self.screen());
        }
    }

    /// Reads until `text` is on the screen.
    pub async fn sees(&mut self, text: &str) {
        self.until(text, |screen| screen.contains(text)).await;
    }

    /// Reads until `text` is no longer on the screen.
    pub async fn sees_no(&mut self, text: &str) {
        self.until(&format!("no {text}"), |screen| !screen.contains(text)).await;
    }

    async fn read_more(&mut self) -> bool {
        let mut buffer = [0; 16_384];
        // A pseudo-terminal whose other side is closed ends with an error (EIO), not with zero bytes.
        match self.read.read(&mut buffer).await {
            Ok(0) | Err(_) => false,
            Ok(count) => {
                self.bytes.extend_from_slice(&buffer[..count]);
                self.parser.process(&buffer[..count]);
                true
            }
        }
    }

    pub async fn keys(&mut self, keys: &str) {
        self.write.write_all(keys.as_bytes()).await.unwrap();
    }

    /// Types a line and sends it.
    pub async fn says(&mut self, line: &str) {
        self.keys(line).await;
        self.sees(line).await;
        self.keys("\r").await;
    }

    pub fn resize(&mut self, size: (u16, u16)) {
        self.write.resize(Size::new(size.1, size.0)).unwrap();
        self.parser.screen_mut().set_size(rows(size.1), rows(size.0));
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let id = rustix::process::Pid::from_raw(i32::try_from(self.process_id()).unwrap()).unwrap();
        rustix::process::kill_process(id, signal).unwrap();
    }

    /// Reads to the end and returns how the app ended.
    pub async fn ends(&mut self) -> ExitStatus {
        let ended = tokio::time::timeout(PATIENCE, async {
            while self.read_more().await {}
            self.child.wait().await.unwrap()
        });
        ended.await.unwrap_or_else(|_| panic!("the app did not end\n{}", self.screen()))
    }

    /// What a terminal must be left as: the main screen, the cursor shown, no mouse, no paste brackets, no keyboard flags.
    pub fn assert_restored(&self) {
        let screen = self.parser.screen();
        assert!(!screen.alternate_screen(), "left on the alternate screen");
        assert!(!screen.hide_cursor(), "left without a cursor");
        assert!(!screen.bracketed_paste(), "left with bracketed paste");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None, "left with the mouse captured");
        let text = String::from_utf8_lossy(&self.bytes);
        assert_eq!(text.matches("\x1b[>").count() > 0, text.contains("\x1b[<1u"), "left with keyboard flags");
        assert_eq!(text.matches("\x1b[?1004h").count() > 0, text.contains("\x1b[?1004l"), "left with focus reports");
    }
}

fn rows(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}

fn parser((columns, lines): (u16, u16)) -> vt100::Parser {
    vt100::Parser::new(rows(lines), rows(columns), 0)
}

/// Whether a process of this id exists (and is not a zombie).
pub fn is_alive(id: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}
