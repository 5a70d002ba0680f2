//! What the log says of a session: spans for the session, its turns, and the model calls, tool calls and hooks in them, and
//! a line for each entry that tells how it went. No words of people, models or tools.

use tracing::{Span, info, info_span, warn};

use crate::agent::{Agent, Effect};
use crate::ledger::{Body, Entry};

/// Characters of a name that a line keeps: models and servers make them up.
const NAME_CHARS: usize = 64;

/// The spans that are open.
#[derive(Debug)]
pub(super) struct Spans {
    session: Span,
    turn: Span,
}

impl Spans {
    pub(super) fn of(agent: &Agent) -> Self {
        let session = info_span!(parent: None, "session", id = agent.session());
        let turn = session.clone();
        Self { session, turn }
    }

    /// The span of the task that an effect starts.
    pub(super) fn operation(&self, effect: &Effect) -> Span {
        let turn = &self.turn;
        match effect {
            Effect::CallModel(message, request) => {
                info_span!(parent: turn, "model_call", answer = %message, model = %request.model)
            }
            Effect::RunTool(call) => {
                info_span!(parent: turn, "tool_call", call = %call.call, tool = name(&call.name))
            }
            Effect::RunHooks(call) => info_span!(parent: turn, "hook", at = call.payload.point().as_str()),
            Effect::Prepare(_)
            | Effect::DiscoverTools
            | Effect::SetTimer(..)
            | Effect::TypeInto(..)
            | Effect::StopBackground(..)
            | Effect::StartSubagent(_)
            | Effect::TellSubagent(..)
            | Effect::Cancel(_)
            | Effect::Append(_)
            | Effect::Emit(_) => turn.clone(),
        }
    }

    /// A turn begins with its transition; the message before it stands in the session.
    fn follow(&mut self, entry: &Entry) {
        match &entry.body {
            Body::Transition { turn, reason } if reason.is_a_turn() => {
                self.turn = info_span!(parent: &self.session, "turn", number = turn);
            }
            Body::User(_) => self.turn = self.session.clone(),
            _ => {}
        }
    }

    /// Logs an entry that is written, in the turn to which it belongs.
    pub(super) fn entry(&mut self, entry: &Entry) {
        let id = entry.id;
        self.follow(entry);
        let turn = &self.turn;
        match &entry.body {
            Body::SessionStarted(started) => {
                info!(parent: turn, %id, model = %started.model, "session started")
            }
            Body::User(said) => {
                info!(parent: turn, %id, chars = said.content.chars().count(), images = said.images.len(), "message");
            }
            Body::Transition { reason, .. } => {
                info!(parent: turn, %id, reason = reason.as_str(), "model is called")
            }
            Body::Assistant(said) => info!(
                parent: turn, %id, model = %said.model, stop = said.stop.as_str(), calls = said.calls().count(),
                interrupted = said.interrupted, input = said.usage.input, output = said.usage.output, "answer"
            ),
            Body::ToolCall(call) | Body::Validation(call) | Body::Command(call) => {
                info!(parent: turn, %id, call = %call.id, tool = name(&call.name), "call");
            }
            Body::ApprovalRequested(asked) => {
                info!(parent: turn, %id, call = %asked.call, "waits for approval")
            }
            Body::ApprovalDecided(said) => info!(
                parent: turn, %id, call = %said.call, allow = said.allow, by = said.by.as_str(),
                sandbox = said.sandboxed, "decision"
            ),
            Body::ToolResult(result) => info!(
                parent: turn, %id, call = %result.call, outcome = result.outcome.as_str(),
                ms = result.duration_ms, chars = result.content.chars().count(), "result"
            ),
            Body::ProviderLimit(learned) => {
                info!(parent: turn, %id, about = %learned.about, "a refusal taught something")
            }
            Body::Compaction(made) => info!(
                parent: turn, %id, before = made.tokens_before, after = made.tokens_after, "compacted"
            ),
            Body::Error { .. } => warn!(parent: turn, %id, "error; the session's entry has its words"),
            Body::TurnEnded(end) => info!(
                parent: turn, %id, reason = end.reason.as_str(), turns = end.turns, calls = end.tool_calls,
                ms = end.wall_ms, "run ended"
            ),
            Body::CallEdited(_)
            | Body::DelegationRequested(_)
            | Body::DelegationAnswered(_)
            | Body::Change(_)
            | Body::Injected(_)
            | Body::Tombstone(_)
            | Body::Goal(_)
            | Body::Checkpoint(_)
            | Body::Progress(_)
            | Body::Handoff { .. }
            | Body::Note(_) => {}
        }
    }
}

fn name(whole: &str) -> String {
    whole.chars().take(NAME_CHARS).collect()
}
