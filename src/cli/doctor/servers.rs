//! Servers: those on this machine, those of the configuration, and the proxies and certificates on the way.

use std::path::{Path, PathBuf};

use super::finding::{Finding, Subject};
use super::probe::probe;
use crate::config::Invocation;
use crate::config::environment::Environment;
use crate::config::models::{Key, Surveyed, servers_here, survey};

const SUBJECT: Subject = Subject::Servers;

/// `online` also asks servers that are not on this machine.
pub(super) fn look(invocation: &Invocation, online: bool) -> Vec<Finding> {
    let mut findings = here(invocation);
    findings.extend(configured(invocation, online));
    findings.extend(proxies(invocation));
    findings.extend(certificates(invocation));
    findings
}

/// Servers where people's own usually are: one that was configured is expected to answer.
fn here(invocation: &Invocation) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut silent = Vec::new();
    for (name, address, models) in servers_here(&invocation.config) {
        let expected = invocation.config.providers.get(name).is_some_and(|said| said.base_url.is_some());
        match models {
            Some(1) => {
                findings.push(Finding::ok(SUBJECT, format!("{name}: answers at {address}, with 1 model")))
            }
            Some(count) => {
                findings
                    .push(Finding::ok(SUBJECT, format!("{name}: answers at {address}, with {count} models")));
            }
            None if expected => findings.push(Finding::warning(
                SUBJECT,
                format!("{name}: no server answers at {address}"),
                format!("start it, or correct base_url in [providers.{name}]"),
            )),
            None => silent.push(format!("{name} ({})", address.trim_start_matches("http://"))),
        }
    }
    if !silent.is_empty() {
        let silent = silent.join(", ");
        findings.push(Finding::skipped(
            SUBJECT,
            format!("none of these local servers is running: {silent}"),
            "start one if you want its models; it is detected automatically",
        ));
    }
    findings
}

/// Servers of the configuration, elsewhere, that want no key; testing a key tells the same of the others.
fn configured(invocation: &Invocation, online: bool) -> Vec<Finding> {
    let Invocation { config, environment, .. } = invocation;
    let wanted = |one: &Surveyed| one.configured && !one.local && matches!(one.key, Key::Unneeded);
    let all: Vec<Surveyed> = survey(config, environment).into_iter().filter(wanted).collect();
    let answers = if online {
        let names: Vec<String> = all.iter().map(|one| one.name.clone()).collect();
        probe(invocation, &names).into_iter().map(Some).collect()
    } else {
        vec![None; all.len()]
    };
    let judged = all.iter().zip(answers).map(|(one, answer)| {
        let name = &one.name;
        let Some(address) = &one.address else {
            return Finding::problem(
                SUBJECT,
                format!("{name}: has no address"),
                format!("set base_url in [providers.{name}]"),
            );
        };
        match answer {
            None => Finding::skipped(
                SUBJECT,
                format!("{name}: {address} was not asked"),
                "`countersign doctor --online` asks it",
            ),
            Some(Ok(status @ (401 | 403))) => Finding::problem(
                SUBJECT,
                format!("{name}: {address} requires a key (HTTP {status}), but none is configured"),
                format!("set api_key_env in [providers.{name}] to the variable that contains it"),
            ),
            Some(Ok(status)) => Finding::ok(SUBJECT, format!("{name}: {address} answers (HTTP {status})")),
            Some(Err(fault)) => Finding::problem(SUBJECT, format!("{name}: {}", fault.message), fault.next),
        }
    });
    judged.collect()
}

fn proxies(invocation: &Invocation) -> Vec<Finding> {
    let Invocation { config, environment, .. } = invocation;
    let set =
        |names: [&'static str; 2]| names.into_iter().find_map(|name| Some((name, environment.text(name)?)));
    let variables =
        [["HTTPS_PROXY", "https_proxy"], ["HTTP_PROXY", "http_proxy"], ["ALL_PROXY", "all_proxy"]];
    let variables: Vec<(&str, &str)> = variables.into_iter().filter_map(set).collect();
    let without = set(["NO_PROXY", "no_proxy"])
        .map_or(String::new(), |(name, hosts)| format!(", except for {name} ({hosts})"));
    if let Some(proxy) = &config.network.proxy {
        let over: Vec<&str> = variables.iter().map(|(name, _)| *name).collect();
        let over = if over.is_empty() { String::new() } else { format!(", instead of {}", over.join(", ")) };
        return vec![Finding::ok(
            SUBJECT,
            format!(
                "all calls except those to this machine go through {} (network.proxy){over}{without}",
                bare(proxy)
            ),
        )];
    }
    if variables.is_empty() {
        return vec![Finding::ok(SUBJECT, "no proxy is set")];
    }
    let named: Vec<String> =
        variables.iter().map(|(name, proxy)| format!("{} ({name})", bare(proxy))).collect();
    vec![Finding::ok(SUBJECT, format!("calls to other machines go through {}{without}", named.join(", ")))]
}

/// The address of a proxy without the name and password that it may hold.
fn bare(proxy: &str) -> String {
    let (scheme, rest) = proxy.split_once("://").map_or(("", proxy), |(scheme, rest)| (scheme, rest));
    let host = rest.rsplit('@').next().unwrap_or_default();
    if scheme.is_empty() { host.to_owned() } else { format!("{scheme}://{host}") }
}

/// Files of certificates that are named and not there.
fn certificates(invocation: &Invocation) -> Vec<Finding> {
    let Invocation { config, environment, .. } = invocation;
    let of_variable = |name: &'static str, environment: &Environment| {
        environment.text(name).map(|path| (name, PathBuf::from(path)))
    };
    let named = [
        config.network.ca_file.clone().map(|path| ("network.ca_file", path)),
        of_variable("SSL_CERT_FILE", environment),
        of_variable("SSL_CERT_DIR", environment),
    ];
    let named = named.into_iter().flatten();
    named.map(|(name, path)| of_certificates(name, &path)).collect()
}

fn of_certificates(name: &str, path: &Path) -> Finding {
    let shown = path.display();
    // SSL_CERT_DIR may be a list.
    if std::env::split_paths(path).any(|one| one.exists()) {
        Finding::ok(SUBJECT, format!("{name}: certificates are read from {shown}"))
    } else {
        Finding::problem(
            SUBJECT,
            format!("{name}: there is no {shown}"),
            format!("correct {name}, or unset it"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn a_proxy_is_shown_without_its_password() {
        assert_eq!(bare("http://me:pass@p.example:3128"), "http://p.example:3128");
        assert_eq!(bare("me:p@ss@p.example:3128"), "p.example:3128");
        assert_eq!(bare("socks5h://127.0.0.1:1080"), "socks5h://127.0.0.1:1080");
    }
}
