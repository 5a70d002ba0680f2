//! Named, cancellable operations. One way to cancel: the task of that name is aborted, which drops what it holds.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{BoxStream, Stream, StreamExt as _, poll_fn};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tracing::{Instrument as _, Span};

use crate::agent::{Effect, Input, Operation, TimerId};
use crate::hooks::HookCall;
use crate::ledger::CallId;
use crate::model::ModelNews;
use crate::tool::{Invocation, Shown, ToolNews, ToolReport, warm_up};

use super::ports::{HookPort, LateNews, ModelPort, SubagentPort, ToolPort};
use super::stream_pump::hear;

/// Everything that is under way.
pub(super) struct Operations {
    model: Arc<dyn ModelPort>,
    tools: Arc<dyn ToolPort>,
    hooks: Arc<dyn HookPort>,
    subagents: Box<dyn SubagentPort>,
    inputs: mpsc::Sender<Input>,
    running: BTreeMap<Operation, JoinHandle<()>>,
    /// Those that were cancelled and may still hold something.
    cancelled: Vec<JoinHandle<()>>,
    is_warm: bool,
}

impl Operations {
    pub(super) fn new(
        model: Box<dyn ModelPort>,
        tools: Box<dyn ToolPort>,
        hooks: Box<dyn HookPort>,
        subagents: Box<dyn SubagentPort>,
        inputs: mpsc::Sender<Input>,
    ) -> Self {
        tools.tell_late(LateNews::new(inputs.clone()));
        Self {
            model: model.into(),
            tools: tools.into(),
            hooks: hooks.into(),
            subagents,
            inputs,
            running: BTreeMap::new(),
            cancelled: Vec::new(),
            is_warm: false,
        }
    }

    /// What an effect needs is made while it waits for its entries to be durable, where that has no consequence.
    pub(super) fn foresee(&self, effect: &Effect) {
        if let Effect::StartSubagent(start) = effect {
            self.subagents.foresee(start);
        }
    }

    /// Starts what an effect asks for. What is typed is passed on at once. Writing and telling are not operations: they
    /// change nothing here.
    pub(super) fn start(&mut self, effect: Effect, span: Span) {
        self.running.retain(|_, task| !task.is_finished());
        let inputs = self.inputs.clone();
        let (name, task) = match effect {
            Effect::CallModel(message, request) => {
                let (model, cold) = (Arc::clone(&self.model), self.cold_tools());
                let asked = async move {
                    let answer = asked_first(model.stream(*request), cold);
                    hear(answer, model.breath(), message, inputs).await;
                };
                (Operation::Model(message), tokio::spawn(asked.instrument(span)))
            }
            Effect::Prepare(invocation) => (
                Operation::Preparation(invocation.call),
                tokio::spawn(prepare(Arc::clone(&self.tools), invocation, inputs).instrument(span)),
            ),
            Effect::RunTool(invocation) => (
                Operation::Tool(invocation.call),
                tokio::spawn(run_tool(Arc::clone(&self.tools), invocation, inputs).instrument(span)),
            ),
            Effect::RunHooks(call) => (
                Operation::Hooks(call.id),
                tokio::spawn(run_hooks(Arc::clone(&self.hooks), call, inputs).instrument(span)),
            ),
            Effect::DiscoverTools => (
                Operation::Discovery,
                tokio::spawn(discover(Arc::clone(&self.tools), inputs).instrument(span)),
            ),
            Effect::SetTimer(timer, after_ms) => {
                (Operation::Timer(timer), tokio::spawn(wait(timer, after_ms, inputs).instrument(span)))
            }
            Effect::TypeInto(call, typed) => return self.tools.type_into(call, typed),
            Effect::StartSubagent(start) => return self.subagents.start(*start, inputs),
            Effect::TellSubagent(call, intent) => return self.subagents.tell(call, *intent),
            Effect::StopBackground(_, id) => return self.tools.stop_background(&id),
            Effect::Cancel(_) | Effect::Append(_) | Effect::Emit(_) => return,
        };
        self.running.insert(name, task);
    }

    /// A call has its result.
    pub(super) fn over(&self, call: CallId) {
        self.tools.over(call);
    }

    /// The model may not see all that tools have told it.
    pub(super) fn context_lost(&self) {
        self.tools.context_lost();
    }

    /// The tools, if nothing was made yet that their first call needs.
    fn cold_tools(&mut self) -> Option<Arc<dyn ToolPort>> {
        (!std::mem::replace(&mut self.is_warm, true)).then(|| Arc::clone(&self.tools))
    }

