//! `echo`: says its text again. A tool for tests and demonstrations; the configuration adds it (`tools.echo`).

use crate::ledger::Arguments;

/// Does it.
///
/// # Errors
/// A sentence that says what to do instead.
pub(super) fn run(arguments: &Arguments) -> Result<String, String> {
    let text = arguments.text("text").or_else(|| arguments.text("msg"));
    text.map(str::to_owned).ok_or_else(|| "there is nothing to say again; give `text`".to_owned())
}
