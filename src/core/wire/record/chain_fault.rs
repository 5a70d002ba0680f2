//! What can be wrong with a line of the hash chain.

use thiserror::Error;

/// What is wrong with a line of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ChainFault {
    /// A line without a hash where one must be.
    #[error("this line has no hash, so it was not written by countersign or was changed afterwards")]
    Unchained,
    /// A line with a hash in a session whose lines have none.
    #[error("this line has a hash, and says that the session is of a version whose lines have none")]
    Downgraded,
    /// The bytes are not those that the definition of the format asks for.
    #[error("this line is not in the canonical form of the format: {0}")]
    NotCanonical(&'static str),
    /// Another line than this was written here.
    #[error("this line was changed after it was written: its hash does not match")]
    Changed,
    /// A content field is another one.
    #[error("`{0}` was changed after it was written: its hash does not match")]
    ContentChanged(String),
    /// The file follows from its own beginning, but is another one.
    #[error("another line than this was written here: the file was made anew")]
    Replaced,
    /// It was written after another line than the one that stands before it.
    #[error(
        "this line does not follow the one before it: a line was removed, inserted, repeated or moved here"
    )]
    OutOfOrder,
}
