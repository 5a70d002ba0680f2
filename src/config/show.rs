//! `config show`: every value as TOML, each with where it came from.

use super::{
    AgentEntry, Config, McpEntry, facts,
    key::{KEYS, Key, Nudge},
    peers,
    source::Source,
    spelling::{line, listed, quoted, spelled},
    value::write_dollars,
};
use crate::agent::{Attendance, FinalResponse};
use crate::budget::Limit;
use crate::config::fault::one_line;
use crate::ledger::MicroDollars;
use crate::policy::RuleKind;
use crate::wire::Quirks;

impl Config {
    /// The configuration in force. Valid TOML; the values of headers are hidden.
    pub fn show(&self) -> String {
        let mut text = String::new();
        for warning in &self.warnings {
            line(&mut text, &format!("# ignored: {}", one_line(warning)));
        }
        for (at, (name, key)) in KEYS.iter().enumerate() {
            let is_first_name = !KEYS.iter().take(at).any(|(_, earlier)| earlier == key);
            if is_first_name && !name.contains('*') {
                // The key that set the turn limit picks the words of its stop.
                let is_steps = *key == Key::Limit(Limit::Turns) && self.limit_is_steps;
                let written = if is_steps { "loop.max_steps" } else { name };
                match self.literal(*key) {
                    Some(value) => line(&mut text, &format!("{written} = {value}  # {}", self.place(name))),
                    None => line(&mut text, &format!("# {name} is not set")),
                }
            }
        }
        for (path, keys) in self.keymap.written() {
            let keys: Vec<String> = keys.iter().map(|key| quoted(key)).collect();
            let place = one_line(&self.source(&path).to_string());
            line(&mut text, &format!("{path} = [{}]  # {place}", keys.join(", ")));
        }
        self.show_hooks(&mut text);
        peers::show::<McpEntry>(self, &mut text);
        peers::show::<AgentEntry>(self, &mut text);
        self.show_providers(&mut text);
        self.show_models(&mut text);
        text
    }

    /// Where a value came from; for a list, all places that added to it.
    fn place(&self, name: &str) -> String {
        let kind = match name {
            "allow" => RuleKind::Allow,
            "ask" => RuleKind::Ask,
            "deny" => RuleKind::Deny,
            "sandbox" => RuleKind::Sandbox,
            _ => return one_line(&self.source(name).to_string()),
        };
        let mut places: Vec<String> = Vec::new();
        for rule in self.rules.iter().filter(|sourced| sourced.rule.kind == kind) {
            let place = one_line(&rule.source.to_string());
            if !places.contains(&place) {
                places.push(place);
            }
        }
        if places.is_empty() { Source::Default.to_string() } else { places.join(", ") }
    }

    /// Whether a choice of looks is on.
    fn is_on(&self, key: Key) -> bool {
        match key {
            Key::Vim => self.vim,
            Key::ScreenReader => self.screen_reader,
            Key::Mouse => self.mouse,
            _ => self.links,
        }
    }

    fn literal(&self, key: Key) -> Option<String> {
        let limits = &self.limits;
        match key {
            Key::Model => self.model.as_deref().map(quoted),
            Key::Effort => self.effort.map(|level| quoted(level.as_str())),
            Key::Fallback => Some(listed(self.fallback.iter().map(|model| quoted(model)))),
            Key::Script => self.script.as_deref().map(quoted),
            Key::Mode => Some(quoted(self.mode.as_str())),
            Key::Rules(kind) => {
                let of_kind = self.rules.iter().filter(|sourced| sourced.rule.kind == kind);
                Some(listed(of_kind.map(|sourced| quoted(&sourced.rule.to_string()))))
            }
            Key::OnApproval => {
                Some(quoted(if self.on_approval == Attendance::Stop { "stop" } else { "deny" }))
            }
            Key::Theme => self.theme.as_deref().map(quoted),
            Key::Vim | Key::ScreenReader | Key::Mouse | Key::Links => Some(self.is_on(key).to_string()),
            Key::Notify => Some(quoted(self.notify.as_str())),
            Key::Images => Some(quoted(self.images.as_str())),
            Key::Log => Some(quoted(&self.log)),
            Key::Limit(Limit::Cost) => limits.get(Limit::Cost).map(|cost| write_dollars(MicroDollars(cost))),
            Key::Limit(limit) => limits.get(limit).map(|number| number.to_string()),
            Key::Most(bound) => Some(limits.bound(bound).to_string()),
            Key::Nudge(Nudge::Tokens) => self.token_budget.map(|tokens| tokens.to_string()),
            Key::Nudge(Nudge::EnoughPercent) => Some(self.enough_percent.to_string()),
            Key::Nudge(Nudge::LittleTokens) => Some(self.little_tokens.to_string()),
            Key::Nudge(Nudge::Patience) => Some(self.patience.to_string()),
            Key::ToolTimeout => Some((self.tool_timeout_ms / 1000).to_string()),
            Key::ParallelExecution => Some(self.parallel.to_string()),
            Key::FinalResponse => Some(quoted(match self.final_response {
                FinalResponse::SameCall => "same_call",
                FinalResponse::Separate => "separate",
            })),
            Key::Failures => Some(self.max_consecutive_failures.to_string()),
            Key::Answer(part) => Some(part.of(&self.answer).to_string()),
            Key::CompactAt => Some(self.compact_at_percent.to_string()),
            Key::Tools => Some(quoted(self.tools.as_str())),
            Key::Proxy => self.network.proxy.as_deref().map(quoted),
            Key::CaFile => self.network.ca_file.as_ref().map(|path| quoted(&path.to_string_lossy())),
            Key::Echo => Some(self.echo.to_string()),
            Key::PassEnv => Some(listed(self.pass_env.iter().map(|name| quoted(name)))),
            Key::FetchHosts => Some(listed(self.fetch_hosts.iter().map(|host| quoted(&host.to_string())))),
            Key::Sandbox(part) => Some(self.sandbox.written(part)),
            Key::Hooks
            | Key::Binding
            | Key::BaseUrl
            | Key::Protocol
            | Key::ApiKeyEnv
            | Key::ApiKeyCommand
            | Key::ApiKeyFile
            | Key::Header
            | Key::Quirk(_)
            | Key::HostedTools
            | Key::Mcp(_)
            | Key::Agent(_)
            | Key::OfProvider(_)
            | Key::OfModel(_) => None,
        }
    }

