//! The skills and custom commands that the user calls by their names, as front ends know them.

use crate::config::{Invocation, skills};
use crate::ui::mention::written;
use crate::view::{NamedCommand, NamedSkill};

/// The skills that the user can call.
pub(super) fn callable(invocation: &Invocation) -> Vec<NamedSkill> {
    let skills = invocation.config.skills.iter().filter(|(skill, _)| skill.is_callable);
    skills
        .map(|(skill, file)| NamedSkill {
            name: skill.name.clone(),
            description: skill.description.clone(),
            mention: written(&skills::file_in(file, &invocation.cwd)),
        })
        .collect()
}

/// The custom commands.
pub(super) fn custom(invocation: &Invocation) -> Vec<NamedCommand> {
    invocation.config.commands.usable.iter().map(|command| command.named(&invocation.cwd)).collect()
}
