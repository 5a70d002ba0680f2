//! The connection: each line goes to the method that it names, and those of a session to the session.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::client_end::ClientEnd;
use super::conversation::{Ask, Conversation, Door, SessionCommand};
use super::methods::session_new::Place;
use super::methods::{
    authenticate, initialize, session_cancel, session_close, session_delete, session_list, session_load,
    session_new, session_prompt, session_resume, session_set_config_option, session_set_mode,
};
use super::opening::{SessionDefaults, Which};
use super::rpc::{BadLine, Incoming, RpcError};

/// Most sessions that are open at once.
const MOST_SESSIONS: usize = 32;

/// What comes to the connection.
pub(super) enum ServerNews {
    /// A line of the client.
    Line(Result<Incoming, BadLine>),
    /// A session is open; it begins when this was heard.
    Opened(String, Door),
    /// A session that is open can be opened anew, as this request wants.
    Checked(Value, Which, Place),
    /// A session could not be opened.
    NotOpened,
    /// Sessions were listed; they are answered when this was heard.
    Listed(Vec<String>),
    /// The client is gone, or the program is told to end.
    Gone,
}

/// The connection.
pub(super) struct AcpServer {
    start: SessionDefaults,
    state: PathBuf,
    client: ClientEnd,
    news: mpsc::Sender<ServerNews>,
    is_initialized: bool,
    sessions: BTreeMap<String, Door>,
    opening: usize,
    /// Sessions that were listed or opened: those that can be deleted.
    known: BTreeSet<String>,
}

impl AcpServer {
    pub(super) fn new(
        start: SessionDefaults,
        state: PathBuf,
        client: ClientEnd,
        news: mpsc::Sender<ServerNews>,
    ) -> Self {
        Self {
            start,
            state,
            client,
            news,
            is_initialized: false,
            sessions: BTreeMap::new(),
            opening: 0,
            known: BTreeSet::new(),
        }
    }

    /// Serves until the client is gone; then all sessions have ended.
    pub(super) async fn serve(mut self, mut news: mpsc::Receiver<ServerNews>) {
        while let Some(one) = news.recv().await {
            match one {
                ServerNews::Line(Ok(said)) => self.hear(said).await,
                ServerNews::Line(Err(BadLine { id, error })) => self.client.out.answer(&id, Err(error)).await,
                ServerNews::Opened(id, door) => {
                    self.opening = self.opening.saturating_sub(1);
                    self.known.insert(id.clone());
                    self.sessions.insert(id, door);
                }
                ServerNews::Checked(id, which, place) => self.open_checked(id, which, place),
                ServerNews::NotOpened => self.opening = self.opening.saturating_sub(1),
                ServerNews::Listed(ids) => self.known.extend(ids),
                ServerNews::Gone => break,
            }
        }
        // One that is still being opened ends by itself: the line says that the client is gone.
        for door in self.sessions.into_values() {
            ended(door).await;
        }
        while self.opening > 0 {
            match news.recv().await {
                Some(ServerNews::Opened(_, door)) => ended(door).await,
                Some(ServerNews::NotOpened | ServerNews::Checked(..)) => {}
                Some(ServerNews::Line(_) | ServerNews::Listed(_) | ServerNews::Gone) => continue,
                None => return,
            }
            self.opening -= 1;
        }
    }

    async fn hear(&mut self, said: Incoming) {
        match said {
            Incoming::Request { id, method, params } => self.request(id, &method, params).await,
            Incoming::Notification { method, params } => self.notification(&method, &params),
            Incoming::Response { id, outcome } => self.response(&id, outcome),
        }
    }

    async fn request(&mut self, id: Value, method: &str, params: Value) {
        let outcome = match method {
            initialize::METHOD => self.initialize(params),
            _ if !self.is_initialized && is_known(method) => {
                Err(RpcError::request("send `initialize` first"))
            }
            authenticate::METHOD => authenticate::answer(&params),
            session_new::METHOD => {
                return self.open(id, session_new::read(params).map(|at| (Which::New, at))).await;
            }
            session_load::METHOD => {
                let wanted = session_load::read(params).map(|(session, at)| (Which::Load(session), at));
                return self.open(id, wanted).await;
            }
            session_resume::METHOD => {
                let wanted = session_load::read(params).map(|(session, at)| (Which::Resume(session), at));
                return self.open(id, wanted).await;
            }
            session_list::METHOD => return self.list(id, params),
            session_close::METHOD => return self.close(id, &params, false).await,
            session_delete::METHOD => return self.close(id, &params, true).await,
            session_prompt::METHOD => self.pass(&id, params, Ask::Prompt),
            session_set_mode::METHOD => self.pass(&id, params, Ask::SetMode),
            session_set_config_option::METHOD => self.pass(&id, params, Ask::SetOption),
            other => Err(RpcError::method(other)),
        };
        match outcome {
            // The session answers.
            Ok(Value::Null) => {}
            outcome => self.client.out.answer(&id, outcome).await,
        }
    }

