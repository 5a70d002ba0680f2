//! How the program ends: its words on stdout, its one line on stderr, its exit code. Never a backtrace.

use std::{
    any::Any,
    borrow::Cow,
    cell::Cell,
    io::{IsTerminal, Write},
    panic,
};

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::ui::text::sanitize;

thread_local! {
    /// What the panic of this thread said; told when the screen is restored, not in the middle of it.
    static LAST_PANIC: Cell<Option<String>> = const { Cell::new(None) };
}

/// Runs the program and reports what went wrong, a panic too.
pub(super) fn report(run: impl FnOnce() -> Result<Exit, Fault> + panic::UnwindSafe) -> Exit {
    panic::set_hook(Box::new(|info| {
        let place =
            info.location().map_or(String::new(), |place| format!(" at {}:{}", place.file(), place.line()));
        let words = words_of(info.payload());
        tracing::error!("panic{place}");
        LAST_PANIC.set(Some(format!("{words}{place}")));
    }));
    let outcome = caught(run);
    match outcome {
        Ok(exit) => exit,
        Err(fault) => {
            // Nobody is left to tell when stderr is gone.
            writeln!(std::io::stderr(), "{fault}").unwrap_or_default();
            fault.exit
        }
    }
}

/// A remark on stderr, made safe wherever that leads: only its first line begins at the edge, so that no command or
/// answer in it looks like a remark of its own. When stderr is gone, nobody is left to tell.
pub(super) fn complain(line: &str) {
    writeln!(std::io::stderr(), "{}", sanitize(line).replace('\n', "\n  ")).unwrap_or_default();
}

/// A word on stderr about what is waited for. When stderr is gone, nobody is left to tell.
pub(super) fn remark(words: &str) {
    writeln!(std::io::stderr(), "{words}").unwrap_or_default();
}

fn caught(run: impl FnOnce() -> Result<Exit, Fault> + panic::UnwindSafe) -> Result<Exit, Fault> {
    panic::catch_unwind(run).unwrap_or_else(|_| Err(broken()))
}

/// The last panic of this thread, which was caught, as a fault.
pub(super) fn broken() -> Fault {
    let what = LAST_PANIC.take().unwrap_or_default();
    Fault::failed(
        format!("countersign crashed: {what}"),
        "the session is saved: `countersign resume --last` continues it; please report this line",
    )
}

fn words_of(payload: &dyn Any) -> &str {
    let owned = payload.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message")
}

/// Writes to stdout: to a terminal made safe, to a file or a program byte by byte as it is. A reader that has gone away
/// has read enough.
pub(super) fn say(text: &str) -> Result<Exit, Fault> {
    say_painted(&for_stdout(text))
}

/// The text as stdout may have it.
pub(super) fn for_stdout(text: &str) -> Cow<'_, str> {
    if std::io::stdout().is_terminal() { sanitize(text) } else { Cow::Borrowed(text) }
}

/// The same for a text with colours of ours, in which everything else is made safe already.
pub(super) fn say_painted(text: &str) -> Result<Exit, Fault> {
    written(text).map(|_| Exit::Completed)
}

/// Whether somebody still reads stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Audience {
    /// As far as one can know.
    Reads,
    /// It has gone away, and has read enough.
    Gone,
}

/// As [`say`], for a part of an answer: more may follow.
pub(super) fn say_on(text: &str) -> Result<Audience, Fault> {
    written(&for_stdout(text))
}

fn written(text: &str) -> Result<Audience, Fault> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(Audience::Reads),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(Audience::Gone),
        Err(error) => Err(Fault::failed(
            format!("cannot write to stdout: {error}"),
            "check where stdout \
            goes",
        )),
    }
}

/// Help and version go to stdout; a wrong command line becomes one line.
pub(super) fn of_clap(error: &clap::Error) -> Result<Exit, Fault> {
    if error.exit_code() == 0 {
        return say(&error.render().to_string());
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return Err(Fault::usage("a command is missing", "see `countersign --help`"));
    }
    let rendered = error.render().to_string();
    let told: Vec<&str> = rendered
        .lines()
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .collect();
    let told = one_line(&told.join("\n")).replace(" tip: ", "; ");
    let told = told.strip_prefix("error: ").unwrap_or(&told);
    let stray = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(stray)) if error.kind() == ErrorKind::UnknownArgument => stray.as_str(),
        _ if error.kind() == ErrorKind::InvalidSubcommand => "",
        _ => "-",
    };
    // A second word without a dash is most likely the second word of a PROMPT.
    let next = if stray.starts_with('-') {
        "see `countersign --help`"
    } else {
        "put a PROMPT of several words in quotes, or see `countersign --help`"
    };
    Err(Fault::usage(told, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_fault() {
        let fault = caught(|| panic!("on purpose")).unwrap_err();
        assert_eq!(fault.exit, Exit::Failed);
        assert!(fault.message.starts_with("countersign crashed"));
        assert_eq!(caught(|| Ok(Exit::Budget)), Ok(Exit::Budget));
    }
}
