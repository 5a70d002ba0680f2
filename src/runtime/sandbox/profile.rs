//! The rules of a confinement for macOS, in the words of `sandbox-exec`.

use std::fmt::Write as _;
use std::path::Path;

use super::{Confinement, real};

/// The profile for `sandbox-exec -p`. Later rules win over earlier ones.
pub(super) fn of(confinement: &Confinement) -> String {
    let mut profile = String::from("(version 1)\n(allow default)\n(deny file-write*)\n");
    for device in ["/dev/null", "/dev/zero", "/dev/tty", "/dev/dtracehelper", "/dev/stdout", "/dev/stderr"] {
        line(&mut profile, &format!("(allow file-write* (literal {}))", quoted(Path::new(device))));
    }
    for place in confinement.hidden_places() {
        line(&mut profile, &format!("(deny file-read* file-write* (subpath {}))", quoted(&place)));
    }
    for folder in &confinement.writable {
        line(&mut profile, &format!("(allow file-read* file-write* (subpath {}))", quoted(&real(folder))));
    }
    // Agents, keychains and helpers that would act with the user's rights are reached by these.
    profile.push_str("(deny mach-lookup)\n(deny appleevent-send)\n(deny signal (target others))\n(deny process-info* (target others))\n");
    profile.push_str(if confinement.network {
        "(deny network* (remote unix))\n"
    } else {
        "(deny network*)\n"
    });
    profile
}

fn line(profile: &mut String, text: &str) {
    // Writing to a text never fails.
    writeln!(profile, "{text}").ok();
}

/// A path as a string of the profile's language.
fn quoted(path: &Path) -> String {
    format!("\"{}\"", path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_denies_first_and_opens_the_workspace_last() {
        let confinement =
            Confinement::of_workspace(Path::new("/absent/wo\"rk\\"), vec!["/absent/home/.ssh".into()]);
        let profile = of(&confinement);
        let at = |words: &str| profile.find(words).unwrap_or_else(|| panic!("no {words} in {profile}"));
        assert!(
            at("(deny file-write*)") < at("(deny file-read* file-write* (subpath \"/absent/home/.ssh\"))")
        );
        assert!(at("/.ssh") < at("(allow file-read* file-write* (subpath \"/absent/wo\\\"rk\\\\\"))"));
        assert!(profile.ends_with("(deny network*)\n"));
        let open = of(&Confinement { network: true, ..confinement });
        assert!(!open.contains("(deny network*)") && open.contains("(deny network* (remote unix))"));
    }

    #[test]
    fn parentheses_are_balanced_whatever_a_path_holds() {
        let confinement = Confinement::of_workspace(Path::new("/absent/a)(b"), Vec::new());
        let outside: String = of(&confinement).split('"').step_by(2).collect();
        assert_eq!(outside.matches('(').count(), outside.matches(')').count());
    }
}
