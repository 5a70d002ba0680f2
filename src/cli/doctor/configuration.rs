//! The configuration: which files, what is wrong in them, what was ignored, and who answers.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::finding::{Finding, Subject};
use crate::cli::themes;
use crate::config::Invocation;
use crate::config::environment::Environment;
use crate::config::fault::Fault;
use crate::config::models::{Key, Table, choose, survey};
use crate::config::peers::{Peer, template};
use crate::config::trusted::SHARED_SERVERS;
use crate::config::{Config, project_files, user_file};
use crate::ledger::ModelRef;
use crate::policy::shell::shell_word;
use crate::session::instructions;
use crate::session::settings::little_room;
use crate::wire::Secret;

const SUBJECT: Subject = Subject::Configuration;

/// `wrong` is what reading it complained of.
pub(super) fn look(invocation: &Invocation, wrong: Vec<Fault>) -> Vec<Finding> {
    let Invocation { environment, config, cwd, .. } = invocation;
    let mut findings = vec![of_user(environment, config)];
    findings.extend(project_files(cwd).iter().map(|file| {
        let what = if config.trusted.contains(file) {
            "trusted by you in its present form; `countersign trust` shows what it does"
        } else if file.ends_with(SHARED_SERVERS) {
            "nothing in it is started or contacted until its folder is trusted"
        } else {
            "it can only tighten"
        };
        Finding::ok(SUBJECT, format!("{}: this project's file, {what}", file.display()))
    }));
    let told = config.skills.iter().filter(|(skill, _)| skill.is_told);
    let names: Vec<&str> = told.map(|(skill, _)| skill.name.as_str()).collect();
    if !names.is_empty() {
        findings.push(Finding::ok(SUBJECT, format!("skills that the model can see: {}", names.join(", "))));
    }
    let is_whole = wrong.is_empty();
    findings.extend(wrong.into_iter().map(|fault| Finding::of_fault(SUBJECT, fault)));
    findings.extend(config.warnings.iter().chain(&config.asides).map(|warning| ignored(warning)));
    let lost = instructions::unreadable(invocation).into_iter();
    findings.extend(lost.map(|said| Finding::warning(SUBJECT, said, "correct the file, or move it away")));
    findings
        .extend(["XDG_CONFIG_HOME", "XDG_STATE_HOME"].iter().filter_map(|name| relative(name, environment)));
    if environment.mock_responses().is_some() {
        findings.push(Finding::warning(
            SUBJECT,
            "DEBUG_MOCK_RESPONSES is set: scripted answers are used instead of a model",
            "unset DEBUG_MOCK_RESPONSES, or name a model with -m",
        ));
    }
    if let Err(fault) = themes::theme(invocation) {
        findings.push(Finding::of_fault(SUBJECT, fault));
    }
    // With a part of the configuration missing, the choice would be another one.
    if is_whole {
        findings.extend(answering(invocation));
    }
    findings
}

fn of_user(environment: &Environment, config: &Config) -> Finding {
    let Some(file) = user_file(environment) else {
        return Finding::warning(
            SUBJECT,
            "there is no home folder, so no user configuration is read",
            "set HOME or XDG_CONFIG_HOME",
        );
    };
    let shown = file.display();
    match std::fs::metadata(&file) {
        Err(_none) => Finding::ok(
            SUBJECT,
            format!(
                "{shown}: does not exist, so every setting has its default (`countersign config init` \
                writes one)"
            ),
        ),
        Ok(found) if found.mode() & 0o077 != 0 && holds_secrets(config) => Finding::warning(
            SUBJECT,
            format!(
                "{shown}: others can read it (mode {:03o}), and it contains headers or key commands",
                found.mode() & 0o777
            ),
            format!("chmod 600 {}", shell_word(&shown.to_string())),
        ),
        Ok(_) => Finding::ok(SUBJECT, format!("{shown}: your configuration")),
    }
}

fn holds_secrets(config: &Config) -> bool {
    let of_provider =
        config.providers.values().any(|one| !one.headers.is_empty() || one.api_key_command.is_some());
    let is_written_out = |value: &Secret| template::variables(value.expose()).is_empty();
    let of_server = config.mcp_servers.values().any(|one| {
        !one.is_of_a_project() && one.env.values().chain(one.headers.values()).any(is_written_out)
    });
    let of_agent =
        config.agents.values().any(|one| !one.is_of_a_project() && one.headers.values().any(is_written_out));
    of_provider || of_server || of_agent
}

/// `FILE:LINE: what; what to do`.
fn ignored(warning: &str) -> Finding {
    let (what, next) = warning.split_once("; ").unwrap_or((warning, "remove it from the file"));
    Finding::warning(SUBJECT, what, next)
}

fn relative(name: &str, environment: &Environment) -> Option<Finding> {
    let path = environment.text(name).filter(|path| !Path::new(path).is_absolute())?;
    Some(Finding::warning(
        SUBJECT,
        format!("{name} is {path:?}, which is not an absolute path and is ignored"),
        format!("set {name} to a path that begins with /, or unset it"),
    ))
}

/// Who would answer a message now, and whether there is room in the window for one.
fn answering(invocation: &Invocation) -> Vec<Finding> {
    let Invocation { environment, config, .. } = invocation;
    let named = config.model.iter().chain(&config.fallback).map(|name| ModelRef::parse(name).provider);
    let named: Vec<String> = named.collect();
    let all = survey(config, environment);
    let by_command = |provider: &&crate::config::models::Surveyed| {
        matches!(provider.key, Key::At { by_command: true, .. })
            && (named.is_empty() || named.contains(&provider.name))
    };
    if let Some(provider) = all.iter().find(by_command) {
        let model = config.model.as_deref().unwrap_or(&provider.name);
        return vec![Finding::ok(
            SUBJECT,
            format!("model: {model}, with the key that the api_key_command of {} prints", provider.name),
        )];
    }
    match choose(config, environment, &Table::embedded()) {
        Ok(choice) => {
            let then = choice.fallback.iter().map(|other| format!(", or else {}", other.spec.model));
            let then: String = then.collect();
            let answers =
                Finding::ok(SUBJECT, format!("{} answers ({}){then}", choice.spec.model, choice.source));
            let room = little_room(invocation, &choice);
            let room = room.map(|(what, next)| Finding::warning(SUBJECT, what, next));
            std::iter::once(answers).chain(room).collect()
        }
        Err(fault) => vec![Finding::of_fault(SUBJECT, fault)],
    }
}
