//! Keys in files: refused where others can read them.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use crate::config::connection::Secret;
use crate::config::environment::Environment;
use crate::config::fault::Fault;
use crate::config::reading;
use crate::config::reading::Reading;
use crate::policy::shell::shell_word;

/// Most bytes of a file of keys.
const MOST_BYTES: u64 = 64 * 1024;
/// The permissions of a group and of all others.
const OTHERS: u32 = 0o077;

/// `~/` is the user's home.
pub(super) fn expanded(written: &str, environment: &Environment) -> PathBuf {
    match (written.strip_prefix("~/"), environment.home()) {
        (Some(below), Some(home)) => home.join(below),
        (Some(_) | None, _) => PathBuf::from(written),
    }
}

/// The key that is all of a file.
pub(super) fn whole(path: &Path) -> Result<Secret, Fault> {
    let text = read(path)?.ok_or_else(|| {
        Fault::usage(format!("the key file {} does not exist", path.display()), "correct api_key_file")
    })?;
    one_line(&text).ok_or_else(|| holds_none(path, "is not one line with a key"))
}

/// A provider's key in the file of all keys, a line `PROVIDER = "KEY"`; `None` where there is no such file or line.
pub(super) fn of_provider(path: &Path, provider: &str) -> Result<Option<Secret>, Fault> {
    let Some(text) = read(path)? else { return Ok(None) };
    // Neither what is wrong in the text nor the text itself is repeated: it holds keys.
    let table = DeTable::parse(&text).map_err(|_repeats_it| holds_none(path, "is not TOML"))?;
    match table.get_ref().get(provider).map(|value| value.get_ref()) {
        None => Ok(None),
        Some(DeValue::String(key)) => one_line(key)
            .map(Some)
            .ok_or_else(|| holds_none(path, &format!("contains no usable key under `{provider}`"))),
        Some(_) => Err(holds_none(
            path,
            &format!(
                "contains something other than a string under \
            `{provider}`"
            ),
        )),
    }
}

fn read(path: &Path) -> Result<Option<String>, Fault> {
    let (read, found) = reading::read_and_found(path, MOST_BYTES);
    if let Some(found) = found
        && found.mode() & OTHERS != 0
    {
        return Err(Fault::usage(
            format!(
                "the key file {} is readable or writable by others (mode \
                {:03o})",
                path.display(),
                found.mode() & 0o777
            ),
            format!("run `chmod 600 {}`", shell_word(&path.display().to_string())),
        ));
    }
    match read {
        Reading::Absent => Ok(None),
        Reading::Text { text, cut: false } => Ok(Some(text)),
        Reading::Text { .. } => Err(holds_none(path, "is larger than 64 KiB")),
        Reading::Refused(why) => Err(holds_none(path, &format!("cannot be read: {why}"))),
    }
}

/// A key is one line of letters that a header can carry.
pub(super) fn one_line(text: &str) -> Option<Secret> {
    let key = text.trim();
    (!key.is_empty() && key.chars().all(|c| c.is_ascii_graphic() || c == ' ')).then(|| Secret::new(key))
}

fn holds_none(path: &Path, what: &str) -> Fault {
    Fault::usage(
        format!("the key file {} {what}", path.display()),
        "keys.toml has lines like groq = \"KEY\"; an api_key_file contains only the key",
    )
}
