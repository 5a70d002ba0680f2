//! Every key of the configuration, in one table.

use super::nearest::nearest;
use super::spelling::spelled;
use crate::budget::{Bound, Limit};
use crate::policy::RuleKind;

/// What a key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Model,
    Effort,
    Fallback,
    Script,
    Mode,
    Rules(RuleKind),
    OnApproval,
    Theme,
    Notify,
    Images,
    Vim,
    ScreenReader,
    Mouse,
    Links,
    /// The keys of a command.
    Binding,
    Log,
    /// The hooks of a point.
    Hooks,
    /// A limit that ends a run.
    Limit(Limit),
    /// A limit that shapes one.
    Most(Bound),
    /// The token budget and its thresholds.
    Nudge(Nudge),
    ToolTimeout,
    ParallelExecution,
    FinalResponse,
    Failures,
    /// How large one answer may become.
    Answer(AnswerKey),
    CompactAt,
    Tools,
    Proxy,
    CaFile,
    Echo,
    /// Variables that commands get although they look like keys.
    PassEnv,
    /// The hosts that `fetch` reaches wherever they are.
    FetchHosts,
    /// What commands in the sandbox may do beside what they always may, or may not.
    Sandbox(Sandboxed),
    BaseUrl,
    Protocol,
    ApiKeyEnv,
    ApiKeyCommand,
    ApiKeyFile,
    Header,
    /// How a provider's server differs.
    Quirk(Quirk),
    /// What a provider may run itself.
    HostedTools,
    /// What is said of an MCP server.
    Mcp(McpKey),
    /// What is said of an A2A agent.
    Agent(AgentKey),
    /// A fact about a model, under `providers.X.models`.
    OfProvider(Fact),
    /// A fact about a model, under `models."provider/name"`.
    OfModel(Fact),
}

/// What one answer may have the most of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerKey {
    Bytes,
    ArgumentBytes,
    Calls,
}

/// What the user says about the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sandboxed {
    Reads,
    Network,
    Writable,
    Hidden,
}

/// What is said of an MCP server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum McpKey {
    Command,
    Args,
    Env,
    Sandbox,
    Network,
    Url,
    Headers,
    Roots,
    Reads,
    StartSeconds,
    CallSeconds,
    Enabled,
}

/// What is said of an A2A agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AgentKey {
    Url,
    Headers,
    Description,
    StartSeconds,
    CallSeconds,
    Enabled,
}

/// The token budget, and what says that enough is used or that little comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nudge {
    Tokens,
    EnoughPercent,
    LittleTokens,
    Patience,
}

/// A fact about a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fact {
    Window,
    MaxOutput,
    UsdIn,
    UsdOut,
    UsdCacheRead,
    UsdCacheWrite,
    LongAbove,
    LongUsdIn,
    LongUsdOut,
    LongUsdCacheRead,
    LongUsdCacheWrite,
    Tools,
    Vision,
    Reasoning,
    AdaptiveThinking,
    ThinkingAlwaysOn,
    ExtraEfforts,
}

/// The members of [`crate::wire::Quirks`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quirk {
    WithoutStreamOptions,
    MaxCompletionTokens,
    ReasoningContent,
    NineLetterIds,
    StrictOrder,
    Bearer,
}

