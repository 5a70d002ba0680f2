//! What waits for an answer: the prompt, questions about calls and about a price, and settings.

use serde_json::Value;

use crate::agent::SubagentPath;
use crate::cli::acp::methods::session_request_permission::OfferedAnswer;
use crate::cli::acp::methods::session_set_config_option::OptionSetting;
use crate::ledger::{ApprovalRequest, CallId, EntryId};

/// A prompt that waits for its answer.
#[derive(Debug)]
pub(super) struct PendingPrompt {
    /// The request.
    pub(super) id: Value,
    /// How far it is.
    pub(super) stage: Stage,
    /// Whether the client took it back.
    pub(super) is_cancelled: bool,
    /// The answer, once the run has ended.
    pub(super) ended: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stage {
    /// Its files are read.
    Reading,
    /// It was handed to the loop.
    Said,
    /// The loop has written it down.
    Taken,
    /// The loop gave it back; why, once that is known.
    Returned(Option<String>),
}

impl PendingPrompt {
    /// Whether it is with the loop, and not taken back: what its run waits for can be asked.
    pub(super) fn waits_for_its_end(&self) -> bool {
        matches!(self.stage, Stage::Taken | Stage::Returned(_)) && !self.is_cancelled
    }
}

/// Which request: of which session, that of a sub-agent or this one, and by which entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Asking {
    /// The calls that lead to the session.
    pub(super) path: SubagentPath,
    /// The entry.
    pub(super) entry: EntryId,
}

impl Asking {
    /// Names it after the session: `e12`, and of a sub-agent's `c7/e12`.
    pub(super) fn named(&self) -> String {
        let calls = self.path.iter().map(|call| format!("{call}/"));
        calls.chain([self.entry.to_string()]).collect()
    }

    /// What an answer names, and its number.
    pub(super) fn parse(request: &str) -> Option<(Self, u64)> {
        let (named, number) = request.rsplit_once('/')?;
        let (calls, entry) = named.rsplit_once('/').map_or(("", named), |(calls, entry)| (calls, entry));
        let calls = calls.split('/').filter(|_| !calls.is_empty());
        let path = calls.map(CallId::parse).collect::<Option<SubagentPath>>()?;
        Some((Self { path, entry: EntryId::parse(entry)? }, number.parse().ok()?))
    }
}

/// A request that the client was asked about.
#[derive(Debug)]
pub(super) struct OpenRequest {
    /// The call.
    pub(super) call: CallId,
    /// How often it was asked about: an answer that the loop did not take is asked for once more.
    pub(super) round: u32,
    /// The number of the question, once the client has it.
    pub(super) number: u64,
    /// The prompt in which the client was asked: a request of a sub-agent in the background can be answered after its end.
    pub(super) prompt: Option<Value>,
    pub(super) stage: AskStage,
}

/// What can be answered.
#[derive(Debug)]
pub(super) enum Offer {
    /// One of these.
    Options(Vec<OfferedAnswer>),
    /// A form, with these choices if there are any.
    Form(Vec<String>),
}

/// How far a request is.
#[derive(Debug)]
pub(super) enum AskStage {
    /// What would be written for its rule is found out before the client is asked.
    Planning(Box<ApprovalRequest>),
    /// The client has it.
    Sent(Offer),
    /// The client has answered.
    Answered,
    /// The client withdrew it with the end of its prompt: nobody has decided.
    Withdrawn,
}

/// A price that the client was asked about.
#[derive(Debug)]
pub(super) struct PriceQuestion {
    /// The end of the run.
    pub(super) entry: EntryId,
    /// What is accepted with a yes.
    pub(super) up_to: u64,
    /// How the prompt is answered if it is not.
    pub(super) ended: Value,
    /// Whether a yes is with the loop.
    pub(super) is_accepted: bool,
}

/// A setting that waits for the loop.
#[derive(Debug)]
pub(super) struct PendingSetting {
    /// The request.
    pub(super) id: Value,
    /// What is set.
    pub(super) setting: OptionSetting,
    /// Whether all options are answered, or nothing.
    pub(super) tells_all: bool,
}
