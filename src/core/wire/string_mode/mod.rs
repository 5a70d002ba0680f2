//! String mode: tools for models without tool calls. Their descriptions go into the system prompt, and calls are
//! read out of the text that the model writes.
//!
//! [`rewrite`] turns a request into one without tools, for any protocol. [`Parser`] reads the answer while it
//! streams. Both are pure; who calls the model puts them around any other way to call one.
//!
//! # What is a call
//! - a fenced block ` ```tool_call ` with `{"tool", "arguments"}`, or ` ```delegate ` with `{"agent", "task"}`,
//!   which calls `delegate_to_AGENT`;
//! - `{"tool_calls": [{"name", "arguments", "id"?}]}`, or one such call alone, where the object is the whole
//!   answer, begins a line, or stands in a ` ```json ` block (or one without a language);
//! - the models' own forms `<tool_call>{…}</tool_call>`, `[TOOL_CALLS][…]` and `<|python_tag|>{…}`.
//!
//! `tool` and `name` mean the same, so do `arguments`, `input` and `parameters`. Code blocks in any other language and
//! all other JSON are text. A call that cannot be read is a call with unusable arguments: it is answered with
//! an error that the model can mend.

mod block;
mod call;
mod object;
mod opening;
mod parser;
mod refusal;
mod rewrite;
mod scan;
mod sink;

pub use parser::{Parser, has_calls};
pub use refusal::refuses_tools;
pub(in crate::wire) use refusal::speaks_against_tools;
pub use rewrite::rewrite;
