//! One of many: a list that is narrowed by typing, for commands, earlier messages, sessions, models and themes.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::agent::SubagentPath;
use crate::ledger::{CallId, EntryId, Millis, UserMessage};
use crate::model::Effort;
use crate::policy::Mode;
use crate::view::View;

use super::chip_text::with_chips;
use super::composer::cut_last;
use super::fuzzy;
use super::keymap::{KeyAction, KeyContext, lookup};
use super::picker_source::Source;
use super::reply::PreviewPart;
pub use super::rewind_way::RewindWay;
use super::undo_preview::{UndoPreview, ago, said_by_user};

/// What picking a line does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// What this key does in this place.
    Key(KeyContext, KeyAction, KeyEvent),
    /// This slash command, which needs nothing behind it.
    Slash(&'static str),
    /// The beginning of a command, to be completed in the composer.
    Begin(&'static str),
    /// This text into the composer.
    Prompt(UserMessage),
    /// Go on with the session of this id.
    Session(String),
    /// Have the sub-agents at the ends of these paths of calls stop and settle.
    StopSubagents(Vec<SubagentPath>),
    /// Ask this model from now on.
    Model(String),
    /// Change the mode.
    Mode(Mode),
    /// Have the models think this hard.
    Effort(Option<Effort>),
    /// Wear this theme.
    Theme(String),
    /// Go back to before this message.
    Rewind(EntryId),
    /// In this way.
    RewindBy(EntryId, RewindWay),
    /// Put files back, as it is shown.
    Restore {
        /// The first call that is taken back.
        since: CallId,
        /// What is shown, file by file.
        shown: Vec<(String, String)>,
        /// The message to go back to before, when that is done.
        rewinds: Option<EntryId>,
    },
    /// Take back what was granted for the session with this call.
    Revoke(CallId),
    /// Do not let commands in the sandbox reach this host any more.
    CloseHost(String),
    /// Ask again about what the sandbox cannot hide.
    RefuseGaps,
    /// Stop this background command.
    StopShell(String),
    /// Show the session of the sub-agent that these calls lead to.
    Enter(Vec<CallId>),
    /// Show the card of this call.
    Reveal(CallId),
    /// The same of a call whose sub-agent waits for its turn, and that there is no session of it yet.
    RevealWaiting(CallId),
    /// Nothing, and why.
    Nothing(String),
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it is, which is searched.
    pub words: String,
    /// What stands at the right, which is searched too: a key, a date.
    pub aside: String,
    /// What picking it does.
    pub choice: Choice,
}

impl Item {
    /// Whether it is none of those that are listed, but takes several of them.
    pub fn is_of_several(&self) -> bool {
        matches!(&self.choice, Choice::StopSubagents(paths) if paths.len() > 1)
    }

    /// What people call it: the command, or the first word.
    fn name(&self) -> &str {
        let command = self.aside.split_whitespace().find(|word| word.starts_with('/'));
        command.or_else(|| self.words.split_whitespace().next()).unwrap_or_default()
    }
}

/// The list, what was typed to narrow it, and the chosen line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picker {
    /// What is picked from.
    pub source: Source,
    /// What is in it was asked for and is not here yet.
    pub is_awaited: bool,
    /// What was typed.
    pub query: String,
    /// All lines.
    pub items: Vec<Item>,
    /// The chosen line among those that fit.
    pub chosen: usize,
    /// The name of what is in force, to go back to.
    pub before: String,
    /// What cannot be picked, and why: told below the lines.
    pub left_out: Vec<String>,
    /// The id of the chosen session, and what was said and done last in it.
    pub preview: Option<(String, Vec<PreviewPart>)>,
    /// The message to go back to before, when what is shown is done.
    pub rewinds: Option<EntryId>,
    /// It is a step of going back to before a message.
    pub is_rewind: bool,
    /// So many lines from the first one on have been in sight.
    pub seen: usize,
    /// What is said of the last key, instead of the keys.
    pub said: Option<&'static str>,
}

/// What a key did to a picker.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It is narrowed or moved.
    Stays,
    /// It is closed.
    Leaves,
    /// This line was taken.
    Takes(Choice),
}

impl Picker {
    /// A picker over these lines.
    pub fn new(source: Source, items: Vec<Item>) -> Self {
        let (query, before) = (String::new(), String::new());
        Self {
            source,
            is_awaited: false,
            query,
            items,
            chosen: 0,
            before,
            left_out: Vec::new(),
            preview: None,
            rewinds: None,
            is_rewind: false,
            seen: 0,
            said: None,
        }
    }

    /// A picker whose lines were asked for.
    pub fn awaited(source: Source) -> Self {
        Self { is_awaited: true, ..Self::new(source, Vec::new()) }
    }

