//! What is sent of what is typed.

/// What is sent of a text: its blank ends are not. A blank before `!` is: without it, the words would be a command when they come back.
pub(super) fn said(whole: &str) -> &str {
    let bare = whole.trim();
    let blank = whole.char_indices().take_while(|(_, c)| c.is_whitespace()).last().map(|(at, _)| at);
    match blank.filter(|_| bare.starts_with('!')) {
        Some(at) => whole.get(at..).unwrap_or(bare).trim_end(),
        None => bare,
    }
}
