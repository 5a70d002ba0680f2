//! Timers: the watch on the wall-time limit, the waits between attempts, and their jitter.

use crate::ledger::CutBy;

use super::phase::Phase;
use super::step::Step;
use super::{Agent, Effect, Operation, TimerId};

impl Agent {
    /// A timer fired.
    pub(super) fn on_timer(&mut self, step: &mut Step, phase: Phase, timer: TimerId) -> Phase {
        if self.clock.wall == Some(timer) {
            self.clock.wall = None;
            return match self.history.meter().wall_left_ms(step.now) {
                Some(0) => self.stop(step, phase, CutBy::WallTime),
                Some(_) | None => phase,
            };
        }
        if let Phase::Dispatching(dispatching) = &phase
            && let Some(stopping) = dispatching.stopping.filter(|stopping| stopping.timer == timer)
        {
            return self.stop(step, phase, stopping.by);
        }
        let Phase::BackingOff(waiting) = phase else { return phase };
        if waiting.timer != timer {
            return Phase::BackingOff(waiting);
        }
        self.retry(step, &waiting)
    }

    /// Whether this timer watches the wall-time limit.
    pub fn is_wall_time(&self, timer: TimerId) -> bool {
        self.clock.wall == Some(timer)
    }

    /// Keeps one timer on the wall-time limit while the clock runs; none while a person is waited for, and none once the run is
    /// being stopped: it would end the time that sub-agents have to settle.
    pub(super) fn watch_the_clock(&mut self, step: &mut Step) {
        let meter = self.history.meter();
        let left = meter.wall_left_ms(step.now).filter(|_| meter.is_ticking());
        let busy = !self.is_idle() && !self.is_stopping();
        match (self.clock.wall, left) {
            (None, Some(left)) if busy => {
                let timer = self.clock.mint();
                self.clock.wall = Some(timer);
                step.act(Effect::SetTimer(timer, left));
            }
            (Some(timer), None) => self.stop_watching(step, timer),
            (Some(timer), Some(_)) if !busy => self.stop_watching(step, timer),
            (None | Some(_), _) => {}
        }
    }

    fn stop_watching(&mut self, step: &mut Step, timer: TimerId) {
        self.clock.wall = None;
        step.cancel(Operation::Timer(timer));
    }
}
