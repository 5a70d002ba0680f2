//! `session/request_permission`: a call that waits is shown to the client with all that can be answered, and its answer is one of
//! the answers of the screen.

use serde_json::{Value, json};

use crate::agent::Answer;
use crate::cli::events::digest_of;
use crate::ledger::{ApprovalRequest, EntryId, MicroDollars, Sandboxing, Scope};
use crate::policy::LinePart;
use crate::tool::ASK;
use crate::ui::RulePlan;
use crate::ui::effect_words;
use crate::ui::local::RuleToKeep;
use crate::ui::text::sanitize;
use crate::view::Panel;

/// The method.
pub(in crate::cli::acp) const METHOD: &str = "session/request_permission";
/// The option that denies.
const DENY: &str = "deny";
/// Why a question is not asked.
pub(in crate::cli::acp) const CANNOT_ASK: &str =
    "this editor cannot show questions with free answers; put the question into your answer instead";

/// What can be answered: the id, its kind and its name, and what it means.
#[derive(Debug, Clone)]
pub(in crate::cli::acp) struct OfferedAnswer {
    id: String,
    kind: &'static str,
    name: String,
    answer: PermissionAnswer,
}

/// What the client answered.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::cli::acp) enum PermissionAnswer {
    /// This.
    Answer(Answer),
    /// This rule, which is written to a configuration when the decision is recorded: these lines, as they were found.
    Keep(RuleToKeep),
    /// The price is accepted, or not.
    Price(bool),
    /// It cancels the turn.
    Cancelled,
}

impl OfferedAnswer {
    fn new(id: impl Into<String>, kind: &'static str, name: impl Into<String>, answer: Answer) -> Self {
        Self::meaning(id, kind, name, PermissionAnswer::Answer(answer))
    }

    fn meaning(
        id: impl Into<String>,
        kind: &'static str,
        name: impl Into<String>,
        answer: PermissionAnswer,
    ) -> Self {
        // A name is one line: what stands in it of a rule or a choice begins no other.
        Self { id: id.into(), kind, name: sanitize(&name.into()).replace('\n', " "), answer }
    }

    fn shown(&self) -> Value {
        json!({ "optionId": self.id, "kind": self.kind, "name": self.name })
    }
}

/// Whether a rule can be offered with it.
pub(in crate::cli::acp) fn rule_of(asked: &ApprovalRequest) -> Option<&String> {
    asked.rule.as_ref().filter(|_| asked.name != ASK)
}

/// The answers to a request; `plan`: what would be written for its rule. `is_narrow`: an answer that holds for longer was not taken,
/// so none is offered again.
pub(in crate::cli::acp) fn offered(
    asked: &ApprovalRequest,
    plan: Option<&RulePlan>,
    is_narrow: bool,
) -> Vec<OfferedAnswer> {
    if asked.name == ASK {
        return choices(asked);
    }
    let within = |words: &str| match asked.sandboxing {
        Sandboxing::Within => format!("{words} (in the sandbox)"),
        Sandboxing::Without | Sandboxing::OnWish => words.to_owned(),
    };
    // What a rule allows runs as if it had never been asked about: without the sandbox.
    let without = |words: &str| match asked.sandboxing {
        Sandboxing::Within => format!("{words} (without the sandbox)"),
        Sandboxing::Without | Sandboxing::OnWish => words.to_owned(),
    };
    let mut all = vec![OfferedAnswer::new("once", "allow_once", within("Allow once"), Answer::AllowOnce)];
    if asked.sandboxing == Sandboxing::OnWish {
        let name = "Allow once, in the sandbox";
        all.push(OfferedAnswer::new("sandbox", "allow_once", name, Answer::AllowSandboxed));
    }
    if !is_narrow {
        let name = within("Allow exactly this for the session");
        all.push(OfferedAnswer::new("session", "allow_always", name, Answer::AllowSession));
    }
    if let Some(rule) = asked.rule.clone().filter(|_| !is_narrow) {
        let name = without(&format!("Always allow for the session: {rule}"));
        all.push(OfferedAnswer::new(
            "rule",
            "allow_always",
            name,
            Answer::Always { rule, scope: Scope::Session },
        ));
    }
    if let Some(plan) = plan.filter(|_| !is_narrow) {
        all.extend(kept(asked, plan, without));
    }
    all.push(OfferedAnswer::new(DENY, "reject_once", "Deny", Answer::Deny(String::new())));
    all
}

