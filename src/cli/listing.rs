//! `countersign models`: the list in words, or as JSON.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::outcome::say;
use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::config::models::{Listed, State, Table, dollars, list, listed_by, unusable};
use crate::model::{ModelSpec, Price, Rates};

/// Lists the models that have `name` in their names, or all.
pub(super) fn run(
    config: &Config,
    environment: &Environment,
    name: Option<&str>,
    as_json: bool,
) -> Result<Exit, Fault> {
    let mut listed = list(config, environment, &Table::embedded());
    if let Some(name) = name {
        listed = named(listed, name);
        if listed.is_empty() {
            return Err(Fault::usage(
                format!("no known model has `{name}` in its name"),
                "list them all with `countersign models`; a provider may serve models that are not listed",
            ));
        }
    }
    say(&if as_json { format!("{:#}\n", to_json(&listed)) } else { in_words(&listed, config) })
}

/// What has `name` in its name: models, or a whole provider.
fn named(listed: Vec<Listed>, name: &str) -> Vec<Listed> {
    let wanted = name.to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&wanted);
    let narrowed = listed.into_iter().map(|mut listed| {
        listed.models.retain(|spec| has(&spec.model.to_string()));
        listed
    });
    narrowed.filter(|listed| !listed.models.is_empty() || has(&listed.provider)).collect()
}

fn in_words(listed: &[Listed], config: &Config) -> String {
    let answering = config.model.as_deref().unwrap_or_default();
    let models = listed.iter().flat_map(|listed| &listed.models);
    let width = models.map(|spec| shown(spec).chars().count()).max().unwrap_or_default().max(24);
    let mut text = format!(
        "{:width$} {:>9} {:>8}  {}\n",
        "usable now", "window", "output", "USD per million tokens: in, out, cache read"
    );
    for one in listed {
        let State::Usable(how) = &one.state else { continue };
        text.push_str(&format!("\n{}: {}\n", one_line(&one.provider), one_line(how)));
        let mut others = BTreeMap::<&str, usize>::new();
        for spec in &one.models {
            match listed_by(listed, one, spec, answering) {
                Some(other) => *others.entry(other).or_default() += 1,
                None => text.push_str(&row(spec, width)),
            }
        }
        for (other, count) in others {
            text.push_str(&by_another_protocol(listed, one, other, count));
        }
        if one.models.is_empty() {
            text.push_str(&format!("  {}/NAME: any model it serves\n", one_line(&one.provider)));
        }
    }
    let rest = unusable(listed);
    if !rest.is_empty() {
        text.push_str("\nnot usable\n");
        rest.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
    }
    text
}

/// Where the models of a provider are listed that have no row of their own: `count` of them are among those of `other`.
fn by_another_protocol(listed: &[Listed], one: &Listed, other: &str, count: usize) -> String {
    let all = listed.iter().find(|listed| listed.provider == other).map_or(0, |other| other.models.len());
    let (name, other) = (one_line(&one.provider), one_line(other));
    if (one.models.len(), all) == (count, count) {
        return format!("  {name}/NAME: the same models as {other}/NAME, by another protocol\n");
    }
    format!("  {name}/NAME: {count} of the {all} listed models of {other}, by another protocol\n")
}

/// A server names its models as it likes.
fn shown(spec: &ModelSpec) -> String {
    format!("  {}", one_line(&spec.model.to_string()))
}

fn row(spec: &ModelSpec, width: usize) -> String {
    let notes = [
        (spec.abilities.tools == Some(false)).then_some("tools as text"),
        (spec.abilities.vision == Some(true)).then_some("images"),
    ];
    let notes: Vec<&str> = notes.into_iter().flatten().collect();
    let notes = if notes.is_empty() { String::new() } else { format!("  ({})", notes.join(", ")) };
    let price = spec.price.map_or_else(|| "price unknown".to_owned(), prices);
    format!("{:width$} {:>9} {:>8}  {price}{notes}\n", shown(spec), spec.window, spec.max_output)
}

fn prices(price: Price) -> String {
    let Rates { input, output, cache_read, .. } = price.rates;
    let plain = format!("{}, {}, {}", dollars(input), dollars(output), dollars(cache_read));
    let long = price.long.map(|long| {
        let Rates { input, output, .. } = long.rates;
        format!("; above {} tokens {}, {}", long.above, dollars(input), dollars(output))
    });
    plain + &long.unwrap_or_default()
}

fn to_json(listed: &[Listed]) -> Value {
    let providers = listed.iter().map(|one| {
        let (how, fault) = match &one.state {
            State::Usable(how) => (Some(how), None),
            State::Unusable(fault) => (None, Some(fault)),
        };
        json!({
            "provider": one.provider,
            "usable": how.is_some(),
            "how": how,
            "why": fault.map(|fault| &fault.message),
            "next": fault.map(|fault| &fault.next),
            "models": one.models.iter().map(model).collect::<Vec<_>>(),
        })
    });
    json!({ "providers": providers.collect::<Vec<_>>() })
}

fn model(spec: &ModelSpec) -> Value {
    let able = &spec.abilities;
    json!({
        "model": spec.model.to_string(),
        "window": spec.window,
        "max_output": spec.max_output,
        "usd_per_million": spec.price.map(|price| rates(price.rates)),
        "long_prompt": spec.price.and_then(|price| price.long).map(|long| {
            json!({ "above": long.above, "usd_per_million": rates(long.rates) })
        }),
        "tools": able.tools,
        "vision": able.vision,
        "reasoning": able.reasoning,
    })
}

/// Dollars as numbers; they are for reading, nothing is reckoned with them.
fn rates(rates: Rates) -> Value {
    let number = |micro: u64| dollars(micro).parse::<f64>().ok();
    json!({
        "in": number(rates.input),
        "out": number(rates.output),
        "cache_read": number(rates.cache_read),
        "cache_write": number(rates.cache_write),
    })
}