/// All keys; `*` stands for a name that the user chooses. Where two name one thing, the first is its name.
pub(super) const KEYS: &[(&str, Key)] = &[
    ("model", Key::Model),
    ("effort", Key::Effort),
    ("fallback", Key::Fallback),
    ("script", Key::Script),
    ("mode", Key::Mode),
    ("allow", Key::Rules(RuleKind::Allow)),
    ("ask", Key::Rules(RuleKind::Ask)),
    ("deny", Key::Rules(RuleKind::Deny)),
    ("sandbox", Key::Rules(RuleKind::Sandbox)),
    ("on_approval", Key::OnApproval),
    ("theme", Key::Theme),
    ("notify", Key::Notify),
    ("images", Key::Images),
    ("vim", Key::Vim),
    ("screen_reader", Key::ScreenReader),
    ("mouse", Key::Mouse),
    ("links", Key::Links),
    ("keys.*.*", Key::Binding),
    ("log", Key::Log),
    ("hooks.*", Key::Hooks),
    ("budget.max_model_turns", Key::Limit(Limit::Turns)),
    ("budget.max_tool_calls", Key::Limit(Limit::ToolCalls)),
    ("budget.max_parallel_tool_calls", Key::Most(Bound::ParallelCalls)),
    ("budget.max_wall_time_seconds", Key::Limit(Limit::WallTime)),
    ("budget.max_input_tokens", Key::Limit(Limit::InputTokens)),
    ("budget.max_output_tokens", Key::Limit(Limit::OutputTokens)),
    ("budget.max_total_cost", Key::Limit(Limit::Cost)),
    ("budget.max_tool_result_chars", Key::Most(Bound::ResultChars)),
    ("budget.max_retries_per_model_call", Key::Most(Bound::ModelRetries)),
    ("budget.max_retries_per_tool_call", Key::Most(Bound::ToolRetries)),
    ("budget.token_budget", Key::Nudge(Nudge::Tokens)),
    ("budget.token_budget_enough_percent", Key::Nudge(Nudge::EnoughPercent)),
    ("budget.token_budget_little_tokens", Key::Nudge(Nudge::LittleTokens)),
    ("budget.token_budget_patience", Key::Nudge(Nudge::Patience)),
    ("loop.tool_timeout_seconds", Key::ToolTimeout),
    ("loop.parallel_tool_execution", Key::ParallelExecution),
    ("loop.final_response", Key::FinalResponse),
    ("loop.max_consecutive_failures", Key::Failures),
    ("loop.max_answer_bytes", Key::Answer(AnswerKey::Bytes)),
    ("loop.max_argument_bytes", Key::Answer(AnswerKey::ArgumentBytes)),
    ("loop.max_calls_per_answer", Key::Answer(AnswerKey::Calls)),
    ("loop.compact_at_percent", Key::CompactAt),
    ("loop.tools", Key::Tools),
    ("loop.max_steps", Key::Limit(Limit::Turns)),
    ("loop.max_tool_iterations", Key::Limit(Limit::Turns)),
    ("network.proxy", Key::Proxy),
    ("network.ca_file", Key::CaFile),
    ("tools.echo", Key::Echo),
    ("tools.pass_env", Key::PassEnv),
    ("tools.fetch.allow_hosts", Key::FetchHosts),
    ("tools.sandbox.reads", Key::Sandbox(Sandboxed::Reads)),
    ("tools.sandbox.network", Key::Sandbox(Sandboxed::Network)),
    ("tools.sandbox.writable", Key::Sandbox(Sandboxed::Writable)),
    ("tools.sandbox.hidden", Key::Sandbox(Sandboxed::Hidden)),
    ("providers.*.base_url", Key::BaseUrl),
    ("providers.*.protocol", Key::Protocol),
    ("providers.*.api_key_env", Key::ApiKeyEnv),
    ("providers.*.api_key_command", Key::ApiKeyCommand),
    ("providers.*.api_key_file", Key::ApiKeyFile),
    ("providers.*.headers.*", Key::Header),
    ("providers.*.quirks.without_stream_options", Key::Quirk(Quirk::WithoutStreamOptions)),
    ("providers.*.quirks.max_completion_tokens", Key::Quirk(Quirk::MaxCompletionTokens)),
    ("providers.*.quirks.reasoning_content", Key::Quirk(Quirk::ReasoningContent)),
    ("providers.*.quirks.nine_letter_ids", Key::Quirk(Quirk::NineLetterIds)),
    ("providers.*.quirks.strict_order", Key::Quirk(Quirk::StrictOrder)),
    ("providers.*.quirks.bearer", Key::Quirk(Quirk::Bearer)),
    ("hosted_tools.*", Key::HostedTools),
    ("mcp_servers.*.command", Key::Mcp(McpKey::Command)),
    ("mcp_servers.*.args", Key::Mcp(McpKey::Args)),
    ("mcp_servers.*.env.*", Key::Mcp(McpKey::Env)),
    ("mcp_servers.*.sandbox", Key::Mcp(McpKey::Sandbox)),
    ("mcp_servers.*.network", Key::Mcp(McpKey::Network)),
    ("mcp_servers.*.url", Key::Mcp(McpKey::Url)),
    ("mcp_servers.*.headers.*", Key::Mcp(McpKey::Headers)),
    ("mcp_servers.*.roots", Key::Mcp(McpKey::Roots)),
    ("mcp_servers.*.reads", Key::Mcp(McpKey::Reads)),
    ("mcp_servers.*.start_seconds", Key::Mcp(McpKey::StartSeconds)),
    ("mcp_servers.*.call_seconds", Key::Mcp(McpKey::CallSeconds)),
    ("mcp_servers.*.enabled", Key::Mcp(McpKey::Enabled)),
    ("agents.*.url", Key::Agent(AgentKey::Url)),
    ("agents.*.headers.*", Key::Agent(AgentKey::Headers)),
    ("agents.*.description", Key::Agent(AgentKey::Description)),
    ("agents.*.start_seconds", Key::Agent(AgentKey::StartSeconds)),
    ("agents.*.call_seconds", Key::Agent(AgentKey::CallSeconds)),
    ("agents.*.enabled", Key::Agent(AgentKey::Enabled)),
    ("providers.*.models.*.window", Key::OfProvider(Fact::Window)),
    ("providers.*.models.*.max_output", Key::OfProvider(Fact::MaxOutput)),
    ("providers.*.models.*.usd_in", Key::OfProvider(Fact::UsdIn)),
    ("providers.*.models.*.usd_out", Key::OfProvider(Fact::UsdOut)),
    ("providers.*.models.*.usd_cache_read", Key::OfProvider(Fact::UsdCacheRead)),
    ("providers.*.models.*.usd_cache_write", Key::OfProvider(Fact::UsdCacheWrite)),
    ("providers.*.models.*.long_prompt_above", Key::OfProvider(Fact::LongAbove)),
    ("providers.*.models.*.long_prompt_usd_in", Key::OfProvider(Fact::LongUsdIn)),
    ("providers.*.models.*.long_prompt_usd_out", Key::OfProvider(Fact::LongUsdOut)),
    ("providers.*.models.*.long_prompt_usd_cache_read", Key::OfProvider(Fact::LongUsdCacheRead)),
    ("providers.*.models.*.long_prompt_usd_cache_write", Key::OfProvider(Fact::LongUsdCacheWrite)),
    ("providers.*.models.*.tools", Key::OfProvider(Fact::Tools)),
    ("providers.*.models.*.vision", Key::OfProvider(Fact::Vision)),
    ("providers.*.models.*.reasoning", Key::OfProvider(Fact::Reasoning)),
    ("providers.*.models.*.adaptive_thinking", Key::OfProvider(Fact::AdaptiveThinking)),
    ("providers.*.models.*.thinking_always_on", Key::OfProvider(Fact::ThinkingAlwaysOn)),
    ("providers.*.models.*.extra_efforts", Key::OfProvider(Fact::ExtraEfforts)),
    ("models.*.window", Key::OfModel(Fact::Window)),
    ("models.*.max_output", Key::OfModel(Fact::MaxOutput)),
    ("models.*.usd_in", Key::OfModel(Fact::UsdIn)),
    ("models.*.usd_out", Key::OfModel(Fact::UsdOut)),
    ("models.*.usd_cache_read", Key::OfModel(Fact::UsdCacheRead)),
    ("models.*.usd_cache_write", Key::OfModel(Fact::UsdCacheWrite)),
    ("models.*.long_prompt_above", Key::OfModel(Fact::LongAbove)),
    ("models.*.long_prompt_usd_in", Key::OfModel(Fact::LongUsdIn)),
    ("models.*.long_prompt_usd_out", Key::OfModel(Fact::LongUsdOut)),
    ("models.*.long_prompt_usd_cache_read", Key::OfModel(Fact::LongUsdCacheRead)),
    ("models.*.long_prompt_usd_cache_write", Key::OfModel(Fact::LongUsdCacheWrite)),
    ("models.*.tools", Key::OfModel(Fact::Tools)),
    ("models.*.vision", Key::OfModel(Fact::Vision)),
    ("models.*.reasoning", Key::OfModel(Fact::Reasoning)),
    ("models.*.adaptive_thinking", Key::OfModel(Fact::AdaptiveThinking)),
    ("models.*.thinking_always_on", Key::OfModel(Fact::ThinkingAlwaysOn)),
    ("models.*.extra_efforts", Key::OfModel(Fact::ExtraEfforts)),
];

