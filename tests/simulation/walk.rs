//! How the space is walked: exhaustively along vectors of choices, or at random by seed.

use std::collections::BTreeMap;
use std::fmt;

use countersign::agent::{Answer, Input, Intent, Shutdown};
use countersign::hooks::HookAnswer;
use countersign::ledger::{Outcome, Stop};
use countersign::model::{ModelEvent, ModelNews};
use countersign::tool::{Shown, ToolNews};

use crate::bounds::Bounds;
use crate::kill::{Cuts, survives_every_cut};
use crate::mutant::Mutant;
use crate::proven::proves_itself;
use crate::world::World;

/// What a walk explored, and the first fault it met.
#[derive(Debug, Default)]
pub struct Report {
    pub traces: u64,
    /// Inputs that were delivered, those of repeated beginnings included.
    pub steps: u64,
    /// Positions: different sequences of inputs.
    pub positions: u64,
    /// Positions at which Esc was pressed.
    pub escapes: u64,
    /// Logs after whose last entry the process died; equal ones count once in an exhaustive walk.
    pub cuts: u64,
    /// Forks at rest that went on.
    pub forks: u64,
    /// Branches before a decision or a message that went on.
    pub branches: u64,
    /// Transitions and endings that were written, and how often.
    pub seen: BTreeMap<&'static str, u64>,
    pub fault: Option<String>,
}

impl Report {
    pub fn add(&mut self, other: &Self) {
        self.traces += other.traces;
        self.steps += other.steps;
        self.positions += other.positions;
        self.escapes += other.escapes;
        self.cuts += other.cuts;
        self.forks += other.forks;
        self.branches += other.branches;
        for (name, count) in &other.seen {
            *self.seen.entry(name).or_default() += count;
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { traces, steps, positions, escapes, cuts, forks, branches, .. } = self;
        write!(f, "{traces} traces, {steps} steps, {positions} positions, {escapes} Esc, {cuts} cuts, ")?;
        write!(f, "{forks} forks, {branches} branches")
    }
}

/// The file of one in so many traces is checked: the others differ from it in little.
const PROVEN: u64 = 40;
/// Logs of a walk of which some prove themselves.
const MOST_PROVEN: u64 = 20_000;

/// One in so many sessions that were left is taken up again.
const TAKEN_UP: u64 = 41;

/// Every order of inputs to `depth`. After each new input, the process is killed after each entry that it wrote.
pub fn exhaustive(depth: usize, bounds: Bounds, mutant: Mutant) -> Report {
    let mut report = Report::default();
    let mut cuts = Cuts::default();
    // Each element: the choice taken at that point, and how many there were.
    let mut choices: Vec<(usize, usize)> = Vec::new();
    loop {
        let mut world = World::new(bounds, mutant);
        let mut trace = Vec::new();
        // What comes before is the beginning of the trace before it.
        let first_new = choices.len().saturating_sub(1);
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
            if at == first_new {
                cuts.go_back(world.log.entries.len());
            }
            if at >= first_new {
                report.positions += 1;
                report.escapes += u64::from(matches!(input, Input::Intent(Intent::Abort)));
            }
            let verdict = deliver(&mut world, input, &mut trace);
            let killed = || {
                let entries = if at < first_new { &[] } else { world.log.entries.as_slice() };
                let fault = cuts.check(entries, bounds, world.now).err();
                fault.map(|fault| format!("{fault}\n  after {}", trace.join(" > ")))
            };
            if let Some(fault) = verdict.or_else(killed) {
                report.fault = Some(fault);
                return report;
            }
        }
        if let Err(fault) = ends_well(&mut world, report.traces) {
            report.fault = Some(format!("{fault}\n  after {}", trace.join(" > ")));
            return report;
        }
        report.traces += 1;
        report.cuts = cuts.count();
        (report.forks, report.branches) = cuts.forked();
        while choices.pop_if(|(taken, of)| *taken + 1 == *of).is_some() {}
        match choices.last_mut() {
            Some((taken, _)) => *taken += 1,
            None => {
                report.seen = cuts.reasons();
                return report;
            }
        }
    }
}

