//! Which calls may start now: consecutive reads together, everything else alone, nobody overtaking.

use super::SideEffect;

/// A call as the scheduler sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Candidate {
    /// Over; it stands in nobody's way.
    Finished,
    /// Running, with this effect.
    Running(SideEffect),
    /// Decided and ready to start.
    Ready(SideEffect),
    /// Not decided yet: whatever comes after it waits.
    Undecided,
}

/// Positions of the calls that may start now, given all calls of the message in order.
///
/// `parallel` is the most that may run at once (1 switches parallel execution off).
pub fn startable(calls: &[Candidate], parallel: usize) -> Vec<usize> {
    let mut running = calls.iter().filter(|c| matches!(c, Candidate::Running(_))).count();
    let mut start = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        match call {
            Candidate::Finished | Candidate::Running(SideEffect::Reads) => {}
            Candidate::Ready(SideEffect::Reads) if running < parallel.max(1) => {
                running += 1;
                start.push(at);
            }
            Candidate::Ready(effect) if *effect != SideEffect::Reads && running == 0 => {
                start.push(at);
                break;
            }
            Candidate::Undecided | Candidate::Running(_) | Candidate::Ready(_) => break,
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use super::{Candidate::*, SideEffect::*, *};

    #[test]
    fn reads_run_together_and_nothing_overtakes() {
        assert_eq!(startable(&[Ready(Reads), Ready(Reads), Ready(Writes)], 8), [0, 1]);
        assert_eq!(startable(&[Ready(Reads), Ready(Reads), Ready(Reads)], 2), [0, 1]);
        assert_eq!(startable(&[Running(Reads), Ready(Writes)], 8), Vec::<usize>::new());
        assert_eq!(startable(&[Finished, Ready(Runs), Ready(Reads)], 8), [1]);
        assert_eq!(startable(&[Undecided, Ready(Reads)], 8), Vec::<usize>::new());
        assert_eq!(startable(&[Running(Runs), Ready(Reads)], 8), Vec::<usize>::new());
        assert_eq!(startable(&[Ready(Reads), Ready(Reads)], 0), [0]);
        for alone in [Writes, Runs, Deletes, ChangesPermissions, Sends] {
            assert_eq!(startable(&[Ready(alone), Ready(alone)], 8), [0]);
            assert_eq!(startable(&[Ready(alone), Ready(Reads)], 8), [0]);
            assert_eq!(startable(&[Running(alone), Ready(Reads)], 8), Vec::<usize>::new());
            assert_eq!(startable(&[Running(Reads), Ready(alone)], 8), Vec::<usize>::new());
        }
    }
}
