//! What a project's file may do. It comes with other people's code: until the user trusts its folder it can only tighten,
//! and some keys are the user's alone even then.

use super::{
    Config, apply,
    key::{KeyRow, KeyValue, Owner, Tightens},
    setting::{Setting, Wrong},
    source::Source,
};

/// What a setting of a project's file would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looseness {
    /// It tightens, and is always in force.
    Tightens,
    /// It loosens, starts programs or sends data: in force where the folder is trusted.
    Loosens,
    /// It is the user's own affair, trusted or not.
    Refused,
}

/// Sets the key if that tightens, or if the file is trusted with it; otherwise leaves a warning. A value that cannot be
/// read is wrong all the same.
pub(super) fn set(config: &mut Config, setting: &Setting) -> Result<(), Wrong> {
    let (after, standing) = weigh(config, setting)?;
    let why = match (standing, &setting.source) {
        (Looseness::Tightens, _) | (Looseness::Loosens, Source::Trusted(..)) => {
            *config = after;
            return Ok(());
        }
        (Looseness::Loosens, _) => {
            "a project's file can only tighten unless its folder is trusted; run `countersign trust` there to see what it would do and to decide, or set it in your own configuration"
        }
        (Looseness::Refused, Source::Trusted(..)) => {
            "a project's file cannot set it, trusted or not; set it in your own configuration if you want it"
        }
        (Looseness::Refused, _) => {
            "a project's file can only tighten; set it in your own configuration if you want it"
        }
    };
    let place = setting.source.place();
    config.warnings.push(format!("{place}: `{}` is ignored: {why}", setting.path));
    Ok(())
}

/// The configuration with the setting, and what that does to it.
pub(super) fn weigh(config: &Config, setting: &Setting) -> Result<(Config, Looseness), Wrong> {
    let mut after = config.clone();
    apply::set(&mut after, setting)?;
    let standing = match setting.row.owner {
        _ if tightens(config, &after, setting.row) => Looseness::Tightens,
        Owner::User => Looseness::Refused,
        Owner::Trusted => Looseness::Loosens,
    };
    Ok((after, standing))
}

fn tightens(before: &Config, after: &Config, row: &KeyRow) -> bool {
    let sizes = || row.size(before).zip(row.size(after));
    match row.tightens {
        Tightens::Always => true,
        Tightens::Never => false,
        // What has no size cannot be compared, so it does not tighten.
        Tightens::Lower => sizes().is_some_and(|(before, after)| after <= before),
        Tightens::Higher => sizes().is_some_and(|(before, after)| after >= before),
        Tightens::If(holds) => holds(before, after),
    }
}

impl KeyRow {
    /// How much its value lets through: a number, of which none is the highest; a switch, of which on is higher.
    fn size(&self, config: &Config) -> Option<u64> {
        let number = match &self.value {
            KeyValue::Switch { get, .. } => Some(u64::from(get(config))),
            KeyValue::Count { get, .. } => get(config),
            KeyValue::Dollars { get, .. } => get(config).map(|amount| amount.0),
            KeyValue::Limit(limit) => config.limits.get(*limit),
            KeyValue::Bound(bound) => Some(config.limits.bound(*bound)),
            KeyValue::Letters { .. }
            | KeyValue::Rules(_)
            | KeyValue::Hooks
            | KeyValue::Provider(_)
            | KeyValue::Mcp(_)
            | KeyValue::Agent(_)
            | KeyValue::Fact(_) => return None,
        };
        Some(number.unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::super::{setting, source::Source};
    use super::*;

    fn layered(user: &str, project: &str) -> Config {
        let place = Arc::new(PathBuf::from("config.toml"));
        let mut config = Config::default();
        for setting in setting::of_text(user, &Source::User(Arc::clone(&place), 0)).unwrap() {
            apply::set(&mut config, &setting).unwrap();
        }
        for setting in setting::of_text(project, &Source::Project(place, 0)).unwrap() {
            set(&mut config, &setting).unwrap();
        }
        config
    }

    #[test]
    fn a_project_can_take_variables_away_and_name_none() {
        let user = "tools.pass_env = ['A_TOKEN', 'B_TOKEN']";
        assert_eq!(layered(user, "").pass_env, ["A_TOKEN", "B_TOKEN"]);
        assert_eq!(layered(user, "tools.pass_env = ['B_TOKEN']").pass_env, ["B_TOKEN"]);
        let config = layered(user, "tools.pass_env = ['B_TOKEN', 'C_TOKEN']");
        assert!(config.warnings[0].contains("can only tighten"), "{:?}", config.warnings);
        assert_eq!(config.pass_env, ["A_TOKEN", "B_TOKEN"]);
    }

    #[test]
    fn a_project_can_take_hosted_tools_away_and_add_none() {
        let user = "hosted_tools.anthropic = ['web_search', 'web_fetch']";
        for (project, left) in [
            ("", &["web_search", "web_fetch"][..]),
            ("hosted_tools.anthropic = ['web_fetch']", &["web_fetch"]),
            ("hosted_tools.anthropic = []", &[]),
        ] {
            let config = layered(user, project);
            assert_eq!(config.providers["anthropic"].hosted_tools, left, "{project}");
            assert!(config.warnings.is_empty(), "{:?}", config.warnings);
        }
        for project in ["hosted_tools.anthropic = ['web_search', 'code_execution']", "hosted_tools.x = ['a']"]
        {
            let config = layered(user, project);
            assert!(config.warnings[0].contains("can only tighten"), "{:?}", config.warnings);
            assert_eq!(config.providers["anthropic"].hosted_tools, ["web_search", "web_fetch"]);
            assert!(!config.providers.contains_key("x"));
        }
    }
}
