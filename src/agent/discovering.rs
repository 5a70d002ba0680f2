//! Tools that come from elsewhere (MCP servers): the first model call of a process waits for them, then they are frozen.

use crate::ledger::{Injected, Injector, Millis, Transition};
use crate::tool::Discovered;

use super::phase::{Discovering, Phase};
use super::{Agent, Effect, Live};

impl Agent {
    /// What a process does before anything else: it asks for the tools that come from elsewhere, if any do.
    pub fn first_effects(&self) -> Vec<Effect> {
        if self.discovers { vec![Effect::DiscoverTools] } else { Vec::new() }
    }

    /// A model call that has to wait, since its request would not name all tools; they cannot be added later.
    pub(super) fn wait_for_tools(reason: Transition, retries: u64, out: &mut Vec<Effect>) -> Phase {
        out.push(Effect::Emit(Live::Discovering));
        Phase::Discovering(Discovering { reason, retries })
    }

    /// The tools are there, and what is missing is told: to the model at once, or with the next message.
    pub(super) fn on_discovered(
        &mut self,
        now: Millis,
        phase: Phase,
        found: Discovered,
        out: &mut Vec<Effect>,
    ) -> Phase {
        if !std::mem::take(&mut self.discovers) {
            return phase;
        }
        self.registry.add(found.tools);
        out.extend(found.missing.iter().cloned().map(|why| Effect::Emit(Live::Unreached(why))));
        match phase {
            Phase::Discovering(Discovering { reason, retries }) => {
                for why in found.missing {
                    if let Err(unsettled) =
                        self.books.ledger.inject(now, Injected::text(Injector::Environment, why))
                    {
                        return self.give_up(now, &unsettled, out);
                    }
                }
                self.call_model(now, reason, retries, out)
            }
            phase @ (Phase::Idle
            | Phase::AwaitingModel(_)
            | Phase::Dispatching(_)
            | Phase::BackingOff(_)
            | Phase::Compacting(_)
            | Phase::Consulting(_)) => {
                self.news.extend(found.missing);
                phase
            }
        }
    }
}
