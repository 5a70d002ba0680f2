//! How the space is walked: exhaustively along vectors of choices, or at random by seed.

use std::collections::BTreeMap;
use std::fmt;

use countersign::agent::{Answer, Input, Intent};
use countersign::hooks::HookAnswer;
use countersign::ledger::Outcome;
use countersign::model::ModelNews;
use countersign::tool::ToolNews;

use crate::mutant::Mutant;
use crate::world::{Bounds, World};

/// What a walk explored, and the first fault it met.
#[derive(Debug, Default)]
pub struct Report {
    pub traces: u64,
    pub steps: u64,
    /// Transitions and endings that were written, and how often.
    pub seen: BTreeMap<&'static str, u64>,
    pub fault: Option<String>,
}

impl Report {
    pub fn add(&mut self, other: &Self) {
        self.traces += other.traces;
        self.steps += other.steps;
        for (name, count) in &other.seen {
            *self.seen.entry(name).or_default() += count;
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} traces, {} steps", self.traces, self.steps)
    }
}

/// Every order of inputs to `depth`.
pub fn exhaustive(depth: usize, bounds: Bounds, mutant: Mutant) -> Report {
    let mut report = Report::default();
    // Each element: the choice taken at that point, and how many there were.
    let mut choices: Vec<(usize, usize)> = Vec::new();
    loop {
        let mut world = World::new(bounds, mutant);
        let mut trace = Vec::new();
        for at in 0..depth {
            let mut options = world.options();
            if options.is_empty() {
                choices.truncate(at);
                break;
            }
            if at == choices.len() {
                choices.push((0, options.len()));
            }
            let input = options.swap_remove(choices[at].0);
            report.steps += 1;
            if let Some(fault) = deliver(&mut world, input, &mut trace) {
                report.fault = Some(fault);
                return report;
            }
        }
        if let Err(fault) = world.survives_a_kill(false) {
            report.fault = Some(format!("{fault}\n  after {}", trace.join(" > ")));
            return report;
        }
        report.traces += 1;
        while choices.pop_if(|(taken, of)| *taken + 1 == *of).is_some() {}
        match choices.last_mut() {
            Some((taken, _)) => *taken += 1,
            None => return report,
        }
    }
}

/// One long walk; the seed says where it goes.
pub fn random(seed: u64, steps: u64, bounds: Bounds) -> Report {
    let mut report = Report { traces: 1, ..Report::default() };
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut world = World::new(bounds, Mutant::None);
    let mut trace = Vec::new();
    for _ in 0..steps {
        let mut options = world.options();
        if options.is_empty() {
            break;
        }
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let all: u64 = options.iter().map(likely).sum();
        let mut at = state % all;
        let chosen = options.iter().position(|option| {
            let weight = likely(option);
            let is_here = at < weight;
            at = at.saturating_sub(weight);
            is_here
        });
        let input = options.swap_remove(chosen.unwrap_or(0));
        report.steps += 1;
        if let Some(fault) = deliver(&mut world, input, &mut trace) {
            report.fault = Some(fault);
            return report;
        }
    }
    report.seen = world.reasons();
    report.fault = world.survives_a_kill(true).err();
    report
}

/// How likely an input is in a random walk: things mostly go well, or a walk never gets far.
fn likely(input: &Input) -> u64 {
    let is_silence =
        |answers: &[HookAnswer]| answers.iter().all(|a| a.decision.is_none() && a.prevent.is_none());
    match input {
        Input::Intent(Intent::Decide { answer: Answer::AllowOnce, .. } | Intent::Submit(_)) => 6,
        Input::Model(_, ModelNews::Finished | ModelNews::Event(_))
        | Input::Prepared(..)
        | Input::Timer(_) => 6,
        Input::Tool(_, ToolNews::Done(report)) if report.outcome == Outcome::Ok => 9,
        Input::Hooks(_, answers) if is_silence(answers) => 9,
        Input::Intent(_) | Input::Model(..) | Input::Tool(..) | Input::Hooks(..) | Input::Shutdown(_) => 1,
    }
}

fn deliver(world: &mut World, input: Input, trace: &mut Vec<String>) -> Option<String> {
    trace.push(short(&input));
    let verdict = world.deliver(input);
    verdict.err().map(|fault| format!("{fault}\n  after {}", trace.join(" > ")))
}

fn short(input: &Input) -> String {
    let mut text = format!("{input:?}");
    text.truncate(text.char_indices().nth(90).map_or(text.len(), |(at, _)| at));
    text
}
