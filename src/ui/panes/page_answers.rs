//! What can be answered on the page of a call, in the order of its box.

use crate::ledger::{ApprovalRequest, Sandboxing};
use crate::ui::text::width;
use crate::view::Panel;

use super::answers::ITS_SESSION;

/// A key, or the letters of some, and what it does.
type KeyWord = (String, &'static str);

/// The answers in the longest words that have room; where none has, in the shortest. What is allowed to a sub-agent holds in its session
/// alone.
pub(super) fn lay(asked: &ApprovalRequest, panel: Option<&Panel>, room: usize) -> Vec<KeyWord> {
    let is_below = panel.is_some_and(|panel| panel.asked_by.is_some());
    let is_fixed = panel.is_some_and(Panel::is_goal_check);
    let mut all = vec![("y", "once")];
    all.extend((!asked.gaps.is_empty()).then_some(("g", "anyway, this session")));
    all.push(("s", if is_below { ITS_SESSION } else { "session" }));
    all.extend(asked.rule.is_some().then_some(("a", "always")));
    all.push(("n", "deny"));
    all.extend((asked.sandboxing == Sandboxing::OnWish).then_some(("b", "sandbox")));
    all.push(("r", "reason"));
    all.extend((!is_fixed).then_some(("e", "edit")));
    in_room(&all, room)
}

/// Cells of keys and their words, with two behind each.
pub(super) fn cells_of<K: AsRef<str>>(pairs: &[(K, &str)]) -> usize {
    let cells = |(key, word): &(K, &str)| {
        let blank = usize::from(!word.is_empty());
        width(key.as_ref()) + blank + width(word) + 2
    };
    pairs.iter().map(cells).sum()
}

fn in_room(all: &[(&'static str, &'static str)], room: usize) -> Vec<KeyWord> {
    let whole: Vec<KeyWord> = all.iter().map(|(key, word)| ((*key).to_owned(), *word)).collect();
    let ways = [whole, briefly(all, "anyway, this session")];
    ways.into_iter().find(|way| cells_of(way) <= room).unwrap_or_else(|| briefly(all, "anyway"))
}

/// Words for what decides at once, the letters alone for all else.
fn briefly(all: &[(&'static str, &'static str)], anyway: &'static str) -> Vec<KeyWord> {
    let mut brief: Vec<KeyWord> = Vec::new();
    for (key, word) in all.iter().copied() {
        let word = match key {
            "y" | "n" => word,
            "g" => anyway,
            _ => "",
        };
        match brief.last_mut() {
            Some((letters, before)) if word.is_empty() && before.is_empty() => {
                letters.push(' ');
                letters.push_str(key);
            }
            _ => brief.push((key.to_owned(), word)),
        }
    }
    brief
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_stays_where_there_is_no_room_for_words() {
        let anyway = "anyway, this session";
        let all = [
            ("y", "once"),
            ("g", anyway),
            ("s", "session"),
            ("a", "always"),
            ("n", "deny"),
            ("b", "sandbox"),
            ("r", "reason"),
            ("e", "edit"),
        ];
        let laid = |room: usize| {
            let said = |(key, word): &KeyWord| format!("{key} {word}").trim_end().to_owned();
            in_room(&all, room).iter().map(said).collect::<Vec<_>>().join("  ")
        };
        let whole =
            "y once  g anyway, this session  s session  a always  n deny  b sandbox  r reason  e edit";
        assert_eq!(laid(width(whole) + 2), whole);
        assert_eq!(laid(width(whole) + 1), "y once  g anyway, this session  s a  n deny  b r e");
        assert_eq!(laid(40), "y once  g anyway  s a  n deny  b r e");
    }
}
