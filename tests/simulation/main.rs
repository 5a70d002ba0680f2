//! Model checking of the loop: every order of deliveries and every moment of Esc to a bound, and long random walks.
//!
//! The agent is re-executed from the start along a vector of choices, as loom does; at each point the world
//! offers all that could happen next, late news of cancelled operations included. After each step the invariants
//! are checked on what was persisted, never on the agent's own memory.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    unreachable_pub,
    missing_docs,
    reason = "tests"
)]

extern crate countersign_core as countersign;

mod backgrounds;
mod books;
mod bounds;
mod clocks;
mod cuts;
mod delegations;
mod forks;
mod gaps;
mod goals;
mod grants;
mod hosts;
mod kill;
#[path = "../support/legacy_facts.rs"]
mod legacy_facts;
mod mutant;
mod offers;
mod own_commands;
mod pasted;
mod prices;
mod proven;
mod reasons;
mod requests;
mod residue;
#[path = "../support/sendable.rs"]
mod sendable;
mod shutdown;
mod subagents;
mod tasks;
mod timed;
mod told;
mod typed;
mod walk;
mod world;

use bounds::Bounds;
use mutant::Mutant;
use walk::{Report, exhaustive, random};

/// The most steps that a walk of the normal test run may be short of: the issue asks for a million.
const AT_LEAST: u64 = 1_000_000;

/// Logs that the process must have died after, and positions at which Esc was pressed, in that walk.
const CUTS: u64 = 100_000;
const ESCAPES: u64 = 20_000;
/// At least so many sessions were forked, and left at a decision or a message.
const FORKS: u64 = 50_000;
const BRANCHES: u64 = 4_000;

/// How many random walks.
const WALKS: u64 = 400;

/// How many more in which a person types into commands.
const TYPED_WALKS: u64 = 50;

/// How long the traces with races are.
const RACE_STEPS: usize = 5;

/// How long the traces are in which time matters.
const TIMED_STEPS: usize = 6;

/// How many more with sub-agents.
const SUBAGENT_WALKS: u64 = 50;

/// What the random walks must have met, or they prove nothing about it.
const REACHED: &[&str] = &[
    "submitted",
    "next_turn",
    "max_output_tokens_recovery",
    "reactive_compact_retry",
    "auto_compact",
    "model_fallback",
    "provider_pause",
    "transient_retry",
    "empty_answer_nudge",
    "steered",
    "stop_hook_blocking",
    "stop_hook_prevented",
    "policy_denied",
    "completed",
    "max_turns",
    "max_tool_calls",
    "wall_time",
    "aborted_streaming",
    "aborted_tools",
    "prompt_too_long",
    "model_error",
    "no_final_answer_or_tool_call",
    "token_budget",
    "budget_nudge",
    "goal_check",
    "goal_reached",
    "blocked_on_user",
    "model_changed",
    "effort_changed",
    "call_edited",
    "rule_taken",
    "grant_revoked",
    "files_restored",
    "typed_into",
    "background_ended",
    "delegation_response",
    "task_accepted",
];

/// What the worlds of their own must have met, and died after.
const MENDED: &[&str] =
    &["reactive_compact_retry", "auto_compact", "model_fallback", "transient_retry", "prompt_too_long"];
const PURSUED: &[&str] = &["goal_check", "goal_reached", "blocked_on_user", "aborted_tools"];
const SWITCHED: &[&str] = &["model_changed", "model_fallback", "next_turn", "aborted_streaming"];
const EDITED: &[&str] = &["call_edited", "rule_taken", "next_turn", "aborted_streaming", "aborted_tools"];
const REVOKED: &[&str] = &["grant_revoked", "rule_taken", "next_turn", "aborted_streaming", "aborted_tools"];
const DISCOVERED: &[&str] = &["submitted", "next_turn", "aborted_streaming", "aborted_tools"];
const DELEGATED: &[&str] = &[
    "delegation_response",
    "task_accepted",
    "escrow_settled",
    "next_turn",
    "aborted_streaming",
    "aborted_tools",
];
const TYPED: &[&str] = &["typed_into", "next_turn", "aborted_streaming", "aborted_tools"];
const BACKGROUND: &[&str] = &["background_ended", "background_stopped", "next_turn", "aborted_tools"];
const OWN_COMMANDS: &[&str] =
    &["own_command", "rewound", "session_renamed", "next_turn", "aborted_streaming", "aborted_tools"];
const SUBAGENTS: &[&str] = &[
    "escrow_reserved",
    "escrow_settled",
    "subagent_waits",
    "delegation_response",
    "next_turn",
    "aborted_tools",
];
const TIMED: &[&str] = &["wall_time", "subagent_waits", "completed", "aborted_tools", "steered", "next_turn"];
const HOOKED: &[&str] = &["stop_hook_blocking", "stop_hook_prevented", "policy_denied", "next_turn"];

