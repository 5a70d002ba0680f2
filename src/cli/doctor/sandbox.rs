//! The sandbox: what this machine can hold a command to, after really starting one in it.

use std::process::{Command, Stdio};

use super::finding::{Finding, Subject};
use crate::config::{Invocation, SandboxNetwork, SandboxReach};
use crate::runtime::sandbox::{Confined, Confinement, Exposure, Gap, Sandbox, Support, support};
use crate::session::sandbox::{ourselves, sandbox};

const SUBJECT: Subject = Subject::Sandbox;
const WITHOUT: &str = "allow only what you would run yourself; for the rest, start countersign in a \
    container or a virtual machine";
/// Most gaps that are named.
const MOST_GAPS: usize = 5;
/// Each must fail in the sandbox; `$0` is a file outside of it that may not be changed.
const ATTEMPTS: &[(&str, &str)] = &[
    ("a file outside the workspace was changed", ": > \"$0\""),
    ("a hidden file was read", "cat \"$0\" > /dev/null"),
];

pub(super) fn look(invocation: &Invocation) -> Vec<Finding> {
    let here = match support() {
        Support::None(why) => {
            Finding::warning(SUBJECT, format!("there is no sandbox on this machine: {why}"), WITHOUT)
        }
        Support::Partial(_) if cfg!(target_os = "macos") => Finding::warning(
            SUBJECT,
            "sandbox-exec is available, but its profile has not been \
                tested",
            WITHOUT,
        ),
        Support::Partial(reasons) => match tried() {
            Ok(()) => {
                let message =
                    format!("the sandbox was tested and works, except for this: {}", reasons.join("; "));
                Finding::warning(SUBJECT, message, "a newer kernel enforces all of it")
            }
            Err(why) => broken(&why),
        },
        Support::Full => match tried() {
            Ok(()) => Finding::ok(
                SUBJECT,
                "the sandbox was tested and works: a command in it can write only in the workspace and a \
                private folder, cannot read secrets, and has no network",
            ),
            Err(why) => broken(&why),
        },
    };
    let opened = opened(&invocation.config.sandbox);
    let sandbox = sandbox(invocation);
    let unfiltered = unfiltered(&sandbox);
    let Exposure { gaps, covered, hidden: _ } = sandbox.exposure();
    let hidden = (!covered.is_empty()).then(|| {
        let places = match covered.len() {
            1 => "1 file or folder".to_owned(),
            many => format!("{many} files or folders"),
        };
        let message = format!("secrets in this folder are hidden from commands ({places})");
        Finding::ok(SUBJECT, message)
    });
    let why = gaps.iter().any(Gap::is_secret).then(|| sandbox.cannot_cover()).flatten();
    let mend = why.map_or_else(String::new, |why| format!(" (they cannot be hidden here: {why})"));
    let mend = format!("keep secrets out of the folders that you work in{mend}");
    let more = gaps.len().saturating_sub(MOST_GAPS);
    let named = gaps.iter().take(MOST_GAPS).map(ToString::to_string);
    let rest = (more > 0).then(|| format!("{more} more like these"));
    let gaps = named.chain(rest).map(|gap| {
        let message = format!("in this folder the sandbox has a gap: {gap}");
        Finding::warning(SUBJECT, message, mend.clone())
    });
    [here].into_iter().chain(opened).chain(unfiltered).chain(hidden).chain(gaps).collect()
}

/// What the configuration lets through.
fn opened(reach: &SandboxReach) -> Option<Finding> {
    let network = match &reach.network {
        SandboxNetwork::Nobody => None,
        SandboxNetwork::Hosts(hosts) if hosts.is_empty() => None,
        SandboxNetwork::Hosts(hosts) => {
            let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
            Some(format!("the network of {}", hosts.join(", ")))
        }
        SandboxNetwork::Everybody => Some("the network, including this machine's own servers".to_owned()),
    };
    let folders = reach.writable.iter().map(|folder| format!("writing in {folder}"));
    let opened: Vec<String> = network.into_iter().chain(folders).collect();
    (!opened.is_empty())
        .then(|| Finding::ok(SUBJECT, format!("tools.sandbox opens it for {}", opened.join(", "))))
}

/// That commands cannot be held to some hosts here, where the configuration names some.
fn unfiltered(sandbox: &Sandbox) -> Option<Finding> {
    let why = sandbox.names_hosts().then(|| sandbox.cannot_filter()).flatten()?;
    let message =
        format!("commands in the sandbox have no network, although tools.sandbox.network names hosts: {why}");
    Some(Finding::warning(SUBJECT, message, "allow unprivileged user namespaces, or set it to true or false"))
}

fn broken(why: &str) -> Finding {
    Finding::problem(SUBJECT, format!("the sandbox should work here but does not: {why}"), WITHOUT)
}

/// Starts commands in it: what is allowed must work, and what is not must fail.
fn tried() -> Result<(), String> {
    let failed = |why: std::io::Error| format!("it could not be tested: {why}");
    let folder = tempfile::TempDir::new().map_err(failed)?;
    let (inside, outside) = (folder.path().join("inside"), folder.path().join("outside"));
    std::fs::create_dir(&inside).map_err(failed)?;
    std::fs::write(&outside, "cannot be read").map_err(failed)?;
    let mut confinement = Confinement::of_workspace(&inside, vec![outside.clone()]);
    confinement.may_be_weaker = true;
    let run = |script: &str, file: &std::path::Path| {
        let command = vec!["sh".into(), "-c".into(), script.into(), file.into()];
        let words = Confined { confinement: confinement.clone(), command }.words();
        let mut child = Command::new(ourselves());
        child
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .current_dir(&inside);
        child.output().map_err(failed)
    };
    let wrote = run(": > \"$0\"", &inside.join("file"))?;
    if !wrote.status.success() {
        return Err(format!(
            "a command was not started or could not write: {}",
            String::from_utf8_lossy(&wrote.stderr)
        ));
    }
    for (what, script) in ATTEMPTS {
        if run(script, &outside)?.status.success() {
            return Err((*what).to_owned());
        }
    }
    Ok(())
}
