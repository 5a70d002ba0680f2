//! What only whoever runs the screen can do: the user's editor, themes by name, what was said in earlier sessions.

use std::sync::Arc;

use crate::ledger::{Entry, UserMessage};
use futures_util::future::{BoxFuture, ready};
use tokio::sync::watch;

use super::commands::sent_earlier;
use super::local::{Local, Overlay};
use super::picker::{Choice, Item, Picker};
use super::picker_keys;
use super::picker_source::Source;
use super::theme::Theme;
use crate::view::View;

/// A text in the user's editor.
pub type Editing = BoxFuture<'static, Result<String, String>>;

/// What there is of this name.
pub type Named<T> = Box<dyn Fn(&str) -> T + Send>;

/// A session of the past, as it is kept.
#[derive(Debug)]
pub struct PastSession {
    /// Its entries.
    pub entries: Vec<Arc<Entry>>,
    /// What is wrong first with its file, in a sentence, if anything is: it may not say what was recorded.
    pub damage: Option<String>,
}

/// Who answers the screen's questions.
pub struct HostServices {
    /// What was sent in earlier sessions of this folder, oldest first; `None` until it has been read.
    pub prompts: watch::Receiver<Option<Vec<UserMessage>>>,
    /// Opens the user's editor on a text and returns the new one, or why there is none.
    pub editor: Box<dyn Fn(String) -> Editing + Send>,
    /// The last rows that the background command of this id has printed.
    pub printed: Named<Vec<String>>,
    /// The session of this id, or why it cannot be read.
    pub past: Named<Result<PastSession, String>>,
    /// The names of the themes.
    pub theme_names: Vec<String>,
    /// The branches of the repository around the folder.
    pub branches: Vec<String>,
    /// The theme of this name, as this terminal can show it, or why there is none.
    pub theme: Named<Result<Theme, String>>,
}

impl Default for HostServices {
    /// Nobody answers.
    fn default() -> Self {
        Self {
            prompts: watch::channel(Some(Vec::new())).1,
            editor: Box::new(|_| Box::pin(ready(Err("no editor is available here".to_owned())))),
            printed: Box::new(|_| Vec::new()),
            past: Box::new(|id| Err(format!("session {id} cannot be read here"))),
            theme_names: Vec::new(),
            branches: Vec::new(),
            theme: Box::new(|name| Err(format!("no theme is called {name}"))),
        }
    }
}

impl HostServices {
    /// Lays the themes on top, to pick from.
    pub(super) fn pick_theme(&self, local: &mut Local, theme: &str) {
        let names = self.theme_names.iter();
        let item = |name: &String| Item {
            words: name.clone(),
            aside: String::new(),
            choice: Choice::Theme(name.clone()),
        };
        let mut picker = Picker::new(Source::Themes, names.map(item).collect());
        picker.before = theme.to_owned();
        picker.chosen = picker.items.iter().position(|item| item.words == theme).unwrap_or(0);
        local.overlay = Some(Overlay::Picker(picker));
    }

    /// Before a frame: what has been read meanwhile.
    pub(super) fn refresh(&mut self, local: &mut Local, view: &View) {
        if local.known_names.themes.is_empty() {
            local.known_names.themes.clone_from(&self.theme_names);
            local.known_names.branches.clone_from(&self.branches);
        }
        let read = self.prompts.borrow_and_update();
        let is_news = local.is_reading_earlier || read.has_changed();
        local.is_reading_earlier = read.is_none();
        if let Some(read) = read.as_ref().filter(|_| is_news) {
            local.earlier = sent_earlier(read, view);
            picker_keys::fill_prompts(local, view);
        }
        // Also of those that are over: their last rows are still there, and are what one looks for.
        local.printed.clear();
        if local.overlay.is_some() {
            let shells = view.shells().iter();
            local.printed.extend(shells.map(|shell| (shell.id.clone(), (self.printed)(&shell.id))));
        }
        // An id names a command of this session alone, and can come again after a restart: only what ran here counts.
        let is_outermost = local.lineage.is_empty();
        for shell in view.shells().iter().filter(|_| is_outermost) {
            let key = (shell.id.clone(), shell.since);
            if shell.is_running {
                local.printed_to_end.entry(key).or_default();
            } else if let Some(rows) = local.printed_to_end.get_mut(&key).filter(|rows| rows.is_empty()) {
                *rows = (self.printed)(&shell.id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::commands::{Review, review};
    use super::*;
    use crate::view::ViewSettings;

    fn view() -> View {
        View::new(ViewSettings::unknown())
    }

    #[test]
    fn what_was_sent_in_earlier_sessions_comes_back_as_it_was_typed() {
        let Review { command, message } = review(Some("main"));
        let sent = ["hello".to_owned(), format!("!{command}"), message, "/help me".to_owned()];
        let (prompts, read) = watch::channel(None);
        let mut services = HostServices { prompts: read, ..HostServices::default() };
        let mut local = Local::new();
        services.refresh(&mut local, &view());
        assert!(local.is_reading_earlier);
        prompts.send(Some(sent.map(UserMessage::text).to_vec())).unwrap();
        services.refresh(&mut local, &view());
        let typed: Vec<&str> = local.earlier.iter().map(|message| message.content.as_str()).collect();
        assert_eq!(typed, ["hello", "/review --base main", "//help me"]);
        assert!(!local.is_reading_earlier);
    }

    #[test]
    fn a_list_of_earlier_messages_opens_before_they_are_read_and_is_filled() {
        let (prompts, read) = watch::channel(None);
        let mut services = HostServices { prompts: read, ..HostServices::default() };
        let mut local = Local::new();
        services.refresh(&mut local, &view());
        picker_keys::open(&mut local, &view(), Source::Prompts);
        let Some(Overlay::Picker(picker)) = &mut local.overlay else { panic!("{:?}", local.hint) };
        assert!(picker.is_awaited && picker.items.is_empty());
        picker.type_in("se");
        prompts.send(Some(["first", "second"].map(UserMessage::text).to_vec())).unwrap();
        services.refresh(&mut local, &view());
        let Some(Overlay::Picker(picker)) = &local.overlay else { panic!("it closed") };
        let words: Vec<&str> = picker.items.iter().map(|item| item.words.as_str()).collect();
        assert_eq!((words, picker.query.as_str(), picker.is_awaited), (vec!["second", "first"], "se", false));
        assert_eq!(picker.current().map(|item| item.words.as_str()), Some("second"));
    }
}
