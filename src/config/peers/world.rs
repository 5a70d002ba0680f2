//! A home and a repository in which what is said of peers is tried.

use std::fs;
use std::path::Path;

use crate::config::environment::Environment;
use crate::config::trusted::{Book, Content};
use crate::config::{CommandLineSetting, Config, demands, load};

/// A home and a repository, with a configuration of the user's.
pub(in crate::config) struct World(tempfile::TempDir);

impl World {
    pub(in crate::config) fn of(user: &str) -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(world.0.path().join("repo/.git")).unwrap();
        world.file("config/countersign/config.toml", user);
        world
    }

    /// The folder that everything lies in.
    pub(in crate::config) fn place(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file below that folder.
    pub(in crate::config) fn file(&self, name: &str, text: &str) -> &Self {
        let file = self.0.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    pub(in crate::config) fn environment(&self) -> Environment {
        let below = |name: &str| self.0.path().join(name);
        Environment::of([("XDG_CONFIG_HOME", below("config")), ("XDG_STATE_HOME", below("state"))])
    }

    /// Trusts the repository as it stands.
    pub(in crate::config) fn trust(&self) -> &Self {
        let content = Content::of(&self.0.path().join("repo")).unwrap().unwrap();
        let mut book = Book::default();
        book.trust(content.real().unwrap(), content.hash());
        book.write(&self.environment()).unwrap();
        self
    }

    pub(in crate::config) fn load(&self, pairs: &[&str]) -> Result<Config, String> {
        let given: Vec<CommandLineSetting> =
            pairs.iter().map(|pair| CommandLineSetting::Pair((*pair).to_owned())).collect();
        let loaded = load(&self.0.path().join("repo"), &self.environment(), &given);
        loaded.map_err(|fault| self.without_place(&fault.to_string()))
    }

    pub(in crate::config) fn config(&self) -> Config {
        self.load(&[]).unwrap()
    }

    pub(in crate::config) fn demands(&self) -> Vec<String> {
        let found = demands(&self.0.path().join("repo"), &self.environment()).unwrap();
        let all = found.into_iter().flat_map(|demands| demands.all);
        all.map(|one| self.without_place(&format!("{} {} {}", one.verb, one.what, one.place))).collect()
    }

    fn without_place(&self, text: &str) -> String {
        text.replace(&self.0.path().display().to_string(), "")
    }

    pub(in crate::config) fn warnings(&self) -> Vec<String> {
        self.config().warnings.iter().map(|warning| self.without_place(warning)).collect()
    }
}
