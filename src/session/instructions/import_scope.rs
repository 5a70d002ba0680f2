//! Where a file of instructions, and what it imports, may be, and of which kind: a project could lead to a file that holds keys.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::denied::DeniedFiles;
use crate::config::reading::{self, Reading};
use crate::runtime::sandbox::names_a_secret;

/// Most bytes of one file; four pages are a lot of instructions, sixteen are a mistake.
const MOST_OF_ONE: u64 = 32 * 1024;
/// What an import may be: text that is written to be read. Others could hold keys.
const IMPORTABLE: [&str; 4] = ["md", "mdc", "mdx", "txt"];

/// Files of instructions for other tools, whose names have no such ending.
const OF_OTHER_TOOLS: [&str; 9] = [
    ".cursorrules",
    ".clinerules",
    ".windsurfrules",
    ".roorules",
    ".kilocoderules",
    ".continuerules",
    ".goosehints",
    ".augment-guidelines",
    ".rules",
];

/// Where a file of instructions, and what it imports, may really be.
#[derive(Debug, Clone, Copy)]
pub(super) enum ImportScope<'a> {
    /// Below this folder, whose symbolic links are resolved; except what rules deny.
    Below(&'a Path, &'a DeniedFiles),
    /// Anywhere: it is the user's own. `~` in it is this folder.
    Anywhere(Option<&'a Path>),
}

impl ImportScope<'_> {
    /// Whether a rule denies reading it: what a model may not read is not sent to it unasked.
    pub(super) fn denies(self, file: &Path) -> bool {
        matches!(self, Self::Below(_, denied) if denied.denies(file))
    }

    pub(super) fn allows(self, file: &Path) -> bool {
        match self {
            Self::Anywhere(_) => true,
            Self::Below(top, _) => file.canonicalize().is_ok_and(|real| real.starts_with(top)),
        }
    }

    /// Whether what the file leads to is written to be read, where that counts.
    pub(super) fn is_fit(self, file: &Path) -> bool {
        let is_ours = matches!(self, Self::Anywhere(_));
        is_ours || file.canonicalize().is_ok_and(|real| is_written_to_be_read(file, &real))
    }

    /// What it says, if the very file that was read is one that may be: a link can change between a look and the opening.
    pub(super) fn read(self, file: &Path) -> Reading {
        let (reading, found) = reading::read_and_found(file, MOST_OF_ONE);
        let (Self::Below(top, denied), Some(found)) = (self, found) else { return reading };
        let may_be_read = file.canonicalize().is_ok_and(|real| {
            let is_it = |now: Metadata| (now.dev(), now.ino()) == (found.dev(), found.ino());
            real.symlink_metadata().is_ok_and(is_it)
                && real.starts_with(top)
                && !denied.denies(&real)
                && is_written_to_be_read(file, &real)
        });
        if may_be_read { reading } else { Reading::Absent }
    }
}

/// Whether a file that another one leads to has the name of a file of instructions, or is of a kind that may be imported. A link of a
/// project could lead to a file that holds keys.
fn is_written_to_be_read(file: &Path, real: &Path) -> bool {
    let Some(name) = real.file_name().and_then(|name| name.to_str()) else { return false };
    let is_called_so = || real.file_name() == file.file_name() || OF_OTHER_TOOLS.contains(&name);
    !names_a_secret(name) && (is_called_so() || is_importable(real))
}

/// Whether a file is of a kind that may be imported.
pub(super) fn is_importable(real: &Path) -> bool {
    let ending = real.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    IMPORTABLE.contains(&ending.to_ascii_lowercase().as_str())
}
