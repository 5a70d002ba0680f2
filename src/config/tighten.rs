//! What a project's file may do. It comes with other people's code: until the user trusts its folder it can only tighten,
//! and some keys are the user's alone even then.

use super::{
    Config, apply,
    key::{Key, Nudge, Sandboxed},
    setting::{Setting, Wrong},
    source::Source,
};
use crate::agent::{Attendance, FinalResponse};
use crate::policy::RuleKind;

/// What a setting of a project's file would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It tightens, and is always in force.
    Tightens,
    /// It loosens, starts programs or sends data: in force where the folder is trusted.
    Loosens,
    /// It is the user's own affair, trusted or not.
    Refused,
}

/// Sets the key if that tightens, or if the file is trusted with it; otherwise leaves a warning. A value that cannot be
/// read is wrong all the same.
pub(super) fn set(config: &mut Config, setting: &Setting) -> Result<(), Wrong> {
    let (after, standing) = weigh(config, setting)?;
    let why = match (standing, &setting.source) {
        (Standing::Tightens, _) | (Standing::Loosens, Source::Trusted(..)) => {
            *config = after;
            return Ok(());
        }
        (Standing::Loosens, _) => {
            "a project's file can only tighten unless its folder is trusted; type `countersign trust` there to see what \
             it would do and to decide, or set it in your own configuration"
        }
        (Standing::Refused, Source::Trusted(..)) => {
            "a project's file cannot set it, trusted or not; set it in your own configuration if you want it"
        }
        (Standing::Refused, _) => {
            "a project's file can only tighten; set it in your own configuration if you want it"
        }
    };
    let place = setting.source.place();
    config.warnings.push(format!("{place}: `{}` is ignored: {why}", setting.path));
    Ok(())
}

/// The configuration with the setting, and what that does to it.
pub(super) fn weigh(config: &Config, setting: &Setting) -> Result<(Config, Standing), Wrong> {
    let mut after = config.clone();
    apply::set(&mut after, setting)?;
    let standing = match setting.key {
        key if tightens(config, &after, key) => Standing::Tightens,
        key if is_the_users_alone(key) => Standing::Refused,
        _ => Standing::Loosens,
    };
    Ok((after, standing))
}

/// What trust in a project does not reach: where keys come from, how and where they are sent, which of them commands get;
/// what the user's own keystrokes mean; what is written to the user's disk; answers in the place of a model's; what
/// models cost and take, by which the user's budget counts.
fn is_the_users_alone(key: Key) -> bool {
    match key {
        Key::Script
        | Key::Binding
        | Key::Vim
        | Key::ScreenReader
        | Key::Mouse
        | Key::Log
        | Key::Proxy
        | Key::CaFile
        | Key::PassEnv
        | Key::Sandbox(Sandboxed::Writable)
        | Key::BaseUrl
        | Key::Protocol
        | Key::ApiKeyEnv
        | Key::ApiKeyCommand
        | Key::ApiKeyFile
        | Key::Header
        | Key::Quirk(_)
        | Key::OfProvider(_)
        | Key::OfModel(_) => true,
        Key::Model
        | Key::Effort
        | Key::Fallback
        | Key::Mode
        | Key::Rules(_)
        | Key::OnApproval
        | Key::Theme
        | Key::Notify
        | Key::Images
        | Key::Links
        | Key::Hooks
        | Key::Limit(_)
        | Key::Most(_)
        | Key::Nudge(_)
        | Key::ToolTimeout
        | Key::ParallelExecution
        | Key::FinalResponse
        | Key::Failures
        | Key::Answer(_)
        | Key::CompactAt
        | Key::Tools
        | Key::Echo
        | Key::FetchHosts
        | Key::Sandbox(Sandboxed::Reads | Sandboxed::Network | Sandboxed::Hidden)
        | Key::Mcp(_)
        | Key::Agent(_)
        | Key::HostedTools => false,
    }
}

