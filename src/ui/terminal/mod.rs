//! The terminal, taken and given back whole: on the way out, on a panic, and around a suspension.
//!
//! The terminal is asked one thing, its background, after the first frame: nothing ever waits for what it answers.

use std::io::{self, IsTerminal, Write, stdout};
use std::ops::RangeInclusive;
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use ratatui::backend::Backend;
use ratatui::crossterm::cursor::{SetCursorStyle, Show};
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use ratatui::crossterm::style::Print;
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, window_size,
};
use ratatui::crossterm::{execute, queue};
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal};

use super::graphics;

use self::linked::Linked;

mod linked;

/// Buttons and wheel in the wide coordinates, and motion while a button is held; without one, every move of the mouse
/// would be an event.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";

/// Asks for the background colour (OSC 11).
const ASK_BACKGROUND: &str = "\x1b]11;?\x1b\\";

/// Keeps the window's title, and brings it back (XTWINOPS).
const KEEP_TITLE: &str = "\x1b[22;0t";
const TITLE_BACK: &str = "\x1b[23;0t";

/// What every word about progress begins with, and the one that takes it away.
const PROGRESS_MARK: &str = "\x1b]9;4;";
const NO_PROGRESS: &str = "\x1b]9;4;0\x1b\\";

type Hook = Arc<dyn Fn(&panic::PanicHookInfo<'_>) + Send + Sync>;

/// Whether the terminal is taken, so that it is given back once, whoever comes first: a second pop would take
/// away what the parent program had pushed.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether a frame is being drawn, which is not written before it is whole.
static GATHERS: AtomicBool = AtomicBool::new(false);
/// Whether the mouse is ours while the terminal is.
static MOUSE: AtomicBool = AtomicBool::new(false);
/// Whether progress was ever told, so that it is taken away in the end, and only then.
static PROGRESS: AtomicBool = AtomicBool::new(false);

/// Whether the terminal was ever sent a picture to keep, so that all are taken away in the end.
static PICTURES: AtomicBool = AtomicBool::new(false);

/// The pixels that cells can have; what else is told is not believed.
const CELLS: (RangeInclusive<u16>, RangeInclusive<u16>) = (2..=64, 4..=128);

/// Holds the terminal; dropping it gives the terminal back.
pub(super) struct Guard {
    before: Hook,
    elsewhere: Arc<OnceLock<String>>,
}

impl Guard {
    /// Takes the terminal. From here on a panic of this thread gives it back before its message is printed. A panic
    /// of another thread ends one task and not the screen: what it says is kept until the terminal is given back. Without
    /// `mouse` the terminal keeps the mouse, and its own selection with it.
    pub(super) fn enter(mouse: bool) -> io::Result<Self> {
        MOUSE.store(mouse, Ordering::SeqCst);
        let before: Hook = Arc::from(panic::take_hook());
        let elsewhere = Arc::new(OnceLock::new());
        let (inner, said, here) = (Arc::clone(&before), Arc::clone(&elsewhere), thread::current().id());
        panic::set_hook(Box::new(move |info| {
            if thread::current().id() == here {
                restore();
                inner(info);
            } else {
                said.get_or_init(|| info.to_string().replace('\n', " "));
            }
        }));
        let guard = Self { before, elsewhere };
        take()?;
        Ok(guard)
    }

    /// Gives the terminal to another program until [`Guard::take_back`]; frames meanwhile are dropped.
    pub(super) fn lend(&self) {
        restore();
    }

    /// Takes the terminal again. The whole screen must be drawn again afterwards.
    pub(super) fn take_back(&self) -> io::Result<()> {
        take()
    }

    /// Gives the terminal back, stops the process as a shell expects it, and takes the terminal again when the
    /// shell lets it go on. The whole screen must be drawn again afterwards.
    #[cfg(unix)]
    pub(super) fn suspend(&self) -> io::Result<()> {
        restore();
        rustix::process::kill_current_process_group(rustix::process::Signal::TSTP)?;
        take()
    }

    /// Sets again what a shell changes when the process was stopped from outside, and so could not give the terminal back. The whole
    /// screen must be drawn again afterwards.
    pub(super) fn set_again(&self) -> io::Result<()> {
        if !TAKEN.load(Ordering::SeqCst) {
            return Ok(());
        }
        // It counts as raw, whatever the shell has made of it: only one that is not raw is made so.
        disable_raw_mode()?;
        enable_raw_mode()?;
        execute!(stdout(), EnableBracketedPaste, SetCursorStyle::SteadyBar)
    }

    /// There is nothing to suspend to here.
    #[cfg(not(unix))]
    pub(super) fn suspend(&self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
        if !thread::panicking() {
            let before = Arc::clone(&self.before);
            panic::set_hook(Box::new(move |info| before(info)));
        }
        if let Some(said) = self.elsewhere.get() {
            // A standard error that is gone hears nothing.
            let said = crate::ui::text::sanitize(said).replace('\n', " ");
            drop(writeln!(io::stderr(), "a part of the program failed: {said}. Please report this."));
        }
    }
}

/// What is drawn on.
pub(super) type Display = Terminal<Linked<Frames>>;

/// A screen to draw on.
pub(super) fn screen() -> io::Result<Display> {
    Terminal::new(Linked::new(Frames::default()))
}

/// Gathers what a frame is made of and writes it in one go, between marks that ask the terminal to show it at
/// once: nobody sees half a frame. What is left when the terminal has been given back is dropped: it is no longer
/// ours, or no longer there.
#[derive(Debug, Default)]
pub(super) struct Frames {
    gathered: Vec<u8>,
}

impl Write for Frames {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.gathered.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Most of what a terminal is told is flushed word by word: a frame is written when it is whole.
    fn flush(&mut self) -> io::Result<()> {
        if !TAKEN.load(Ordering::SeqCst) {
            self.gathered.clear();
        }
        if self.gathered.is_empty() || GATHERS.load(Ordering::SeqCst) {
            return Ok(());
        }
        let mut frame = Vec::with_capacity(self.gathered.len() + 16);
        queue!(frame, BeginSynchronizedUpdate)?;
        frame.append(&mut self.gathered);
        queue!(frame, EndSynchronizedUpdate)?;
        let mut out = stdout();
        out.write_all(&frame)?;
        out.flush()
    }
}

/// Says something with the next frame, before its cells.
pub(super) fn with_next_frame(terminal: &mut Display, words: &str) -> io::Result<()> {
    PICTURES.fetch_or(graphics::is_told_in(words), Ordering::SeqCst);
    terminal.backend_mut().say(words)
}

/// The pixels of a cell, width and height, if the system knows them: the terminal is not asked.
pub(super) fn cell_size() -> Option<(u16, u16)> {
    let window = window_size().ok()?;
    let cell = (window.width.checked_div(window.columns)?, window.height.checked_div(window.rows)?);
    let (widths, heights) = CELLS;
    (widths.contains(&cell.0) && heights.contains(&cell.1)).then_some(cell)
}

/// Draws one frame and writes it in one go.
pub(super) fn show(terminal: &mut Display, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
    GATHERS.store(true, Ordering::SeqCst);
    let drawn = terminal.draw(draw).map(|_| ());
    GATHERS.store(false, Ordering::SeqCst);
    drawn.and_then(|()| Backend::flush(terminal.backend_mut()))
}

/// Makes the next frame draw every cell. `Terminal::clear` would ask the terminal where its cursor is.
pub(super) fn redraw_all(terminal: &mut Display) -> io::Result<()> {
    execute!(stdout(), Clear(ClearType::All))?;
    let size = terminal.size()?;
    terminal.resize(Rect::new(0, 0, size.width, size.height))
}

/// Tells the terminal something beside the picture, unless it has been given back.
pub(super) fn tell(words: &str) -> io::Result<()> {
    if words.is_empty() || !TAKEN.load(Ordering::SeqCst) {
        return Ok(());
    }
    PROGRESS.fetch_or(words.contains(PROGRESS_MARK), Ordering::SeqCst);
    execute!(stdout(), Print(words))
}

/// Asks the terminal what its background is. The answer comes as input, if it comes.
pub(super) fn ask_background() -> io::Result<()> {
    execute!(stdout(), Print(ASK_BACKGROUND))
}

fn take() -> io::Result<()> {
    // What is not a terminal gets no sequences, neither to take it nor to give it back.
    if !stdout().is_terminal() {
        return Err(io::Error::other("stdout is not a terminal"));
    }
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    execute!(
        stdout(),
        Print(KEEP_TITLE),
        EnterAlternateScreen,
        EnableBracketedPaste,
        EnableFocusChange,
        Print(if MOUSE.load(Ordering::SeqCst) { MOUSE_ON } else { "" }),
        SetCursorStyle::SteadyBar,
        PushKeyboardEnhancementFlags(KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES),
    )
}

/// Gives everything back; every step is tried, whatever became of those before it.
fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = stdout();
    let progress = if PROGRESS.swap(false, Ordering::SeqCst) { NO_PROGRESS } else { "" };
    let pictures =
        if PICTURES.swap(false, Ordering::SeqCst) { graphics::delete_all() } else { String::new() };
    let steps = [
        execute!(out, EndSynchronizedUpdate, Print(pictures), PopKeyboardEnhancementFlags),
        execute!(out, DisableMouseCapture, DisableFocusChange, DisableBracketedPaste),
        execute!(out, SetCursorStyle::DefaultUserShape, Show, LeaveAlternateScreen),
        execute!(out, Print(progress), Print(TITLE_BACK)),
        disable_raw_mode(),
        out.flush(),
    ];
    // A terminal that is gone cannot be told anything any more.
    drop(steps);
}
