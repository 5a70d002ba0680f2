//! What may be a key in the settings of another tool: rather one too many, as a person can write it down.

use crate::config::fault::one_line;
use crate::runtime::{holds_secret, looks_secret};

/// Under this name, what looks made up at random is a key.
const SUSPICIOUS: &str = "ACCESS";
/// What ends a part of a command.
const ENDS: &str = "\"'`=:,;|&()<>{}[]";

/// Whether a text, as a command, may hold a key: as a whole, in a part of it, or behind a name that asks for one.
pub(super) fn may_hold_key(text: &str) -> bool {
    let text = without_references(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let follows = words.iter().zip(words.iter().skip(1)).any(|(flag, word)| {
        flag.starts_with('-') && !flag.contains('=') && !is_variable_or_flag(word) && asks_for_key(flag)
    });
    let assigned = words.iter().filter_map(|word| word.split_once('=')).any(|(name, value)| {
        !value.trim_matches(['"', '\'']).is_empty() && !is_variable_or_flag(value) && asks_for_key(name)
    });
    follows || assigned || holds_secret("", &text) || has_key_word(&text)
}

/// Whether a part of a text is a key by its shape.
pub(super) fn has_key_word(text: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || ENDS.contains(c)).any(|part| holds_secret("", part))
}

/// Whether an address may hold a key beside its query: in a part of its path or of its host.
pub(super) fn has_key_in_path(url: &str) -> bool {
    let (host, path) = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/').unwrap_or((rest, "")),
        None => ("", url),
    };
    let segments = path.split(['/', '#']);
    let parts = segments.clone().chain([host]).flat_map(|segment| segment.split([':', '.']));
    holds_secret("", url) || segments.chain(parts).any(|part| holds_secret(SUSPICIOUS, part))
}

/// Whether what follows this flag of one letter is a key, by its look. What `-k` takes is one in most programs.
pub(super) fn is_key_behind(flag: &str, text: &str) -> bool {
    let is_short = flag.strip_prefix('-').is_some_and(|letter| letter.chars().count() == 1);
    let is_package = || {
        let version = text.split_once("==").or_else(|| text.split_once('@')).map(|(_, version)| version);
        version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
    };
    let is_plain = text.len() <= 5 || text.contains('/') || text.starts_with('-');
    is_short && !is_package() && (holds_secret(SUSPICIOUS, text) || flag == "-k" && !is_plain)
}

/// Whether a flag, or the name of a variable, asks for a key.
pub(super) fn asks_for_key(name: &str) -> bool {
    looks_secret(&name.trim_start_matches('-').replace('-', "_"))
}

/// The text where it may be shown; else that it is not.
pub(super) fn told(text: &str) -> String {
    if may_hold_key(text) { "… (not shown, it may hold a key)".to_owned() } else { one_line(text) }
}

/// Whether what follows a name is no key, but a variable without a value of its own, the next flag, or anything.
fn is_variable_or_flag(word: &str) -> bool {
    let word = word.trim_start_matches(['"', '\'']);
    word.starts_with(['-', '*']) || word.starts_with('$') && !word.contains(":-")
}

/// The text without each `${NAME}`. One with a value for want of the variable stays: that may be a key.
fn without_references(text: &str) -> String {
    let (mut left, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        left.push_str(before);
        let name = after.split_once('}').filter(|(name, _)| is_name(name));
        rest = match name {
            Some((_, behind)) => behind,
            None => {
                left.push_str("${");
                after
            }
        };
    }
    left + rest
}

/// Whether this can be the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_in_commands_are_seen_and_other_words_are_left() {
        for held in [
            "curl -H 'x-api-key: sk-ant-REDACTED-0123456789' https://a.example",
            "X=sk-ant-REDACTED-0123456789 run",
            "run --api-key hunter2",
            "run --api-key=hunter2",
            "MY_KEY=hunter2 run",
            "run --token \"${X:-hunter2}\"",
            "curl https://ada:hunter2@a.example",
            "curl -H 'Authorization: Bearer hunter2' https://a.example",
        ] {
            assert!(may_hold_key(held), "{held}");
            assert!(!told(held).contains("hunter2") && !told(held).contains("sk-ant"), "{held}");
        }
        for plain in [
            "npx -y ccstatusline@latest",
            "jq -r '.tool_input.file_path' | xargs cargo fmt --",
            "run --token $TOKEN --api-key \"$KEY\"",
            "run --token ${TOKEN}",
            "MY_KEY=\"$KEY\" run",
            "MY_KEY= run",
            "shell(* --password *)",
            "~/.claude/statusline.sh --keys",
            "git log --pretty=format:%h",
            "",
        ] {
            assert!(!may_hold_key(plain), "{plain}");
            assert_eq!(told(plain), plain);
        }
    }

    #[test]
    fn keys_in_addresses_are_seen() {
        for held in [
            "https://a.example/api/mcp/s/MjY5ZTk0NWItYzg4ZC00/mcp",
            "https://a.example/server/0b9f3c6e-1d2a-4c5b-8e7f-0123456789ab/mcp",
            "https://0b9f3c6e1d2a4c5b8e7f0123.a.example/mcp",
            "https://a.example/sk-ant-REDACTED-0123456789",
            "https://hooks.a.example/x",
        ] {
            assert!(has_key_in_path(held), "{held}");
        }
        for plain in [
            "https://a.example/mcp",
            "https://mcp.docs.internal.a-long-company-2024.example:8443/v1/mcp/",
            "http://127.0.0.1:8080/v1",
            "https://api.githubcopilot.com/mcp/",
            "https://a.example/${KEY}/mcp",
        ] {
            assert!(!has_key_in_path(plain), "{plain}");
        }
    }

    #[test]
    fn flags_of_one_letter_take_keys_and_other_things() {
        for (flag, text) in [("-k", "correcthorsebattery"), ("-p", "x7Kq93mZt0Lw82Bn5RcV")] {
            assert!(is_key_behind(flag, text), "{flag} {text}");
        }
        for (flag, text) in [
            ("-k", "/etc/key.pem"),
            ("-k", "8080"),
            ("-k", "-v"),
            ("-t", "stdio"),
            ("-y", "correcthorsebattery"),
            ("--from", "x7Kq93mZt0Lw82Bn5RcV"),
        ] {
            assert!(!is_key_behind(flag, text), "{flag} {text}");
        }
    }
}
