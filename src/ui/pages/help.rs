//! The page of help: the keys and the commands, from the tables that they are read from.

use ratatui::text::{Line, Span};

use super::{Page, PageFrame, Spoken};
use crate::ledger::Millis;
use crate::ui::commands::{Fronts, SlashCommand};
use crate::ui::keymap::{BINDINGS, KeyContext};
use crate::ui::text::{width, wrap_spans};
use crate::ui::theme::Theme;
use crate::view::View;

/// The order of the help.
const PLACES: [KeyContext; 7] = [
    KeyContext::Composer,
    KeyContext::Approval,
    KeyContext::Panel,
    KeyContext::Everywhere,
    KeyContext::Ledger,
    KeyContext::Page,
    KeyContext::Picker,
];

/// Cells of the column of keys.
const KEYS: usize = 13;

/// `/help`
#[derive(Debug)]
pub(in crate::ui) struct Help {
    /// The commands that it shows.
    pub(in crate::ui) commands: &'static [SlashCommand],
}

impl Page for Help {
    fn title(&self, _: &View) -> String {
        "keys".to_owned()
    }

    fn rows(&self, frame: &PageFrame<'_>, width: u16) -> Vec<Line<'static>> {
        self.lines(usize::from(width), frame)
    }

    fn is_help(&self) -> bool {
        true
    }

    /// What can be typed.
    fn spoken(&self, _: &View, _: Millis) -> Vec<Spoken> {
        let both = self.listed(Fronts::Lines).filter(|row| row.place == Fronts::Both);
        let both = both.map(|row| format!("{}: {}", row.name, row.told()));
        let own = self.listed(Fronts::Lines).filter(|row| row.place == Fronts::Lines);
        let own = own.map(|row| format!("{}: {}", row.titled(), row.told()));
        let lines = LINES.map(|words| format!("help: {words}")).into_iter();
        lines.chain(both).chain(own).map(Spoken::Line).collect()
    }
}

/// What lines mean that are no commands.
const LINES: [&str; 6] = [
    "each line is a message; a backslash at its end continues it on the next line; \"\"\" begins and ends a \
    text of several lines",
    "@shot.png in a message attaches that image, and @notes.md that file; Ctrl-V is a key of the terminal here",
    "while a call waits, y allows it once, s for this session, n denies it, r denies it with a reason; y 2 answers the second",
    "b allows a command once, in the sandbox, if there is one",
    "a shows a rule for such calls, with the earlier calls that it would have matched; a again adds it for \
    this session, any other line cancels",
    "Ctrl-C interrupts the run; Ctrl-D quits; a message sent during a run is delivered with the next tool \
    results",
];

impl Help {
    fn listed(&self, front: Fronts) -> impl Iterator<Item = &'static SlashCommand> {
        self.commands.iter().filter(move |row| row.is_in(front) && !row.help.is_empty())
    }

    fn lines(&self, inner: usize, frame: &PageFrame<'_>) -> Vec<Line<'static>> {
        let (theme, keymap) = (frame.theme, frame.keymap);
        let mut lines = Vec::new();
        for place in PLACES {
            if !lines.is_empty() {
                lines.push(Line::default());
            }
            lines.push(Line::styled(place.words(), theme.title));
            for binding in BINDINGS.iter().filter(|b| b.place == place && !b.words.is_empty()) {
                lines.extend(line(&keymap.keys(binding), binding.words, inner, theme));
            }
            lines.extend(keymap.others(place).flat_map(|(keys, name)| line(&keys, &name, inner, theme)));
            if place == KeyContext::Composer {
                lines.extend(self.commands(inner, theme));
            }
        }
        lines.extend([Line::default(), Line::styled("Mouse", theme.title)]);
        lines.extend(MOUSE.into_iter().flat_map(|(what, words)| line(what, words, inner, theme)));
        lines
    }

    /// What can be typed instead of a message.
    fn commands(&self, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = vec![Line::default(), Line::styled("Commands", theme.title)];
        let rows = self.listed(Fronts::Screen).map(|row| (row.name, row.told()));
        for (name, words) in rows.chain([("//", "at the beginning: send it as it is".to_owned())]) {
            lines.extend(line(name, &words, inner, theme));
        }
        lines
    }
}

/// What the mouse does, unless the configuration leaves it to the terminal.
const MOUSE: [(&str, &str); 4] = [
    ("wheel", "scroll what is under it"),
    ("click", "focus; a second one opens; only keys answer a call"),
    ("drag", "select and copy; two clicks: a word, three: a paragraph"),
    ("shift-drag", "the terminal's own selection"),
];

/// Keys, and what they do, all of it. Keys of one's own may need more cells than the column has.
fn line(keys: &str, words: &str, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let keys = format!("  {keys:KEYS$}");
    let gap = if width(&keys) > KEYS + 2 { " " } else { "" };
    let keys = Span::styled(keys + gap, theme.accent);
    let indent = vec![Span::raw(" ".repeat(KEYS + 2))];
    wrap_spans(vec![keys, Span::styled(words.to_owned(), theme.text)], inner, indent)
}
