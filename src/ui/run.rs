//! The loop of the screen: input first, then signals, then news of the agent; a frame only when something changed.

use std::io;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::StreamExt;
use futures_util::future::poll_fn;
#[cfg(debug_assertions)]
use ratatui::crossterm::event::KeyCode;
use ratatui::crossterm::event::{Event as Input, EventStream, KeyEventKind, MouseEventKind};
use ratatui::layout::Rect;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;

use crate::agent::{Event, Intent};
use crate::ledger::{Entry, Millis};
use crate::view::{View, ViewSettings};

use super::answers::{Answers, Heard};
use super::local::{Inspector, Local, Overlay};
use super::outcome::{UiError, UiOutcome};
use super::outside::{Outside, Takes};
use super::panes::{Layouts, Screen, draw, prepare};
use super::rebinding::Keymap;
use super::terminal::{Display, Guard, ask_background, redraw_all, screen, tell};
use super::text::highlight::Highlighter;
use super::theme::Theme;
use super::update::{Act, hear, mention, paste, update, wheel};
use super::vim::Vim;

/// The screen's ends of the channels to the agent.
#[derive(Debug)]
pub struct AppIo {
    /// What happens.
    pub events: mpsc::Receiver<Event>,
    /// What the user wants, Esc aside.
    pub intents: mpsc::Sender<Intent>,
    /// Esc, on its own channel, past all that is queued.
    pub abort: mpsc::Sender<()>,
}

/// Says which mentions stand for a paste, if it is nothing but the paths of images.
type Mentions = Box<dyn Fn(&str) -> Option<String> + Send>;

/// What the screen is told once.
pub struct UiSettings {
    /// What the view is told.
    pub view: ViewSettings,
    /// What it looks like.
    pub theme: Theme,
    /// Whether the terminal is asked for its background, which then chooses the theme.
    pub follows_background: bool,
    /// What the terminal takes beside the picture.
    pub takes: Takes,
    /// Whether the composer has a vim mode.
    pub vim: bool,
    /// What the keys mean.
    pub keymap: Keymap,
    /// Sent right after the first frame: a message, or a goal.
    pub first: Option<Intent>,
    /// A resumed or inspected session, folded before the first frame.
    pub history: Vec<Event>,
    /// What to know before the first message, such as how to connect a real model.
    pub notice: Option<String>,
    /// Only look: the ledger takes the whole screen.
    pub read_only: bool,
    /// Becomes true when the process must end: SIGTERM, SIGHUP.
    pub quit: watch::Receiver<bool>,
    /// How the model calls tools now, `native` or `string`: a server that refuses tools changes it.
    pub tools_mode: Box<dyn Fn() -> &'static str + Send>,
    /// An entry as it is recorded, as pretty JSON.
    pub entry_json: fn(&Entry) -> String,
    /// The mentions that stand for a paste, if it is nothing but the paths of images.
    pub mentions: Mentions,
}

/// The least time between two frames.
const FRAME: Duration = Duration::from_millis(8);
/// How often clocks move while a run is under way.
const TICK: Duration = Duration::from_secs(1);
/// How long the beginning of an answer of the terminal waits for the rest of it.
const ANSWER: Duration = Duration::from_millis(250);
/// Most events taken in between two frames.
const MOST_EVENTS: usize = 4_096;

/// Shows a session until the user leaves. The terminal is given back before it returns, and on a panic.
///
/// # Errors
/// [`UiError`] when the terminal cannot be taken.
pub async fn run(app: AppIo, settings: UiSettings) -> Result<UiOutcome, UiError> {
    let guard = Guard::enter().map_err(UiError::Terminal)?;
    let terminal = screen().map_err(UiError::Terminal)?;
    let wake = Arc::new(Notify::new());
    let mut quit = settings.quit.clone();
    let mut quit_open = true;
    let mut session = Session::new(app, settings, guard, terminal, Arc::clone(&wake));
    let mut inputs = EventStream::new();
    session.frame();
    if session.follows_background && ask_background().is_err() {
        session.outcome = Some(UiOutcome::TerminalGone);
    }
    session.send_first();
    while session.outcome.is_none() {
        let pause = session.pause();
        tokio::select! {
            biased;
            input = inputs.next() => session.input(input),
            told = quit.wait_for(|end| *end), if quit_open => match told {
                Ok(_) => session.outcome = Some(UiOutcome::Signalled),
                Err(_) => quit_open = false,
            },
            event = session.app.events.recv(), if session.listens => session.event(event),
            () = wake.notified() => session.dirty = true,
            () = tokio::time::sleep_until(pause.unwrap_or_else(Instant::now)), if pause.is_some() => session.tick(),
        }
        while session.outcome.is_none()
            && let Poll::Ready(input) = at_hand(&mut inputs).await
        {
            session.input(input);
        }
        session.drain();
        if session.dirty && session.drawn.elapsed() >= FRAME && session.outcome.is_none() {
            session.frame();
        }
    }
    Ok(session.outcome.unwrap_or(UiOutcome::Quit))
}

