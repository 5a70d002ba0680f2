//! `session/prompt`: the blocks of a message, and how its end is answered.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use crate::cli::acp::rpc::{self, RpcError};
use crate::cli::block::block;
use crate::ledger::{AttachedFile, CallId, Ending, EntryId, Image, Pastes, TurnEnded, UserMessage};
use crate::session::attachments::{Attach, AttachmentRefusal};
use crate::ui::mention::written;

/// The method.
pub(in crate::cli::acp) const METHOD: &str = "session/prompt";
/// Most blocks of a message.
const MOST_BLOCKS: usize = 200;
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(in crate::cli::acp) enum Block {
    /// Words.
    Text {
        /// Them.
        text: String,
    },
    /// A picture.
    Image {
        /// Its bytes in base64.
        data: String,
    },
    /// Something that is named: a file of the folder goes with the message, an address stays an address.
    ResourceLink {
        /// Where it is.
        uri: String,
        /// What it is called.
        name: String,
    },
    /// Something that the editor hands over, such as a buffer that is not saved.
    Resource {
        /// It.
        resource: Resource,
    },
}

/// What an editor hands over.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(in crate::cli::acp) struct Resource {
    uri: String,
    #[serde(default)]
    text: Option<String>,
}

#[derive(Deserialize)]
struct PromptParams {
    prompt: Vec<Value>,
}

/// The blocks of a prompt.
///
/// # Errors
/// -32602: one that is not understood, or too many.
pub(in crate::cli::acp) fn read(params: Value) -> Result<Vec<Block>, RpcError> {
    let PromptParams { prompt } = rpc::params(params)?;
    if prompt.len() > MOST_BLOCKS {
        return Err(RpcError::params(format!("a prompt has at most {MOST_BLOCKS} blocks")));
    }
    let read = |value: Value| {
        serde_json::from_value(value)
            .map_err(|why| RpcError::params(format!("a block of the prompt was not understood: {why}")))
    };
    prompt.into_iter().map(read).collect()
}

/// What an editor calls a command: the first block of words, if it begins with a slash.
pub(in crate::cli::acp) fn slash(blocks: &[Block]) -> Option<&str> {
    let words = blocks
        .iter()
        .find_map(|block| if let Block::Text { text } = block { Some(text.as_str()) } else { None });
    words.filter(|text| text.trim_start().starts_with('/'))
}

/// The blocks beside that one.
pub(in crate::cli::acp) fn beside_slash(mut blocks: Vec<Block>) -> Vec<Block> {
    if let Some(at) = blocks.iter().position(|block| matches!(block, Block::Text { .. })) {
        blocks.remove(at);
    }
    blocks
}

/// The message that blocks are, behind what a command says, if they go with one. Files of the folder are read here, as an `@path` in
/// the app reads them.
///
/// # Errors
/// A file outside the folder, or one that cannot be sent; in words.
pub(in crate::cli::acp) fn message(
    attach: &Attach,
    cwd: &Path,
    mut said: UserMessage,
    blocks: Vec<Block>,
) -> Result<UserMessage, RpcError> {
    if !said.content.is_empty() && !blocks.is_empty() {
        said.content.push(' ');
    }
    let (mut behind, mut pictures, mut handed_over) = (Vec::new(), 0, 0);
    for block in blocks {
        match block {
            Block::Text { text } => said.content.push_str(&text),
            Block::Image { data } => {
                pictures += 1;
                let name = format!("image {pictures}");
                attach.add_picture(&mut said, &name, &decoded(&name, &data)?).map_err(refused)?;
                said.content.push_str(&format!("[{name}]"));
            }
            Block::ResourceLink { uri, name } => match local(cwd, &uri)? {
                None => said.content.push_str(&format!("[{name}]({uri})")),
                Some(Local { path, lines, .. }) => {
                    attach.add_linked(&mut said, &path, lines).map_err(refused)?;
                    said.content.push_str(&written(&path));
                }
            },
            Block::Resource { resource: Resource { uri, text: Some(text) } } => {
                handed_over += text.len();
                if handed_over > AttachedFile::MOST_BYTES_IN_ALL {
                    let most = AttachedFile::MOST_BYTES_IN_ALL / 1_000;
                    return Err(RpcError::params(format!(
                        "the embedded resources are larger than {most} kB together; link some instead"
                    )));
                }
                let name = match local(cwd, &uri)? {
                    None => uri,
                    Some(Local { path, .. }) => {
                        attach.refuse_denied(&path).map_err(refused)?;
                        path
                    }
                };
                said.content.push_str(&written(&name));
                behind.push(format!("{name}, as the editor has it:\n{}", block_of(&text)));
            }
            Block::Resource { .. } => {
                return Err(RpcError::params("an embedded resource has no text; send pictures as images"));
            }
        }
    }
    let pasted = |block: String| UserMessage { pastes: Pastes::all(&block), ..block.into() };
    Ok(behind.into_iter().map(pasted).fold(said, UserMessage::followed_by))
}

fn block_of(text: &str) -> String {
    block("resource", text)
}

/// A file that is not sent, with what to do.
pub(in crate::cli::acp) fn refused(AttachmentRefusal { what, next }: AttachmentRefusal) -> RpcError {
    RpcError::params(format!("{what}; next: {next}"))
}

fn decoded(name: &str, data: &str) -> Result<Vec<u8>, RpcError> {
    // What is too large in base64 is not decoded to find that out.
    if data.len() as u64 / 4 * 3 > Image::MOST_BYTES + 3 {
        return Err(RpcError::params(format!("{name} is too large; scale it down")));
    }
    BASE64.decode(data).map_err(|_no_base64| RpcError::params(format!("{name} is not base64")))
}

