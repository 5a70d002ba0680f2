//! What settings that are not translated are called here, for a person who writes them by hand.

/// A key of another tool, and what there is here in its place.
pub(super) type Counterparts = &'static [(&'static str, &'static str)];

/// What is said of a key.
pub(super) fn of(table: Counterparts, key: &str) -> &'static str {
    table.iter().find(|(name, _)| *name == key).map_or("has no counterpart here", |(_, words)| *words)
}

/// Whether what there is in the place of a key counts in one's own configuration alone, and not in a project's file.
pub(super) fn is_own(table: Counterparts, key: &str) -> bool {
    OWN.contains(&key) && table.iter().any(|(name, _)| *name == key)
}

/// Keys of any table below whose counterparts no project's file can set.
const OWN: [&str; 21] = [
    "apiKeyHelper",
    "claudeMdExcludes",
    "cleanupPeriodDays",
    "editorMode",
    "env_http_headers",
    "experimental_bearer_token",
    "http_headers",
    "keybinds",
    "model_context_window",
    "model_max_output_tokens",
    "otel",
    "otelHeadersHelper",
    "preferredNotifChannel",
    "prefersReducedMotion",
    "project_doc_fallback_filenames",
    "provider",
    "requires_openai_auth",
    "sandbox",
    "shell_environment_policy",
    "theme",
    "tui",
];

/// Keys of `settings.json` of Claude Code.
pub(super) const CLAUDE: Counterparts = &[
    ("agent", "start a sub-agent by its name, with @NAME in a message"),
    ("apiKeyHelper", "write api_key_command in [providers.anthropic]"),
    ("attribution", "git.trailers names the call in commits"),
    ("autoCompactEnabled", "write loop.compact_at_percent"),
    ("claudeMdExcludes", "instructions has the names of files, and none of places"),
    (
        "cleanupPeriodDays",
        "write sessions.keep_days: it removes sessions for good, except those that are sealed or tagged",
    ),
    ("disabledMcpjsonServers", "write enabled = false in [mcp_servers.NAME]"),
    ("editorMode", "write vim = true for a vim mode"),
    ("enableAllProjectMcpServers", "a project's servers are trusted with it: `countersign trust`"),
    ("enabledMcpjsonServers", "a project's servers are trusted with it: `countersign trust`"),
    ("fallbackModel", "write fallback, a list of models"),
    ("includeCoAuthoredBy", "git.trailers names the call in commits"),
    ("otelHeadersHelper", "write telemetry.otlp, and telemetry.headers_env for headers"),
    ("preferredNotifChannel", "write notify"),
    ("prefersReducedMotion", "write motion = false"),
    (
        "sandbox",
        "write tools.sandbox: network for hosts, writable and hidden for files; mode = \"auto\" runs commands in it",
    ),
    ("theme", "write theme: see /theme"),
];

/// Keys of `config.toml` of Codex.
pub(super) const CODEX: Counterparts = &[
    ("agents", "write agents.max_parallel, and a file or [agents.NAME] for each sub-agent"),
    ("approval_policy", "choose a mode yourself: see /mode"),
    ("developer_instructions", "write them into AGENTS.md, beside your configuration"),
    ("hooks", "write [[hooks.POINT]]"),
    ("model_auto_compact_token_limit", "write loop.compact_at_percent"),
    ("model_context_window", "write window in [models.\"PROVIDER/NAME\"]"),
    ("model_instructions_file", "write them into AGENTS.md, beside your configuration"),
    ("model_max_output_tokens", "write max_output in [models.\"PROVIDER/NAME\"]"),
    (
        "notify",
        "write [[hooks.notification]] and [[hooks.stop]], whose commands get JSON on stdin; or notify for the terminal",
    ),
    ("otel", "write telemetry.otlp, and telemetry.headers_env for headers"),
    ("project_doc_fallback_filenames", "write instructions, with \"AGENTS.md\" first"),
    (
        "shell_environment_policy",
        "variables that look like keys are kept out here: name exceptions in tools.pass_env",
    ),
    ("skills", "skills are read from ~/.agents/skills and .agents/skills"),
    ("tool_output_token_limit", "write budget.max_tool_result_chars"),
    ("tools", "write hosted_tools for tools of the provider, as a web search"),
    ("tui", "write notify, theme, motion and keys.PLACE"),
    ("web_search", "write hosted_tools.openai = [\"web_search\"]"),
];

/// Keys of a table in its `model_providers`.
pub(super) const CODEX_PROVIDER: Counterparts = &[
    ("env_http_headers", "write headers.NAME in [providers.NAME]"),
    (
        "experimental_bearer_token",
        "a key is not copied: put it into a variable, and name that in api_key_env",
    ),
    ("http_headers", "values are not copied, they may be keys: write headers.NAME in [providers.NAME]"),
    ("query_params", "has no counterpart here: requests have no query, and the server may refuse them"),
    ("request_max_retries", "budget.max_retries_per_model_call holds for all providers"),
    ("requires_openai_auth", "write api_key_env in [providers.NAME]"),
];

/// Keys of `opencode.json`.
pub(super) const OPENCODE: Counterparts = &[
    ("agent", "write a file of .countersign/agents or [agents.NAME] for each sub-agent"),
    ("compaction", "write loop.compact_at_percent"),
    ("default_agent", "choose a mode yourself: see /mode"),
    ("disabled_providers", "a provider is used only where -m or model names it"),
    ("enabled_providers", "a provider is used only where -m or model names it"),
    ("formatter", "write [[hooks.post_tool]] with matcher = \"edit|write\""),
    (
        "instructions",
        "instructions has the names of files, and none of places: name them with @PATH in a CLAUDE.md",
    ),
    ("keybinds", "write [keys.PLACE]"),
    ("mode", "write a file of .countersign/agents or [agents.NAME] for each sub-agent"),
    ("provider", "write [providers.NAME]"),
    ("skills", "skills are read from ~/.agents/skills and .agents/skills"),
    ("theme", "write theme: see /theme"),
    ("tools", "write a deny rule for each tool that is off"),
];

/// Keys of an MCP server of any of them.
pub(super) const SERVER: Counterparts = &[
    ("cwd", "has no counterpart here: servers start in the folder of the session"),
    ("disabled_tools", "write rules, as in deny = [\"mcp__NAME__TOOL\"]"),
    ("enabled_tools", "write rules, as in deny = [\"mcp__NAME__TOOL\"]"),
    ("startup_timeout_ms", "write start_seconds"),
    ("timeout", "write start_seconds and call_seconds"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_with_a_counterpart_is_told_of_it_and_no_table_has_a_key_twice() {
        assert_eq!(of(CODEX, "otel"), "write telemetry.otlp, and telemetry.headers_env for headers");
        assert_eq!(of(CODEX, "file_opener"), "has no counterpart here");
        assert!(is_own(CODEX, "otel") && !is_own(CODEX, "hooks") && !is_own(SERVER, "otel"));
        let all = [CLAUDE, CODEX, CODEX_PROVIDER, OPENCODE, SERVER];
        assert!(OWN.iter().all(|key| all.iter().any(|table| is_own(table, key))), "each stands in a table");
        for table in all {
            assert!(
                table.windows(2).all(|pair| pair[0].0 < pair[1].0),
                "in the order of the alphabet: {table:?}"
            );
        }
    }
}
