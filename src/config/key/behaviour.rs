//! The keys without a table: who answers, what may be done, what is seen and heard; and the user's keys and hooks.

use std::path::{Component, Path};

use super::{KeyRow, KeyValue, Owner, Tightens};
use crate::agent::Attendance;
use crate::config::setting::Setting;
use crate::config::source::Source;
use crate::config::spelling::{listed, quoted};
use crate::config::{Config, keys, logging, person};
use crate::model::Effort;
use crate::policy::{Mode, RuleKind};

pub(super) static ROWS: &[KeyRow] = &[
    KeyRow::new(
        "model",
        KeyValue::letters(
            |config| config.model.as_deref().map(quoted),
            |config, setting| {
                config.model = Some(setting.value.text()?.to_owned());
                Ok(())
            },
        ),
        Tightens::Never,
        Owner::Trusted,
    )
    .asking(|_, after, _| {
        vec![("sends", format!("everything that is sent to {}", after.model.as_deref().unwrap_or_default()))]
    }),
    KeyRow::new(
        "effort",
        KeyValue::letters(
            |config| config.effort.map(|level| quoted(level.as_str())),
            |config, setting| {
                config.effort = Some(Effort::parse(setting.value.text()?)?);
                Ok(())
            },
        ),
        Tightens::Never,
        Owner::Trusted,
    ),
    KeyRow::new(
        "fallback",
        KeyValue::letters(
            |config| Some(listed(config.fallback.iter().map(|model| quoted(model)))),
            add_fallback,
        ),
        Tightens::Never,
        Owner::Trusted,
    )
    .asking(|_, after, _| {
        let to = |model| format!("everything that is sent to {model}, when another model fails");
        after.fallback.iter().map(|model| ("sends", to(model))).collect()
    }),
    KeyRow::new(
        "script",
        KeyValue::letters(
            |config| config.script.as_deref().map(quoted),
            |config, setting| {
                config.script = Some(setting.value.text()?.to_owned());
                Ok(())
            },
        ),
        Tightens::Never,
        Owner::User,
    ),
    KeyRow::new(
        "mode",
        KeyValue::letters(
            |config| Some(quoted(config.mode.as_str())),
            |config, setting| {
                config.mode = Mode::parse(setting.value.text()?)?;
                Ok(())
            },
        ),
        Tightens::If(|before, after| after.mode <= before.mode),
        Owner::Trusted,
    ),
    KeyRow::new("allow", KeyValue::Rules(RuleKind::Allow), Tightens::Never, Owner::Trusted)
        .asking(|before, after, _| new_rules(before, after, "")),
    KeyRow::new("ask", KeyValue::Rules(RuleKind::Ask), Tightens::Always, Owner::Trusted),
    KeyRow::new("deny", KeyValue::Rules(RuleKind::Deny), Tightens::Always, Owner::Trusted),
    KeyRow::new("sandbox", KeyValue::Rules(RuleKind::Sandbox), Tightens::Never, Owner::Trusted)
        .asking(|before, after, _| new_rules(before, after, " in the sandbox")),
    KeyRow::new(
        "on_approval",
        KeyValue::letters(
            |config| Some(quoted(if config.on_approval == Attendance::Stop { "stop" } else { "deny" })),
            |config, setting| {
                config.on_approval = attendance(setting.value.text()?)?;
                Ok(())
            },
        ),
        Tightens::If(|before, after| {
            after.on_approval == before.on_approval || after.on_approval == Attendance::Stop
        }),
        Owner::Trusted,
    ),
    KeyRow::new(
        "instructions",
        KeyValue::letters(
            |config| Some(listed(config.instructions.iter().map(|name| quoted(name)))),
            set_instructions,
        ),
        Tightens::Never,
        Owner::User,
    ),
    KeyRow::new(
        "theme",
        KeyValue::letters(
            |config| config.theme.as_deref().map(quoted),
            |config, setting| {
                config.theme = Some(setting.value.text()?.to_owned());
                Ok(())
            },
        ),
        Tightens::Always,
        Owner::Trusted,
    ),
    KeyRow::new(
        "status_line",
        KeyValue::letters(
            |config| config.status_line.as_deref().map(quoted),
            |config, setting| {
                config.status_line = Some(setting.value.text()?.to_owned());
                Ok(())
            },
        ),
        Tightens::Never,
        Owner::User,
    ),
    KeyRow::new(
        "notify",
        KeyValue::letters(
            |config| Some(quoted(config.notify.as_str())),
            |config, setting| {
                config.notify = person::notify(setting.value.text()?)?;
                Ok(())
            },
        ),
        Tightens::Always,
        Owner::Trusted,
    ),
    KeyRow::new(
        "images",
        KeyValue::letters(
            |config| Some(quoted(config.images.as_str())),
            |config, setting| {
                config.images = person::images(setting.value.text()?)?;
                Ok(())
            },
        ),
        Tightens::Always,
        Owner::Trusted,
    ),
    KeyRow::new(
        "motion",
        KeyValue::switch(|config| config.motion, |config, on| config.motion = on),
        Tightens::Never,
        Owner::User,
    ),
    KeyRow::new(
        "vim",
        KeyValue::switch(|config| config.vim, |config, on| config.vim = on),
        Tightens::Never,
        Owner::User,
    ),
    KeyRow::new(
        "screen_reader",
        KeyValue::switch(|config| config.screen_reader, |config, on| config.screen_reader = on),
        Tightens::Never,
        Owner::User,
    ),
    KeyRow::new(
        "mouse",
        KeyValue::switch(|config| config.mouse, |config, on| config.mouse = on),
        Tightens::Never,
        Owner::User,
    ),
    KeyRow::new(
        "links",
        KeyValue::switch(|config| config.links, |config, on| config.links = on),
        Tightens::If(|_, after| !after.links),
        Owner::Trusted,
    ),
    // Shown with all that they bind.
    KeyRow::new("keys.*.*", KeyValue::letters(|_| None, keys::set), Tightens::Never, Owner::User),
    KeyRow::new(
        "log",
        KeyValue::letters(
            |config| Some(quoted(&config.log)),
            |config, setting| {
                let filter = setting.value.text()?;
                logging::check(filter)?;
                config.log = filter.to_owned();
                Ok(())
            },
        ),
        Tightens::Never,
        Owner::User,
    ),
    KeyRow::new("hooks.*", KeyValue::Hooks, Tightens::Never, Owner::Trusted),
];

