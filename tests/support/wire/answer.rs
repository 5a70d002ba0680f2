//! News of one model call, folded by an independent hand: what a client must have understood at the end.

use countersign::ledger::{Hosted, Stop, Usage};
use countersign::model::{ModelEvent, ModelFailure, ModelNews};
use serde_json::Value;

/// One call as it arrived.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Call {
    pub index: u32,
    pub wire_id: String,
    pub name: String,
    pub arguments: String,
    pub done: bool,
}

/// Everything that an answer said.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Answer {
    pub text: String,
    pub thinking: String,
    pub replays: Vec<Value>,
    pub hosted: Vec<Hosted>,
    pub calls: Vec<Call>,
    pub usage: Option<Usage>,
    pub stop: Option<Stop>,
    pub failure: Option<ModelFailure>,
}

impl Answer {
    pub fn of(news: &[ModelNews]) -> Self {
        let mut answer = Self::default();
        for item in news {
            match item {
                ModelNews::Event(event) => answer.event(event),
                ModelNews::Finished | ModelNews::ToolsRefused => {}
                ModelNews::Failed(failure) => answer.failure = Some(failure.clone()),
            }
        }
        answer
    }

    fn event(&mut self, event: &ModelEvent) {
        match event {
            ModelEvent::Text(text) => self.text.push_str(text),
            ModelEvent::Thinking(text) => self.thinking.push_str(text),
            ModelEvent::ThinkingDone { replay } => self.replays.extend(replay.clone()),
            ModelEvent::CallStarted { index, wire_id, name } => {
                assert!(self.calls.iter().all(|c| c.index != *index), "call {index} begins twice");
                let (wire_id, name) = (wire_id.clone(), name.clone());
                self.calls.push(Call { index: *index, wire_id, name, ..Call::default() });
            }
            ModelEvent::CallArguments { index, text } => self.call(*index).arguments.push_str(text),
            ModelEvent::CallDone { index } => self.call(*index).done = true,
            ModelEvent::Hosted(block) => self.hosted.push(block.clone()),
            ModelEvent::Usage(usage) => self.usage = Some(*usage),
            ModelEvent::Stop(stop) => self.stop = Some(stop.clone()),
        }
    }

    fn call(&mut self, index: u32) -> &mut Call {
        self.calls.iter_mut().find(|c| c.index == index).expect("the call has begun")
    }
}

/// News as lines for golden files: one line an item.
pub fn lines(news: &[ModelNews]) -> String {
    let line = |item: &ModelNews| match item {
        ModelNews::Finished => "finished".to_owned(),
        ModelNews::ToolsRefused => "tools_refused".to_owned(),
        ModelNews::Failed(f) => format!("failed {:?} {}", f.class, f.message),
        ModelNews::Event(ModelEvent::Text(text)) => format!("text {text:?}"),
        ModelNews::Event(ModelEvent::Thinking(text)) => format!("thinking {text:?}"),
        ModelNews::Event(ModelEvent::ThinkingDone { replay: None }) => "thinking_done".to_owned(),
        ModelNews::Event(ModelEvent::ThinkingDone { replay: Some(block) }) => {
            format!("thinking_done {block}")
        }
        ModelNews::Event(ModelEvent::CallStarted { index, wire_id, name }) => {
            format!("call {index} {name} id={wire_id:?}")
        }
        ModelNews::Event(ModelEvent::CallArguments { index, text }) => format!("arguments {index} {text:?}"),
        ModelNews::Event(ModelEvent::CallDone { index }) => format!("call_done {index}"),
        ModelNews::Event(ModelEvent::Hosted(h)) => {
            format!("hosted {} name={:?} id={:?} {}", h.kind, h.name, h.id, h.value)
        }
        ModelNews::Event(ModelEvent::Usage(u)) => format!(
            "usage input={} read={} write={} output={} reasoning={}{}",
            u.input,
            u.cache_read,
            u.cache_write,
            u.output,
            u.reasoning,
            u.cost.map(|cost| format!(" cost={} millionths of a dollar", cost.0)).unwrap_or_default()
        ),
        ModelNews::Event(ModelEvent::Stop(stop)) => format!("stop {}", stop.as_str()),
    };
    news.iter().map(|item| line(item) + "\n").collect()
}
