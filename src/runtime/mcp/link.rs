//! An open connection to a server: begun with a greeting, asked one thing at a time, over when the server is.

use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, select};
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientRequest, ProtocolVersion, RequestId,
    RequestMetaObject, ServerPeerInfo, ServerResult,
};
use rmcp::service::{ClientInitializeError, PeerRequestOptions, RunningService};
use rmcp::transport::Transport;
use rmcp::{ClientLifecycleMode, ErrorData, Peer, RoleClient, ServiceError, serve_client_with_lifecycle};
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};

use super::address::{reach, why};
use super::answers::ServerQuestions;
use super::launch_context::McpMeans;
use super::notification_filter::{Filtered, NotificationFilter};
use super::program::Program;
use super::server::{McpServer, McpWay};
use super::tasks::Tasks;
use crate::ledger::seconds;

/// How long the end of a connection may take: what was taken back is told, and a session at an address is ended there.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// A connection. Dropping it ends the program behind it; [`Link::close`] also waits until an address knows of the end.
pub(super) struct Link {
    peer: Peer<RoleClient>,
    service: Mutex<Option<RunningService<RoleClient, ServerQuestions>>>,
    program: Option<Program>,
    ear: Arc<NotificationFilter>,
    tasks: Arc<Tasks>,
    /// Words on their way that a question is taken back.
    farewells: Cancellations,
    /// Nothing more is to be had from it.
    is_spent: AtomicBool,
}

type Cancellations = Arc<Mutex<JoinSet<()>>>;

/// Why there was no answer; raw words of the server are in it.
pub(super) enum Trouble {
    /// It said no.
    Refused(ErrorData),
    /// The connection is over; how it ended.
    Ended(String),
}

/// Why a greeting came to nothing.
enum NoGreeting {
    /// It refused the greeting of older versions; a new one may be understood.
    Refused(ErrorData),
    /// The same without words of the protocol; how the request failed.
    Unheard(String),
    /// It ended.
    Ended,
    Slow,
    Other(String),
}

/// What has been done to greet a server, before it answered.
struct Opening {
    answers: ServerQuestions,
    ear: Arc<NotificationFilter>,
    mode: ClientLifecycleMode,
    until: Instant,
}

impl Link {
    /// Opens a connection to the server, and greets it.
    ///
    /// # Errors
    /// Why there is none, after "could not be started:"; raw words of the server are in it.
    pub(super) async fn open(server: &McpServer, means: &McpMeans, until: Instant) -> Result<Self, String> {
        let known = ClientLifecycleMode::Initialize;
        match Self::open_as(server, means, until, known).await {
            Err(refused @ (NoGreeting::Refused(_) | NoGreeting::Unheard(_))) => {
                let preferred_versions = vec![ProtocolVersion::LATEST];
                let newest = ClientLifecycleMode::Discover { preferred_versions };
                Self::open_as(server, means, until, newest).await.map_err(|_same| refused.words(server))
            }
            opened => opened.map_err(|why| why.words(server)),
        }
    }

