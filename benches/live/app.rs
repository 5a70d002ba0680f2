//! The program in a pseudo-terminal of 120x40: keys in, a parsed screen out, every read stamped.

use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::Child;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use pty_process::blocking::{Command, Pty, open};
use tempfile::TempDir;

const SIZE: (u16, u16) = (120, 40);
/// Whoever waits longer has found something broken.
const PATIENCE: Duration = Duration::from_secs(60);

/// A home with a configuration and a workspace.
pub struct Home(TempDir);

impl Home {
    pub fn new(base_url: &str) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        let config = home.0.path().join("config/countersign");
        fs::create_dir_all(&config).unwrap();
        fs::create_dir_all(home.workspace()).unwrap();
        let notes: String = (0..200).map(|line| format!("line {line} of the notes\n")).collect();
        fs::write(home.workspace().join("notes.txt"), notes).unwrap();
        let text = format!(
            "model = 'mock/one'\nmode = 'unrestricted'\n[providers.mock]\nbase_url = '{base_url}'\nprotocol = 'openai-chat'\n\
             [providers.mock.models.one]\nwindow = 100000000\n[budget]\nmax_output_tokens = 100000000\n\
             max_input_tokens = 1000000000\n[agents]\nmax_parallel = 8\n"
        );
        fs::write(config.join("config.toml"), text).unwrap();
        home
    }

    pub fn workspace(&self) -> PathBuf {
        self.0.path().join("work")
    }

    pub fn state(&self) -> PathBuf {
        self.0.path().join("state/countersign")
    }

    /// What the program knows of its environment.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let root = self.0.path();
        vec![
            ("PATH", std::env::var("PATH").unwrap()),
            ("HOME", root.display().to_string()),
            ("XDG_CONFIG_HOME", root.join("config").display().to_string()),
            ("XDG_STATE_HOME", root.join("state").display().to_string()),
            ("TERM", "xterm-256color".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
        ]
    }
}

/// The program that is measured: the one of this build, or the one that `COUNTERSIGN_BIN` names.
pub fn program() -> String {
    std::env::var("COUNTERSIGN_BIN").unwrap_or_else(|_| env!("CARGO_BIN_EXE_countersign").to_owned())
}

pub struct App {
    pub began: Instant,
    child: Child,
    pty: Arc<Pty>,
    reads: Receiver<(Instant, Vec<u8>)>,
    parser: vt100::Parser,
    /// Bytes written to the terminal so far.
    pub bytes: usize,
    /// Reads so far.
    pub count: usize,
}

impl App {
    pub fn start(home: &Home, arguments: &[&str]) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(pty_process::Size::new(SIZE.1, SIZE.0)).unwrap();
        let pty = Arc::new(pty);
        let (to, reads) = channel();
        let began = Instant::now();
        let child = Command::new(program())
            .args(arguments)
            .env_clear()
            .envs(home.variables())
            .current_dir(home.workspace())
            .spawn(pts)
            .unwrap();
        let reader = Arc::clone(&pty);
        thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(count) = (&*reader).read(&mut buffer) {
                if count == 0 || to.send((Instant::now(), buffer[..count].to_vec())).is_err() {
                    return;
                }
            }
        });
        let (rows, columns) = (SIZE.1.try_into().unwrap(), SIZE.0.try_into().unwrap());
        Self { began, child, pty, reads, parser: vt100::Parser::new(rows, columns, 0), bytes: 0, count: 0 }
    }

    /// An app that stands ready.
    pub fn ready(home: &Home, arguments: &[&str]) -> Self {
        let mut app = Self::start(home, arguments);
        app.sees("ask anything");
        app
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn screen(&self) -> String {
        self.parser.screen().contents()
    }

    pub fn keys(&mut self, keys: &str) -> Instant {
        let now = Instant::now();
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
        now
    }

    /// Types a message and sends it.
    pub fn says(&mut self, line: &str) {
        self.keys(line);
        self.sees(line);
        self.keys("\r");
    }

    /// When the screen was first seen to be so.
    pub fn until(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> Instant {
        let mut seen = Instant::now();
        while !wanted(&self.screen()) {
            let Ok((at, bytes)) = self.reads.recv_timeout(PATIENCE) else {
                panic!("never seen: {what}\n{}", self.screen());
            };
            self.take(&bytes);
            seen = at;
        }
        seen
    }

    pub fn sees(&mut self, text: &str) -> Instant {
        self.until(text, |screen| screen.contains(text))
    }

    /// Reads until nothing runs.
    pub fn rests(&mut self) -> Instant {
        self.until("rest", |screen| !screen.contains("esc interrupt") && screen.contains("ask anything"))
    }

    /// Takes in what comes for so long.
    pub fn serve(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while let Ok((_, bytes)) = self.reads.recv_timeout(end.saturating_duration_since(Instant::now())) {
            self.take(&bytes);
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        self.count += 1;
        self.parser.process(bytes);
    }

    /// CPU time of all its threads; nanoseconds where the kernel tells them, else ticks of 10 ms.
    pub fn cpu(&self) -> Duration {
        let folder = format!("/proc/{}/task", self.id());
        let of = |path: PathBuf| -> Option<u64> {
            fs::read_to_string(path.join("schedstat")).ok()?.split(' ').next()?.parse().ok()
        };
        Duration::from_nanos(fs::read_dir(folder).unwrap().flatten().filter_map(|task| of(task.path())).sum())
    }

    /// What it occupies, as the kernel counts it.
    pub fn memory(&self) -> Memory {
        let text = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.id())).unwrap();
        let of = |name: &str| -> f64 {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
            line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
        };
        Memory { proportional: of("Pss:"), resident: of("Rss:"), own: of("Pss_Anon:") }
    }
}

/// In MB.
pub struct Memory {
    /// With its share of the pages that others have too.
    pub proportional: f64,
    /// With all of these.
    pub resident: f64,
    /// Without pages of files: what nothing but its end gives back.
    pub own: f64,
}

impl std::fmt::Display for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { proportional, resident, own } = self;
        write!(f, "{proportional:.1} MB (its own {own:.1}, resident {resident:.1})")
    }
}

impl Drop for App {
    fn drop(&mut self) {
        self.child.kill().unwrap_or_default();
        self.child.wait().map(drop).unwrap_or_default();
    }
}
