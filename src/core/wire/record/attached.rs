//! The files that a user attached, as a field of a record: whole in a session file, without their text where people read.

use serde_json::{Map, Value, json};

use crate::ledger::AttachedFile;

use super::RecordError;
use super::fields::{Fields, put};
use super::image::Bytes;

/// Writes the files; a message without any has no such field.
pub(super) fn write(record: &mut Map<String, Value>, files: &[AttachedFile], bytes: Bytes) {
    if !files.is_empty() {
        let files: Vec<Value> = files.iter().map(|file| one(file, bytes)).collect();
        put(record, json!({ "files": files }));
    }
}

fn one(file: &AttachedFile, bytes: Bytes) -> Value {
    let mut members = Map::new();
    let AttachedFile { path, first, last, of_lines, sha256, confirmed, cut_bytes, cut_chars, text } = file;
    put(&mut members, json!({ "path": path, "first": first, "last": last }));
    if *of_lines > 0 {
        put(&mut members, json!({ "of_lines": of_lines }));
    }
    put(&mut members, json!({ "sha256": sha256 }));
    if !confirmed.is_empty() {
        put(&mut members, json!({ "confirmed": confirmed }));
    }
    for (name, cut) in [("cut_bytes", *cut_bytes), ("cut_chars", *cut_chars)] {
        if cut > 0 {
            put(&mut members, json!({ name: cut }));
        }
    }
    put(
        &mut members,
        match bytes {
            Bytes::Whole => json!({ "text": &**text }),
            Bytes::Counted => json!({ "bytes": text.len() }),
        },
    );
    Value::Object(members)
}

/// Reads them back.
pub(super) fn read(fields: &Fields<'_>) -> Result<Vec<AttachedFile>, RecordError> {
    if fields.get("files").is_none() {
        return Ok(Vec::new());
    }
    let read_one = |value| {
        let fields = Fields::of("files", value)?;
        let number = |name| fields.get(name).map_or(Ok(0), |_| fields.number(name));
        Ok(AttachedFile {
            path: fields.text("path")?,
            first: fields.number("first")?,
            last: fields.number("last")?,
            of_lines: number("of_lines")?,
            sha256: fields.text("sha256")?,
            confirmed: fields.text_or_empty("confirmed")?,
            cut_bytes: number("cut_bytes")?,
            cut_chars: number("cut_chars")?,
            text: fields.str("text")?.into(),
        })
    };
    fields.list("files")?.iter().map(read_one).collect()
}
