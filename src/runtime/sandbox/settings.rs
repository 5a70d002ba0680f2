//! What of a user's home and of the machine other programs run or obey: settings, start-up files, programs. A workspace
//! that holds them is open to commands all the same, so that is a gap; for tools they count as outside.

use std::path::{Path, PathBuf};

/// Below the home folder, whatever the workspace is.
const IN_HOME: &[&str] = &[
    ".config",
    ".local/bin",
    ".local/lib",
    ".local/etc",
    ".local/share/applications",
    ".local/share/bash-completion",
    ".local/share/dbus-1",
    ".local/share/nvim",
    ".local/share/systemd",
    ".local/share/zsh",
    "bin",
    "Applications",
    "Library",
];
/// Below the home folder, if the workspace is or holds one of these: a project may well lie in them.
const WIDE_IN_HOME: &[&str] = &[".local", ".local/share", ".local/state", ".cache"];
/// Of the machine, if the workspace is or holds one of these.
const OF_THE_MACHINE: &[&str] = &[
    "/Applications",
    "/Library",
    "/System",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib64",
    "/nix",
    "/opt",
    "/private/etc",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/local",
    "/usr/local/bin",
    "/usr/share",
    "/var",
    "/var/lib",
    "/var/spool",
];

/// The settings that a workspace may hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// Files and folders; they need not exist.
    places: Vec<PathBuf>,
    /// The home folder, if the workspace is or holds it: every name in it that begins with a dot is a setting.
    home: Option<PathBuf>,
}

impl Settings {
    /// Those of the user whose home is `home`, for a workspace at `root`; both real paths.
    pub fn of(root: &Path, home: Option<&Path>) -> Self {
        let in_home = home.into_iter().flat_map(|home| IN_HOME.iter().map(move |place| home.join(place)));
        let wide = home.into_iter().flat_map(|home| WIDE_IN_HOME.iter().map(move |place| home.join(place)));
        let wide = wide.chain(OF_THE_MACHINE.iter().map(PathBuf::from));
        let dotted = home.and_then(|home| dotted(home, root)).filter(|place| place == root);
        let places = in_home.chain(wide.filter(|place| place.starts_with(root))).chain(dotted);
        let home = home.filter(|home| home.starts_with(root)).map(Path::to_owned);
        Self { places: places.collect(), home }
    }

    /// Adds places of our own.
    #[must_use]
    pub fn and(mut self, places: impl IntoIterator<Item = PathBuf>) -> Self {
        self.places.extend(places);
        self
    }

    /// Whether the path is, or lies in, one of them. Letters may be large or small.
    pub fn hold(&self, path: &Path) -> bool {
        self.places.iter().any(|place| lies_in(path, place))
            || self.home.as_deref().is_some_and(|home| dotted(home, path).is_some())
    }

    /// What of them lies in a folder, or holds it; by name, whether it exists or not.
    pub(super) fn met_by(&self, folder: &Path) -> Vec<PathBuf> {
        let met = |place: &&PathBuf| place.starts_with(folder) || folder.starts_with(place);
        let home = self.home.iter().filter(|home| home.starts_with(folder)).map(|home| home.join(".*"));
        home.chain(self.places.iter().filter(met).cloned()).collect()
    }
}

/// The entry of the home folder that a path lies in, if its name begins with a dot.
fn dotted(home: &Path, path: &Path) -> Option<PathBuf> {
    let entry = path.strip_prefix(home).ok()?.components().next()?;
    let name = entry.as_os_str();
    name.as_encoded_bytes().starts_with(b".").then(|| home.join(name))
}

/// Whether a path is a place or lies in it, on a file system that may know no case.
pub(in crate::runtime) fn lies_in(path: &Path, place: &Path) -> bool {
    let mut parts = path.components();
    place.components().all(|wanted| {
        parts.next().is_some_and(|part| {
            part == wanted
                || part.as_os_str().to_string_lossy().to_lowercase()
                    == wanted.as_os_str().to_string_lossy().to_lowercase()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_obey_is_known_from_every_workspace() {
        let home = Path::new("/home/ada");
        let hold = |root: &str, path: &str| Settings::of(Path::new(root), Some(home)).hold(Path::new(path));
        for (root, path) in [
            ("/home/ada", "/home/ada/.bashrc"),
            ("/home/ada", "/home/ada/.anything/at/all"),
            ("/home/ada", "/home/ada/.CONFIG/git/config"),
            ("/home/ada", "/home/ada/bin/ls"),
            ("/home", "/home/ada/.inputrc"),
            ("/", "/etc/profile.d/x.sh"),
            ("/", "/usr/bin/ls"),
            ("/home/ada/.config", "/home/ada/.config/autostart/x.desktop"),
            ("/home/ada/.config/nvim", "/home/ada/.config/nvim/init.lua"),
            ("/home/ada/.local", "/home/ada/.local/share/any/thing"),
            ("/home/ada/.local/share", "/home/ada/.local/share/any/thing"),
            ("/home/ada/.emacs.d", "/home/ada/.emacs.d/init.el"),
        ] {
            assert!(hold(root, path), "{path} from {root}");
        }
        for (root, path) in [
            ("/home/ada", "/home/ada/src/x.rs"),
            ("/home/ada/src", "/home/ada/src/.anything"),
            ("/home/ada/.local/src/x", "/home/ada/.local/src/x/main.rs"),
            ("/home/ada/.dotfiles/x", "/home/ada/.dotfiles/x/a"),
            ("/etc/nginx", "/etc/nginx/nginx.conf"),
            ("/opt/x", "/opt/x/main.rs"),
        ] {
            assert!(!hold(root, path), "{path} from {root}");
        }
    }
}
