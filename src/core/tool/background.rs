//! How it stands with a background command, as the last line of a result says it.
//!
//! The line is written by the tools and read by the view: the ledger holds it, so what the view shows is durable.

use crate::ledger::BackgroundStatus;

/// What the last line of a result says, and the result without it; `None` when it says nothing of the kind. Only
/// the last line counts: what a command prints stands before it.
pub fn background_status(content: &str) -> Option<(BackgroundStatus, &str)> {
    let (before, last) = content.rsplit_once('\n').unwrap_or(("", content));
    let (id, words) = last.strip_prefix('[')?.strip_suffix(']')?.split_once(": ")?;
    BackgroundStatus::number_of(id)?;
    let is_running = words.starts_with("running");
    let status = BackgroundStatus { id: id.to_owned(), is_running, is_lost: false, words: words.to_owned() };
    Some((status, before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        for said in [BackgroundStatus::running(12, 3), BackgroundStatus::ended(1, "exit code 0", 70)] {
            let content = format!("out\n[b9: running for 1 s]\n{}", said.line());
            assert_eq!(background_status(&content), Some((said.clone(), "out\n[b9: running for 1 s]")));
            assert_eq!(background_status(&said.line()), Some((said, "")));
        }
        for other in ["", "out", "[b1: running", "[c1: running]", "[b: x]", "[b+1: x]", "[b1: running]\nout"]
        {
            assert_eq!(background_status(other), None, "{other}");
        }
    }
}
