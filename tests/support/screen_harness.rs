//! Frames on a test backend, and keys pressed before them.

#![allow(dead_code, clippy::unwrap_used, reason = "tests; not every test uses everything")]

use std::time::Duration;

use countersign::agent::Event;
use countersign::ledger::Entry;
use countersign::ui::commands::{Fronts, Meaning, read};
use countersign::ui::key_timing::KeyTiming;
use countersign::ui::local::{Focus, Local, Overlay};
use countersign::ui::panes::{Layouts, Screen, draw, prepare};
use countersign::ui::text::highlight::Highlighter;
use countersign::ui::theme::Theme;
use countersign::ui::update::{UiEffect, hear, update};
use countersign::view::View;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;

use super::session_builder::{SessionBuilder, view};

/// Milliseconds between two keys.
const PACE: u64 = 100;

/// The screen with its view and its state, a clock, and keys.
pub struct ScreenHarness {
    pub builder: SessionBuilder,
    pub view: View,
    pub local: Local,
    pub theme: Theme,
    pub layouts: Layouts,
    pub highlighter: Highlighter,
    /// Since the screen began.
    pub clock: Duration,
    pub rhythm: KeyTiming,
    /// The size of the last frame.
    pub size: (u16, u16),
}

pub fn json(entry: &Entry) -> String {
    format!("{{\n  \"type\": \"{}\",\n  \"entry\": \"{}\"\n}}", entry.body.kind(), entry.id)
}

pub fn snapshot(name: &str, frame: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../golden/screens");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, frame));
}

/// The page that a command opens, at its beginning.
pub fn page(command: &str, view: &View) -> Overlay {
    match read(command, Fronts::Screen) {
        Some(Ok(Meaning::Page(entry))) => Overlay::Page(entry.open(view)),
        other => panic!("{command} opens no page: {other:?}"),
    }
}

/// How far the page of this name is scrolled; `None` where another one lies on top, or nothing.
pub fn scrolled(overlay: Option<&Overlay>, name: &str) -> Option<u16> {
    match overlay {
        Some(Overlay::Page(open)) if open.name == name => Some(open.scrolled),
        _ => None,
    }
}

impl ScreenHarness {
    pub fn new(builder: SessionBuilder) -> Self {
        let view = view(&builder.events);
        let mut local = Local::new();
        for event in &builder.events {
            if let Event::Live(live) = event {
                hear(&mut local, &view, live);
            }
        }
        Self {
            builder,
            view,
            local,
            theme: Theme::plain(),
            layouts: Layouts::default(),
            highlighter: Highlighter::off(),
            clock: Duration::ZERO,
            rhythm: KeyTiming::default(),
            size: (80, 24),
        }
    }

    /// What happened since is folded in.
    pub fn catch_up(&mut self) {
        self.view = view(&self.builder.events);
    }

    pub fn terminal(&self, width: u16, height: u16) -> Terminal<TestBackend> {
        Terminal::new(TestBackend::new(width, height)).unwrap()
    }

    /// Lays out and draws one frame.
    pub fn draw(&mut self, terminal: &mut Terminal<TestBackend>) {
        self.draw_with(terminal, json);
    }

    /// The same, with entries recorded in another way.
    pub fn draw_with(&mut self, terminal: &mut Terminal<TestBackend>, json: fn(&Entry) -> String) {
        let now = self.builder.at();
        let size = terminal.size().unwrap();
        let area = Rect::new(0, 0, size.width, size.height);
        self.size = (size.width, size.height);
        self.local.now = self.clock;
        let Self { view, local, theme, layouts, highlighter, .. } = self;
        prepare(layouts, view, local, theme, highlighter, area, now);
        let screen = Screen { view, local, theme, highlighter, layouts, now, entry_json: json };
        terminal.draw(|frame| draw(frame, &screen)).unwrap();
        self.local.stand.drawn(self.clock);
    }

    pub fn buffer(&mut self, width: u16, height: u16) -> Buffer {
        let mut terminal = self.terminal(width, height);
        self.draw(&mut terminal);
        terminal.backend().buffer().clone()
    }

    /// The frame as text, one line a row.
    pub fn frame(&mut self, width: u16, height: u16) -> String {
        let buffer = self.buffer(width, height);
        let mut text = String::new();
        for y in 0..height {
            let row: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
            text.push_str(row.trim_end());
            text.push('\n');
        }
        text
    }

    pub fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) -> Vec<UiEffect> {
        self.waits(PACE);
        self.reads(&[KeyEvent::new(code, modifiers)])
    }

    /// Time passes.
    pub fn waits(&mut self, ms: u64) {
        self.clock += Duration::from_millis(ms);
    }

    /// The keys of one read.
    pub fn reads(&mut self, keys: &[KeyEvent]) -> Vec<UiEffect> {
        let Self { local, view, rhythm, clock, .. } = self;
        rhythm.take(keys, true, *clock).into_iter().flat_map(|press| update(local, view, press)).collect()
    }

    /// The characters of one read, as a terminal without brackets pastes them.
    pub fn bursts(&mut self, text: &str) -> Vec<UiEffect> {
        let code = |c| match c {
            '\t' => (KeyCode::Tab, KeyModifiers::NONE),
            '\r' => (KeyCode::Enter, KeyModifiers::NONE),
            '\n' => (KeyCode::Char('j'), KeyModifiers::CONTROL),
            c => (KeyCode::Char(c), KeyModifiers::NONE),
        };
        let keys: Vec<KeyEvent> = text.chars().map(code).map(|(c, held)| KeyEvent::new(c, held)).collect();
        self.reads(&keys)
    }

    /// What waits gets the focus, if it has none, and stands there until it can be decided.
    pub fn turns(&mut self) {
        let (width, height) = self.size;
        self.frame(width, height);
        if !matches!(self.local.focused(&self.view), Focus::Approval(_) | Focus::Stop) {
            self.key(KeyCode::Tab, KeyModifiers::NONE);
        }
        self.frame(width, height);
        self.waits(1_000);
        self.frame(width, height);
    }

    /// The deliberate answer to what waits: Tab if need be, a look, one key.
    pub fn answers(&mut self, key: &str) -> Vec<UiEffect> {
        self.turns();
        self.press(key)
    }

    pub fn ctrl(&mut self, c: char) -> Vec<UiEffect> {
        self.key(KeyCode::Char(c), KeyModifiers::CONTROL)
    }

    /// Types every character.
    pub fn press(&mut self, text: &str) -> Vec<UiEffect> {
        text.chars().flat_map(|c| self.key(KeyCode::Char(c), KeyModifiers::NONE)).collect()
    }
}