    fn initialize(&mut self, params: Value) -> Result<Value, RpcError> {
        self.client.abilities = initialize::read(params)?;
        self.is_initialized = true;
        Ok(initialize::result())
    }

    /// Hands a request to its session, which answers it.
    fn pass(&self, id: &Value, params: Value, ask: fn(Value) -> Ask) -> Result<Value, RpcError> {
        let door = self.door(&params)?;
        let command = SessionCommand::Request { id: id.clone(), what: ask(params) };
        door.commands.try_send(command).map(|()| Value::Null).map_err(|full| match full {
            mpsc::error::TrySendError::Full(_) => RpcError::request("too many requests wait in this session"),
            mpsc::error::TrySendError::Closed(_) => RpcError::request("the session has ended; load it again"),
        })
    }

    fn door(&self, params: &Value) -> Result<&Door, RpcError> {
        let named = session(params)?;
        self.sessions
            .get(named)
            .ok_or_else(|| RpcError::params("no session of this id is open here; load it first"))
    }

    fn notification(&self, method: &str, params: &Value) {
        let told = |door: &Door, command: SessionCommand| {
            if door.commands.try_send(command).is_err() {
                tracing::debug!("a notification found its session ended, or busy");
            }
        };
        match method {
            session_cancel::METHOD => {
                if let Some(door) = session_cancel::session(params).and_then(|id| self.sessions.get(id)) {
                    // Esc waits for nothing; the session hears of it too, so that the prompt is answered with it.
                    // Not twice: a second one would not let sub-agents settle.
                    let is_pressed = door.is_taken.load(Ordering::SeqCst);
                    if is_pressed {
                        door.abort.try_send(()).ok();
                    }
                    told(door, SessionCommand::Cancel { is_pressed });
                }
            }
            session_cancel::OF_REQUEST => {
                if let Some(request) = params.get("requestId") {
                    let all = self.sessions.values();
                    all.for_each(|door| told(door, SessionCommand::CancelRequest(request.clone())));
                }
            }
            // Notifications that nobody knows are left alone.
            other => tracing::debug!("a notification that is not known: {} bytes", other.len()),
        }
    }

    /// The client answers a request of ours: its id begins with the session.
    fn response(&self, id: &Value, outcome: Result<Value, Value>) {
        let named = id.as_str().and_then(|id| id.split_once('/'));
        let door = named.and_then(|(session, request)| Some((self.sessions.get(session)?, request)));
        let Some((door, request)) = door else {
            return tracing::info!("an answer to no request of ours");
        };
        let outcome = match &door.files {
            // A call waits for it on a thread, and not the session.
            Some(files) if files.answered(request, outcome.clone()) => return,
            _ => outcome,
        };
        let command = SessionCommand::Answer { request: request.to_owned(), outcome };
        // The connection waits for no session whose client reads slowly.
        if door.commands.try_send(command).is_err() {
            tracing::info!("an answer found its session ended, or busy");
        }
    }

    /// Opens a session beside the connection. One that is open here already is closed before, once it is known that nothing stands
    /// in the way: a refusal changes nothing.
    async fn open(&mut self, id: Value, wanted: Result<(Which, Place), RpcError>) {
        let (which, place) = match wanted {
            Ok(_) if self.sessions.len() + self.opening >= MOST_SESSIONS => {
                let words = format!("{MOST_SESSIONS} sessions are open; close one first");
                return self.client.out.answer(&id, Err(RpcError::request(words))).await;
            }
            Ok(wanted) => wanted,
            Err(why) => return self.client.out.answer(&id, Err(why)).await,
        };
        self.opening += 1;
        if which.earlier().is_none_or(|id| !self.sessions.contains_key(id)) {
            return self.open_checked(id, which, place);
        }
        let (start, out, news) = (self.start.clone(), self.client.out.clone(), self.news.clone());
        tokio::spawn(async move {
            let checked = tokio::task::spawn_blocking(move || match start.check(&which, &place) {
                Ok(()) => Ok((which, place)),
                Err(why) => Err(why),
            });
            let checked = checked.await.unwrap_or_else(|broken| Err(RpcError::internal(broken.to_string())));
            let heard = match checked {
                Ok((which, place)) => news.send(ServerNews::Checked(id, which, place)).await,
                Err(why) => {
                    out.answer(&id, Err(why)).await;
                    news.send(ServerNews::NotOpened).await
                }
            };
            if heard.is_err() {
                tracing::debug!("a session was checked after the connection had ended");
            }
        });
    }

