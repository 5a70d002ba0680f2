//! The loop of the screen: that the process goes on after a stop, input, then signals, then news of the agent; a frame only when something changed.

use std::io;
use std::sync::Arc;
use std::task::Poll;

use futures_util::StreamExt;
use futures_util::future::{OptionFuture, poll_fn};
use ratatui::crossterm::event::{Event as Input, EventStream};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::frame_pacing::Unseen;
use super::key_timing::BURST;
use super::outcome::{UiError, UiOutcome};
use super::settings::{AppIo, UiSettings};
use super::terminal::{Guard, screen};
use continued::Continued;
use screen_loop::ScreenLoop;

mod behind;
mod continued;
mod effects;
mod half_line;
mod held_line;
mod inputs;
mod lineage;
pub(super) mod linear;
mod lines;
mod player;
mod replaying;
mod screen_loop;

/// Shows a session until the user leaves. The terminal is given back before it returns, and on a panic.
///
/// # Errors
/// [`UiError`] when the terminal cannot be taken.
pub async fn run(app: AppIo, mut settings: UiSettings) -> Result<UiOutcome, UiError> {
    let guard = Guard::enter(settings.takes.mouse).map_err(UiError::Terminal)?;
    let terminal = screen().map_err(UiError::Terminal)?;
    let wake = Arc::new(Notify::new());
    let mut quit = settings.quit.clone();
    let mut quit_open = true;
    let mut interrupts = settings.interrupts.take();
    let (asks_background, killed) = (settings.asks_background, settings.killed.clone());
    let mut session = ScreenLoop::new(app, settings, guard, terminal, Arc::clone(&wake));
    session.stands_before_an_answer(asks_background);
    let mut inputs = Some(EventStream::new());
    let mut continued = Continued::listen();
    session.frame();
    session.ask_background(asks_background);
    session.send_first();
    while session.outcome.is_none() {
        // While the user's editor has the terminal, nobody else may read from it.
        if session.editing.is_some() == inputs.is_some() {
            inputs = session.editing.is_none().then(EventStream::new);
        }
        let pause = session.pause();
        tokio::select! {
            biased;
            () = continued.next() => session.goes_on(),
            // Before the end of the editor, which the same key may have ended.
            () = poll_fn(|context| interrupts.as_mut().map_or(Poll::Pending, |some| some.poll(context))) => session.interrupted(),
            Some(input) = OptionFuture::from(inputs.as_mut().map(StreamExt::next)) => session.input(input),
            Some(edited) = OptionFuture::from(session.editing.as_mut()) => session.edited(edited),
            told = quit.wait_for(|end| *end), if quit_open => match told {
                Ok(_) => session.outcome = Some(UiOutcome::Signalled),
                Err(_) => quit_open = false,
            },
            () = effects::room(&session.app.requests), if session.typed.is_some() => session.pass_typed(),
            // News that wait for their frame are joined where they wait, so a stream wakes nobody here for each delta.
            event = session.app.events.recv(), if session.listens && session.pace.listens() => session.event(event),
            reply = session.app.replies.recv(), if session.awaits_replies() => session.reply(reply),
            Ok(()) = session.errands.prompts.changed(), if session.local.is_reading_earlier => session.dirty = true,
            () = wake.notified() => session.pace.hear(Unseen::News),
            () = tokio::time::sleep_until(pause.unwrap_or_else(Instant::now)), if pause.is_some() => session.tick(),
        }
        while session.outcome.is_none()
            && session.editing.is_none()
            && let Some(inputs) = &mut inputs
            && let Some(input) = at_hand(inputs, session.waits_for_a_second_key()).await
        {
            session.input(input);
        }
        // What was pressed before its stop was heard of was pressed for a frame that nobody saw.
        if session.outcome.is_none() && continued.is_heard() {
            session.goes_on();
        }
        session.keep_up();
        let now = Instant::now();
        if session.outcome.is_none()
            && session.due().is_some_and(|due| due <= now)
            && (session.dirty || session.pace.looked(now))
        {
            session.frame();
        }
    }
    session.local.message_composer().leave_killed_to(&killed);
    Ok(session.outcome.take().unwrap_or(UiOutcome::Quit))
}

/// The input that is there already; `None`: nothing is. It is asked for with the waker of this task: the stream keeps the
/// waker of whoever asked first, so one that does nothing would make it deaf. A key that would decide is held back until it is
/// known that no other follows at once, as in a paste that arrives in pieces.
async fn at_hand(inputs: &mut EventStream, waits: bool) -> Option<Option<io::Result<Input>>> {
    match poll_fn(|context| Poll::Ready(inputs.poll_next_unpin(context))).await {
        Poll::Ready(input) => Some(input),
        Poll::Pending if waits => tokio::time::timeout(BURST, inputs.next()).await.ok(),
        Poll::Pending => None,
    }
}
