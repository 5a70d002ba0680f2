//! What a waiting call does, in words: what nobody knows is not told as if it were known.

use crate::ledger::{ApprovalRequest, Preview};
use crate::policy::{UNKNOWN_EFFECT, is_known_to_send, shell};
use crate::tool::SideEffect;

/// Its effects as they are recorded, each with its words, in the recorded order.
pub(super) fn effects(request: &ApprovalRequest) -> Vec<(&str, &str)> {
    let one = request.effects.is_empty().then_some(&request.risk);
    let all = request.effects.iter().chain(one).map(String::as_str).filter(|effect| !effect.is_empty());
    let is_unknown = |effect: &str| match &request.preview {
        Preview::Command(line) => {
            effect == SideEffect::Sends.as_str() && !is_known_to_send(&shell::read(line))
        }
        Preview::None | Preview::Diff(_) | Preview::Recipient(_) => false,
    };
    all.map(|effect| (effect, if is_unknown(effect) { UNKNOWN_EFFECT } else { effect })).collect()
}

/// All of them, on one line.
pub(super) fn does(request: &ApprovalRequest) -> String {
    effects(request).into_iter().map(|(_, words)| words).collect::<Vec<_>>().join(", ")
}