#[test]
fn every_order_of_events_keeps_the_books() {
    let report = exhaustive(11, Bounds::SMALL, Mutant::None);
    println!("exhaustive, depth 11: {report}");
    assert!(report.fault.is_none(), "{}", report.fault.unwrap());
    assert!(report.steps >= AT_LEAST, "only {} steps were explored", report.steps);
    assert!(report.cuts >= CUTS && report.escapes >= ESCAPES, "too little was interrupted: {report}");
    assert!(report.forks >= FORKS && report.branches >= BRANCHES, "too little was forked: {report}");
}

/// A rule is taken back at any moment: while a call waits, runs, or is allowed by it and has not started.
#[test]
fn every_order_of_grants_taken_back_keeps_the_books() {
    let report = exhaustive(10, Bounds::REVOKED, Mutant::None);
    println!("revoked, depth 10: {report}; {:?}", report.seen);
    assert!(report.fault.is_none(), "{}", report.fault.unwrap());
    for reason in REVOKED {
        assert!(report.seen.contains_key(reason), "no trace reached {reason}");
    }
}

/// Sub-agents, waited for and in the background: whatever they spend, and wherever Esc comes, the limits hold over the sum.
#[test]
fn every_order_of_subagents_keeps_the_books() {
    let report = exhaustive(12, Bounds::SUBAGENTS, Mutant::None);
    println!("sub-agents, depth 12: {report}; {:?}", report.seen);
    assert!(report.fault.is_none(), "{}", report.fault.unwrap());
    for reason in SUBAGENTS {
        assert!(report.seen.contains_key(reason), "no trace reached {reason}");
    }
    let mut walks = Report::default();
    for seed in 1..=SUBAGENT_WALKS {
        let walk = random(seed, 300, Bounds::MANY_SUBAGENTS);
        assert!(walk.fault.is_none(), "walk {seed}: {}", walk.fault.unwrap());
        walks.add(&walk);
    }
    println!("sub-agents, random: {walks}; {:?}", walks.seen);
}

