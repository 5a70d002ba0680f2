//! The sandbox: what a confined command may touch, and the kernel's own means that hold it to that.
//!
//! On Linux the program starts itself again as `countersign __confine … -- COMMAND`; that child takes the rights
//! away from itself and becomes the command, so nothing here is unsafe and no other thread is touched. On macOS
//! `sandbox-exec` does it. Elsewhere there is none, and [`support`] says so.

mod confinement;
mod covering;
mod entrance;
mod gaps;
mod kept;
#[cfg(target_os = "linux")]
mod linux;
mod mounts;
#[cfg(any(target_os = "macos", test))]
mod profile;
mod proxy;
mod real_path;
mod refusal;
mod resolver;
mod secrets;
mod settings;
mod support;
mod surroundings;
mod this_system;
mod words;

use std::ffi::OsString;
use std::path::Path;

use tokio::process::Command;

pub use confinement::Confinement;
pub use covering::Exposure;
pub use entrance::Sandbox;
pub use gaps::Gap;
pub(in crate::runtime) use proxy::Proxy;
pub(super) use real_path::real;
pub(super) use refusal::{Refusals, SandboxWords};
pub use secrets::names_a_secret;
pub use secrets::secret_places;
pub use settings::Settings;
pub(super) use settings::lies_in;
pub use support::Support;
pub(in crate::runtime) use surroundings::Surroundings;
pub use this_system::support;
pub use words::{Confined, ENTRY};

impl Sandbox {
    /// `program`, to be started inside once it has its arguments; `temp` is the only place beside the workspace
    /// where it can write, and `around` what it finds besides.
    ///
    /// # Errors
    /// In words, when this machine cannot hold it.
    pub(super) fn command(
        &self,
        temp: &Path,
        around: &Surroundings,
        program: &str,
    ) -> Result<Command, String> {
        let confinement = self.confinement_within(temp, around);
        let support = support();
        if let Some(why) = support.refuses(confinement.may_be_weaker) {
            return Err(why);
        }
        let (entry, words) = enter(&self.ourselves, Confined { confinement, command: vec![program.into()] });
        let mut command = Command::new(entry);
        command.args(words);
        Ok(command)
    }

    /// What holds for one command. A folder beside the workspace may be large: who has looked through it already says what was found.
    fn confinement_within(&self, temp: &Path, around: &Surroundings) -> Confinement {
        let found = || self.confinement.look_beside().hidden;
        let beside = around.hidden.clone().unwrap_or_else(found);
        let mut confinement = self.confinement.clone();
        confinement.hidden.extend(beside);
        confinement.writable.push(temp.to_owned());
        around.covered.clone_into(&mut confinement.covered);
        confinement.proxy = around.proxy.as_ref().map(Proxy::socket);
        confinement
    }
}

#[cfg(not(target_os = "macos"))]
fn enter(ourselves: &Path, confined: Confined) -> (OsString, Vec<OsString>) {
    (ourselves.as_os_str().to_owned(), confined.words())
}

#[cfg(target_os = "macos")]
fn enter(_ourselves: &Path, confined: Confined) -> (OsString, Vec<OsString>) {
    let profile = profile::of(&confined.confinement);
    let words = ["-p".into(), profile.into()].into_iter().chain(confined.command).collect();
    ("/usr/bin/sandbox-exec".into(), words)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_folder_beside_the_workspace_is_looked_through_once_for_a_command() {
        let folder = tempfile::TempDir::new().unwrap();
        let root = real(folder.path());
        for name in ["work", "beside"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        fs::write(root.join("beside/.env"), "").unwrap();
        let mut confinement = Confinement::of_workspace(&root.join("work"), Vec::new());
        confinement.beside = vec![root.join("beside")];
        let sandbox = Sandbox::new("ourselves".into(), confinement);
        let found = sandbox.exposure().hidden;
        assert_eq!(found, [root.join("beside/.env")]);
        let hidden = |hidden: Option<Vec<PathBuf>>| {
            let around = Surroundings { hidden, ..Surroundings::default() };
            sandbox.confinement_within(&root, &around).hidden
        };
        assert_eq!(hidden(Some(found.clone())), found);
        assert_eq!(hidden(None), found, "who has not looked hides the same");
        // What was found before is not looked for again.
        assert_eq!(hidden(Some(Vec::new())), Vec::<PathBuf>::new());
    }
}
