//! `shell` with `pty`: the command has a terminal of its own, a person can type into it, and what stands on it in the
//! end is the result.

use std::io;
use std::num::NonZeroU16;
use std::process::Stdio;
use std::time::{Duration, Instant};

use futures_util::future::select;
use pty_process::{OwnedReadPty, OwnedWritePty, Pty, Size};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Child;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::runtime::process::Group;
use crate::runtime::sandbox::{Refusals, Surroundings};
use crate::tool::{self, CellStyle, Colour, Invocation, KeyModes, Row, Shown, ToolReport, Typed, Weight};

use super::arguments::required;
use super::command::{CHUNK_BYTES, Shell, after, attend, limit, report};
use super::keyboard::Keyboard;
use super::live::EVERY;
use super::printed::Printed;
use super::strings::Strings;
use super::workspace::Workspace;

/// 40.
const ROWS: NonZeroU16 = NonZeroU16::MIN.saturating_add(39);
/// 120.
const COLUMNS: NonZeroU16 = NonZeroU16::MIN.saturating_add(119);
/// As many rows above the screen are kept.
const SCROLLBACK: usize = 1_000;
/// What the terminal understands.
const KIND: &str = "xterm-256color";
/// A terminal of the VT220 kind, with colours (DA1).
const ATTRIBUTES: &str = "\x1b[?62;22c";
/// Nothing is wrong with it (DSR 5).
const READY: &str = "\x1b[0n";
/// Bytes of answers to what one piece of output asks; what asks for more is not read by anybody.
const MOST_ANSWERS: usize = 1_000;

/// The terminal's screen, and who watches it.
struct TerminalScreen {
    parser: vt100::Parser<Answers>,
    strings: Strings,
    output: mpsc::Sender<Shown>,
    sent: Option<Instant>,
    /// Something came since.
    is_stale: bool,
}

/// What the terminal answers to a program that asks and would wait for ever: where the cursor is, and what kind of
/// terminal it is. Numbers alone: nothing that a program writes comes back as its own input.
#[derive(Default)]
struct Answers {
    waiting: Vec<u8>,
}

impl vt100::Callbacks for Answers {
    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        first: Option<u8>,
        _: Option<u8>,
        parameters: &[&[u16]],
        letter: char,
    ) {
        let asked = parameters.first().and_then(|one| one.first()).copied().unwrap_or_default();
        let answer = match (first, letter, asked) {
            (None, 'n', 5) => READY.to_owned(),
            (None, 'n', 6) => {
                let (row, column) = screen.cursor_position();
                // A row that is full has its cursor on the last cell.
                format!("\x1b[{};{}R", row + 1, (column + 1).min(COLUMNS.get()))
            }
            (None, 'c', 0) => ATTRIBUTES.to_owned(),
            _ => return,
        };
        if self.waiting.len() + answer.len() <= MOST_ANSWERS {
            self.waiting.extend_from_slice(answer.as_bytes());
        }
    }
}

impl Shell {
    /// Runs the command of the call on a terminal. Dropping the future ends the whole group.
    pub(super) async fn run_on_terminal(
        &self,
        workspace: &Workspace,
        invocation: &Invocation,
        keyboard: Keyboard,
        output: mpsc::Sender<Shown>,
    ) -> ToolReport {
        let around = self.surroundings(invocation).await;
        let started = around.and_then(|around| {
            let command = required(&invocation.arguments, "command")?;
            self.spawn_on_terminal(workspace, command, invocation, (keyboard.attended, &around))
                .map_err(|failure| format!("the command could not be started on a terminal: {failure}"))
                .map(|started| (started, around))
        });
        let ((mut child, group, pty), around) = match started {
            Ok(started) => started,
            Err(why) => return ToolReport::failed(why),
        };
        let limit = limit(invocation);
        let mut screen = TerminalScreen::new(output);
        let mut refusals = invocation.sandboxed.then(|| Refusals::of(around, workspace.root()));
        let end = {
            let (from, to) = pty.into_split();
            let answers = keyboard.keys();
            let feed = std::pin::pin!(feed(keyboard, to));
            let pump = std::pin::pin!(pump(from, &mut screen, &answers, refusals.as_mut()));
            // Who types never ends: it is over when there is nothing more to read.
            let both = std::pin::pin!(async {
                select(pump, feed).await;
            });
            attend(&mut child, &group, both, after(limit)).await
        };
        drop(group);
        let mut printed = Printed::new(invocation.max_chars);
        printed.push(screen.text().as_bytes());
        report(&end, limit, printed, self.said_by_the_sandbox(refusals.as_ref()))
    }

    /// The terminal becomes the controlling one of the command's own session, so `/dev/tty` is never the user's. Where
    /// nobody types, what it reads from its input has ended already.
    fn spawn_on_terminal(
        &self,
        workspace: &Workspace,
        command: &str,
        invocation: &Invocation,
        (attended, around): (bool, &Surroundings),
    ) -> io::Result<(Child, Group, Pty)> {
        let (pty, side) = pty_process::open().map_err(io::Error::other)?;
        pty.resize(Size::new(ROWS.get(), COLUMNS.get())).map_err(io::Error::other)?;
        let (sh, private) = self.prepare(workspace, command, invocation, around)?;
        let sh = pty_process::Command::from(sh).env("TERM", KIND);
        let sh = if attended { sh } else { sh.stdin(Stdio::null()) };
        let (child, mut group) =
            Group::lead(&self.groups, |name, mark| sh.env(name, mark).spawn(side).map_err(io::Error::other))?;
        group.hold(private);
        Ok((child, group, pty))
    }
}

