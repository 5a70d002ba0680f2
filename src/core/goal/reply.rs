//! What the model answered at a checkpoint: lines of `name: value`, forgiving of the marks that models put around them.

use crate::ledger::Progress;

/// Reads the answers out of a message. What was not said stays open; the message itself is in the ledger.
pub fn read_reply(checkpoint: u32, text: &str) -> Progress {
    let mut said = Progress { checkpoint, ..Progress::default() };
    for line in text.lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = plain(value);
        match plain(name).to_lowercase().as_str() {
            "objective" | "objective valid" | "objective still valid" => {
                said.objective_valid = yes_or_no(value)
            }
            "done" | "done condition" | "done condition met" => said.done = yes_or_no(value),
            "blocked" | "blocker" if !is_nothing(value) => said.blocked = Some(value.to_owned()),
            "plan" | "current plan" | "next" => value.clone_into(&mut said.plan),
            "progress" | "evidence" => value.clone_into(&mut said.progress),
            _ => {}
        }
    }
    // Asked one question, many models answer it with one word.
    if said.done.is_none() && text.split_whitespace().count() <= 3 {
        said.done = yes_or_no(plain(text));
    }
    said
}

fn plain(text: &str) -> &str {
    text.trim()
        .trim_start_matches(|c: char| c.is_ascii_digit() || "-*•.>#`)( ".contains(c))
        .trim_matches(['*', '`', ' ', '_'])
}

fn yes_or_no(text: &str) -> Option<bool> {
    let word: String = text.chars().take_while(|c| c.is_alphanumeric()).collect();
    match word.to_lowercase().as_str() {
        "yes" | "true" | "met" | "done" => Some(true),
        "no" | "not" | "false" => Some(false),
        _ => None,
    }
}

fn is_nothing(value: &str) -> bool {
    let value = value.trim_matches(['.', '-', '—', ' ']).to_lowercase();
    value.is_empty() || matches!(value.as_str(), "no" | "none" | "nothing" | "n/a" | "not blocked" | "false")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_read_with_the_marks_that_models_add() {
        let said = read_reply(
            2,
            "Here is where I stand.\n- **objective:** yes\n2. `done`: no, two tests fail\n* blocked: none\nPLAN: mend the \
             lexer: first line 41\nprogress: one of three mended",
        );
        let expected = Progress {
            checkpoint: 2,
            objective_valid: Some(true),
            done: Some(false),
            blocked: None,
            plan: "mend the lexer: first line 41".to_owned(),
            progress: "one of three mended".to_owned(),
        };
        assert_eq!(said, expected);
    }

    #[test]
    fn a_blocker_is_kept_and_one_word_is_an_answer() {
        assert_eq!(read_reply(1, "blocked: which database?").blocked.as_deref(), Some("which database?"));
        assert_eq!(read_reply(1, "Yes.").done, Some(true));
        assert_eq!(read_reply(1, "no").done, Some(false));
        assert_eq!(read_reply(1, "Yes, I will now go on with the second file").done, None);
        assert_eq!(read_reply(1, "").done, None);
    }
}
