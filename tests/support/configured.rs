//! A home and a repository with configuration files in them.

#![allow(unreachable_pub, reason = "tests")]

use std::fs;
use std::path::PathBuf;

use countersign::config::environment::Environment;
use countersign::config::exit::Exit;
use countersign::config::fault::Fault;
use countersign::config::{CommandLineSetting, Config, Flags, load};

/// A home, and a repository with a folder in it.
pub struct World {
    pub place: tempfile::TempDir,
    pub variables: Vec<(&'static str, String)>,
}

impl World {
    pub fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("repo/.git")).unwrap();
        fs::create_dir_all(place.path().join("repo/deep")).unwrap();
        let config_home = place.path().join("xdg").display().to_string();
        Self { place, variables: vec![("XDG_CONFIG_HOME", config_home)] }
    }

    pub fn write(&self, path: &str, text: &str) -> PathBuf {
        let file = self.place.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    pub fn user(self, text: &str) -> Self {
        self.write("xdg/countersign/config.toml", text);
        self
    }

    pub fn project(self, text: &str) -> Self {
        self.write("repo/.countersign/config.toml", text);
        self
    }

    pub fn variable(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.place.path().join(path)
    }

    pub fn load(&self, flags: &Flags) -> Result<Config, Fault> {
        self.load_given(&flags.given())
    }

    pub fn load_given(&self, given: &[CommandLineSetting]) -> Result<Config, Fault> {
        load(&self.path("repo/deep"), &Environment::of(self.variables.clone()), given)
    }

    pub fn config(&self) -> Config {
        self.load(&Flags::default()).unwrap()
    }

    pub fn wrong(&self) -> String {
        let fault = self.load(&Flags::default()).unwrap_err();
        assert_eq!(fault.exit, Exit::Usage);
        fault.to_string().replace(&self.place.path().display().to_string(), "")
    }
}
