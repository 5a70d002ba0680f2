//! Flags of other tools, which hands type out of habit: the error names ours.

use clap::error::{ContextKind, ContextValue};

use crate::config::fault::Fault;

/// Flags that ours do not include, and what to type instead.
const OURS: &[(&[&str], &str)] = &[
    (
        &["-p", "--print", "--prompt", "--non-interactive", "-q", "--quiet"],
        "use `countersign exec \"PROMPT\"`",
    ),
    (&["--continue"], "use `countersign resume --last`, or `countersign exec --last \"PROMPT\"`"),
    (
        &["-r", "--resume", "--session", "-s"],
        "use `countersign resume SESSION`, or `countersign exec --resume SESSION \"PROMPT\"`",
    ),
    (&["--output-format"], "use `countersign exec --json`"),
    (&["--input-format"], "use `countersign exec --json --input jsonl`"),
    (&["--json-schema"], "use `countersign exec --output-schema FILE`"),
    (
        &["--permission-mode", "--approval-mode", "--ask-for-approval", "-a"],
        "use `--mode plan|ask|edit|auto`",
    ),
    (
        &["--dangerously-skip-permissions", "--dangerously-bypass-approvals-and-sandbox", "--yolo", "-y"],
        "`--mode auto` runs commands in the sandbox without asking; `--mode unrestricted` asks for nothing at all",
    ),
    (&["--full-auto", "--sandbox"], "use `--mode auto`, which runs commands in the sandbox"),
    (&["--allowedTools", "--allowed-tools"], "use `--allow RULE`, as in --allow 'shell(cargo test *)'"),
    (&["--disallowedTools", "--disallowed-tools"], "use `--deny RULE`, as in --deny 'shell(rm *)'"),
    (&["--max-budget-usd"], "use `--max-cost DOLLARS`"),
    (&["--add-dir"], "add the folder to `tools.sandbox.writable` in the configuration"),
    (&["--mcp-config"], "write each server into the configuration, as `[mcp_servers.NAME]`"),
    (&["--oss", "--local-provider"], "use `-m ollama/NAME`; `countersign models` lists what runs here"),
    (&["--reasoning-effort", "--thinking"], "use `--effort LEVEL`"),
    (&["--no-session-persistence", "--no-session"], "use `countersign exec --ephemeral`"),
];

/// The refusal of a flag that is another tool's.
pub(super) fn refused(error: &clap::Error) -> Option<Fault> {
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return None };
    let flag = flag.split('=').next().unwrap_or_default();
    let (_, next) = OURS.iter().find(|(names, _)| names.contains(&flag))?;
    Some(Fault::usage(format!("`{flag}` is not a flag here"), *next))
}