    async fn open_as(
        server: &McpServer,
        means: &McpMeans,
        until: Instant,
        mode: ClientLifecycleMode,
    ) -> Result<Self, NoGreeting> {
        let (ear, tasks) = (Arc::<NotificationFilter>::default(), Arc::<Tasks>::default());
        let answers = ServerQuestions::new(server.roots.then_some(&*means.workspace));
        let opening = Opening { answers, ear: ear.clone(), mode, until };
        let (service, program) = match &server.way {
            McpWay::Command { program: name, .. } => {
                let (program, streams) = Program::start(&server.way, means, tasks.clone())
                    .map_err(|why| not_started(name, &why))?;
                match opening.greet(streams, Some(&program)).await {
                    Ok(service) => (service, Some(program)),
                    Err(NoGreeting::Ended) => return Err(NoGreeting::Other(program.epitaph().await)),
                    Err(NoGreeting::Slow) => {
                        return Err(NoGreeting::Other(program.with_tail(slow(server.start_ms))));
                    }
                    Err(why) => return Err(why),
                }
            }
            McpWay::Http { url, headers } => {
                let (way, answered) =
                    reach(url, headers, &means.network, tasks.clone()).map_err(NoGreeting::Other)?;
                match opening.greet(way, None).await {
                    Ok(service) => (service, None),
                    Err(NoGreeting::Other(how)) if answered.may_be_newer() => {
                        return Err(NoGreeting::Unheard(how));
                    }
                    Err(why) => return Err(why),
                }
            }
        };
        let link = Self {
            peer: service.peer().clone(),
            service: Mutex::new(Some(service)),
            program,
            ear,
            tasks,
            farewells: Cancellations::default(),
            is_spent: AtomicBool::new(false),
        };
        let why = match link.info() {
            Some(info) if ProtocolVersion::KNOWN_VERSIONS.contains(&info.protocol_version) => {
                return Ok(link);
            }
            Some(info) => {
                let version = info.protocol_version.as_str();
                format!("it uses protocol version {version}, which countersign does not support")
            }
            None => "it did not identify itself".to_owned(),
        };
        link.close().await;
        Err(NoGreeting::Other(why))
    }

    /// Ends the connection, for a bounded time: words that questions are taken back are on their way before, and the
    /// session of an address is ended with DELETE. A program ends when this is dropped.
    pub(super) async fn close(&self) {
        self.is_spent.store(true, Relaxed);
        let mut farewells =
            std::mem::take(&mut *self.farewells.lock().unwrap_or_else(PoisonError::into_inner));
        let service = self.service.lock().unwrap_or_else(PoisonError::into_inner).take();
        let ending = async {
            while farewells.join_next().await.is_some() {}
            if let (Some(mut service), None) = (service, &self.program) {
                // Its only errors are "was cancelled" and "panicked"; either way it is over.
                drop(service.close().await);
            }
        };
        timeout(LAST_WAIT, ending).await.unwrap_or_default();
    }

    /// The tools that need tasks, as they are listed.
    pub(super) fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// What the server said of itself.
    pub(super) fn info(&self) -> Option<Arc<ServerPeerInfo>> {
        self.peer.peer_info()
    }

    /// Whether nothing more can be asked.
    pub(super) fn is_over(&self) -> bool {
        self.is_spent.load(Relaxed)
            || self.peer.is_transport_closed()
            || self.program.as_ref().is_some_and(Program::is_over)
    }

    /// Asks the server something. Dropped before there is an answer, the question is taken back.
    ///
    /// # Errors
    /// [`Trouble`]: the server refused, or it is over.
    pub(super) async fn ask(
        &self,
        request: ClientRequest,
        meta: RequestMetaObject,
    ) -> Result<ServerResult, Trouble> {
        let Some(program) = &self.program else {
            return match self.exchange(request, meta).await {
                Ok(answer) => Ok(answer),
                Err(error) => Err(self.trouble(error).await),
            };
        };
        let exchange = pin!(self.exchange(request, meta));
        match select(exchange, pin!(program.ending())).await {
            Either::Left((Ok(answer), _)) => Ok(answer),
            Either::Left((Err(error), _)) => Err(self.trouble(error).await),
            Either::Right(_) => Err(Trouble::Ended(program.epitaph().await)),
        }
    }

    async fn exchange(
        &self,
        request: ClientRequest,
        meta: RequestMetaObject,
    ) -> Result<ServerResult, ServiceError> {
        let options = PeerRequestOptions::no_options().with_meta(meta);
        let sent = self.peer.send_cancellable_request(request, options).await?;
        let mut asked = OpenQuestion {
            peer: self.peer.clone(),
            ear: self.ear.clone(),
            farewells: self.farewells.clone(),
            token: sent.progress_token.0.to_string(),
            open: Some(sent.id.clone()),
        };
        let answer = sent.await_response().await;
        asked.open = None;
        answer
    }

