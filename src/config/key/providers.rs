//! The keys of `[providers.NAME]`: where a provider's server is, how it proves who asks, and how it differs.

use super::{KeyRow, KeyValue, Literals, Member, Owner, Tightens, one};
use crate::config::connection::{Protocol, Secret, check_base_url};
use crate::config::spelling::{listed, quoted};
use crate::config::value::Written;
use crate::config::{Config, Provider};

pub(super) static ROWS: &[KeyRow] = &[
    of_letters(
        "providers.*.base_url",
        |provider, _, value| {
            let address = value.text()?;
            check_base_url(address)?;
            provider.base_url = Some(address.to_owned());
            Ok(())
        },
        // A query may hold a key.
        |provider| {
            one(provider.base_url.as_deref().map(|url| quoted(url.split('?').next().unwrap_or_default())))
        },
    ),
    of_letters(
        "providers.*.protocol",
        |provider, _, value| {
            provider.protocol = Some(Protocol::parse(value.text()?)?);
            Ok(())
        },
        |provider| one(provider.protocol.map(|protocol| quoted(protocol.as_str()))),
    ),
    of_letters(
        "providers.*.api_key_env",
        |provider, _, value| {
            provider.api_key_env = Some(variable(value)?);
            Ok(())
        },
        |provider| one(provider.api_key_env.as_deref().map(quoted)),
    ),
    of_letters(
        "providers.*.api_key_command",
        |provider, _, value| {
            let command =
                value.text().map_err(|_repeats_it| "must be a command for sh, as in \"pass show models\"")?;
            provider.api_key_command = Some(Secret::new(command));
            Ok(())
        },
        // A command can hold a secret as well as fetch one.
        |provider| one(provider.api_key_command.as_ref().map(|_| quoted(HIDDEN))),
    ),
    of_letters(
        "providers.*.api_key_file",
        |provider, _, value| {
            provider.api_key_file = Some(key_file(value)?);
            Ok(())
        },
        |provider| one(provider.api_key_file.as_deref().map(quoted)),
    ),
    quirk(
        "providers.*.quirks.without_stream_options",
        |provider, on| provider.quirks.without_stream_options = on,
        |provider| provider.quirks.without_stream_options.then_some(true),
    ),
    quirk(
        "providers.*.quirks.max_completion_tokens",
        |provider, on| provider.quirks.max_completion_tokens = Some(on),
        |provider| provider.quirks.max_completion_tokens,
    ),
    quirk(
        "providers.*.quirks.reasoning_content",
        |provider, on| provider.quirks.reasoning_content = Some(on),
        |provider| provider.quirks.reasoning_content,
    ),
    quirk(
        "providers.*.quirks.nine_letter_ids",
        |provider, on| provider.quirks.nine_letter_ids = Some(on),
        |provider| provider.quirks.nine_letter_ids,
    ),
    quirk(
        "providers.*.quirks.strict_order",
        |provider, on| provider.quirks.strict_order = Some(on),
        |provider| provider.quirks.strict_order,
    ),
    quirk(
        "providers.*.quirks.bearer",
        |provider, on| provider.quirks.bearer = on,
        |provider| provider.quirks.bearer.then_some(true),
    ),
    KeyRow::new(
        "hosted_tools.*",
        KeyValue::Provider(Member::Letters {
            set: |provider, _, value| {
                provider.hosted_tools = hosted_tools(value)?;
                Ok(())
            },
            get: |provider| {
                let tools = &provider.hosted_tools;
                one((!tools.is_empty()).then(|| listed(tools.iter().map(|tool| quoted(tool)))))
            },
        }),
        Tightens::If(takes_tools_away),
        Owner::Trusted,
    )
    .asking(|_, _, setting| {
        vec![("sends", format!("what the model sends to the provider's own tools: {}", setting.written()))]
    }),
    of_letters("providers.*.headers.*", header, |provider| {
        provider.headers.keys().map(|name| (Some(name.as_str()), quoted(HIDDEN))).collect()
    }),
];

/// What stands in the place of a secret.
const HIDDEN: &str = "(hidden)";

/// A key of the user's that takes a text.
const fn of_letters(
    path: &'static str,
    set: fn(&mut Provider, &[String], &Written) -> Result<(), String>,
    get: fn(&Provider) -> Literals<'_>,
) -> KeyRow {
    KeyRow::new(path, KeyValue::Provider(Member::Letters { set, get }), Tightens::Never, Owner::User)
}

/// A way in which a server differs.
const fn quirk(
    path: &'static str,
    set: fn(&mut Provider, bool),
    get: fn(&Provider) -> Option<bool>,
) -> KeyRow {
    KeyRow::new(path, KeyValue::Provider(Member::Switch { set, get }), Tightens::Never, Owner::User)
}

/// Each tool sends data elsewhere: a project may only take some away.
fn takes_tools_away(before: &Config, after: &Config) -> bool {
    after.providers.iter().all(|(name, provider)| {
        let before = before.providers.get(name).map_or(&[][..], |p| p.hosted_tools.as_slice());
        provider.hosted_tools.iter().all(|tool| before.contains(tool))
    })
}

pub(super) fn variable(value: &Written) -> Result<String, String> {
    // What was written may be the key itself, so no message repeats it.
    let name = value.text().map_err(|_repeats_it| "must be the name of a variable")?;
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        || name.starts_with(|c: char| c.is_ascii_digit())
    {
        return Err("must be the name of the variable with the key, as in MY_API_KEY, not the key".to_owned());
    }
    Ok(name.to_owned())
}

fn key_file(value: &Written) -> Result<String, String> {
    // What was written may be the key itself, so no message repeats it.
    let path = value.text().map_err(|_repeats_it| "must be the path of a file")?;
    if path.starts_with('/') || path.starts_with("~/") {
        return Ok(path.to_owned());
    }
    Err("must be the path of the file with the key, beginning with / or ~/, not the key".to_owned())
}

/// Each once, by the provider's own name: `web_search`, or with its version `web_search_20250305`.
fn hosted_tools(value: &Written) -> Result<Vec<String>, String> {
    let mut tools: Vec<String> = Vec::new();
    for name in value.texts()? {
        if !name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_') {
            return Err(format!("must be names such as \"web_search\", not {name:?}"));
        }
        if !tools.iter().any(|known| known == name) {
            tools.push(name.to_owned());
        }
    }
    Ok(tools)
}

fn header(provider: &mut Provider, below: &[String], value: &Written) -> Result<(), String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let header = below.first().filter(|name| !name.is_empty() && name.chars().all(is_part));
    let header = header.ok_or("is not a valid header name")?;
    let text = value.text().map_err(|_repeats_it| "must be a string")?;
    if !text.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
        return Err("must be plain ASCII on one line".to_owned());
    }
    provider.headers.insert(header.clone(), Secret::new(text));
    Ok(())
}
