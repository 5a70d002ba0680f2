//! The client's file system: texts of its buffers, which may not be saved. Asked from the threads of tools, each time for a bounded time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};

use super::client_end::ClientEnd;
use super::methods::initialize::ClientAbilities;
use super::out::Out;
use super::rpc;
use crate::config::fault::one_line;
use crate::runtime::{EditorFailure, EditorFiles};

/// Gives the text of a file.
const READ: &str = "fs/read_text_file";
/// Takes one over.
const WRITE: &str = "fs/write_text_file";
/// How long the client may take for either.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a call waits on when the client is gone: its session ends then, and stops it as Esc does.
const LAST_MOMENT: Duration = Duration::from_secs(1);
/// Characters of the client's words that are passed on.
const MOST_WORDS: usize = 200;
/// Requests of these begin so, after their session.
const NAME: &str = "fs/";

/// The file system of one session's client. Clones are the same.
#[derive(Debug, Clone)]
pub(super) struct ClientFiles(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    out: Out,
    gone: watch::Receiver<bool>,
    abilities: ClientAbilities,
    runtime: Handle,
    /// The session, which is not known before it is opened.
    session: OnceLock<String>,
    /// Its folder as it is, and as the client names it, by which the client knows its buffers.
    folder: PathBuf,
    named: PathBuf,
    open: Mutex<Open>,
}

/// Requests that were not answered yet.
#[derive(Debug, Default)]
struct Open {
    last: u64,
    waiting: BTreeMap<u64, oneshot::Sender<Result<Value, Value>>>,
}

impl ClientFiles {
    /// That of this client, if it has one, for a session in `folder`, which the client calls `named`. Called within the runtime.
    pub(super) fn of(client: &ClientEnd, folder: &Path, named: &str) -> Option<Self> {
        let abilities = client.abilities;
        (abilities.reads_files || abilities.writes_files).then(|| {
            Self(Arc::new(Shared {
                out: client.out.clone(),
                gone: client.gone.clone(),
                abilities,
                runtime: Handle::current(),
                session: OnceLock::new(),
                folder: folder.to_owned(),
                named: named.into(),
                open: Mutex::default(),
            }))
        })
    }

    /// The session is open, and has this id.
    pub(super) fn opened(&self, session: &str) {
        if self.0.session.set(session.to_owned()).is_err() {
            tracing::error!("a session was opened twice");
        }
    }

    /// The client has answered a request, which is named after its session. False: it is none of these.
    pub(super) fn answered(&self, request: &str, outcome: Result<Value, Value>) -> bool {
        let Some(number) = request.strip_prefix(NAME) else { return false };
        let waits = number.parse::<u64>().ok().and_then(|number| self.0.open().waiting.remove(&number));
        match waits {
            // Nobody waits any more when the call was taken back.
            Some(waits) => drop(waits.send(outcome)),
            None => tracing::info!("an answer about a file that came too late, twice, or to no request"),
        }
        true
    }

    fn wait(&self, method: &str, path: &Path, text: Option<&str>) -> Result<Value, EditorFailure> {
        self.0.runtime.block_on(self.0.ask(method, path, text))
    }
}

impl Shared {
    fn open(&self) -> std::sync::MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask(&self, method: &str, path: &Path, text: Option<&str>) -> Result<Value, EditorFailure> {
        let named = path.strip_prefix(&self.folder).map(|below| self.named.join(below));
        let Some(path) = named.as_deref().unwrap_or(path).to_str() else {
            return Err(EditorFailure::Refused("the name of the file is not text".to_owned()));
        };
        let session = self.session.get().map(String::as_str).unwrap_or_default();
        let (answer, answered) = oneshot::channel();
        let number = {
            let mut open = self.open();
            open.last += 1;
            let number = open.last;
            open.waiting.insert(number, answer);
            number
        };
        let mut params = json!({ "sessionId": session, "path": path });
        if let (Some(text), Some(members)) = (text, params.as_object_mut()) {
            members.insert("content".to_owned(), text.into());
        }
        let request = rpc::request(&format!("{session}/{NAME}{number}"), method, params);
        let mut gone = self.gone.clone();
        let outcome = tokio::select! {
            outcome = async {
                self.out.send(&request).await;
                answered.await
            } => outcome.map_err(|_dropped| EditorFailure::Broken("the session has ended".to_owned())),
            () = tokio::time::sleep(PATIENCE) => {
                let words = format!("it did not answer within {} s", PATIENCE.as_secs());
                Err(EditorFailure::Broken(words))
            }
            () = async {
                gone.wait_for(|is_gone| *is_gone).await.map(drop).unwrap_or_default();
                tokio::time::sleep(LAST_MOMENT).await;
            } => Err(EditorFailure::Broken("it is gone".to_owned())),
        };
        self.open().waiting.remove(&number);
        outcome?.map_err(|error| EditorFailure::Refused(words_of(&error)))
    }
}

