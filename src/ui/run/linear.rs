//! The loop of a session in lines: lines, Ctrl-C and news of the agent in; words out. Nothing is written twice.

use crate::ledger::UserMessage;
use std::future::{Future, pending};
use std::io::{self, Write, stdout};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::poll_fn;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::timeout;

use crate::agent::Event;

use super::super::linear::{Echo, Line, LinearEffect, LinearSession};
use super::super::outcome::{UiError, UiOutcome};
use super::super::reply::Reply;
use super::super::request::Request;
use super::super::settings::{AppIo, Now, UiSettings};
use super::held_line::HeldLine;
use super::lines::{LineReader, TypedLine};

/// Most news taken in before words are written.
const MOST_NEWS: usize = 256;

/// Tells a session in lines until the user leaves. `interrupts` hears each Ctrl-C (SIGINT).
///
/// # Errors
/// [`UiError`] when stdin cannot be read beside the loop.
pub async fn listen(
    app: AppIo,
    settings: UiSettings,
    interrupts: mpsc::Receiver<()>,
) -> Result<UiOutcome, UiError> {
    let (lines, typed) = LineReader::begin().map_err(UiError::Terminal)?;
    let mut quit = settings.quit.clone();
    let told_to_end = Box::pin(async move {
        if quit.wait_for(|end| *end).await.is_err() {
            pending::<()>().await;
        }
    });
    let mut talk = LinearSession::new(settings.view, settings.entry_json);
    talk.tick((app.now)());
    let known: Vec<String> = settings.notice.into_iter().chain(settings.message).collect();
    talk.begin(&settings.history, (!known.is_empty()).then(|| known.join("\n\n")).as_deref());
    talk.holds(&settings.draft.content);
    let sources = Sources { told_to_end, interrupts, typed, events: app.events, replies: app.replies };
    let mut session = LinearLoop {
        talk,
        lines,
        sources,
        requests: app.requests,
        abort: app.abort,
        now: app.now,
        held: HeldLine::default(),
        is_leaving: false,
        prompted: Duration::ZERO,
        outcome: None,
    };
    let mut first = settings.first;
    while session.outcome.is_none() {
        if let Some(wish) = first.take() {
            session.act(LinearEffect::Send(wish));
        } else {
            session.say();
            if session.outcome.is_some() {
                break;
            }
            session.wait().await;
        }
        // What came together is said together.
        let mut news_left = MOST_NEWS;
        while session.outcome.is_none()
            && news_left > 0
            && let Some(news) = session.sources.next().now_or_never()
        {
            session.take(news);
            news_left -= 1;
        }
    }
    session.talk.end();
    let words = session.talk.words();
    let last = write(&words);
    let outcome = session.outcome.unwrap_or(UiOutcome::Quit);
    Ok(if last.is_ok() { outcome } else { UiOutcome::TerminalGone })
}

/// What can happen.
enum News {
    ToldToEnd,
    Interrupt,
    Typed(TypedLine),
    Agent(Event),
    AgentGone,
    Reply(Reply),
}

/// Where it comes from.
struct Sources {
    told_to_end: Pin<Box<dyn Future<Output = ()> + Send>>,
    interrupts: mpsc::Receiver<()>,
    typed: mpsc::UnboundedReceiver<TypedLine>,
    events: mpsc::Receiver<Event>,
    replies: mpsc::Receiver<Reply>,
}

impl Sources {
    async fn next(&mut self) -> News {
        poll_fn(|context| self.poll(context)).await
    }

    /// In this order: signals, the person, the agent. Who will say no more keeps silent, but for the agent.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<News> {
        if self.told_to_end.as_mut().poll(context).is_ready() {
            return Poll::Ready(News::ToldToEnd);
        }
        if let Poll::Ready(Some(())) = self.interrupts.poll_recv(context) {
            return Poll::Ready(News::Interrupt);
        }
        if let Poll::Ready(Some(typed)) = self.typed.poll_recv(context) {
            return Poll::Ready(News::Typed(typed));
        }
        if let Poll::Ready(event) = self.events.poll_recv(context) {
            return Poll::Ready(event.map_or(News::AgentGone, News::Agent));
        }
        match self.replies.poll_recv(context) {
            Poll::Ready(Some(reply)) => Poll::Ready(News::Reply(reply)),
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }
}

/// Everything the loop holds.
struct LinearLoop {
    talk: LinearSession,
    lines: LineReader,
    sources: Sources,
    requests: mpsc::Sender<Request>,
    abort: mpsc::Sender<()>,
    now: Now,
    /// A line of which it is not known yet whether it came by itself, or the lines of a paste.
    held: HeldLine,
    /// Nothing more can be typed, and the last message is not answered yet.
    is_leaving: bool,
    /// When the last prompt was written, since reading began.
    prompted: Duration,
    outcome: Option<UiOutcome>,
}

impl LinearLoop {
    /// Waits for news, until it is to be said what is waited for, or until it is known how a line came.
    async fn wait(&mut self) {
        let due = self.held.due_in(self.lines.elapsed());
        match self.talk.says_in().into_iter().chain(due).min() {
            None => {
                let news = self.sources.next().await;
                self.take(news);
            }
            Some(patience) => match timeout(patience, self.sources.next()).await {
                Ok(news) => self.take(news),
                Err(_) => self.talk.tick((self.now)()),
            },
        }
        if self.held.is_due(self.lines.elapsed()) {
            self.counts();
        }
        self.talk.say_wait();
    }