/// Time: whoever works or waits, the limit on it holds over what counts, and nothing else counts.
#[test]
fn every_order_in_time_keeps_the_books() {
    let (mut total, mut faults) = (Report::default(), Vec::new());
    for scene in timed::SCENES {
        let report = exhaustive(TIMED_STEPS, Bounds { scene: Some(scene), ..Bounds::CLOCKED }, Mutant::None);
        println!("{:?}, depth {TIMED_STEPS}: {report}", scene.calls);
        faults.extend(report.fault.iter().map(|fault| format!("{:?}: {fault}", scene.calls)));
        total.add(&report);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    println!("timed: {total}; {:?}", total.seen);
    for reason in TIMED {
        assert!(total.seen.contains_key(reason), "no trace reached {reason}");
    }
}

/// Races with more lanes than may be at work at once, left, stopped and killed at any moment.
#[test]
fn every_order_of_races_keeps_the_books() {
    let races = exhaustive(RACE_STEPS, Bounds::RACES, Mutant::None);
    println!("races, depth {RACE_STEPS}: {races}; {:?}", races.seen);
    assert!(races.fault.is_none(), "{}", races.fault.unwrap());
    for reason in ["lane", "adopted", "escrow_settled", "subagent_started"] {
        assert!(races.seen.contains_key(reason), "no trace reached {reason}");
    }
}

/// What the sandbox cannot hide is accepted at one of two calls, at both, or no longer, at any moment: what runs because of it is what
/// its own question, or look, says.
#[test]
fn every_order_of_accepted_gaps_keeps_the_books() {
    let report = exhaustive(6, Bounds::GAPPED, Mutant::None);
    println!("gapped, depth 6: {report}; {:?}", report.seen);
    assert!(report.fault.is_none(), "{}", report.fault.unwrap());
    assert!(report.cuts > 1_000 && report.escapes > 2_000, "too little was interrupted: {report}");
    for reason in ["gaps_accepted", "gaps_refused", "allowed_by_policy", "next_turn"] {
        assert!(report.seen.contains_key(reason), "no trace reached {reason}");
    }
}

/// Each request costs more than it may: nothing is asked of a model before the price of it was accepted, by enough.
#[test]
fn every_order_of_prices_keeps_the_books() {
    let report = exhaustive(9, Bounds::PRICED, Mutant::None);
    println!("priced, depth 9: {report}; {:?}", report.seen);
    assert!(report.fault.is_none(), "{}", report.fault.unwrap());
    assert!(report.cuts > 2_000 && report.escapes > 5_000, "too little was interrupted: {report}");
    for reason in ["price_asked", "price_accepted", "next_turn"] {
        assert!(report.seen.contains_key(reason), "no trace reached {reason}");
    }
}

/// Hooks, compactions, fallback and retries come late in a trace, so worlds of their own begin with them: all orders to this
/// depth keep the books, and reach these reasons.
fn every_order_reaches(name: &str, depth: usize, bounds: Bounds, reached: &[&str]) {
    let report = exhaustive(depth, bounds, Mutant::None);
    println!("{name}, depth {depth}: {report}; {:?}", report.seen);
    assert!(report.fault.is_none(), "{name}: {}", report.fault.unwrap());
    assert!(report.cuts > 5_000 && report.escapes > 5_000, "too little was interrupted: {report}");
    for reason in reached {
        assert!(report.seen.contains_key(reason), "{name}: no trace reached {reason}");
    }
}

#[test]
fn every_order_of_edits_keeps_the_books() {
    every_order_reaches("edited", 10, Bounds::EDITED, EDITED);
}

#[test]
fn every_order_of_switches_of_the_model_keeps_the_books() {
    every_order_reaches("switched", 6, Bounds::SWITCHED, SWITCHED);
}

#[test]
fn every_order_of_mends_keeps_the_books() {
    every_order_reaches("mending", 7, Bounds::MENDING, MENDED);
}

#[test]
fn every_order_of_hooks_keeps_the_books() {
    every_order_reaches("hooked", 8, Bounds::HOOKED, HOOKED);
}

#[test]
fn every_order_of_discoveries_keeps_the_books() {
    every_order_reaches("discovering", 10, Bounds::DISCOVERING, DISCOVERED);
}

#[test]
fn every_order_of_delegations_keeps_the_books() {
    every_order_reaches("delegating", 12, Bounds::DELEGATING, DELEGATED);
}

#[test]
fn every_order_of_goals_keeps_the_books() {
    every_order_reaches("goals", 9, Bounds::GOALS, PURSUED);
}

#[test]
fn every_order_of_typed_keys_keeps_the_books() {
    every_order_reaches("typed", 10, Bounds::TYPED, TYPED);
}

#[test]
fn every_order_of_the_user_s_own_commands_keeps_the_books() {
    every_order_reaches("own commands", 8, Bounds::OWN_COMMANDS, OWN_COMMANDS);
}

/// What ends by itself comes late in a trace, and is one input of few.
#[test]
fn every_order_of_ends_in_the_background_keeps_the_books() {
    let report = exhaustive(9, Bounds::BACKGROUND, Mutant::None);
    println!("background, depth 9: {report}; {:?}", report.seen);
    assert!(report.fault.is_none(), "{}", report.fault.unwrap());
    assert!(report.cuts > 5_000 && report.escapes > 1_000, "too little was interrupted: {report}");
    for reason in BACKGROUND {
        assert!(report.seen.contains_key(reason), "no trace reached {reason}");
    }
}

#[test]
fn long_random_walks_keep_the_books() {
    let mut total = Report::default();
    for seed in 1..=WALKS + TYPED_WALKS {
        // Half of the worlds allow one turn alone, so that the limit is met.
        let turns = if seed % 2 == 0 { Bounds::WIDE.turns } else { 1 };
        // In a third of them the window is small, so that compactions are due.
        let window = if seed % 3 == 0 { Bounds::WIDE.window } else { Bounds::SMALL.window };
        let token_budget = (seed % 4 == 0 || seed % 5 == 0).then_some(20);
        let goals = seed % 3 == 1;
        let discovers = seed % 4 == 2;
        let delegates = seed % 3 == 2;
        let commands = if seed % 4 == 3 { Bounds::WIDE.commands } else { 0 };
        let wide =
            Bounds { turns, window, token_budget, goals, discovers, delegates, commands, ..Bounds::WIDE };
        let world = Bounds { typings: 0, ..wide };
        // Typing is walked where little else happens: there commands get far enough to run.
        let calm = Bounds { submits: 40, escapes: 10, turns: 4, typings: 200, ..Bounds::SMALL };
        let world = if seed > WALKS { calm } else { world };
        let report = random(seed, 400, world);
        total.add(&report);
        assert!(report.fault.is_none(), "seed {seed}: {}", report.fault.unwrap());
    }
    println!("random, {} seeds: {total}; {:?}", WALKS + TYPED_WALKS, total.seen);
    assert!(total.cuts > 50_000 && total.escapes > 1_000, "too little was interrupted: {total}");
    for reason in REACHED {
        assert!(total.seen.contains_key(reason), "no walk reached {reason}");
    }
}

/// The walk must find every seeded fault: a checker that finds nothing proves nothing.
#[test]
fn seeded_faults_are_found() {
    for mutant in Mutant::ALL {
        let found = (3..=9).find_map(|depth| exhaustive(depth, mutant.bounds(), mutant).fault);
        let fault = found.unwrap_or_else(|| panic!("{mutant:?} was not found to depth 9"));
        println!("{mutant:?}: {fault}");
    }
}
