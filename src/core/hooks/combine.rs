//! What several hooks said together. A hook can tighten, never loosen.

use crate::ledger::Arguments;
use crate::policy::Verdict;

use super::answer::{HookAnswer, HookDecision};

/// What the hooks say of a call before it is decided.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PreTool {
    /// The tightest of their decisions.
    pub verdict: PreVerdict,
    /// Why, one for each hook that decided so.
    pub reasons: Vec<String>,
    /// What to call the tool with instead: validate it and decide anew. Of several the last holds.
    pub updated_input: Option<Arguments>,
    /// What the model is to read.
    pub injects: Vec<String>,
    /// The run is to end after this; the call is denied then.
    pub prevent: Option<String>,
    /// For people: that several hooks changed the arguments, and which one holds.
    pub notes: Vec<String>,
}

impl PreTool {
    /// Of a call with whose arguments something is proven: a hook that would change them denies it.
    #[must_use]
    pub fn unchanging(self) -> Self {
        match &self.updated_input {
            None => self,
            Some(_) => Self {
                verdict: PreVerdict::Deny,
                reasons: vec!["a hook would change what checks the goal".to_owned()],
                updated_input: None,
                ..self
            },
        }
    }
}

/// What hooks can do to a call, loosest first. There is no "allow": that is for the policy to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum PreVerdict {
    /// Nothing: the policy decides.
    #[default]
    Pass,
    /// A person must decide, even where the policy allows.
    Ask,
    /// It may not run.
    Deny,
}

/// What the hooks say of the end of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StopVerdict {
    /// What the model must hear before it may end: deliver all of them before [`StopVerdict::prevent`] counts.
    pub blocking: Vec<String>,
    /// The run is to end here.
    pub prevent: Option<String>,
    /// What the model is to read, whenever it goes on.
    pub injects: Vec<String>,
}

/// What the hooks say of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserPrompt {
    /// It must not reach the model; says why.
    pub blocked: Option<String>,
    /// What the model is to read with it.
    pub injects: Vec<String>,
}

/// What hooks say that were told, not asked: at `session_start`, `post_tool`, `post_sampling`, `pre_compact`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookFeedback {
    /// What the model is to read; after a tool, the reasons of refusals too.
    pub injects: Vec<String>,
    /// The run is to end.
    pub prevent: Option<String>,
}

impl PreTool {
    /// All reasons as one text.
    pub fn reason(&self) -> String {
        self.reasons.join("; ")
    }

    /// The policy's verdict about the call, made tighter where the hooks are; never looser.
    pub fn tighten(&self, policy: Verdict) -> Verdict {
        match (self.verdict, policy) {
            (_, denied @ Verdict::Deny(_)) => denied,
            (PreVerdict::Deny, _) => Verdict::Deny(self.reason()),
            (PreVerdict::Ask, Verdict::Allow(_) | Verdict::Sandbox(_)) => Verdict::Ask(self.reason()),
            (PreVerdict::Ask | PreVerdict::Pass, policy) => policy,
        }
    }
}

/// The tightest decision wins: deny, then ask, then none. `continue: false` denies.
pub fn combine_pre_tool(answers: &[HookAnswer]) -> PreTool {
    let of = |answer: &HookAnswer| match answer.decision {
        _ if answer.prevent.is_some() => PreVerdict::Deny,
        Some(HookDecision::Deny) => PreVerdict::Deny,
        Some(HookDecision::Ask) => PreVerdict::Ask,
        Some(HookDecision::Allow) | None => PreVerdict::Pass,
    };
    let verdict = answers.iter().map(of).max().unwrap_or_default();
    let deciding = answers.iter().filter(|answer| verdict != PreVerdict::Pass && of(answer) == verdict);
    let changing: Vec<&HookAnswer> = answers.iter().filter(|a| a.updated_input.is_some()).collect();
    let notes = match changing.as_slice() {
        [_, .., last] => vec![format!(
            "{} hooks changed the arguments; those of `{}`, the last in the configuration, are used",
            changing.len(),
            last.hook
        )],
        [] | [_] => Vec::new(),
    };
    PreTool {
        verdict,
        reasons: distinct(deciding.map(HookAnswer::why)),
        updated_input: changing.last().and_then(|answer| answer.updated_input.clone()),
        injects: injects(answers),
        prevent: prevention(answers),
        notes,
    }
}

/// Every hook that blocks is heard; identical messages once. A prevention stands beside them.
pub fn combine_stop(answers: &[HookAnswer]) -> StopVerdict {
    let blocking = answers.iter().filter(|answer| answer.refuses()).map(HookAnswer::why);
    StopVerdict { blocking: distinct(blocking), prevent: prevention(answers), injects: injects(answers) }
}

/// One hook that blocks is enough.
pub fn combine_user_prompt(answers: &[HookAnswer]) -> UserPrompt {
    let refusing = answers.iter().filter(|answer| answer.refuses() || answer.prevent.is_some());
    let reasons = distinct(refusing.map(HookAnswer::why));
    let blocked = (!reasons.is_empty()).then(|| reasons.join("; "));
    UserPrompt { blocked, injects: injects(answers) }
}

/// What the model is to read: injected texts, and what hooks object to although nothing can be undone.
pub fn combine_told(answers: &[HookAnswer]) -> HookFeedback {
    let objections = answers.iter().filter(|answer| answer.refuses()).map(HookAnswer::why);
    HookFeedback { injects: distinct(objections.chain(injects(answers))), prevent: prevention(answers) }
}

fn prevention(answers: &[HookAnswer]) -> Option<String> {
    let reasons = distinct(answers.iter().filter_map(|answer| answer.prevent.clone()));
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

fn injects(answers: &[HookAnswer]) -> Vec<String> {
    distinct(answers.iter().filter_map(|answer| answer.inject.clone()))
}

/// The first of each, in order.
fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for text in texts {
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
}

#[cfg(test)]
#[path = "combine_tests.rs"]
mod tests;
