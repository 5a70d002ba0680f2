//! What the sandbox cannot hide: two commands wait because of it, and people accept it at one of them, at all, or no longer.

use std::collections::{BTreeMap, BTreeSet};

use countersign::agent::{Input, Intent};
use countersign::ledger::{ApprovalRequest, CallId, Change, Decider, Decision};
use countersign::model::{ModelEvent, ModelNews};
use countersign::tool::Preparation;

use crate::world::World;

/// What the looks find, in turn.
const FOUND: [&[&str]; 3] = [&[], &[".env can be read"], &[".env can be read", "key.pem can be read"]];

/// All that a look finds.
pub fn all_found() -> Vec<String> {
    FOUND.last().map(|found| texts(found)).unwrap_or_default()
}

fn texts(gaps: &[&str]) -> Vec<String> {
    gaps.iter().map(|gap| (*gap).to_owned()).collect()
}

/// What is accepted, and what the questions name.
#[derive(Default, Clone)]
pub struct Gaps {
    accepted: BTreeSet<String>,
    /// What the question about a call names that still waits.
    named: BTreeMap<CallId, BTreeSet<String>>,
    /// What the last look at a call found.
    found: BTreeMap<CallId, BTreeSet<String>>,
    /// Calls that must be decided about again in this step.
    due: BTreeSet<CallId>,
    /// Calls that may be asked about once more.
    again: BTreeSet<CallId>,
    /// The call of the wish that the loop has just heard, and what the person has read.
    heard: Option<(Option<CallId>, BTreeSet<String>)>,
}

impl Gaps {
    /// The world tells the loop something.
    pub fn hear(&mut self, input: &Input) {
        self.heard = None;
        match input {
            Input::Prepared(call, found) => {
                self.found.insert(*call, found.gaps.iter().cloned().collect());
            }
            Input::Intent(Intent::AcceptGaps { call, gaps }) => {
                self.heard = Some((*call, gaps.iter().cloned().collect()));
            }
            _ => {}
        }
    }

    pub fn change(&mut self, change: &Change) -> Result<(), String> {
        match change {
            Change::GapsAccepted { gaps, call } => self.accept(gaps, *call),
            Change::GapsRefused => {
                self.accepted.clear();
                self.again = self.named.keys().copied().collect();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Nobody accepts what no question names, or what the question about another call names, or what nobody has read.
    fn accept(&mut self, gaps: &[String], call: Option<CallId>) -> Result<(), String> {
        let by = self.heard.as_ref().map_or(call, |(by, _)| *by);
        for gap in gaps {
            if self.heard.as_ref().is_some_and(|(_, read)| !read.contains(gap)) {
                return Err(format!("{gap:?} is accepted, and the person has not read it"));
            }
            let mut questions = self.named.iter().filter(|(of, _)| by.is_none_or(|call| call == **of));
            if !questions.any(|(_, named)| named.contains(gap)) {
                return Err(format!("{gap:?} is accepted, and the question does not name it"));
            }
        }
        if by != call {
            return Err(format!("what is accepted is said to be named by {call:?}, not by {by:?}"));
        }
        self.accepted.extend(gaps.iter().cloned());
        let about = |named: &BTreeSet<String>| gaps.iter().any(|gap| named.contains(gap));
        let others = self.named.iter().filter(|(of, named)| call.is_some_and(|c| c != **of) && about(named));
        self.due = others.map(|(of, _)| *of).collect();
        self.again = self.due.clone();
        Ok(())
    }

    pub fn ask(&mut self, asked: &ApprovalRequest) -> Result<(), String> {
        let named: BTreeSet<String> = asked.gaps.iter().cloned().collect();
        if let Some(gap) = named.intersection(&self.accepted).next() {
            return Err(format!("{} is asked about because of {gap:?}, which is accepted", asked.call));
        }
        self.due.remove(&asked.call);
        self.named.insert(asked.call, named);
        Ok(())
    }

    /// Whether a call that waits may be asked about with other words.
    pub fn asks_again(&mut self, call: CallId) -> bool {
        self.again.remove(&call)
    }

    /// A policy lets nothing run in the sandbox that could reach what nobody accepted.
    pub fn decide(&mut self, decision: &Decision) -> Result<(), String> {
        let call = decision.call;
        let named = self.named.remove(&call).unwrap_or_default();
        let is_due = self.due.remove(&call);
        if decision.by != Decider::Policy || !decision.allow || !decision.sandboxed {
            return Ok(());
        }
        if !named.is_empty() && !is_due {
            return Err(format!("{call} waits for a person, and nobody decided"));
        }
        let found = self.found.get(&call).into_iter().flatten().chain(&named);
        match found.into_iter().find(|gap| !self.accepted.contains(*gap)) {
            Some(gap) => Err(format!("{call} may run, and nobody accepted that {gap:?}")),
            None => Ok(()),
        }
    }

    /// A call is over, or waits no more.
    pub fn over(&mut self, call: CallId) {
        self.named.remove(&call);
        self.due.remove(&call);
    }

    /// Another process looks at everything again.
    pub fn died(&mut self) {
        *self = Self { accepted: std::mem::take(&mut self.accepted), ..Self::default() };
    }

    /// At the end of a step nothing waits only because of what is accepted.
    pub fn end_step(&self) -> Result<(), String> {
        match self.due.first() {
            Some(call) => Err(format!("{call} still waits, and was not decided about again")),
            None => Ok(()),
        }
    }
}

impl World {
    /// Two commands are called, and looked at.
    pub(crate) fn begin_with_gaps(&mut self) {
        self.deliver(Input::Intent(Intent::Submit("go".into()))).unwrap();
        let mut inputs = Vec::new();
        let message = *self.models.keys().next().unwrap();
        for index in [0, 1] {
            let text = format!("{{\"command\":\"make {index}\"}}");
            for event in [
                ModelEvent::CallStarted { index, wire_id: String::new(), name: "shell".into() },
                ModelEvent::CallArguments { index, text },
                ModelEvent::CallDone { index },
            ] {
                inputs.push(Input::Model(message, ModelNews::Event(event)));
            }
        }
        inputs.push(Input::Model(message, ModelNews::Finished));
        inputs.into_iter().for_each(|input| self.deliver(input).unwrap());
    }

    /// What may come of them.
    pub(crate) fn offer_gaps(&self, options: &mut Vec<Input>) {
        for call in &self.preparations {
            options.extend(FOUND.iter().skip(1).map(|found| {
                Input::Prepared(*call, Preparation { gaps: texts(found), ..Preparation::default() })
            }));
        }
        if self.commands < self.bounds.gaps {
            let questions = &self.log.gaps.named;
            let named = |call: &CallId| -> Vec<String> {
                questions.get(call).into_iter().flatten().cloned().collect()
            };
            let calls = self.log.asked.keys().map(|call| (Some(*call), named(call)));
            // Whoever has read one question, or both.
            let all = FOUND.iter().skip(1).map(|read| (None, texts(read)));
            let accepts = calls.chain(all).map(|(call, gaps)| Intent::AcceptGaps { call, gaps });
            options.extend(accepts.chain([Intent::RefuseGaps]).map(Input::Intent));
        }
    }
}
