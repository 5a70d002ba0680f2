//! The output of a command for the model: head and tail in bounded memory, however much comes.

use crate::tool::{Bounded, bound};

/// A character takes up to so many bytes.
const CHAR_BYTES: usize = 4;

/// Keeps as much of the start and the end as the bound can show.
#[derive(Debug)]
pub(super) struct Gathered {
    max_chars: usize,
    head: Vec<u8>,
    tail: Vec<u8>,
    lost_chars: u64,
}

impl Gathered {
    /// For a result of at most `max_chars` characters.
    pub(super) fn new(max_chars: usize) -> Self {
        Self { max_chars, head: Vec::new(), tail: Vec::new(), lost_chars: 0 }
    }

    /// Takes in what came.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let room = (self.max_chars * CHAR_BYTES).saturating_sub(self.head.len());
        let (head, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
        self.head.extend_from_slice(head);
        self.tail.extend_from_slice(rest);
        // Cut at twice the size, so that the tail is moved rarely.
        let keep = self.max_chars * CHAR_BYTES;
        if self.tail.len() > 2 * keep + (1 << 16) {
            let at_least = self.tail.len() - keep;
            let begun = self.tail.iter().skip(at_least).take(CHAR_BYTES - 1);
            let lost = at_least + begun.take_while(|byte| **byte & 0xc0 == 0x80).count();
            self.lost_chars += count_chars(self.tail.get(..lost).unwrap_or_default());
            self.tail.drain(..lost);
        }
    }

    /// What came, within the bound, with `ending` as its last line.
    pub(super) fn finish(self, ending: &str) -> Bounded {
        let room = self.max_chars.saturating_sub(ending.chars().count());
        let mut bounded = if self.lost_chars == 0 {
            bound(String::from_utf8_lossy(&[self.head, self.tail].concat()).trim_end(), room)
        } else {
            self.cut_between(room)
        };
        if !bounded.text.is_empty() && !ending.is_empty() {
            bounded.text.push('\n');
        }
        bounded.text.push_str(ending);
        bounded
    }

    /// As [`bound`] does it, for a text whose middle is gone already.
    fn cut_between(&self, room: usize) -> Bounded {
        let (head, tail) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&self.tail));
        let tail = tail.trim_end();
        let (head_chars, tail_chars) = (head.chars().count(), tail.chars().count());
        let take_head = room / 3;
        let skip_tail = tail_chars.saturating_sub(room - room / 3);
        let cut_chars = self.lost_chars + (head_chars.saturating_sub(take_head) + skip_tail) as u64;
        let head: String = head.chars().take(take_head).collect();
        let tail: String = tail.chars().skip(skip_tail).collect();
        Bounded { text: format!("{head}\n[… {cut_chars} characters cut …]\n{tail}"), cut_chars }
    }
}

/// Characters in bytes that may start and end within one: every byte that does not continue another.
fn count_chars(bytes: &[u8]) -> u64 {
    if bytes.is_ascii() {
        return bytes.len() as u64;
    }
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_comes_the_memory_is_bounded_and_the_count_is_true() {
        let mut gathered = Gathered::new(100);
        for _ in 0..10_000 {
            gathered.push("äöü€".repeat(10).as_bytes());
            assert!(gathered.head.len() + gathered.tail.len() < 200_000);
        }
        let done = gathered.finish("");
        let shown = done.text.chars().filter(|c| "äöü€".contains(*c)).count() as u64;
        assert_eq!(shown + done.cut_chars, 400_000);
        assert_eq!(shown, 100);
    }

    #[test]
    fn short_output_is_whole_and_ends_with_the_ending() {
        let mut gathered = Gathered::new(100);
        gathered.push(b"a\xffb\n");
        assert_eq!(gathered.finish("exit code 2").text, "a\u{fffd}b\nexit code 2");
        assert_eq!(Gathered::new(100).finish("(no output)").text, "(no output)");
    }
}
