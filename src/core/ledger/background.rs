//! How it stands with a background command, as tools report it and as the ledger keeps it.

/// One background command at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackgroundStatus {
    /// Its id: `b1`, `b2`, …
    pub id: String,
    /// Whether it ran at that moment.
    pub is_running: bool,
    /// Whether somebody else had started it, and nobody here has a hold on it: an earlier process of the session, with which it
    /// went, or the session that this one was forked from.
    pub is_lost: bool,
    /// Whether it ended by itself, and not well.
    pub has_failed: bool,
    /// In words for people and models: "running for 3 s", "exit code 1 after 3 s".
    pub words: String,
}

impl BackgroundStatus {
    /// The line for people and models: `[b1: running for 3 s]`.
    pub fn line(&self) -> String {
        format!("[{}: {}]", self.id, self.words)
    }

    /// Of one that has run for so many seconds and still runs.
    pub fn running(number: u64, seconds: u64) -> Self {
        Self {
            id: Self::id_of(number),
            is_running: true,
            is_lost: false,
            has_failed: false,
            words: format!("running for {seconds} s"),
        }
    }

    /// Of one that ended after so many seconds, and how.
    pub fn ended(number: u64, how: &str, seconds: u64) -> Self {
        Self {
            id: Self::id_of(number),
            is_running: false,
            is_lost: false,
            has_failed: false,
            words: format!("{how} after {seconds} s"),
        }
    }

    /// The same of one that ended badly.
    pub fn failed(self) -> Self {
        Self { has_failed: true, ..self }
    }

    /// Of one that an earlier process of the session had started, which is gone.
    pub fn lost(id: &str) -> Self {
        let words = "ended with the earlier process".to_owned();
        Self { id: id.to_owned(), is_running: false, is_lost: true, has_failed: false, words }
    }

    /// Of one that ran in the session that this one was forked from: it may run on there.
    pub fn left(id: &str) -> Self {
        let words = "belongs to the session that this one was forked from".to_owned();
        Self { id: id.to_owned(), is_running: false, is_lost: true, has_failed: false, words }
    }

    /// `b1`
    pub fn id_of(number: u64) -> String {
        format!("b{number}")
    }

    /// The reverse of [`Self::id_of`].
    pub fn number_of(id: &str) -> Option<u64> {
        let digits = id.strip_prefix('b')?;
        digits.chars().all(|c| c.is_ascii_digit()).then(|| digits.parse().ok())?
    }
}
