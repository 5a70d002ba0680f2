//! What a recorded test may set, and how flags go over it.

use crate::config::Flags;
use crate::config::fault::Fault;
use crate::session::rehearsing::RecordedTest;

/// The keys that a test may set with `-c`: none of them starts a program, reaches a host or names a file, whoever wrote the test.
const KEYS: [&str; 4] = ["budget.", "loop.", "models.script.", "on_approval"];

/// Whether all these settings are of keys that a test may set.
///
/// # Errors
/// The first that is not.
pub(super) fn only_harmless(settings: &[String]) -> Result<(), Fault> {
    let key = |setting: &String| setting.split('=').next().unwrap_or_default().trim().to_owned();
    let is_harmless =
        |key: &str| KEYS.iter().any(|known| key == *known || known.ends_with('.') && key.starts_with(known));
    match settings.iter().map(key).find(|key| !is_harmless(key)) {
        None => Ok(()),
        Some(key) => Err(Fault::usage(
            format!("a test cannot set {key}"),
            "it can set limits (budget, loop), models.script and on_approval; put the rest into the configuration",
        )),
    }
}

/// The flags that were given when it was recorded, and over them those that are given now.
///
/// # Errors
/// It sets more than a test may.
pub(super) fn with_recorded(test: &RecordedTest, now: &Flags) -> Result<Flags, Fault> {
    only_harmless(&test.config)?;
    let [allow, deny, ask] = test.rules.clone();
    let mode = Some(test.mode.clone()).filter(|mode| !mode.is_empty());
    let recorded = Flags { mode, config: test.config.clone(), allow, deny, ask, ..Flags::default() };
    Ok(recorded.then(now.clone()))
}
