//! The ports around a model: what they ask, what they pass on, and when they change their mind.

use std::sync::{Arc, Mutex};

use countersign::ledger::{Message, ModelRef, Stop};
use countersign::model::{
    FailureClass, ModelEvent, ModelFailure, ModelNews, Request, ToolCalls, ToolDescription,
};
use countersign::runtime::{AutoToolMode, ModelPort, StringModel};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use serde_json::json;

use crate::string_mode::{Answer, call};

/// Answers with these news, one list a call, and keeps what it was asked.
#[derive(Clone)]
struct Mock {
    answers: Arc<Mutex<Vec<Vec<ModelNews>>>>,
    asked: Arc<Mutex<Vec<Request>>>,
}

impl Mock {
    fn new(mut answers: Vec<Vec<ModelNews>>) -> Self {
        answers.reverse();
        Self { answers: Arc::new(Mutex::new(answers)), asked: Arc::default() }
    }

    /// For each request, whether it had tools.
    fn had_tools(&self) -> Vec<bool> {
        self.asked.lock().unwrap().iter().map(|request| !request.tools.is_empty()).collect()
    }
}

impl ModelPort for Mock {
    fn stream(&self, request: Request) -> BoxStream<'static, ModelNews> {
        self.asked.lock().unwrap().push(request);
        stream::iter(self.answers.lock().unwrap().pop().unwrap()).boxed()
    }
}

fn request() -> Request {
    Request {
        model: ModelRef::parse("ollama/small"),
        system: "Be brief.".to_owned(),
        messages: vec![Message::User(Arc::new("Go.".into()))],
        tools: vec![ToolDescription::new(
            "echo".to_owned(),
            "Says it again.".to_owned(),
            json!({ "type": "object" }),
        )],
        max_output: 10,
        effort: None,
        seed: None,
        adaptive_thinking: false,
        reasons: None,
        cache_key: String::new(),
        answer_schema: None,
        withheld: Default::default(),
    }
}

fn text(text: &str) -> ModelNews {
    ModelNews::Event(ModelEvent::Text(text.to_owned()))
}

fn refusal() -> ModelNews {
    ModelNews::Failed(ModelFailure::new(FailureClass::BadRequest, "small does not support tools"))
}

const CALL: &str = "```tool_call\n{\"tool\": \"echo\", \"arguments\": {}}\n```";

async fn ask(model: &dyn ModelPort) -> Vec<ModelNews> {
    model.stream(request()).collect().await
}

fn answer(news: &[ModelNews]) -> Answer {
    Answer::of(news.iter().filter_map(|n| if let ModelNews::Event(e) = n { Some(e.clone()) } else { None }))
}

#[tokio::test]
async fn a_model_in_string_mode_is_asked_without_tools_and_read() {
    let stop = ModelNews::Event(ModelEvent::Stop(Stop::End));
    let mock = Mock::new(vec![vec![text(CALL), stop, ModelNews::Finished]]);
    let news = ask(&StringModel::new(Box::new(mock.clone()))).await;
    assert_eq!(answer(&news).calls, [call("echo", "{}")]);
    assert_eq!(news[3..], [ModelNews::Event(ModelEvent::Stop(Stop::End)), ModelNews::Finished]);
    assert_eq!(mock.had_tools(), [false]);
    assert!(mock.asked.lock().unwrap()[0].system.contains("- echo: Says it again."));
}

#[tokio::test]
async fn a_failure_is_the_last_news_and_what_was_kept_comes_before_it() {
    let failure = ModelNews::Failed(ModelFailure::new(FailureClass::Transient, "cut"));
    let mock = Mock::new(vec![vec![text("So <tool_"), failure.clone()]]);
    let news = ask(&StringModel::new(Box::new(mock))).await;
    assert_eq!((answer(&news), news.last()), (Answer::text("So <tool_"), Some(&failure)));
}

#[tokio::test]
async fn a_server_that_refuses_tools_is_asked_again_in_string_mode_and_from_then_on() {
    let (done, last) = (vec![text("Done."), ModelNews::Finished], vec![text(CALL), ModelNews::Finished]);
    let mock = Mock::new(vec![vec![refusal()], last, done]);
    let model = AutoToolMode::new(Box::new(mock.clone()), ToolCalls::Native);
    let news = ask(&model).await;
    assert_eq!(news.first(), Some(&ModelNews::ToolsRefused), "whoever watches is told first");
    assert_eq!((answer(&news).calls, news.last()), (vec![call("echo", "{}")], Some(&ModelNews::Finished)));
    let news = ask(&model).await;
    assert_eq!(answer(&news).text, "Done.");
    assert!(!news.contains(&ModelNews::ToolsRefused), "and told once");
    assert_eq!(mock.had_tools(), [true, false, false]);
}

#[tokio::test]
async fn anything_else_leaves_the_mode_alone() {
    let other = ModelNews::Failed(ModelFailure::new(FailureClass::BadRequest, "too many tools"));
    let mock = Mock::new(vec![
        vec![other.clone()],
        vec![text("So "), refusal()],
        vec![text(CALL), ModelNews::Finished],
        Vec::new(),
    ]);
    let model = AutoToolMode::new(Box::new(mock.clone()), ToolCalls::Native);
    assert_eq!(ask(&model).await, [other]);
    assert_eq!(ask(&model).await, [text("So "), refusal()], "once it spoke, it is not asked again");
    assert_eq!(ask(&model).await, [text(CALL), ModelNews::Finished], "text is read in string mode alone");
    assert!(ask(&model).await.is_empty());
    assert_eq!(mock.had_tools(), [true; 4]);
}

#[tokio::test]
async fn a_model_that_is_known_to_take_no_tools_starts_in_string_mode_and_stays_there() {
    let mock = Mock::new(vec![vec![refusal()], vec![text(CALL), ModelNews::Finished]]);
    let model = AutoToolMode::new(Box::new(mock.clone()), ToolCalls::InText);
    assert_eq!(ask(&model).await, [refusal()], "there is nothing left to change");
    assert_eq!(answer(&ask(&model).await).calls.len(), 1);
    assert_eq!(mock.had_tools(), [false, false]);
}