    fn show_providers(&self, text: &mut String) {
        for (name, provider) in &self.providers {
            let mut show = |key: &str, value: String| {
                let path = ["providers", name].into_iter().chain(key.split('.')).map(str::to_owned);
                let path = spelled(&path.collect::<Vec<_>>());
                line(text, &format!("{path} = {value}  # {}", one_line(&self.source(&path).to_string())));
            };
            if let Some(address) = &provider.base_url {
                // A query may hold a key.
                let shown = address.split('?').next().unwrap_or_default();
                show("base_url", quoted(shown));
            }
            if let Some(protocol) = provider.protocol {
                show("protocol", quoted(protocol.as_str()));
            }
            if let Some(variable) = &provider.api_key_env {
                show("api_key_env", quoted(variable));
            }
            if provider.api_key_command.is_some() {
                // A command can hold a secret as well as fetch one.
                show("api_key_command", quoted("(hidden)"));
            }
            if let Some(file) = &provider.api_key_file {
                show("api_key_file", quoted(file));
            }
            for (quirk, on) in quirks(provider.quirks) {
                show(&format!("quirks.{quirk}"), on.to_string());
            }
            if !provider.hosted_tools.is_empty() {
                let path = spelled(&["hosted_tools".to_owned(), name.clone()]);
                let tools: Vec<String> = provider.hosted_tools.iter().map(|tool| quoted(tool)).collect();
                let source = one_line(&self.source(&path).to_string());
                line(text, &format!("{path} = [{}]  # {source}", tools.join(", ")));
            }
            for header in provider.headers.keys() {
                let path = ["providers".to_owned(), name.clone(), "headers".to_owned(), header.clone()];
                line(
                    text,
                    &format!(
                        "{} = \"(hidden)\"  # {}",
                        spelled(&path),
                        one_line(&self.source(&spelled(&path)).to_string())
                    ),
                );
            }
        }
    }

    fn show_models(&self, text: &mut String) {
        for (model, facts) in &self.models {
            for (fact, value) in facts::literals(facts) {
                let path = spelled(&["models".to_owned(), model.clone(), fact.to_owned()]);
                line(text, &format!("{path} = {value}  # {}", self.place_of_fact(model, fact, &path)));
            }
        }
    }

    /// A fact may have been written under `models` or under `providers.X.models`.
    fn place_of_fact(&self, model: &str, fact: &str, path: &str) -> String {
        let (provider, name) = model.split_once('/').unwrap_or((model, ""));
        let other = ["providers", provider, "models", name, fact].map(str::to_owned);
        let source = self.origins.get(path).or_else(|| self.origins.get(&spelled(&other)));
        one_line(&source.unwrap_or(&Source::Default).to_string())
    }
}

/// The quirks that were set.
fn quirks(quirks: Quirks) -> impl Iterator<Item = (&'static str, bool)> {
    let Quirks { without_stream_options, bearer, .. } = quirks;
    let set = [
        ("without_stream_options", without_stream_options.then_some(true)),
        ("max_completion_tokens", quirks.max_completion_tokens),
        ("reasoning_content", quirks.reasoning_content),
        ("nine_letter_ids", quirks.nine_letter_ids),
        ("strict_order", quirks.strict_order),
        ("bearer", bearer.then_some(true)),
    ];
    set.into_iter().filter_map(|(name, on)| Some((name, on?)))
}
