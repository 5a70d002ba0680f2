//! A piece of what an agent says: text, data, a file or where one is.

use serde::Deserialize;
use serde_json::Value;

/// A piece of a message or an artifact.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Words.
    Text(String),
    /// Data, as JSON.
    Data(String),
    /// A file.
    File {
        /// Its name, or nothing.
        name: String,
        /// Its media type, or nothing.
        kind: String,
        /// What is in it, in base64.
        base64: String,
    },
    /// A file that is elsewhere.
    Link {
        /// Its name, or nothing.
        name: String,
        /// Its media type, or nothing.
        kind: String,
        /// Where it is.
        url: String,
    },
    /// Something else.
    Unknown,
}

impl Part {
    /// The size of a file's content.
    pub fn file_bytes(base64: &str) -> usize {
        base64.trim_end_matches('=').len() * 3 / 4
    }
}

/// Members of both versions; which are there says what it is.
#[derive(Deserialize, Default)]
pub(super) struct RawPart {
    text: Option<String>,
    raw: Option<String>,
    url: Option<String>,
    data: Option<Value>,
    filename: Option<String>,
    #[serde(alias = "mediaType", alias = "mimeType")]
    media_type: Option<String>,
    /// 0.3.
    file: Option<RawFile>,
}

impl RawPart {
    /// A part that is these words.
    pub(super) fn of_text(words: &str) -> Self {
        Self { text: Some(words.to_owned()), ..Self::default() }
    }
}

#[derive(Deserialize)]
struct RawFile {
    #[serde(alias = "fileWithBytes", alias = "file_with_bytes")]
    bytes: Option<String>,
    #[serde(alias = "fileWithUri", alias = "file_with_uri")]
    uri: Option<String>,
    name: Option<String>,
    #[serde(alias = "mediaType", alias = "mimeType", alias = "mime_type")]
    media_type: Option<String>,
}

impl From<RawPart> for Part {
    fn from(raw: RawPart) -> Self {
        let file = raw.file.unwrap_or(RawFile { bytes: raw.raw, uri: raw.url, name: None, media_type: None });
        let name = file.name.or(raw.filename).unwrap_or_default();
        let kind = file.media_type.or(raw.media_type).unwrap_or_default();
        match (raw.text, raw.data, file.bytes, file.uri) {
            (Some(text), ..) => Self::Text(text),
            (None, Some(data), ..) => Self::Data(data.to_string()),
            (None, None, Some(base64), _) => Self::File { name, kind, base64 },
            (None, None, None, Some(url)) => Self::Link { name, kind, url },
            (None, None, None, None) => Self::Unknown,
        }
    }
}
