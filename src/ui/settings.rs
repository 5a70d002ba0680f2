//! What the screen is told once, and its ends of the channels.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use crate::agent::{Event, Intent};
use crate::ledger::{Entry, Millis, UserMessage};
use crate::view::ViewSettings;

use super::composer::KillBuffer;
use super::host_services::HostServices;
use super::interrupts::Interrupts;
use super::mention::PastedImage;
use super::rebinding::Keymap;
use super::reply::Reply;
use super::request::Request;
use super::terminal_integration::Takes;
use super::theme::Theme;

/// The screen's ends of the channels to the agent.
pub struct AppIo {
    /// What happens.
    pub events: mpsc::Receiver<Event>,
    /// What the user wants, except Esc.
    pub requests: mpsc::Sender<Request>,
    /// What the session answers.
    pub replies: mpsc::Receiver<Reply>,
    /// Esc, on its own channel, past all that is queued.
    pub abort: mpsc::Sender<()>,
    /// The clock by which entries are dated: it never jumps.
    pub now: Now,
}

/// Says what time it is, as entries say it.
pub type Now = Box<dyn Fn() -> Millis + Send>;

/// Says which images stand for a paste, if it is nothing but their paths.
pub(super) type Mentions = Box<dyn Fn(&str) -> Option<Vec<PastedImage>> + Send>;

/// What the screen is told once.
pub struct UiSettings {
    /// What the view is told.
    pub view: ViewSettings,
    /// What it looks like.
    pub theme: Theme,
    /// Whether the terminal is asked for its background.
    pub asks_background: bool,
    /// Whether that then chooses the theme.
    pub follows_background: bool,
    /// What the terminal takes beside the picture.
    pub takes: Takes,
    /// Whether a sign moves while something goes on.
    pub motion: bool,
    /// Whether the composer has a vim mode.
    pub vim: bool,
    /// Whether a command of the user's writes the status line.
    pub has_status_line: bool,
    /// What the keys mean.
    pub keymap: Keymap,
    /// Sent right after the first frame: a message, or a goal.
    pub first: Option<Intent>,
    /// What the composer holds at first.
    pub draft: UserMessage,
    /// What was deleted last in the session before, and then in this one.
    pub killed: KillBuffer,
    /// The images of the clipboard that are still there, also from sessions before this one.
    pub pasted: Vec<PastedImage>,
    /// A resumed or inspected session, folded before the first frame.
    pub history: Vec<Event>,
    /// What to know before the first message, such as how to connect a real model.
    pub notice: Option<String>,
    /// What is said until the next key.
    pub message: Option<String>,
    /// Only look: the ledger takes the whole screen.
    pub read_only: bool,
    /// The entries that are played, if it is a session of the past.
    pub replay: Option<Vec<Arc<Entry>>>,
    /// Becomes true when the process must end: SIGTERM, SIGHUP.
    pub quit: watch::Receiver<bool>,
    /// What ends it too, except while the user's editor has the terminal. Without one, `quit` says that as well.
    pub interrupts: Option<Interrupts>,
    /// An entry as it is recorded, as pretty JSON.
    pub entry_json: fn(&Entry) -> String,
    /// The images that stand for a paste, if it is nothing but their paths.
    pub mentions: Mentions,
    /// What only whoever runs the screen knows.
    pub errands: HostServices,
}

impl UiSettings {
    /// A screen that only shows: nothing is sent, nothing is found out later.
    pub fn of_the_past(
        view: ViewSettings,
        theme: Theme,
        quit: watch::Receiver<bool>,
        entry_json: fn(&Entry) -> String,
    ) -> Self {
        Self {
            view,
            theme,
            asks_background: false,
            follows_background: false,
            takes: Takes::default(),
            motion: true,
            vim: false,
            has_status_line: false,
            keymap: Keymap::default(),
            first: None,
            draft: UserMessage::default(),
            killed: KillBuffer::default(),
            pasted: Vec::new(),
            history: Vec::new(),
            notice: None,
            message: None,
            read_only: false,
            replay: None,
            quit,
            interrupts: None,
            entry_json,
            mentions: Box::new(|_| None),
            errands: HostServices::default(),
        }
    }
}
