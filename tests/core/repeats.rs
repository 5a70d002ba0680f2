//! What the loop runs again by itself after a failure that may pass: reads and retrieval, as often as was set, and nothing else.

use countersign::budget::Bound;
use countersign::ledger::{Body, Ending, NoteKind, Outcome};
use countersign::model::ModelNews;
use countersign::policy::Mode;
use countersign::tool::SideEffect;

use crate::adversary::{Adversary, call, report, run, settings, silence, text};

/// How often a call of such a tool runs that always fails for a reason that may pass.
fn runs(effect: SideEffect, retrieves: bool, retries: u64) -> usize {
    let mut settings = settings();
    settings.policy.mode = Mode::Unrestricted;
    settings.limits.set_bound(Bound::ToolRetries, retries);
    for tool in &mut settings.tools {
        (tool.effect, tool.retrieves) = (effect, retrieves);
    }
    let model = |number| {
        if number == 1 {
            vec![call(), ModelNews::Finished]
        } else {
            vec![text("It does not work."), ModelNews::Finished]
        }
    };
    let ended = run(settings, &Adversary { model, tool: || report(Outcome::Failed, true), hook: silence });
    assert_eq!((ended.end.reason, ended.calls, ended.end.not_ok.len()), (Ending::Completed, 2, 1));
    let again =
        |body: &Body| matches!(body, Body::Note(note) if matches!(note.kind, NoteKind::Retried { .. }));
    1 + ended.agent.ledger().entries().iter().filter(|entry| again(&entry.body)).count()
}

#[test]
fn only_reads_and_retrieval_run_again() {
    for effect in SideEffect::GRAVEST_FIRST {
        let times = if effect == SideEffect::Reads { 2 } else { 1 };
        assert_eq!(runs(effect, false, 1), times, "{effect:?}");
        assert_eq!(runs(effect, true, 1), 2, "{effect:?}: whoever retrieves twice has retrieved once");
    }
}

#[test]
fn a_read_runs_again_as_often_as_was_set() {
    assert_eq!([0, 1, 3].map(|retries| runs(SideEffect::Reads, false, retries)), [1, 2, 4]);
}
