//! Model servers on this machine: which are there, what they serve, and what they tell about a model.

mod ask;
mod kind;
mod told;

pub(super) use kind::Kind;

use std::time::Duration;

use serde_json::{Value, json};

use crate::config::Facts;
use crate::config::connection::Secret;
use ask::Job;

/// Nothing on the loopback interface takes longer unless it is broken; the app does not wait for that.
pub(super) const PATIENCE: Duration = Duration::from_millis(200);

/// Asks each server, by its base URL and key, for the names of its models, all at once. `None`: none answers there.
pub(super) fn models_of(
    servers: Vec<(String, Option<Secret>)>,
    patience: Duration,
) -> Vec<Option<Vec<String>>> {
    let job = |(base_url, key): (String, Option<Secret>)| -> Job<Vec<String>> {
        Box::new(move || names(&ask::Server::of(&base_url, key)?.ask("/v1/models", None, patience)?))
    };
    ask::together(servers.into_iter().map(job).collect(), patience)
}

/// Whether a server takes connections there, whatever it answers.
pub(super) fn is_there(base_url: &str, patience: Duration) -> bool {
    ask::Server::of(base_url, None).is_some_and(|server| server.connect(patience).is_some())
}

/// Every server of ours lists its models as Chat Completions does.
fn names(listed: &Value) -> Option<Vec<String>> {
    // One of them says `null` where it has none.
    let models = match listed.get("data")? {
        Value::Null => &[][..],
        models => models.as_array()?,
    };
    Some(models.iter().filter_map(|model| model.get("id")?.as_str()).map(str::to_owned).collect())
}

/// What the server tells about one of its models; nothing when it does not answer in time.
pub(super) fn facts(kind: Kind, base_url: &str, key: Option<&Secret>, model: &str) -> Facts {
    let asked = facts_of_all(kind, base_url, key, vec![model.to_owned()], PATIENCE);
    asked.into_iter().next().unwrap_or_default()
}

/// What the server tells about each of these models.
pub(super) fn facts_of_all(
    kind: Kind,
    base_url: &str,
    key: Option<&Secret>,
    models: Vec<String>,
    patience: Duration,
) -> Vec<Facts> {
    let Some(server) = ask::Server::of(base_url, key.cloned()) else { return Vec::new() };
    let questions = told::questions(kind);
    let job = |model: &String, (path, names_it): (&'static str, bool)| -> Job<Value> {
        let (server, body) = (server.clone(), names_it.then(|| json!({ "model": model })));
        Box::new(move || server.ask(path, body.as_ref(), patience))
    };
    let jobs = models.iter().flat_map(|model| questions.iter().map(move |question| (model, *question)));
    let jobs = jobs.map(|(model, question)| job(model, question));
    let answers = ask::together(jobs.collect(), patience);
    let of_each = models.iter().zip(answers.chunks(questions.len()));
    of_each.map(|(model, answers)| told::facts(kind, model, answers)).collect()
}
