//! What the screen is told about looks: the name of the theme, whether the terminal's background chooses it, and what
//! else the terminal takes.

use crate::config::Invocation;
use crate::config::environment::Environment;
use crate::config::fault::Fault;
use crate::config::{Images, Notify};
use crate::ui::graphics::Protocol;
use crate::ui::theme::background::Background;
use crate::ui::{Call, Takes};

/// The theme that the terminal's background chooses.
const AUTO: &str = "auto";

/// Terminals that know no such sequences; they would stand on some of them as letters.
const SILENT: &[&str] = &["linux", DUMB, "vt100", "vt220"];

/// The name of the theme of the first frame: the chosen one, else the one for the background that the environment tells
/// of, else the dark one.
pub(super) fn theme_name(invocation: &Invocation) -> &str {
    match invocation.config.theme.as_deref() {
        Some(name) if name != AUTO => name,
        _ => {
            let told = invocation.environment.text("COLORFGBG").and_then(Background::of_variable);
            told.unwrap_or(Background::Dark).theme()
        }
    }
}

/// A terminal that cannot move its cursor.
const DUMB: &str = "dumb";

/// Whether words are said in lines in the place of a screen: because that was chosen, or because the terminal cannot move
/// its cursor.
pub(super) fn speaks(invocation: &Invocation) -> bool {
    invocation.config.screen_reader || is_dumb(invocation)
}

/// What is said when the terminal alone has chosen that.
pub(super) fn why_it_speaks(invocation: &Invocation) -> Option<&'static str> {
    (is_dumb(invocation) && !invocation.config.screen_reader)
        .then_some("TERM is dumb, so plain lines are printed and nothing is drawn, as with --screen-reader")
}

/// For what can only be drawn.
///
/// # Errors
/// Where words are said in lines: with what says the same in words.
pub(super) fn needs_a_screen(invocation: &Invocation) -> Result<(), Fault> {
    if speaks(invocation) {
        return Err(Fault::usage(
            "this command draws a screen, but --screen-reader or TERM=dumb selects plain lines",
            "use `countersign sessions show SESSION`, or `countersign resume SESSION` and then /ledger",
        ));
    }
    Ok(())
}

fn is_dumb(invocation: &Invocation) -> bool {
    invocation.environment.text("TERM") == Some(DUMB)
}

/// Whether the terminal is asked for its background: a theme that is not made for it paints one.
pub(super) fn asks_background(invocation: &Invocation) -> bool {
    let environment = &invocation.environment;
    let terminal = environment.text("TERM").unwrap_or("dumb");
    !environment.no_color() && !SILENT.contains(&terminal)
}

/// Whether the terminal's background chooses the theme. What a terminal says that was not asked is no answer.
pub(super) fn follows_background(invocation: &Invocation) -> bool {
    asks_background(invocation) && invocation.config.theme.as_deref().is_none_or(|name| name == AUTO)
}

/// What the terminal takes beside the picture, as far as its environment tells.
pub(super) fn takes(invocation: &Invocation) -> Takes {
    let environment = &invocation.environment;
    let call = match invocation.config.notify {
        Notify::Off => Call::Off,
        Notify::Bell => Call::Bell,
        Notify::Osc9 => Call::Desktop,
        Notify::Auto if is_one_of(environment, NOTIFYING) => Call::Desktop,
        Notify::Auto => Call::Bell,
    };
    let title = environment.text("TERM").is_some_and(|terminal| !SILENT.contains(&terminal));
    Takes {
        title,
        progress: is_one_of(environment, PROGRESSING),
        call,
        links: title && invocation.config.links,
        mouse: invocation.config.mouse,
        images: images(invocation),
    }
}

/// How pictures are shown, if they are. Placeholders of kitty are told apart by their colour, and who wants no colour
/// wants no pictures.
pub(super) fn images(invocation: &Invocation) -> Option<Protocol> {
    let environment = &invocation.environment;
    match invocation.config.images {
        _ if environment.no_color() => None,
        Images::Off => None,
        Images::By(protocol) => Some(protocol),
        Images::Auto => known_protocol(environment),
    }
}

/// What the terminal takes, by what it sets. The terminal that runs here sets `TERM`; what else is set may have been
/// inherited from the one that it was started from.
fn known_protocol(environment: &Environment) -> Option<Protocol> {
    let is_of = |(name, value, _): &&(&str, &str, Protocol)| is_one_of(environment, &[(name, value)]);
    let terminal = environment.text("TERM").unwrap_or_default();
    if terminal.starts_with("screen") || terminal.starts_with("tmux") || environment.text("ZELLIJ").is_some()
    {
        return None;
    }
    let by_sixel = ["foot", "mlterm", "contour"].iter().any(|name| terminal.starts_with(name));
    if by_sixel && environment.text("TMUX").is_none() && environment.text("STY").is_none() {
        return Some(Protocol::Sixel);
    }
    PICTURING.iter().find(is_of).map(|(_, _, protocol)| *protocol)
}

/// Terminals that show pictures, and how; any value where none is named.
const PICTURING: &[(&str, &str, Protocol)] = &[
    ("TERM", "xterm-kitty", Protocol::Kitty),
    ("TERM", "xterm-ghostty", Protocol::Kitty),
    ("TERM", "wezterm", Protocol::Iterm),
    ("TERM_PROGRAM", "ghostty", Protocol::Kitty),
    ("TERM_PROGRAM", "WezTerm", Protocol::Iterm),
    ("TERM_PROGRAM", "iTerm.app", Protocol::Iterm),
    ("TERM_PROGRAM", "mintty", Protocol::Iterm),
    ("TERM_PROGRAM", "WindowsTerminal", Protocol::Sixel),
    ("LC_TERMINAL", "iTerm2", Protocol::Iterm),
    ("KITTY_WINDOW_ID", "", Protocol::Kitty),
];

/// Terminals that show OSC 9 as a notification of the desktop.
const NOTIFYING: &[(&str, &str)] = &[
    ("TERM_PROGRAM", "iTerm.app"),
    ("TERM_PROGRAM", "WezTerm"),
    ("TERM_PROGRAM", "ghostty"),
    ("TERM", "xterm-kitty"),
    ("TERM", "xterm-ghostty"),
    ("TERM", "foot"),
];

/// Terminals that show OSC 9;4 as progress, in all their versions that are in use.
const PROGRESSING: &[(&str, &str)] =
    &[("TERM_PROGRAM", "ghostty"), ("TERM", "xterm-ghostty"), ("ConEmuANSI", "ON"), ("WT_SESSION", "")];

/// Whether one of these variables has that value, or any where none is named. A multiplexer stands between us and
/// the terminal, and passes neither on.
fn is_one_of(environment: &Environment, known: &[(&str, &str)]) -> bool {
    let told = |(name, value): &(&str, &str)| {
        environment.text(name).is_some_and(|said| value.is_empty() || said == *value)
    };
    environment.text("TMUX").is_none() && environment.text("STY").is_none() && known.iter().any(told)
}
