//! Calls that were denied where nobody is here to see it go by: each is named at the end.

use std::collections::{BTreeMap, BTreeSet};

use crate::agent::CallAddress;
use crate::config::fault::one_line;
use crate::ledger::{ApprovalRequest, Arguments, Body, CallId, Change, Outcome};
use crate::policy::Mode;
use crate::view::summary;

/// What to do where a call was denied in this mode because of what the sandbox cannot hide. A session that is gone on with does not keep
/// its mode.
fn gaps_next(mode: Mode) -> String {
    format!(
        "next: so that a command runs although the sandbox cannot hide everything here, accept that once in the app \
         (`countersign --mode {mode}`; g in the question) and go on with that session (`exec --resume SESSION --mode {mode}`); \
         or allow the command by a rule (--allow), which runs it without the sandbox; or work in a smaller folder (-C)"
    )
}

/// What a session and its sub-agents were denied.
#[derive(Debug, Default)]
pub(in crate::cli) struct ToldDenials {
    /// The mode of the session.
    mode: Mode,
    /// What each call is about.
    calls: BTreeMap<CallAddress, String>,
    /// The command of each that is the check of a goal.
    checks: BTreeMap<CallAddress, String>,
    /// Why calls were asked about and denied.
    reasons: BTreeMap<CallAddress, Vec<String>>,
    /// Those that were asked about because of what the sandbox cannot hide.
    gaps: BTreeSet<CallAddress>,
    /// What to do about that, if one of them was denied.
    next: Option<String>,
    /// The calls that were denied, a line each.
    denied: Vec<String>,
    /// Those that were not started since a limit was used up, a line each.
    not_started: Vec<String>,
}

/// The command of a check.
fn command(arguments: &Arguments) -> String {
    one_line(arguments.text("command").unwrap_or_default())
}

impl ToldDenials {
    /// Those of a session that is in this mode.
    pub(in crate::cli) fn new(mode: Mode) -> Self {
        Self { mode, ..Self::default() }
    }

    /// Takes in an entry of the session at the end of this path, whose calls are named so before a colon; of those without a name nothing
    /// is said before them.
    pub(in crate::cli) fn read(&mut self, path: &[CallId], body: &Body, whose: Option<&str>) {
        let at = |call| CallAddress { path: path.to_vec(), call };
        match body {
            Body::ToolCall(call) => {
                self.calls.insert(at(call.id), summary(&call.arguments));
            }
            Body::Validation(call) => {
                self.checks.insert(at(call.id), command(&call.arguments));
            }
            Body::CallEdited(_) | Body::Note(_) => {
                if let Some((call, arguments)) = body.changes() {
                    if let Some(check) = self.checks.get_mut(&at(call)) {
                        *check = command(&arguments);
                    }
                    self.calls.insert(at(call), summary(&arguments));
                }
            }
            Body::Change(Change::Mode { mode, .. }) if path.is_empty() => self.mode = *mode,
            Body::ApprovalRequested(asked) => self.hear_request(at(asked.call), asked),
            Body::ApprovalDecided(decision) if !decision.allow => {
                self.reasons.entry(at(decision.call)).or_default().push(decision.reason.clone());
            }
            Body::ToolResult(result) => {
                let Outcome::Denied(by) = result.outcome else { return };
                let at = at(result.call);
                let what = self.calls.get(&at).map(String::as_str).unwrap_or_default();
                if self.gaps.remove(&at) {
                    self.next = Some(gaps_next(self.mode));
                }
                let whose = whose.map(|whose| format!("{whose}: ")).unwrap_or_default();
                let check = self.checks.get(&at).map(|command| format!("{whose}the check `{command}`"));
                let is_check = check.is_some();
                let call = check.unwrap_or_else(|| format!("{whose}{} {what}", result.name));
                match self.reasons.remove(&at) {
                    Some(reasons) => {
                        let why = one_line(&reasons.join("; "));
                        let why =
                            if is_check { format!(" was not allowed: {why}") } else { format!(" ({why})") };
                        self.denied.push(format!("denied by {}: {call}{why}", by.as_str()));
                    }
                    // Nobody decided about it: a limit was used up.
                    None => {
                        self.not_started.push(format!("not started: {call} ({})", one_line(&result.content)));
                    }
                }
            }
            _ => {}
        }
    }

    /// What is asked about is where it leads, and why.
    fn hear_request(&mut self, at: CallAddress, asked: &ApprovalRequest) {
        if asked.leads_to.is_some() {
            self.calls.insert(at.clone(), summary(&asked.used()));
        }
        // A request may be recorded again; the last one counts.
        if asked.gaps.is_empty() {
            self.gaps.remove(&at);
        } else {
            self.gaps.insert(at.clone());
        }
        self.reasons.insert(at, vec![asked.why.clone()]);
    }

    /// Whether a call was denied.
    pub(in crate::cli) fn has_denied(&self) -> bool {
        !self.denied.is_empty()
    }

    /// A line for each call that was denied, and for each that was not started; and what to do, where the reasons do not say it.
    pub(in crate::cli) fn lines(&self) -> impl Iterator<Item = &String> {
        self.denied.iter().chain(&self.not_started).chain(&self.next)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::ledger::{Decider, Facts, Preview, Sandboxing, ToolResult};

    #[test]
    fn how_to_go_on_where_the_sandbox_hides_too_little_has_the_mode_of_the_run() {
        let mut told = ToldDenials::new(Mode::Ask);
        told.read(&[], &Body::Change(Change::Mode { mode: Mode::Auto, resumed: false }), None);
        // That of a sub-agent is not the session's.
        let below = Body::Change(Change::Mode { mode: Mode::Plan, resumed: false });
        told.read(&[CallId(1)], &below, None);
        let asked = ApprovalRequest {
            call: CallId(2),
            name: "shell".to_owned(),
            arguments: json!({}),
            why: "not all can be hidden".to_owned(),
            risk: String::new(),
            effects: Vec::new(),
            preview: Preview::None,
            warning: None,
            rule: None,
            sandboxing: Sandboxing::Without,
            leads_to: None,
            is_partial: false,
            is_usual: false,
            replaces: false,
            gaps: vec!["many".to_owned()],
        };
        told.read(&[], &Body::ApprovalRequested(asked), None);
        let result = ToolResult {
            call: CallId(2),
            name: "shell".to_owned(),
            outcome: Outcome::Denied(Decider::Nobody),
            content: String::new(),
            written: None,
            duration_ms: 0,
            cut_chars: 0,
            facts: Facts::default(),
            images: Vec::new(),
        };
        told.read(&[], &Body::ToolResult(Arc::new(result)), None);
        let lines: Vec<&String> = told.lines().collect();
        let next = lines.last().unwrap();
        assert!(next.contains("`countersign --mode auto`"), "{next}");
        assert!(next.contains("`exec --resume SESSION --mode auto`"), "{next}");
    }
}
