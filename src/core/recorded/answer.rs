//! An answer of a model as it stands in the ledger, streamed again.

use crate::ledger::{Arguments, AssistantMessage, Block, Compaction, Stop};
use crate::model::ModelEvent;

use super::Answered;

/// What an agent that hears these events writes is the message again.
pub(super) fn events(message: &AssistantMessage) -> Vec<ModelEvent> {
    let mut events = Vec::new();
    let mut calls = 0;
    for block in &message.blocks {
        match block {
            Block::Text(text) => events.push(ModelEvent::Text(text.to_string())),
            Block::Thinking(thinking) => {
                if !thinking.text.is_empty() {
                    events.push(ModelEvent::Thinking(thinking.text.clone()));
                }
                events.push(ModelEvent::ThinkingDone { replay: thinking.replay.clone() });
            }
            Block::ToolUse(call) => {
                let (index, name) = (calls, call.name.clone());
                calls += 1;
                let text = match &call.arguments {
                    Arguments::Object(_) => call.arguments.to_value().to_string(),
                    Arguments::Unusable(text) => text.clone(),
                };
                events.push(ModelEvent::CallStarted { index, wire_id: call.wire_id.clone(), name });
                events.push(ModelEvent::CallArguments { index, text });
                events.push(ModelEvent::CallDone { index });
            }
            Block::Hosted(hosted) => events.push(ModelEvent::Hosted(hosted.clone())),
        }
    }
    events.push(ModelEvent::Usage(message.usage));
    if message.stop != Stop::Interrupted {
        events.push(ModelEvent::Stop(message.stop.clone()));
    }
    events
}

/// The answer that a message was.
pub(super) fn whole(message: &AssistantMessage) -> Answered {
    Answered { events: events(message), end: Some(Ok(())) }
}

/// The answer that became a summary.
pub(super) fn summary(compaction: &Compaction) -> Answered {
    let text = crate::context::words::summary_in(&compaction.summary).to_owned();
    let events =
        vec![ModelEvent::Text(text), ModelEvent::Usage(compaction.usage), ModelEvent::Stop(Stop::End)];
    Answered { events, end: Some(Ok(())) }
}
