//! A decision about a call in words: for documents who decided, and all that was signed with it; for a panel who denied it.

use crate::ledger::{Decider, Decision, Scope};

use super::{Panel, View};

/// Who decided what, for how long, with which rule, and where the call may run: "allowed by the user for the session: shell(make check),
/// in the sandbox". The reason is not in it. Not yet safe for a screen.
pub fn decision_words(decision: &Decision) -> String {
    let what = if decision.allow { "allowed" } else { "denied" };
    let by = match decision.by {
        Decider::User => "the user",
        Decider::Hook => "a hook",
        Decider::Nobody => "nobody",
        Decider::Policy => "the rules",
    };
    let span = match decision.scope {
        Scope::Once => "",
        Scope::Session => " for the session",
        Scope::Project => " for the project",
        Scope::Everywhere => " everywhere",
    };
    let rule = decision.rule.as_deref().filter(|rule| !rule.is_empty());
    let rule = rule.map(|rule| format!(": {rule}")).unwrap_or_default();
    let place = if decision.allow && decision.sandboxed { ", in the sandbox" } else { "" };
    format!("{what} by {by}{span}{rule}{place}")
}

impl Panel {
    /// By whom or what it was denied, and why, if it was: the reason of a rule names the rule. Not yet safe for a screen.
    pub fn denial(&self) -> Option<String> {
        let denied = self.decision().filter(|decision| !decision.allow)?;
        let by = match denied.by {
            Decider::User => "denied by you",
            Decider::Hook => "denied by a hook",
            Decider::Policy => "denied by the rules",
            Decider::Nobody => "decided by nobody",
        };
        let reason = denied.reason.trim();
        Some(if reason.is_empty() { by.to_owned() } else { format!("{by}: {reason}") })
    }
}

impl View {
    /// The check that was denied, so that the run ended without it, and by whom or what. Not yet safe for a screen.
    pub fn denied_check(&self) -> Option<String> {
        self.last_end()?;
        let panel = self.panel(self.calls().next_back()?).filter(|panel| panel.is_goal_check())?;
        let check = panel.arguments()?.text("command")?;
        Some(format!("the check `{check}` was {}", panel.denial()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::CallId;

    #[test]
    fn all_that_was_signed_is_said() {
        let once = Decision::permission(CallId(1), Decider::User, "fine");
        assert_eq!(decision_words(&once), "allowed by the user");
        let rule = Some("shell(make check)".to_owned());
        let session = Decision { scope: Scope::Session, rule, sandboxed: true, ..once.clone() };
        let words = "allowed by the user for the session: shell(make check), in the sandbox";
        assert_eq!(decision_words(&session), words);
        let project = Decision { scope: Scope::Project, sandboxed: false, ..session.clone() };
        assert_eq!(decision_words(&project), "allowed by the user for the project: shell(make check)");
        let everywhere = Decision { scope: Scope::Everywhere, rule: None, ..project };
        assert_eq!(decision_words(&everywhere), "allowed by the user everywhere");
        let denied = Decision {
            rule: Some("read(.env)".to_owned()),
            ..Decision::denial(CallId(1), Decider::Policy, "")
        };
        assert_eq!(decision_words(&denied), "denied by the rules: read(.env)");
    }
}
