//! Follows a path to its key, or says which key it resembles.

use super::super::nearest::nearest;
use super::super::spelling::spelled;
use super::{KeyRow, rows};

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::config) enum KeyPath {
    /// To a key; with the names that stand for its `*`.
    Key(&'static KeyRow, Vec<String>),
    /// To a table that keys are in.
    Table,
    /// Nowhere; with the whole path of the key that it resembles.
    Nowhere(Option<String>),
}

/// Every path with its key: what keys are called first, then what they are called, too.
fn patterns() -> impl Iterator<Item = (&'static str, &'static KeyRow)> {
    let aliases = rows().flat_map(|row| row.aliases.iter().map(move |alias| (*alias, row)));
    rows().map(|row| (row.path, row)).chain(aliases)
}

/// Follows a path through the table of keys.
pub(in crate::config) fn find(path: &[String]) -> KeyPath {
    for (pattern, row) in patterns() {
        if pattern.split('.').count() == path.len()
            && let Some(names) = names(pattern, path)
        {
            return KeyPath::Key(row, names);
        }
    }
    if patterns()
        .any(|(pattern, _)| pattern.split('.').count() > path.len() && names(pattern, path).is_some())
    {
        return KeyPath::Table;
    }
    KeyPath::Nowhere(resembling(path))
}

/// The names for the `*` of a pattern, if the path follows it as far as the path goes.
fn names(pattern: &str, path: &[String]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for (segment, given) in pattern.split('.').zip(path) {
        match segment {
            "*" => names.push(given.clone()),
            segment if segment == given => {}
            _ => return None,
        }
    }
    Some(names)
}

/// What other programs call a key of ours, where no spelling leads to it. The key is one of the same table.
const ELSEWHERE: &[(&str, &str)] = &[
    ("approval_policy", "mode"),
    ("context_length", "window"),
    ("context_window", "window"),
    ("env_key", "api_key_env"),
    ("http_headers", "headers"),
    ("keybinds", "keys"),
    ("max_turns", "max_model_turns"),
    ("model_providers", "providers"),
    ("model_reasoning_effort", "effort"),
    ("reasoning_effort", "effort"),
    ("sandbox_mode", "mode"),
    ("wire_api", "protocol"),
];

/// First a sibling that other programs call so, or that is spelled like it, then a key of another table with the same or a like name.
fn resembling(path: &[String]) -> Option<String> {
    let (last, above) = path.split_last()?;
    let siblings: Vec<&str> = patterns()
        .filter(|(pattern, _)| names(pattern, above).is_some())
        .filter_map(|(pattern, _)| pattern.split('.').nth(above.len()))
        .filter(|segment| *segment != "*")
        .collect();
    let mut elsewhere = ELSEWHERE.iter().filter(|(theirs, _)| theirs == last).map(|(_, ours)| *ours);
    let known = elsewhere.find(|ours| siblings.contains(ours));
    if let Some(name) = known.or_else(|| nearest(last, siblings)) {
        let mut whole = above.to_vec();
        whole.push(name.to_owned());
        return Some(spelled(&whole));
    }
    let fixed = || patterns().map(|(pattern, _)| pattern).filter(|pattern| !pattern.contains('*'));
    let ends: Vec<&str> = fixed().filter_map(|pattern| pattern.rsplit('.').next()).collect();
    let end = nearest(last, ends)?;
    fixed().find(|pattern| pattern.rsplit('.').next() == Some(end)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn path(dotted: &str) -> Vec<String> {
        dotted.split('.').map(str::to_owned).collect()
    }

    #[test]
    fn paths_lead_to_keys_tables_or_nowhere() {
        let found = |dotted: &str| match find(&path(dotted)) {
            KeyPath::Key(row, names) => (row.path, names),
            other => panic!("{dotted}: {other:?}"),
        };
        assert_eq!(found("budget.max_total_cost"), ("budget.max_total_cost", vec![]));
        assert_eq!(found("loop.max_steps"), ("budget.max_model_turns", vec![]));
        assert_eq!(find(&path("budget")), KeyPath::Table);
        assert_eq!(find(&path("providers.near.models.x")), KeyPath::Table);
        let names = vec!["near".to_owned(), "x".to_owned()];
        assert_eq!(found("providers.near.models.x.window"), ("models.*.window", names));
        let meant = |given: &str| find(&path(given));
        assert_eq!(meant("modle"), KeyPath::Nowhere(Some("model".into())));
        assert_eq!(meant("budgets"), KeyPath::Nowhere(Some("budget".into())));
        assert_eq!(meant("budget.max_model_turn"), KeyPath::Nowhere(Some("budget.max_model_turns".into())));
        assert_eq!(meant("max_tool_calls"), KeyPath::Nowhere(Some("budget.max_tool_calls".into())));
        assert_eq!(
            meant("providers.near.base_ulr"),
            KeyPath::Nowhere(Some("providers.near.base_url".into()))
        );
        assert_eq!(
            meant("models.far/x.context_window"),
            KeyPath::Nowhere(Some("models.\"far/x\".window".into()))
        );
        assert_eq!(meant("wire_api"), KeyPath::Nowhere(None), "of another table");
        assert_eq!(meant("sandbox_mode"), KeyPath::Nowhere(Some("mode".into())));
        assert_eq!(meant("zebra"), KeyPath::Nowhere(None));
    }

    #[test]
    fn no_two_rows_have_the_same_path() {
        let all: Vec<&str> = patterns().map(|(pattern, _)| pattern).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    }
}
