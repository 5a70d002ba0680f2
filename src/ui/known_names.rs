//! Names that can follow a command and come from elsewhere: the list of commands offers them.

use crate::view::View;

/// Those that are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownNames {
    /// The themes.
    pub themes: Vec<String>,
    /// The branches of the repository.
    pub branches: Vec<String>,
    models: Vec<String>,
    /// Whether somebody was asked for the models.
    is_asked: bool,
}

impl KnownNames {
    /// Those that can follow this command, each with what is said of it.
    pub(super) fn of(&self, command: &str, view: &View) -> Vec<(String, String)> {
        let bare = |names: &[String]| names.iter().map(|name| (name.clone(), String::new())).collect();
        match command {
            "/theme" => bare(&self.themes),
            "/model" => bare(&self.models),
            "/review" => self.branches.iter().map(|name| (format!("--base {name}"), String::new())).collect(),
            "/export" => vec![("transcript.md".to_owned(), "a new file, in Markdown".to_owned())],
            "/diff" => changes(view),
            "/permissions" => grants(view),
            _ => Vec::new(),
        }
    }

    /// The models that can be used now, by their names.
    pub(super) fn heard(&mut self, models: &[(String, String)]) {
        self.models = models.iter().map(|(name, _)| name.clone()).collect();
        self.is_asked = true;
    }

    /// Whether the models are to be asked for, now that a command is being typed which they can follow; once.
    pub(super) fn wants_models(&mut self, is_typed: bool) -> bool {
        is_typed && !std::mem::replace(&mut self.is_asked, true)
    }
}

/// What `/diff` can show: all of it against git, and each file that this session changed.
fn changes(view: &View) -> Vec<(String, String)> {
    let all = ("git".to_owned(), "all that is not committed".to_owned());
    let changed = view.changed_paths().into_iter().filter(|path| !path.chars().any(char::is_control));
    let files = changed.map(|path| (format!("git {path}"), "changed in this session".to_owned()));
    std::iter::once(all).chain(files).collect()
}

/// What `/permissions` can take back, and what it takes besides.
fn grants(view: &View) -> Vec<(String, String)> {
    let line = |words: String| words.trim_end().replace('\n', " \u{21b5} ");
    let granted = view.permissions().revocable().into_iter();
    let granted = granted.map(|(call, words)| (format!("revoke {call}"), line(words)));
    let hosts = view.session.hosts.iter();
    let hosts = hosts.map(|host| (format!("revoke {host}"), "reached from the sandbox".to_owned()));
    let gaps = view.session.gaps.first().map(|gap| ("revoke gaps".to_owned(), line(gap.to_string())));
    let others = [("revoke", "a grant, to pick from"), ("host", "NAME: let the sandbox reach it")];
    let others = others.map(|(word, words)| (word.to_owned(), words.to_owned()));
    granted.chain(hosts).chain(gaps).chain(others).collect()
}