impl EditorFiles for ClientFiles {
    fn reads(&self) -> bool {
        self.0.abilities.reads_files
    }

    fn writes(&self) -> bool {
        self.0.abilities.writes_files
    }

    fn read(&self, path: &Path) -> Result<String, EditorFailure> {
        let mut result = self.wait(READ, path, None)?;
        match result.get_mut("content").map(Value::take) {
            Some(Value::String(text)) => Ok(text),
            _ => Err(EditorFailure::Broken("its answer has no text".to_owned())),
        }
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), EditorFailure> {
        self.wait(WRITE, path, Some(text)).map(drop)
    }
}

/// What an error says, for people and models.
fn words_of(error: &Value) -> String {
    let words = error.get("message").and_then(Value::as_str).unwrap_or("it gave no reason");
    one_line(&words.chars().take(MOST_WORDS).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(reads_files: bool) -> (ClientFiles, watch::Sender<bool>, tokio::sync::mpsc::Receiver<String>) {
        let (is_gone, gone) = watch::channel(false);
        let (out, lines) = Out::of_test(gone.clone());
        let abilities = ClientAbilities { reads_files, writes_files: true, ..ClientAbilities::default() };
        let files =
            ClientFiles::of(&ClientEnd { out, abilities, gone }, Path::new("/real"), "/named").unwrap();
        files.opened("s");
        (files, is_gone, lines)
    }

    async fn asked(lines: &mut tokio::sync::mpsc::Receiver<String>) -> Value {
        serde_json::from_str(&lines.recv().await.unwrap()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_never_answers_is_given_up_and_what_comes_later_means_nothing() {
        let (files, _here, mut lines) = files(true);
        let waits = files.0.ask(READ, Path::new("/a"), None);
        let (outcome, request) = tokio::join!(waits, asked(&mut lines));
        assert_eq!(outcome, Err(EditorFailure::Broken("it did not answer within 10 s".to_owned())));
        assert_eq!(request["id"], "s/fs/1");
        assert!(
            files.answered("fs/1", Ok(json!({ "content": "late" }))),
            "it is one of these, and nobody waits"
        );
        assert!(files.0.open().waiting.is_empty());
        assert!(!files.answered("e7/1", Ok(json!({}))));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_is_that_to_its_own_request_once_and_an_error_is_a_no_in_its_words() {
        let (files, is_gone, mut lines) = files(true);
        let answers = async {
            let request = asked(&mut lines).await;
            assert_eq!(request["params"], json!({ "sessionId": "s", "path": "/named/a", "content": "x" }));
            files.answered("fs/2", Ok(json!({})));
            files.answered("fs/1", Err(json!({ "message": "no\nsuch\u{1b}[31m file" })));
            files.answered("fs/1", Ok(json!({})));
        };
        let (outcome, ()) = tokio::join!(files.0.ask(WRITE, Path::new("/real/a"), Some("x")), answers);
        let Err(EditorFailure::Refused(words)) = outcome else { panic!("{outcome:?}") };
        assert!(words.starts_with("no such") && !words.contains('\u{1b}'), "{words}");
        let (outcome, ()) = tokio::join!(files.0.ask(READ, Path::new("/a"), None), async {
            asked(&mut lines).await;
            is_gone.send_replace(true);
        });
        assert_eq!(outcome, Err(EditorFailure::Broken("it is gone".to_owned())));
    }
}
