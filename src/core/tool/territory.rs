//! Where a path lies, as every tool and every rule sees it: the one classification of paths.

use super::{Preparation, SideEffect};

/// Where a path lies, symlinks resolved. What is named first wins least: a secret outside of the workspace is `Outside`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Territory {
    /// In the workspace, and open to its mode.
    #[default]
    Inside,
    /// In the workspace, and other programs run or obey it: reads are as inside, changes as outside.
    Protected,
    /// In the workspace, and what the sandbox hides or calls a secret: as outside.
    Secret,
    /// Not in the workspace.
    Outside,
}

impl Territory {
    /// Whether a call of this effect is treated as one that leaves the workspace.
    pub fn is_closed_to(self, effect: SideEffect) -> bool {
        match self {
            Self::Inside => false,
            Self::Protected => effect != SideEffect::Reads,
            Self::Secret | Self::Outside => true,
        }
    }

    /// Why a person is asked about `path`, in words.
    pub fn why(self, path: &str) -> String {
        match self {
            Self::Inside | Self::Outside => format!("leaves the workspace: {path}"),
            Self::Protected => format!("{path} can make other programs run"),
            Self::Secret => format!("{path} may contain secrets"),
        }
    }
}

impl Preparation {
    /// Notes a path of the call and where it lies.
    pub fn leads(&mut self, path: String, territory: Territory) {
        match territory {
            Territory::Inside => {}
            Territory::Protected => self.protected.push(path.clone()),
            Territory::Secret => self.secret.push(path.clone()),
            Territory::Outside => self.outside.push(path.clone()),
        }
        self.leads_to.push(path);
    }

    /// Where a path of the call lies; what nobody has noted is inside.
    pub fn territory(&self, path: &str) -> Territory {
        let has = |paths: &[String]| paths.iter().any(|one| one == path);
        if has(&self.outside) {
            Territory::Outside
        } else if has(&self.secret) {
            Territory::Secret
        } else if has(&self.protected) {
            Territory::Protected
        } else {
            Territory::Inside
        }
    }

    /// The first path that is closed to a call of this effect, and where it lies.
    pub fn closed_to(&self, effect: SideEffect) -> Option<(&str, Territory)> {
        let outside = self.outside.iter().map(|path| (path, Territory::Outside));
        let secret = self.secret.iter().map(|path| (path, Territory::Secret));
        let protected = self.protected.iter().map(|path| (path, Territory::Protected));
        let mut all = outside.chain(secret).chain(protected);
        let found = all.find(|(_, territory)| territory.is_closed_to(effect));
        found.map(|(path, territory)| (path.as_str(), territory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_lies_in_one_place_and_is_closed_by_it() {
        let mut found = Preparation::default();
        for (path, territory) in [
            ("a", Territory::Inside),
            ("b", Territory::Protected),
            ("c", Territory::Secret),
            ("/d", Territory::Outside),
        ] {
            found.leads(path.to_owned(), territory);
            assert_eq!(found.territory(path), territory);
        }
        assert_eq!(found.leads_to, ["a", "b", "c", "/d"]);
        assert_eq!(found.closed_to(SideEffect::Reads), Some(("/d", Territory::Outside)));
        found.outside.clear();
        assert_eq!(found.closed_to(SideEffect::Reads), Some(("c", Territory::Secret)));
        found.secret.clear();
        assert_eq!(found.closed_to(SideEffect::Reads), None, "what programs obey can be read");
        assert_eq!(found.closed_to(SideEffect::Writes), Some(("b", Territory::Protected)));
    }
}
