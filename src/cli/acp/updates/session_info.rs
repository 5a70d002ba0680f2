//! `session_info_update`: what the session is called.

use serde_json::{Value, json};

use crate::cli::acp::methods::session_list::TITLE;
use crate::session::other_sessions::first_words;

/// The name, or the first words.
pub(in crate::cli::acp) fn title(words: &str) -> Value {
    json!({ "sessionUpdate": "session_info_update", "title": first_words(words, TITLE) })
}
