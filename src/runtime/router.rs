//! One door to several models: each request goes to the model that it names.

use std::sync::{Arc, PoisonError, RwLock};

use futures_util::stream::{self, BoxStream, StreamExt};

use super::ModelPort;
use crate::ledger::ModelRef;
use crate::model::{FailureClass, ModelFailure, ModelNews, Request};

/// Models, each with the port that reaches it.
type RoutedModels = Vec<(ModelRef, Arc<dyn ModelPort>)>;

/// The models of a process behind one port. Which of them is asked is the loop's to say: the router only reads the name
/// in the request. Every clone is the same door: a model that is added later is there for all.
#[derive(Clone, Default)]
pub struct ModelRouter {
    ports: Arc<RwLock<RoutedModels>>,
}

impl ModelRouter {
    /// A router over these models, each with the port that reaches it.
    pub fn new(ports: Vec<(ModelRef, Box<dyn ModelPort>)>) -> Self {
        let router = Self::default();
        ports.into_iter().for_each(|(model, port)| router.add(model, port));
        router
    }

    /// Another model. One that is there already stays as it is: its port knows what its server has taught it.
    pub fn add(&self, model: ModelRef, port: Box<dyn ModelPort>) {
        if !self.has(&model) {
            let mut ports = self.ports.write().unwrap_or_else(PoisonError::into_inner);
            ports.push((model, Arc::from(port)));
        }
    }

    /// Whether a request to this model goes anywhere.
    pub fn has(&self, model: &ModelRef) -> bool {
        self.port(model).is_some()
    }

    fn port(&self, model: &ModelRef) -> Option<Arc<dyn ModelPort>> {
        let ports = self.ports.read().unwrap_or_else(PoisonError::into_inner);
        ports.iter().find(|(of, _)| of == model).map(|(_, port)| Arc::clone(port))
    }
}

impl ModelPort for ModelRouter {
    fn stream(&self, request: Request) -> BoxStream<'static, ModelNews> {
        match self.port(&request.model) {
            Some(port) => port.stream(request),
            // Another model's server must never see what was meant for this one, so nobody stands in.
            None => stream::once(std::future::ready(ModelNews::Failed(unreachable(&request.model)))).boxed(),
        }
    }
}

fn unreachable(model: &ModelRef) -> ModelFailure {
    let mut failure = ModelFailure::new(
        FailureClass::UnknownModel,
        format!("the model {model} is not one of this process's models"),
    );
    failure.next =
        format!("Choose it with /model {model}, start with -m {model}, or name it with --fallback {model}.");
    failure
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelEvent;

    /// Says who was asked by whom.
    struct Speaker(&'static str);

    impl ModelPort for Speaker {
        fn stream(&self, request: Request) -> BoxStream<'static, ModelNews> {
            let said = format!("{} for {}", self.0, request.model);
            stream::iter([ModelNews::Event(ModelEvent::Text(said)), ModelNews::Finished]).boxed()
        }
    }

    async fn ask(router: &ModelRouter, model: &str) -> Vec<ModelNews> {
        let request = Request {
            model: ModelRef::parse(model),
            system: String::new(),
            messages: Vec::new(),
            tools: Vec::new(),
            max_output: 1,
            effort: None,
            seed: None,
            adaptive_thinking: false,
            reasons: None,
            cache_key: String::new(),
            answer_schema: None,
            withheld: Default::default(),
        };
        router.stream(request).collect().await
    }

    #[tokio::test]
    async fn each_request_reaches_the_model_that_it_names() {
        let port = |name: &'static str| -> (ModelRef, Box<dyn ModelPort>) {
            (ModelRef::parse(name), Box::new(Speaker(name)))
        };
        let router = ModelRouter::new(vec![port("a/x"), port("b/x"), port("a/y")]);
        for model in ["a/y", "b/x", "a/x", "b/x"] {
            let said = ModelNews::Event(ModelEvent::Text(format!("{model} for {model}")));
            assert_eq!(ask(&router, model).await, [said, ModelNews::Finished]);
        }
    }

    #[tokio::test]
    async fn a_model_that_is_added_later_is_there_for_every_clone_and_replaces_none() {
        let router = ModelRouter::new(vec![(ModelRef::parse("a/x"), Box::new(Speaker("a/x")))]);
        let other = router.clone();
        other.add(ModelRef::parse("b/y"), Box::new(Speaker("b/y")));
        other.add(ModelRef::parse("a/x"), Box::new(Speaker("another")));
        for model in ["b/y", "a/x"] {
            let said = ModelNews::Event(ModelEvent::Text(format!("{model} for {model}")));
            assert_eq!(ask(&router, model).await, [said, ModelNews::Finished]);
        }
    }

    #[tokio::test]
    async fn nobody_stands_in_for_a_model_that_is_not_there() {
        let router = ModelRouter::new(vec![(ModelRef::parse("a/x"), Box::new(Speaker("a/x")))]);
        let news = ask(&router, "c/z").await;
        let [ModelNews::Failed(failure)] = news.as_slice() else { panic!("{news:?}") };
        assert_eq!(failure.class, FailureClass::UnknownModel);
        assert!(failure.message.contains("c/z") && failure.next.contains("--fallback c/z"));
    }
}
