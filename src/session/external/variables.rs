//! From what is written of a peer to what is started or reached: variables put in, keys of models left where they are.

use std::collections::BTreeMap;

use crate::config::Invocation;
use crate::config::Source;
use crate::config::fault::Fault;
use crate::config::models::key_variables;
use crate::config::peers::template::{self, Piece};
use crate::config::peers::{Peer, check_url, path};
use crate::wire::Secret;

/// Puts what the environment holds in the place of `${…}` in what is said of one peer. Each fault names file and line.
pub(crate) struct Filling<'a, P> {
    invocation: &'a Invocation,
    name: &'a str,
    peer: &'a P,
}

impl<'a, P: Peer> Filling<'a, P> {
    pub(crate) fn new(invocation: &'a Invocation, name: &'a str, peer: &'a P) -> Self {
        Self { invocation, name, peer }
    }

    /// What variables give to these texts.
    pub(crate) fn put_into(&self, texts: &[String]) -> Vec<Secret> {
        let environment = &self.invocation.environment;
        let variables = texts.iter().flat_map(|text| template::variables(text));
        variables.filter_map(|variable| environment.text(variable)).map(Secret::new).collect()
    }

    /// What variables give to an address behind its host.
    pub(crate) fn put_behind_host(&self, url: &str) -> Vec<Secret> {
        let environment = &self.invocation.environment;
        let held = behind_host(url, |variable| environment.text(variable));
        held.iter().map(Secret::new).collect()
    }

    /// A text.
    ///
    /// # Errors
    /// A variable that is not set, or that a project's file may not have.
    pub(crate) fn text(&self, key: &[&str], text: &str) -> Result<String, Fault> {
        let Invocation { config, environment, .. } = self.invocation;
        let keys = key_variables(config);
        let taken = template::variables(text);
        if let Some(variable) = taken.iter().find(|variable| keys.iter().any(|key| key == *variable))
            && self.peer.is_of_a_project()
        {
            let sentence =
                format!("{variable} is a provider's key, which a project's files never get, trusted or not");
            let next = format!(
                "configure the {} in your own configuration if it should have the \
                key",
                P::WORDS.noun
            );
            return Err(self.wrong(key, &sentence, &next));
        }
        let filled = template::filled(text, |variable| environment.text(variable)).map_err(|variable| {
            let next = format!("set {variable}, or write ${{{variable}:-DEFAULT}} there");
            self.wrong(key, &format!("the variable {variable} is not set"), &next)
        })?;
        if filled.contains('\0') {
            return Err(self.wrong(
                key,
                "contains a character that programs do not accept",
                "correct the \
                variable",
            ));
        }
        Ok(filled)
    }

    /// Texts by name.
    ///
    /// # Errors
    /// As for one.
    pub(crate) fn table(
        &self,
        key: &str,
        pairs: &BTreeMap<String, Secret>,
    ) -> Result<BTreeMap<String, String>, Fault> {
        let filled = |(name, value): (&String, &Secret)| {
            Ok((name.clone(), self.text(&[key, name.as_str()], value.expose())?))
        };
        pairs.iter().map(filled).collect()
    }

    /// Headers by name.
    ///
    /// # Errors
    /// As for texts; a value that no header can have.
    pub(crate) fn headers(
        &self,
        pairs: &BTreeMap<String, Secret>,
    ) -> Result<BTreeMap<String, String>, Fault> {
        let headers = self.table("headers", pairs)?;
        let is_fit = |text: &str| text.chars().all(|c| c == ' ' || c.is_ascii_graphic());
        match headers.iter().find(|(_, text)| !is_fit(text)) {
            None => Ok(headers),
            Some((name, _)) => Err(self.wrong(
                &["headers", name],
                "must be plain ASCII on one line",
                "correct it, or the variable in it",
            )),
        }
    }

    /// An address.
    ///
    /// # Errors
    /// As for a text; an address that is none.
    pub(crate) fn address(&self, url: &str) -> Result<String, Fault> {
        let filled = self.text(&["url"], url)?;
        check_url(&filled)
            .map_err(|sentence| self.wrong(&["url"], &sentence, "correct it, or the variable in it"))?;
        Ok(filled)
    }

    /// What is wrong with a key, and where that stands.
    pub(crate) fn wrong(&self, key: &[&str], sentence: &str, next: &str) -> Fault {
        let path = path::<P>(self.name, key);
        let place = match self.invocation.config.source(&path) {
            Source::Default => self.peer.source().clone(),
            known => known,
        };
        Fault::usage(format!("{}: {path}: {sentence}", place.place()), next)
    }
}

/// What variables give to an address behind its host. The host is no key: a person is to see where things go.
fn behind_host<'v>(url: &str, variable: impl Fn(&str) -> Option<&'v str>) -> Vec<String> {
    let (mut whole, mut held) = (String::new(), Vec::new());
    for piece in template::pieces(url).unwrap_or_default() {
        whole.push_str(match piece {
            Piece::Text(text) => text,
            Piece::Variable { name, default } => match variable(name) {
                Some(value) => {
                    held.push((whole.len(), value));
                    value
                }
                None => default.unwrap_or_default(),
            },
        });
    }
    let host = whole.find("://").map_or(0, |at| at + 3);
    let length = whole.get(host..).unwrap_or_default().find(['/', '\\', '?', '#']);
    let behind = length.map_or(whole.len(), |length| host + length);
    let values = held.into_iter().filter_map(|(at, value)| value.get(behind.saturating_sub(at)..));
    // What follows is shown nowhere, so the rest has to be found without it.
    let parts = values.flat_map(|value| value.split(['?', '#'])).map(|part| part.trim_matches('/'));
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_variables_give_to_a_path_may_be_a_key_and_the_host_is_none() {
        let variable = |name: &str| match name {
            "KEY" => Some("of/the-path"),
            "HOST" => Some("h.example"),
            "PLACE" => Some("https://h.example:8080/team/key?asked=1"),
            _ => None,
        };
        for (url, expected) in [
            ("https://h.example/s/${KEY}/mcp", &["of/the-path"][..]),
            ("https://${HOST}/${KEY}?k=${KEY}", &["of/the-path", "of/the-path"]),
            ("https://${HOST}/mcp", &[]),
            ("${PLACE}", &["team/key", "asked=1"]),
            ("https://h.example/${NOT_SET:-none}/${HOST}", &["h.example"]),
            ("https://h.example/mcp", &[]),
            ("https://${HOST}", &[]),
        ] {
            assert_eq!(behind_host(url, variable), expected, "{url}");
        }
    }
}
