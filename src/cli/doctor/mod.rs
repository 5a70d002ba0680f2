//! `doctor`: looks at everything that a run needs, and says of each thing what is wrong and how it is mended.

pub mod args;
mod configuration;
mod finding;
mod keys;
mod peers;
mod probe;
mod report;
mod sandbox;
mod servers;
mod sessions;
mod terminal;

use std::io::IsTerminal;
use std::path::PathBuf;

use super::outcome::say_painted;
use crate::config::Invocation;
use crate::config::environment::Environment;
use crate::config::examine;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::wire::Secret;
use finding::Severity;
use report::ReportStyle;

/// Looks, from the folder `cwd`; `online` also asks the providers. Exit 0 when there is no problem, else 1.
pub(super) fn run(cwd: PathBuf, environment: Environment, json: bool, online: bool) -> Result<Exit, Fault> {
    let (config, wrong) = examine(&cwd, &environment);
    let invocation = Invocation::new(cwd, environment, config);
    let mut findings = configuration::look(&invocation, wrong);
    findings.extend(keys::look(&invocation, online));
    findings.extend(servers::look(&invocation, online));
    findings.extend(terminal::look(&invocation.environment));
    findings.extend(sandbox::look(&invocation));
    findings.extend(peers::look(&invocation));
    findings.extend(sessions::look(&invocation.environment));
    for finding in &mut findings {
        finding.message = shown(&finding.message, &invocation);
        finding.mend = shown(&finding.mend, &invocation);
    }
    say_painted(&if json {
        report::lines(&findings)
    } else {
        report::page(&findings, look(&invocation.environment))
    })?;
    let problem = findings.iter().any(|finding| finding.status == Severity::Problem);
    Ok(if problem { Exit::Failed } else { Exit::Completed })
}

/// One line without any key of the environment or header of the configuration, wherever it came from.
fn shown(text: &str, invocation: &Invocation) -> String {
    let keys = invocation.environment.keys().into_iter().map(Secret::new);
    let headers =
        invocation.config.providers.values().flat_map(|provider| provider.headers.values().cloned());
    keys.chain(headers).fold(one_line(text), |text, secret| secret.redact(&text))
}

fn look(environment: &Environment) -> ReportStyle {
    let colour = std::io::stdout().is_terminal()
        && !environment.no_color()
        && environment.text("TERM").is_some_and(|term| term != "dumb");
    ReportStyle { colour, utf8: terminal::is_utf8(environment) }
}
