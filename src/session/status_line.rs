//! The user's command that writes the status line, and what it is told: the members that others' status lines read, and ours.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::config::Invocation;
use crate::runtime::store::find;
use crate::runtime::{Groups, UserCommand};
use crate::ui::status_line::StatusFacts;

/// The command of a session.
#[derive(Debug, Clone)]
pub(crate) struct StatusCommand {
    command: UserCommand,
    state: PathBuf,
    session: String,
    cwd: PathBuf,
    began: Instant,
}

impl StatusCommand {
    /// The command that the user has configured, if there is one.
    pub(crate) fn of(invocation: &Invocation, (state, id): (&Path, &str), groups: &Groups) -> Option<Self> {
        let command = invocation.config.status_line.clone().filter(|command| !command.trim().is_empty())?;
        let command = UserCommand::new(
            command,
            invocation.cwd.clone(),
            invocation.environment_of_programs(),
            invocation.named_for_programs(),
            groups.clone(),
        );
        let (state, session, cwd) = (state.to_owned(), id.to_owned(), invocation.cwd.clone());
        Some(Self { command, state, session, cwd, began: Instant::now() })
    }

    /// What it writes about these facts.
    ///
    /// # Errors
    /// Why there is nothing to show.
    pub(crate) async fn line(&self, facts: &StatusFacts) -> Result<String, String> {
        let (state, id) = (self.state.clone(), self.session.clone());
        // A session without a message has no file yet.
        let transcript = spawn_blocking(move || find(&state, &id).ok()).await.ok().flatten();
        self.command.line(&format!("{}\n", self.told(facts, transcript.as_deref()))).await
    }

    /// What is not known has no member: others' status lines would show `null`.
    fn told(&self, facts: &StatusFacts, transcript: Option<&Path>) -> Value {
        let used =
            facts.context.saturating_mul(100).checked_div(facts.window).map(|percent| percent.min(100));
        let mut told = json!({
            "session_id": self.session,
            "transcript_path": transcript,
            "cwd": self.cwd,
            "model": { "id": facts.model, "display_name": facts.model.rsplit('/').next() },
            // Others' status lines read `added_dirs`; a session here has one folder.
            "workspace": { "current_dir": self.cwd, "project_dir": self.cwd, "added_dirs": [] },
            "version": env!("CARGO_PKG_VERSION"),
            "cost": {
                "total_cost_usd": facts.cost.map(|micros| micros.0 as f64 / 1e6),
                "total_duration_ms": u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            },
            "context_window": {
                "context_window_size": facts.window,
                "current_usage": facts.context,
                "used_percentage": used,
                "remaining_percentage": used.map(|used| 100 - used),
            },
            "mode": facts.mode.as_str(),
            "effort": facts.effort.map(|effort| effort.as_str()),
            "is_busy": facts.is_busy,
        });
        without_nulls(&mut told);
        told
    }
}

fn without_nulls(value: &mut Value) {
    if let Value::Object(members) = value {
        members.retain(|_, value| !value.is_null());
        members.values_mut().for_each(without_nulls);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_has_no_member() {
        let mut told = json!({ "cost": { "total_cost_usd": null, "total_duration_ms": 3 }, "effort": null });
        without_nulls(&mut told);
        assert_eq!(told, json!({ "cost": { "total_duration_ms": 3 } }));
    }
}
