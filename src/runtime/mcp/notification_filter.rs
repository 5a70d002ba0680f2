//! What a server says unasked, taken out of what is read before the SDK sees it: it would log its words, and give each
//! message a task of its own, so that progress could overtake itself.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{
    GetExtensions as _, GetMeta as _, JsonRpcMessage, ProgressNotificationParam, ServerNotification,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc;

use crate::runtime::untrusted::plain;

/// Most questions of a server that are answered at once. One that asks on without reading the answers is not heard.
const MOST_QUESTIONS: usize = 32;
/// Most characters of one message of progress.
const MOST_CHARS: usize = 2_000;

/// Who waits for the progress of a call. Travels with its request; nothing of it is sent.
#[derive(Clone)]
pub(super) struct Listener(pub(super) mpsc::Sender<String>);

/// Hears what one server says unasked.
#[derive(Default)]
pub(super) struct NotificationFilter {
    /// By the token that stands in the request.
    listeners: Mutex<BTreeMap<String, Listener>>,
    /// Questions of the server that wait for their answer.
    questions: AtomicUsize,
}

impl NotificationFilter {
    /// Listens for nobody any more under this token.
    pub(super) fn forget(&self, token: &str) {
        self.listeners().remove(token);
    }

    fn listeners(&self) -> MutexGuard<'_, BTreeMap<String, Listener>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers who listens to the call that is being sent.
    fn notice(&self, message: &TxJsonRpcMessage<RoleClient>) {
        let JsonRpcMessage::Request(request) = message else { return };
        let listener = request.request.extensions().get::<Listener>();
        let token = request.request.get_meta().get_progress_token();
        if let (Some(listener), Some(token)) = (listener, token) {
            self.listeners().insert(token.0.to_string(), listener.clone());
        }
    }

    fn hear(&self, notification: &ServerNotification) {
        match notification {
            ServerNotification::ProgressNotification(progress) => self.pass_on(&progress.params),
            ServerNotification::LoggingMessageNotification(_) => {
                tracing::debug!("an MCP server logged something")
            }
            // The tools of a session are frozen, and nothing else of a server is used.
            _ => {}
        }
    }

    /// A listener who is behind misses some: what counts is the newest.
    fn pass_on(&self, progress: &ProgressNotificationParam) {
        if let Some(listener) = self.listeners().get(&progress.progress_token.0.to_string()) {
            listener.0.try_send(line(progress)).ok();
        }
    }

    /// One question less; an answer to what could not be read at all was to none.
    fn answered(&self) {
        self.questions.fetch_update(Relaxed, Relaxed, |now| now.checked_sub(1)).ok();
    }

    /// Whether there is room for one more question.
    fn may_ask(&self) -> bool {
        self.questions.fetch_update(Relaxed, Relaxed, |now| (now < MOST_QUESTIONS).then_some(now + 1)).is_ok()
    }
}

fn line(progress: &ProgressNotificationParam) -> String {
    let said = match (&progress.message, progress.total) {
        (Some(message), _) => plain(message, MOST_CHARS),
        (None, Some(total)) => format!("{} of {total}", progress.progress),
        (None, None) => progress.progress.to_string(),
    };
    format!("{}\n", said.trim_end())
}

/// A transport that is listened to.
pub(super) struct Filtered<T> {
    inner: T,
    ear: Arc<NotificationFilter>,
}

impl<T> Filtered<T> {
    pub(super) fn new(inner: T, ear: Arc<NotificationFilter>) -> Self {
        Self { inner, ear }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Filtered<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.ear.notice(&message);
        let is_answer = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        let answered = is_answer.then(|| self.ear.clone());
        let sending = self.inner.send(message);
        async move {
            let sent = sending.await;
            if let Some(ear) = answered {
                ear.answered();
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            match self.inner.receive().await? {
                JsonRpcMessage::Notification(message) => self.ear.hear(&message.notification),
                message @ JsonRpcMessage::Request(_) if self.ear.may_ask() => return Some(message),
                JsonRpcMessage::Request(_) => {
                    tracing::warn!("an MCP server sends too many requests; they are not answered")
                }
                message => return Some(message),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_asks_without_reading_is_heard_so_often_and_no_more() {
        let ear = NotificationFilter::default();
        let heard = (0..1_000).filter(|_| ear.may_ask()).count();
        assert_eq!(heard, MOST_QUESTIONS);
        ear.answered();
        assert!(ear.may_ask() && !ear.may_ask());
    }
}
