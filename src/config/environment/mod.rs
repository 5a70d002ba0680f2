//! The process environment, read once into a value that tests can make up.

mod note;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
};

pub use note::{EnvironmentFacts, note};

use super::models::Secret;
use crate::runtime::looks_secret;

/// Fewer bytes are no key.
const SHORTEST_KEY: usize = 12;

/// What the environment said when the process began. `Debug` shows names, never values.
#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, OsString>,
    fallback_home: Option<PathBuf>,
}

impl Environment {
    /// Reads the environment of this process; nothing else in the program does.
    pub fn collect() -> Self {
        let mut environment = Self::of(std::env::vars_os());
        // Without HOME the account's own home folder still counts.
        environment.fallback_home = etcetera::home_dir().ok();
        environment
    }

    /// An environment of these variables and nothing else.
    pub fn of<Name: Into<OsString>, Value: Into<OsString>>(
        variables: impl IntoIterator<Item = (Name, Value)>,
    ) -> Self {
        let named = variables
            .into_iter()
            .filter_map(|(name, value)| Some((name.into().into_string().ok()?, value.into())))
            .collect();
        Self { variables: named, fallback_home: None }
    }

    /// All variables, for the programs that tools start.
    pub fn all(&self) -> Vec<(OsString, OsString)> {
        self.variables.iter().map(|(name, value)| (name.into(), value.clone())).collect()
    }

    /// A variable's text. One that is empty, or not UTF-8, counts as not set.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.variables.get(name)?.to_str().filter(|text| !text.is_empty())
    }

    /// A variable that holds a key.
    pub fn secret(&self, name: &str) -> Option<Secret> {
        self.text(name).map(str::trim).filter(|key| !key.is_empty()).map(Secret::new)
    }

    /// Whether colours are unwanted (`NO_COLOR` is set and not empty).
    pub fn no_color(&self) -> bool {
        self.text("NO_COLOR").is_some()
    }

    /// The scripted answers of `DEBUG_MOCK_RESPONSES`: JSON, not yet parsed.
    pub fn mock_responses(&self) -> Option<&str> {
        self.text("DEBUG_MOCK_RESPONSES")
    }

    /// The user's home folder.
    pub fn home(&self) -> Option<PathBuf> {
        self.folder("HOME").or_else(|| self.fallback_home.clone())
    }

    /// A folder as people write it: `~/src/parser`.
    pub fn shown(&self, folder: &Path) -> String {
        match self.home().and_then(|home| folder.strip_prefix(home).ok().map(Path::to_owned)) {
            Some(below) if below.as_os_str().is_empty() => "~".to_owned(),
            Some(below) => format!("~/{}", below.display()),
            None => folder.display().to_string(),
        }
    }

    /// The values of variables that may hold a key, by their names; short ones are words, not keys.
    pub fn keys(&self) -> Vec<&str> {
        self.named_keys().into_iter().map(|(_, key)| key).collect()
    }

    /// The same with their names.
    pub fn named_keys(&self) -> Vec<(&str, &str)> {
        let secret = self.variables.keys().filter(|name| looks_secret(name));
        let named = secret.filter_map(|name| Some((name.as_str(), self.text(name)?)));
        named.filter(|(_, key)| key.len() >= SHORTEST_KEY).collect()
    }

    /// Our folder for configuration; `None` when there is no home.
    pub fn config_dir(&self) -> Option<PathBuf> {
        self.xdg("XDG_CONFIG_HOME", ".config")
    }

    /// Our folder for sessions and logs; `None` when there is no home.
    pub fn state_dir(&self) -> Option<PathBuf> {
        self.xdg("XDG_STATE_HOME", ".local/state")
    }

    /// Our folder for what can be made anew; `None` when there is no home.
    pub fn cache_dir(&self) -> Option<PathBuf> {
        self.xdg("XDG_CACHE_HOME", ".cache")
    }

    fn xdg(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let base = self.folder(variable).or_else(|| self.home().map(|home| home.join(below_home)))?;
        Some(base.join("countersign"))
    }

    /// The XDG rules: a path that is not absolute is ignored.
    fn folder(&self, variable: &str) -> Option<PathBuf> {
        self.variables.get(variable).map(PathBuf::from).filter(|path| path.is_absolute())
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_follow_xdg_and_then_home() {
        let plain = Environment::of([("HOME", "/home/ada")]);
        assert_eq!(plain.config_dir().unwrap(), PathBuf::from("/home/ada/.config/countersign"));
        assert_eq!(plain.state_dir().unwrap(), PathBuf::from("/home/ada/.local/state/countersign"));
        let xdg = Environment::of([
            ("HOME", "/home/ada"),
            ("XDG_STATE_HOME", "/var/s"),
            ("XDG_CONFIG_HOME", "rel"),
        ]);
        assert_eq!(xdg.state_dir().unwrap(), PathBuf::from("/var/s/countersign"));
        assert_eq!(xdg.config_dir(), plain.config_dir());
        assert_eq!(Environment::default().config_dir(), None);
    }

    #[test]
    fn values_are_never_shown() {
        let environment = Environment::of([("ANTHROPIC_API_KEY", "sk-very-secret")]);
        assert_eq!(format!("{environment:?}"), r#"{"ANTHROPIC_API_KEY"}"#);
        assert_eq!(environment.secret("ANTHROPIC_API_KEY").unwrap().expose(), "sk-very-secret");
    }

    #[test]
    fn empty_is_not_set() {
        let environment = Environment::of([("NO_COLOR", ""), ("OPENAI_API_KEY", " \n")]);
        assert!(!environment.no_color());
        assert!(environment.secret("OPENAI_API_KEY").is_none());
    }
}
