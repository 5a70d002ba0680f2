//! What a message is made of.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{CallId, Hosted, halves};

/// One part of an assistant message, in the order in which the model produced it.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Visible text.
    Text(Arc<str>),
    /// Reasoning, shown folded.
    Thinking(Thinking),
    /// A request to run a tool.
    ToolUse(ToolUse),
    /// What the provider ran itself.
    Hosted(Hosted),
}

/// Reasoning text and, where the provider wants it back, the block to replay.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Thinking {
    /// What may be shown; may be empty.
    pub text: String,
    /// The provider's own block, replayed unchanged to the same provider, protocol and model, dropped elsewhere.
    pub replay: Option<Value>,
}

/// A tool call as the model made it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolUse {
    /// Ours.
    pub id: CallId,
    /// The provider's; empty when it sent none. Used on the wire alone.
    pub wire_id: String,
    /// Name of the tool, as the model wrote it.
    pub name: String,
    /// What it is called with.
    pub arguments: Arguments,
}

/// Arguments of a call: an object, or text that is none.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    /// Parsed; member order is the model's.
    Object(Map<String, Value>),
    /// Cut off, not JSON, or not an object: such a call is never run.
    Unusable(String),
}

impl Arguments {
    /// What people read where something was left out of a copy; the only member of arguments that were.
    pub const LEFT_OUT: &str = "(left out)";

    /// Whether they were left out of a copy.
    pub fn are_left_out(&self) -> bool {
        match self {
            Self::Object(members) => members.len() == 1 && members.get(Self::LEFT_OUT) == Some(&true.into()),
            Self::Unusable(_) => false,
        }
    }

    /// Reads argument text as the protocols send it: empty text and `null` mean `{}`, and half a character is U+FFFD. Some
    /// servers encode the object twice: a JSON text that holds the JSON text of an object means that object.
    pub fn parse(text: &str) -> Self {
        let trimmed = text.trim();
        if trimmed.is_empty() || trimmed == "null" {
            return Self::Object(Map::new());
        }
        match halves::read(trimmed) {
            Ok(Value::Object(members)) => Self::Object(members),
            Ok(Value::String(inner)) => match halves::read(inner.trim()) {
                Ok(Value::Object(members)) => Self::Object(members),
                Ok(_) | Err(_) => Self::Unusable(text.to_owned()),
            },
            Ok(_) | Err(_) => Self::Unusable(text.to_owned()),
        }
    }

    /// The object, or the unusable text as a JSON string.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Object(members) => Value::Object(members.clone()),
            Self::Unusable(text) => Value::String(text.clone()),
        }
    }

    /// The reverse of [`Arguments::to_value`].
    pub fn from_value(value: Value) -> Self {
        match value {
            Value::Object(members) => Self::Object(members),
            Value::String(text) => Self::Unusable(text),
            other => Self::Unusable(other.to_string()),
        }
    }

    /// A string member, if it is there.
    pub fn text(&self, member: &str) -> Option<&str> {
        match self {
            Self::Object(members) => members.get(member).and_then(Value::as_str),
            Self::Unusable(_) => None,
        }
    }

    /// One spelling for one meaning: members sorted at every depth. What an approval of the exact action is bound to.
    pub fn canonical(&self) -> String {
        fn sorted(value: &Value) -> Value {
            match value {
                Value::Object(members) => {
                    let mut pairs: Vec<_> = members.iter().map(|(k, v)| (k.clone(), sorted(v))).collect();
                    pairs.sort_by(|a, b| a.0.cmp(&b.0));
                    Value::Object(pairs.into_iter().collect())
                }
                Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
                other => other.clone(),
            }
        }
        sorted(&self.to_value()).to_string()
    }
}
