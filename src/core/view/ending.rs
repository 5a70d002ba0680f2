//! Why a run stopped, in a few words.

use crate::ledger::Ending;

/// What people read beside "stopped"; the name in the record is [`Ending::as_str`].
pub fn ending_words(ending: Ending) -> &'static str {
    match ending {
        Ending::Completed => "done",
        Ending::MaxTurns => "turn limit",
        Ending::MaxToolCalls => "tool call limit",
        Ending::WallTime => "time limit",
        Ending::MaxInputTokens => "input token limit",
        Ending::MaxOutputTokens => "output token limit",
        Ending::MaxCost => "cost limit",
        Ending::TokenBudget => "token budget used",
        Ending::AbortedStreaming | Ending::AbortedTools => "interrupted",
        Ending::StopHookPrevented => "ended by a hook",
        Ending::PromptTooLong => "prompt too long",
        Ending::ModelError => "model error",
        Ending::ModelRefused => "model refused",
        Ending::NoFinalAnswerOrToolCall => "no answer",
        Ending::RepeatedFailures => "repeated failures",
        Ending::ApprovalRequired => "approval required",
        Ending::PolicyDenied => "denied",
        Ending::PriceAsked => "price not accepted",
        Ending::BlockedOnUser => "needs you",
        Ending::ToolUnavailable => "tool unavailable",
        Ending::OutputCutOff => "answer cut off",
        Ending::GoalReached => "goal reached",
        Ending::InvalidAnswer => "answer does not fit the schema",
    }
}

/// The same of the run of a sub-agent, which is over: nobody can be asked about it any more.
pub fn ending_words_below(ending: Ending) -> &'static str {
    match ending {
        Ending::BlockedOnUser => "blocked",
        ending => ending_words(ending),
    }
}