/// The input that is there already. It is asked for with the waker of this task: the stream keeps the waker of
/// whoever asked first, so one that does nothing would make it deaf.
async fn at_hand(inputs: &mut EventStream) -> Poll<Option<io::Result<Input>>> {
    poll_fn(|context| Poll::Ready(inputs.poll_next_unpin(context))).await
}

/// Everything the loop holds. Fields drop in order: the terminal is given back first, because the display would
/// panic when it cannot show the cursor of a terminal that is gone.
struct Session {
    app: AppIo,
    view: View,
    local: Local,
    layouts: Layouts,
    theme: Theme,
    follows_background: bool,
    outside: Outside,
    answers: Answers,
    /// When a key was last held back as the beginning of an answer.
    held: Instant,
    highlighter: Highlighter,
    tools_mode: Box<dyn Fn() -> &'static str + Send>,
    entry_json: fn(&Entry) -> String,
    mentions: Mentions,
    first: Option<Intent>,
    outcome: Option<UiOutcome>,
    /// Whether the agent may still say something.
    listens: bool,
    dirty: bool,
    drawn: Instant,
    /// How long after a frame the next one is due without news.
    tick: Duration,
    guard: Guard,
    terminal: Display,
}

impl Session {
    fn new(app: AppIo, settings: UiSettings, guard: Guard, terminal: Display, wake: Arc<Notify>) -> Self {
        let mut local = Local::new(&settings.view);
        local.notice = settings.notice;
        local.keymap = settings.keymap;
        local.vim = Vim::new(settings.vim);
        local.read_only = settings.read_only;
        local.overlay = settings.read_only.then(|| Overlay::Ledger(Inspector::default()));
        let mut view = View::new(settings.view);
        for event in &settings.history {
            view.fold(event);
        }
        view.resume();
        Self {
            app,
            view,
            local,
            layouts: Layouts::default(),
            theme: settings.theme,
            follows_background: settings.follows_background,
            outside: Outside::new(settings.takes),
            answers: Answers::default(),
            held: Instant::now(),
            highlighter: Highlighter::new(Box::new(move || wake.notify_one())),
            tools_mode: settings.tools_mode,
            entry_json: settings.entry_json,
            mentions: settings.mentions,
            first: settings.first,
            outcome: None,
            listens: true,
            dirty: true,
            drawn: Instant::now(),
            tick: TICK,
            guard,
            terminal,
        }
    }

    /// When to wake without news: for the next frame if one is due, for the clocks while something runs, for keys
    /// that were held back.
    fn pause(&self) -> Option<Instant> {
        let settled = self.answers.holds().then(|| self.held + ANSWER);
        let frame = if self.dirty {
            Some(self.drawn + FRAME)
        } else if self.view.status.is_busy() && self.view.meter().is_ticking() {
            Some(self.drawn + self.tick)
        } else {
            None
        };
        [settled, frame].into_iter().flatten().min()
    }

    fn tick(&mut self) {
        self.dirty = true;
        if self.answers.holds() && self.held.elapsed() >= ANSWER {
            let heard = self.answers.give_up();
            self.keys(heard);
        }
    }

    /// What a person has typed, and what the terminal has said about itself.
    fn keys(&mut self, heard: Heard) {
        if let Some(ground) = heard.ground.filter(|_| self.follows_background)
            && let Some(theme) = Theme::builtin(ground.theme())
        {
            self.theme = theme;
        }
        for key in heard.keys {
            #[cfg(debug_assertions)]
            break_on_purpose(key.code);
            for act in update(&mut self.local, &self.view, key) {
                self.act(act);
            }
        }
    }

