//! The tools of a session, and what is known of those that are not there.

use crate::tool::{Absent, Registry};

use super::Settings;

/// The tools of a session, and what is known of those that are not there.
#[derive(Debug)]
pub(super) struct Toolbox {
    /// What the model may call.
    pub(super) registry: Registry,
    /// Who is configured and brings no tools, and why.
    pub(super) absent: Vec<Absent>,
    /// Tools come from elsewhere too, and are not known yet: no model is called before.
    pub(super) discovers: bool,
    /// Which of them are not there, while nobody was told.
    pub(super) missing: Vec<String>,
}

impl Toolbox {
    /// What a process begins with.
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            registry: Registry::new(settings.tools.clone()),
            absent: settings.absent.clone(),
            discovers: settings.discovers,
            missing: Vec::new(),
        }
    }
}
