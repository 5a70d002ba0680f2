//! The settings of a story: the product's defaults, a few tools, and what its header lines change.

use std::sync::Arc;

use countersign::agent::{Attendance, FinalResponse, Settings};
use countersign::budget::{Bound, Limit, Limits, TokenBudget};
use countersign::hooks::{HookPoint, HookSpec};
use countersign::ledger::ModelRef;
use countersign::model::{ModelSpec, Rates};
use countersign::policy::{Mode, Origin, Rule, RuleKind, Tier};
use countersign::tool::{AnswerSchema, SideEffect, ToolKind, ToolSpec};
use serde_json::json;

use crate::notation::number;

/// Reads the header lines: `settings: KEY=VALUE …` and `rule: deny TOOL(PATTERN)`.
pub fn settings(header: &[&str]) -> Result<(Settings, bool), String> {
    let mut settings = Settings {
        session: "story".to_owned(),
        cwd: "/work".to_owned(),
        tools: tools(),
        // Stories that are about time set this limit; in the others no timer ticks.
        limits: Limits::default().with(Limit::WallTime, None),
        seed: 7,
        ..Settings::new(ModelSpec::unknown(ModelRef::parse("script")))
    };
    let mut looks_are_told = false;
    for line in header {
        if let Some(text) = line.strip_prefix("rule: ") {
            settings.policy.rules.push(rule(text)?);
            continue;
        }
        for pair in line.trim_start_matches("settings: ").split_whitespace() {
            let (key, value) = pair.split_once('=').ok_or_else(|| format!("`{pair}` is not KEY=VALUE"))?;
            match key {
                "looks" => looks_are_told = value == "told",
                _ => set(&mut settings, key, value)?,
            }
        }
    }
    let chain =
        settings.fallback.iter().map(|f| ModelSpec { model: f.model.clone(), ..settings.model.clone() });
    settings.fallback = chain.collect();
    Ok((settings, looks_are_told))
}

fn set(settings: &mut Settings, key: &str, value: &str) -> Result<(), String> {
    if limit(&mut settings.limits, key, value)? {
        return Ok(());
    }
    match key {
        "max_steps" => {
            settings.limits.set(Limit::Turns, number::<u64>(value)?);
            settings.limit_is_steps = true;
        }
        "max_answer_bytes" => settings.answer.bytes = number(value)?,
        "max_argument_bytes" => settings.answer.argument_bytes = number(value)?,
        "max_calls_per_answer" => settings.answer.calls = number(value)?,
        "max_consecutive_failures" => settings.max_consecutive_failures = number(value)?,
        "answer_schema" => {
            let schema = serde_json::from_str(value).map_err(|why| why.to_string())?;
            settings.answer_schema = Some(Arc::new(AnswerSchema::new(schema)?));
        }
        "token_budget" => settings.token_budget = Some(TokenBudget::of(number(value)?)),
        "final_response" if value == "separate" => settings.final_response = FinalResponse::Separate,
        "unattended" if value == "deny" => settings.attendance = Attendance::Deny,
        "unattended" if value == "stop" => settings.attendance = Attendance::Stop,
        "fallback" => {
            let named = |name: &str| ModelSpec::unknown(ModelRef::parse(name));
            settings.fallback = value.split(',').map(named).collect();
        }
        "hooks" => {
            let names = value.split(',').map(|name| {
                let point =
                    HookPoint::parse(name).ok_or_else(|| format!("`{name}` is no point for hooks"))?;
                Ok(HookSpec { point, command: "check".into(), timeout_ms: 1_000, matcher: vec![] })
            });
            settings.hooks = names.collect::<Result<_, String>>()?;
        }
        "parallel" => settings.parallel = value == "true",
        "tools" if value == "none" => settings.tools.clear(),
        "tools" if value == "agent" => {
            settings.tools.push(tool("delegate_to_writer", SideEffect::Sends, "task", true));
        }
        "tools" if value == "server" => {
            settings.tools.push(tool("mcp__stub__odd", SideEffect::Sends, "what", true));
            settings.tools.push(tool("mcp__stub__plain", SideEffect::Sends, "what", true));
        }
        "tools" if value == "web" => {
            let fetch = tool("fetch", SideEffect::Sends, "url", true);
            settings.tools.push(ToolSpec { retrieves: true, ..fetch });
        }
        "sandbox" => settings.policy.has_sandbox = value == "yes",
        "looking" => settings.policy.looking_is_free = value == "free",
        "mode" => settings.policy.mode = Mode::parse(value)?,
        "window" => settings.model.window = number(value)?,
        "output" => {
            settings.model.max_output = number(value)?;
            settings.model.output_is_stated = true;
        }
        "ask_above" => settings.ask_above = Some(dollars(value)?),
        "price_in" => price(settings).input = dollars(value)?,
        "price_cached" => price(settings).cache_read = dollars(value)?,
        "price_out" => price(settings).output = dollars(value)?,
        _ => return Err(format!("`{key}={value}` is no setting of a story")),
    }
    Ok(())
}

