//! What the loop of the screen holds, what it does with news, and each frame.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use crate::agent::{Event, Intent};
use crate::ledger::{CallId, Entry, Millis};
use crate::tool::Typed;
use crate::ui::frame_pacing::{FramePacing, Unseen};
use crate::ui::gone_images;
use crate::ui::graphics::Pictures;
use crate::ui::host_services::{Editing, HostServices};
use crate::ui::key_timing::KeyTiming;
use crate::ui::local::{Inspector, Local, Overlay, RuleToKeep};
use crate::ui::outcome::UiOutcome;
use crate::ui::panes::{Layouts, MOVES_EVERY, Screen, draw, prepare};
use crate::ui::pasted_words;
use crate::ui::pointer::pull;
use crate::ui::replay_keys::Replay;
use crate::ui::replies::{reply, wanted_preview};
use crate::ui::reply::Reply;
use crate::ui::request::Request;
use crate::ui::rewinding;
use crate::ui::settings::{AppIo, Mentions, UiSettings};
use crate::ui::status_line::StatusLine;
use crate::ui::terminal::{Display, Guard, cell_size, show, tell, with_next_frame};
use crate::ui::terminal_integration::TerminalIntegration;
use crate::ui::terminal_replies::TerminalReplies;
use crate::ui::text::highlight::Highlighter;
use crate::ui::theme::Theme;
use crate::ui::theme::background::Background;
use crate::ui::update::hear;
use crate::ui::vim::Vim;
use crate::view::View;

use super::behind::Behind;
use super::player::Player;

/// How often clocks move while a run is under way.
const TICK: Duration = Duration::from_secs(1);
/// How often what background commands print is looked at while their page is open.
const WATCHED: Duration = Duration::from_millis(250);
/// How often a drag that is held beyond an edge moves the window on.
const PULL: Duration = Duration::from_millis(60);
/// Most events taken in before the input is looked at again.
const MOST_EVENTS: usize = 256;

/// Everything the loop holds. Fields drop in order: the terminal is given back first, because the display would
/// panic when it cannot show the cursor of a terminal that is gone.
pub(super) struct ScreenLoop {
    pub(super) app: AppIo,
    pub(super) view: View,
    pub(super) local: Local,
    pub(super) layouts: Layouts,
    /// The sessions behind that of the sub-agent which is shown, the first session first.
    pub(super) behind: Vec<Behind>,
    pub(super) theme: Theme,
    /// The same as its file says it, and on which background it stands.
    pub(super) worn: Theme,
    pub(super) ground: Option<Background>,
    pub(super) follows_background: bool,
    pub(super) outside: TerminalIntegration,
    /// Whether the terminal takes links.
    pub(super) links: bool,
    pub(super) answers: TerminalReplies,
    /// When the screen began: what keys are timed by.
    pub(super) began: Instant,
    pub(super) rhythm: KeyTiming,
    /// Keys that were read together and are not pressed yet.
    pub(super) pressed: Vec<KeyEvent>,
    /// When the first of them was read, since the screen began.
    pub(super) read_at: Duration,
    pub(super) highlighter: Highlighter,
    pub(super) entry_json: fn(&Entry) -> String,
    pub(super) mentions: Mentions,
    pub(super) errands: HostServices,
    pub(super) first: Option<Intent>,
    pub(super) player: Option<Player>,
    /// What is typed, while it is in the user's editor.
    pub(super) editing: Option<Editing>,
    /// Whether that is a call that is being changed, and no message.
    pub(super) edits_call: bool,
    pub(super) outcome: Option<UiOutcome>,
    /// What was typed into the terminal of a command and has not left yet.
    pub(super) typed: Option<(CallId, Typed)>,
    /// Whether the agent may still say something.
    pub(super) listens: bool,
    /// There is something to show at once.
    pub(super) dirty: bool,
    /// When news are shown, and whether there are any.
    pub(super) pace: FramePacing,
    /// How long after a frame the next one is due without news.
    pub(super) tick: Duration,
    pub(super) guard: Guard,
    pub(super) terminal: Display,
}

impl ScreenLoop {
    /// What was heard is carried out, before a frame shows it.
    pub(super) fn keep_up(&mut self) {
        self.press(true);
        self.drain();
        self.play();
    }

