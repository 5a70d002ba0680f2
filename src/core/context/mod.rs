//! What the model is shown: the projected ledger, the frozen prompt and tools, and the room for an answer.

mod condense;
mod room;
mod vision;
mod window;
pub mod words;

pub use condense::{Keep, cut, part_end, shortened, transcript};
pub use room::{
    LEAST_ANSWER, LEAST_WINDOW, NoRoom, SUMMARY_TOKENS, little_room, no_room_at_all, no_room_for_message,
};
pub use window::{estimate_tokens, fixed_tokens, message_tokens, said_tokens, tokens_in_all, tokens_of};

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ledger::{Ledger, Unsettled};
use crate::model::{ModelSpec, Request, ToolDescription};

/// Builds the next request. `output_left` is what the budget leaves for output, if it limits it; the smaller of
/// it and the model's own limit is asked for.
///
/// # Errors
/// [`Unsettled`] while a call is open: such a history cannot be sent.
pub fn build(
    ledger: &Ledger,
    system: &str,
    tools: Vec<Arc<ToolDescription>>,
    spec: &ModelSpec,
    output_left: Option<u64>,
) -> Result<Request, Unsettled> {
    let mut messages = ledger.project()?;
    if spec.is_known_to_see() {
        vision::bound_images(&mut messages);
    } else if spec.sees() {
        vision::take_unsure_images_out(&mut messages);
    } else {
        vision::take_images_out(&mut messages);
    }
    let max_output = spec.max_output.min(output_left.unwrap_or(u64::MAX)).max(1);
    Ok(Request {
        model: spec.model.clone(),
        system: system.to_owned(),
        messages,
        tools,
        max_output,
        effort: None,
        seed: None,
        adaptive_thinking: spec.abilities.thinks_adaptively(),
        reasons: spec.abilities.reasoning,
        cache_key: String::new(),
        answer_schema: None,
        withheld: BTreeSet::new(),
    })
}
