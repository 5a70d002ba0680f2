//! What is said between us and an agent about one task: the message, what comes of it, questions how it stands.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::delegation::{Handover, TaskContext};
use super::link::{AgentLink, Events, StreamEvent, StreamedAnswer, Trouble};
use super::progress::{TaskProgress, shown_id};
use super::report;
use crate::ledger::TaskState;
use crate::runtime::tools::live::Live;
use crate::runtime::untrusted::{plain, report_apart};
use crate::tool::{Shown, ToolReport};
use crate::wire::a2a::Event;

/// How long after an answer an agent is first asked how the task stands; then after half as long again, each time.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How long an answer to such a question may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Questions in a row that may come to nothing.
const MOST_FAILURES: u32 = 4;
/// How often a task that goes on may be told to wait for an answer before that is believed to be a new question: an agent may
/// say how the task stood before it has taken the answer in.
const AS_IT_WAS: u32 = 5;
/// The error of an agent that does not know a method.
const NO_SUCH_METHOD: i64 = -32601;
/// Most characters of one event that are shown while it works.
const MOST_SHOWN: usize = 20_000;

/// One exchange.
pub(super) struct Exchange<'c> {
    handover: &'c Handover,
    known: &'c TaskContext,
    output: mpsc::Sender<Shown>,
    live: Live,
    told: TaskProgress,
    /// How often it was told as it may have been before.
    as_it_was: u32,
}

impl<'c> Exchange<'c> {
    pub(super) fn new(handover: &'c Handover, known: &'c TaskContext, output: mpsc::Sender<Shown>) -> Self {
        let as_it_was = if handover.message.task.is_some() { 0 } else { AS_IT_WAS };
        let told = TaskProgress::of(handover.message.task.as_deref());
        Self { handover, known, live: Live::new(output.clone()), output, told, as_it_was }
    }

    /// Sends the message, and hears what comes of it to the end.
    pub(super) async fn run(mut self) -> ToolReport {
        let kept = &self.handover.kept;
        let agent = &kept.agent.name;
        let ready = match kept.ready().await {
            Ok(ready) => self.known.ready.get_or_init(|| ready).clone(),
            Err(why) => return ToolReport::failed(format!("the agent {agent} {why}; nothing was sent")),
        };
        let link = &ready.link;
        if self.handover.message.task.is_some() && !link.dialect().goes_on() {
            let words = format!(
                "the agent {agent} does not accept a second message for a task; nothing was \
                sent"
            );
            return ToolReport::failed(words);
        }
        let talked = self.talk(link).await;
        self.live.send(true);
        match talked {
            Ok(()) => self.report().await,
            Err(trouble) => self.failed(trouble),
        }
    }

    /// Until the task is over.
    async fn talk(&mut self, link: &AgentLink) -> Result<(), Trouble> {
        let broke_off = self.hand_over(link).await.err();
        if self.is_over() {
            return Ok(());
        }
        let id = match (&broke_off, self.id()) {
            (_, Some(id)) => id,
            // Who answers only when the task is over may be asked for its name meanwhile.
            (Some(Trouble::Unheard(_)), None) => match self.find(link).await {
                Some(id) => id,
                None => return broke_off.map_or(Ok(()), Err),
            },
            (Some(_), None) => return broke_off.map_or(Ok(()), Err),
            (None, None) => {
                let nothing = "it ended its answer before reporting anything about the task";
                return Err(Trouble::Unheard(nothing.to_owned()));
            }
        };
        if !link.dialect().streams {
            sleep_showing(&mut self.live, FIRST_PAUSE).await;
        }
        match broke_off {
            Some(Trouble::Refused { code, message }) => {
                // It may know more of the task than that something went wrong.
                self.ask(link, &id).await.unwrap_or_default();
                if self.is_over() { Ok(()) } else { Err(Trouble::Refused { code, message }) }
            }
            _ => self.ask_on(link, &id).await,
        }
    }

