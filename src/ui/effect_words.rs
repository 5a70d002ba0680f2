//! What a waiting call does, in words: what nobody knows is not told as if it were known.

use crate::ledger::{ApprovalRequest, Preview};
use crate::policy::{LinePart, READS_SECRET, UNKNOWN_EFFECT, is_known_to_send, shell};
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

    /// Whether a file is read that may hold secrets.
    pub(super) fn is_of_secret(self) -> bool {
        self.name == READS_SECRET
    }

    /// Whether something leaves this machine, as far as that is known.
    pub(super) fn is_known_to_send(self) -> bool {
        self.is_known && self.name == SideEffect::Sends.as_str()
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

/// Whom a call that reads a secret sends to: the servers of its one command that sends, where its words leave no doubt.
pub(super) fn gets_secret<'p>(panel: &'p Panel, request: &ApprovalRequest) -> Option<&'p str> {
    let mut senders = panel.parts().iter().filter(|part| part.effect == SideEffect::Sends);
    let (only, None) = (senders.next()?, senders.next()) else { return None };
    let is_of_secret = effects(request).into_iter().any(CallEffect::is_of_secret);
    only.to.as_deref().filter(|_| is_of_secret)
}

/// The parts of the line that a call would run, where one of them does what cannot be taken back. None where there is a single
/// one, of which all is said.
pub(crate) fn parts(panel: &Panel) -> &[LinePart] {
    let parts = panel.parts();
    let says_more = parts.len() > 1 || parts.iter().any(|part| part.to.is_some());
    if says_more && parts.iter().any(|part| GRAVE.contains(&part.effect)) { parts } else { &[] }
}
