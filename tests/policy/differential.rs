//! What the parser says would run, against what real shells run.

use std::collections::BTreeSet;

use countersign::policy::{Mode, RuleKind, Verdict, shell};
use countersign::tool::Preparation;

use super::nasty::{Dice, line};
use super::stubs::{Fixture, STUBS, shells};
use super::support::{call, policy, shell_tool};

/// Lines that are generated, and how many of them must be readable for the comparison to say something.
const LINES: u64 = 12_000;
const LEAST_READ: usize = 1_500;

/// The programs that a readable line can run; `None` where the parser says that it cannot tell.
fn told(line: &str) -> Option<BTreeSet<String>> {
    let reading = shell::read(line);
    if reading.unreadable.is_some() {
        return None;
    }
    reading.commands.iter().filter(|c| !c.words.is_empty()).map(shell::Command::program).collect()
}

/// Lines of which the parser is sure, each once.
fn sure_lines(seed: u64, count: u64) -> BTreeSet<String> {
    let mut dice = Dice::new(seed);
    (0..count).map(|_| line(&mut dice)).filter(|line| told(line).is_some()).collect()
}

/// The seed of this run: `NASTY_SEED=7 cargo test --test policy` tries other lines.
fn seed() -> u64 {
    std::env::var("NASTY_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

/// What is wrong with the readings of these lines.
fn misread(shell: &[String], lines: &[String]) -> (Vec<String>, usize) {
    let mut fixture = Fixture::new();
    let shell: Vec<&str> = shell.iter().map(String::as_str).collect();
    let (mut wrong, mut started) = (Vec::new(), 0);
    for line in lines {
        let ran = fixture.run(&shell, line);
        started += usize::from(!ran.is_empty());
        let told = told(line).unwrap();
        let unseen: Vec<&String> = ran.difference(&told).collect();
        if !unseen.is_empty() {
            wrong.push(format!("{shell:?} ran {unseen:?}, the parser saw {told:?}:\n{line}\n({line:?})"));
        }
    }
    (wrong, started)
}

#[test]
fn every_program_that_a_shell_runs_was_seen_or_the_line_was_not_readable() {
    let lines: Vec<String> = sure_lines(seed(), LINES).into_iter().collect();
    assert!(lines.len() >= LEAST_READ, "only {} lines were readable", lines.len());
    let shells = shells();
    let results: Vec<(Vec<String>, usize)> = std::thread::scope(|scope| {
        let handles: Vec<_> = shells.iter().map(|shell| scope.spawn(|| misread(shell, &lines))).collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    for (shell, (wrong, started)) in shells.iter().zip(&results) {
        println!("{shell:?}: {} lines, {started} of them started programs", lines.len());
        assert!(*started * 3 > lines.len(), "{shell:?} started programs in only {started} lines");
        assert!(
            wrong.is_empty(),
            "{} lines were misread:\n{}",
            wrong.len(),
            wrong[..wrong.len().min(10)].join("\n\n")
        );
    }
}

#[test]
fn a_rule_for_echo_never_lets_anything_else_run() {
    let policy = policy(Mode::Ask, &[(RuleKind::Allow, "shell(echo *)"), (RuleKind::Allow, "shell(echo)")]);
    let tool = shell_tool();
    let mut dice = Dice::new(seed() + 1_000);
    let lines: BTreeSet<String> = (0..40_000).map(|_| line(&mut dice)).collect();
    let allowed: Vec<String> = lines
        .into_iter()
        .filter(|line| {
            let verdict = policy.decide(&tool, &call(line), &Preparation::default()).verdict;
            matches!(verdict, Verdict::Allow(_) | Verdict::Sandbox(_))
        })
        .collect();
    assert!(allowed.len() > 500, "only {} lines were allowed", allowed.len());
    // These may look; `[[` and `time` are keywords of bash, which a dash
    // looks for along the user's own PATH.
    let looking = ["ls", "cat", "grep", "head", "sort", "git", "[[", "time"];
    for shell in shells() {
        let shell: Vec<&str> = shell.iter().map(String::as_str).collect();
        let mut fixture = Fixture::new();
        for line in &allowed {
            let ran = fixture.run(&shell, line);
            let wrong: Vec<&String> = ran.iter().filter(|name| !looking.contains(&name.as_str())).collect();
            assert!(wrong.is_empty(), "{shell:?} ran {wrong:?}:\n{line}\n({line:?})");
        }
    }
}

#[test]
fn the_stubs_write_down_that_they_ran() {
    let mut fixture = Fixture::new();
    for shell in shells() {
        let shell: Vec<&str> = shell.iter().map(String::as_str).collect();
        for name in STUBS {
            let ran = fixture.run(&shell, &format!("'{name}' & ./evil"));
            let expected = BTreeSet::from(["evil".to_owned(), (*name).to_owned()]);
            assert_eq!(ran, expected, "{shell:?} {name}");
        }
        for line in ["env -i danger", "env danger", "(danger >&- 2>&-)", "find . -name sub -exec danger \\;"]
        {
            assert!(!fixture.run(&shell, line).is_empty() || line.contains("-i"), "{shell:?} {line}");
        }
    }
}
