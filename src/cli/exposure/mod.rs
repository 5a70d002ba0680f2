//! `exposure`: who has seen a file, a text or a key, by the books of all sessions.

pub mod args;
mod report;

use std::path::{Path, PathBuf};

use super::outcome::say;
use super::sessions::args::Pick;
use super::sessions::place::{SessionPlace, now, remark};
use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::Millis;
use crate::session::exposure::{Sought, SoughtFile, SoughtText, exposure};
use crate::wire::record;
use args::ExposureArgs;

/// Milliseconds of a day.
const DAY: u64 = 24 * 3_600_000;
/// A text that is shorter stands everywhere.
const SHORTEST: usize = 3;

/// Searches and tells, as seen from the folder `cwd`.
///
/// # Errors
/// There is nothing to look for, or no such session.
pub(super) fn run(words: &ExposureArgs, cwd: PathBuf, environment: Environment) -> Result<Exit, Fault> {
    let place = SessionPlace::new(cwd, environment)?;
    let wanted = wanted(words, &place)?;
    let session = words.session.clone();
    let only = session.map(|name| place.locate(&Pick { session: Some(name), last: false })).transpose()?;
    let since = words.over.map(|days| Millis(now().0.saturating_sub(days.saturating_mul(DAY))));
    let found = exposure(&place.state, only, &wanted, since);
    for why in &found.unreadable {
        remark(&format!("{why}; not searched"));
    }
    found.damaged.iter().chain(&found.incomplete).for_each(|why| remark(why));
    let text = if words.json {
        record::line(&report::json(&found, &wanted)) + "\n"
    } else {
        report::words(&found, &wanted, &place.environment)
    };
    say(&place.without_keys(text))
}

fn wanted(words: &ExposureArgs, place: &SessionPlace) -> Result<Sought, Fault> {
    if words.keys {
        let keys = place.environment.named_keys();
        if keys.is_empty() {
            return Err(Fault::usage(
                "no variable of this environment looks like a key",
                "set the variable, or give the text itself to --text",
            ));
        }
        let sought = |(name, key): (&str, &str)| SoughtText::new(Some(name.to_owned()), key);
        return Ok(Sought::Texts(keys.into_iter().map(sought).collect()));
    }
    let what = words.what.as_deref().unwrap_or_default();
    let path = place.path(Path::new(what));
    let is_path = words.path || (!words.text && !what.is_empty() && path.symlink_metadata().is_ok());
    if is_path {
        return Ok(Sought::File(SoughtFile::new(&path, place.environment.home())));
    }
    if what.trim().chars().count() < SHORTEST {
        return Err(Fault::usage(
            format!("`{what}` is not a file, and is too short to search for as a text"),
            format!("give at least {SHORTEST} characters, or --path for a file that is gone"),
        ));
    }
    if !words.text {
        remark("no file has that name, so it is searched as a text; --path searches for a file that is gone");
    }
    Ok(Sought::Texts(vec![SoughtText::new(None, what)]))
}
