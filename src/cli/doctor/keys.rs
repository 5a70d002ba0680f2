//! Keys: where each is, whether the place is safe, and, when asked to, whether the provider takes it.

use std::collections::BTreeSet;

use super::finding::{Finding, Subject};
use super::probe::probe;
use crate::config::Invocation;
use crate::config::fault::Fault;
use crate::config::models::{Key, Surveyed, keys_file, survey};

const SUBJECT: Subject = Subject::Keys;

/// Providers that have one key and one address.
struct ProviderGroup {
    names: Vec<String>,
    address: String,
    place: String,
}

/// `test` asks each provider whether it takes its key.
pub(super) fn look(invocation: &Invocation, test: bool) -> Vec<Finding> {
    let Invocation { environment, config, .. } = invocation;
    let mut findings = Vec::new();
    let mut told = BTreeSet::new();
    if let Err(fault) = keys_file(environment) {
        told.insert(fault.message.clone());
        findings.push(Finding::of_fault(SUBJECT, fault));
    }
    let all = survey(config, environment);
    for provider in &all {
        match &provider.key {
            // One bad file stands in the way of many providers.
            Key::Refused(fault) if told.insert(fault.message.clone()) => {
                findings.push(Finding::of_fault(SUBJECT, fault.clone()));
            }
            Key::Missing(variable) if config.providers.contains_key(&provider.name) => {
                findings.push(missing(provider, variable));
            }
            Key::At { .. } | Key::Missing(_) | Key::Unneeded | Key::Refused(_) => {}
        }
        findings.extend(unused(provider));
    }
    let groups = groups(&all);
    if groups.is_empty() && findings.is_empty() {
        findings.push(Finding::warning(
            SUBJECT,
            "no key was found, so the rehearsal model is used unless you name a model",
            "export ANTHROPIC_API_KEY=… or OPENAI_API_KEY=… with your key, or put it into keys.toml beside config.toml",
        ));
    }
    if test {
        let firsts: Vec<String> = groups.iter().filter_map(|group| group.names.first().cloned()).collect();
        let answers = probe(invocation, &firsts);
        findings.extend(groups.iter().zip(answers).map(|(group, answer)| judge(group, answer)));
    } else {
        findings.extend(groups.iter().map(|group| {
            let (names, place) = (group.names.join(", "), &group.place);
            let words = "not tested; doctor --test-keys asks the provider";
            Finding::ok(SUBJECT, format!("{names}: the key comes from {place}; {words}"))
        }));
    }
    findings
}

fn groups(all: &[Surveyed]) -> Vec<ProviderGroup> {
    let mut groups: Vec<ProviderGroup> = Vec::new();
    for provider in all {
        let (Key::At { place, .. }, Some(address)) = (&provider.key, &provider.address) else { continue };
        let same = groups.iter_mut().find(|group| group.place == *place && group.address == *address);
        match same {
            Some(group) => group.names.push(provider.name.clone()),
            None => groups.push(ProviderGroup {
                names: vec![provider.name.clone()],
                address: address.clone(),
                place: place.clone(),
            }),
        }
    }
    groups
}

fn missing(provider: &Surveyed, variable: &str) -> Finding {
    let name = &provider.name;
    Finding::warning(
        SUBJECT,
        format!("{name}: {variable} is not set, so its models cannot be used"),
        format!("export {variable}=…, or put {name} = \"KEY\" into keys.toml beside config.toml"),
    )
}

/// Two keys for one provider: a person may wonder why the other one is charged.
fn unused(provider: &Surveyed) -> Option<Finding> {
    let Key::At { place, .. } = &provider.key else { return None };
    let (name, variable) = (&provider.name, provider.unused_variable.as_ref()?);
    Some(Finding::warning(
        SUBJECT,
        format!("{name}: {variable} is set but not used, since the key comes from {place}"),
        format!("unset {variable}, or remove the other from [providers.{name}]"),
    ))
}

/// What the status says of the key. The answer's own words are not shown: they may quote a part of it.
fn judge(group: &ProviderGroup, answer: Result<u16, Fault>) -> Finding {
    let ProviderGroup { names, address, place } = group;
    let names = names.join(", ");
    let status = match answer {
        Ok(status) => status,
        Err(fault) => return Finding::problem(SUBJECT, format!("{names}: {}", fault.message), fault.next),
    };
    match status {
        200..=299 => Finding::ok(SUBJECT, format!("{names}: the provider accepts the key from {place}")),
        401 | 403 => Finding::problem(
            SUBJECT,
            format!("{names}: {address} refuses the key from {place} (HTTP {status})"),
            "put a valid key there; the provider's console lists them and what each may do",
        ),
        402 | 429 => Finding::warning(
            SUBJECT,
            format!(
                "{names}: {address} accepts the key from {place}, but does not serve requests now (HTTP \
                {status})"
            ),
            "check the account's credit and limits in the provider's console, or try again later",
        ),
        300..=399 => Finding::problem(
            SUBJECT,
            format!(
                "{names}: {address} redirects elsewhere (HTTP {status}), which is not followed with a \
                key"
            ),
            "set base_url to the redirect's target if you trust it",
        ),
        500..=599 => Finding::warning(
            SUBJECT,
            format!("{names}: {address} is failing at the moment (HTTP {status}), so the key was not tested"),
            "try again later",
        ),
        _ => Finding::warning(
            SUBJECT,
            format!("{names}: {address} has no list of models (HTTP {status}), so the key was not tested"),
            "check base_url; sending a short message to one of its models shows more",
        ),
    }
}
