//! What a call made of a file, for the ledger: the record of changes beside a session must say the same.

/// One file that a call changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// The file, as the call names it.
    pub path: String,
    /// What it was.
    pub before: FileContent,
    /// What the call made of it.
    pub after: FileContent,
}

/// What a file is at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileContent {
    /// There is none.
    Absent,
    /// The bytes of this SHA-256, as 64 lower-case hexadecimal digits.
    Sha256(String),
    /// So many bytes, too many to be kept or compared.
    Large(u64),
}
