//! The providers that need no configuration.

use super::local::Kind;
use crate::config::Config;
use crate::config::connection::Protocol;
use crate::wire::Quirks;

/// The model for whoever has only set a key: current, and not the dearest of its family.
pub(super) const ANTHROPIC_DEFAULT: &str = "claude-sonnet-5-5";
/// The same for OpenAI.
pub(super) const OPENAI_DEFAULT: &str = "gpt-6.1-sol";

/// A provider that needs no configuration.
#[derive(Debug)]
pub(super) struct Preset {
    pub(super) name: &'static str,
    pub(super) protocol: Protocol,
    pub(super) base_url: &'static str,
    /// The variable that holds its key; `None`: it wants none.
    pub(super) key: Option<&'static str>,
    /// Which server it is, if it runs on this machine.
    pub(super) local: Option<Kind>,
}

/// All of them, hosted ones first.
pub(super) const PRESETS: [Preset; 18] = [
    Preset {
        name: "anthropic",
        protocol: Protocol::Anthropic,
        base_url: "https://api.anthropic.com",
        key: Some("ANTHROPIC_API_KEY"),
        local: None,
    },
    Preset {
        name: "openai",
        protocol: Protocol::OpenAiResponses,
        base_url: "https://api.openai.com/v1",
        key: Some("OPENAI_API_KEY"),
        local: None,
    },
    hosted("openai-chat", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    hosted("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    // Google's own compatible endpoint.
    hosted("gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
    hosted("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    hosted("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    hosted("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    hosted("xai", "https://api.x.ai/v1", "XAI_API_KEY"),
    hosted("together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    hosted("moonshotai", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
    hosted("zai", "https://api.z.ai/api/paas/v4", "ZAI_API_KEY"),
    hosted("alibaba", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"),
    hosted("minimax", "https://api.minimax.io/v1", "MINIMAX_API_KEY"),
    local("ollama", "http://127.0.0.1:11434/v1", Kind::Ollama),
    local("llamacpp", "http://127.0.0.1:8080/v1", Kind::LlamaCpp),
    local("vllm", "http://127.0.0.1:8000/v1", Kind::Vllm),
    local("lmstudio", "http://127.0.0.1:1234/v1", Kind::LmStudio),
];

const fn hosted(name: &'static str, base_url: &'static str, key: &'static str) -> Preset {
    Preset { name, protocol: Protocol::OpenAiChat, base_url, key: Some(key), local: None }
}

const fn local(name: &'static str, base_url: &'static str, kind: Kind) -> Preset {
    Preset { name, protocol: Protocol::OpenAiChat, base_url, key: None, local: Some(kind) }
}

/// The variables that hold the keys of providers, of known ones and of those of the configuration.
pub(crate) fn key_variables(config: &Config) -> Vec<String> {
    let known = PRESETS.iter().filter_map(|preset| preset.key).map(str::to_owned);
    let named = config.providers.values().filter_map(|provider| provider.api_key_env.clone());
    known.chain(named).collect()
}

impl Preset {
    /// The preset of this name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// How its server differs, wherever the user says that it is. What is not said goes by the host.
    pub(super) fn quirks(&self) -> Quirks {
        match self.name {
            "mistral" => {
                Quirks { nine_letter_ids: Some(true), strict_order: Some(true), ..Quirks::default() }
            }
            "deepseek" => Quirks { reasoning_content: Some(true), ..Quirks::default() },
            _ => Quirks::default(),
        }
    }
}

/// The quirks that the user set, over those of the preset.
pub(super) fn joined(said: Quirks, preset: Quirks) -> Quirks {
    Quirks {
        without_stream_options: said.without_stream_options || preset.without_stream_options,
        max_completion_tokens: said.max_completion_tokens.or(preset.max_completion_tokens),
        reasoning_content: said.reasoning_content.or(preset.reasoning_content),
        nine_letter_ids: said.nine_letter_ids.or(preset.nine_letter_ids),
        strict_order: said.strict_order.or(preset.strict_order),
        without_sealed_reasoning: said.without_sealed_reasoning || preset.without_sealed_reasoning,
        without_reasoning_summary: said.without_reasoning_summary || preset.without_reasoning_summary,
        without_cache_key: said.without_cache_key || preset.without_cache_key,
        without_thinking_display: said.without_thinking_display || preset.without_thinking_display,
        without_thinking_unasked: said.without_thinking_unasked || preset.without_thinking_unasked,
        bearer: said.bearer || preset.bearer,
    }
}