    pub(super) fn new(
        app: AppIo,
        settings: UiSettings,
        guard: Guard,
        terminal: Display,
        wake: Arc<Notify>,
    ) -> Self {
        let mut local = Local::new();
        local.composer.begin(settings.pasted, &settings.draft);
        local.composer.take_killed_of(&settings.killed);
        // In an inspector there is no transcript under which it could stand.
        match settings.read_only {
            true => local.hint = settings.notice,
            false => {
                settings.notice.iter().for_each(|said| local.found(said));
                local.hint = settings.message;
                gone_images::say(&mut local);
            }
        }
        (local.keymap, local.motion) = (settings.keymap, settings.motion);
        local.vim = Vim::new(settings.vim);
        if settings.has_status_line {
            local.status_line = StatusLine::on();
        }
        local.read_only = settings.read_only;
        local.replay = settings.replay.as_deref().map(Replay::of);
        local.overlay = settings.read_only.then(|| Overlay::Ledger(Inspector::default()));
        let player = settings.replay.map(|entries| Player::new(entries, settings.view.clone()));
        let mut view = View::new(settings.view);
        settings.history.iter().for_each(|event| view.fold(event));
        view.resume();
        let pictures = Arc::clone(&wake);
        let pictures = Pictures::new(settings.takes.images, Box::new(move || pictures.notify_one()));
        Self {
            app,
            view,
            local,
            layouts: Layouts::with(pictures),
            behind: Vec::new(),
            theme: settings.theme.clone(),
            // What chose the first theme knew for which background.
            ground: settings.theme.shade(),
            worn: settings.theme,
            follows_background: settings.follows_background,
            outside: TerminalIntegration::new(settings.takes),
            links: settings.takes.links,
            answers: TerminalReplies::default(),
            began: Instant::now(),
            rhythm: KeyTiming::default(),
            pressed: Vec::new(),
            read_at: Duration::ZERO,
            highlighter: Highlighter::new(Box::new(move || wake.notify_one())),
            entry_json: settings.entry_json,
            mentions: settings.mentions,
            errands: settings.errands,
            first: settings.first,
            player,
            editing: None,
            edits_call: false,
            outcome: None,
            typed: None,
            listens: true,
            dirty: true,
            pace: FramePacing::new(Instant::now()),
            tick: TICK,
            guard,
            terminal,
        }
    }

    /// When to wake without news: for the next frame if one is due, for the clocks while something runs, for keys
    /// that were held back.
    pub(super) fn pause(&self) -> Option<Instant> {
        let settled = self.answers.due();
        // The run's own clock stands while a person is waited for; those of what goes on meanwhile do not.
        let is_busy = self.view.status.is_busy() && self.view.meter().is_ticking() || self.view.goes_on();
        let ticks = is_busy || self.local.reading_files.is_some() || self.local.watches(&self.view);
        let ticks = ticks || self.local.counts(&self.view);
        let frame = self.due().or_else(|| ticks.then(|| self.pace.last() + self.tick));
        let pulls = (self.local.pointer.pull != 0).then(|| self.pace.last() + PULL);
        let status = self.local.status_line.due().map(|due| self.began + due);
        let plays = self.player.as_ref().zip(self.local.replay.as_ref());
        let plays = plays.and_then(|(player, replay)| player.due(replay));
        [settled, frame, pulls, status, self.ripens(), plays].into_iter().flatten().min()
    }

    /// When the keys of what is shown begin to decide, if they do not yet: they are lit then.
    pub(super) fn ripens(&self) -> Option<Instant> {
        let ripe = self.began + self.local.stand.ripe_at()?;
        (ripe > self.pace.last()).then_some(ripe)
    }

    /// When the next frame is due, if there is something to show.
    pub(super) fn due(&self) -> Option<Instant> {
        if self.dirty { Some(self.pace.for_input()) } else { self.pace.for_news(Instant::now()) }
    }

    pub(super) fn tick(&mut self) {
        if self.due().is_none() {
            self.pace.hear(Unseen::News);
        }
        self.dirty |= self.ripens().is_some_and(|ripe| ripe <= Instant::now());
        if self.local.pointer.pull != 0 && self.pace.last().elapsed() >= PULL {
            pull(&mut self.local);
            self.dirty = true;
        }
        if self.answers.due().is_some_and(|due| due <= Instant::now()) {
            let heard = self.answers.give_up();
            self.keys(heard);
        }
    }

    /// Whether the session may still answer: what it said last is read even though nobody will say more.
    pub(super) fn awaits_replies(&self) -> bool {
        !(self.app.replies.is_closed() && self.app.replies.is_empty())
    }

