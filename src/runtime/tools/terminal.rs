//! `shell` with `pty`: the command has a terminal of its own, and what stands on it in the end is the result.

use std::io;
use std::num::NonZeroU16;
use std::process::Stdio;
use std::time::{Duration, Instant};

use pty_process::{Pty, Size};
use tokio::io::AsyncReadExt as _;
use tokio::process::Child;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::runtime::process::Group;
use crate::runtime::sandbox::Refusals;
use crate::tool::{Invocation, ToolReport};

use super::arguments::required;
use super::gather::Gathered;
use super::live::EVERY;
use super::shell::{CHUNK_BYTES, Shell, after, attend, limit, report};
use super::workspace::Workspace;

/// 40.
const ROWS: NonZeroU16 = NonZeroU16::MIN.saturating_add(39);
/// 120.
const COLUMNS: NonZeroU16 = NonZeroU16::MIN.saturating_add(119);
/// As many rows above the screen are kept.
const SCROLLBACK: usize = 1_000;
/// As many of the screen's last rows are shown while it runs.
const LIVE_ROWS: usize = 20;
/// What the terminal understands.
const KIND: &str = "xterm-256color";

/// The terminal's screen, and who watches it.
struct Screen {
    parser: vt100::Parser,
    output: mpsc::Sender<String>,
    sent: Option<Instant>,
    /// Something came since.
    is_stale: bool,
}

impl Shell {
    /// Runs the command of the call on a terminal. Dropping the future ends the whole group.
    pub(super) async fn run_on_terminal(
        &self,
        workspace: &Workspace,
        invocation: &Invocation,
        output: mpsc::Sender<String>,
    ) -> ToolReport {
        let started = required(&invocation.arguments, "command").and_then(|command| {
            self.spawn_on_terminal(workspace, command, invocation)
                .map_err(|failure| format!("the command could not be started on a terminal: {failure}"))
        });
        let (mut child, group, pty) = match started {
            Ok(started) => started,
            Err(why) => return ToolReport::failed(why),
        };
        let limit = limit(invocation);
        let mut screen = Screen::new(output);
        let mut refusals = invocation.sandboxed.then(Refusals::default);
        let end = {
            let pump = std::pin::pin!(pump(pty, &mut screen, refusals.as_mut()));
            attend(&mut child, &group, pump, after(limit)).await
        };
        drop(group);
        let mut gathered = Gathered::new(invocation.max_chars);
        gathered.push(screen.text().as_bytes());
        report(&end, limit, gathered, refusals.and_then(|heard| self.stood_in_the_way(&heard)))
    }

    /// The terminal becomes the controlling one of the command's own session, so `/dev/tty` is never the user's. There
    /// is nobody who types: what it reads from its input has ended already.
    fn spawn_on_terminal(
        &self,
        workspace: &Workspace,
        command: &str,
        invocation: &Invocation,
    ) -> io::Result<(Child, Group, Pty)> {
        let (pty, side) = pty_process::open().map_err(io::Error::other)?;
        pty.resize(Size::new(ROWS.get(), COLUMNS.get())).map_err(io::Error::other)?;
        let (sh, private) = self.prepare(workspace, command, invocation)?;
        let sh = pty_process::Command::from(sh).stdin(Stdio::null()).env("TERM", KIND);
        let (child, mut group) =
            Group::lead(&self.groups, |name, mark| sh.env(name, mark).spawn(side).map_err(io::Error::other))?;
        group.hold(private);
        Ok((child, group, pty))
    }
}

/// Reads until nobody holds the terminal any more, which reads as an error.
async fn pump(mut pty: Pty, screen: &mut Screen, mut refusals: Option<&mut Refusals>) {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let read = match screen.due_in() {
            None => pty.read(&mut chunk).await,
            Some(wait) => match timeout(wait, pty.read(&mut chunk)).await {
                Ok(read) => read,
                Err(_) => {
                    screen.show();
                    continue;
                }
            },
        };
        let Ok(size @ 1..) = read else { return };
        let bytes = chunk.get(..size).unwrap_or_default();
        if let Some(refusals) = &mut refusals {
            refusals.push(bytes);
        }
        screen.parser.process(bytes);
        screen.is_stale = true;
        if screen.due_in() == Some(Duration::ZERO) {
            screen.show();
        }
    }
}

impl Screen {
    fn new(output: mpsc::Sender<String>) -> Self {
        let parser = vt100::Parser::new(ROWS, COLUMNS, SCROLLBACK);
        Self { parser, output, sent: None, is_stale: false }
    }

    /// How long the next picture has to wait still; `None` when there is nothing new.
    fn due_in(&self) -> Option<Duration> {
        if !self.is_stale || self.output.is_closed() {
            return None;
        }
        Some(self.sent.map_or(Duration::ZERO, |sent| EVERY.saturating_sub(sent.elapsed())))
    }

    /// Shows the screen's last rows in the place of what was shown before. Never waits.
    fn show(&mut self) {
        self.sent = Some(Instant::now());
        let rows = self.visible();
        let last = rows.get(rows.len().saturating_sub(LIVE_ROWS)..).unwrap_or_default();
        if self.output.try_send(format!("\u{c}{}\n", last.join("\n"))).is_ok() {
            self.is_stale = false;
        }
    }

    /// The rows in sight, without the empty ones at the end.
    fn visible(&self) -> Vec<String> {
        let mut rows: Vec<String> =
            self.parser.screen().rows(0, COLUMNS.get()).map(|row| row.trim_end().to_owned()).collect();
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    /// All that is left of what came: what has scrolled away, then the screen. Lines that the terminal has broken are
    /// whole again.
    fn text(&mut self) -> String {
        let above = self.parser.screen().scrollback_len();
        let mut text = String::new();
        if above >= SCROLLBACK {
            text.push_str("[… what scrolled away before this is lost …]\n");
        }
        let mut left = above;
        loop {
            self.parser.screen_mut().set_scrollback(left);
            let screen = self.parser.screen();
            // Of the last window above the screen only the rows that are not on it.
            let new = if left == 0 { usize::from(ROWS.get()) } else { left.min(usize::from(ROWS.get())) };
            for (at, row) in (0..).zip(screen.rows(0, COLUMNS.get())).take(new) {
                text.push_str(&row);
                if !screen.row_wrapped(at) {
                    text.push('\n');
                }
            }
            if left == 0 {
                return text.trim_end().to_owned();
            }
            left -= new;
        }
    }
}
