//! Names that can follow a command and come from elsewhere: the list of commands offers them.

/// Those that are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownNames {
    /// The themes.
    pub themes: Vec<String>,
    models: Vec<String>,
    /// Whether somebody was asked for the models.
    is_asked: bool,
}

impl KnownNames {
    /// Those that can follow this command.
    pub(super) fn of(&self, command: &str) -> &[String] {
        match command {
            "/theme" => &self.themes,
            "/model" => &self.models,
            _ => &[],
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
