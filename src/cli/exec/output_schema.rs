//! Reads the file of `--output-schema`.

use std::path::Path;
use std::sync::Arc;

use crate::config::fault::{Fault, one_line};
use crate::config::reading::{Reading, bytes};
use crate::tool::AnswerSchema;

/// Bytes of the file: the schema goes with every request.
const MOST_BYTES: u64 = 256 << 10;

/// The schema that the answer must satisfy.
///
/// # Errors
/// The file cannot be read, or holds no schema that can be used.
pub(super) fn answer_schema(file: &Path) -> Result<Arc<AnswerSchema>, Fault> {
    let fault = |why: String, next: &str| {
        Fault::usage(format!("--output-schema: {} {}", file.display(), one_line(&why)), next)
    };
    let refused = |why: String| fault(why, "name a regular file that holds a JSON Schema");
    let text = match bytes(file, MOST_BYTES) {
        Reading::Text { cut: true, .. } => {
            return Err(refused(format!("is larger than {} KiB", MOST_BYTES >> 10)));
        }
        Reading::Text { text, .. } => text,
        Reading::Absent => return Err(refused("does not exist".to_owned())),
        Reading::Refused(why) => return Err(refused(format!("cannot be read: {why}"))),
    };
    let schema = serde_json::from_slice(&text).map_err(|why| refused(no_json(&why)))?;
    AnswerSchema::new(schema).map(Arc::new).map_err(|why| fault(why, "correct the schema"))
}

/// Where a text stops being JSON, and what is expected.
fn no_json(why: &serde_json::Error) -> String {
    let expected = r#"a JSON Schema is expected, as in {"type": "object"}"#;
    if why.is_eof() {
        return format!("cannot be read as JSON: it ends too early, in line {}; {expected}", why.line());
    }
    format!("cannot be read as JSON at line {}, column {}; {expected}", why.line(), why.column())
}
