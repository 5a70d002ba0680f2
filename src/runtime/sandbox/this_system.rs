//! What each system does in its own way: how much of the sandbox it has, and how a command enters it.

use std::sync::OnceLock;

use super::{Confined, Support};

/// Asks the system what it has, once; changes nothing.
pub fn support() -> Support {
    static FOUND: OnceLock<Support> = OnceLock::new();
    FOUND.get_or_init(look).clone()
}

fn look() -> Support {
    #[cfg(target_os = "linux")]
    return super::linux::support();
    #[cfg(target_os = "macos")]
    return if std::path::Path::new("/usr/bin/sandbox-exec").exists() {
        Support::Partial(vec!["on macOS the sandbox uses sandbox-exec, which has not been tested".to_owned()])
    } else {
        Support::None("there is no /usr/bin/sandbox-exec".to_owned())
    };
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    return Support::None("there is no sandbox for this system".to_owned());
}

impl Confined {
    /// Gives up all rights that are not named and becomes the command. Returns only when that failed, with the
    /// reason in words; the command was not started then.
    pub fn enter(self) -> String {
        #[cfg(target_os = "linux")]
        return super::linux::enter(&self);
        #[cfg(not(target_os = "linux"))]
        return "countersign's own sandbox exists only on Linux".to_owned();
    }
}
