//! Slash commands: what a text that begins with a slash means, and what to say when it means nothing.

use crate::goal;
use crate::ledger::{CallId, Goal};
use crate::model::Effort;
use crate::policy::Mode;

use super::source::Source;
use super::theme::resembling;

/// A command typed in the composer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Slash {
    /// Show the budgets.
    Budgets,
    /// Replace what was said by a summary.
    Compact,
    /// Pursue this goal.
    Goal(Box<Goal>),
    /// Take up the last goal, with these words.
    ResumeGoal(String),
    /// Show the keys.
    Help,
    /// Open the ledger.
    Ledger,
    /// How hard the models are to think; `None`: as each vendor thinks best.
    Effort(Option<Effort>),
    /// From now on, the model of this name.
    Model(String),
    /// From now on, this mode.
    Mode(Mode),
    /// Show the rules in force.
    Permissions,
    /// Take back what was granted for the session with this call.
    Revoke(CallId),
    /// Show the model's to-do list.
    Plan,
    /// Leave.
    Quit,
    /// Show what taking back the last turn's changes of files would do.
    Undo,
    /// Show the background commands.
    Shells,
    /// A list to pick from.
    Pick(Source),
    /// Put this theme on.
    Theme(String),
    /// Search in the transcript.
    Find(String),
}

/// The commands as they are typed, and what they do.
pub const KNOWN: [(&str, &str); 17] = [
    ("/budgets", "the budgets: used, limit, left"),
    ("/compact", "replace what was said by a summary"),
    ("/effort", "LEVEL: none, minimal, low, medium, high, xhigh, max or default"),
    ("/find", "in the transcript; or: WORDS"),
    ("/goal", "OBJECTIVE | check: COMMAND, until it exits with 0; or: resume"),
    ("/help", "these keys"),
    ("/ledger", "the ledger, entry by entry"),
    ("/mode", "NAME: plan, ask, edit, auto or unrestricted"),
    ("/model", "the models, to pick from; or: NAME, as in PROVIDER/MODEL"),
    ("/permissions", "the rules in force, what each last matched; or: revoke, to take a grant back"),
    ("/plan", "the model's to-do list, item by item"),
    ("/quit", "leave"),
    ("/rewind", "pick a message: take back what was done to files since"),
    ("/sessions", "the sessions of this folder, to go on with one"),
    ("/shells", "the commands that run in the background"),
    ("/theme", "the themes, to pick from; or: NAME"),
    ("/undo", "take back what the last turn that changed files did to them"),
];

/// What a text means: `None` when it is a message like any other. Two slashes at the beginning, or a path, are words
/// for the model.
///
/// # Errors
/// Why it means nothing, in one line.
pub fn read(text: &str) -> Option<Result<Slash, String>> {
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if !word.starts_with('/') || word.matches('/').count() > 1 {
        return None;
    }
    Some(command(word, rest.trim()))
}

fn command(word: &str, rest: &str) -> Result<Slash, String> {
    let known = match word {
        "/budgets" => Slash::Budgets,
        "/compact" => Slash::Compact,
        "/effort" => return effort_of(rest),
        "/goal" if rest.is_empty() => return Err(format!("/goal {}", goal::USAGE)),
        "/goal" => return goal_of(rest),
        "/help" => Slash::Help,
        "/ledger" => Slash::Ledger,
        "/model" if rest.is_empty() => Slash::Pick(Source::Models),
        "/model" if rest.contains(char::is_whitespace) => return Err(MODEL.to_owned()),
        "/model" => return Ok(Slash::Model(rest.to_owned())),
        "/mode" if rest.is_empty() => return Err(MODES.to_owned()),
        "/mode" => return Mode::parse(rest).map(Slash::Mode),
        "/permissions" if !rest.is_empty() => return revoked(rest),
        "/permissions" => Slash::Permissions,
        "/plan" => Slash::Plan,
        "/quit" => Slash::Quit,
        "/rewind" => Slash::Pick(Source::Rewind),
        "/undo" => Slash::Undo,
        "/sessions" => Slash::Pick(Source::Sessions),
        "/shells" => Slash::Shells,
        "/theme" if rest.is_empty() => Slash::Pick(Source::Themes),
        "/find" => return Ok(Slash::Find(rest.to_owned())),
        "/theme" => return Ok(Slash::Theme(rest.to_owned())),
        _ => return Err(unknown(word)),
    };
    if rest.is_empty() { Ok(known) } else { Err(format!("{word} stands alone: nothing may follow it")) }
}

/// What to say of a word that is no command.
fn unknown(word: &str) -> String {
    let names = || KNOWN.into_iter().map(|(name, _)| name);
    let begun: Vec<&str> = names().filter(|name| name.starts_with(word)).collect();
    if begun.len() > 1 && begun.len() < KNOWN.len() {
        return format!("{word} can become {} · /help lists them all", begun.join(", "));
    }
    match resembling(word, names()) {
        Some(near) => format!("no command is called {word}: did you mean {near}? · /help lists them all"),
        None => format!("no command is called {word} · /help lists them all"),
    }
}