/// One long walk; the seed says where it goes.
pub fn random(seed: u64, steps: u64, bounds: Bounds) -> Report {
    let mut report = Report { traces: 1, ..Report::default() };
    let mut dice = Dice::new(seed);
    let mut world = World::new(bounds, Mutant::None);
    let mut trace = Vec::new();
    for _ in 0..steps {
        let Some(input) = dice.pick(&world) else { break };
        report.steps += 1;
        if let Some(fault) = deliver(&mut world, input, &mut trace) {
            report.fault = Some(fault);
            return report;
        }
    }
    report.seen = world.reasons();
    (report.positions, report.escapes) = (report.steps, u64::from(world.escapes));
    if let Err(fault) = proves_itself(&world.log.entries) {
        report.fault = Some(fault);
        return report;
    }
    match survives_every_cut(&world.log, bounds, world.now) {
        Ok((cuts, forks)) => {
            (report.cuts, report.forks, report.branches) = (cuts, forks.forks, forks.branches);
        }
        Err(fault) => report.fault = Some(fault),
    }
    let how = if seed.is_multiple_of(2) { Shutdown::Quit } else { Shutdown::Signal };
    let left = leaves_nothing_open(&mut world, how, true);
    report.fault = report.fault.or(left.err());
    report
}

/// Where a random walk goes.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn throw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// What happens next, if anything can.
    pub(crate) fn pick(&mut self, world: &World) -> Option<Input> {
        let mut options = world.options();
        if options.is_empty() {
            return None;
        }
        let all: u64 = options.iter().map(likely).sum();
        let mut at = self.throw() % all;
        let chosen = options.iter().position(|option| {
            let weight = likely(option);
            let is_here = at < weight;
            at = at.saturating_sub(weight);
            is_here
        });
        Some(options.swap_remove(chosen.unwrap_or(0)))
    }
}

/// How likely an input is in a random walk: things mostly go well, or a walk never gets far.
fn likely(input: &Input) -> u64 {
    let is_silence =
        |answers: &[HookAnswer]| answers.iter().all(|a| a.decision.is_none() && a.prevent.is_none());
    match input {
        Input::Tool(_, ToolNews::Done(report)) if report.outcome == Outcome::Ok => 30,
        Input::Hooks(_, answers) if is_silence(answers) => 60,
        Input::Hooks(..)
        | Input::Intent(Intent::TypeInto { .. })
        | Input::Tool(_, ToolNews::Output(Shown::Task(_))) => 10,
        Input::Intent(Intent::Submit(text)) if text.content.starts_with("steer") => 2,
        Input::Model(_, ModelNews::Finished) => 12,
        Input::Model(_, ModelNews::Event(ModelEvent::Stop(Stop::Pause))) => 16,
        Input::Model(_, ModelNews::Event(ModelEvent::Stop(_) | ModelEvent::Thinking(_))) => 1,
        Input::Intent(
            Intent::Decide { answer: Answer::AllowOnce | Answer::Reply(_), .. }
            | Intent::Submit(_)
            | Intent::Pursue(..),
        )
        | Input::Model(_, ModelNews::Event(_))
        | Input::Prepared(..)
        | Input::Discovered(_)
        | Input::Timer(_) => 20,
        Input::Intent(Intent::Abort | Intent::Raise { .. }) => 2,
        Input::Subagent(..) => 10,
        Input::Intent(_) | Input::Model(..) | Input::Tool(..) | Input::Cut(_) | Input::Shutdown(_) => 1,
    }
}

/// A walk that ended can be proven, as far as that is tried, and left.
fn ends_well(world: &mut World, traces: u64) -> Result<(), String> {
    if traces < MOST_PROVEN && traces.is_multiple_of(PROVEN) {
        proves_itself(&world.log.entries)?;
    }
    let how = if traces.is_multiple_of(2) { Shutdown::Quit } else { Shutdown::Signal };
    leaves_nothing_open(world, how, traces.is_multiple_of(TAKEN_UP))
}

/// Wherever a walk ends, the session is left there.
fn leaves_nothing_open(world: &mut World, how: Shutdown, is_taken_up: bool) -> Result<(), String> {
    if world.over {
        return Ok(());
    }
    world.leave(how)?;
    if is_taken_up { world.is_taken_up() } else { Ok(()) }
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
