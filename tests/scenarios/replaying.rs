//! Each story again, from its ledger alone: the loop makes the same requests and writes the same entries.

use std::collections::VecDeque;
use std::sync::Arc;

use countersign::hooks::{HookAnswer, HookCall};
use countersign::ledger::{Body, CallId, Entry, ModelRef};
use countersign::model::ModelSpec;
use countersign::recorded::{Outside, Played, Player, Tape};
use countersign::tool::{Invocation, Preparation};
use countersign::wire::record::{decode, encode};

use crate::player::StoryPlayer;
use crate::{halves, stories, story};

/// Stories that a ledger does not hold, and what is missing in it.
const NOT_REPEATABLE: &[(&str, &str)] = &[
    ("again_a_gap_is_closed", "a restart while a call waited is not recorded"),
    ("again_denied", "a restart while a call waited is not recorded"),
    ("again_edited_and_denied_early", "a restart while a call waited is not recorded"),
    ("again_in_the_sandbox", "a restart while a call waited is not recorded"),
    ("again_leads_elsewhere", "a restart while a call waited is not recorded"),
    ("again_never_looser", "a restart while a call waited is not recorded"),
    ("again_not_possible", "a restart while a call waited is not recorded"),
    ("answer_with_too_many_calls", "calls beyond the bound are recorded only in words"),
    ("background_command_lost_with_the_process", "a restart while a call waited is not recorded"),
    ("calls_parallel_limit", "entries of one instant"),
    ("compact_auto_fails", "how a summary failed for good is recorded only in words"),
    ("compact_by_hand_fails", "how a summary failed for good is recorded only in words"),
    ("compact_by_hand_refused_and_corrected", "how a summary failed for good is recorded only in words"),
    ("compact_by_hand_refused_seven_times", "how a summary failed for good is recorded only in words"),
    ("compact_by_hand_retried", "how a summary failed for good is recorded only in words"),
    ("compact_endless_summary", "how a summary failed for good is recorded only in words"),
    ("compact_overflow_in_half_the_window", "how a summary failed for good is recorded only in words"),
    ("compact_overflow_retried", "how a summary failed for good is recorded only in words"),
    ("compact_overflow_killed", "that a process died is played as an interruption by the user"),
    ("delegation_esc", "what Esc met before it left an entry is not recorded"),
    ("edit_esc_at_the_look", "what Esc met before it left an entry is not recorded"),
    ("edit_killed_before_the_look", "what Esc met before it left an entry is not recorded"),
    ("esc_after_the_tools_while_hooks_speak", "what Esc met before it left an entry is not recorded"),
    ("gaps_refused_while_calls_wait", "when a look came is not recorded"),
    ("goal_check_unattended", "who was there is inferred from the ending"),
    ("hooks_stop_esc", "what Esc met before it left an entry is not recorded"),
    ("kill_while_the_model_speaks", "that a process died is played as an interruption by the user"),
    ("lesson_of_a_summary", "how a summary failed for good is recorded only in words"),
    ("lesson_window", "what a stream counted before it failed is not recorded"),
    ("model_switched_to_a_smaller_window", "the window of a chosen model is not recorded"),
];

/// What looks and hooks said in the story.
struct StoryWorld {
    model: ModelSpec,
    found: Vec<(CallId, Preparation)>,
    said: VecDeque<Vec<HookAnswer>>,
}

impl Outside for StoryWorld {
    fn look(&mut self, call: &Invocation) -> Preparation {
        let at = self.found.iter().position(|(of, _)| *of == call.call);
        at.map(|at| self.found.remove(at).1).unwrap_or_default()
    }

    fn hooks(&mut self, _: &HookCall) -> Vec<HookAnswer> {
        self.said.pop_front().unwrap_or_default()
    }

    fn model(&mut self, model: &ModelRef) -> ModelSpec {
        ModelSpec { model: model.clone(), ..self.model.clone() }
    }
}

fn again(name: &str, told: &str) -> Option<(StoryPlayer, Played)> {
    let story = story(name, told);
    if story.awaits.is_some() {
        return None;
    }
    let player = StoryPlayer::play(&story).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut world = StoryWorld {
        model: story.settings.model.clone(),
        found: player.outside.found.clone(),
        said: player.outside.said.iter().cloned().collect(),
    };
    // As the session file keeps it.
    let kept: Vec<Arc<Entry>> =
        player.log.iter().map(|entry| Arc::new(decode(&encode(entry)).unwrap())).collect();
    let tape = Tape::of(&kept)?;
    let played = Player::new(story.settings.clone(), tape, &mut world).play();
    Some((player, played))
}

/// What the entries say, without notes and so without numbers of entries: some notes stand only in words.
fn bodies(entries: &[Arc<Entry>]) -> Vec<String> {
    let said = entries.iter().filter(|entry| !matches!(entry.body, Body::Note(_)));
    said.map(|entry| without_numbers(&format!("{:?}", entry.body))).collect()
}

fn without_numbers(text: &str) -> String {
    let mut parts = text.split("EntryId(");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + "e" + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[test]
fn a_story_is_played_again_from_its_ledger() {
    let mut wrong = Vec::new();
    let mut repeated = 0;
    for (name, text) in stories() {
        let Some((player, played)) = again(&name, halves(&text).0) else { continue };
        let requests: Vec<_> = played.requests.iter().map(|one| one.request.clone()).collect();
        let (was, is) = (bodies(&player.log), bodies(&played.entries));
        let first = was.iter().zip(&is).position(|(was, is)| was != is).unwrap_or(was.len().min(is.len()));
        let is_same = was == is && requests == player.outside.requested;
        let is_listed = NOT_REPEATABLE.iter().any(|(listed, _)| *listed == name);
        repeated += usize::from(is_same);
        if is_same == is_listed {
            let differs = |all: &[String]| all.get(first).cloned().unwrap_or_default();
            wrong.push(format!(
                "{name}: {} of {} requests, {:?}\n  was {}\n  is  {}",
                requests.iter().zip(&player.outside.requested).filter(|(a, b)| a == b).count(),
                player.outside.requested.len(),
                played.deviations,
                differs(&was),
                differs(&is),
            ));
        }
    }
    println!("{repeated} stories are the same again, {} are not", NOT_REPEATABLE.len());
    assert!(NOT_REPEATABLE.iter().all(|(name, why)| !why.is_empty() && !name.is_empty()) && repeated > 200);
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}
