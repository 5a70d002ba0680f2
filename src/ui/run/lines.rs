//! What is typed, line by line: the terminal's own line editing and echo, read beside the loop.
//!
//! A line must not answer a question that its writer has not seen. So a line carries the number of the questions that
//! stood on the terminal before it could be read: while a question is being written nobody reads, and what is there to
//! be read when it has been written was typed before it. So was a line of which a terminal has only the beginning then.

use std::io::{self, IsTerminal, PipeReader, PipeWriter, stdin};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{LocalModes, tcgetattr};
use tokio::sync::mpsc;

use super::super::linear::{Echo, Line};
use super::half_line;
use super::held_line::TOGETHER;

/// Bytes that are read at once: more than a terminal has for one line.
const PIECE: usize = 16 * 1024;
/// Pieces that may be there before a question. A terminal has one; whoever has more writes without reading.
const MOST_PIECES: usize = 256;

/// What was typed.
#[derive(Debug)]
pub(super) enum TypedLine {
    /// A line.
    Line(Line),
    /// Ctrl-D, or the end of what stdin is.
    End,
    /// The terminal is gone.
    Gone,
}

/// Reads until it is dropped, and not a line more.
pub(super) struct LineReader {
    gate: Arc<Mutex<Gate>>,
    /// Closed with this value: the reader, who waits for it too, wakes and ends.
    _end: PipeWriter,
}

/// What only one of the two may use at a time: the reader, or who writes a question.
struct Gate {
    input: OwnedFd,
    /// Whether a terminal shows what is typed.
    shown: bool,
    typed: mpsc::UnboundedSender<TypedLine>,
    /// The beginning of a line.
    begun: Vec<u8>,
    /// How many questions stood on the terminal when it was begun, if one was written since.
    begun_at: Option<u64>,
    questions: u64,
    /// When reading began, and when the last line was read.
    began: Instant,
    last: Option<Instant>,
    is_over: bool,
}

impl LineReader {
    /// Begins to read.
    ///
    /// # Errors
    /// When the system gives no pipe or no thread.
    pub(super) fn begin() -> io::Result<(Self, mpsc::UnboundedReceiver<TypedLine>)> {
        Self::of(stdin().as_fd().try_clone_to_owned()?, stdin().is_terminal())
    }

    fn of(input: OwnedFd, shown: bool) -> io::Result<(Self, mpsc::UnboundedReceiver<TypedLine>)> {
        let (typed, lines) = mpsc::unbounded_channel();
        let (ended, end) = io::pipe()?;
        let watched = input.try_clone()?;
        let gate = Gate {
            input,
            shown,
            typed,
            begun: Vec::new(),
            begun_at: None,
            questions: 0,
            began: Instant::now(),
            last: None,
            is_over: false,
        };
        let gate = Arc::new(Mutex::new(gate));
        let reader = Arc::clone(&gate);
        thread::Builder::new().name("lines".to_owned()).spawn(move || read_on(&reader, &watched, &ended))?;
        Ok((Self { gate, _end: end }, lines))
    }

    /// Whether a terminal shows what is typed.
    pub(super) fn are_shown(&self) -> bool {
        held(&self.gate).shown
    }

    /// How long it has been reading.
    pub(super) fn elapsed(&self) -> Duration {
        held(&self.gate).began.elapsed()
    }

    /// Ctrl-C: a terminal has forgotten what was typed and not ended.
    pub(super) fn forget_half(&self) {
        let mut gate = held(&self.gate);
        gate.begun.clear();
        gate.begun_at = None;
    }

    /// Whether more stands behind the lines that were read: another one, or the beginning of one, which a
    /// terminal gives to nobody before Enter. What is pasted seldom ends its last line.
    pub(super) fn go_on(&self) -> bool {
        let mut gate = held(&self.gate);
        if gate.is_over {
            return false;
        }
        if !gate.begun.is_empty() || is_readable(&gate.input) {
            return true;
        }
        if !gate.shown {
            return false;
        }
        let half = half_line::take(&gate.input);
        gate.take_in(&half);
        !half.is_empty()
    }

    /// Writes a question and returns the number that lines carry from here on.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn ask(&self, write: impl FnOnce() -> io::Result<()>) -> io::Result<u64> {
        let mut gate = held(&self.gate);
        write()?;
        let mut pieces = 0;
        while !gate.is_over && is_readable(&gate.input) {
            gate.read();
            pieces += 1;
            if pieces == MOST_PIECES {
                gate.end(TypedLine::End);
            }
        }
        // Half a line was begun before the question: whatever is typed behind it, nobody has meant it as an answer.
        if gate.shown && !gate.is_over {
            let half = half_line::take(&gate.input);
            gate.take_in(&half);
        }
        if !gate.begun.is_empty() {
            let before = gate.questions;
            gate.begun_at.get_or_insert(before);
        }
        gate.questions += 1;
        Ok(gate.questions)
    }
}

impl Drop for LineReader {
    fn drop(&mut self) {
        held(&self.gate).is_over = true;
    }
}

impl Gate {
    /// Reads what is there. A terminal gives one line.
    fn read(&mut self) {
        let mut piece = vec![0; PIECE];
        match rustix::io::read(&self.input, &mut piece) {
            Ok(0) => self.end(TypedLine::End),
            Ok(bytes) => self.take_in(piece.get(..bytes).unwrap_or_default()),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => self.end(TypedLine::Gone),
        }
    }

