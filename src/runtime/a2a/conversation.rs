//! One task and one agent, from the message to the end. It runs in a task of its own, because what was handed over must be
//! taken back when nobody waits for it any more.

use std::pin::{Pin, pin};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::cancel::{afterwards, farewell, found};
use super::delegation::{Handover, TaskContext};
use super::exchange::Exchange;
use super::progress::{ended, shown_id};
use crate::ledger::{Outcome, RemoteTask, TaskState, seconds};
use crate::tool::{Shown, ToolReport};

/// How long a task may take to be named and cancelled after Esc.
const FAREWELL: Duration = Duration::from_secs(5);
/// The same when somebody waits for the result meanwhile.
const SHORT_FAREWELL: Duration = Duration::from_secs(2);

/// How the waiting for a task ended.
enum End {
    /// By itself.
    Report(ToolReport),
    /// Somebody pressed Esc, or it took too long.
    Cut(Cut),
}

struct Cut {
    timed_out: bool,
    /// Until when the agent may be waited for.
    until: Instant,
    /// What came of the task while its name was waited for.
    meanwhile: Option<ToolReport>,
}

impl Handover {
    /// Holds it to its end, and hands the report over. When nobody waits for that any more, the task is taken back.
    pub(super) async fn hold(self, output: mpsc::Sender<Shown>, mut over: oneshot::Sender<ToolReport>) {
        let known = TaskContext::nothing();
        let end = self.wait(&known, output, &mut over).await;
        let report = match end {
            End::Report(report) => report,
            End::Cut(cut) if cut.timed_out => self.timed_out(&known, cut).await,
            End::Cut(cut) => {
                let news = self.take_back(&known, cut).await;
                return self.tell_late(&known, news).await;
            }
        };
        if let Err(unheard) = over.send(weighed(&known, report)) {
            let until = Instant::now() + FAREWELL;
            let cut = Cut { timed_out: false, until, meanwhile: Some(unheard) };
            let news = self.take_back(&known, cut).await;
            self.tell_late(&known, news).await;
        }
    }

    async fn wait(
        &self,
        known: &TaskContext,
        output: mpsc::Sender<Shown>,
        over: &mut oneshot::Sender<ToolReport>,
    ) -> End {
        let exchange = Exchange::new(self, known, output);
        let mut work = pin!(exchange.run());
        let too_late = Instant::now() + Duration::from_millis(self.timeout_ms);
        let timed_out = {
            tokio::select! {
                biased;
                report = work.as_mut() => return End::Report(report),
                () = over.closed() => false,
                () = sleep_until(too_late) => true,
            }
        };
        let until = Instant::now() + if timed_out { SHORT_FAREWELL } else { FAREWELL };
        let meanwhile = self.listen_for_a_name(work, known, until).await;
        End::Cut(Cut { timed_out, until, meanwhile })
    }

    /// A task that was sent can be taken back only by its name.
    async fn listen_for_a_name(
        &self,
        work: Pin<&mut impl Future<Output = ToolReport>>,
        known: &TaskContext,
        until: Instant,
    ) -> Option<ToolReport> {
        // An agent that names a task only when it is over is asked in another way.
        let lists = known.ready.get().is_some_and(|ready| ready.link.dialect().list().is_some());
        if !known.sent.load(Relaxed) || self.name(known).is_some() || lists {
            return None;
        }
        let mut task = known.task.subscribe();
        let named = pin!(task.wait_for(|(id, _)| id.is_some()));
        match timeout_at(until, select(work, named)).await {
            Ok(Either::Left((report, _))) => Some(report),
            Ok(Either::Right(_)) | Err(_) => None,
        }
    }

    /// What the agent calls the task, as it said or as the call says.
    fn name(&self, known: &TaskContext) -> Option<String> {
        known.task.borrow().0.clone().or_else(|| self.message.task.clone())
    }

    /// Cancels the task if it is under way, and says in a sentence what became of it.
    async fn take_back(&self, known: &TaskContext, cut: Cut) -> ToolReport {
        let agent = &self.kept.agent.name;
        if let Some(report) = cut.meanwhile {
            let rests = report.remote.as_ref().is_some_and(|task| task.id.is_some() && !ended(task.state));
            if !rests {
                return afterwards(agent, report);
            }
        }
        let ready = known.ready.get().filter(|_| known.sent.load(Relaxed));
        let Some(ready) = ready else {
            let remote = Some(RemoteTask { id: None, state: TaskState::Unknown });
            return ToolReport {
                remote,
                ..ToolReport::failed(format!("nothing was sent to the agent {agent}"))
            };
        };
        let id = match self.name(known) {
            Some(id) => Some(id),
            None => found(&ready.link, &self.message.id, cut.until).await,
        };
        let Some(id) = id else {
            let words = format!(
                "perhaps not canceled: the agent {agent} never reported a task id, so it may still be \
                working on it"
            );
            let remote = Some(RemoteTask { id: None, state: TaskState::Unknown });
            return ToolReport { remote, ..ToolReport::failed(words) };
        };
        let (words, state) = farewell(&ready.link, &self.kept, &id, (cut.until, self.max_chars)).await;
        let state = state.unwrap_or(known.task.borrow().1);
        ToolReport {
            remote: Some(RemoteTask { id: Some(shown_id(&id)), state }),
            ..ToolReport::failed(words)
        }
    }

    async fn timed_out(&self, known: &TaskContext, cut: Cut) -> ToolReport {
        let became = self.take_back(known, cut).await;
        let words = format!("timed out after {}; {}", seconds(self.timeout_ms), became.content);
        ToolReport { outcome: Outcome::TimedOut, content: words, ..became }
    }

    async fn tell_late(&self, known: &TaskContext, news: ToolReport) {
        if let Some(late) = &self.late {
            let content = sentence(&news.content);
            late.tell(self.call, weighed(known, ToolReport { content, ..news })).await;
        }
    }
}

/// The report, with whether anything was sent at all: where not, nothing was spent elsewhere.
fn weighed(known: &TaskContext, report: ToolReport) -> ToolReport {
    ToolReport { is_unsent: !known.sent.load(Relaxed), ..report }
}

/// Words that stand alone; what the agent answered stands below them as it is.
fn sentence(words: &str) -> String {
    let (line, answer) = words.split_at(words.find('\n').unwrap_or(words.len()));
    let mut letters = line.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.{answer}", letters.as_str())
}
