//! What stands under `tools`: which tools there are, and what commands get, reach and may touch.

use super::{
    key::{KeyRow, KeyValue, Owner, Tightens},
    sandbox_reach::SandboxNetwork,
    spelling::{listed, quoted},
    value::Written,
};
use crate::runtime::AllowedHost;

pub(super) static ROWS: &[KeyRow] = &[
    KeyRow::new(
        "tools.echo",
        KeyValue::switch(|config| config.echo, |config, on| config.echo = on),
        Tightens::If(|_, after| !after.echo),
        Owner::Trusted,
    ),
    KeyRow::new(
        "tools.pass_env",
        KeyValue::letters(
            |config| Some(texts(&config.pass_env)),
            |config, setting| {
                config.pass_env = variables(&setting.value)?;
                Ok(())
            },
        ),
        Tightens::If(|before, after| within(&after.pass_env, &before.pass_env)),
        Owner::User,
    ),
    KeyRow::new(
        "tools.fetch.allow_hosts",
        KeyValue::letters(
            |config| Some(listed(config.fetch_hosts.iter().map(|host| quoted(&host.to_string())))),
            |config, setting| {
                config.fetch_hosts = hosts(&setting.value)?;
                Ok(())
            },
        ),
        Tightens::Never,
        Owner::Trusted,
    )
    .asking(|_, after, _| {
        after.fetch_hosts.iter().map(|host| ("reaches", format!("{host}, by fetch"))).collect()
    }),
    KeyRow::new(
        "tools.sandbox.reads",
        KeyValue::switch(|config| config.sandbox.reads, |config, on| config.sandbox.reads = on),
        Tightens::Lower,
        Owner::Trusted,
    ),
    KeyRow::new(
        "tools.sandbox.network",
        KeyValue::letters(
            |config| Some(config.sandbox.network.shown()),
            |config, setting| {
                config.sandbox.network = SandboxNetwork::read(&setting.value)?;
                Ok(())
            },
        ),
        Tightens::If(|before, after| after.sandbox.network.lies_in(&before.sandbox.network)),
        Owner::Trusted,
    )
    .asking(|_, after, _| match &after.sandbox.network {
        SandboxNetwork::Hosts(hosts) => {
            hosts.iter().map(|host| ("reaches", format!("{host}, by commands in the sandbox"))).collect()
        }
        SandboxNetwork::Nobody | SandboxNetwork::Everybody => vec![("reaches", NETWORK.to_owned())],
    }),
    KeyRow::new(
        "tools.sandbox.writable",
        KeyValue::letters(
            |config| Some(texts(&config.sandbox.writable)),
            |config, setting| {
                config.sandbox.writable = places(&setting.value)?;
                Ok(())
            },
        ),
        Tightens::If(|before, after| within(&after.sandbox.writable, &before.sandbox.writable)),
        Owner::User,
    ),
    KeyRow::new(
        "tools.sandbox.hidden",
        KeyValue::letters(
            |config| Some(texts(&config.sandbox.hidden)),
            |config, setting| {
                config.sandbox.hidden = places(&setting.value)?;
                Ok(())
            },
        ),
        Tightens::If(|before, after| within(&before.sandbox.hidden, &after.sandbox.hidden)),
        Owner::Trusted,
    ),
];

const NETWORK: &str = "the network and this machine's own servers, by commands in the sandbox";

/// As they would be written in a file.
fn texts(all: &[String]) -> String {
    listed(all.iter().map(|text| quoted(text)))
}

fn within(some: &[String], all: &[String]) -> bool {
    some.iter().all(|one| all.contains(one))
}

/// Names of variables, never their values: a key that was written here by mistake is not repeated.
fn variables(value: &Written) -> Result<Vec<String>, String> {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let names = value.texts().map_err(|_repeats_it| "must be names of variables, as in [\"MY_TOKEN\"]")?;
    if !names.iter().all(|name| is_name(name)) {
        return Err("must be names of variables, as in [\"MY_TOKEN\"], not their values".to_owned());
    }
    Ok(names.into_iter().map(str::to_owned).collect())
}

fn hosts(value: &Written) -> Result<Vec<AllowedHost>, String> {
    value.texts()?.into_iter().map(AllowedHost::parse).collect()
}

