//! The lines of an editor: read on a thread of their own, each of bounded length.

use std::io::{self, BufRead, Read as _};

use super::rpc::{self, BadLine, Incoming, RpcError};

/// Bytes of one line: all images of a message in base64, and room for its words.
const MOST_BYTES: u64 = 32 << 20;

/// The next line that is not blank: what it says, or why it is refused. `None` at the end.
///
/// # Errors
/// The input cannot be read.
pub(super) fn next(input: &mut impl BufRead) -> io::Result<Option<Result<Incoming, BadLine>>> {
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MOST_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if !line.ends_with(b"\n") && line.len() as u64 == MOST_BYTES {
            input.skip_until(b'\n')?;
            let words = format!("the line is longer than {} MiB", MOST_BYTES >> 20);
            return Ok(Some(Err(BadLine::nameless(RpcError::request(words)))));
        }
        if !line.trim_ascii().is_empty() {
            return Ok(Some(rpc::read(&line)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_skipped_whole() {
        let mut text = vec![b'x'; 40 << 20];
        text.extend_from_slice(b"\n\n{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n");
        let mut input = text.as_slice();
        let first = next(&mut input).unwrap().unwrap().unwrap_err();
        assert_eq!(first.error.words(), "the line is longer than 32 MiB");
        assert!(matches!(next(&mut input).unwrap(), Some(Ok(Incoming::Notification { .. }))));
        assert!(next(&mut input).unwrap().is_none());
    }
}