    fn input(&mut self, input: Option<io::Result<Input>>) {
        self.dirty = true;
        let acts = match input {
            Some(Ok(Input::Key(key))) if key.kind == KeyEventKind::Release => Vec::new(),
            Some(Ok(Input::Key(key))) => {
                self.held = Instant::now();
                let heard = self.answers.take(key);
                self.keys(heard);
                Vec::new()
            }
            Some(Ok(Input::Paste(text))) => {
                match (self.mentions)(&text) {
                    Some(words) => mention(&mut self.local, &self.view, &words),
                    None => paste(&mut self.local, &self.view, &text),
                }
                Vec::new()
            }
            Some(Ok(Input::Mouse(mouse))) => {
                match mouse.kind {
                    MouseEventKind::ScrollUp => wheel(&mut self.local, -3),
                    MouseEventKind::ScrollDown => wheel(&mut self.local, 3),
                    _ => {}
                }
                Vec::new()
            }
            Some(Ok(seen @ (Input::FocusGained | Input::FocusLost))) => {
                self.outside.focus(seen == Input::FocusGained);
                Vec::new()
            }
            Some(Ok(Input::Resize(..))) => Vec::new(),
            Some(Err(_)) | None => {
                self.outcome = Some(UiOutcome::TerminalGone);
                Vec::new()
            }
        };
        for act in acts {
            self.act(act);
        }
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Quit => self.outcome = Some(UiOutcome::Quit),
            Act::Abort => {
                // A full channel holds an Esc already.
                if let Err(TrySendError::Closed(())) = self.app.abort.try_send(()) {
                    self.agent_gone();
                }
            }
            Act::Send(intent) => self.send(intent),
            Act::Suspend => {
                self.outside.forget();
                let back = self.guard.suspend().and_then(|()| redraw_all(&mut self.terminal));
                if back.is_err() {
                    self.outcome = Some(UiOutcome::TerminalGone);
                }
            }
        }
    }

    fn send(&mut self, intent: Intent) {
        match self.app.intents.try_send(intent) {
            Ok(()) => {}
            Err(TrySendError::Closed(_)) => self.agent_gone(),
            Err(TrySendError::Full(intent)) => {
                self.local.hint =
                    Some("not taken: the agent has not read what came before; try again".to_owned());
                self.local.answered.clear();
                if let Intent::Submit(said) | Intent::Queue(said) = intent {
                    self.local.composer.give_back(&said.content);
                }
            }
        }
    }

    fn send_first(&mut self) {
        if let Some(wish) = self.first.take() {
            self.send(wish);
        }
    }

    /// An inspector has no agent to lose.
    fn agent_gone(&mut self) {
        self.listens = false;
        if !self.local.read_only {
            self.outcome = Some(UiOutcome::AgentGone);
        }
    }

    fn event(&mut self, event: Option<Event>) {
        let Some(event) = event else { return self.agent_gone() };
        self.dirty = true;
        self.view.tick(now());
        if let Event::Live(live) = &event {
            hear(&mut self.local, live);
        }
        self.view.fold(&event);
    }

    /// Takes in what waits, so that a burst costs one frame.
    fn drain(&mut self) {
        for _ in 0..MOST_EVENTS {
            match self.app.events.try_recv() {
                Ok(event) => self.event(Some(event)),
                Err(mpsc::error::TryRecvError::Empty | mpsc::error::TryRecvError::Disconnected) => return,
            }
        }
    }

    fn frame(&mut self) {
        let now = now();
        self.view.settings.tools_mode = (self.tools_mode)();
        let drawn = self.terminal.autoresize().and_then(|()| self.terminal.size()).and_then(|size| {
            let area = Rect::new(0, 0, size.width, size.height);
            let Self { layouts, view, local, theme, highlighter, .. } = self;
            prepare(layouts, view, local, theme, highlighter, area, now);
            let screen = Screen { view, local, theme, layouts, now, entry_json: self.entry_json };
            self.terminal.draw(|frame| draw(frame, &screen)).map(|_| ())
        });
        let drawn = drawn.and_then(|()| tell(&self.outside.news(&self.view)));
        if drawn.is_err() {
            self.outcome = Some(UiOutcome::TerminalGone);
        }
        self.dirty = false;
        self.drawn = Instant::now();
        self.tick = self.view.status.counts_in(now).map_or(TICK, Duration::from_millis);
    }
}

/// F12 breaks something if the environment says what: tests of debug builds look at what a panic leaves behind.
#[cfg(debug_assertions)]
#[expect(clippy::panic, reason = "this is what it is for")]
fn break_on_purpose(key: KeyCode) {
    if key != KeyCode::F(12) {
        return;
    }
    match std::env::var("COUNTERSIGN_BREAKS").as_deref() {
        Ok("screen") => panic!("the screen, on purpose"),
        Ok("task") => drop(tokio::spawn(async { panic!("a task, on purpose") })),
        _ => {}
    }
}

/// The wall clock, which entries carry too.
fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
