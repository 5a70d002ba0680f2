//! The program in a pseudo-terminal: keys in, a parsed screen out.

use std::fs;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use pty_process::blocking::{Command, Pty, open};
use tempfile::TempDir;
use vt100::Color;

/// Whoever waits longer has found something broken.
const PATIENCE: Duration = Duration::from_secs(60);
/// So long nothing more is drawn, before a screen counts as whole: colours of code come a moment later.
const STILL: Duration = Duration::from_millis(700);

/// What is started.
pub struct Program {
    pub path: PathBuf,
    /// A variable that tells it what it is.
    pub variable: Option<&'static str>,
}

/// A home with a small project in it.
pub struct Home(TempDir);

impl Home {
    /// Makes it, with these files in the project.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            let path = home.project().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        home
    }

    /// Where everything is, as the system names it.
    pub fn root(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    pub fn project(&self) -> PathBuf {
        self.root().join("parser")
    }

    /// The one session file.
    pub fn session(&self) -> PathBuf {
        let mut folders = vec![self.root().join("state")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                    return path;
                }
            }
        }
        panic!("no session was written");
    }
}

/// A running program; ended when it is dropped.
pub struct App {
    child: Child,
    pty: Arc<Pty>,
    reads: Receiver<Vec<u8>>,
    parser: vt100::Parser,
    /// Whether a frame has begun and not ended.
    half: bool,
}

impl App {
    /// Starts the program in the project; `size` is columns by rows.
    pub fn start(program: &Program, home: &Home, size: (u16, u16), arguments: &[&str]) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(pty_process::Size::new(size.1, size.0)).unwrap();
        let mut command = Command::new(&program.path)
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .env("HOME", home.root())
            .env("XDG_CONFIG_HOME", home.root().join("config"))
            .env("XDG_STATE_HOME", home.root().join("state"))
            .env("TERM", "xterm-256color")
            .env("COLORTERM", "truecolor")
            .env("LANG", "C.UTF-8")
            .env("TZ", "UTC")
            .current_dir(home.project());
        if let Some(variable) = program.variable {
            command = command.env(variable, "1");
        }
        let child = command.spawn(pts).unwrap();
        let pty = Arc::new(pty);
        let (to, reads) = channel();
        let reader = Arc::clone(&pty);
        thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(count) = (&*reader).read(&mut buffer) {
                if count == 0 || to.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let parser = vt100::Parser::new(size.1.try_into().unwrap(), size.0.try_into().unwrap(), 0);
        Self { child, pty, reads, parser, half: false }
    }

    pub fn keys(&mut self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    /// Reads until `text` is on the screen.
    pub fn sees(&mut self, text: &str) {
        let until = Instant::now() + PATIENCE;
        while self.half || !self.parser.screen().contents().contains(text) {
            assert!(self.reads_until(until), "never seen: {text}\n{}", self.parser.screen().contents());
        }
    }

    /// Reads until nothing moves, and returns the screen.
    pub fn still(&mut self) -> &vt100::Screen {
        while self.reads_until(Instant::now() + STILL) {}
        self.parser.screen()
    }

    /// Puts other words over the first ones that are on the screen, in their colours: what differs from run to run. The end of
    /// `words` stays where the end of `before` was.
    pub fn puts_over(&mut self, before: impl Fn(&str) -> Option<Range<usize>>, words: &str) {
        let screen = self.parser.screen();
        let rows = screen.rows(0, screen.size().1.get());
        let found = rows.enumerate().find_map(|(row, text)| Some((row, before(&text)?, text)));
        let Some((row, bytes, text)) = found else { panic!("nothing to settle is on the screen") };
        let cells = |bytes: Range<usize>| text.get(bytes).unwrap().chars().count();
        let end = cells(0..bytes.end);
        let from = end - words.chars().count().max(cells(bytes));
        let row = u16::try_from(row).unwrap();
        let Some(Color::Rgb(r, g, b)) =
            screen.cell(row, u16::try_from(end - 1).unwrap()).map(|cell| cell.fgcolor())
        else {
            panic!("pictures are made with all colours")
        };
        let wide = end - from;
        let over = format!("\x1b7\x1b[{};{}H\x1b[0;38;2;{r};{g};{b}m{words:>wide$}\x1b8", row + 1, from + 1);
        self.parser.process(over.as_bytes());
    }

    /// What is on the screen now.
    pub fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// Types, and reads until `text` is on the screen.
    pub fn types(&mut self, keys: &str, text: &str) {
        self.keys(keys);
        self.sees(text);
    }

    /// Reads for as long as a person looks at something before deciding about it.
    pub fn rests(&mut self) {
        let until = Instant::now() + STILL;
        while Instant::now() < until {
            self.reads_until(until);
        }
    }

    /// Waits until a file is there.
    pub fn waits_for(&mut self, file: &Path) {
        let until = Instant::now() + PATIENCE;
        while !file.exists() {
            assert!(Instant::now() < until, "never written: {}", file.display());
            self.reads_until(Instant::now() + Duration::from_millis(10));
        }
    }

    /// Leaves as a person does, and waits for the end.
    pub fn quits(mut self) {
        self.types("\x03", "press ctrl-c again");
        self.keys("\x03");
        let until = Instant::now() + PATIENCE;
        while self.reads_until(until) {}
        assert!(self.child.wait().unwrap().success());
    }

    /// Takes in the next piece; false when none came in time, or none will.
    fn reads_until(&mut self, until: Instant) -> bool {
        match self.reads.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(bytes) => {
                let mark = b"\x1b[?2026";
                if let Some(at) = bytes.windows(mark.len()).rposition(|window| window == mark) {
                    self.half = bytes.get(at + mark.len()) == Some(&b'h');
                }
                self.parser.process(&bytes);
                true
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => false,
        }
    }
}

impl Drop for App {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
