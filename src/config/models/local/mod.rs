//! Model servers on this machine: which are there, what they serve, and what they tell about a model.

mod ask;
mod kind;
mod told;

pub(super) use kind::Kind;

use std::collections::BTreeSet;
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

/// What came of asking a server for the names of its models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NamesAnswer {
    /// It told them.
    Told(Vec<String>),
    /// Its answer has none, or nobody answers there.
    Untold,
    /// No whole answer came in time.
    Late,
}

/// The same as [`models_of`], with why there are no names.
pub(super) fn names_of(servers: Vec<(String, Option<Secret>)>, patience: Duration) -> Vec<NamesAnswer> {
    // Longer than it is waited for: what ends a question itself has an answer, or nobody to ask.
    let longer = patience.saturating_mul(2);
    let job = |(base_url, key): (String, Option<Secret>)| -> Job<NamesAnswer> {
        Box::new(move || {
            let server = ask::Server::of(&base_url, key);
            let listed = server.and_then(|server| server.ask("/v1/models", None, longer));
            Some(listed.as_ref().and_then(names).map_or(NamesAnswer::Untold, NamesAnswer::Told))
        })
    };
    let answers = ask::together(servers.into_iter().map(job).collect(), patience);
    answers.into_iter().map(|answer| answer.unwrap_or(NamesAnswer::Late)).collect()
}

/// Whether a server takes connections at each of these base URLs, whatever it answers. All are tried at once.
pub(super) fn are_there(base_urls: Vec<String>, patience: Duration) -> Vec<bool> {
    let job = |base_url: String| -> Job<()> {
        Box::new(move || ask::Server::of(&base_url, None)?.connect(patience).map(drop))
    };
    let answers = ask::together(base_urls.into_iter().map(job).collect(), patience);
    answers.iter().map(Option::is_some).collect()
}

/// Every server of ours lists its models as Chat Completions does. A name that it repeats is one model.
fn names(listed: &Value) -> Option<Vec<String>> {
    // One of them says `null` where it has none.
    let models = match listed.get("data")? {
        Value::Null => &[][..],
        models => models.as_array()?,
    };
    let mut seen = BTreeSet::new();
    let named = models.iter().filter_map(|model| model.get("id")?.as_str());
    Some(named.filter(|name| seen.insert(*name)).map(str::to_owned).collect())
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

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};

    use super::*;

    #[test]
    fn a_server_that_never_answers_is_late() {
        let [silent, gone] = [(); 2].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
        let urls = [&silent, &gone].map(|listener| format!("http://{}/v1", listener.local_addr().unwrap()));
        drop(gone);
        let answers = names_of(urls.map(|url| (url, None)).to_vec(), Duration::from_millis(500));
        assert_eq!(answers, [NamesAnswer::Late, NamesAnswer::Untold]);
    }

    #[test]
    fn a_model_that_a_server_names_twice_is_one() {
        let told = json!({ "data": [{ "id": "b" }, { "id": "a" }, { "id": "b" }, { "object": "model" }] });
        assert_eq!(names(&told), Some(vec!["b".to_owned(), "a".to_owned()]));
    }

    #[test]
    fn whether_servers_are_there_is_told_in_the_order_in_which_they_were_named() {
        let [there, gone] = [(); 2].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
        let urls = [&there, &gone].map(|listener| format!("http://{}/v1", listener.local_addr().unwrap()));
        drop(gone);
        let [first, second] = urls;
        let named = vec![second.clone(), first.clone(), "no address".to_owned(), first, second];
        assert_eq!(are_there(named, Duration::from_secs(5)), [false, true, false, true, false]);
        assert!(are_there(Vec::new(), Duration::ZERO).is_empty());
    }
}
