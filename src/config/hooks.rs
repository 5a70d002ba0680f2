//! `[[hooks.POINT]]`: commands of the user that are told what happens.

use std::fmt::Write;

use super::{
    Config,
    nearest::nearest,
    setting::{Setting, Wrong},
    source::Source,
    spelling::quoted,
    value::{Table, Written},
};
use crate::config::fault::one_line;
use crate::hooks::{HookPoint, HookSpec};

/// What a hook may take when it says nothing about it.
const TIMEOUT_SECONDS: u64 = 60;
const MOST_SECONDS: u64 = 3600;
const FIELDS: [&str; 3] = ["command", "timeout_seconds", "matcher"];

/// A hook, and where it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcedHook {
    /// The hook.
    pub spec: HookSpec,
    /// Where.
    pub source: Source,
}

/// Adds the hooks of one point, in their order. The sentence of an error begins with its place.
pub(super) fn set(config: &mut Config, setting: &Setting) -> Result<(), Wrong> {
    let name = setting.names.first().map(String::as_str).unwrap_or_default();
    let Some(point) = HookPoint::parse(name) else { return Err(unknown_point(setting, name)) };
    let Written::Tables(rows) = &setting.value else {
        let path = &setting.path;
        return Err(format!("{}: {path}: must be a list of tables; write [[{path}]]", setting.source));
    };
    for row in rows {
        let spec = spec(point, row, &setting.path)?;
        config.hooks.push(SourcedHook { spec, source: row.source.clone() });
    }
    Ok(())
}

fn unknown_point(setting: &Setting, name: &str) -> Wrong {
    let theirs = HookPoint::ALL.iter().copied().find(|point| point.event_name().eq_ignore_ascii_case(name));
    let meant = theirs
        .map(HookPoint::as_str)
        .or_else(|| nearest(name, HookPoint::ALL.iter().copied().map(HookPoint::as_str)));
    let hint = match meant {
        Some(point) => format!("did you mean `hooks.{point}`?"),
        None => format!(
            "the points are {}",
            HookPoint::ALL.iter().map(|point| point.as_str()).collect::<Vec<_>>().join(", ")
        ),
    };
    format!("{}: unknown key `{}`; {hint}", setting.source, setting.path)
}

fn spec(point: HookPoint, row: &Table, path: &str) -> Result<HookSpec, Wrong> {
    let mut command = None;
    let mut timeout_ms = TIMEOUT_SECONDS * 1000;
    let mut matcher = Vec::new();
    for (name, source, value) in &row.members {
        let wrong = |sentence: String| format!("{source}: {path}.{name}: {sentence}");
        match name.as_str() {
            "command" => command = Some(value.text().map_err(wrong)?.to_owned()),
            "timeout_seconds" => timeout_ms = value.count(1, MOST_SECONDS).map_err(wrong)? * 1000,
            "matcher" if !point.is_about_a_tool() => {
                let sentence = "names tools, but this point has none; use it with pre_tool and post_tool";
                return Err(wrong(sentence.to_owned()));
            }
            "matcher" => matcher = patterns(value).map_err(wrong)?,
            other => {
                let hint = match nearest(other, FIELDS) {
                    Some(field) => format!("did you mean `{path}.{field}`?"),
                    None => format!("the keys of a hook are {}", FIELDS.join(", ")),
                };
                return Err(format!("{source}: unknown key `{path}.{other}`; {hint}"));
            }
        }
    }
    match command {
        Some(command) => Ok(HookSpec { point, command, timeout_ms, matcher }),
        None => Err(format!("{}: {path}: has no `command`", row.source)),
    }
}

/// `"shell|write"`, or a list. `.*` means `*`, as in the regular expressions of other agents: no tool has a dot.
fn patterns(value: &Written) -> Result<Vec<String>, String> {
    let mut patterns = Vec::new();
    for pattern in value.texts()?.into_iter().flat_map(|text| text.split('|')) {
        let pattern = pattern.trim().replace(".*", "*");
        let fits = |c: char| c.is_ascii_alphanumeric() || "_-*".contains(c);
        if pattern.is_empty() || !pattern.chars().all(fits) {
            return Err(format!(
                "must be tool names, with `*` for any text, as in \"shell|write\", not {pattern:?}"
            ));
        }
        patterns.push(pattern);
    }
    Ok(patterns)
}

impl Config {
    /// The hooks alone, in their order.
    pub fn hooks(&self) -> Vec<HookSpec> {
        self.hooks.iter().map(|sourced| sourced.spec.clone()).collect()
    }

    /// One line for each point that has hooks; valid TOML.
    pub(super) fn show_hooks(&self, text: &mut String) {
        for point in HookPoint::ALL.iter().copied() {
            let here = || self.hooks.iter().filter(|sourced| sourced.spec.point == point);
            let tables: Vec<String> = here().map(|sourced| table(&sourced.spec)).collect();
            let places: Vec<String> = here().map(|sourced| one_line(&sourced.source.to_string())).collect();
            if !tables.is_empty() {
                // Writing into a String cannot fail.
                writeln!(text, "hooks.{point} = [{}]  # {}", tables.join(", "), places.join(", "))
                    .unwrap_or_default();
            }
        }
    }
}

fn table(spec: &HookSpec) -> String {
    let mut members =
        format!("command = {}, timeout_seconds = {}", quoted(&spec.command), spec.timeout_ms / 1000);
    if !spec.matcher.is_empty() {
        write!(members, ", matcher = {}", quoted(&spec.matcher.join("|"))).unwrap_or_default();
    }
    format!("{{ {members} }}")
}

#[cfg(test)]
#[path = "hooks_tests.rs"]
mod tests;
