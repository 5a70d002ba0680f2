//! The doors of the driver: whoever can do one of these things can be plugged in.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{future::BoxFuture, stream::BoxStream};
use tokio::sync::mpsc;

use crate::agent::{Input, Intent, SubagentStart};
use crate::hooks::{HookAnswer, HookCall};
use crate::ledger::{BackgroundStatus, CallId, CutBy, Entry};
use crate::model::{ModelNews, Request};
use crate::tool::{Discovered, Invocation, Preparation, Shown, ToolNews, ToolReport, Typed};

/// Speaks to models. The stream ends with exactly one `Finished` or `Failed`; dropping it ends the call and
/// closes its connection.
pub trait ModelPort: Send + Sync {
    /// Makes one model call.
    fn stream(&self, request: Request) -> BoxStream<'static, ModelNews>;

    /// How long pieces of an answer are gathered that follow each other quickly. A millisecond is still more than a screen can show,
    /// and since no thread is woken for each piece, keys and other programs find the machine free.
    fn breath(&self) -> Duration {
        Duration::from_millis(1)
    }
}

/// The same models for who is not read word by word, as a sub-agent is whose panel shows the end of what it says: many of them wake a
/// thread no more often than the screen shows something new.
pub struct Unhurried<P>(pub P);

impl<P: ModelPort> ModelPort for Unhurried<P> {
    fn stream(&self, request: Request) -> BoxStream<'static, ModelNews> {
        self.0.stream(request)
    }

    fn breath(&self) -> Duration {
        Duration::from_millis(25)
    }
}

/// Where news goes of calls that were cut short: what they came to elsewhere is a note in the books.
#[derive(Debug, Clone)]
pub struct LateNews(mpsc::Sender<Input>);

impl LateNews {
    /// News that become these inputs.
    pub fn new(inputs: mpsc::Sender<Input>) -> Self {
        Self(inputs)
    }

    /// Tells that a background command has ended, and how. Once the loop has ended nobody hears it.
    pub async fn ended(&self, began: CallId, standing: BackgroundStatus) {
        if self.0.send(Input::Tool(began, ToolNews::Ended(standing))).await.is_err() {
            tracing::debug!("a background command ended after the loop had");
        }
    }

    /// Tells what became of a call after it was cut short. Once the loop has ended nobody hears it.
    pub async fn tell(&self, call: CallId, report: ToolReport) {
        if self.0.send(Input::Tool(call, ToolNews::Done(Box::new(report)))).await.is_err() {
            tracing::debug!("the end of a call that was cut short came after the loop had ended");
        }
    }
}

/// Runs tools.
pub trait ToolPort: Send + Sync {
    /// Finds the tools that come from elsewhere; none, unless there are such. Comes to an end: whoever is slow is
    /// reported as missing.
    fn discover(&self) -> BoxFuture<'static, Discovered> {
        Box::pin(std::future::ready(Discovered::default()))
    }

    /// Looks at what a call would do; changes nothing. Dropping the future ends the look.
    fn prepare(&self, invocation: Invocation) -> BoxFuture<'static, Preparation>;

    /// Runs a call to its end or its timeout. Live output goes to `output`, at a pace that a screen can use.
    /// Dropping the future cancels the run and ends the whole process group: TERM, then KILL.
    fn run(&self, invocation: Invocation, output: mpsc::Sender<Shown>) -> BoxFuture<'static, ToolReport>;

    /// Hears, once and before anything runs, whom to tell what became of calls that were cut short. Only a tool whose
    /// work goes on elsewhere has anything to tell.
    fn tell_late(&self, _to: LateNews) {}

    /// Waits until what was taken back elsewhere is known to be, for a bounded time. Asked last, when nothing runs.
    fn close(&self) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Passes on what a person has typed into the terminal of a running call. Never waits: what a call without one,
    /// or one that is over, is told is dropped, and so is what a command does not read in time.
    fn type_into(&self, call: CallId, typed: Typed);

    /// Ends a command that goes on in the background, by its id. Never waits: its end is told as every other.
    fn stop_background(&self, id: &str);

    /// Makes what the first look needs, while the first answer is awaited. May block.
    fn warm_up(&self) {}

    /// Hears that a call has its result, whether it ran or not: what was kept for it is let go.
    fn over(&self, _call: CallId) {}

    /// Hears that the model may not see all that it was told by now: a summary took its place, or it was withdrawn or cut
    /// short.
    fn context_lost(&self) {}
}

/// Runs sub-agents, each as a session of its own.
pub trait SubagentPort: Send + Sync {
    /// Hears of one that will be started as soon as its start is on record. What is made for it until then has no consequence, and
    /// nothing of it stays if it is not started. Never waits.
    fn foresee(&self, _start: &SubagentStart) {}

    /// Starts one. What happens to it comes as [`Input::Subagent`], its report last and always.
    fn start(&self, start: SubagentStart, news: mpsc::Sender<Input>);

    /// Passes on what a person wants of one. Never waits.
    fn tell(&self, call: CallId, intent: Intent);

    /// Has one stop, settle and report; it records who stopped it. Never waits.
    fn stop(&self, call: CallId, by: CutBy);

    /// Stops all of them and waits until they have settled, for a bounded time.
    fn close(&self) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// Runs hooks.
pub trait HookPort: Send + Sync {
    /// Tells all hooks that listen at this point, each to its end or its timeout; their answers in the order of the
    /// configuration, none when nobody listens. Dropping the future ends their process groups: TERM, then KILL.
    fn run(&self, call: HookCall) -> BoxFuture<'static, Vec<HookAnswer>>;
}

/// Keeps the books. After an error nothing is kept of what was not durable before it: all of that is to be appended again.
pub trait StorePort: Send {
    /// Writes all entries of one step with one write. They outlive the process at once; that they outlive the machine
    /// too is what [`StorePort::sync`] is for.
    ///
    /// # Errors
    /// What could not be written and why; nothing may act before it is.
    fn append(&mut self, entries: &[Arc<Entry>]) -> Result<(), StoreError>;

    /// Returns when everything that was appended is durable.
    ///
    /// # Errors
    /// What could not be made durable and why; nothing may act before it is.
    fn sync(&mut self) -> Result<(), StoreError>;
}

/// Why the books could not be written: a sentence for people, and what can be done about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The file cannot be made, because something else has its name.
    #[error("{0}")]
    NameTaken(String),
    /// Anything else: a full disk, a folder that cannot be written, a file that was moved.
    #[error("{0}")]
    Unwritable(String),
}

impl StoreError {
    /// Whether it can pass, so that it is worth trying again.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::NameTaken(_) => false,
            Self::Unwritable(_) => true,
        }
    }
}

impl From<String> for StoreError {
    fn from(why: String) -> Self {
        Self::Unwritable(why)
    }
}