    /// Sends the message, and hears the answer to its end. Only an agent that does not know the method, and so has taken
    /// nothing, gets it in another way.
    async fn hand_over(&mut self, link: &AgentLink) -> Result<(), Trouble> {
        loop {
            let way = link.dialect();
            let answer = link.send(way.send(&self.handover.message), self.known.sent.clone()).await;
            let heard = match answer {
                Ok(StreamedAnswer::Whole(event)) => self.hear(event).await,
                Ok(StreamedAnswer::Stream(events)) => self.listen(events).await,
                Err(trouble) => Err(trouble),
            };
            match heard {
                Err(Trouble::Refused { code: NO_SUCH_METHOD, message })
                    if self.told.is_nothing() && self.handover.message.task.is_none() =>
                {
                    if !link.unlearn(&way) {
                        return Err(Trouble::Refused { code: NO_SUCH_METHOD, message });
                    }
                }
                heard => return heard,
            }
        }
    }

    /// What the agent calls the task, as far as it said so.
    fn id(&self) -> Option<String> {
        self.known.task.borrow().0.clone()
    }

    /// Looks for the task among those that the agent lists.
    async fn find(&mut self, link: &AgentLink) -> Option<String> {
        let finding = timeout(PATIENCE, link.find(&self.handover.message.id));
        let id = showing(&mut self.live, finding).await.ok()?.ok()??;
        self.told.name(&id);
        self.known.task.send_modify(|task| task.0 = Some(id.clone()));
        self.output.send(Shown::Task(shown_id(&id))).await.unwrap_or_default();
        Some(id)
    }

    /// Hears events until the task is over or there are no more.
    async fn listen(&mut self, mut events: Events) -> Result<(), Trouble> {
        while !self.is_over() {
            let Some(event) = showing(&mut self.live, events.next()).await? else { break };
            self.hear(event).await?;
        }
        Ok(())
    }

    /// Asks how the task stands until it is over.
    async fn ask_on(&mut self, link: &AgentLink, id: &str) -> Result<(), Trouble> {
        let (mut pause, mut failures) = (FIRST_PAUSE, 0);
        loop {
            match self.ask(link, id).await {
                Ok(()) if self.is_over() => return Ok(()),
                Ok(()) => failures = 0,
                Err(Trouble::Unheard(_)) if failures < MOST_FAILURES => failures += 1,
                Err(trouble) => return Err(trouble),
            }
            sleep_showing(&mut self.live, pause).await;
            pause = (pause * 3 / 2).min(LONGEST_PAUSE);
        }
    }

    async fn ask(&mut self, link: &AgentLink, id: &str) -> Result<(), Trouble> {
        let asking = timeout(PATIENCE, link.ask(link.dialect().get(id)));
        let slow = |_elapsed| Trouble::Unheard("it did not answer in time".to_owned());
        let event = showing(&mut self.live, asking).await.map_err(slow)??;
        self.hear(event).await
    }

    /// Whether nothing more comes of the task: it ended, or waits for somebody, and not for what it was just given.
    fn is_over(&self) -> bool {
        self.told.is_over() && (!self.told.waits() || self.as_it_was >= AS_IT_WAS)
    }

    /// Takes an event in.
    ///
    /// # Errors
    /// It is about another task, or could not be taken in.
    async fn hear(&mut self, heard: StreamEvent) -> Result<(), Trouble> {
        let StreamEvent { event, is_large } = heard;
        let is_new = self.known.task.borrow().0.is_none();
        let is_whole = matches!(event, Event::Task(_));
        if let Event::Task(task) = &event
            && !self.told.is_about(&task.id)
        {
            return Err(Trouble::Unheard("it answered about a different task".to_owned()));
        }
        let said =
            if is_large { self.take_apart(event).await? } else { plain(&self.told.take(event), MOST_SHOWN) };
        let may_be_old = is_whole && self.told.waits();
        self.as_it_was = if may_be_old { self.as_it_was.saturating_add(1) } else { AS_IT_WAS };
        let state = self.told.state.unwrap_or(TaskState::Unknown);
        self.known.task.send_modify(|task| {
            task.1 = state;
            if is_new {
                task.0.clone_from(&self.told.id);
            }
        });
        if let Some(id) = self.told.id.as_deref().filter(|_| is_new) {
            // Nobody listens only when the call was cut short, and then it is known already.
            self.output.send(Shown::Task(shown_id(id))).await.unwrap_or_default();
        }
        self.live.push(said.as_bytes());
        if self.live.due_in() == Some(Duration::ZERO) {
            self.live.send(false);
        }
        Ok(())
    }

