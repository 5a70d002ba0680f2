//! Where each pane stands, by the size of the screen.

use ratatui::layout::Rect;

/// The least width that can be used.
pub const LEAST_WIDTH: u16 = 40;
/// The least height that can be used.
pub const LEAST_HEIGHT: u16 = 10;

/// The areas of the main screen, from top to bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Areas {
    /// Name, folder, model, mode.
    pub header: Rect,
    /// What was said and done.
    pub transcript: Rect,
    /// The plan while it is unfinished, else nothing; of no height on low screens.
    pub plan: Rect,
    /// What goes on.
    pub activity: Rect,
    /// What was typed and has not been delivered yet; often of no height.
    pub queue: Rect,
    /// The composer, its box included.
    pub composer: Rect,
    /// The budgets that matter now, and keys.
    pub footer: Rect,
    /// Whether the composer has a box; on low screens it is a line.
    pub boxed: bool,
}

/// Rows that the transcript keeps before the queue gets any: a call that waits must be seen and answered.
const LEAST_TRANSCRIPT: u16 = 5;

/// The same on a low screen before what is said to the person gets more than one row.
const LEAST_LOW: u16 = 2;

/// Rows that a notice gets on a low screen.
const LOW_NOTICE: u16 = 3;

/// Rows that a list of names gets before the transcript gets more than one.
const LEAST_LIST: u16 = 5;

/// What wants rows between the transcript and the composer, and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Above {
    /// What waits to be delivered, and what to know.
    Queue(u16),
    /// What to know, and what waits to be delivered, while nothing waits for a decision.
    Notice(u16),
    /// Names to choose from while one is typed, and nothing waits for a decision.
    List(u16),
}

/// Cells that the composer's box and margins take from its width.
const COMPOSER_SIDES: u16 = 6;

impl Areas {
    /// The areas of a screen whose composer needs `rows` rows, and what is said to the person `said`; `None` when the screen
    /// is too small.
    pub fn of(screen: Rect, rows: u16, above: Above, said: u16) -> Option<Self> {
        if screen.width < LEAST_WIDTH || screen.height < LEAST_HEIGHT {
            return None;
        }
        let roomy = screen.height >= 20;
        let boxed = screen.height >= 16;
        let most = (screen.height / 3).max(1);
        let composer = rows.clamp(1, most) + if boxed { 2 } else { 0 };
        let below = u16::from(roomy);
        let rest = screen.height.saturating_sub(1 + below + 1 + composer + 1 + below);
        let queue = match above {
            // Whoever types a name looks at the list; the transcript gives it rows, but for one.
            Above::List(rows) => {
                let least = rest.saturating_sub(1).min(LEAST_LIST);
                rows.min(rest.saturating_sub(LEAST_TRANSCRIPT).max(least))
            }
            Above::Notice(rows) if !roomy => rows.min(LOW_NOTICE).min(rest.saturating_sub(LEAST_LOW)),
            Above::Queue(rows) | Above::Notice(rows) => {
                let most = if roomy { rows } else { rows.min(1) };
                most.min(rest.saturating_sub(LEAST_TRANSCRIPT))
            }
        };
        let least = if boxed { LEAST_TRANSCRIPT } else { LEAST_LOW };
        let more = said.saturating_sub(1).min(rest.saturating_sub(queue).saturating_sub(least));
        let mut y = screen.y;
        let mut take = |height: u16| {
            let area = Rect::new(screen.x, y, screen.width, height);
            y += height;
            area
        };
        let header = take(1);
        take(below);
        let transcript = take(rest - queue - more);
        let plan = take(below);
        let (activity, queue, composer) = (take(1 + more), take(queue), take(composer));
        Some(Self { header, transcript, plan, activity, queue, composer, footer: take(1), boxed })
    }

    /// Gives the rows above the transcript to it: what is decided there needs each of them.
    pub(super) fn take_header(&mut self) {
        self.transcript.height += self.transcript.y - self.header.y;
        self.transcript.y = self.header.y;
        self.header.height = 0;
    }

    /// The width that text has in the composer.
    pub fn composer_width(screen: Rect) -> u16 {
        screen.width.saturating_sub(COMPOSER_SIDES).max(1)
    }
}
