//! `.mcp.json`: the servers of a project, in the file that several programs read.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::super::key::KeyRow;
use super::super::{setting::Setting, setting::Wrong, source::Source, spelling::spelled, value::Written};
use super::{ROWS, SHARED_TABLE, TABLE};

/// What the file says.
#[derive(Debug, Default)]
pub(in crate::config) struct Shared {
    /// Its servers, as keys of ours.
    pub(in crate::config) settings: Vec<Setting>,
    /// Servers that cannot be used here, and why: a sentence each, with its place.
    pub(in crate::config) left_out: Vec<String>,
}

/// Members of an object, each with the text that it was written as.
type Members<'t> = BTreeMap<String, &'t RawValue>;

/// Reads the file. Members that are not known belong to other programs.
///
/// # Errors
/// What is no JSON, or no object of servers; with its place.
pub(in crate::config) fn read(text: &str, source: &Source) -> Result<Shared, Wrong> {
    let file = File { text, source };
    let whole: Members<'_> = serde_json::from_str(text)
        .map_err(|why| format!("{}: is not a JSON object: {why}", source.at(why.line())))?;
    let Some(table) = whole.get(SHARED_TABLE) else { return Ok(Shared::default()) };
    let servers: Members<'_> = serde_json::from_str(table.get())
        .map_err(|_of_a_part| format!("{}: {SHARED_TABLE}: must be an object of servers", file.at(table)))?;
    let mut shared = Shared::default();
    for (name, server) in servers {
        match file.server(&name, server) {
            Ok(settings) => shared.settings.extend(settings),
            Err(wrong) => shared.left_out.push(format!("{wrong}; the server is ignored")),
        }
    }
    Ok(shared)
}

struct File<'t> {
    text: &'t str,
    source: &'t Source,
}

impl File<'_> {
    /// Where a part of the text begins.
    fn at(&self, part: &RawValue) -> Source {
        let offset = (part.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let before = self.text.as_bytes().iter().take(offset);
        self.source.at(before.filter(|byte| **byte == b'\n').count() + 1)
    }

    /// One server as keys of ours.
    fn server(&self, name: &str, written: &RawValue) -> Result<Vec<Setting>, Wrong> {
        let wrong = |member: Option<&str>, sentence: &str| {
            Err(format!("{}: {}: {sentence}", self.at(written), path(name, member.as_slice())))
        };
        let Ok(members) = serde_json::from_str::<Members<'_>>(written.get()) else {
            return wrong(None, "must be an object");
        };
        let kind = match members.get("type") {
            Some(kind) => self.typed::<String>(kind, &path(name, &["type"]), "a string")?,
            None if members.contains_key("url") && !members.contains_key("command") => "http".to_owned(),
            None => "stdio".to_owned(),
        };
        let wanted: &[&str] = match kind.as_str() {
            "stdio" => &["command", "args", "env"],
            "http" | "streamable-http" | "streamableHttp" => &["url", "headers"],
            other => return wrong(Some("type"), &format!("must be \"stdio\" or \"http\", not {other:?}")),
        };
        let mut settings = Vec::new();
        for member in wanted {
            if let (Some(value), Some(row)) = (members.get(*member), row(member)) {
                settings.extend(self.settings(name, member, row, value)?);
            }
        }
        if settings.is_empty() { wrong(None, "has neither a `command` nor a `url`") } else { Ok(settings) }
    }

    /// One member of a server; of an object each member is a key of ours.
    fn settings(
        &self,
        name: &str,
        member: &str,
        row: &'static KeyRow,
        value: &RawValue,
    ) -> Result<Vec<Setting>, Wrong> {
        let setting = |below: &[&str], written| Setting {
            row,
            names: [name].iter().chain(below).map(|name| (*name).to_owned()).collect(),
            path: path(name, &[&[member], below].concat()),
            value: written,
            letters: None,
            source: self.at(value),
        };
        let here = path(name, &[member]);
        Ok(match member {
            "args" => {
                let items: Vec<String> = self.typed(value, &here, "a list of strings")?;
                vec![setting(&[], Written::List(items.into_iter().map(Written::Text).collect()))]
            }
            "env" | "headers" => {
                let pairs: BTreeMap<String, String> = self.typed(value, &here, "an object of strings")?;
                pairs.into_iter().map(|(name, text)| setting(&[&name], Written::Text(text))).collect()
            }
            _ => vec![setting(&[], Written::Text(self.typed(value, &here, "a string")?))],
        })
    }

    /// A value of the type that is wanted; no message repeats it.
    fn typed<T: DeserializeOwned>(&self, value: &RawValue, path: &str, wanted: &str) -> Result<T, Wrong> {
        serde_json::from_str(value.get())
            .map_err(|_repeats_it| format!("{}: {path}: must be {wanted}", self.at(value)))
    }
}

/// Our key of this name, of a table each member.
fn row(member: &str) -> Option<&'static KeyRow> {
    let is_meant = |row: &&KeyRow| {
        let below = row.path.strip_prefix(TABLE).and_then(|path| path.strip_prefix(".*."));
        below.is_some_and(|below| below.trim_end_matches(".*") == member)
    };
    ROWS.iter().find(is_meant)
}

/// A place in the file.
fn path(server: &str, members: &[&str]) -> String {
    let whole = [SHARED_TABLE, server].into_iter().chain(members.iter().copied());
    spelled(&whole.map(str::to_owned).collect::<Vec<_>>())
}
