//! Where the paths of calls lead that nobody makes now: of past calls as they are written, since what a link led to then is
//! known to nobody; of others as they would now.

use std::path::{Path, PathBuf};

use super::all_tools::tool_named;
use super::workspace::Workspace;
use crate::ledger::Arguments;
use crate::policy::{one_reading, opened};
use crate::runtime::sandbox::Sandbox;
use crate::tool::{Preparation, Territory, ToolKind};

/// The folder of such calls.
#[derive(Debug)]
pub struct PastPlaces {
    workspace: Workspace,
    follows_links: bool,
}

impl PastPlaces {
    /// Calls in `folder`, which need not exist any more; `home` is what `~` stands for.
    pub fn of(folder: &Path, home: Option<PathBuf>) -> Self {
        Self { workspace: Workspace::new(folder.to_owned(), home), follows_links: false }
    }

    /// Calls that would be made now, links followed; what this sandbox hides counts as outside.
    pub fn now(folder: &Path, home: Option<PathBuf>, sandbox: &Sandbox) -> Self {
        let workspace = Workspace::new(folder.to_owned(), home).hiding(sandbox.confinement());
        Self { workspace, follows_links: true }
    }

    /// Calls that would be made now, links followed, without a sandbox.
    pub fn following_links(folder: &Path, home: Option<PathBuf>) -> Self {
        Self { workspace: Workspace::new(folder.to_owned(), home), follows_links: true }
    }

    /// What a look at the call says of its paths. `recorded`: where its one path led, if somebody wrote it down.
    pub fn look(&self, tool: &str, arguments: &Arguments, recorded: Option<&str>) -> Preparation {
        let mut found = self.workspace.unlooked();
        let Some((_, spec)) = tool_named(tool) else { return found };
        if spec.kind == ToolKind::Shell {
            let command = arguments.text("command").unwrap_or_default();
            opened(command).iter().for_each(|path| self.note(path, &mut found));
        } else {
            let paths = spec.paths.iter().filter_map(|member| arguments.text(member));
            paths.for_each(|path| self.note(recorded.unwrap_or(path), &mut found));
        }
        found
    }

    fn note(&self, path: &str, found: &mut Preparation) {
        if self.follows_links {
            return match self.workspace.resolve(path) {
                Ok(place) => found.leads(place.shown, place.territory),
                Err(_) => found.leads(path.to_owned(), Territory::Outside),
            };
        }
        let place = self.workspace.as_written(path);
        let territory = self.workspace.territory(&place);
        // A path with two readings was not used unseen.
        let territory = if one_reading(path).is_ok() { territory } else { Territory::Outside };
        found.leads(self.workspace.show(&place), territory);
    }
}
