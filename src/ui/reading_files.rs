//! The files of messages that are being read before these are sent: since when, for whoever waits.

/// How many messages wait for their files, and since when the first of them does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadingFiles<T> {
    messages: usize,
    /// Since when.
    pub since: T,
}

impl<T> ReadingFiles<T> {
    /// What is read after the files of one more message begin to be read, or no longer are.
    pub(super) fn after(before: Option<Self>, begins: bool, now: T) -> Option<Self> {
        match before {
            None => begins.then_some(Self { messages: 1, since: now }),
            Some(Self { messages, since }) => {
                let messages = if begins { messages + 1 } else { messages - 1 };
                (messages > 0).then_some(Self { messages, since })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_over_when_the_last_message_has_its_files() {
        let first = ReadingFiles::after(None, true, 5);
        let both = ReadingFiles::after(first, true, 7);
        assert_eq!(both.map(|reading| reading.since), Some(5));
        let one = ReadingFiles::after(both, false, 8);
        assert_eq!(one.map(|reading| reading.since), Some(5));
        assert_eq!(ReadingFiles::after(one, false, 9), None);
        assert_eq!(ReadingFiles::after(None, false, 9), None);
    }
}
