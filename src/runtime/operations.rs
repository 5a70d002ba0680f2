//! Named, cancellable operations. One way to cancel: the task of that name is aborted, which drops what it holds.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::agent::{Effect, Input, Operation, TimerId};
use crate::hooks::HookCall;
use crate::ledger::{EntryId, Outcome};
use crate::model::{FailureClass, ModelEvent, ModelFailure, ModelNews, Request};
use crate::tool::{Invocation, ToolNews, ToolReport};

use super::ports::{HookPort, ModelPort, ToolPort};

/// Everything that is under way.
pub(super) struct Operations {
    model: Arc<dyn ModelPort>,
    tools: Arc<dyn ToolPort>,
    hooks: Arc<dyn HookPort>,
    inputs: mpsc::Sender<Input>,
    running: BTreeMap<Operation, JoinHandle<()>>,
}

impl Operations {
    pub(super) fn new(
        model: Box<dyn ModelPort>,
        tools: Box<dyn ToolPort>,
        hooks: Box<dyn HookPort>,
        inputs: mpsc::Sender<Input>,
    ) -> Self {
        Self {
            model: model.into(),
            tools: tools.into(),
            hooks: hooks.into(),
            inputs,
            running: BTreeMap::new(),
        }
    }

    /// Starts what an effect asks for. Writing and telling are not operations: they change nothing here.
    pub(super) fn start(&mut self, effect: Effect) {
        self.running.retain(|_, task| !task.is_finished());
        let inputs = self.inputs.clone();
        let (name, task) = match effect {
            Effect::CallModel(message, request) => {
                let task = tokio::spawn(call_model(Arc::clone(&self.model), message, *request, inputs));
                (Operation::Model(message), task)
            }
            Effect::Prepare(invocation) => (
                Operation::Preparation(invocation.call),
                tokio::spawn(prepare(Arc::clone(&self.tools), invocation, inputs)),
            ),
            Effect::RunTool(invocation) => (
                Operation::Tool(invocation.call),
                tokio::spawn(run_tool(Arc::clone(&self.tools), invocation, inputs)),
            ),
            Effect::RunHooks(call) => {
                (Operation::Hooks(call.id), tokio::spawn(run_hooks(Arc::clone(&self.hooks), call, inputs)))
            }
            Effect::SetTimer(timer, after_ms) => {
                (Operation::Timer(timer), tokio::spawn(wait(timer, after_ms, inputs)))
            }
            Effect::Cancel(_) | Effect::Append(_) | Effect::Emit(_) => return,
        };
        self.running.insert(name, task);
    }

    /// Ends an operation. What it holds is dropped: connections close, process groups get TERM, then KILL.
    pub(super) fn cancel(&mut self, operation: Operation) {
        if let Some(task) = self.running.remove(&operation) {
            task.abort();
        }
    }

    /// Ends all of them.
    pub(super) fn cancel_all(&mut self) {
        while let Some((_, task)) = self.running.pop_first() {
            task.abort();
        }
    }

    /// Ends all of them and waits until what they held is dropped.
    pub(super) async fn end(&mut self) {
        while let Some((_, task)) = self.running.pop_first() {
            task.abort();
            // The only errors are "was cancelled" and "panicked"; either way it is over.
            drop(task.await);
        }
    }
}

/// Most news of a model that are gathered at once.
const MOST_NEWS: usize = 256;
/// After so many at once the server has to wait for a moment. That is still more than a screen can show, and keys and
/// other programs find the machine free.
const BREATH: Duration = Duration::from_millis(1);

async fn call_model(
    model: Arc<dyn ModelPort>,
    message: EntryId,
    request: Request,
    inputs: mpsc::Sender<Input>,
) {
    let mut stream = model.stream(request).fuse();
    let mut ended = false;
    while !ended && let Some(first) = stream.next().await {
        let several = gathered(first, &mut stream).await;
        let is_flood = several.len() >= MOST_NEWS;
        for news in joined(several) {
            ended |= matches!(news, ModelNews::Finished | ModelNews::Failed(_));
            if inputs.send(Input::Model(message, news)).await.is_err() {
                return;
            }
        }
        if is_flood && !ended {
            tokio::time::sleep(BREATH).await;
        }
    }
    if !ended {
        let failure = ModelFailure::new(FailureClass::Transient, "The model's stream ended without an end.");
        report(&inputs, Input::Model(message, ModelNews::Failed(failure))).await;
    }
}

