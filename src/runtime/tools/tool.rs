//! What a built-in tool is: what models are told of it, its look at a call, and its run.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::ledger::{Arguments, Facts, Image, Outcome, Summary, seconds};
use crate::tool::{
    Invocation, Preparation, Shown, SideEffect, ToolKind, ToolReport, ToolSpec, bound, not_there,
};

use super::change::Making;
use super::ignored::Excludes;
use super::local_tools::LocalTools;
use super::stop::{StopFlag, off_thread};
use super::target::Target;

/// A run of a call. Dropping it cancels the run.
pub(super) type Running = BoxFuture<'static, ToolReport>;

/// A built-in tool. Each has a file of its own and a row in the table of all (`TOOLS`).
pub(super) trait Tool: Sync {
    /// What models and the loop are told of it. Made once a process.
    fn spec(&self) -> ToolSpec;

    /// Adds what a look finds of a call beyond where its path leads, a preview for one. It runs on a thread, and changes
    /// nothing.
    fn look(&self, _look: LookedAt<'_>, _found: &mut Preparation) {}

    /// Runs a call. Work that blocks goes to [`RunningCall::off_thread`].
    fn run(&self, call: RunningCall, output: mpsc::Sender<Shown>) -> Running;
}

/// A call that is looked at.
pub(super) struct LookedAt<'a> {
    /// What tools work with.
    pub(super) tools: &'a LocalTools,
    /// The call.
    pub(super) invocation: &'a Invocation,
    /// What its path names; why not, where nothing can be said of that.
    pub(super) target: Result<Arc<Target>, String>,
    /// Whether anybody still waits for it.
    pub(super) stop: &'a StopFlag,
}

/// A call that is run.
pub(super) struct RunningCall {
    /// What tools work with.
    pub(super) tools: LocalTools,
    /// The call.
    pub(super) invocation: Invocation,
}

impl RunningCall {
    /// What it is called with.
    pub(super) fn arguments(&self) -> &Arguments {
        &self.invocation.arguments
    }

    /// What was decided about: found when the call was looked at, in this process also where it had waited since an earlier one.
    /// Of a call whose look is forgotten the path must lead where it says.
    ///
    /// # Errors
    /// A sentence that says what to do instead.
    pub(super) fn target(&self) -> Result<Arc<Target>, String> {
        let path = self.arguments().text("path").unwrap_or_default();
        match self.tools.targets.get(self.invocation.call, path) {
            Some(target) => Ok(target),
            None => Target::as_written(&self.tools.workspace, path).map(Arc::new),
        }
    }

    /// What is left out of walks.
    pub(super) fn excludes(&self) -> Excludes {
        Excludes::new(&self.tools.git, self.tools.workspace.root())
    }

    /// What a change of a file needs.
    pub(super) fn making<'a>(&'a self, stop: &'a StopFlag) -> Making<'a> {
        Making {
            call: self.invocation.call,
            is_shown: self.invocation.is_shown,
            seen: &self.tools.seen,
            editor: &self.tools.editor,
            snapshots: self.tools.snapshots.as_ref(),
            stop,
        }
    }

    /// What a model is told that calls something which nobody runs.
    pub(super) fn unknown(&self) -> String {
        format!("{} Nothing was done.", not_there(&self.invocation.name, &self.tools.absent))
    }

    /// Does work that blocks on a thread, within the time of the call. Dropping the run tells the work to stop.
    pub(super) fn off_thread(
        self,
        work: impl FnOnce(&Self, &StopFlag) -> Result<ToolOutput, String> + Send + 'static,
    ) -> Running {
        Box::pin(self.within_time(work))
    }

    async fn within_time(
        self,
        work: impl FnOnce(&Self, &StopFlag) -> Result<ToolOutput, String> + Send + 'static,
    ) -> ToolReport {
        let (limit, max_chars) = (self.invocation.timeout_ms, self.invocation.max_chars);
        let work = off_thread(move |stop| work(&self, stop));
        let (outcome, given) = match tokio::time::timeout(Duration::from_millis(limit), work).await {
            Ok(Ok(Ok(given))) => (Outcome::Ok, given),
            Ok(Ok(Err(text)) | Err(text)) => (Outcome::Failed, text.into()),
            Err(_) => (
                Outcome::TimedOut,
                format!("timed out after {}; ask for less at once, or check what was done", seconds(limit))
                    .into(),
            ),
        };
        let bounded = bound(&given.text, max_chars);
        // Which reads may be tried again is the loop's decision; a slow disk or network may be faster next time.
        let transient = outcome == Outcome::TimedOut;
        let (content, cut_chars) = (bounded.text, bounded.cut_chars);
        ToolReport {
            outcome,
            content,
            written: None,
            cut_chars,
            facts: given.facts,
            images: given.images,
            transient,
            refused: false,
            remote: None,
            is_unsent: false,
        }
    }
}

/// What a tool gives when it went well.
pub(super) struct ToolOutput {
    /// What the model reads.
    pub(super) text: String,
    /// What it sees beside that.
    pub(super) images: Vec<Image>,
    /// What else a screen or the loop needs.
    pub(super) facts: Facts,
}

impl ToolOutput {
    /// This text, and what it says in a few words.
    pub(super) fn summed_up(text: String, summary: Summary) -> Self {
        Self { text, images: Vec::new(), facts: Facts { summary: Some(summary), ..Facts::default() } }
    }
}

impl From<String> for ToolOutput {
    fn from(text: String) -> Self {
        Self { text, images: Vec::new(), facts: Facts::default() }
    }
}

/// A tool with these arguments and no others. An argument called `path` is a path: it is resolved before the decision.
pub(super) fn spec(
    name: &str,
    description: &str,
    properties: Value,
    required: &[&str],
    effect: SideEffect,
) -> ToolSpec {
    let paths = if properties.get("path").is_some() { vec!["path".to_owned()] } else { vec![] };
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        schema: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
        effect,
        kind: ToolKind::Plain,
        paths,
        timeout_ms: None,
        retrieves: false,
    }
}
