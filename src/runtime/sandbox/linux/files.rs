//! Landlock: which files may be read, changed and started.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, PathBeneath, Ruleset, RulesetAttr as _, RulesetCreated,
    RulesetCreatedAttr as _, RulesetStatus, Scope,
};
use rustix::fs::{FileType, Mode, OFlags, fstat, open};

use super::super::{Confinement, real};
use super::readable;

/// What this program knows how to use; an older kernel enforces what it has of it, and `support` says what it lacks.
const KNOWN: ABI = ABI::V6;
/// Devices that every program takes for granted. No other is opened: a disk holds every secret, a terminal of
/// somebody else's shows what it is sent.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Rules that are made and not yet in force.
pub(super) struct Rules {
    ruleset: RulesetCreated,
}

impl Rules {
    /// The rules of a confinement. Opens the paths, so it comes before everything that would forbid that.
    pub(super) fn of(confinement: &Confinement) -> Result<Self, String> {
        let failed = |why: &dyn std::fmt::Display| format!("the file rules cannot be created: {why}");
        let mut ruleset = Ruleset::default()
            .handle_access(AccessFs::from_all(KNOWN))
            .and_then(|ruleset| ruleset.scope(Scope::from_all(KNOWN)))
            .map_err(|why| failed(&why))?;
        // In a network of its own there is nobody to be kept from.
        if !confinement.network && confinement.proxy.is_none() {
            ruleset = ruleset.handle_access(AccessNet::from_all(KNOWN)).map_err(|why| failed(&why))?;
        }
        let mut ruleset = ruleset.create().map_err(|why| failed(&why))?;
        let mut hidden = confinement.hidden_places();
        hidden.push(PathBuf::from("/dev"));
        let reading = AccessFs::from_read(KNOWN);
        let readable = readable::without(Path::new("/"), &hidden).into_iter().map(|path| (path, reading));
        // A node of a device made in the workspace would be a way to the device.
        let changing = AccessFs::from_all(KNOWN) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
        let writable = confinement.writable.iter().map(|path| (real(path), changing));
        let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
        let devices = DEVICES.iter().map(|path| (PathBuf::from(path), device));
        for (path, access) in readable.chain(writable).chain(devices) {
            if let Some((file, is_folder)) = open_itself(&path) {
                let access = if is_folder { access } else { access & AccessFs::from_file(KNOWN) };
                ruleset = ruleset.add_rule(PathBeneath::new(file, access)).map_err(|why| failed(&why))?;
            }
        }
        Ok(Self { ruleset })
    }

    /// Puts them in force for this process and all it starts, for good.
    pub(super) fn enforce(self) -> Result<(), String> {
        let status = self.ruleset.restrict_self().map_err(|why| format!("Landlock refused: {why}"))?;
        // What an older kernel leaves out was weighed by `support`; that nothing holds is never taken for a sandbox.
        if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
            return Err("Landlock enforces nothing here".to_owned());
        }
        Ok(())
    }
}

/// The file of that name, never what a link leads to, and whether it is a folder. `None` for what is gone, is a link
/// or cannot be reached: then it is not allowed.
fn open_itself(path: &Path) -> Option<(OwnedFd, bool)> {
    let file = open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let kind = FileType::from_raw_mode(fstat(&file).ok()?.st_mode);
    (kind != FileType::Symlink).then_some((file, kind == FileType::Directory))
}