/// A file of the session's folder.
#[derive(Debug, PartialEq, Eq)]
struct Local {
    /// From the folder.
    path: String,
    lines: Option<(u64, u64)>,
}

/// The file that an address names; `None`: it names none of this machine.
///
/// # Errors
/// A file outside the folder.
fn local(cwd: &Path, uri: &str) -> Result<Option<Local>, RpcError> {
    let url = match Url::parse(uri) {
        Ok(url) if url.scheme() == "file" => url,
        Ok(_) => return Ok(None),
        Err(_) if uri.starts_with('/') => match Url::from_file_path(uri) {
            Ok(url) => url,
            Err(()) => return Ok(None),
        },
        Err(_) => return Ok(None),
    };
    let path: PathBuf =
        url.to_file_path().map_err(|()| RpcError::params(format!("{uri} is not a file of this machine")))?;
    // The parser has taken `..` out of the path; links are followed, and held against the rules, where the file is read.
    let Ok(below) = path.strip_prefix(cwd) else {
        return Err(RpcError::params(format!(
            "{} is outside {}, the folder of this session; open a session there",
            path.display(),
            cwd.display()
        )));
    };
    let below = below.to_string_lossy().into_owned();
    let path = if below.is_empty() { ".".to_owned() } else { below };
    Ok(Some(Local { path, lines: url.fragment().and_then(lines) }))
}

/// `L10`, `L10:20`, `L10-L20`: the lines of an address, from 1.
fn lines(fragment: &str) -> Option<(u64, u64)> {
    let (first, last) = fragment.split_once([':', '-']).unwrap_or((fragment, fragment));
    let number = |text: &str| text.trim_start_matches('L').parse::<u64>().ok().filter(|line| *line > 0);
    let (first, last) = (number(first.strip_prefix('L')?)?, number(last)?);
    Some((first.min(last), first.max(last)))
}

/// The answer to a prompt whose run has ended.
pub(in crate::cli::acp) fn ended(entry: EntryId, end: &TurnEnded) -> Value {
    json!({
        "stopReason": stop_reason(end.reason),
        "_meta": {
            "countersign/ending": end.reason.as_str(),
            "countersign/entry": entry.to_string(),
            "countersign/next": end.what_next(),
        },
    })
}

/// The answer to a prompt whose session was closed while these calls waited for a decision: they wait on, so its run has no ending.
pub(in crate::cli::acp) fn left(asked: EntryId, waiting: &[CallId]) -> Value {
    let named: Vec<String> = waiting.iter().map(ToString::to_string).collect();
    let calls = if named.len() == 1 { "call" } else { "calls" };
    json!({
        "stopReason": "cancelled",
        "_meta": {
            "countersign/ending": null,
            "countersign/entry": asked.to_string(),
            "countersign/waiting": named,
            "countersign/next": format!(
                "Load the session and send a prompt to decide about the {calls} {}.",
                named.join(", ")
            ),
        },
    })
}

/// The answer to a prompt that was taken back before its run began.
pub(in crate::cli::acp) fn cancelled() -> Value {
    json!({ "stopReason": "cancelled" })
}

/// Our endings in the words of the protocol, which has five.
fn stop_reason(ending: Ending) -> &'static str {
    match ending {
        Ending::AbortedStreaming | Ending::AbortedTools => "cancelled",
        Ending::ModelRefused => "refusal",
        Ending::OutputCutOff | Ending::MaxOutputTokens | Ending::PromptTooLong => "max_tokens",
        Ending::MaxTurns
        | Ending::MaxToolCalls
        | Ending::WallTime
        | Ending::MaxInputTokens
        | Ending::MaxCost
        | Ending::PriceAsked
        | Ending::TokenBudget
        | Ending::RepeatedFailures => "max_turn_requests",
        Ending::Completed
        | Ending::GoalReached
        | Ending::StopHookPrevented
        | Ending::ModelError
        | Ending::NoFinalAnswerOrToolCall
        | Ending::ApprovalRequired
        | Ending::PolicyDenied
        | Ending::BlockedOnUser
        | Ending::ToolUnavailable
        | Ending::InvalidAnswer => "end_turn",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_file_of_the_folder_or_none_and_others_are_refused() {
        let cwd = Path::new("/home/ada/it");
        let of = |uri: &str| local(cwd, uri).map_err(|error| error.words().to_owned());
        let file = |path: &str, lines| Ok(Some(Local { path: path.to_owned(), lines }));
        assert_eq!(of("file:///home/ada/it/src/a.rs"), file("src/a.rs", None));
        assert_eq!(of("file:///home/ada/it/a%20b.rs?symbol=x#L10:20"), file("a b.rs", Some((10, 20))));
        assert_eq!(of("/home/ada/it/a.rs"), file("a.rs", None));
        assert_eq!(of("file:///home/ada/it"), file(".", None));
        for outside in [
            "file:///home/ada/it/../x",
            "/home/ada/item/a",
            "file:///etc/passwd",
            "file:///home/ada/it/%2e%2e/x",
        ] {
            assert!(of(outside).is_err_and(|why| why.contains("is outside /home/ada/it")), "{outside}");
        }
        assert_eq!(of("https://example.org/a"), Ok(None));
        assert_eq!(of("zed:///agent/thread/1"), Ok(None));
        assert!(of("file://elsewhere/a").is_err());
    }

    #[test]
    fn lines_of_an_address() {
        for (text, wanted) in [
            ("L10", Some((10, 10))),
            ("L10-L12", Some((10, 12))),
            ("L12:10", Some((10, 12))),
            ("L0", None),
            ("10", None),
            ("", None),
        ] {
            assert_eq!(lines(text), wanted, "{text}");
        }
    }
}