fn tightens(before: &Config, after: &Config, key: Key) -> bool {
    match key {
        Key::Mode => after.mode <= before.mode,
        Key::Rules(kind) => matches!(kind, RuleKind::Ask | RuleKind::Deny),
        Key::OnApproval => after.on_approval == before.on_approval || after.on_approval == Attendance::Stop,
        Key::Limit(limit) => match (after.limits.get(limit), before.limits.get(limit)) {
            (Some(after), Some(before)) => after <= before,
            (after, None) => after.is_some(),
            (None, Some(_)) => false,
        },
        Key::Most(bound) => after.limits.bound(bound) <= before.limits.bound(bound),
        Key::ToolTimeout => after.tool_timeout_ms <= before.tool_timeout_ms,
        Key::ParallelExecution => before.parallel || !after.parallel,
        Key::Nudge(part) => stops_no_later(before, after, part),
        Key::FinalResponse => after.final_response == FinalResponse::SameCall,
        Key::Failures => after.max_consecutive_failures <= before.max_consecutive_failures,
        Key::Answer(part) => part.of(&after.answer) <= part.of(&before.answer),
        // Each tool sends data elsewhere: a project may only take some away.
        Key::HostedTools => after.providers.iter().all(|(name, provider)| {
            let before = before.providers.get(name).map_or(&[][..], |p| p.hosted_tools.as_slice());
            provider.hosted_tools.iter().all(|tool| before.contains(tool))
        }),
        Key::Theme | Key::Notify | Key::Images | Key::Tools => true,
        Key::Echo => !after.echo,
        Key::Links => !after.links,
        Key::Sandbox(part) => after.sandbox.tightens(&before.sandbox, part),
        Key::PassEnv => after.pass_env.iter().all(|name| before.pass_env.contains(name)),
        // These choose where data goes or comes from, what it costs, what the model sees, what is written down, which programs
        // are started, or what a key does.
        Key::Model
        | Key::Fallback
        | Key::CompactAt
        | Key::Script
        | Key::Binding
        | Key::Vim
        | Key::ScreenReader
        | Key::Mouse
        | Key::Log
        | Key::Hooks
        | Key::Mcp(_)
        | Key::Agent(_)
        | Key::FetchHosts
        | Key::Proxy
        | Key::CaFile
        | Key::BaseUrl
        | Key::Protocol
        | Key::ApiKeyEnv
        | Key::ApiKeyCommand
        | Key::ApiKeyFile
        | Key::Header
        | Key::Quirk(_)
        | Key::OfProvider(_)
        | Key::Effort
        | Key::OfModel(_) => false,
    }
}

/// A token budget makes a run go on that would have ended, so a project can lower one and not begin one.
fn stops_no_later(before: &Config, after: &Config, part: Nudge) -> bool {
    match part {
        Nudge::Tokens => {
            before.token_budget.is_some_and(|most| after.token_budget.is_some_and(|asked| asked <= most))
        }
        Nudge::EnoughPercent => after.enough_percent <= before.enough_percent,
        Nudge::LittleTokens => after.little_tokens >= before.little_tokens,
        Nudge::Patience => after.patience <= before.patience,
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::super::{setting, source::Source};
    use super::*;

    fn layered(user: &str, project: &str) -> Config {
        let place = Arc::new(PathBuf::from("config.toml"));
        let mut config = Config::default();
        for setting in setting::of_text(user, &Source::User(Arc::clone(&place), 0)).unwrap() {
            apply::set(&mut config, &setting).unwrap();
        }
        for setting in setting::of_text(project, &Source::Project(place, 0)).unwrap() {
            set(&mut config, &setting).unwrap();
        }
        config
    }

    #[test]
    fn a_project_can_take_variables_away_and_name_none() {
        let user = "tools.pass_env = ['A_TOKEN', 'B_TOKEN']";
        assert_eq!(layered(user, "").pass_env, ["A_TOKEN", "B_TOKEN"]);
        assert_eq!(layered(user, "tools.pass_env = ['B_TOKEN']").pass_env, ["B_TOKEN"]);
        let config = layered(user, "tools.pass_env = ['B_TOKEN', 'C_TOKEN']");
        assert!(config.warnings[0].contains("can only tighten"), "{:?}", config.warnings);
        assert_eq!(config.pass_env, ["A_TOKEN", "B_TOKEN"]);
    }

    #[test]
    fn a_project_can_take_hosted_tools_away_and_add_none() {
        let user = "hosted_tools.anthropic = ['web_search', 'web_fetch']";
        for (project, left) in [
            ("", &["web_search", "web_fetch"][..]),
            ("hosted_tools.anthropic = ['web_fetch']", &["web_fetch"]),
            ("hosted_tools.anthropic = []", &[]),
        ] {
            let config = layered(user, project);
            assert_eq!(config.providers["anthropic"].hosted_tools, left, "{project}");
            assert!(config.warnings.is_empty(), "{:?}", config.warnings);
        }
        for project in ["hosted_tools.anthropic = ['web_search', 'code_execution']", "hosted_tools.x = ['a']"]
        {
            let config = layered(user, project);
            assert!(config.warnings[0].contains("can only tighten"), "{:?}", config.warnings);
            assert_eq!(config.providers["anthropic"].hosted_tools, ["web_search", "web_fetch"]);
            assert!(!config.providers.contains_key("x"));
        }
    }
}
