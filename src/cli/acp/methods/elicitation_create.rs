//! `elicitation/create`: a question of the model as a form of the client, where it has forms.

use serde_json::{Value, json};

use super::session_request_permission::PermissionAnswer;
use crate::agent::Answer;
use crate::ledger::ApprovalRequest;
use crate::ui::text::sanitize;

/// The method.
pub(in crate::cli::acp) const METHOD: &str = "elicitation/create";
/// Bytes of an answer.
const MOST_BYTES: usize = 64 << 10;

/// The parameters: one field, a text, or one of the choices.
pub(in crate::cli::acp) fn params(session: &str, asked: &ApprovalRequest) -> Value {
    let question = asked.arguments.get("question").and_then(Value::as_str).unwrap_or("The model asks.");
    let choices = choices(asked);
    let mut field = json!({ "type": "string", "title": "Answer" });
    if let (false, Some(members)) = (choices.is_empty(), field.as_object_mut()) {
        members.insert("enum".to_owned(), json!(choices));
    }
    json!({
        "mode": "form",
        "sessionId": session,
        "toolCallId": asked.call.to_string(),
        "message": sanitize(question),
        "requestedSchema": {
            "type": "object",
            "properties": { "answer": field },
            "required": ["answer"],
        },
    })
}

/// What the form offers; empty: a text is asked for.
pub(in crate::cli::acp) fn choices(asked: &ApprovalRequest) -> Vec<String> {
    let listed = asked.arguments.get("choices").and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// What an answer of the client to a form with these choices means.
///
/// # Errors
/// Why it means nothing.
pub(in crate::cli::acp) fn said(choices: &[String], result: &Value) -> Result<PermissionAnswer, String> {
    match result.get("action").and_then(Value::as_str) {
        Some("accept") => {
            let answer = result.pointer("/content/answer").and_then(Value::as_str).map(str::trim);
            match answer {
                Some(words) if !choices.is_empty() && !choices.iter().any(|one| one.trim() == words) => {
                    Err("the answer of the form is not one of the choices that were offered".to_owned())
                }
                Some(words) if !words.is_empty() && words.len() <= MOST_BYTES => {
                    Ok(PermissionAnswer::Answer(Answer::Reply(words.to_owned())))
                }
                _ => Err("the form has no `answer` that is a text of reasonable length".to_owned()),
            }
        }
        Some("decline") => Ok(PermissionAnswer::Answer(Answer::Deny(String::new()))),
        Some("cancel") => Ok(PermissionAnswer::Cancelled),
        _ => Err("the answer has no action".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_with_choices_is_answered_with_one_of_them() {
        let said = |choices: &[&str], answer: &str| {
            let choices: Vec<String> = choices.iter().map(|one| (*one).to_owned()).collect();
            said(&choices, &json!({ "action": "accept", "content": { "answer": answer } }))
        };
        assert!(
            matches!(said(&["blue", "red"], "red"), Ok(PermissionAnswer::Answer(Answer::Reply(words))) if words == "red")
        );
        assert!(
            said(&["blue", "red"], "rm everything").is_err_and(|why| why.contains("not one of the choices"))
        );
        assert!(said(&[], "rm everything").is_ok());
        assert!(said(&[], " ").is_err());
    }
}