    /// What can go back to before a message.
    pub fn rewind_by(message: EntryId) -> Self {
        let lines = RewindWay::ALL.map(|way| {
            let (words, aside) = way.words();
            let choice = Choice::RewindBy(message, way);
            Item { words: words.to_owned(), aside: aside.to_owned(), choice }
        });
        Self::new(Source::RewindWay, lines.to_vec())
    }

    /// The user's messages, the newest first, and how long ago each was said.
    pub fn rewind(view: &View, now: Millis) -> Self {
        let items = said_by_user(view).into_iter().rev();
        let items = items.map(|said| Item {
            words: with_chips(said.message, &view.settings),
            aside: ago(now.since(said.at)),
            choice: Choice::Rewind(said.id),
        });
        Self::new(Source::Rewind, items.collect())
    }

    /// The modes, beginning at the one in force. The one that asks about nothing is only typed. What a sub-agent does not get says why.
    pub fn modes(view: &View) -> Self {
        let modes = [Mode::Plan, Mode::Ask, Mode::Edit, Mode::Auto];
        let items = modes.map(|mode| {
            let refused = view.session.mode_above.and_then(|above| mode.refused_below(above));
            let aside = if refused.is_some() { "looser than the session above" } else { "" };
            Item {
                words: format!("{:<6}{}", mode.as_str(), mode.allows()),
                aside: aside.to_owned(),
                choice: refused.map_or(Choice::Mode(mode), Choice::Nothing),
            }
        });
        let chosen = modes.iter().position(|mode| *mode == view.session.mode).unwrap_or(0);
        Self { chosen, ..Self::new(Source::Modes, items.to_vec()) }
    }

    /// The efforts, beginning at the one in force.
    pub fn efforts(view: &View) -> Self {
        let efforts: Vec<Option<Effort>> =
            [None].into_iter().chain(Effort::ALL.iter().copied().map(Some)).collect();
        let item = |effort: &Option<Effort>| Item {
            words: effort.map_or("default", Effort::as_str).to_owned(),
            aside: if effort.is_none() { "as the vendor thinks best".to_owned() } else { String::new() },
            choice: Choice::Effort(*effort),
        };
        let chosen = efforts.iter().position(|effort| *effort == view.session.effort).unwrap_or(0);
        Self { chosen, ..Self::new(Source::Efforts, efforts.iter().map(item).collect()) }
    }

    /// What was granted for the session, each with its call.
    pub fn grants(view: &View) -> Self {
        let items = view.permissions().revocable().into_iter().map(|(call, words)| Item {
            words: words.trim_end().replace('\n', " \u{21b5} "),
            aside: call.to_string(),
            choice: Choice::Revoke(call),
        });
        let hosts = view.session.hosts.iter().map(|host| Item {
            words: format!("reach {host} from the sandbox"),
            aside: String::new(),
            choice: Choice::CloseHost(host.clone()),
        });
        let gaps = view.session.gaps.first().map(|_| Item {
            words: "run in the sandbox although it cannot hide everything".to_owned(),
            aside: String::new(),
            choice: Choice::RefuseGaps,
        });
        Self::new(Source::Grants, items.chain(hosts).chain(gaps).collect())
    }

    /// The commands that run in the background.
    pub fn shells(view: &View) -> Self {
        let running = view.shells().iter().filter(|shell| shell.is_running);
        let items = running.map(|shell| Item {
            words: shell.command.trim_end().replace('\n', " \u{21b5} "),
            aside: shell.id.clone(),
            choice: Choice::StopShell(shell.id.clone()),
        });
        Self::new(Source::Shells, items.collect())
    }

    /// What an undo would do: a line that does it, or says why it is not done, above a line a file, and
    /// a line a command whose changes stay.
    pub fn undo(offer: UndoPreview, rewinds: Option<EntryId>, view: &View) -> Self {
        let choice = match offer.refused() {
            Some(why) => Choice::Nothing(why),
            None => Choice::Restore { since: offer.since, shown: offer.files.clone(), rewinds },
        };
        let aside = if offer.is_refused { "nothing is done" } else { "y" };
        let first = Item { words: offer.words(view), aside: aside.to_owned(), choice: choice.clone() };
        let commands = offer.commands.into_iter().map(|command| (command, UndoPreview::STAYS.to_owned()));
        let lines = offer.files.into_iter().chain(commands);
        let lines = lines.map(|(words, aside)| Item { words, aside, choice: choice.clone() });
        Self::new(Source::Undo, std::iter::once(first).chain(lines).collect())
    }

    /// Going back to before a message, after which no file was changed.
    pub fn conversation_alone(message: EntryId) -> Self {
        let words = "take back the conversation; no file was changed since then".to_owned();
        let choice = Choice::RewindBy(message, RewindWay::Conversation);
        let items = vec![Item { words, aside: "y".to_owned(), choice }];
        Self { is_rewind: true, ..Self::new(Source::Undo, items) }
    }

