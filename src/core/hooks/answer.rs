//! What one hook said.

use crate::ledger::Arguments;

use super::point::HookPoint;

/// What one hook said. Everything is text to be shown or read, never markup; bounded by whoever ran the hook.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HookAnswer {
    /// Which hook: its command, shortened.
    pub hook: String,
    /// What it decided, if it decided at all.
    pub decision: Option<HookDecision>,
    /// Why; for the model or the user.
    pub reason: Option<String>,
    /// What the tool is to be called with instead: to be validated and decided anew.
    pub updated_input: Option<Arguments>,
    /// What the model is to read.
    pub inject: Option<String>,
    /// `continue: false`: the run is to end; says why.
    pub prevent: Option<String>,
    /// For people alone.
    pub remark: Option<String>,
    /// It failed or said what nobody understands; or it hung, was killed or could not be started where nothing waits for
    /// it. Shown; blocks nothing.
    pub trouble: Option<String>,
}

/// A hook's decision, loosest first. `block` is a denial too: of a prompt, or of the end of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookDecision {
    /// No objection. Overrides nothing.
    Allow,
    /// A person should decide.
    Ask,
    /// No.
    Deny,
}

impl HookAnswer {
    /// What is made of a hook that did not come to an end of its own, as `happened` says: a refusal where something waits
    /// for leave, else a trouble.
    pub fn cut_short(hook: String, point: HookPoint, happened: &str, advice: &str) -> Self {
        if point.is_gate() {
            let reason = Some(format!("the hook `{hook}` {happened}; {advice}"));
            return Self { hook, decision: Some(HookDecision::Deny), reason, ..Self::default() };
        }
        Self { hook, trouble: Some(format!("{happened}; {advice}")), ..Self::default() }
    }

    /// The same for one that cannot be started.
    pub fn not_started(hook: String, point: HookPoint, why: &str) -> Self {
        let happened = format!("could not be started: {why}");
        Self::cut_short(hook, point, &happened, "correct it, or remove it from the configuration")
    }

    /// Why it refused or asked; a hook that gave no reason is named instead.
    pub fn why(&self) -> String {
        self.reason
            .clone()
            .or_else(|| self.prevent.clone())
            .unwrap_or_else(|| format!("the hook `{}` gave no reason", self.hook))
    }

    pub(super) fn refuses(&self) -> bool {
        self.decision == Some(HookDecision::Deny)
    }
}

/// What people should see of these answers: troubles and remarks, each with its hook.
pub fn notes(answers: &[HookAnswer]) -> Vec<String> {
    let said = |answer: &HookAnswer| {
        let both = [answer.trouble.clone(), answer.remark.clone()];
        both.into_iter().flatten().map(|text| format!("hook `{}`: {text}", answer.hook)).collect::<Vec<_>>()
    };
    answers.iter().flat_map(said).collect()
}