    /// Ends an operation. What it holds is dropped: connections close, process groups get TERM, then KILL.
    pub(super) fn cancel(&mut self, operation: Operation) {
        if let Operation::Subagent(call, by) = operation {
            return self.subagents.stop(call, by);
        }
        if let Some(task) = self.running.remove(&operation) {
            task.abort();
            self.cancelled.retain(|task| !task.is_finished());
            self.cancelled.push(task);
        }
    }

    /// Waits for hooks that nobody waits for: they were told of the end of a run, and may finish what they do with it.
    /// Everything else ends at once.
    pub(super) async fn let_hooks_end(&mut self) {
        let is_hooks = |operation: &Operation| matches!(operation, Operation::Hooks(_));
        let others: Vec<Operation> = self.running.keys().copied().filter(|name| !is_hooks(name)).collect();
        others.into_iter().for_each(|name| self.cancel(name));
        for task in self.running.values_mut() {
            // The only errors are "was cancelled" and "panicked"; either way it is over.
            drop(task.await);
        }
        self.running.clear();
    }

    /// Ends all of them and waits until what they held is dropped, and taken back where it goes on elsewhere.
    pub(super) async fn end(&mut self) {
        while let Some((_, task)) = self.running.pop_first() {
            task.abort();
            // The only errors are "was cancelled" and "panicked"; either way it is over.
            drop(task.await);
        }
        // What these hold says, as it is dropped, what is to be taken back elsewhere.
        for task in self.cancelled.drain(..) {
            drop(task.await);
        }
        self.subagents.close().await;
        self.tools.close().await;
    }
}

/// While the first answer is on its way, what the first tool call needs is made: the rules of schemas, the borders of the
/// workspace, and a thread. The request goes first: where there are few processors, it would wait for all that.
fn asked_first(
    mut answer: BoxStream<'static, ModelNews>,
    mut cold: Option<Arc<dyn ToolPort>>,
) -> impl Stream<Item = ModelNews> + Unpin {
    poll_fn(move |context| {
        let news = answer.poll_next_unpin(context);
        if let Some(tools) = cold.take() {
            drop(tokio::task::spawn_blocking(move || {
                warm_up();
                tools.warm_up();
            }));
        }
        news
    })
}

async fn prepare(tools: Arc<dyn ToolPort>, invocation: Invocation, inputs: mpsc::Sender<Input>) {
    let call = invocation.call;
    let found = tools.prepare(invocation).await;
    report(&inputs, Input::Prepared(call, found)).await;
}

async fn discover(tools: Arc<dyn ToolPort>, inputs: mpsc::Sender<Input>) {
    let found = tools.discover().await;
    report(&inputs, Input::Discovered(found)).await;
}

const CRASHED: &str =
    "The tool crashed: this is a bug of countersign. Its effects may be partial; check before repeating.";

/// Runs a tool and passes on its live output. A tool that panics has failed; the loop lives on.
async fn run_tool(tools: Arc<dyn ToolPort>, invocation: Invocation, inputs: mpsc::Sender<Input>) {
    let call = invocation.call;
    let (output_to, mut output) = mpsc::channel::<Shown>(16);
    let live = inputs.clone();
    let pass_on = async move {
        while let Some(piece) = output.recv().await {
            if live.send(Input::Tool(call, ToolNews::Output(piece))).await.is_err() {
                break;
            }
        }
    };
    let guarded = std::panic::AssertUnwindSafe(tools.run(invocation, output_to));
    let (done, ()) = tokio::join!(futures_util::FutureExt::catch_unwind(guarded), pass_on);
    let done = done.unwrap_or_else(|_panic| ToolReport::failed(CRASHED));
    report(&inputs, Input::Tool(call, ToolNews::Done(Box::new(done)))).await;
}

async fn run_hooks(hooks: Arc<dyn HookPort>, call: HookCall, inputs: mpsc::Sender<Input>) {
    let id = call.id;
    let answers = hooks.run(call).await;
    report(&inputs, Input::Hooks(id, answers)).await;
}

async fn wait(timer: TimerId, after_ms: u64, inputs: mpsc::Sender<Input>) {
    tokio::time::sleep(Duration::from_millis(after_ms)).await;
    report(&inputs, Input::Timer(timer)).await;
}

/// Sends the last news of an operation. Nobody listens only while the loop is going down.
async fn report(inputs: &mpsc::Sender<Input>, input: Input) {
    if inputs.send(input).await.is_err() {
        tracing::debug!("an operation reported after the loop had ended");
    }
}
