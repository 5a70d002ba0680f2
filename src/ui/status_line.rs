//! The status line: when the user's command is asked to write it, and what it wrote.

use std::time::Duration;

use crate::ledger::{MicroDollars, Usage};
use crate::model::Effort;
use crate::policy::Mode;
use crate::tool::{Row, rows};
use crate::view::View;

/// The command is started at most so often,
const EVERY: Duration = Duration::from_millis(300);
/// and so often after it failed.
const AFTER_A_FAILURE: Duration = Duration::from_secs(10);
/// After so many failures in a row it is not started again about the same facts: at rest that would go on for ever.
const MOST_FAILURES: u32 = 3;

/// What the command is told of the session; it is asked again when one of these changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusFacts {
    /// The model that answers.
    pub model: String,
    /// The mode in force.
    pub mode: Mode,
    /// How hard the model is told to think.
    pub effort: Option<Effort>,
    /// Whether a run is under way.
    pub is_busy: bool,
    /// What the session has cost.
    pub cost: Option<MicroDollars>,
    /// Tokens of the context.
    pub context: u64,
    /// The most that it may have.
    pub window: u64,
}

impl StatusFacts {
    /// As the view has them.
    pub fn of(view: &View) -> Self {
        let (session, meter) = (&view.session, view.meter());
        let spent = meter.session_usage();
        // Before the first answer no usage has a price, but the forecast of the next request says whether there is one.
        let is_priced = session.next.is_some_and(|next| next.price.is_some());
        let nothing = (is_priced && spent == Usage::default()).then_some(MicroDollars(0));
        Self {
            model: session.model.clone(),
            mode: session.mode,
            effort: session.effort,
            is_busy: view.status.is_busy(),
            cost: spent.cost.or(nothing),
            context: meter.context_tokens(),
            window: session.window,
        }
    }
}

/// The status line. It reads no clock: whoever asks says what time it is.
#[derive(Debug, Clone, Default)]
pub struct StatusLine {
    /// Whether there is a command.
    pub is_on: bool,
    shown: Option<Row>,
    told: Option<StatusFacts>,
    /// When the command may be asked again.
    free_at: Duration,
    /// What is shown is of earlier facts.
    is_behind: bool,
    is_awaited: bool,
    /// How often in a row the command has failed.
    failures: u32,
    /// A failure was told to the user: that happens once.
    has_complained: bool,
}

impl StatusLine {
    /// With a command.
    pub fn on() -> Self {
        Self { is_on: true, ..Self::default() }
    }

    /// Before a frame: what the command is to be asked, if it is time for it and something has changed.
    pub fn ask(&mut self, facts: impl FnOnce() -> StatusFacts, now: Duration) -> Option<StatusFacts> {
        if !self.is_on {
            return None;
        }
        let facts = facts();
        self.is_behind = self.told.as_ref() != Some(&facts);
        if !self.is_behind || self.is_awaited || now < self.free_at {
            return None;
        }
        (self.is_awaited, self.is_behind, self.free_at) = (true, false, now + EVERY);
        self.told = Some(facts.clone());
        Some(facts)
    }

    /// The question was not taken: it is asked again later.
    pub fn not_asked(&mut self) {
        (self.told, self.is_awaited, self.is_behind) = (None, false, true);
    }

    /// When to look again, while what is shown is of earlier facts.
    pub fn due(&self) -> Option<Duration> {
        (self.is_behind && !self.is_awaited).then_some(self.free_at)
    }

    /// Takes what the command wrote, or why it wrote nothing; the words for a failure that the user has not heard of.
    pub fn heard(&mut self, wrote: Result<String, String>, now: Duration) -> Option<String> {
        self.is_awaited = false;
        match wrote {
            Ok(line) => {
                self.failures = 0;
                self.shown = rows(&line).into_iter().next().filter(|row| !row.text().trim().is_empty());
                None
            }
            Err(why) => {
                self.shown = None;
                self.failures = self.failures.saturating_add(1);
                self.free_at = now + AFTER_A_FAILURE;
                if self.failures < MOST_FAILURES {
                    self.told = None;
                }
                let is_news = !std::mem::replace(&mut self.has_complained, true);
                is_news.then(|| format!("the status_line command {why}; the usual line is shown"))
            }
        }
    }