/// News and what follows them at once. A server that writes faster than anybody reads is heard in large pieces, so that
/// it leaves time for everything else; nobody waits here for what is still on its way.
async fn gathered(first: ModelNews, stream: &mut (impl Stream<Item = ModelNews> + Unpin)) -> Vec<ModelNews> {
    let mut news = vec![first];
    let mut is_patient = true;
    while news.len() < MOST_NEWS {
        match poll_fn(|context| Poll::Ready(stream.poll_next_unpin(context))).await {
            Poll::Ready(Some(more)) => {
                news.push(more);
                is_patient = true;
            }
            // The connection may have more, and only needs its turn to say so.
            Poll::Pending if std::mem::take(&mut is_patient) => tokio::task::yield_now().await,
            Poll::Pending | Poll::Ready(None) => break,
        }
    }
    news
}

/// The same news with each text in one piece: what is there at once need not be said in as many steps as it was sent.
fn joined(several: Vec<ModelNews>) -> Vec<ModelNews> {
    let mut joined: Vec<ModelNews> = Vec::with_capacity(several.len().min(4));
    for news in several {
        match (joined.last_mut(), news) {
            (Some(ModelNews::Event(ModelEvent::Text(text))), ModelNews::Event(ModelEvent::Text(more)))
            | (
                Some(ModelNews::Event(ModelEvent::Thinking(text))),
                ModelNews::Event(ModelEvent::Thinking(more)),
            ) => text.push_str(&more),
            (
                Some(ModelNews::Event(ModelEvent::CallArguments { index, text })),
                ModelNews::Event(ModelEvent::CallArguments { index: same, text: more }),
            ) if *index == same => text.push_str(&more),
            (_, news) => joined.push(news),
        }
    }
    joined
}

async fn prepare(tools: Arc<dyn ToolPort>, invocation: Invocation, inputs: mpsc::Sender<Input>) {
    let call = invocation.call;
    let found = tools.prepare(invocation).await;
    report(&inputs, Input::Prepared(call, found)).await;
}

/// Runs a tool and passes on its live output. A tool that panics has failed; the loop lives on.
async fn run_tool(tools: Arc<dyn ToolPort>, invocation: Invocation, inputs: mpsc::Sender<Input>) {
    let call = invocation.call;
    let (output_to, mut output) = mpsc::channel::<String>(16);
    let live = inputs.clone();
    let pass_on = async move {
        while let Some(chunk) = output.recv().await {
            if live.send(Input::Tool(call, ToolNews::Output(chunk))).await.is_err() {
                break;
            }
        }
    };
    let guarded = std::panic::AssertUnwindSafe(tools.run(invocation, output_to));
    let (done, ()) = tokio::join!(futures_util::FutureExt::catch_unwind(guarded), pass_on);
    let done = done.unwrap_or_else(|_panic| ToolReport {
        outcome: Outcome::Failed,
        content: "The tool crashed: this is a bug of countersign. Its effects may be partial; check before repeating."
            .to_owned(),
        cut_chars: 0,
        images: Vec::new(),
        transient: false,
            refused: false,
    });
    report(&inputs, Input::Tool(call, ToolNews::Done(done))).await;
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
        tracing::debug!("news of an operation came after the loop had ended");
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    fn text(words: &str) -> ModelNews {
        ModelNews::Event(ModelEvent::Text(words.to_owned()))
    }

    #[test]
    fn texts_of_one_kind_are_joined_and_nothing_changes_its_place() {
        let thought = |words: &str| ModelNews::Event(ModelEvent::Thinking(words.to_owned()));
        let piece =
            |index, text: &str| ModelNews::Event(ModelEvent::CallArguments { index, text: text.to_owned() });
        let done = || ModelNews::Event(ModelEvent::ThinkingDone { replay: None });
        let said = vec![
            thought("a"),
            thought("b"),
            done(),
            thought("c"),
            text("d"),
            text("e"),
            piece(0, "{"),
            piece(0, "}"),
            piece(1, "{}"),
            text("f"),
            ModelNews::Finished,
        ];
        let heard = [
            thought("ab"),
            done(),
            thought("c"),
            text("de"),
            piece(0, "{}"),
            piece(1, "{}"),
            text("f"),
            ModelNews::Finished,
        ];
        assert_eq!(joined(said), heard);
    }

    #[tokio::test]
    async fn a_flood_is_gathered_up_to_a_bound_and_what_is_slow_is_not_waited_for() {
        let mut flood = stream::iter((0..1_000).map(|_| text("x")));
        assert_eq!(gathered(text("first"), &mut flood).await.len(), MOST_NEWS);
        // A connection that needs a turn of its own before each piece.
        let mut its_turn = false;
        let mut left = 5;
        let mut polite = stream::poll_fn(move |context| {
            its_turn = !its_turn;
            if its_turn {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            left -= 1;
            Poll::Ready((left >= 0).then(|| text("x")))
        });
        assert_eq!(gathered(text("first"), &mut polite).await.len(), 6);
        let mut slow = stream::iter([text("x")]).chain(stream::pending());
        assert_eq!(gathered(text("first"), &mut slow).await.len(), 2);
    }
}
