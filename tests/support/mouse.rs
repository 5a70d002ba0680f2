//! The mouse before a screen: moves, clicks and drags, each on the frame that was drawn last.

#![allow(dead_code, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use countersign::ledger::Ending;
use countersign::ui::panes::selected;
use countersign::ui::pointer::{Scene, mouse};
use countersign::ui::update::UiEffect;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;

use super::screen_harness::ScreenHarness;
use super::session_builder::SessionBuilder;

pub const LEFT: MouseButton = MouseButton::Left;

/// A hand on the mouse, before a screen.
pub struct Mouse {
    pub harness: ScreenHarness,
    pub terminal: Terminal<TestBackend>,
    pub now: u64,
}

impl Mouse {
    pub fn at(builder: SessionBuilder, width: u16, height: u16) -> Self {
        let harness = ScreenHarness::new(builder);
        let terminal = harness.terminal(width, height);
        let mut pointer = Self { harness, terminal, now: 1_000 };
        pointer.look();
        pointer
    }

    /// An answer that says this.
    pub fn before(text: &str, width: u16, height: u16) -> Self {
        let mut builder = SessionBuilder::new();
        builder.user("go");
        builder.say(None, "", text, vec![]);
        builder.end(Ending::Completed);
        Self::at(builder, width, height)
    }

    pub fn look(&mut self) {
        self.harness.draw(&mut self.terminal);
    }

    pub fn does(&mut self, kind: MouseEventKind, (column, row): (u16, u16)) -> Vec<UiEffect> {
        let size = self.terminal.size().unwrap();
        let screen = Rect::new(0, 0, size.width, size.height);
        let ScreenHarness { view, local, layouts, .. } = &mut self.harness;
        let scene = Scene { view, layouts, screen };
        let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        mouse(local, scene, event, self.now)
    }

    pub fn clicks(&mut self, at: (u16, u16)) -> Vec<UiEffect> {
        let mut acts = self.does(MouseEventKind::Down(LEFT), at);
        acts.extend(self.does(MouseEventKind::Up(LEFT), at));
        self.look();
        acts
    }

    pub fn later(&mut self) {
        self.now += 10_000;
    }

    /// Drags from one cell to another, and says what is copied.
    pub fn drags(&mut self, from: (u16, u16), to: (u16, u16)) -> String {
        self.later();
        self.does(MouseEventKind::Down(LEFT), from);
        self.does(MouseEventKind::Drag(LEFT), to);
        assert_eq!(self.does(MouseEventKind::Up(LEFT), to), [UiEffect::CopySelected]);
        self.look();
        self.copied()
    }

    /// What two or three clicks select.
    pub fn clicks_often(&mut self, times: usize, at: (u16, u16)) -> String {
        self.later();
        for _ in 0..times {
            self.clicks(at);
        }
        self.copied()
    }

    pub fn copied(&mut self) -> String {
        let now = self.harness.builder.at();
        let ScreenHarness { view, local, theme, layouts, highlighter, .. } = &mut self.harness;
        selected(layouts, view, local, theme, highlighter, now)
    }

    pub fn row(&self, y: u16) -> String {
        let buffer = self.terminal.backend().buffer();
        (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect()
    }

    /// The cell at which a text begins on the screen.
    pub fn find(&self, text: &str) -> (u16, u16) {
        let buffer = self.terminal.backend().buffer();
        for y in 0..buffer.area.height {
            for x in 0..buffer.area.width {
                let rest: String = (x..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect();
                if rest.starts_with(text) {
                    return (x, y);
                }
            }
        }
        panic!("{text:?} is not on the screen:\n{}", self.screen());
    }

    pub fn screen(&self) -> String {
        let rows =
            (0..self.terminal.size().unwrap().height).map(|y| self.row(y).trim_end().to_owned() + "\n");
        rows.collect()
    }

    /// The screen, selected cells in brackets.
    pub fn marked(&self) -> String {
        let (buffer, selection) = (self.terminal.backend().buffer(), self.harness.theme.selection);
        let mut text = String::new();
        for y in 0..buffer.area.height {
            let mut is_in = false;
            let mut row = String::new();
            for x in 0..buffer.area.width {
                let cell = &buffer[(x, y)];
                let is_marked = cell.style().add_modifier.contains(selection.add_modifier);
                if is_marked != is_in {
                    row.push(if is_marked { '[' } else { ']' });
                }
                is_in = is_marked;
                row.push_str(cell.symbol());
            }
            text.push_str(row.trim_end());
            text.push('\n');
        }
        text
    }
}
