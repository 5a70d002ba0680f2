//! The built-in tools, on the files and programs of this machine.

mod adopt;
mod all_tools;
pub(super) mod anchor;
mod arguments;
mod ask;
mod attach;
mod attributes;
mod background;
mod beneath;
mod borders;
mod change;
pub(super) mod command;
mod credentials;
mod diff;
mod echo;
mod edit;
mod editor;
mod encoding;
mod environment;
mod fetch;
mod file;
mod filter;
mod gather;
mod glob;
mod heard;
mod ignored;
mod keyboard;
mod kind;
mod list;
pub(super) mod live;
mod local_tools;
mod named;
mod pages;
mod past;
pub(super) mod picture;
mod plan;
mod printed;
mod read;
mod repeat;
mod replace;
mod search;
mod seen;
mod shell;
mod shell_kill;
mod shell_output;
mod stop;
mod strings;
mod target;
mod terminal;
mod tool;
mod trailers;
mod walk;
mod way;
pub(super) mod words;
pub(super) mod workspace;
mod write;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use crate::ledger::CallId;
use crate::policy::one_reading;
use crate::tool::{
    Discovered, Invocation, Preparation, Shown, SideEffect, Territory, ToolKind, ToolReport, Typed,
};

use super::ports::{LateNews, ToolPort};
use all_tools::tool_named;
use stop::{StopFlag, off_thread};
use target::Target;
use tool::{LookedAt, RunningCall};

pub use all_tools::{echo_spec, tool_specs};
pub use attach::{FileNames, ListedFile, MentionedFile, NotAttached, WorkspaceFiles};
pub use background::BackgroundOutput;
pub use credentials::looks_secret;
pub(crate) use credentials::{holds_secret, is_secret_header};
pub(super) use diff::compare;
pub use editor::{EditorFailure, EditorFiles};
pub use environment::for_programs;
pub(super) use environment::{for_commands, with_given};
pub use fetch::{AllowedHost, Reach};
pub use local_tools::LocalTools;
pub use named::open_named;
pub use past::PastPlaces;
pub(super) use repeat::repeat;
pub use workspace::names_of;

impl LocalTools {
    /// What a person attaches to messages, by the same rules as `read`.
    pub fn files(&self) -> WorkspaceFiles {
        WorkspaceFiles::new(Arc::clone(&self.workspace), Arc::clone(&self.git))
    }

    fn look(&self, invocation: &Invocation, stop: &StopFlag) -> Preparation {
        let mut found = self.workspace.unlooked();
        let mut target = Err("`path` is missing; give it as a string".to_owned());
        let known = tool_named(&invocation.name);
        let spec = known.map(|(_, spec)| spec).filter(|spec| !spec.paths.is_empty());
        let writes = spec.is_some_and(|spec| spec.effect != SideEffect::Reads);
        if let Some(path) = invocation.arguments.text("path").filter(|_| spec.is_some()) {
            target = Target::of(&self.workspace, path).map(Arc::new);
            match &target {
                Ok(target) => {
                    if !stop.is_set() {
                        self.targets.keep(invocation.call, path, target);
                    }
                    found.leads(target.shown.clone(), target.territory);
                    if writes || target.territory != Territory::Inside {
                        found.invalid = one_reading(path).and_then(|()| one_reading(&target.shown)).err();
                    }
                }
                Err(why) => self.workspace.unresolved(path, why, &mut found),
            }
        }
        if let Some((tool, _)) = known {
            tool.look(LookedAt { tools: self, invocation, target, stop }, &mut found);
        }
        if known.is_some_and(|(_, spec)| spec.kind == ToolKind::Shell) {
            // At each of them: a person may confine a command that nobody else would.
            let gaps = self.shell.gaps();
            found.gaps = if invocation.sandboxed { gaps } else { Vec::new() };
        }
        found
    }
}

impl ToolPort for LocalTools {
    fn discover(&self) -> BoxFuture<'static, Discovered> {
        let told = self.absent.iter().filter(|one| one.why.is_told());
        let missing = told.map(|one| one.sentence.clone()).collect();
        Box::pin(std::future::ready(Discovered { missing, ..Discovered::default() }))
    }

    fn tell_late(&self, to: LateNews) {
        self.background.tell(to);
    }

    fn prepare(&self, invocation: Invocation) -> BoxFuture<'static, Preparation> {
        // At a call of another tool there is nothing to look at: no thread is needed for that.
        if tool_named(&invocation.name).is_none() {
            return Box::pin(std::future::ready(self.workspace.unlooked()));
        }
        let tools = self.clone();
        Box::pin(async move {
            // What could not be looked at is not called inside: a person decides.
            off_thread(move |stop| tools.look(&invocation, stop))
                .await
                .unwrap_or_else(|failure| Preparation { outside: vec![failure], ..Preparation::default() })
        })
    }

    fn run(&self, invocation: Invocation, output: mpsc::Sender<Shown>) -> BoxFuture<'static, ToolReport> {
        let tools = self.clone();
        Box::pin(survive(async move {
            let known = tool_named(&invocation.name);
            let call = RunningCall { tools, invocation };
            match known {
                Some((tool, _)) => tool.run(call, output).await,
                None => call.off_thread(|call, _stop| Err(call.unknown())).await,
            }
        }))
    }

    fn type_into(&self, call: CallId, typed: Typed) {
        self.keyboards.type_into(call, typed);
    }

    fn stop_background(&self, id: &str) {
        self.background.stop(id);
    }

    fn warm_up(&self) {
        self.workspace.warm_up();
    }

    fn over(&self, call: CallId) {
        self.targets.over(call);
        self.seen.over(call);
    }
}

/// A tool that panics has failed; the loop goes on.
async fn survive(run: impl Future<Output = ToolReport>) -> ToolReport {
    let broke = "the tool crashed; its effects may be partial; check, then try another way";
    AssertUnwindSafe(run).catch_unwind().await.unwrap_or_else(|_| ToolReport::failed(broke))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Outcome;

    #[tokio::test]
    async fn a_panic_is_a_failure_wherever_it_happens() {
        let report = survive(async { panic!("planted") }).await;
        assert_eq!(report.outcome, Outcome::Failed);
        let work = off_thread(|_| -> String { panic!("planted") }).await;
        assert!(work.unwrap_err().contains("planted"));
    }
}
