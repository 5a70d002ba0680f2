//! Peers in words: for `config show`, and before a folder is trusted.

use std::collections::BTreeMap;

use super::super::spelling::quoted;
use super::template;
use crate::wire::Secret;

/// What stands in the place of a value that may be a key.
const HIDDEN: &str = "…";

/// An address without its query, which may hold a key.
pub(in crate::config) fn address_without_query(url: &str) -> String {
    match url.split_once('?') {
        Some((address, _)) => format!("{address}?{HIDDEN}"),
        None => url.to_owned(),
    }
}

/// The names of values that may be keys.
pub(in crate::config) fn hidden(pairs: &BTreeMap<String, Secret>) -> Vec<(Option<&str>, String)> {
    pairs.keys().map(|name| (Some(name.as_str()), quoted(HIDDEN))).collect()
}

/// The same in words, each with where its value comes from.
pub(in crate::config) fn named(pairs: &BTreeMap<String, Secret>) -> String {
    let named = pairs.iter().map(|(name, value)| taken(name, &from(value.expose())));
    named.collect::<Vec<_>>().join(", ")
}

/// The same with the values as they are written: one alone can decide what a program does, as that of `LD_PRELOAD`.
pub(in crate::config) fn with_values(pairs: &BTreeMap<String, Secret>) -> String {
    let told = pairs.iter().map(|(name, value)| {
        let (text, others) = (value.expose(), from(value.expose()));
        let is_one = matches!(others.as_slice(), [one] if text == format!("${{{one}}}"));
        if is_one { taken(name, &others) } else { taken(&format!("{name}={}", as_word(text)), &others) }
    });
    told.collect::<Vec<_>>().join(", ")
}

fn taken(name: &str, others: &[&str]) -> String {
    match others {
        [] => name.to_owned(),
        [same] if *same == name => format!("{name} of your environment"),
        others => format!("{name} with {} of your environment", others.join(", ")),
    }
}

/// The variables of the environment that a value takes, each once.
fn from(value: &str) -> Vec<&str> {
    let mut names = template::variables(value);
    names.dedup();
    names
}

/// A word of a command: in quotes where its ends could not be seen, or where it would steer or hide.
pub(in crate::config) fn as_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@=,+%${}~?&#".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("{word:?}") }
}