/// What stands in the design and not here yet: the key, what it is, and what to do instead.
const LATER: &[(&str, &str)] = &[
    ("agents.*.model", OF_THIS_MACHINE),
    ("agents.*.instructions", OF_THIS_MACHINE),
    ("agents.*.tools", OF_THIS_MACHINE),
];

const OF_THIS_MACHINE: &str = "is about an agent of this machine, which this version does not have yet: take it out, and \
                               give it a url, by which an agent is reached over A2A";

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// To a key; with the names that stand for its `*`.
    Key(Key, Vec<String>),
    /// To a table that keys are in.
    Table,
    /// To a key that comes with a later version; says so, and what to do.
    Later(&'static str),
    /// Nowhere; with the whole path of the key that it resembles.
    Nowhere(Option<String>),
}

/// Follows a path through the table of keys.
pub(super) fn find(path: &[String]) -> Place {
    for (pattern, key) in KEYS {
        if pattern.split('.').count() == path.len()
            && let Some(names) = names(pattern, path)
        {
            return Place::Key(*key, names);
        }
    }
    if KEYS
        .iter()
        .any(|(pattern, _)| pattern.split('.').count() > path.len() && names(pattern, path).is_some())
    {
        return Place::Table;
    }
    let is_meant = |pattern: &str| pattern.split('.').count() == path.len() && names(pattern, path).is_some();
    if let Some((_, why)) = LATER.iter().find(|(pattern, _)| is_meant(pattern)) {
        return Place::Later(why);
    }
    Place::Nowhere(resembling(path))
}