    fn open_checked(&mut self, id: Value, which: Which, place: Place) {
        let earlier = which.earlier().and_then(|id| self.sessions.remove(id));
        let (start, client, news) = (self.start.clone(), self.client.clone(), self.news.clone());
        tokio::spawn(async move {
            if let Some(door) = earlier {
                shut(door).await;
            }
            let opening = which.clone();
            let line = client.clone();
            let opened = tokio::task::spawn_blocking(move || start.open(&opening, &place, &line)).await;
            let opened = opened.unwrap_or_else(|broken| Err(RpcError::internal(broken.to_string())));
            let heard = match opened {
                Ok(opened) => {
                    let (conversation, begin, door) = Conversation::new(client, opened);
                    // The connection knows the session before the client does.
                    let heard = news.send(ServerNews::Opened(conversation.id().to_owned(), door)).await;
                    conversation.run(begin, id, which).await;
                    heard
                }
                Err(why) => {
                    client.out.answer(&id, Err(why)).await;
                    news.send(ServerNews::NotOpened).await
                }
            };
            if heard.is_err() {
                tracing::debug!("a session was opened after the connection had ended");
            }
        });
    }

    /// Lists sessions beside the connection: there may be many.
    fn list(&self, id: Value, params: Value) {
        let (state, out, news) = (self.state.clone(), self.client.out.clone(), self.news.clone());
        tokio::spawn(async move {
            let page = session_list::read(params)
                .map(|wanted| tokio::task::spawn_blocking(move || wanted.page(&state)));
            let page = match page {
                Ok(page) => page.await.unwrap_or_else(|broken| Err(RpcError::internal(broken.to_string()))),
                Err(why) => Err(why),
            };
            let outcome = match page {
                Ok((result, ids)) => {
                    // The connection knows them before the client does.
                    news.send(ServerNews::Listed(ids)).await.unwrap_or_default();
                    Ok(result)
                }
                Err(why) => Err(why),
            };
            out.answer(&id, outcome).await;
        });
    }

    /// Closes a session, and removes it if that is wanted.
    async fn close(&mut self, id: Value, params: &Value, is_removed: bool) {
        let named = match session(params) {
            Ok(named) => named.to_owned(),
            Err(why) => return self.client.out.answer(&id, Err(why)).await,
        };
        if !is_removed && !self.sessions.contains_key(&named) {
            let why = RpcError::params("no session of this id is open here");
            return self.client.out.answer(&id, Err(why)).await;
        }
        if is_removed && !self.known.contains(&named) {
            let why = RpcError::params("the session was neither opened nor listed in this connection");
            return self.client.out.answer(&id, Err(why)).await;
        }
        let door = self.sessions.remove(&named);
        let (state, out) = (self.state.clone(), self.client.out.clone());
        tokio::spawn(async move {
            if let Some(door) = door {
                shut(door).await;
            }
            let outcome = if is_removed {
                let removed =
                    tokio::task::spawn_blocking(move || session_delete::delete(&state, &named)).await;
                removed.unwrap_or_else(|broken| Err(RpcError::internal(broken.to_string())))
            } else {
                Ok(json!({}))
            };
            out.answer(&id, outcome).await;
        });
    }
}

/// Closes a session and waits for its end.
async fn shut(door: Door) {
    if door.commands.send(SessionCommand::Close).await.is_err() {
        tracing::debug!("a session was closed after it had ended");
    }
    ended(door).await;
}

/// Waits for the end of a session.
async fn ended(mut door: Door) {
    // Its other end is dropped with the session at the latest.
    door.over.wait_for(|is_over| *is_over).await.map(drop).unwrap_or_default();
}

fn session(params: &Value) -> Result<&str, RpcError> {
    let named = params.get("sessionId").and_then(Value::as_str);
    named.ok_or_else(|| RpcError::params("the parameters have no sessionId"))
}

/// Whether it is a method of ours: what is not known is told so, also before anything else was said.
fn is_known(method: &str) -> bool {
    [
        authenticate::METHOD,
        session_new::METHOD,
        session_load::METHOD,
        session_resume::METHOD,
        session_list::METHOD,
        session_close::METHOD,
        session_delete::METHOD,
        session_prompt::METHOD,
        session_set_mode::METHOD,
        session_set_config_option::METHOD,
    ]
    .contains(&method)
}
