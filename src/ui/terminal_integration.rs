//! What the terminal is told beside the picture: its title, how it goes on, and a call for a person who looks elsewhere.

use crate::view::{Phase, View};

use super::graphics::Protocol;
use super::text::{fit, sanitize};

/// How a person who looks elsewhere is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Call {
    /// Not at all.
    #[default]
    Off,
    /// By the bell.
    Bell,
    /// By a notification of the desktop (OSC 9).
    Desktop,
}

/// What the terminal takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Takes {
    /// A title (OSC 2).
    pub title: bool,
    /// Progress (OSC 9;4): terminals that do not know it would show it as a notification.
    pub progress: bool,
    /// How a person is called.
    pub call: Call,
    /// Pictures.
    pub images: Option<Protocol>,
    /// Links (OSC 8).
    pub links: bool,
    /// Whether it gives us the mouse, and keeps no selection of its own.
    pub mouse: bool,
}

/// Most cells of the folder in a title.
const FOLDER: usize = 40;

/// Ends a sequence.
const END: &str = "\x1b\\";

/// What is going on, as far as the outside is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Doing {
    /// Nothing has run yet.
    #[default]
    Nothing,
    Works,
    /// So many calls wait for a decision.
    Waits(usize),
    Done,
}

/// What was told last.
#[derive(Debug)]
pub(super) struct TerminalIntegration {
    takes: Takes,
    /// Terminals that do not tell count as looked at.
    looked_at: bool,
    doing: Doing,
    /// Whether the title and the progress say that already.
    told: bool,
}

impl TerminalIntegration {
    pub(super) fn new(takes: Takes) -> Self {
        Self { takes, looked_at: true, doing: Doing::Nothing, told: false }
    }

    /// The window got or lost the focus.
    pub(super) fn focus(&mut self, has: bool) {
        self.looked_at = has;
    }

    /// The terminal was given back and taken again: it knows nothing any more.
    pub(super) fn forget(&mut self) {
        self.told = false;
    }

    /// What is to be written now; nothing while nothing changes.
    pub(super) fn news(&mut self, view: &View) -> String {
        let doing = match view.status.phase {
            _ if view.has_guests() => Doing::Waits(view.waiting().len()),
            Phase::WaitingApproval => Doing::Waits(view.waiting().len()),
            Phase::Idle if self.doing == Doing::Nothing => Doing::Nothing,
            Phase::Idle => Doing::Done,
            Phase::AwaitingModel
            | Phase::DispatchingTools
            | Phase::Discovering
            | Phase::AskingHooks(_)
            | Phase::Compacting(_)
            | Phase::Retrying { .. } => Doing::Works,
        };
        let before = std::mem::replace(&mut self.doing, doing);
        if before == doing && self.told {
            return String::new();
        }
        self.told = true;
        let folder = folder(&view.settings.cwd);
        let mut news = String::new();
        if self.takes.title {
            let word = word(doing).map(|word| format!(" · {word}")).unwrap_or_default();
            news += &format!("\x1b]2;countersign · {folder}{word}{END}");
        }
        if self.takes.progress {
            news += progress(doing);
        }
        let calls = match (before, doing) {
            (Doing::Waits(before), Doing::Waits(now)) => now > before,
            (_, Doing::Waits(_)) => true,
            (before, Doing::Done) => before != Doing::Done,
            (_, Doing::Nothing | Doing::Works) => false,
        };
        if calls && !self.looked_at {
            news += &self.call(view, doing, &folder);
        }
        news
    }

    fn call(&self, view: &View, doing: Doing, folder: &str) -> String {
        let what = match (doing, view.waiting().last(), view.last_end()) {
            (Doing::Waits(_), Some((_, request)), _) => format!("waits for you: {}", plain(&request.name)),
            (Doing::Done, _, Some(ended)) => format!("done: {}", ended.reason.as_str()),
            _ => "done".to_owned(),
        };
        match self.takes.call {
            Call::Off => String::new(),
            Call::Bell => "\x07".to_owned(),
            Call::Desktop => format!("\x1b]9;countersign · {folder} {what}{END}"),
        }
    }
}

fn word(doing: Doing) -> Option<&'static str> {
    match doing {
        Doing::Nothing => None,
        Doing::Works => Some("working"),
        Doing::Waits(_) => Some("waits"),
        Doing::Done => Some("done"),
    }
}

/// It moves while it works, stands as paused while it waits, and is gone otherwise.
fn progress(doing: Doing) -> &'static str {
    match doing {
        Doing::Works => "\x1b]9;4;3\x1b\\",
        Doing::Waits(_) => "\x1b]9;4;4;100\x1b\\",
        Doing::Nothing | Doing::Done => "\x1b]9;4;0\x1b\\",
    }
}

/// The last part of a path, made safe: a folder can be called anything.
fn folder(path: &str) -> String {
    let last = path.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty());
    fit(&plain(last.unwrap_or("/")), FOLDER)
}

/// A text without anything that could end the sequence in which it stands.
fn plain(text: &str) -> String {
    sanitize(text).chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_short_and_safe() {
        for (path, name) in [("~/src/thing", "thing"), ("/", "/"), ("~", "~"), ("/a/b/", "b")] {
            assert_eq!(folder(path), name);
        }
        let hostile = folder("/tmp/a\x1b]0;b\x07c\u{9c}d");
        assert!(!hostile.contains(char::is_control) && hostile.contains('c'), "{hostile:?}");
        assert!(folder(&"long ".repeat(50)).chars().count() <= FOLDER);
    }

    #[test]
    fn each_state_has_a_word_and_a_progress_of_its_own() {
        let states = [Doing::Nothing, Doing::Works, Doing::Waits(1), Doing::Done];
        let words: Vec<_> = states.into_iter().map(word).collect();
        assert_eq!(words, [None, Some("working"), Some("waits"), Some("done")]);
        assert!(states.into_iter().all(|state| progress(state).starts_with("\x1b]9;4;")));
    }
}