    /// Earlier messages, given oldest first: the newest stands first, each once.
    pub fn prompts<'a>(earlier: impl DoubleEndedIterator<Item = &'a UserMessage>) -> Self {
        let mut seen = std::collections::BTreeSet::new();
        let items =
            earlier.rev().filter(|message| seen.insert(message.content.clone())).map(|message| Item {
                words: message.pastes.titled(&message.content),
                aside: String::new(),
                choice: Choice::Prompt(message.clone()),
            });
        Self::new(Source::Prompts, items.collect())
    }

    /// What stands above it.
    pub fn title(&self) -> &'static str {
        if self.is_rewind { "rewind" } else { self.source.title() }
    }

    /// The positions of the lines that fit, best first.
    pub fn fitting(&self) -> Vec<usize> {
        let texts: Vec<String> = self.items.iter().map(|i| format!("{} {}", i.words, i.aside)).collect();
        fuzzy::fitting(&self.query, self.items.iter().map(Item::name).zip(texts.iter().map(String::as_str)))
    }

    /// The chosen line, among those that fit.
    pub fn place(&self) -> usize {
        self.chosen.min(self.fitting().len().saturating_sub(1))
    }

    /// The chosen line.
    pub fn current(&self) -> Option<&Item> {
        let fitting = self.fitting();
        let at = self.chosen.min(fitting.len().saturating_sub(1));
        fitting.get(at).and_then(|at| self.items.get(*at))
    }

    /// Whether this is the model that answers now.
    pub fn is_current(&self, item: &Item) -> bool {
        matches!(&item.choice, Choice::Model(name) if *name == self.before)
    }

    /// Types text that came whole.
    pub(super) fn type_in(&mut self, text: &str) {
        if self.source == Source::Undo {
            return;
        }
        self.query.push_str(&text.replace(['\n', '\r'], " "));
        self.chosen = 0;
    }

    /// Moves the choice by so many lines.
    pub(super) fn go(&mut self, by: i32) {
        let last = self.fitting().len().saturating_sub(1);
        let here = i64::try_from(self.chosen.min(last)).unwrap_or(0);
        self.chosen = usize::try_from((here + i64::from(by)).max(0)).unwrap_or(0).min(last);
    }

    /// Whether each of its lines has been in sight.
    pub fn is_read(&self) -> bool {
        self.seen >= self.items.len()
    }

    /// Lines that come into sight. What was skipped has not been seen, nor what is behind it.
    pub(super) fn shows(&mut self, lines: std::ops::Range<usize>) {
        if lines.start <= self.seen {
            self.seen = self.seen.max(lines.end);
        }
    }

    /// Brings the next lines in sight that have not been, if there are some.
    pub(super) fn read_on(&mut self) {
        if !self.is_read() {
            self.chosen = self.seen;
        }
    }

    /// One key; `page` is how many lines a page moves by.
    pub(super) fn press(&mut self, key: KeyEvent, page: i32) -> Step {
        self.said = None;
        let plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        if self.source == Source::Undo && plain && matches!(key.code, KeyCode::Char(_)) {
            return self.answer(key.code);
        }
        match (lookup(KeyContext::Picker, key), key.code) {
            (Some(KeyAction::Escape | KeyAction::Close), _) => return Step::Leaves,
            (Some(KeyAction::Open), _) => return self.take(),
            (Some(KeyAction::Up), _) => self.go(-1),
            (Some(KeyAction::Down), _) => self.go(1),
            (Some(KeyAction::PageUp), _) => self.go(-page),
            (Some(KeyAction::PageDown), _) => self.go(page),
            (Some(KeyAction::Empty), _) => self.type_over(String::new()),
            (_, KeyCode::Backspace) => {
                let mut shorter = self.query.clone();
                cut_last(&mut shorter);
                self.type_over(shorter);
            }
            (_, KeyCode::Char(c)) if plain => self.type_over(format!("{}{c}", self.query)),
            _ => {}
        }
        Step::Stays
    }

    /// The first call that taking a line takes back, where a line does that.
    pub(super) fn restores(&self) -> Option<CallId> {
        match self.items.first()?.choice {
            Choice::Restore { since, .. } => Some(since),
            _ => None,
        }
    }

    /// Takes the chosen line.
    fn take(&self) -> Step {
        match self.current() {
            Some(item) => Step::Takes(item.choice.clone()),
            None => Step::Stays,
        }
    }

    /// A letter where there is a yes or a no, and nothing to be narrowed.
    fn answer(&self, key: KeyCode) -> Step {
        match key {
            KeyCode::Char('y') => self.take(),
            KeyCode::Char('n' | 'q') => Step::Leaves,
            _ => Step::Stays,
        }
    }

    fn type_over(&mut self, query: String) {
        self.query = query;
        self.chosen = 0;
    }
}
