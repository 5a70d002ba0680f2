//! Which session is meant.

/// Names a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionChoice {
    /// The newest of this folder.
    Last,
    /// The one of this id.
    Session(String),
}

impl SessionChoice {
    /// The session that was named, if one was.
    pub fn named(session: Option<String>, last: bool) -> Option<Self> {
        if last { Some(Self::Last) } else { session.map(Self::Session) }
    }
}
