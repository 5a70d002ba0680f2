//! The client at the other end of the connection, as a session knows it.

use tokio::sync::watch;

use super::methods::initialize::ClientAbilities;
use super::out::Out;

/// What a session needs of the connection.
#[derive(Debug, Clone)]
pub(super) struct ClientEnd {
    /// To the client.
    pub(super) out: Out,
    /// What the client can do.
    pub(super) abilities: ClientAbilities,
    /// Becomes true when the client is gone.
    pub(super) gone: watch::Receiver<bool>,
}
