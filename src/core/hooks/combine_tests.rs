//! The laws of combining: tighter with every hook, never looser; nothing said is lost.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn answer(decision: Option<HookDecision>, reason: &str) -> HookAnswer {
    HookAnswer { hook: "check".into(), decision, reason: Some(reason.into()), ..HookAnswer::default() }
}

fn tightness(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Allow(_) => 0,
        Verdict::Sandbox(_) => 1,
        Verdict::Ask(_) => 2,
        Verdict::Deny(_) => 3,
    }
}

fn any_answer() -> impl Strategy<Value = HookAnswer> {
    let decision = prop_oneof![
        Just(None),
        Just(Some(HookDecision::Allow)),
        Just(Some(HookDecision::Ask)),
        Just(Some(HookDecision::Deny))
    ];
    let word = || proptest::option::of("[ab]");
    (decision, word(), word(), word(), word(), word(), any::<bool>()).prop_map(
        |(decision, reason, inject, prevent, remark, trouble, changes)| HookAnswer {
            hook: "check".into(),
            decision,
            reason,
            updated_input: changes.then(|| Arguments::from_value(json!({ "path": "x" }))),
            inject,
            prevent,
            remark,
            trouble,
        },
    )
}

fn any_verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        Just(Verdict::Allow("p".into())),
        Just(Verdict::Sandbox("p".into())),
        Just(Verdict::Ask("p".into())),
        Just(Verdict::Deny("p".into()))
    ]
}

proptest! {
    #[test]
    fn no_hook_ever_loosens(
        answers in proptest::collection::vec(any_answer(), 0..5), more in any_answer(), policy in any_verdict()
    ) {
        let before = combine_pre_tool(&answers);
        let after = combine_pre_tool(&[answers.clone(), vec![more.clone()]].concat());
        prop_assert!(tightness(&before.tighten(policy.clone())) >= tightness(&policy));
        prop_assert!(tightness(&after.tighten(policy.clone())) >= tightness(&before.tighten(policy.clone())));
        let first = combine_pre_tool(&[vec![more], answers.clone()].concat());
        prop_assert_eq!(first.verdict, after.verdict, "the order of hooks decides nothing");
        prop_assert_eq!(before.verdict == PreVerdict::Pass, before.reasons.is_empty());
    }

    #[test]
    fn an_allow_says_no_more_than_silence(
        answers in proptest::collection::vec(any_answer(), 0..5), policy in any_verdict()
    ) {
        let mut silent = answers.clone();
        for answer in silent.iter_mut().filter(|a| a.decision == Some(HookDecision::Allow)) {
            answer.decision = None;
        }
        prop_assert_eq!(combine_pre_tool(&answers), combine_pre_tool(&silent));
        prop_assert_eq!(combine_stop(&answers), combine_stop(&silent));
        prop_assert_eq!(combine_user_prompt(&answers), combine_user_prompt(&silent));
        let pass = combine_pre_tool(&[answer(Some(HookDecision::Allow), "fine")]);
        prop_assert_eq!(pass.tighten(policy.clone()), policy);
    }

    #[test]
    fn every_blocking_message_is_delivered_once(answers in proptest::collection::vec(any_answer(), 0..5)) {
        let stop = combine_stop(&answers);
        for blocking in answers.iter().filter(|a| a.decision == Some(HookDecision::Deny)) {
            prop_assert_eq!(stop.blocking.iter().filter(|text| **text == blocking.why()).count(), 1);
        }
        prop_assert_eq!(stop.prevent.is_some(), answers.iter().any(|a| a.prevent.is_some()));
    }

    #[test]
    fn trouble_blocks_nothing(text in "[a-z]{1,9}", policy in any_verdict()) {
        let broken = HookAnswer { trouble: Some(text), ..HookAnswer::default() };
        prop_assert_eq!(combine_pre_tool(std::slice::from_ref(&broken)).tighten(policy.clone()), policy);
        prop_assert_eq!(combine_stop(std::slice::from_ref(&broken)), StopVerdict::default());
        prop_assert_eq!(combine_user_prompt(std::slice::from_ref(&broken)), UserPrompt::default());
        prop_assert_eq!(combine_told(&[broken]), HookFeedback::default());
    }
}

#[test]
fn the_tightest_gives_its_reasons() {
    let (allow, ask, deny) = (Some(HookDecision::Allow), Some(HookDecision::Ask), Some(HookDecision::Deny));
    let all = [answer(deny, "one"), answer(ask, "two"), answer(allow, "three"), answer(deny, "four")];
    let before = combine_pre_tool(&all);
    assert_eq!((before.verdict, before.reason().as_str()), (PreVerdict::Deny, "one; four"));
    assert_eq!(before.tighten(Verdict::Allow("p".into())), Verdict::Deny("one; four".into()));
    let asked = combine_pre_tool(&all[1..3]);
    assert_eq!(asked.tighten(Verdict::Allow("p".into())), Verdict::Ask("two".into()));
    assert_eq!(asked.tighten(Verdict::Deny("p".into())), Verdict::Deny("p".into()));
}

#[test]
fn of_two_changes_the_last_holds_and_that_is_noted() {
    let change = |hook: &str, path: &str| HookAnswer {
        hook: hook.into(),
        updated_input: Some(Arguments::from_value(json!({ "path": path }))),
        ..HookAnswer::default()
    };
    let both = combine_pre_tool(&[change("one", "a"), change("two", "b"), HookAnswer::default()]);
    assert_eq!(both.updated_input, change("", "b").updated_input);
    assert!(both.notes[0].contains("2 hooks") && both.notes[0].contains("`two`"), "{:?}", both.notes);
    assert_eq!(both.verdict, PreVerdict::Pass);
    assert!(combine_pre_tool(&[change("one", "a")]).notes.is_empty());
}

#[test]
fn a_block_without_a_reason_names_its_hook() {
    let mute =
        HookAnswer { hook: "lint".into(), decision: Some(HookDecision::Deny), ..HookAnswer::default() };
    let stop = combine_stop(&[mute.clone(), mute]);
    assert_eq!(stop.blocking, ["the hook `lint` gave no reason"]);
}

#[test]
fn blocking_and_prevention_stand_side_by_side() {
    let prevent = HookAnswer { prevent: Some("enough".into()), ..HookAnswer::default() };
    let stop = combine_stop(&[answer(Some(HookDecision::Deny), "tests fail"), prevent.clone()]);
    assert_eq!((stop.blocking, stop.prevent), (vec!["tests fail".to_owned()], Some("enough".to_owned())));
    assert_eq!(combine_user_prompt(std::slice::from_ref(&prevent)).blocked.as_deref(), Some("enough"));
    assert_eq!(combine_pre_tool(&[prevent]).verdict, PreVerdict::Deny);
}

#[test]
fn after_a_tool_an_objection_is_read_by_the_model() {
    let inject = HookAnswer { inject: Some("note".into()), ..HookAnswer::default() };
    let told = combine_told(&[answer(Some(HookDecision::Deny), "unformatted"), inject.clone(), inject]);
    assert_eq!(told.injects, ["unformatted", "note"]);
}
