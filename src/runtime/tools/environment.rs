//! What programs may know: everything but keys, and that nobody looks at colours.

use std::ffi::OsString;

use super::credentials::{holds_secret, is_of_cloud, looks_secret};

/// Output is read by a model: no colours, no pagers, no questions.
const PLAIN: &[(&str, &str)] = &[
    ("NO_COLOR", "1"),
    ("CLICOLOR", "0"),
    ("CARGO_TERM_COLOR", "never"),
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
];
const COLOURFUL: &[&str] = &["FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM"];
/// Where this program, or the one that started it, sends traces, and with which keys: a command's own traces would go there, too.
const TRACES: &[&str] = &["TRACEPARENT", "TRACESTATE"];
const OF_TRACES: &str = "OTEL_";
/// Folders named from where somebody stands, in which a repository's programs would have the names of others.
const PATH: &str = "PATH";
/// What would send `cd src` elsewhere.
const ELSEWHERE: &str = "CDPATH";

/// A variable as programs get it: they are found in folders alone that are named from the root.
fn found_from_the_root((name, value): (OsString, OsString)) -> Option<(OsString, OsString)> {
    if name == ELSEWHERE {
        return None;
    }
    if name != PATH {
        return Some((name, value));
    }
    let folders = std::env::split_paths(&value).filter(|folder| folder.is_absolute());
    // An empty list would name the folder that a program stands in.
    let folders = std::env::join_paths(folders).ok().filter(|folders| !folders.is_empty())?;
    Some((name, folders))
}

/// The environment of a command, from that of this program.
pub(in crate::runtime) fn for_commands(ours: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
    ours.into_iter()
        .filter(|(name, value)| {
            let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
            !looks_secret(&name)
                && !is_of_cloud(&name)
                && !holds_secret(&name, &value)
                && !COLOURFUL.contains(&name.as_ref())
                && !TRACES.contains(&name.as_ref())
                && !name.starts_with(OF_TRACES)
                && !PLAIN.iter().any(|(n, _)| *n == name)
        })
        .filter_map(found_from_the_root)
        .chain(PLAIN.iter().map(|(name, value)| (name.into(), value.into())))
        .collect()
}

/// The environment of a program that a person has configured: that of commands, and the variables named for them.
pub fn for_programs(
    ours: Vec<(OsString, OsString)>,
    named: Vec<(OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    with_given(&for_commands(ours), named)
}

/// What programs get, with variables that a person has named for them in the place of what is there.
pub(in crate::runtime) fn with_given(
    environment: &[(OsString, OsString)],
    given: Vec<(OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let kept = environment.iter().filter(|(name, _)| !given.iter().any(|(named, _)| named == name));
    kept.cloned().chain(given.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_here_and_the_rest_goes_through_plain() {
        let ours =
            ["ANTHROPIC_API_KEY", "GH_TOKEN", "my_secret_x", "DB_PASSWORD", "PATH", "FORCE_COLOR", "TERM"];
        let ours = ours.iter().map(|name| (name.into(), "/x".into())).collect();
        let theirs = for_commands(ours);
        let has = |name: &str, value: &str| theirs.contains(&(name.into(), value.into()));
        assert!(has("PATH", "/x") && has("TERM", "dumb") && has("GIT_PAGER", "cat"));
        assert_eq!(theirs.len(), 1 + PLAIN.len(), "{theirs:?}");
    }

    #[test]
    fn what_holds_a_key_under_a_plain_name_stays_here_too() {
        let ours = [
            ("INDEX", "https://oauth2token@index.test/simple"),
            ("NOTIFY", "https://hooks.slack.com/services/T0/B0/x"),
            ("GIT_CONFIG_PARAMETERS", "'http.extraheader'='AUTHORIZATION: basic eDp5'"),
            ("OAUTH", "GOCSPX-0123456789abcdef"),
            ("BOT", "123456789:AAF0123456789abcdefghijklmnopqrstuv"),
            ("AWS_PROFILE", "work"),
            ("BUNDLE_GEMS__EXAMPLE__COM", "me:x"),
            ("COOKIES", "x"),
            ("SEED_PHRASE", "x"),
            ("API_BEARER", "x"),
            ("PLAIN", "/x"),
        ];
        let theirs = for_commands(ours.iter().map(|(name, value)| (name.into(), value.into())).collect());
        assert_eq!(theirs[0], ("PLAIN".into(), "/x".into()));
        assert_eq!(theirs.len(), 1 + PLAIN.len(), "{theirs:?}");
    }

    #[test]
    fn nobody_below_sends_traces_where_we_do_unless_it_was_named() {
        let ours =
            ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SERVICE_NAME", "TRACEPARENT", "TRACESTATE", "MOTEL_X"];
        let ours: Vec<_> = ours.iter().map(|name| (name.into(), "x".into())).collect();
        let theirs = for_commands(ours.clone());
        assert_eq!(theirs[0], ("MOTEL_X".into(), "x".into()));
        assert_eq!(theirs.len(), 1 + PLAIN.len(), "{theirs:?}");
        let theirs = for_programs(ours.clone(), vec![ours[1].clone()]);
        assert!(theirs.contains(&ours[1]) && !theirs.contains(&ours[0]), "{theirs:?}");
    }

    #[test]
    fn programs_are_not_found_where_somebody_stands() {
        let ours = [("PATH", ".:/usr/bin::node_modules/.bin:/bin:"), ("CDPATH", "/home"), ("A", "b:c")];
        let theirs = for_commands(ours.iter().map(|(name, value)| (name.into(), value.into())).collect());
        assert_eq!(theirs[..2], [("PATH".into(), "/usr/bin:/bin".into()), ("A".into(), "b:c".into())]);
        for nowhere in ["", ".", "bin:.:", ":"] {
            let theirs = for_commands(vec![("PATH".into(), nowhere.into())]);
            assert!(theirs.iter().all(|(name, _)| name != PATH), "{nowhere}: an empty list is here");
        }
    }
}
