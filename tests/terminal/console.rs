//! An app and its terminal: keys in, a parsed screen out. Waits for what is to be seen, never for time.

use std::num::NonZeroU16;
use std::os::fd::{AsFd, OwnedFd};
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pty_process::{Command, OwnedReadPty, OwnedWritePty, Size};
use rustix::process::{Pid, Signal};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;
use tokio::time::timeout;

use super::home::Home;

/// Long enough for a loaded machine; a test that meets it has failed.
const PATIENCE: Duration = Duration::from_secs(60);
/// What passes between two keys of a person.
const PAUSE: Duration = Duration::from_millis(150);
/// Longer than something must stand there before it can be decided, or than a held key needs to repeat.
const READING: Duration = Duration::from_millis(700);
/// What something must have stood there before a key decides about it.
const DECIDABLE_AFTER: Duration = Duration::from_millis(500);
/// From the end of one line to that of the next one.
const A_LINE: Duration = Duration::from_millis(250);
/// How often something that is not on the screen is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

pub(crate) const ESC: &str = "\x1b";
pub(crate) const ENTER: &str = "\r";
pub(crate) const CTRL_C: &str = "\x03";
pub(crate) const CTRL_D: &str = "\x04";
pub(crate) const CTRL_O: &str = "\x0f";
pub(crate) const CTRL_U: &str = "\x15";

/// A size that most terminals have.
pub(crate) const USUAL: (u16, u16) = (100, 30);

/// One pseudo-terminal is made at a time: for a moment it would be inherited by another test's app.
static MAKING: Mutex<()> = Mutex::new(());

/// A running app and its terminal.
pub(crate) struct Console {
    child: Child,
    read: OwnedReadPty,
    write: OwnedWritePty,
    /// The same terminal, to ask how its line is set.
    line: OwnedFd,
    parser: vt100::Parser,
    /// Everything that was written to the terminal.
    pub(crate) bytes: Vec<u8>,
    /// When a line was ended last.
    line_ended: Option<Instant>,
}

impl Console {
    /// Starts the app; `size` is columns by rows.
    pub(crate) fn start(home: &Home, size: (u16, u16), arguments: &[&str]) -> Self {
        Self::start_with(home, size, arguments, &[])
    }

    /// The same with more variables than a fresh account has.
    pub(crate) fn start_with(
        home: &Home,
        size: (u16, u16),
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let command = Command::new(env!("CARGO_BIN_EXE_countersign")).args(arguments);
        Self::start_command(home, size, command, variables)
    }

    /// The app on a script, which is JSON.
    pub(crate) fn scripted(home: &Home, script: &serde_json::Value) -> Self {
        Self::start(home, USUAL, &["--script", &script.to_string()])
    }

    /// Any program in a terminal of that size.
    pub(crate) fn start_command(
        home: &Home,
        size: (u16, u16),
        command: Command,
        variables: &[(&str, &str)],
    ) -> Self {
        let _one_at_a_time = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
        let (pty, pts) = pty_process::open().unwrap();
        pty.resize(Size::new(size.1, size.0)).unwrap();
        let root = home.root();
        let child = command
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .env("HOME", root)
            .env("XDG_CONFIG_HOME", root.join("config"))
            .env("XDG_STATE_HOME", root.join("state"))
            .env("TERM", "xterm-256color")
            .env("COLORTERM", "truecolor")
            .env("LANG", "C.UTF-8")
            .envs(variables.iter().copied())
            .current_dir(home.workspace())
            .kill_on_drop(true)
            .spawn(pts)
            .unwrap();
        let line = pty.as_fd().try_clone_to_owned().unwrap();
        let (read, write) = pty.into_split();
        let parser = vt100::Parser::new(count(size.1), count(size.0), 0);
        Self { child, read, write, line, parser, bytes: Vec::new(), line_ended: None }
    }

    pub(crate) fn screen(&self) -> String {
        self.parser.screen().contents()
    }

