//! What the two sides say.

use std::fmt;

use super::{Block, EntryId, Hosted, ToolUse};

/// Names a model: `anthropic/claude-…`. Provider is the part before the first `/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelRef {
    /// Key of the provider: `anthropic`, `openai-chat`, a `[providers.X]`; `script` and `rehearsal` stand alone.
    pub provider: String,
    /// Name of the model as the provider knows it; empty for `script` and `rehearsal`.
    pub name: String,
}

impl ModelRef {
    /// Reads `provider/name`; a text without `/` is a provider alone.
    pub fn parse(text: &str) -> Self {
        let (provider, name) = text.split_once('/').unwrap_or((text, ""));
        Self { provider: provider.to_owned(), name: name.to_owned() }
    }
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() {
            f.write_str(&self.provider)
        } else {
            write!(f, "{}/{}", self.provider, self.name)
        }
    }
}

/// An assistant message: complete, or what Esc left of it.
#[derive(Debug, Clone, PartialEq)]
pub struct AssistantMessage {
    /// The entry it is; known since the call was made.
    pub id: EntryId,
    /// Who said it.
    pub model: ModelRef,
    /// What was said, in order.
    pub blocks: Vec<Block>,
    /// Why the model stopped. Informational: the loop goes on because a call was seen, never because of this.
    pub stop: Stop,
    /// What it cost.
    pub usage: Usage,
    /// Whether the user (or a budget) cut it short.
    pub interrupted: bool,
}

impl AssistantMessage {
    /// One that stands for an answer of which nothing was heard.
    pub fn unheard(id: EntryId, model: ModelRef, usage: Usage) -> Self {
        Self { id, model, blocks: Vec::new(), stop: Stop::Interrupted, usage, interrupted: true }
    }

    /// Whether it stands for an answer of which nothing was heard: its usage is our estimate of what that cost.
    pub fn is_unheard(&self) -> bool {
        self.interrupted && self.usage.estimated && self.blocks.is_empty()
    }

    /// All text blocks joined.
    pub fn text(&self) -> String {
        self.blocks.iter().filter_map(|b| if let Block::Text(t) = b { Some(&**t) } else { None }).collect()
    }

    /// All thinking blocks joined by a blank line.
    pub fn thinking(&self) -> String {
        let parts: Vec<_> = self
            .blocks
            .iter()
            .filter_map(|b| if let Block::Thinking(t) = b { Some(t.text.as_str()) } else { None })
            .filter(|t| !t.is_empty())
            .collect();
        parts.join("\n\n")
    }

    /// What the provider ran itself, in order.
    pub fn hosted(&self) -> impl Iterator<Item = &Hosted> {
        self.blocks.iter().filter_map(|b| if let Block::Hosted(h) = b { Some(h) } else { None })
    }

    /// The calls in it, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolUse> {
        self.blocks.iter().filter_map(|b| if let Block::ToolUse(u) = b { Some(u) } else { None })
    }
}

/// Why a model stopped, in one vocabulary for all protocols.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// It was done.
    End,
    /// It wants tools run.
    ToolUse,
    /// Cut by the output limit.
    Length,
    /// Refused or filtered.
    Refusal,
    /// The provider paused; send the same again to go on.
    Pause,
    /// The window was full while writing.
    ContextOverflow,
    /// Cut by us.
    Interrupted,
    /// None was sent, or one we do not know.
    Other(String),
}

impl Stop {
    /// As recorded.
    pub fn as_str(&self) -> &str {
        match self {
            Self::End => "end",
            Self::ToolUse => "tool_use",
            Self::Length => "length",
            Self::Refusal => "refusal",
            Self::Pause => "pause",
            Self::ContextOverflow => "context_overflow",
            Self::Interrupted => "interrupted",
            Self::Other(text) => text,
        }
    }

    /// The reverse of [`Stop::as_str`].
    pub fn parse(text: &str) -> Self {
        match text {
            "end" => Self::End,
            "tool_use" => Self::ToolUse,
            "length" => Self::Length,
            "refusal" => Self::Refusal,
            "pause" => Self::Pause,
            "context_overflow" => Self::ContextOverflow,
            "interrupted" => Self::Interrupted,
            other => Self::Other(other.to_owned()),
        }
    }
}

/// Money in millionths of a US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct MicroDollars(pub u64);

/// `$1.24`; below a dollar two digits that say something: `$0.062`, `$0.0004`.
impl fmt::Display for MicroDollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micro = self.0;
        if micro == 0 || micro >= 100_000 {
            let cents = micro.saturating_add(5_000) / 10_000;
            return write!(f, "${}.{:02}", cents / 100, cents % 100);
        }
        let step = 10_u64.pow(micro.ilog10().saturating_sub(1));
        let rounded = micro.saturating_add(step / 2) / step * step;
        let digits = format!("{rounded:06}");
        write!(f, "$0.{}", digits.trim_end_matches('0'))
    }
}

/// Tokens of one model call (or a sum of several), in one meaning for all protocols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// The whole prompt, tokens read from and written to the cache included.
    pub input: u64,
    /// What the model wrote, reasoning included.
    pub output: u64,
    /// Of `input`, read from the prompt cache.
    pub cache_read: u64,
    /// Of `input`, written to the prompt cache.
    pub cache_write: u64,
    /// Of `output`, spent on reasoning.
    pub reasoning: u64,
    /// What it cost; `None` when the price is unknown.
    pub cost: Option<MicroDollars>,
    /// Counted by us because the stream ended before the provider said.
    pub estimated: bool,
}

impl Usage {
    /// The sum of both; the cost is known if either is. A provider may report any number: a sum stops at the highest, so that
    /// no budget begins anew.
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            reasoning: self.reasoning.saturating_add(other.reasoning),
            cost: match (self.cost, other.cost) {
                (None, None) => None,
                (a, b) => Some(MicroDollars(a.unwrap_or_default().0.saturating_add(b.unwrap_or_default().0))),
            },
            estimated: self.estimated || other.estimated,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_has_cents_or_two_digits_that_say_something() {
        let said = [0, 4, 400, 9_996, 62_345, 99_999, 100_000, 1_237_000, u64::MAX / 2]
            .map(|micro| MicroDollars(micro).to_string());
        let expected = [
            "$0.00",
            "$0.000004",
            "$0.0004",
            "$0.01",
            "$0.062",
            "$0.1",
            "$0.10",
            "$1.24",
            "$9223372036854.78",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn a_sum_that_is_too_large_stops_at_the_highest() {
        let most = Usage {
            input: u64::MAX,
            output: u64::MAX,
            cache_read: u64::MAX,
            cache_write: u64::MAX,
            reasoning: u64::MAX,
            cost: Some(MicroDollars(u64::MAX)),
            estimated: false,
        };
        let one = Usage { input: 1, output: 1, cost: Some(MicroDollars(1)), ..Usage::default() };
        assert_eq!(most.plus(one), most);
    }
}
