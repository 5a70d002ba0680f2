//! What the user or a tool showed, as a field of a record: whole in a session file, without its bytes where people read.

use serde_json::{Map, Value, json};

use crate::ledger::Image;

use super::RecordError;
use super::fields::{Fields, put};

/// Whether a record carries the bytes of its images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bytes {
    /// In base64, as `data`.
    Whole,
    /// Only how many, as `bytes`.
    Counted,
}

/// Writes the images; a message without any has no such field.
pub(super) fn write(record: &mut Map<String, Value>, images: &[Image], bytes: Bytes) {
    if !images.is_empty() {
        let images: Vec<Value> = images.iter().map(|image| one(image, bytes)).collect();
        put(record, json!({ "images": images }));
    }
}

fn one(image: &Image, bytes: Bytes) -> Value {
    let mut members = Map::new();
    put(&mut members, json!({ "name": image.name, "media_type": image.media_type }));
    if let Some((width, height)) = image.size {
        put(&mut members, json!({ "width": width, "height": height }));
    }
    put(
        &mut members,
        match bytes {
            Bytes::Whole => json!({ "data": &*image.data }),
            Bytes::Counted => json!({ "bytes": image.bytes() }),
        },
    );
    Value::Object(members)
}

/// Reads them back.
pub(super) fn read(fields: &Fields<'_>) -> Result<Vec<Image>, RecordError> {
    if fields.get("images").is_none() {
        return Ok(Vec::new());
    }
    let read_one = |value| {
        let fields = Fields::of("images", value)?;
        let has_size = fields.get("width").is_some();
        let size = has_size.then(|| Ok((fields.small("width")?, fields.small("height")?))).transpose()?;
        Ok(Image {
            name: fields.text("name")?,
            media_type: fields.text("media_type")?,
            data: fields.str("data")?.into(),
            size,
        })
    };
    fields.list("images")?.iter().map(read_one).collect()
}
