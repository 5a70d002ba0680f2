//! Terminals by what they set in the environment: what each can do, as far as that tells.

use crate::config::environment::Environment;

/// What a terminal can do, as far as its name tells.
pub(super) struct Abilities {
    pub(super) name: &'static str,
    pub(super) truecolor: bool,
    pub(super) hyperlinks: bool,
    pub(super) images: &'static str,
    pub(super) clipboard: bool,
    pub(super) keyboard: bool,
}

/// Whether the terminal shows exact colours: it says so, or is known to. All others get the 256 that nearly every one has,
/// since some show something else for a colour that they do not understand.
pub(super) fn shows_exact_colours(environment: &Environment) -> bool {
    let says = environment.text("COLORTERM").is_some_and(|said| matches!(said, "truecolor" | "24bit"));
    let is_direct = environment.text("TERM").is_some_and(|term| term.ends_with("-direct"));
    says || is_direct || known(environment).is_some_and(|known| known.truecolor)
}

/// The terminal, if it is one whose abilities are known.
pub(super) fn known(environment: &Environment) -> Option<Abilities> {
    let term = environment.text("TERM").unwrap_or_default();
    let program = environment.text("TERM_PROGRAM").unwrap_or_default();
    let set = |name: &str| environment.text(name).is_some();
    let all = |name, images| {
        let (truecolor, hyperlinks, clipboard, keyboard) = (true, true, true, true);
        Some(Abilities { name, truecolor, hyperlinks, images, clipboard, keyboard })
    };
    if set("KITTY_WINDOW_ID") || term == "xterm-kitty" {
        all("kitty", "kitty")
    } else if program == "ghostty" || term == "xterm-ghostty" {
        all("Ghostty", "kitty")
    } else if program == "WezTerm" || set("WEZTERM_PANE") {
        all("WezTerm", "kitty and iTerm2")
    } else if program == "iTerm.app" || set("ITERM_SESSION_ID") {
        all("iTerm2", "iTerm2")
    } else if program == "Apple_Terminal" {
        let (truecolor, hyperlinks, clipboard, keyboard) = (false, false, false, false);
        Some(Abilities { name: "Terminal.app", truecolor, hyperlinks, images: "no", clipboard, keyboard })
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_known_by_what_they_set() {
        for (variable, value, wanted) in [
            ("KITTY_WINDOW_ID", "1", Some("kitty")),
            ("TERM", "xterm-ghostty", Some("Ghostty")),
            ("TERM_PROGRAM", "WezTerm", Some("WezTerm")),
            ("TERM_PROGRAM", "iTerm.app", Some("iTerm2")),
            ("TERM", "xterm-256color", None),
        ] {
            let environment = Environment::of([(variable, value)]);
            assert_eq!(known(&environment).map(|known| known.name), wanted, "{variable}={value}");
        }
    }

    #[test]
    fn exact_colours_are_for_those_who_show_them() {
        for (variable, value, exact) in [
            ("COLORTERM", "truecolor", true),
            ("COLORTERM", "24bit", true),
            ("COLORTERM", "yes", false),
            ("TERM", "xterm-256color", false),
            ("TERM", "xterm-direct", true),
            ("TERM", "xterm-kitty", true),
            ("TERM_PROGRAM", "Apple_Terminal", false),
        ] {
            assert_eq!(
                shows_exact_colours(&Environment::of([(variable, value)])),
                exact,
                "{variable}={value}"
            );
        }
    }
}
