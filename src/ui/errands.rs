//! What the screen asks of whoever runs it: sessions to go on with, models, themes, what was said elsewhere.

use futures_util::future::{BoxFuture, ready};
use tokio::sync::watch;

use super::local::{Local, Overlay};
use super::offer::Undo;
use super::picker::{Choice, Item, Picker};
use super::source::Source;
use super::theme::Theme;

/// A session of this folder that one can go on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// Its id.
    pub id: String,
    /// What was said first.
    pub words: String,
    /// When, and how it ended.
    pub aside: String,
}

/// A text in the user's editor.
pub type Editing = BoxFuture<'static, Result<String, String>>;

/// What there is of this name.
type Named<T> = Box<dyn Fn(&str) -> T + Send>;

/// Who answers the screen's questions.
pub struct Errands {
    /// What was sent in earlier sessions of this folder, oldest first; comes when it has been read.
    pub prompts: watch::Receiver<Vec<String>>,
    /// The other sessions of this folder, newest first.
    pub sessions: Box<dyn Fn() -> Vec<Elsewhere> + Send>,
    /// The last lines of the session of this id.
    pub preview: Named<Vec<String>>,
    /// What an undo would do, or why there is none.
    pub undo: Undo,
    /// Opens the user's editor on a text and returns the new one, or why there is none.
    pub editor: Box<dyn Fn(String) -> Editing + Send>,
    /// The names of the themes.
    pub theme_names: Vec<String>,
    /// The theme of this name, as this terminal can show it.
    pub theme: Named<Option<Theme>>,
}

impl Default for Errands {
    /// Nobody answers.
    fn default() -> Self {
        Self {
            prompts: watch::channel(Vec::new()).1,
            sessions: Box::new(Vec::new),
            preview: Box::new(|_| Vec::new()),
            undo: Box::new(|_| Err("nothing can be undone here".to_owned())),
            editor: Box::new(|_| Box::pin(ready(Err("there is no editor here".to_owned())))),
            theme_names: Vec::new(),
            theme: Box::new(|_| None),
        }
    }
}

impl Errands {
    /// Fills a picker that the screen cannot fill itself and lays it on top.
    pub(super) fn pick(&self, local: &mut Local, source: Source, models: Vec<(String, String)>, theme: &str) {
        let item = |words: String, aside: String, choice| Item { words, aside, choice };
        let items = match source {
            Source::Sessions => {
                (self.sessions)().into_iter().map(|s| item(s.words, s.aside, Choice::Session(s.id))).collect()
            }
            Source::Models => models
                .into_iter()
                .map(|(name, about)| item(name.clone(), about, Choice::Model(name)))
                .collect(),
            Source::Themes => {
                let names = self.theme_names.iter();
                names.map(|name| item(name.clone(), String::new(), Choice::Theme(name.clone()))).collect()
            }
            Source::Palette | Source::Prompts | Source::Rewind | Source::Grants | Source::Undo => Vec::new(),
        };
        let mut picker = Picker::new(source, items);
        if source == Source::Themes {
            picker.before = theme.to_owned();
            picker.chosen = picker.items.iter().position(|item| item.words == theme).unwrap_or(0);
        }
        local.overlay = Some(Overlay::Picker(picker));
    }

    /// Before a frame: what has been read meanwhile, and the last words of the chosen session, read once.
    pub(super) fn refresh(&mut self, local: &mut Local) {
        let read = self.prompts.borrow_and_update();
        if read.has_changed() {
            local.earlier.clone_from(&read);
        }
        drop(read);
        if let Some(Overlay::Picker(picker)) = &mut local.overlay
            && let Some(Item { choice: Choice::Session(id), .. }) = picker.current()
            && picker.preview.as_ref().is_none_or(|(of, _)| of != id)
        {
            let id = id.clone();
            let said = (self.preview)(&id);
            picker.preview = Some((id, said));
        }
    }
}