    async fn trouble(&self, error: ServiceError) -> Trouble {
        let how = match error {
            ServiceError::McpError(refusal) => return Trouble::Refused(refusal),
            ServiceError::TransportSend(error) if self.program.is_none() => why(&error),
            _ => "it closed the connection".to_owned(),
        };
        self.is_spent.store(true, Relaxed);
        match &self.program {
            Some(program) => Trouble::Ended(program.epitaph().await),
            None => Trouble::Ended(how),
        }
    }
}

impl Opening {
    async fn greet<T: Transport<RoleClient> + 'static>(
        self,
        way: T,
        program: Option<&Program>,
    ) -> Result<RunningService<RoleClient, ServerQuestions>, NoGreeting> {
        let heard = Filtered::new(way, self.ear);
        let greeting = pin!(serve_client_with_lifecycle(self.answers, heard, self.mode));
        let ending = async {
            match program {
                Some(program) => program.ending().await,
                None => std::future::pending().await,
            }
        };
        match timeout_at(self.until, select(greeting, pin!(ending))).await {
            Ok(Either::Left((Ok(service), _))) => Ok(service),
            Ok(Either::Left((Err(error), _))) => Err(NoGreeting::of(error)),
            Ok(Either::Right(_)) => Err(NoGreeting::Ended),
            Err(_elapsed) => Err(NoGreeting::Slow),
        }
    }
}

impl NoGreeting {
    fn of(error: ClientInitializeError) -> Self {
        use ClientInitializeError as Error;
        match error {
            Error::JsonRpcError(refusal) => Self::Refused(refusal),
            Error::ConnectionClosed(_) => Self::Ended,
            Error::TransportError { error, .. } if is_broken_pipe(&error) => Self::Ended,
            Error::TransportError { error, .. } => Self::Other(why(&error)),
            Error::NoCompatibleProtocolVersion { .. } => {
                Self::Other("it supports no protocol version that countersign supports".to_owned())
            }
            Error::ConflictInitResponseId(..) | Error::UncorrelatedErrorResponse { .. } => {
                Self::Other("it answered a request that was not sent".to_owned())
            }
            _ => Self::Other("its answer is not a handshake".to_owned()),
        }
    }

    /// After "could not be started:".
    fn words(self, server: &McpServer) -> String {
        match self {
            Self::Refused(refusal) => format!("it refused: {}", refusal.message),
            Self::Unheard(how) => how,
            Self::Ended => "it closed the connection".to_owned(),
            Self::Slow => slow(server.start_ms),
            Self::Other(words) => words,
        }
    }
}

fn slow(start_ms: u64) -> String {
    format!("it did not answer within {}", seconds(start_ms))
}

fn not_started(program: &str, why: &io::Error) -> NoGreeting {
    NoGreeting::Other(match why.kind() {
        io::ErrorKind::NotFound => format!("program `{program}` not found"),
        _ => why.to_string(),
    })
}

fn is_broken_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            return true;
        }
        next = error.source();
    }
    false
}

/// A question that was sent. Dropped while it is open, the server is told that nobody waits for the answer.
struct OpenQuestion {
    peer: Peer<RoleClient>,
    ear: Arc<NotificationFilter>,
    farewells: Cancellations,
    token: String,
    open: Option<RequestId>,
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.ear.forget(&self.token);
        let (Some(id), Ok(runtime)) = (self.open.take(), Handle::try_current()) else { return };
        let peer = self.peer.clone();
        let farewell = async move {
            let reason = Some("nobody waits for the answer any more".to_owned());
            let params = CancelledNotificationParam::new(Some(id), reason);
            // A server that is gone needs no word of it.
            peer.send_notification(CancelledNotification::new(params).into()).await.ok();
        };
        let mut farewells = self.farewells.lock().unwrap_or_else(PoisonError::into_inner);
        while farewells.try_join_next().is_some() {}
        farewells.spawn_on(farewell, &runtime);
    }
}

/// How long something may take from now on.
pub(super) fn within(ms: u64) -> Instant {
    Instant::now() + Duration::from_millis(ms)
}