/// The names for the `*` of a pattern, if the path follows it as far as the path goes.
fn names(pattern: &str, path: &[String]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for (segment, given) in pattern.split('.').zip(path) {
        match segment {
            "*" => names.push(given.clone()),
            segment if segment == given => {}
            _ => return None,
        }
    }
    Some(names)
}

/// First a sibling that is spelled like it, then a key of another table with the same or a like name.
fn resembling(path: &[String]) -> Option<String> {
    let (last, above) = path.split_last()?;
    let siblings: Vec<&str> = KEYS
        .iter()
        .filter(|(pattern, _)| names(pattern, above).is_some())
        .filter_map(|(pattern, _)| pattern.split('.').nth(above.len()))
        .filter(|segment| *segment != "*")
        .collect();
    if let Some(name) = nearest(last, siblings) {
        let mut whole = above.to_vec();
        whole.push(name.to_owned());
        return Some(spelled(&whole));
    }
    let fixed = || KEYS.iter().map(|(pattern, _)| *pattern).filter(|pattern| !pattern.contains('*'));
    let ends: Vec<&str> = fixed().filter_map(|pattern| pattern.rsplit('.').next()).collect();
    let end = nearest(last, ends)?;
    fixed().find(|pattern| pattern.rsplit('.').next() == Some(end)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(dotted: &str) -> Vec<String> {
        dotted.split('.').map(str::to_owned).collect()
    }

    #[test]
    fn paths_lead_to_keys_tables_or_nowhere() {
        assert_eq!(find(&path("budget.max_total_cost")), Place::Key(Key::Limit(Limit::Cost), vec![]));
        assert_eq!(find(&path("budget")), Place::Table);
        assert_eq!(find(&path("providers.near.models.x")), Place::Table);
        let names = vec!["near".to_owned(), "x".to_owned()];
        assert_eq!(
            find(&path("providers.near.models.x.window")),
            Place::Key(Key::OfProvider(Fact::Window), names)
        );
        let meant = |given: &str| find(&path(given));
        assert_eq!(meant("modle"), Place::Nowhere(Some("model".into())));
        assert_eq!(meant("budgets"), Place::Nowhere(Some("budget".into())));
        assert_eq!(meant("budget.max_model_turn"), Place::Nowhere(Some("budget.max_model_turns".into())));
        assert_eq!(meant("max_tool_calls"), Place::Nowhere(Some("budget.max_tool_calls".into())));
        assert_eq!(meant("providers.near.base_ulr"), Place::Nowhere(Some("providers.near.base_url".into())));
        assert_eq!(meant("zebra"), Place::Nowhere(None));
    }
}