/// The same rule, written to a configuration: of the project, and of the user. The names say the rule and the file.
fn kept(
    asked: &ApprovalRequest,
    plan: &RulePlan,
    without: impl Fn(&str) -> String,
) -> impl Iterator<Item = OfferedAnswer> {
    let places = [
        ("rule-project", "in this project", Scope::Project, &plan.project),
        ("rule-everywhere", "everywhere", Scope::Everywhere, &plan.everywhere),
    ];
    let all = places.map(|(id, place, scope, lines)| {
        let lines = lines.as_ref().ok()?;
        let name = without(&format!("Always allow {place}: {} (written to {})", plan.rule, lines.file));
        let kept =
            RuleToKeep { call: asked.call, rule: plan.rule.clone(), scope, lines: lines.lines.clone() };
        Some(OfferedAnswer::meaning(id, "allow_always", name, PermissionAnswer::Keep(kept)))
    });
    all.into_iter().flatten()
}

/// The answers to a price.
pub(in crate::cli::acp) fn price(up_to: u64) -> [OfferedAnswer; 2] {
    let accept = format!("Accept up to {} for each request of this run", MicroDollars(up_to));
    [
        OfferedAnswer::meaning("accept", "allow_once", accept, PermissionAnswer::Price(true)),
        OfferedAnswer::meaning("stop", "reject_once", "Stop here", PermissionAnswer::Price(false)),
    ]
}

/// The choices of a question; none if it wants words.
fn choices(asked: &ApprovalRequest) -> Vec<OfferedAnswer> {
    let listed = asked.arguments.get("choices").and_then(Value::as_array);
    let texts: Vec<&str> = listed.into_iter().flatten().filter_map(Value::as_str).collect();
    if texts.is_empty() {
        return Vec::new();
    }
    let mut all: Vec<OfferedAnswer> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let id = format!("choice-{}", at + 1);
            OfferedAnswer::new(id, "allow_once", *text, Answer::Reply((*text).to_owned()))
        })
        .collect();
    all.push(OfferedAnswer::new(DENY, "reject_once", "Do not answer", Answer::Deny(String::new())));
    all
}

/// The parameters. `call` shows what is asked about, as its updates do.
pub(in crate::cli::acp) fn params(session: &str, call: &Value, offered: &[OfferedAnswer]) -> Value {
    let options: Vec<Value> = offered.iter().map(OfferedAnswer::shown).collect();
    json!({ "sessionId": session, "toolCall": call, "options": options })
}

/// What a decision is about, for who keeps books of their own: exactly this, named by its digest.
pub(in crate::cli::acp) fn about(entry: EntryId, panel: &Panel, asked: &ApprovalRequest) -> Value {
    let part = |part: &LinePart| json!({ "text": part.text, "does": part.does(), "to": part.to });
    let parts: Vec<Value> = panel.parts().iter().map(part).collect();
    json!({
        "entry": entry.to_string(),
        "call": asked.call.to_string(),
        "digest": digest_of(asked),
        "why": asked.why,
        "does": effect_words::does(asked),
        "parts": parts,
        "leadsTo": asked.leads_to,
        "warning": asked.warning,
        "gaps": asked.gaps,
        "rule": asked.rule,
        "isPartial": asked.is_partial,
        "sandboxing": asked.sandboxing.as_str(),
    })
}

/// What an answer of the client means.
///
/// # Errors
/// Why it means nothing.
pub(in crate::cli::acp) fn said(
    offered: &[OfferedAnswer],
    result: &Value,
) -> Result<PermissionAnswer, String> {
    let outcome = result.get("outcome");
    match outcome.and_then(|outcome| outcome.get("outcome")).and_then(Value::as_str) {
        Some("cancelled") => Ok(PermissionAnswer::Cancelled),
        Some("selected") => {
            let chosen = outcome.and_then(|outcome| outcome.get("optionId")).and_then(Value::as_str);
            let found = offered.iter().find(|one| Some(one.id.as_str()) == chosen);
            found
                .map(|one| one.answer.clone())
                .ok_or_else(|| "the option is not one of those that were offered for this call".to_owned())
        }
        _ => Err("the answer has no outcome".to_owned()),
    }
}
