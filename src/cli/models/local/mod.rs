//! Model servers on this machine: which are there, what they serve, and what they tell about a model.

mod ask;
mod told;

use std::time::Duration;

use serde_json::{Value, json};

use crate::cli::{config::Facts, connection::Secret};

/// Nothing on the loopback interface takes longer unless it is broken; the app does not wait for that.
pub(super) const PATIENCE: Duration = Duration::from_millis(200);

/// A kind of server that people run themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Ollama,
    LlamaCpp,
    Vllm,
    LmStudio,
}

/// Asks each server, by its base URL and key, for the names of its models, all at once. `None`: none answers there.
pub(super) fn models_of(
    servers: Vec<(String, Option<Secret>)>,
    patience: Duration,
) -> Vec<Option<Vec<String>>> {
    type Job = Box<dyn FnOnce() -> Option<Vec<String>> + Send>;
    let job = |(base_url, key): (String, Option<Secret>)| -> Job {
        Box::new(move || names(&ask::Server::of(&base_url, key)?.ask("/v1/models", None, patience)?))
    };
    ask::together(servers.into_iter().map(job).collect(), patience)
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
    type Job = Box<dyn FnOnce() -> Option<Value> + Send>;
    let Some(server) = ask::Server::of(base_url, key.cloned()) else { return Facts::default() };
    let job = |(path, names_it): &(&'static str, bool)| -> Job {
        let (server, path) = (server.clone(), *path);
        let body = names_it.then(|| json!({ "model": model }));
        Box::new(move || server.ask(path, body.as_ref(), PATIENCE))
    };
    let answers = ask::together(told::questions(kind).iter().map(job).collect(), PATIENCE);
    told::facts(kind, model, &answers)
}
