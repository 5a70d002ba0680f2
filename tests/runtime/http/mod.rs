//! `HttpModel` through real HTTP against servers on this machine: what they answer, how they are reached, how they fail.

use crate::support;

mod answers;
mod authority;
mod bad_input;
mod bytes;
mod certificates;
mod keys;
mod lessons;
mod network;
mod proxies;
mod silence;

use countersign::ledger::{AssistantMessage, CallId, EntryId, Message, Usage};
use countersign::model::{Draft, ModelFailure, ModelNews, Request};
use countersign::runtime::{HttpModel, ModelPort, Network, Timeouts};
use countersign::wire::{Endpoint, Protocol, Secret};
use futures_util::StreamExt;
use support::answer::Answer;
use support::history::{request, user};

pub(crate) const ALL: [Protocol; 3] = [Protocol::Anthropic, Protocol::OpenAiChat, Protocol::OpenAiResponses];
pub(crate) const KEY: &str = "sk-test-0123456789";

pub(crate) fn model(protocol: Protocol, base_url: &str) -> HttpModel {
    let mut endpoint = Endpoint::new(base_url, Some(Secret::new(KEY)));
    endpoint.key_name = Some("THE_KEY".to_owned());
    HttpModel::new(protocol, endpoint, Timeouts::default())
}

/// All news of one call; asserts that the end comes once, and last.
pub(crate) async fn news(model: &HttpModel, request: Request) -> Vec<ModelNews> {
    let news: Vec<_> = model.stream(request).collect().await;
    let ends = news.iter().filter(|n| !matches!(n, ModelNews::Event(_))).count();
    assert!(ends == 1 && !matches!(news.last(), Some(ModelNews::Event(_))), "{news:?}");
    news
}

pub(crate) async fn failure(model: &HttpModel, messages: Vec<Message>) -> ModelFailure {
    let answer = Answer::of(&news(model, request(messages)).await);
    answer.failure.unwrap_or_else(|| panic!("this should have failed: {:?}", answer.text))
}

/// What the loop would append.
pub(crate) fn message(news: Vec<ModelNews>) -> AssistantMessage {
    let mut draft = Draft::default();
    for item in news {
        match item {
            ModelNews::Event(event) => draft.push(event),
            ModelNews::Finished | ModelNews::ToolsRefused => {}
            ModelNews::Failed(failure) => panic!("{failure:?}"),
        }
    }
    let mut next = 0;
    let model = request(Vec::new()).model;
    draft.complete(EntryId(1), model, Usage::default(), || {
        next += 1;
        CallId(next)
    })
}

/// A model that is reached as `network` says.
pub(crate) fn model_through(base_url: &str, network: Network) -> HttpModel {
    let endpoint = Endpoint::new(base_url, Some(Secret::new(KEY)));
    HttpModel::through(Protocol::Anthropic, endpoint, Timeouts::default(), network)
}

/// The text that a model answers with; what failed otherwise.
pub(crate) async fn said_by(model: &HttpModel) -> Result<String, ModelFailure> {
    let answer = Answer::of(&news(model, request(vec![user("Hi")])).await);
    answer.failure.map_or(Ok(answer.text), Err)
}

/// Runs one test of this program again, in a process of its own with these variables more: what is read from the
/// environment can be set nowhere else.
pub(crate) fn in_a_child(name: &str, variables: &[(&str, &str)]) {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    for proxy in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
        child.env_remove(proxy).env_remove(proxy.to_lowercase());
    }
    child.args(["--exact", &format!("http::{name}"), "--nocapture"]).env("COUNTERSIGN_TEST_CHILD", "1");
    let done = child.envs(variables.iter().copied()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    let complained = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && said.contains("1 passed"), "{said}{complained}");
}

/// Whether this process is one that [`in_a_child`] began.
pub(crate) fn is_a_child() -> bool {
    std::env::var_os("COUNTERSIGN_TEST_CHILD").is_some()
}