/// Reads until nobody holds the terminal any more, which reads as an error.
async fn pump(
    mut pty: OwnedReadPty,
    screen: &mut TerminalScreen,
    answers: &mpsc::Sender<Typed>,
    mut refusals: Option<&mut Refusals>,
) {
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
        let answer = screen.take_in(bytes);
        if !answer.0.is_empty() && answers.try_send(answer).is_err() {
            tracing::debug!("an answer of a terminal is dropped: the command does not read");
        }
        if screen.due_in() == Some(Duration::ZERO) {
            screen.show();
        }
    }
}

/// Writes what is typed, as fast as the command takes it. Has no end of its own.
async fn feed(mut keyboard: Keyboard, mut pty: OwnedWritePty) {
    while let Some(Typed(bytes)) = keyboard.next().await {
        if let Err(failure) = pty.write_all(&bytes).await {
            tracing::debug!(%failure, "a terminal took nothing");
        }
    }
}

/// What a cell looks like. One that was erased has a background and nothing else, as in other terminals.
fn look(cell: &vt100::Cell) -> CellStyle {
    let background = colour(cell.bgcolor());
    if !cell.has_contents() && !cell.is_wide_continuation() {
        return CellStyle { background, ..CellStyle::default() };
    }
    let weight = match (cell.bold(), cell.dim()) {
        (true, _) => Weight::Bold,
        (false, true) => Weight::Dim,
        (false, false) => Weight::Normal,
    };
    let (italic, underline, inverse) = (cell.italic(), cell.underline(), cell.inverse());
    CellStyle { foreground: colour(cell.fgcolor()), background, weight, italic, underline, inverse }
}

const fn colour(colour: vt100::Color) -> Colour {
    match colour {
        vt100::Color::Default => Colour::Default,
        vt100::Color::Idx(index) => Colour::Palette(index),
        vt100::Color::Rgb(red, green, blue) => Colour::Exact([red, green, blue]),
    }
}

impl TerminalScreen {
    fn new(output: mpsc::Sender<Shown>) -> Self {
        let parser = vt100::Parser::new_with_callbacks(ROWS, COLUMNS, SCROLLBACK, Answers::default());
        Self { parser, strings: Strings::default(), output, sent: None, is_stale: false }
    }

    /// Takes in what the command has written. Returns what the terminal answers to it.
    fn take_in(&mut self, bytes: &[u8]) -> Typed {
        self.strings.pass(bytes, |bytes| self.parser.process(bytes));
        self.is_stale = true;
        Typed(std::mem::take(&mut self.parser.callbacks_mut().waiting))
    }

    /// How long the next picture has to wait still; `None` when there is nothing new.
    fn due_in(&self) -> Option<Duration> {
        if !self.is_stale || self.output.is_closed() {
            return None;
        }
        Some(self.sent.map_or(Duration::ZERO, |sent| EVERY.saturating_sub(sent.elapsed())))
    }

    /// Shows the screen in the place of what was shown before. Never waits.
    fn show(&mut self) {
        self.sent = Some(Instant::now());
        let screen = self.parser.screen();
        let keys = KeyModes {
            application_cursor: screen.application_cursor(),
            bracketed_paste: screen.bracketed_paste(),
        };
        let cursor = (!screen.hide_cursor()).then(|| screen.cursor_position());
        let shown = tool::Screen { rows: self.visible(), cursor, keys };
        if self.output.try_send(Shown::Screen(shown)).is_ok() {
            self.is_stale = false;
        }
    }

    /// The rows in sight with their looks, without those at the end on which nothing is to be seen.
    fn visible(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = (0..ROWS.get()).map(|at| self.row(at)).collect();
        while rows.last().is_some_and(|row| row.text().is_empty()) {
            rows.pop();
        }
        rows
    }

    /// One row, up to the last cell on which something is to be seen.
    fn row(&self, at: u16) -> Row {
        let screen = self.parser.screen();
        let cells = || (0..COLUMNS.get()).filter_map(|column| screen.cell(at, column));
        let seen =
            |cell: &vt100::Cell| !cell.contents().trim_end().is_empty() || look(cell).shows_on_blanks();
        let blank = cells().rev().take_while(|cell| !seen(cell)).count();
        let mut row = Row::default();
        for cell in cells().take(usize::from(COLUMNS.get()) - blank) {
            match cell.contents() {
                // The second half of a wide character.
                "" if cell.is_wide_continuation() => {}
                "" => row.push(" ", look(cell)),
                text => row.push(text, look(cell)),
            }
        }
        row
    }

    /// All that is left of what came: what has scrolled away, then the screen. Lines that the terminal has broken are
    /// whole again.
    fn text(&mut self) -> String {
        let above = self.parser.screen().scrollback_len();
        let mut text = String::new();
        if above >= SCROLLBACK {
            text.push_str("[… earlier scrollback is lost …]\n");
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
