//! Whether a window has room: for what every request contains, for a message beside that, and for an answer.

use crate::ledger::grouped;
use crate::model::ModelSpec;

/// The fewest tokens that are asked for as an answer, however little room a window leaves.
pub const LEAST_ANSWER: u64 = 256;
/// No model that works with tools has a smaller window: a number below it is a mistake, and the provider has the last word.
pub const LEAST_WINDOW: u64 = 512;
/// Most tokens of a summary.
pub const SUMMARY_TOKENS: u64 = 4_096;

/// What does not fit into a window, and what to do about it.
pub type NoRoom = (String, String);

/// Why nothing can be asked of a model: its window is too small for what every request contains (`fixed` tokens) and an answer.
/// `None`: there is room.
pub fn no_room_at_all(spec: &ModelSpec, fixed: u64) -> Option<NoRoom> {
    let ModelSpec { model, window, .. } = spec;
    if fixed.saturating_add(LEAST_ANSWER) <= *window {
        return None;
    }
    // What helps stands behind it, and on a low screen both have a few short rows.
    let what = format!(
        "The context window of {model} ({} tokens) is too small: the instructions and tools take about {}, an answer {LEAST_ANSWER}",
        grouped(*window),
        grouped(fixed),
    );
    Some((what, larger_window(spec)))
}

/// The same, and why a message of so many tokens cannot be sent to it: it does not fit beside that.
pub fn no_room_for_message(spec: &ModelSpec, fixed: u64, said: u64) -> Option<NoRoom> {
    let ModelSpec { model, window, .. } = spec;
    let none = no_room_at_all(spec, fixed);
    if none.is_some() || fixed.saturating_add(said).saturating_add(LEAST_ANSWER) <= *window {
        return none;
    }
    let room = window.saturating_sub(fixed.saturating_add(LEAST_ANSWER));
    // What to do comes before the numbers: on a low screen two short rows are all there is.
    let what = "The message does not fit into the context window".to_owned();
    let next = format!(
        "shorten it (about {} tokens; {model} has room for {} of its {}), or put the text into a file and write its path \
         without @, so that the model reads it in parts; or {}",
        grouped(said),
        grouped(room),
        grouped(*window),
        larger_window(spec)
    );
    Some((what, next))
}

/// The same of a model, and why there is hardly any: beside what every request contains and a summary, the window is as full as it
/// is when the conversation is summarised (`percent` of it), so that nothing said would stay.
pub fn little_room(spec: &ModelSpec, fixed: u64, percent: u64) -> Option<NoRoom> {
    let ModelSpec { model, window, .. } = spec;
    let full = window / 100 * percent.min(100);
    let needed = fixed.saturating_add(SUMMARY_TOKENS.min(window / 8)).saturating_add(LEAST_ANSWER);
    no_room_at_all(spec, fixed).or_else(|| {
        let what = format!(
            "The context window of {model} ({} tokens) has little room: the instructions and tools of every request take \
             about {} tokens, and the conversation is summarised at {} (loop.compact_at_percent)",
            grouped(*window),
            grouped(fixed),
            grouped(full),
        );
        (needed > full).then(|| (what, larger_window(spec)))
    })
}

/// What helps where a window is too small.
fn larger_window(spec: &ModelSpec) -> String {
    let name = spec.model.to_string();
    format!(
        "choose a model with a larger window (/model, or -m); if this one has more, let its server use it, or set `window` in \
         [models.{name:?}]; shorter files of instructions and fewer MCP servers need less"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::ModelRef;

    fn spec(window: u64) -> ModelSpec {
        ModelSpec { window, ..ModelSpec::unknown(ModelRef::parse("near/small")) }
    }

    #[test]
    fn a_window_that_is_too_small_is_named_with_both_sizes_and_the_key() {
        let (what, next) = no_room_at_all(&spec(3_000), 2_800).unwrap();
        for wanted in ["near/small", "(3,000 tokens)", "about 2,800", "an answer 256"] {
            assert!(what.contains(wanted), "{what}");
        }
        assert!(next.contains("`window` in [models.\"near/small\"]") && next.contains("/model"), "{next}");
        assert_eq!(no_room_at_all(&spec(3_056), 2_800), None, "that is exactly enough");
    }

    #[test]
    fn a_message_that_does_not_fit_beside_the_rest_is_named_with_its_size() {
        let (what, next) = no_room_for_message(&spec(8_000), 2_800, 5_000).unwrap();
        assert_eq!(what, "The message does not fit into the context window");
        let sizes = "shorten it (about 5,000 tokens; near/small has room for 4,944 of its 8,000), or ";
        assert!(next.starts_with(sizes) && next.contains("[models.\"near/small\"]"), "{next}");
        assert_eq!(no_room_for_message(&spec(8_000), 2_800, 4_944), None);
        assert_eq!(no_room_for_message(&spec(3_000), 2_800, 1), no_room_at_all(&spec(3_000), 2_800));
    }

    #[test]
    fn a_window_in_which_nothing_said_would_stay_has_little_room() {
        assert_eq!(little_room(&spec(128_000), 2_800, 80), None);
        let (what, _) = little_room(&spec(4_000), 2_800, 80).unwrap();
        assert!(what.contains("little room") && what.contains("summarised at 3,200"), "{what}");
        assert!(little_room(&spec(2_000), 2_800, 80).unwrap().0.contains("too small"));
    }
}
