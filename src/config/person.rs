//! What concerns a person alone: how they are called, and whether they see pictures.

use strum::IntoStaticStr;

use crate::ui::graphics::Protocol;

/// How a person is called when something waits or is done while they look elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Notify {
    /// By the desktop where the terminal is known to do that, else by the bell.
    #[default]
    Auto,
    /// Not at all.
    Off,
    /// By the bell.
    Bell,
    /// By the desktop (OSC 9).
    Osc9,
}

impl Notify {
    /// As written in the configuration.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

pub(super) fn notify(text: &str) -> Result<Notify, String> {
    let all = [Notify::Auto, Notify::Off, Notify::Bell, Notify::Osc9];
    all.into_iter()
        .find(|way| way.as_str() == text)
        .ok_or_else(|| format!("must be \"auto\", \"off\", \"bell\" or \"osc9\", not {text:?}"))
}

/// How pictures are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Images {
    /// As the terminal is known to take them, and not at all where that is not known.
    #[default]
    Auto,
    /// Not at all.
    Off,
    /// In this protocol.
    By(Protocol),
}

impl Images {
    const ALL: [Self; 5] = [
        Self::Auto,
        Self::By(Protocol::Kitty),
        Self::By(Protocol::Iterm),
        Self::By(Protocol::Sixel),
        Self::Off,
    ];

    /// As written in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Off => "off",
            Self::By(Protocol::Kitty) => "kitty",
            Self::By(Protocol::Iterm) => "iterm",
            Self::By(Protocol::Sixel) => "sixel",
        }
    }
}

pub(super) fn images(text: &str) -> Result<Images, String> {
    Images::ALL
        .into_iter()
        .find(|way| way.as_str() == text)
        .ok_or_else(|| format!("must be \"auto\", \"kitty\", \"iterm\", \"sixel\" or \"off\", not {text:?}"))
}
