//! How many values a JSON text of others holds, counted byte by byte before anything is built of it: 15 MB of `{}` are
//! millions of values, each of which takes a hundred times its text in memory.

/// Most values of one message of an agent or a server. One that is not hostile holds a few thousand.
pub const MOST_VALUES: usize = 100_000;

/// Counts the values of a text that comes in pieces. What is in strings is not counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bulk {
    values: usize,
    in_string: bool,
    is_escaped: bool,
}

impl Bulk {
    /// Takes in the next piece. Whether there are still no more values than allowed.
    pub fn take(&mut self, piece: &[u8]) -> bool {
        for byte in piece {
            if self.in_string {
                match byte {
                    _ if self.is_escaped => self.is_escaped = false,
                    b'\\' => self.is_escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' | b',' => self.values += 1,
                _ => {}
            }
        }
        self.values <= MOST_VALUES
    }

    /// Whether a whole text holds no more values than allowed.
    pub fn fits(text: &[u8]) -> bool {
        Self::default().take(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_wherever_they_stand_and_words_are_not() {
        let many = |value: &str, count: usize| format!("[{}]", vec![value; count].join(","));
        for value in ["{}", "[]", "0", "\"\"", r#"{"text":""}"#, r#"{"a":{"b":[1]}}"#] {
            assert!(Bulk::fits(many(value, 10_000).as_bytes()), "{value}");
            assert!(!Bulk::fits(many(value, 110_000).as_bytes()), "{value}");
        }
        let words = format!(r#"{{"text":"{}"}}"#, r#"[{,\"\\"#.repeat(200_000));
        assert!(Bulk::fits(words.as_bytes()));
        let after = format!(r#"{{"text":"x\\","data":{}}}"#, many("{}", 60_000));
        assert!(!Bulk::fits(after.as_bytes()));
    }

    #[test]
    fn pieces_count_as_the_whole() {
        let text = format!(r#"{{"a":"[\"[","b":[{}]}}"#, "[],".repeat(60_000));
        for size in [1, 2, 7, 1_000] {
            let mut bulk = Bulk::default();
            assert!(!text.as_bytes().chunks(size).all(|piece| bulk.take(piece)));
            assert_eq!(bulk.values <= MOST_VALUES, Bulk::fits(text.as_bytes()));
        }
    }
}
