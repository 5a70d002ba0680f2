//! Keyboards of the terminals that commands run on: what a person types, on its way to a command. Bounded, and nobody
//! waits for a command that does not read.

use std::collections::BTreeMap;

use tokio::sync::{mpsc, watch};

use crate::ledger::CallId;
use crate::tool::Typed;

/// So many pieces may wait for a command that does not read; what comes then is dropped.
const WAITING: usize = 64;

/// By their calls; shared by clones, waited on by nobody.
type PluggedIn = watch::Sender<BTreeMap<CallId, mpsc::Sender<Typed>>>;

/// The keyboards of all commands that run on a terminal.
#[derive(Debug, Clone, Default)]
pub(super) struct Keyboards {
    plugged_in: PluggedIn,
    attended: bool,
}

/// The keyboard of one command; dropping it takes it away.
#[derive(Debug)]
pub(super) struct Keyboard {
    plugged_in: PluggedIn,
    /// Whether somebody may type.
    pub(super) attended: bool,
    keys: mpsc::Sender<Typed>,
    typed: mpsc::Receiver<Typed>,
}

impl Keyboards {
    /// With a person who may type.
    pub(super) fn attended(self) -> Self {
        Self { attended: true, ..self }
    }

    /// The keyboard of a command that is about to start.
    pub(super) fn plug_in(&self, call: CallId) -> Keyboard {
        let (keys, typed) = mpsc::channel(WAITING);
        self.plugged_in.send_modify(|all| drop(all.insert(call, keys.clone())));
        Keyboard { plugged_in: self.plugged_in.clone(), attended: self.attended, keys, typed }
    }

    /// Types into the terminal of a command. For one that is over nothing happens.
    pub(super) fn type_into(&self, call: CallId, typed: Typed) {
        if let Some(keys) = self.plugged_in.borrow().get(&call)
            && keys.try_send(typed).is_err()
        {
            tracing::debug!(%call, "what was typed is dropped: the command does not read");
        }
    }
}

impl Keyboard {
    /// For what the terminal itself answers.
    pub(super) fn keys(&self) -> mpsc::Sender<Typed> {
        self.keys.clone()
    }

    /// What is typed next.
    pub(super) async fn next(&mut self) -> Option<Typed> {
        self.typed.recv().await
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        // Another run of the call has plugged in its own.
        self.plugged_in.send_modify(|all| all.retain(|_, keys| !keys.same_channel(&self.keys)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_command_that_does_not_read_costs_little_and_one_that_is_over_nothing() {
        let keyboards = Keyboards::default();
        let mut keyboard = keyboards.plug_in(CallId(1));
        keyboards.type_into(CallId(2), Typed(b"elsewhere".to_vec()));
        for at in 0..1_000_u16 {
            keyboards.type_into(CallId(1), Typed(at.to_be_bytes().to_vec()));
        }
        for at in 0..WAITING {
            let at = u16::try_from(at).unwrap();
            assert_eq!(keyboard.next().await, Some(Typed(at.to_be_bytes().to_vec())), "in order");
        }
        assert!(keyboard.typed.try_recv().is_err(), "the rest is dropped");
        let again = keyboards.plug_in(CallId(1));
        drop(keyboard);
        assert!(!keyboards.plugged_in.borrow().is_empty(), "the newer one stays");
        drop(again);
        assert!(keyboards.plugged_in.borrow().is_empty());
    }
}
