//! A recorded change in words: the call, who allowed it, the message that asked, the model and what that cost.

use crate::config::models::dollars;
use crate::session::blame::WrittenBy;
use crate::session::other_sessions::{first_words, when};

/// Characters of the message that asked.
pub(super) const MOST_OF_MESSAGE: usize = 100;
/// Characters of anything else.
pub(super) const MOST: usize = 160;

/// All that is known of a change, a line each.
pub(in crate::cli) fn described(by: &WrittenBy) -> String {
    let call = by.call.map(|call| format!("  {call}")).unwrap_or_default();
    let mut told = format!("  session {}  {}{call}\n", first_words(&by.session, MOST), by.entry);
    let action = format!("{} {}", by.tool, by.action);
    told.push_str(&format!("  {}  {}\n", when(by.at), first_words(&action, MOST)));
    if let Some(decided) = &by.decided {
        told.push_str(&format!("  {}\n", first_words(&decided.words(), MOST)));
    }
    if let Some((entry, words)) = &by.message {
        told.push_str(&format!("  asked for in {entry}: {}\n", first_words(words, MOST_OF_MESSAGE)));
    }
    if let Some(answer) = &by.answer {
        let cost =
            by.cost().map_or_else(|| "price unknown".to_owned(), |cost| format!("${}", dollars(cost.0)));
        let model = first_words(&answer.model.to_string(), MOST);
        told.push_str(&format!("  by {model} in {}: {cost}\n", answer.id));
    }
    told
}
