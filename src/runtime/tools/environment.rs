//! What programs may know: everything but keys, and that nobody looks at colours.

use std::ffi::OsString;

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

/// The environment of a command, from that of this program.
pub(in crate::runtime) fn for_commands(ours: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
    ours.into_iter()
        .filter(|(name, _)| {
            let name = name.to_string_lossy();
            !looks_secret(&name)
                && !COLOURFUL.contains(&name.as_ref())
                && !PLAIN.iter().any(|(n, _)| *n == name)
        })
        .chain(PLAIN.iter().map(|(name, value)| (name.into(), value.into())))
        .collect()
}

/// Whether a variable of this name may hold a key. Rather one too many: a command can still be told by the user.
pub fn looks_secret(name: &str) -> bool {
    let name = name.to_uppercase();
    let inside = ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY"];
    name.ends_with("_KEY") || inside.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_here_and_the_rest_goes_through_plain() {
        let ours =
            ["ANTHROPIC_API_KEY", "GH_TOKEN", "my_secret_x", "DB_PASSWORD", "PATH", "FORCE_COLOR", "TERM"];
        let ours = ours.iter().map(|name| (name.into(), "x".into())).collect();
        let theirs = for_commands(ours);
        let has = |name: &str, value: &str| theirs.contains(&(name.into(), value.into()));
        assert!(has("PATH", "x") && has("TERM", "dumb") && has("GIT_PAGER", "cat"));
        assert_eq!(theirs.len(), 1 + PLAIN.len(), "{theirs:?}");
    }
}
