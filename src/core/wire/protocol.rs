//! The protocols in which servers are spoken to, and their names.

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions, and every server like it.
    OpenAiChat,
    /// OpenAI Responses, without state on the server.
    OpenAiResponses,
}

impl Protocol {
    /// Whether requests have a field for a seed.
    pub fn takes_seed(self) -> bool {
        match self {
            Self::OpenAiChat => true,
            Self::Anthropic | Self::OpenAiResponses => false,
        }
    }

    /// As written in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
        }
    }

    /// Reads a protocol's name.
    ///
    /// # Errors
    /// A sentence that names the protocols there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "anthropic" => Ok(Self::Anthropic),
            "openai-chat" => Ok(Self::OpenAiChat),
            "openai-responses" => Ok(Self::OpenAiResponses),
            other => Err(format!(
                "{other:?} is not a protocol; use \"anthropic\", \"openai-chat\" or \"openai-responses\""
            )),
        }
    }
}
