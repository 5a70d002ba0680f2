//! `config show`: every value as TOML, each with where it came from.

use super::{
    AgentEntry, Config, McpEntry, facts,
    key::{KeyRow, KeyValue, rows},
    peers::{self, Entry},
    source::Source,
    spelling::{line, listed, quoted, spelled},
    value::write_dollars,
};
use crate::budget::{Limit, Unit};
use crate::config::fault::one_line;
use crate::ledger::MicroDollars;

impl Config {
    /// The configuration in force. Valid TOML; the values of headers are hidden.
    pub fn show(&self) -> String {
        let mut text = String::new();
        for warning in self.warnings.iter().chain(&self.asides) {
            line(&mut text, &format!("# ignored: {}", one_line(warning)));
        }
        for row in rows().filter(|row| !row.path.contains('*')) {
            // The key that set the turn limit picks the words of its stop.
            let is_steps = matches!(row.value, KeyValue::Limit(Limit::Turns)) && self.limit_is_steps;
            let written = if is_steps { "loop.max_steps" } else { row.path };
            match self.literal(row) {
                Some(value) => line(&mut text, &format!("{written} = {value}  # {}", self.place(row))),
                None => line(&mut text, &format!("# {} is not set", row.path)),
            }
        }
        for (path, keys) in self.keymap.written() {
            let keys: Vec<String> = keys.iter().map(|key| quoted(key)).collect();
            let place = one_line(&self.source(&path).to_string());
            line(&mut text, &format!("{path} = [{}]  # {place}", keys.join(", ")));
        }
        self.show_hooks(&mut text);
        self.show_peers::<McpEntry>(&mut text);
        self.show_peers::<AgentEntry>(&mut text);
        self.show_providers(&mut text);
        self.show_models(&mut text);
        text
    }

    /// What was said of each peer of a kind, a key a line. Values of variables and headers are hidden.
    fn show_peers<P: Entry>(&self, text: &mut String) {
        for (name, peer) in P::shown(self) {
            for row in rows() {
                let (Some(member), Some(key)) = (P::member(row), row.path.split('.').nth(2)) else {
                    continue;
                };
                for (below, literal) in member.literals(peer) {
                    let path = peers::path::<P>(name, &[&[key], below.as_slice()].concat());
                    if let Some(source) = self.origins.get(&path) {
                        line(text, &format!("{path} = {literal}  # {}", one_line(&source.to_string())));
                    }
                }
            }
        }
    }

    /// Where a value came from; for a list, all places that added to it.
    fn place(&self, row: &KeyRow) -> String {
        let KeyValue::Rules(kind) = row.value else { return one_line(&self.source(row.path).to_string()) };
        let of_kind = self.rules.iter().filter(|sourced| sourced.rule.kind == kind);
        let places = places(of_kind.map(|sourced| &sourced.source));
        if places.is_empty() { Source::Default.to_string() } else { places }
    }

    /// A value as TOML writes it; `None` where it is not set, and of what people name.
    fn literal(&self, row: &KeyRow) -> Option<String> {
        match &row.value {
            KeyValue::Switch { get, .. } => Some(get(self).to_string()),
            KeyValue::Count { get, .. } => get(self).map(|number| number.to_string()),
            KeyValue::Dollars { get, .. } => get(self).map(write_dollars),
            KeyValue::Limit(limit) => self.limits.get(*limit).map(|most| match limit.unit() {
                Unit::MicroDollars => write_dollars(MicroDollars(most)),
                Unit::Things(_) | Unit::Tokens | Unit::Seconds => most.to_string(),
            }),
            KeyValue::Bound(bound) => Some(self.limits.bound(*bound).to_string()),
            KeyValue::Letters { get, .. } => get(self),
            KeyValue::Rules(kind) => {
                let of_kind = self.rules.iter().filter(|sourced| sourced.rule.kind == *kind);
                Some(listed(of_kind.map(|sourced| quoted(&sourced.rule.to_string()))))
            }
            KeyValue::Hooks
            | KeyValue::Provider(_)
            | KeyValue::Mcp(_)
            | KeyValue::Agent(_)
            | KeyValue::Fact(_) => None,
        }
    }

    fn show_providers(&self, text: &mut String) {
        for (name, provider) in &self.providers {
            for row in rows() {
                let KeyValue::Provider(member) = &row.value else { continue };
                for (below, value) in member.literals(provider) {
                    let path = with_names(row, [Some(name), below]);
                    line(text, &format!("{path} = {value}  # {}", one_line(&self.source(&path).to_string())));
                }
            }
        }
    }

    fn show_models(&self, text: &mut String) {
        for (model, facts) in &self.models {
            for (fact, value) in facts::literals(facts) {
                let path = spelled(&["models".to_owned(), model.clone(), fact.to_owned()]);
                line(text, &format!("{path} = {value}  # {}", self.place_of_fact(model, fact, &path)));
            }
        }
    }

    /// A fact may have been written under `models` or under `providers.X.models`.
    fn place_of_fact(&self, model: &str, fact: &str, path: &str) -> String {
        let (provider, name) = model.split_once('/').unwrap_or((model, ""));
        let other = ["providers", provider, "models", name, fact].map(str::to_owned);
        let source = self.origins.get(path).or_else(|| self.origins.get(&spelled(&other)));
        one_line(&source.unwrap_or(&Source::Default).to_string())
    }
}

/// Places, each once: of a file its name, with all lines behind it.
fn places<'s>(sources: impl Iterator<Item = &'s Source>) -> String {
    let mut files: Vec<(String, &str, Vec<usize>)> = Vec::new();
    for source in sources {
        let (place, behind, line) = match source {
            Source::User(path, line) | Source::Project(path, line) => {
                (path.display().to_string(), "", Some(*line))
            }
            Source::Trusted(path, line) => (path.display().to_string(), " (trusted)", Some(*line)),
            Source::Default | Source::Variable(_) | Source::Flag(_) => (source.to_string(), "", None),
        };
        match files.iter_mut().find(|(known, tier, _)| *known == place && *tier == behind) {
            Some((_, _, lines)) => lines.extend(line),
            None => files.push((place, behind, line.into_iter().collect())),
        }
    }
    let written = files.into_iter().map(|(place, behind, lines)| {
        let lines = if lines.is_empty() { String::new() } else { format!(":{}", ranges(lines)) };
        one_line(&format!("{place}{lines}{behind}"))
    });
    written.collect::<Vec<_>>().join(", ")
}

/// Numbers in order, each once: `3-7,9`.
fn ranges(mut numbers: Vec<usize>) -> String {
    numbers.sort_unstable();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if number <= *last + 1 => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let written = runs
        .iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") });
    written.collect::<Vec<_>>().join(",")
}

/// The path of a key, with these names in the place of its `*`.
fn with_names(row: &KeyRow, names: [Option<&str>; 2]) -> String {
    let mut names = names.into_iter().flatten();
    let segments = row.path.split('.').map(|segment| match segment {
        "*" => names.next().unwrap_or(segment).to_owned(),
        segment => segment.to_owned(),
    });
    spelled(&segments.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_file_is_named_once_with_its_lines() {
        let file = Arc::new(PathBuf::from("/home/config.toml"));
        let user = |line| Source::User(Arc::clone(&file), line);
        let trusted = Source::Trusted(Arc::new(PathBuf::from("/repo/config.toml")), 2);
        let all = [user(4), user(3), user(3), Source::Flag("--allow"), user(5), user(9), trusted];
        assert_eq!(places(all.iter()), "/home/config.toml:3-5,9, --allow, /repo/config.toml:2 (trusted)");
        assert_eq!(places([].iter()), "");
    }
}