    /// Takes in bytes: the lines that they end are told.
    fn take_in(&mut self, piece: &[u8]) {
        self.begun.extend(piece);
        let mut lines = Vec::new();
        while let Some(at) = self.begun.iter().position(|byte| *byte == b'\n') {
            let rest = self.begun.split_off(at + 1);
            lines.push(std::mem::replace(&mut self.begun, rest));
        }
        // A person ends one line after the other; what is pasted has ended several at once.
        let now = Instant::now();
        let follows = self.last.is_some_and(|last| now.duration_since(last) < TOGETHER);
        let alone = lines.len() == 1 && !follows && !is_readable(&self.input);
        if !lines.is_empty() {
            self.last = Some(now);
        }
        lines.iter().for_each(|line| self.tell(line, alone));
    }

    fn tell(&mut self, line: &[u8], alone: bool) {
        let text = String::from_utf8_lossy(line).trim_end_matches(['\n', '\r']).to_owned();
        let at = self.began.elapsed();
        let typed = self.begun_at.take().unwrap_or(self.questions);
        let echo = match self.shown {
            false => Echo::Unseen,
            true if echoes(&self.input) => Echo::Shown,
            true => Echo::Elsewhere,
        };
        self.say(TypedLine::Line(Line { text, typed, echo, alone, at }));
    }

    fn end(&mut self, how: TypedLine) {
        let last = std::mem::take(&mut self.begun);
        if !last.is_empty() {
            self.tell(&last, false);
        }
        self.is_over = true;
        self.say(how);
    }

    /// A loop that has ended hears nothing.
    fn say(&self, typed: TypedLine) {
        self.typed.send(typed).unwrap_or_default();
    }
}

/// The reader: waits without holding anybody up, reads what came.
fn read_on(gate: &Mutex<Gate>, input: &OwnedFd, ended: &PipeReader) {
    loop {
        let mut both = [PollFd::new(input, PollFlags::IN), PollFd::new(ended, PollFlags::IN)];
        match poll(&mut both, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return held(gate).end(TypedLine::Gone),
        }
        let mut gate = held(gate);
        // Whoever has asked a question may have read it all meanwhile.
        if !gate.is_over && is_readable(&gate.input) {
            gate.read();
        }
        if gate.is_over {
            return;
        }
    }
}

/// Whether a terminal shows what is typed: a program that writes into one may have switched that off.
fn echoes(terminal: &OwnedFd) -> bool {
    tcgetattr(terminal).is_ok_and(|modes| modes.local_modes.contains(LocalModes::ECHO))
}

fn is_readable(input: &OwnedFd) -> bool {
    let mut only = [PollFd::new(input, PollFlags::IN)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut only, Some(&at_once)).is_ok_and(|ready| ready > 0)
}

fn held(gate: &Mutex<Gate>) -> MutexGuard<'_, Gate> {
    gate.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// The next line, and how many questions stood before it.
    fn next(lines: &mut mpsc::UnboundedReceiver<TypedLine>) -> Option<(String, u64)> {
        match lines.blocking_recv()? {
            TypedLine::Line(line) => Some((line.text, line.typed)),
            TypedLine::End | TypedLine::Gone => None,
        }
    }

    #[test]
    fn what_is_there_when_a_question_has_been_written_was_typed_before_it() {
        let (input, mut typist) = io::pipe().unwrap();
        let (lines, mut typed) = LineReader::of(input.into(), false).unwrap();
        typist.write_all(b"early\n").unwrap();
        assert_eq!(next(&mut typed), Some(("early".to_owned(), 0)));
        for question in 1..100 {
            let during = || typist.write_all(b"y\nn\nhalf ");
            assert_eq!(lines.ask(during).unwrap(), question);
            typist.write_all(b"a line\r\ny\n").unwrap();
            assert_eq!(next(&mut typed), Some(("y".to_owned(), question - 1)));
            assert_eq!(next(&mut typed), Some(("n".to_owned(), question - 1)));
            assert_eq!(
                next(&mut typed),
                Some(("half a line".to_owned(), question - 1)),
                "it was begun before"
            );
            assert_eq!(next(&mut typed), Some(("y".to_owned(), question)));
        }
        typist.write_all(b"no end").unwrap();
        drop(typist);
        assert_eq!(next(&mut typed), Some(("no end".to_owned(), 99)));
        assert_eq!(next(&mut typed), None);
    }

    #[test]
    fn lines_that_come_together_are_not_alone() {
        let (input, mut typist) = io::pipe().unwrap();
        let (_lines, mut typed) = LineReader::of(input.into(), false).unwrap();
        let mut alone = || match typed.blocking_recv().unwrap() {
            TypedLine::Line(line) => line.alone,
            other => panic!("{other:?}"),
        };
        typist.write_all(b"y\n").unwrap();
        assert!(alone());
        typist.write_all(b"y\nn\ny\n").unwrap();
        assert_eq!([alone(), alone(), alone()], [false; 3]);
    }

    #[test]
    fn who_was_dropped_takes_nothing_from_who_reads_next() {
        let (input, mut typist) = io::pipe().unwrap();
        let again = input.try_clone().unwrap();
        for _ in 0..50 {
            drop(LineReader::of(again.try_clone().unwrap().into(), false).unwrap());
        }
        let (_lines, mut typed) = LineReader::of(input.into(), false).unwrap();
        typist.write_all(b"mine\n").unwrap();
        assert_eq!(next(&mut typed), Some(("mine".to_owned(), 0)));
    }

    #[test]
    fn who_writes_without_reading_is_not_heard_for_ever() {
        let (input, typist) = io::pipe().unwrap();
        let (lines, _typed) = LineReader::of(input.into(), false).unwrap();
        let flood = thread::spawn(move || while (&typist).write_all(b"y\n").is_ok() {});
        lines.ask(|| Ok(())).unwrap();
        drop(lines);
        drop(flood);
    }
}