    pub(crate) fn terminal(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// Reads until the screen satisfies `wanted`.
    pub(crate) async fn until(&mut self, what: &str, wanted: impl Fn(&str) -> bool) {
        let waited = timeout(PATIENCE, async {
            while !(self.is_whole() && wanted(&self.screen())) {
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
    pub(crate) async fn sees(&mut self, text: &str) {
        self.until(text, |screen| screen.contains(text)).await;
    }

    /// Reads until `text` is no longer on the screen.
    pub(crate) async fn sees_no(&mut self, text: &str) {
        self.until(&format!("no {text}"), |screen| !screen.contains(text)).await;
    }

    /// Reads until nothing runs and the composer is empty.
    pub(crate) async fn rests(&mut self) {
        let rests = |screen: &str| {
            !screen.contains("esc interrupt")
                && !screen.contains("esc stop")
                && screen.contains("ask anything")
        };
        self.until("an idle app", rests).await;
    }

    /// Keeps the terminal served until something outside it is so.
    pub(crate) async fn meanwhile(&mut self, what: &str, mut is_so: impl FnMut() -> bool) {
        let waited = timeout(PATIENCE, async {
            let mut open = true;
            while !is_so() {
                if open {
                    open = timeout(LOOK_EVERY, self.read_more()).await.unwrap_or(true);
                } else {
                    tokio::task::yield_now().await;
                }
            }
        });
        if waited.await.is_err() {
            panic!("never happened: {what}\n{}", self.screen());
        }
    }

    /// Gives the keys to what waits, if they are not there, and presses one as a person does who has looked at it.
    pub(crate) async fn answers(&mut self, key: &str) {
        self.has_the_keys().await;
        self.keys(key).await;
    }

    /// Allows what waits, however often its rest has to be looked at first.
    pub(crate) async fn allows(&mut self) {
        loop {
            self.answers("y").await;
            let over = |screen: &str| !a_call_waits(screen) || screen.contains("tab to decide");
            self.until("what comes of y", |screen| over(screen) || has_more(screen)).await;
            if !has_more(&self.screen()) {
                return;
            }
            self.takes_time(READING).await;
            if !a_call_waits(&self.screen()) {
                return;
            }
        }
    }

    /// Gives the keys to what waits, if they are not there, and lets it stand for as long as it takes to be decided.
    pub(crate) async fn has_the_keys(&mut self) {
        let composes = |screen: &str| screen.contains("tab to decide");
        let goes = |screen: &str| screen.contains("keys: ") || screen.contains("keys go to ");
        self.until("what waits", |screen| composes(screen) || goes(screen) || has_more(screen)).await;
        if composes(&self.screen()) {
            self.takes_time(PAUSE).await;
            self.keys("\t").await;
        }
        let decide = |screen: &str| {
            let there = screen.rsplit_once("keys go to ").or_else(|| screen.rsplit_once("keys: "));
            let there = there.and_then(|(_, rest)| rest.split("  ").next());
            let is_ripe = there.is_some_and(|there| {
                !there.contains("message") && !there.contains("in a moment") && !there.contains('…')
            });
            is_ripe || has_more(screen)
        };
        self.until("keys that decide", decide).await;
        self.takes_time(PAUSE).await;
    }

    /// A person needs a moment: keys that come faster are none of theirs.
    pub(crate) async fn takes_time(&mut self, how_long: Duration) {
        let began = Instant::now();
        self.meanwhile("a moment", || began.elapsed() >= how_long).await;
    }

    /// The keys have come to the call: it stands there anew, whatever was on the screen before this moment.
    pub(crate) async fn waits_anew(&mut self, began: Instant) {
        self.sees("keys go to this call").await;
        // A loaded machine may show it when half a second is over.
        let is_early = began.elapsed() < DECIDABLE_AFTER;
        assert!(!is_early || self.screen().contains("in a moment"), "it decides at once\n{}", self.screen());
    }

    /// Reads what was just shown or said, as long as it takes to decide about it.
    pub(crate) async fn reads(&mut self) {
        self.takes_time(READING).await;
    }

    /// Takes in what is there, if anything comes at once.
    pub(crate) async fn yields(&mut self) {
        timeout(LOOK_EVERY, self.read_more()).await.ok();
    }

    /// Whether no frame is half read: each stands between marks.
    fn is_whole(&self) -> bool {
        let mark = b"\x1b[?2026";
        let last = self.bytes.windows(mark.len()).rposition(|window| window == mark);
        last.is_none_or(|at| self.bytes.get(at + mark.len()) == Some(&b'l'))
    }

    /// Takes in what the app writes; false when nobody holds the other side any more.
    async fn read_more(&mut self) -> bool {
        let mut buffer = [0; 16_384];
        let read = self.read.read(&mut buffer).await;
        self.take_in(read.ok().and_then(|count| buffer.get(..count)))
    }

    /// A pseudo-terminal whose other side is closed ends with an error (EIO), not with zero bytes.
    fn take_in(&mut self, bytes: Option<&[u8]>) -> bool {
        let bytes = bytes.unwrap_or_default();
        self.bytes.extend_from_slice(bytes);
        self.parser.process(bytes);
        !bytes.is_empty()
    }

    /// Types. Reads meanwhile: a terminal that takes nothing would hold up an app that must write before it reads.
    pub(crate) async fn keys(&mut self, keys: &str) {
        // Nobody types a line in less: it would count as pasted.
        if let Some(ended) = self.line_ended.filter(|_| keys.ends_with('\n')) {
            self.takes_time(A_LINE.saturating_sub(ended.elapsed())).await;
        }
        self.line_ended = keys.ends_with('\n').then(Instant::now).or(self.line_ended);
        let mut left = keys.as_bytes();
        let mut buffer = [0; 16_384];
        while !left.is_empty() {
            tokio::select! {
                written = self.write.write(left) => left = &left[written.unwrap()..],
                read = self.read.read(&mut buffer) => {
                    let bytes = read.ok().and_then(|count| buffer.get(..count));
                    assert!(self.take_in(bytes), "the app ended before it was told {keys:.40}");
                }
            }
        }
    }

    /// Waits until the app has taken what was typed, for keys that show nothing. (Where there is no `/proc` it is
    /// only hoped.)
    pub(crate) async fn keys_are_taken(&mut self) {
        let input = std::fs::File::open(format!("/proc/{}/fd/0", self.process_id()));
        let left = || input.as_ref().map_or(0, |input| rustix::io::ioctl_fionread(input).unwrap());
        self.meanwhile("an app that reads", || left() == 0).await;
    }

    /// Types a line and sends it.
    pub(crate) async fn says(&mut self, line: &str) {
        self.keys(line).await;
        self.sees(line).await;
        self.keys(ENTER).await;
        self.sees(&format!("› {line}")).await;
    }

    pub(crate) fn resize(&mut self, size: (u16, u16)) {
        self.write.resize(Size::new(size.1, size.0)).unwrap();
        self.parser.screen_mut().set_size(count(size.1), count(size.0));
    }

    /// The same with cells of so many pixels.
    pub(crate) fn resize_with_cells(&mut self, size: (u16, u16), cell: (u16, u16)) {
        let pixels = Size::new_with_pixel(size.1, size.0, size.0 * cell.0, size.1 * cell.1);
        self.write.resize(pixels).unwrap();
        self.parser.screen_mut().set_size(count(size.1), count(size.0));
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let id = Pid::from_raw(i32::try_from(self.process_id()).unwrap()).unwrap();
        rustix::process::kill_process(id, signal).unwrap();
    }

    /// Reads to the end and returns how the app ended.
    pub(crate) async fn ends(&mut self) -> ExitStatus {
        let ended = timeout(PATIENCE, async {
            while self.read_more().await {}
            self.child.wait().await.unwrap()
        });
        ended.await.unwrap_or_else(|_| panic!("the app did not end\n{}", self.screen()))
    }

    /// Closes the terminal's window and waits for the end of the app.
    pub(crate) async fn hangs_up(self) -> ExitStatus {
        let Self { mut child, read, write, line, .. } = self;
        drop((read, write, line));
        timeout(PATIENCE, child.wait()).await.expect("an app without a terminal ends").unwrap()
    }

    /// Leaves as a person does, from an empty composer.
    pub(crate) async fn quits(&mut self) {
        self.keys(CTRL_C).await;
        self.sees("press ctrl-c again").await;
        self.keys(CTRL_C).await;
        assert!(self.ends().await.success(), "{}", self.screen());
        self.assert_restored();
    }

    /// What a terminal must be left as: the main screen, the cursor shown, no mouse, no paste brackets, no focus
    /// reports, as many keyboard flags taken back as were set.
    pub(crate) fn assert_restored(&self) {
        let screen = self.parser.screen();
        assert!(!screen.alternate_screen(), "left on the alternate screen");
        assert!(!screen.hide_cursor(), "left without a cursor");
        assert!(!screen.bracketed_paste(), "left with bracketed paste");
        assert_eq!(
            screen.mouse_protocol_mode(),
            vt100::MouseProtocolMode::None,
            "left with the mouse captured"
        );
        assert_eq!(self.times("\x1b[>1u"), self.times("\x1b[<1u"), "keyboard flags, set and taken back");
        assert!(self.times("\x1b[?1004l") >= self.times("\x1b[?1004h"), "left with focus reports");
        assert_eq!(self.times("\x1b[22;0t"), self.times("\x1b[23;0t"), "titles, kept and brought back");
        let discipline = rustix::termios::tcgetattr(&self.line).unwrap();
        let cooked = rustix::termios::LocalModes::ICANON | rustix::termios::LocalModes::ECHO;
        assert!(discipline.local_modes.contains(cooked), "left raw");
    }

    /// How often the app has written something.
    pub(crate) fn times(&self, what: &str) -> usize {
        self.bytes.windows(what.len()).filter(|window| *window == what.as_bytes()).count()
    }
}

/// Whether the pane of a call that waits is on the screen; a small one says less.
fn a_call_waits(screen: &str) -> bool {
    ["waits for you", " waits ╮", " waits ┓"].iter().any(|words| screen.contains(words))
}

/// Whether the status line asks for the key once more.
fn has_more(screen: &str) -> bool {
    screen.contains("press again")
}

fn count(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).unwrap()
}