    /// What is shown.
    pub fn row(&self) -> Option<&Row> {
        self.shown.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Forecast;
    use crate::ledger::Millis;
    use crate::model::Price;
    use crate::view::ViewSettings;

    fn facts(context: u64) -> StatusFacts {
        StatusFacts {
            model: "a/b".to_owned(),
            mode: Mode::Ask,
            effort: None,
            is_busy: false,
            cost: None,
            context,
            window: 100,
        }
    }

    fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn before_the_first_answer_a_session_with_a_known_price_has_cost_nothing() {
        let mut view = View::new(ViewSettings::unknown());
        let mut cost = |price| {
            view.session.next = Some(Forecast {
                cached: 0,
                fresh: 10,
                cached_until: Millis(0),
                bills_writes: false,
                price,
                answer: None,
            });
            StatusFacts::of(&view).cost
        };
        assert_eq!(cost(Some(Price::default())), Some(MicroDollars(0)));
        assert_eq!(cost(None), None);
    }

    #[test]
    fn it_is_asked_when_something_changed_once_at_a_time_and_not_too_often() {
        let mut line = StatusLine::on();
        assert!(line.ask(|| facts(1), at(0)).is_some());
        assert!(line.ask(|| facts(2), at(1_000)).is_none(), "one is under way");
        assert_eq!(line.heard(Ok("one".to_owned()), at(1_000)), None);
        assert_eq!(line.row().unwrap().text(), "one");
        assert!(line.ask(|| facts(2), at(1_000)).is_some());
        assert_eq!(line.heard(Ok("two".to_owned()), at(1_010)), None);
        assert!(line.ask(|| facts(2), at(9_000)).is_none(), "nothing has changed");
        assert_eq!(line.due(), None);
        assert!(line.ask(|| facts(3), at(9_000)).is_some());
        line.heard(Ok(String::new()), at(9_010));
        assert!(line.row().is_none(), "an empty line is none");
        assert!(line.ask(|| facts(4), at(9_100)).is_none());
        assert_eq!(line.due(), Some(at(9_300)));
        assert!(line.ask(|| facts(4), at(9_300)).is_some());
        assert!(StatusLine::default().ask(|| facts(1), at(0)).is_none());
    }

    #[test]
    fn a_failure_is_told_once_and_tried_again_later() {
        let mut line = StatusLine::on();
        line.ask(|| facts(1), at(0));
        let told = line.heard(Err("took longer than 2 s and was stopped".to_owned()), at(2_000)).unwrap();
        assert!(told.starts_with("the status_line command took longer"), "{told}");
        assert!(line.ask(|| facts(2), at(11_000)).is_none());
        assert!(line.ask(|| facts(2), at(12_000)).is_some());
        assert_eq!(line.heard(Err("ended with exit code 1".to_owned()), at(12_001)), None);
    }

    #[test]
    fn a_command_that_failed_three_times_is_left_alone_until_something_changes() {
        let mut line = StatusLine::on();
        let fails = |line: &mut StatusLine, context: u64, now: u64| {
            let is_asked = line.ask(|| facts(context), at(now)).is_some();
            if is_asked {
                line.heard(Err("took longer than 2 s and was stopped".to_owned()), at(now + 2_000));
            }
            is_asked
        };
        assert!([0, 20_000, 40_000].into_iter().all(|now| fails(&mut line, 1, now)));
        assert!(!fails(&mut line, 1, 60_000), "nothing has changed");
        assert_eq!(line.due(), None, "at rest nothing is waited for");
        assert!(fails(&mut line, 2, 60_000));
        assert!(!fails(&mut line, 2, 80_000), "still without an answer");
        // One answer, and they are counted from the beginning.
        assert!(line.ask(|| facts(3), at(80_000)).is_some());
        line.heard(Ok("one".to_owned()), at(80_000));
        assert!([100_000, 120_000].into_iter().all(|now| fails(&mut line, 4, now)));
    }

    #[test]
    fn only_colours_stay_of_what_steers_a_terminal() {
        let mut line = StatusLine::on();
        line.ask(|| facts(1), at(0));
        let wrote =
            "\u{1b}]0;title\u{7}\u{1b}[2J\u{1b}[31mred\u{1b}[m \u{1b}[5;5Hmoved\u{1b}]8;;http://x\u{7}link";
        line.heard(Ok(wrote.to_owned()), at(1));
        let text = line.row().unwrap().text().to_owned();
        assert!(!text.contains('\u{1b}') && !text.contains("title") && text.contains("red"), "{text:?}");
    }
}
