//! Goals, their checkpoints and what the model answered, as fields of records: the eight parts by their names.

use serde_json::{Map, Value, json};

use crate::ledger::{Answerer, Asked, Body, Checkpoint, Goal, Limit, Progress, Validation};

use super::RecordError;
use super::fields::{Fields, put};

/// Writes the eight parts.
pub(super) fn write(record: &mut Map<String, Value>, goal: &Goal) {
    let budget: Map<String, Value> =
        goal.budget.iter().map(|(limit, most)| (limit.name().to_owned(), (*most).into())).collect();
    let method = match &goal.validation_method {
        Validation::Command(command) => json!({ "command": command }),
        Validation::Question => json!({ "question": goal.done_condition }),
    };
    put(
        record,
        json!({
            "objective": goal.objective,
            "done_condition": goal.done_condition,
            "budget": budget,
            "checkpoints": { "every_turns": goal.checkpoints },
            "current_plan": goal.current_plan,
            "progress_log": goal.progress_log,
            "validation_method": method,
            "stop_rules": goal.stop_rules,
        }),
    );
}

/// Reads them back.
pub(super) fn read(fields: &Fields<'_>) -> Result<Body, RecordError> {
    let Value::Object(budget) = fields.value("budget")? else {
        return Err(fields.bad("budget", "is not an object"));
    };
    // A limit that only another version has means nothing here.
    let budget = budget
        .into_iter()
        .filter_map(|(name, most)| Some((Limit::parse(&name)?, most)))
        .map(|(limit, most)| match most.as_u64() {
            Some(most) => Ok((limit, most)),
            None => Err(fields.bad("budget", format!("contains no whole number as {}", limit.name()))),
        })
        .collect::<Result<_, RecordError>>()?;
    let method = fields.object("validation_method")?;
    let validation_method = match method.get("command") {
        Some(_) => Validation::Command(method.text("command")?),
        None => Validation::Question,
    };
    Ok(Body::Goal(Goal {
        objective: fields.text("objective")?,
        done_condition: fields.text("done_condition")?,
        budget,
        checkpoints: fields.object("checkpoints")?.small("every_turns")?,
        current_plan: fields.text("current_plan")?,
        progress_log: texts(fields, "progress_log")?,
        validation_method,
        stop_rules: texts(fields, "stop_rules")?,
    }))
}

fn texts(fields: &Fields<'_>, field: &str) -> Result<Vec<String>, RecordError> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let texts = fields.list(field)?.iter().map(text).collect::<Option<_>>();
    texts.ok_or_else(|| fields.bad(field, "contains something that is not text"))
}

/// Writes the six questions.
pub(super) fn write_checkpoint(record: &mut Map<String, Value>, checkpoint: &Checkpoint) {
    let asked = |q: &Asked| json!({ "question": q.question, "answer": q.answer, "by": q.by.as_str() });
    let questions: Vec<Value> = checkpoint.questions.iter().map(asked).collect();
    put(record, json!({ "number": checkpoint.number, "questions": questions }));
}

/// Reads them back.
pub(super) fn read_checkpoint(fields: &Fields<'_>) -> Result<Body, RecordError> {
    let questions = fields
        .list("questions")?
        .iter()
        .map(|value| {
            let asked = Fields::of("questions", value)?;
            Ok(Asked {
                question: asked.text("question")?,
                answer: text_or_null(&asked, "answer")?,
                by: asked.one_of("by", Answerer::parse)?,
            })
        })
        .collect::<Result<_, RecordError>>()?;
    Ok(Body::Checkpoint(Checkpoint { number: fields.small("number")?, questions }))
}

/// Writes the model's answers.
pub(super) fn write_progress(record: &mut Map<String, Value>, said: &Progress) {
    put(
        record,
        json!({
            "checkpoint": said.checkpoint,
            "objective_valid": said.objective_valid,
            "done": said.done,
            "blocked": said.blocked,
            "plan": said.plan,
            "progress": said.progress,
        }),
    );
}

/// Reads them back.
pub(super) fn read_progress(fields: &Fields<'_>) -> Result<Body, RecordError> {
    Ok(Body::Progress(Progress {
        checkpoint: fields.small("checkpoint")?,
        objective_valid: flag_or_null(fields, "objective_valid")?,
        done: flag_or_null(fields, "done")?,
        blocked: text_or_null(fields, "blocked")?,
        plan: fields.text("plan")?,
        progress: fields.text("progress")?,
    }))
}

fn text_or_null(fields: &Fields<'_>, field: &str) -> Result<Option<String>, RecordError> {
    match fields.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => fields.text(field).map(Some),
    }
}

fn flag_or_null(fields: &Fields<'_>, field: &str) -> Result<Option<bool>, RecordError> {
    match fields.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => fields.flag(field).map(Some),
    }
}
