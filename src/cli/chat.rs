//! The terminal app: the loop in the background, the screen in front.

use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::runtime::Runtime;

use super::args::Which;
use super::attach::{Attach, attaching};
use super::compose::{Session, compose};
use super::exit::Exit;
use super::fault::Fault;
use super::{Invocation, looks, outcome, project, signals};
use crate::agent::{Attendance, Event, Shutdown};
use crate::ledger::Entry;
use crate::policy::Mode;
use crate::runtime::DriverError;
use crate::ui::theme::Theme;
use crate::ui::{AppIo, UiOutcome, UiSettings};
use crate::view::ViewSettings;
use crate::wire::record;

/// How long process groups may take to go after TERM when the app ends.
const GRACE: Duration = Duration::from_millis(500);

/// Opens the app, with a first message or in an earlier session.
pub(super) fn run(
    invocation: &Invocation,
    prompt: Option<&str>,
    which: Option<&Which>,
) -> Result<Exit, Fault> {
    let theme = theme(invocation)?;
    let session = compose(invocation, which, Attendance::Person)?;
    let runtime = Runtime::new().map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
    let groups = session.groups.clone();
    let ended = runtime.block_on(converse(invocation, session, prompt, theme));
    groups.end_all(GRACE);
    runtime.shutdown_timeout(GRACE);
    ended
}

async fn converse(
    invocation: &Invocation,
    session: Session,
    prompt: Option<&str>,
    theme: Theme,
) -> Result<Exit, Fault> {
    let quit = signals::told_to_end()?;
    let tools_mode = session.tools_mode.clone();
    let attach = Attach::new(invocation);
    let of_paste = attach.clone();
    let settings = UiSettings {
        view: view_settings(invocation, &session),
        theme,
        follows_background: looks::follows_background(invocation),
        takes: looks::takes(invocation),
        vim: invocation.config.vim,
        keymap: invocation.config.keymap.clone(),
        first: invocation.first(prompt),
        history: session.before.iter().cloned().map(Event::Appended).collect(),
        notice: Some(session.notices.join("\n\n")).filter(|notice| !notice.is_empty()),
        read_only: false,
        quit,
        tools_mode: Box::new(move || tools_mode.word()),
        entry_json,
        mentions: Box::new(move |text| of_paste.mentions_in_paste(text)),
    };
    let running = tokio::spawn(session.driver.run(session.first));
    let handles = session.handles;
    let intents = attaching(attach, handles.intents.clone());
    let app = AppIo { events: handles.events, intents, abort: handles.abort };
    // Also after a panic of the screen the loop must settle what it has begun.
    let outcome = AssertUnwindSafe(crate::ui::run(app, settings)).catch_unwind().await;
    let outcome = match outcome {
        Ok(outcome) => outcome.map_err(|why| Fault::usage(why.to_string(), "")),
        Err(_panic) => Err(outcome::broken()),
    };
    let how = match outcome {
        Ok(UiOutcome::Quit) => Shutdown::Quit,
        Ok(UiOutcome::Signalled | UiOutcome::AgentGone | UiOutcome::TerminalGone) | Err(_) => {
            Shutdown::Signal
        }
    };
    if handles.shutdown.send(how).await.is_err() {
        tracing::debug!("the loop had ended before the screen did");
    }
    let ended = running.await;
    drop(handles.intents);
    match ended {
        Ok(Err(DriverError::Store(why))) => {
            return Err(Fault::failed(why, "make room or mend the permissions; nothing acted after that"));
        }
        Err(panicked) => {
            return Err(Fault::failed(format!("the loop broke: {panicked}"), "please report this"));
        }
        Ok(Ok(())) => {}
    }
    match outcome? {
        UiOutcome::Quit | UiOutcome::AgentGone => farewell(invocation, &session.id),
        UiOutcome::Signalled | UiOutcome::TerminalGone => Ok(Exit::Interrupted),
    }
}

/// Where to go on, if anything was written.
fn farewell(invocation: &Invocation, id: &str) -> Result<Exit, Fault> {
    let state = super::compose::state_dir(invocation)?;
    if crate::runtime::store::find(&state, id).is_err() {
        return Ok(Exit::Completed);
    }
    outcome::say(&format!("Go on with: countersign resume {id}\n"))
}

/// What the screen says about the session.
pub(super) fn view_settings(invocation: &Invocation, session: &Session) -> ViewSettings {
    ViewSettings {
        model: session.choice.spec.model.to_string(),
        mode: invocation.config.mode,
        cwd: invocation.environment.shown(&invocation.cwd),
        branch: project::branch(&invocation.cwd),
        window: session.choice.spec.window,
        limits: invocation.config.limits.clone(),
        token_budget: invocation.config.token_budget().map(|budget| budget.tokens),
        tools_mode: session.tools_mode.word(),
    }
}

/// The view of a session that nobody goes on with.
pub(super) fn view_of_the_past(invocation: &Invocation, model: String, cwd: &str) -> ViewSettings {
    ViewSettings {
        model,
        mode: Mode::Ask,
        cwd: invocation.environment.shown(Path::new(cwd)),
        branch: None,
        window: crate::model::ModelSpec::UNKNOWN_WINDOW,
        limits: invocation.config.limits.clone(),
        token_budget: None,
        tools_mode: "native",
    }
}

/// The chosen theme; without colours where `NO_COLOR` asks for that.
///
/// # Errors
/// A name that no theme has, or a theme of the user's that cannot be read.
pub(super) fn theme(invocation: &Invocation) -> Result<Theme, Fault> {
    if invocation.environment.no_color() {
        return Ok(Theme::plain());
    }
    let name = looks::theme_name(invocation);
    if let Some(theme) = Theme::builtin(name) {
        return Ok(theme);
    }
    let folder = invocation.environment.config_dir().map(|dir| dir.join("themes"));
    let file = folder.filter(|_| !name.contains(['/', '\\'])).map(|dir| dir.join(format!("{name}.toml")));
    match file.as_deref().map(std::fs::read_to_string) {
        Some(Ok(text)) => {
            Theme::parse(&text).map_err(|why| Fault::usage(format!("theme {name}: {why}"), "mend that line"))
        }
        Some(Err(_)) | None => Err(Fault::usage(
            format!("there is no theme called {name}"),
            format!(
                "use one of {}, or put {name}.toml into the themes folder beside config.toml",
                Theme::names().join(", ")
            ),
        )),
    }
}

/// An entry as the session file has it, laid out for reading: images without their bytes.
pub(super) fn entry_json(entry: &Entry) -> String {
    format!("{:#}", record::without_images(entry))
}
