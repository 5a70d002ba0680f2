//! What a recorded call made of a file, worked out again from its arguments.

use crate::ledger::ToolUse;
use crate::tool::name::{EDIT, WRITE};

use super::encoding::Encoding;
use super::replace::{apply, edits};
use super::stop::StopFlag;

/// What `write` or `edit` made of a file; `None` where that cannot be worked out.
pub(in crate::runtime) fn repeat(call: &ToolUse, before: Option<&[u8]>) -> Option<Vec<u8>> {
    match call.name.as_str() {
        WRITE => call.arguments.text("content").map(|content| content.as_bytes().to_vec()),
        EDIT => {
            let before = before?;
            let encoding = Encoding::of(before);
            let text = encoding.decode(before).ok()?;
            let (after, _) = apply(&text, &edits(&call.arguments).ok()?, &StopFlag::default()).ok()?;
            Some(encoding.encode(&after))
        }
        _ => None,
    }
}