    /// Takes a large event in on a thread of its own, so that Esc and the time limit are heard meanwhile.
    ///
    /// # Errors
    /// The thread broke, and what was told before went with it.
    async fn take_apart(&mut self, event: Event) -> Result<String, Trouble> {
        let mut told = std::mem::take(&mut self.told);
        let folding = spawn_blocking(move || {
            let said = plain(&told.take(event), MOST_SHOWN);
            (told, said)
        });
        let (told, said) = showing(&mut self.live, folding).await.map_err(|broke| {
            tracing::error!("an agent's answer could not be taken in: {broke}");
            Trouble::Unheard("its answer could not be taken in".to_owned())
        })?;
        self.told = told;
        Ok(said)
    }

    async fn report(self) -> ToolReport {
        let Handover { kept, max_chars, .. } = self.handover;
        let (kept, max_chars, told) = (Arc::clone(kept), *max_chars, self.told);
        let remote = Some(told.remote());
        let report =
            report_apart(move || report::of(&kept.agent.name, &told, &kept.secrets, max_chars)).await;
        ToolReport { remote, ..report }
    }

    /// What is to be said of a task that came to no end that is known.
    fn failed(self, trouble: Trouble) -> ToolReport {
        let Handover { kept, max_chars, .. } = self.handover;
        let agent = &kept.agent.name;
        if !self.known.sent.load(Relaxed) {
            let (Trouble::Closed(why) | Trouble::Unheard(why) | Trouble::Refused { message: why, .. }) =
                trouble;
            let why = kept.secrets.hide(&why);
            return ToolReport::failed(format!(
                "the agent {agent} could not be reached: {why}; nothing was sent"
            ));
        }
        let remote = Some(self.told.remote());
        let report = match (self.told.id.as_deref().map(shown_id), trouble) {
            (None, Trouble::Refused { code, message }) => {
                report::refused(agent, code, &message, &kept.secrets, *max_chars)
            }
            (None, Trouble::Closed(why)) => ToolReport::failed(format!(
                "the agent {agent} did not accept the task: {}",
                kept.secrets.hide(&why)
            )),
            (None, Trouble::Unheard(why)) => ToolReport::failed(format!(
                "the answer of agent {agent} could not be read: {}; it may have accepted the task; check \
                before repeating",
                kept.secrets.hide(&why)
            ))
            .unclear(),
            (Some(id), trouble) => {
                let why = match trouble {
                    Trouble::Refused { code, message } => {
                        format!("{} (error {code})", kept.secrets.hide(&message))
                    }
                    Trouble::Closed(why) | Trouble::Unheard(why) => kept.secrets.hide(&why),
                };
                let words = format!(
                    "the agent {agent} no longer reports the state of its task {id}: {why}; it may still be \
                    working on it; check before repeating"
                );
                report::failed(&words, *max_chars).unclear()
            }
        };
        ToolReport { remote, ..report }
    }
}

/// Waits for something, and shows meanwhile what there is to show.
async fn showing<F: Future>(live: &mut Live, awaited: F) -> F::Output {
    let mut awaited = pin!(awaited);
    while let Some(wait) = live.due_in() {
        match timeout(wait, awaited.as_mut()).await {
            Ok(there) => return there,
            Err(_elapsed) => live.send(false),
        }
    }
    awaited.await
}

async fn sleep_showing(live: &mut Live, pause: Duration) {
    showing(live, sleep(pause)).await;
}