fn attendance(text: &str) -> Result<Attendance, String> {
    match text {
        "deny" => Ok(Attendance::Deny),
        "stop" => Ok(Attendance::Stop),
        other => Err(format!("must be \"deny\" or \"stop\", not {other:?}")),
    }
}

/// What rules allow that were not there before.
fn new_rules(before: &Config, after: &Config, place: &str) -> Vec<(&'static str, String)> {
    let new = after.rules.iter().skip(before.rules.len());
    new.map(|sourced| ("allows", format!("{}{place}, without asking", sourced.rule))).collect()
}

/// Most models of a chain: more are a mistake.
const MOST_FALLBACKS: usize = 16;

/// A list replaces what weaker layers said; `--fallback` said again adds to the chain.
fn add_fallback(config: &mut Config, setting: &Setting) -> Result<(), String> {
    let chain = setting.value.texts()?.into_iter().map(str::to_owned);
    let goes_on = setting.source == Source::Flag("--fallback") && config.source("fallback") == setting.source;
    let before = if goes_on { std::mem::take(&mut config.fallback) } else { Vec::new() };
    config.fallback = before.into_iter().chain(chain).collect();
    match config.fallback.len() {
        0..=MOST_FALLBACKS => Ok(()),
        count => Err(format!("must have at most {MOST_FALLBACKS} models, not {count}")),
    }
}

/// Most names of files of instructions.
const MOST_INSTRUCTIONS: usize = 8;

/// Names of files below a folder: a path that leads out of it would be another folder's.
fn set_instructions(config: &mut Config, setting: &Setting) -> Result<(), String> {
    let names = setting.value.texts()?;
    let is_below = |name: &&str| {
        let mut parts = Path::new(name).components().peekable();
        parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
    };
    if let Some(wrong) = names.iter().find(|name| !is_below(name)) {
        return Err(format!("must have names of files, as in \"AGENTS.md\", not {wrong:?}"));
    }
    if names.len() > MOST_INSTRUCTIONS {
        return Err(format!("must have at most {MOST_INSTRUCTIONS} names, not {}", names.len()));
    }
    config.instructions = names.into_iter().map(str::to_owned).collect();
    Ok(())
}