/// Sets a budget by its name in the configuration; says whether it is one.
fn limit(limits: &mut Limits, key: &str, value: &str) -> Result<bool, String> {
    if let Some(limit) = Limit::parse(key).filter(|limit| *limit != Limit::Tokens) {
        let number = if limit == Limit::Cost { dollars(value)? } else { number(value)? };
        limits.set(limit, number);
    } else if let Some(bound) = Bound::parse(key) {
        limits.set_bound(bound, number(value)?);
    } else {
        return Ok(false);
    }
    Ok(true)
}

fn price(settings: &mut Settings) -> &mut Rates {
    &mut settings.model.price.get_or_insert_default().rates
}

/// Dollars in micro-dollars.
fn dollars(text: &str) -> Result<u64, String> {
    Ok((number::<f64>(text)? * 1e6).round() as u64)
}

fn rule(text: &str) -> Result<Rule, String> {
    let (kind, rule) = text.split_once(' ').ok_or("a rule says allow, sandbox, ask or deny")?;
    let kind = match kind {
        "allow" => RuleKind::Allow,
        "sandbox" => RuleKind::Sandbox,
        "ask" => RuleKind::Ask,
        "deny" => RuleKind::Deny,
        other => return Err(format!("`{other}` is no kind of rule")),
    };
    let rule = Rule::parse(kind, rule).map_err(|e| e.to_string())?;
    Ok(rule.from(Origin::of(Tier::User)))
}

fn tools() -> Vec<ToolSpec> {
    vec![
        tool("read", SideEffect::Reads, "path", true),
        tool("list", SideEffect::Reads, "path", false),
        tool("write", SideEffect::Writes, "path", true),
        tool("delete", SideEffect::Writes, "path", true),
        tool("shell", SideEffect::Runs, "command", true),
        tool("ask", SideEffect::Reads, "question", true),
    ]
}

fn tool(name: &str, effect: SideEffect, member: &str, needed: bool) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: format!("{name} {member}"),
        schema: json!({
            "type": "object",
            "properties": { member: { "type": "string" } },
            "required": if needed { vec![member] } else { Vec::new() },
        }),
        effect,
        paths: if member == "path" { vec![member.to_owned()] } else { Vec::new() },
        timeout_ms: None,
        kind: match name {
            "shell" => ToolKind::Shell,
            "ask" => ToolKind::Question,
            "fetch" => ToolKind::Fetch,
            other => ToolSpec::from_elsewhere(other).kind,
        },
        retrieves: false,
    }
}

/// Another model: `NAME`, and what is different about it: `window=N`, `blind`, `thoughtless`.
pub fn switched(from: &ModelSpec, words: &str) -> Result<ModelSpec, String> {
    let mut words = words.split_whitespace();
    let name = words.next().ok_or("switch to what?")?;
    let mut spec = ModelSpec { price: from.price, ..ModelSpec::unknown(ModelRef::parse(name)) };
    for word in words {
        match word.split_once('=').unwrap_or((word, "")) {
            ("window", tokens) => spec.window = number(tokens)?,
            ("blind", "") => spec.abilities.vision = Some(false),
            ("thoughtless", "") => spec.abilities.reasoning = Some(false),
            _ => return Err(format!("`{word}` is nothing of a model")),
        }
    }
    Ok(spec)
}