/// Whether a command needs something behind its name, by what is said of it: that begins in capitals.
pub(super) fn takes_more(words: &str) -> bool {
    let is_capital = |word: &str| word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_punctuation());
    words.split(' ').next().is_some_and(|word| word.len() > 1 && is_capital(word))
}

/// `revoke`, and the call with which something was granted: `c4`, or `4`.
fn revoked(text: &str) -> Result<Slash, String> {
    let mut words = text.split_whitespace();
    let call = |word: &str| CallId::parse(word).or_else(|| word.parse().ok().map(CallId));
    match (words.next(), words.next(), words.next()) {
        (Some("revoke"), None, None) => Ok(Slash::Pick(Source::Grants)),
        (Some("revoke"), Some(word), None) => call(word).map(Slash::Revoke).ok_or_else(|| REVOKES.to_owned()),
        _ => Err(REVOKES.to_owned()),
    }
}

/// How `/permissions` is used with something behind it.
const REVOKES: &str = "/permissions revoke, or with the call that granted it, as in /permissions revoke c4";

/// A level, or the vendor's own choice.
fn effort_of(text: &str) -> Result<Slash, String> {
    match text {
        "" => Err(EFFORTS.to_owned()),
        "default" => Ok(Slash::Effort(None)),
        level => Effort::parse(level).map(|level| Slash::Effort(Some(level))),
    }
}

/// How `/effort` is used.
const EFFORTS: &str = "/effort none | minimal | low | medium | high | xhigh | max | default";

/// How `/model` is used.
const MODEL: &str = "/model takes one name, as in PROVIDER/MODEL";

/// A new goal, or the last one again.
fn goal_of(text: &str) -> Result<Slash, String> {
    let (word, words) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if word == "resume" {
        return Ok(Slash::ResumeGoal(words.trim().to_owned()));
    }
    goal::read(text).map(|goal| Slash::Goal(Box::new(goal)))
}

/// How `/mode` is used.
const MODES: &str = "/mode plan | ask | edit | auto | unrestricted";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_word_is_a_command() {
        for (word, _) in KNOWN {
            let text = match word {
                "/mode" => "/mode plan",
                "/effort" => "/effort high",
                "/goal" => "/goal fix it | check: make test",
                word => word,
            };
            assert!(matches!(read(text), Some(Ok(_))), "{word}");
        }
        assert_eq!(read(" /mode  edit "), Some(Ok(Slash::Mode(Mode::Edit))));
    }

    #[test]
    fn what_is_no_command_says_what_there_is() {
        for (text, near) in [("/hlep", "/help"), ("/bugdets", "/budgets"), ("/plann", "/plan")] {
            let Some(Err(why)) = read(text) else { unreachable!("{text}") };
            assert!(why.contains(&format!("did you mean {near}?")), "{why}");
        }
        assert!(matches!(read("/p"), Some(Err(why)) if why.contains("/p can become /permissions, /plan")));
        for text in ["/", "/foo", "/Compact", "/foo bar", "/compac"] {
            let Some(Err(why)) = read(text) else { unreachable!("{text}") };
            assert!(why.contains("/help"), "{why}");
        }
        assert_eq!(read("/effort default"), Some(Ok(Slash::Effort(None))));
        assert_eq!(read("/model  a/b:c "), Some(Ok(Slash::Model("a/b:c".to_owned()))));
        assert_eq!(read("/model"), Some(Ok(Slash::Pick(Source::Models))));
        assert_eq!(read("/model a b"), Some(Err(MODEL.to_owned())));
        assert!(matches!(read("/effort much"), Some(Err(why)) if why.contains("xhigh")));
        for text in ["/permissions revoke c4", "/permissions revoke 4"] {
            assert_eq!(read(text), Some(Ok(Slash::Revoke(CallId(4)))));
        }
        assert_eq!(read("/permissions revoke"), Some(Ok(Slash::Pick(Source::Grants))));
        for text in ["/permissions now", "/permissions revoke it", "/permissions revoke c4 c5"] {
            assert_eq!(read(text), Some(Err(REVOKES.to_owned())));
        }
        assert_eq!(read("/mode"), Some(Err(MODES.to_owned())));
        assert!(matches!(read("/goal"), Some(Err(why)) if why.contains("check:")));
        assert!(matches!(read("/goal fix it"), Some(Err(why)) if why.contains("done condition")));
        assert_eq!(read("/goal resume now"), Some(Ok(Slash::ResumeGoal("now".to_owned()))));
        assert!(matches!(read("/mode fast"), Some(Err(why)) if why.contains("unrestricted")));
        assert!(matches!(read("/quit now"), Some(Err(_))));
    }

    #[test]
    fn paths_and_words_are_sent() {
        for text in ["", "why /compact?", "//compact", "/etc/hosts is odd", "/usr/bin", "a/b"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