    pub(super) fn reply(&mut self, said: Option<Reply>) {
        let Some(said) = said else { return self.app.replies.close() };
        if let Reply::Branched { message, branch } = &said {
            let draft = rewinding::draft(&mut self.local, &self.view, *message);
            self.outcome = Some(UiOutcome::Resume { id: branch.clone(), draft });
        }
        if let Reply::BranchStarts(start) = &said {
            self.outcome = Some(UiOutcome::Branch(start.clone()));
        }
        if let Reply::Forked(id) = &said {
            let draft = pasted_words::draft(self.local.message_composer());
            self.outcome = Some(UiOutcome::Resume { id: id.clone(), draft });
        }
        reply(&mut self.local, &self.view, said);
        self.dirty = true;
    }

    pub(super) fn send_first(&mut self) {
        if let Some(wish) = self.first.take() {
            self.send(wish);
        }
    }

    /// An inspector has no agent to lose.
    pub(super) fn agent_gone(&mut self) {
        self.listens = false;
        if !self.local.read_only {
            self.outcome = Some(UiOutcome::AgentGone);
        }
    }

    pub(super) fn event(&mut self, event: Option<Event>) {
        let Some(event) = event else { return self.agent_gone() };
        let Some(event) = self.route(event) else { return self.pace.hear(Unseen::News) };
        self.pace.hear(if event.is_said_below() { Unseen::Figures } else { Unseen::News });
        self.view.tick(self.now());
        if let Event::Live(live) = &event {
            hear(&mut self.local, &self.view, live);
        }
        self.view.fold(&event);
        if let Event::Appended(entry) = &event
            && let Some(request) = rewinding::due(&mut self.local.rewind, entry)
        {
            self.ask(request);
        }
        if let Some(request) = RuleToKeep::due(&mut self.local.to_keep, &self.view) {
            self.ask(request);
        }
    }

    /// Takes in what waits, so that a burst costs one frame.
    pub(super) fn drain(&mut self) {
        for _ in 0..MOST_EVENTS {
            match self.app.events.try_recv() {
                Ok(event) => self.event(Some(event)),
                Err(mpsc::error::TryRecvError::Empty | mpsc::error::TryRecvError::Disconnected) => return,
            }
        }
    }

    pub(super) fn frame(&mut self) {
        let now = self.now();
        self.local.now = self.began.elapsed();
        self.errands.refresh(&mut self.local, &self.view);
        self.ask_for_the_status_line();
        let is_typed = self.local.composer.begins_with("/model ");
        if self.local.known_names.wants_models(is_typed) {
            self.ask(Request::ListModels(self.view.session.model.clone()));
        }
        if let Some(id) = wanted_preview(&mut self.local) {
            self.ask(Request::Preview(id));
        }
        // While the user's editor has the terminal, nobody sees a frame: what one would show has not been
        // read.
        if self.editing.is_none() && self.show_frame(now).is_err() {
            self.outcome = Some(UiOutcome::TerminalGone);
        }
        self.pace.drawn(Instant::now(), self.layouts.was_behind());
        self.dirty = false;
        self.tick = match self.view.status.counts_in(now) {
            _ if self.local.moves(&self.view) => Duration::from_millis(MOVES_EVERY),
            _ if self.local.watches(&self.view) => WATCHED,
            counts => counts.map_or(TICK, Duration::from_millis),
        };
    }

    /// Lays out what the frame shows, and shows it. From then on it is in sight.
    fn show_frame(&mut self, now: Millis) -> io::Result<()> {
        self.terminal.autoresize()?;
        let size = self.terminal.size()?;
        let area = Rect::new(0, 0, size.width, size.height);
        let Self { layouts, view, local, theme, highlighter, .. } = self;
        if layouts.pictures.is_on() {
            layouts.pictures.measure(cell_size());
        }
        prepare(layouts, view, local, theme, highlighter, area, now);
        with_next_frame(&mut self.terminal, &layouts.pictures.words())?;
        let screen = Screen { view, local, theme, highlighter, layouts, now, entry_json: self.entry_json };
        let links = if self.links { layouts.links() } else { Default::default() };
        self.terminal.backend_mut().lead(links);
        show(&mut self.terminal, |frame| draw(frame, &screen))?;
        tell(&self.outside.news(&self.view))?;
        self.local.stand.drawn(self.began.elapsed());
        Ok(())
    }
}