    /// What was ended has waited long enough. Several lines are a paste, of which the last one may not be ended.
    fn counts(&mut self) {
        let is_paste = self.held.is_marked() || self.talk.are_one_text(self.held.lines());
        if is_paste && (self.held.is_marked() || self.lines.go_on()) {
            self.held.wait_for_end();
            return self.talk.paste_goes_on(self.held.lines().len());
        }
        let mut lines = self.held.end();
        if let [line] = lines.as_mut_slice() {
            line.alone = line.alone && !(self.talk.has_to_be_alone(line) && self.lines.go_on());
        }
        self.typed(&lines);
    }

    fn take(&mut self, news: News) {
        self.talk.tick((self.now)());
        let acts = match news {
            News::ToldToEnd => return self.outcome = Some(UiOutcome::Signalled),
            News::AgentGone => return self.outcome = Some(UiOutcome::AgentGone),
            News::Typed(TypedLine::Gone) => return self.outcome = Some(UiOutcome::TerminalGone),
            // At a terminal it is Ctrl-D, which leaves.
            News::Typed(TypedLine::End) if self.lines.are_shown() => {
                self.counts_now(false);
                vec![LinearEffect::Quit]
            }
            // A pipe that has ended has said all it wanted to.
            News::Typed(TypedLine::End) => {
                self.counts_now(true);
                self.is_leaving = true;
                Vec::new()
            }
            News::Typed(TypedLine::Line(line)) => {
                // What was read before the prompt was written does not stand behind it.
                let is_ahead = line.echo == Echo::Shown && line.at < self.prompted;
                let line = Line { echo: if is_ahead { Echo::Elsewhere } else { line.echo }, ..line };
                return self.held.take(line).iter().for_each(|lines| self.typed(lines));
            }
            News::Interrupt => {
                self.lines.forget_half();
                if self.held.goes_on() {
                    let dropped = self.held.end();
                    return self.talk.paste_dropped(dropped.len(), self.lines.are_shown());
                }
                self.counts_now(false);
                self.talk.interrupt(self.lines.are_shown())
            }
            News::Agent(event) => self.talk.hear(&event).map(LinearEffect::Ask).into_iter().collect(),
            News::Reply(Reply::Forked(id)) => {
                return self.outcome = Some(UiOutcome::Resume { id, draft: UserMessage::default() });
            }
            News::Reply(Reply::Branched { message, branch }) => {
                let draft = self.talk.draft(message);
                return self.outcome = Some(UiOutcome::Resume { id: branch, draft });
            }
            News::Reply(Reply::BranchStarts(start)) => {
                return self.outcome = Some(UiOutcome::Branch(start));
            }
            News::Reply(reply) => {
                self.talk.reply(reply);
                Vec::new()
            }
        };
        acts.into_iter().for_each(|act| self.act(act));
        self.talk.forget_line();
    }

    /// Lines whose time has come.
    fn typed(&mut self, lines: &[Line]) {
        if self.outcome.is_none() && self.talk.are_one_text(lines) {
            let acts = self.talk.pasted(lines);
            acts.into_iter().for_each(|act| self.act(act));
            return self.talk.forget_line();
        }
        for line in lines {
            if self.outcome.is_none() {
                let acts = self.talk.line(line);
                acts.into_iter().for_each(|act| self.act(act));
                self.talk.forget_line();
            }
        }
    }

    /// What was ended before something else is told before that. `ended`: nothing more can be typed.
    fn counts_now(&mut self, ended: bool) {
        let lines = self.held.cut_short(ended);
        self.typed(&lines);
    }

    fn act(&mut self, act: LinearEffect) {
        if self.talk.stays(&act) {
            return;
        }
        match act {
            LinearEffect::Quit => self.outcome = Some(UiOutcome::Quit),
            LinearEffect::New => self.outcome = Some(UiOutcome::New),
            LinearEffect::Resume(id) => {
                self.outcome = Some(UiOutcome::Resume { id, draft: UserMessage::default() });
            }
            LinearEffect::Abort => {
                // A full channel holds one already.
                if let Err(TrySendError::Closed(())) = self.abort.try_send(()) {
                    self.outcome = Some(UiOutcome::AgentGone);
                }
            }
            LinearEffect::Send(intent) => self.ask(Request::Intent(intent)),
            LinearEffect::Ask(request) => self.ask(request),
        }
    }

    fn ask(&mut self, request: Request) {
        let request = self.talk.with_line(request);
        match self.requests.try_reserve() {
            Ok(place) => {
                self.talk.sent(&request);
                place.send(request);
            }
            Err(TrySendError::Closed(())) => self.outcome = Some(UiOutcome::AgentGone),
            Err(TrySendError::Full(())) => self.talk.not_taken(request),
        }
    }

    /// Writes what there is to say. While calls are written nobody reads; an answer is asked for after that.
    fn say(&mut self) {
        let (is_prompted, mut before) = (self.talk.is_prompted(), self.lines.elapsed());
        let asks = self.talk.settle();
        let words = self.talk.words();
        let written = if asks {
            let asked = self.lines.ask(|| write(&words));
            asked.and_then(|number| {
                // What was there to be read stands before the prompt that is written now.
                before = self.lines.elapsed();
                self.talk.written(number, before);
                write(&self.talk.words())
            })
        } else {
            write(&words)
        };
        if self.talk.is_prompted() && !is_prompted {
            self.prompted = before;
        }
        if written.is_err() {
            self.outcome = Some(UiOutcome::TerminalGone);
        } else if self.is_leaving && (self.talk.rests() || self.talk.asks()) {
            self.outcome = Some(UiOutcome::Quit);
        }
    }
}

fn write(words: &str) -> io::Result<()> {
    let mut out = stdout().lock();
    out.write_all(words.as_bytes())?;
    out.flush()
}
