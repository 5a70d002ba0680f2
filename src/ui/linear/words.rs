//! Numbers, times and sums as they are spoken: nothing is cut short, no sign stands for a word.

use crate::budget::{Gauge, Limit, Unit};
use crate::ledger::{Ending, EntryId, MicroDollars, Reach, TurnEnded, grouped, seconds};
use crate::view::View;

/// `1 line`, `2,000 lines`.
pub(in crate::ui) fn count(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{} {what}s", grouped(n)) }
}

/// Milliseconds: `3 ms`, `3.2 s`, `2 min 5 s`.
pub(in crate::ui) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => seconds(ms),
        _ => format!("{} min {} s", ms / 60_000, ms / 1_000 % 60),
    }
}

/// How long a run took, and what of its time is not in that.
pub(super) fn took(view: &View, end: EntryId, ended: &TurnEnded) -> String {
    let took = duration(ended.wall_ms);
    match view.waited_ms(end) {
        0..1_000 => took,
        waited => format!("{took} (without {} in which calls waited for you)", duration(waited)),
    }
}

/// What was paid, if that is known.
pub(in crate::ui) fn cost(paid: Option<MicroDollars>) -> String {
    paid.map_or_else(|| "unknown".to_owned(), |paid| paid.to_string())
}

/// What a run has cost, behind what else it took; nothing of one that asked no model for anything.
pub(in crate::ui) fn paid(ended: &TurnEnded) -> String {
    let usage = ended.usage;
    let asked_nothing = ended.turns == 0 && usage.input == 0 && usage.output == 0 && usage.cost.is_none();
    if asked_nothing { String::new() } else { format!(", cost {}", cost(usage.cost)) }
}

/// How far an interrupted run came.
pub(in crate::ui) fn interrupted(view: &View, end: EntryId) -> String {
    let reach = view.reach(end);
    if view.ended_elsewhere(end) {
        "not known".to_owned()
    } else if view.ended_own_command(end) && matches!(reach, Reach::CutShort) {
        "your command was stopped".to_owned()
    } else {
        format!("interrupted, {}", reach.words())
    }
}

/// What can be done after a run.
pub(in crate::ui) fn next(view: &View, end: EntryId, ended: &TurnEnded) -> &'static str {
    let is_interrupted = matches!(ended.reason, Ending::AbortedTools | Ending::AbortedStreaming);
    if view.ended_elsewhere(end) {
        Ending::ENDED_ELSEWHERE
    } else if is_interrupted && view.ended_own_command(end) {
        "Send a message, or run another command."
    } else {
        ended.what_next()
    }
}

/// A limit's value in its own unit.
pub(in crate::ui) fn amount(limit: Option<Limit>, value: u64) -> String {
    match limit.map(Limit::unit) {
        Some(Unit::Things(word)) => count(value, word),
        Some(Unit::Seconds) => count(value, "second"),
        Some(Unit::Tokens) => count(value, "token"),
        Some(Unit::MicroDollars) => MicroDollars(value).to_string(),
        None => grouped(value),
    }
}

/// `12 turns of 50 turns used, 38 turns left`
pub(in crate::ui) fn used(Gauge { name, used, limit, set_aside }: Gauge) -> String {
    let write = |value| amount(Limit::parse(name), value);
    let held = match set_aside {
        0 => String::new(),
        held => format!(", {} set aside for agents", write(held)),
    };
    match limit {
        None => format!("{} used, no limit{held}", write(used)),
        Some(limit) if used >= limit => format!("{} of {} used, used up", write(used), write(limit)),
        Some(limit) => {
            let left = (limit - used).saturating_sub(set_aside);
            format!("{} of {} used{held}, {} left", write(used), write(limit), write(left))
        }
    }
}

/// Words that were made for a screen, without the signs that are read aloud as their names.
pub(in crate::ui) fn plain(words: &str) -> String {
    let words = words.replace(" \u{b7} ", ", ").replace(" \u{2192} ", " to ");
    words.replace('\u{2212}', "-").replace('\u{2026}', "...")
}

/// All on one line.
pub(super) fn one_line(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spoken_whole() {
        let said = [0, 1_500, 2_345_678].map(|micro| cost(Some(MicroDollars(micro))));
        assert_eq!(said, ["$0.00", "$0.0015", "$2.35"]);
        assert_eq!([duration(3), duration(3_200), duration(125_000)], ["3 ms", "3.2 s", "2 min 5 s"]);
        assert_eq!(amount(Some(Limit::Turns), 1), "1 turn");
        assert_eq!(amount(Some(Limit::Cost), 2_500_000), "$2.50");
        assert_eq!(plain("ok \u{b7} +3 \u{2212}1"), "ok, +3 -1");
        assert_eq!(plain("c1 \u{2192} general"), "c1 to general");
    }
}
