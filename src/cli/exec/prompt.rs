//! The words of a run: the argument, what is piped in, or both.

use std::io::{self, IsTerminal, Read};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use crate::cli::block::block;
use crate::cli::outcome::complain;
use crate::config::fault::Fault;

/// What stdin may hold. More is a file, which the model can read in parts.
const MOST_BYTES: usize = 8 << 20;
/// A pipe that says nothing for so long is named, so that nobody wonders what the program waits for.
const QUIET: Duration = Duration::from_secs(2);
/// Of so many bytes, one that is not text means that they are binary, if there are more than a few; else they may be a text in
/// another encoding.
const ONE_IN: usize = 20;
const FEW: usize = 4;
/// A pipe that says nothing for so long was left open by mistake.
const SILENT: Duration = Duration::from_secs(300);

/// What the user says first.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// The prompt, whose `@paths` name files.
    pub(super) prompt: String,
    /// What was piped in beside it, as a block. It is material: an `@path` in it is text.
    pub(super) block: Option<String>,
}

/// Reads the words: the argument with what is piped in, or stdin (`-`, or no argument and a pipe).
///
/// # Errors
/// No prompt, or something on stdin that cannot be sent.
pub(super) fn words(prompt: Option<&str>) -> Result<Words, Fault> {
    let is_piped = !io::stdin().is_terminal();
    let from_stdin = prompt == Some("-") || prompt.is_none() && is_piped;
    let prompt = if from_stdin { stdin()? } else { prompt.unwrap_or_default().to_owned() };
    if prompt.trim().is_empty() {
        return Err(Fault::usage("there is no prompt", "give one as an argument, or on stdin with `-`"));
    }
    let prompt = prompt.trim_end_matches('\n').to_owned();
    let piped = if from_stdin || !is_piped { String::new() } else { stdin()? };
    let block = (!piped.trim().is_empty()).then(|| block("stdin", &piped));
    Ok(Words { prompt, block })
}

fn stdin() -> Result<String, Fault> {
    text(io::stdin(), QUIET, SILENT, |note| complain(&note))
}

/// Reads to the end, within bounds. The thread that reads is left behind if the other end stays silent.
fn text(
    mut from: impl Read + Send + 'static,
    quiet: Duration,
    silent: Duration,
    note: impl Fn(String),
) -> Result<String, Fault> {
    let (tell, told) = sync_channel::<io::Result<Vec<u8>>>(1);
    let reading = std::thread::Builder::new().name("stdin".to_owned()).spawn(move || {
        let mut chunk = vec![0; 64 << 10];
        loop {
            let read = match from.read(&mut chunk) {
                Ok(0) => return,
                Ok(length) => Ok(chunk.get(..length).unwrap_or_default().to_vec()),
                Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
                Err(why) => Err(why),
            };
            let is_over = read.is_err();
            if tell.send(read).is_err() || is_over {
                return;
            }
        }
    });
    reading.map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
    let mut bytes = Vec::new();
    let mut patience = quiet;
    loop {
        match told.recv_timeout(patience) {
            Ok(Ok(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(Err(why)) => return Err(Fault::failed(format!("cannot read stdin: {why}"), "")),
            Err(RecvTimeoutError::Disconnected) => return plain(bytes, note),
            Err(RecvTimeoutError::Timeout) if patience == quiet && quiet < silent => {
                note(format!(
                    "note: reading stdin, which is still open; the run begins when it ends. If nothing is piped in, add \
                     `</dev/null`. After {} s without input the run is given up",
                    silent.as_secs()
                ));
                patience = silent;
            }
            Err(RecvTimeoutError::Timeout) => {
                let what = format!("stdin is open, but nothing came for {} s", silent.as_secs());
                return Err(Fault::usage(what, "close it, or add `</dev/null` if nothing is piped in"));
            }
        }
        if bytes.len() > MOST_BYTES {
            let what = format!("stdin holds more than {} MiB", MOST_BYTES >> 20);
            return Err(Fault::usage(what, "save it as a file and name the file in the prompt"));
        }
    }
}

/// Bytes that are text. A few that are not UTF-8 are replaced, and named; a NUL is in no text.
fn plain(bytes: Vec<u8>, note: impl Fn(String)) -> Result<String, Fault> {
    let is_control = |byte: &u8| matches!(byte, 1..=7 | 14..=26 | 28..=31 | 127);
    let controls = bytes.iter().filter(|byte| is_control(byte)).count();
    let broken: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    let strange = controls + broken;
    if bytes.contains(&0) || strange > FEW && strange * ONE_IN > bytes.len() {
        return Err(Fault::usage(
            "stdin is binary, not text",
            "save it as a file and name the file in the prompt; an image goes with --image FILE",
        ));
    }
    if broken > 0 {
        let bytes = if broken == 1 { "1 byte was".to_owned() } else { format!("{broken} bytes were") };
        note(format!("note: stdin is not UTF-8: {bytes} replaced by \u{fffd}"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn what_is_too_long_binary_or_never_ends_is_refused() {
        let none = |note: String| panic!("{note}");
        let read =
            |from: Box<dyn Read + Send>| text(from, QUIET, SILENT, none).map_err(|fault| fault.message);
        assert_eq!(read(Box::new(&b"ok"[..])), Ok("ok".to_owned()));
        assert_eq!(read(Box::new(io::repeat(b'a'))), Err("stdin holds more than 8 MiB".to_owned()));
        let binary = Err("stdin is binary, not text".to_owned());
        assert_eq!(read(Box::new(&b"a\0b"[..])), binary);
        assert_eq!(read(Box::new(&b"\x1f\x8b\x08\xd3\xff\xfe\xc4\x99\x80\x03"[..])), binary);
        assert_eq!(
            read(Box::new("\u{1b}[1mgrün\u{1b}[m\r\n".as_bytes())),
            Ok("\u{1b}[1mgrün\u{1b}[m\r\n".to_owned())
        );
        let (open, _writer) = io::pipe().unwrap();
        let notes = RefCell::new(Vec::new());
        let noted = |note| notes.borrow_mut().push(note);
        let silent = text(open, Duration::ZERO, Duration::from_nanos(1), noted).unwrap_err();
        assert!(silent.message.contains("stdin is open, but nothing came"), "{silent}");
        assert!(notes.borrow()[0].contains("reading stdin, which is still open"), "{notes:?}");
        let latin =
            text(&b"a text in Latin-1, in which one letter is \xfc"[..], QUIET, SILENT, noted).unwrap();
        assert!(latin.ends_with("is \u{fffd}"));
        assert_eq!(
            notes.borrow().last().unwrap(),
            "note: stdin is not UTF-8: 1 byte was replaced by \u{fffd}"
        );
    }
}