/// Places that mean the same from every folder.
fn places(value: &Written) -> Result<Vec<String>, String> {
    let place = |text: &str| {
        let below = text.strip_prefix("~/").or_else(|| text.strip_prefix('/')).unwrap_or_default();
        let climbs = below.split('/').any(|part| part == "..");
        if below.trim_matches('/').is_empty() || climbs {
            return Err(format!(
                "must be paths such as [\"~/.cargo/registry\", \"/srv/cache\"], without `..`, not {text:?}"
            ));
        }
        Ok(text.to_owned())
    };
    value.texts()?.into_iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::super::key::rows;
    use super::super::{Config, SandboxReach, apply, setting, setting::Setting, source::Source, tighten};
    use super::*;

    fn layered(user: &str, project: &str) -> Result<Config, String> {
        let place = Arc::new(PathBuf::from("config.toml"));
        let mut config = Config::default();
        for setting in setting::of_text(user, &Source::User(Arc::clone(&place), 0)).unwrap() {
            apply::set(&mut config, &setting)?;
        }
        for setting in setting::of_text(project, &Source::Project(place, 0)).unwrap() {
            tighten::set(&mut config, &setting).unwrap();
        }
        Ok(config)
    }

    /// What a file may say of a key, the command line may say too: `true` is no text there.
    #[test]
    fn each_switch_and_number_is_taken_on_the_command_line_as_in_a_file() {
        let mut taken = 0;
        let paths = rows().flat_map(KeyRow::paths);
        for path in paths.filter(|path| !path.contains(['*', '<'])) {
            for value in ["true", "7"] {
                let text = format!("{path} = {value}");
                let Ok(in_a_file) = setting::of_text(&text, &Source::User(Arc::default(), 0)) else {
                    continue;
                };
                let is_taken = |setting: &Setting| apply::set(&mut Config::default(), setting).is_ok();
                if !in_a_file.iter().all(is_taken) {
                    continue;
                }
                let pair = setting::of_pair(&format!("{path}={value}"), &Source::Flag("-c")).unwrap();
                assert!(pair.iter().all(is_taken), "-c {path}={value}");
                taken += 1;
            }
        }
        assert!(taken > 20, "{taken}");
    }

    #[test]
    fn what_the_sandbox_lets_through_is_the_users_word() {
        let user = "sandbox = ['shell(cargo *)']\n[tools.sandbox]\nreads = true\nnetwork = true\nwritable = ['~/.cargo', '/srv']\n\
                    hidden = ['~/private']";
        let config = layered(user, "").unwrap();
        let shown = config.show();
        for line in [
            "sandbox = [\"shell(cargo *)\"]",
            "tools.sandbox.reads = true",
            "tools.sandbox.network = true",
            "tools.sandbox.writable = [\"~/.cargo\", \"/srv\"]",
            "tools.sandbox.hidden = [\"~/private\"]",
        ] {
            assert!(shown.contains(line), "{line} in {shown}");
        }
        let tighter = "[tools.sandbox]\nreads = false\nnetwork = false\nwritable = ['/srv']\nhidden = ['~/private', '~/more']";
        let config = layered(user, tighter).unwrap();
        let reach = SandboxReach {
            reads: false,
            network: SandboxNetwork::Nobody,
            writable: vec!["/srv".to_owned()],
            hidden: vec!["~/private".to_owned(), "~/more".to_owned()],
        };
        assert_eq!((config.warnings.len(), config.sandbox), (0, reach));
        for looser in ["reads = true", "network = true", "writable = ['/opt']", "hidden = []"] {
            let user = "[tools.sandbox]\nhidden = ['~/private']";
            let looser = format!("tools.sandbox.{looser}");
            let config = layered(user, &looser).unwrap();
            assert!(config.warnings[0].contains("only tighten"), "{looser}: {:?}", config.warnings);
            assert_eq!(config.sandbox, layered(user, "").unwrap().sandbox, "{looser}");
        }
    }

    #[test]
    fn a_list_of_hosts_only_gets_shorter_in_a_project() {
        let network = |user: &str, project: &str| {
            let written = |text: &str| {
                if text.is_empty() { String::new() } else { format!("tools.sandbox.network = {text}") }
            };
            layered(&written(user), &written(project))
                .map(|config| (config.sandbox.network.shown(), config.warnings.len()))
        };
        for (user, project, expected, warnings) in [
            ("true", "['a.example']", "[\"a.example\"]", 0),
            ("['*.a.example']", "['b.a.example']", "[\"b.a.example\"]", 0),
            ("['a.example']", "false", "false", 0),
            ("['a.example']", "['b.example']", "[\"a.example\"]", 1),
            ("['a.example']", "true", "[\"a.example\"]", 1),
            ("false", "['a.example']", "false", 1),
            ("false", "[]", "[]", 0),
        ] {
            assert_eq!(network(user, project).unwrap(), (expected.to_owned(), warnings), "{user} {project}");
        }
        for wrong in ["7", "['http://a.example']", "['*']", "[true]"] {
            assert!(network(wrong, "").unwrap_err().contains("hosts, as in"), "{wrong}");
        }
        for (letters, expected) in
            [("true", "true"), ("a.example", "[\"a.example\"]"), ("['a.example']", "[\"a.example\"]")]
        {
            let mut config = Config::default();
            let pair =
                setting::of_pair(&format!("tools.sandbox.network={letters}"), &Source::Flag("-c")).unwrap();
            pair.iter().for_each(|one| apply::set(&mut config, one).unwrap());
            assert_eq!(config.sandbox.network.shown(), expected);
        }
    }

    #[test]
    fn a_place_means_the_same_from_every_folder() {
        for place in ["cache", "/", "~", "~/", "/srv/../etc", "./x"] {
            let wrong = layered(&format!("tools.sandbox.writable = ['{place}']"), "").unwrap_err();
            assert!(wrong.contains("must be paths such as"), "{place}: {wrong}");
        }
    }
}
