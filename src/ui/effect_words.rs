//! What a waiting call does, in words: what nobody knows is not told as if it were known.

use crate::ledger::{ApprovalRequest, Preview};
use crate::policy::{LinePart, UNKNOWN_EFFECT, is_known_to_send, shell};
use crate::tool::SideEffect;
use crate::view::Panel;

/// The effects that matter most, the gravest first.
pub(super) const GRAVE: [SideEffect; 3] =
    [SideEffect::Deletes, SideEffect::ChangesPermissions, SideEffect::Sends];

/// What a call would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CallEffect<'r> {
    /// As it is recorded; what is not known counts as sending.
    pub(super) name: &'r str,
    /// Whether that is known.
    pub(super) is_known: bool,
}

impl<'r> CallEffect<'r> {
    /// In words.
    pub(super) fn words(self) -> &'r str {
        if self.is_known { self.name } else { UNKNOWN_EFFECT }
    }
}

/// Its effects, in the recorded order.
pub(super) fn effects(request: &ApprovalRequest) -> Vec<CallEffect<'_>> {
    let one = request.effects.is_empty().then_some(&request.risk);
    let all = request.effects.iter().chain(one).map(String::as_str).filter(|effect| !effect.is_empty());
    let is_unknown = |effect: &str| match &request.preview {
        Preview::Command(line) => {
            effect == SideEffect::Sends.as_str() && !is_known_to_send(&shell::read(line))
        }
        Preview::None | Preview::Diff(_) | Preview::Recipient(_) => false,
    };
    all.map(|name| CallEffect { name, is_known: !is_unknown(name) }).collect()
}

/// Whether the name of the action says all that it does.
pub(super) fn is_plain(request: &ApprovalRequest) -> bool {
    let said = match request.preview {
        Preview::Diff(_) => SideEffect::Writes,
        Preview::Command(_) => SideEffect::Runs,
        Preview::None | Preview::Recipient(_) => return false,
    };
    effects(request).into_iter().all(|effect| effect.name == said.as_str())
}

/// All of them, on one line.
pub(crate) fn does(request: &ApprovalRequest) -> String {
    effects(request).into_iter().map(CallEffect::words).collect::<Vec<_>>().join(", ")
}

/// The parts of the line that a call would run, where one of them does what cannot be taken back. None where there is a single
/// one, of which all is said.
pub(crate) fn parts(panel: &Panel) -> &[LinePart] {
    let parts = panel.parts();
    let says_more = parts.len() > 1 || parts.iter().any(|part| part.to.is_some());
    if says_more && parts.iter().any(|part| GRAVE.contains(&part.effect)) { parts } else { &[] }
}
