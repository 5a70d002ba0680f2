//! The skills and custom commands that the user calls by their names, as front ends know them.

use crate::config::Invocation;
use crate::view::NamedCommand;

/// All that the user can call in the session with this id, if there is one yet. Skills come first: one hides a command of its name.
pub(super) fn callable(invocation: &Invocation, session: Option<&str>) -> Vec<NamedCommand> {
    let Invocation { cwd, config, .. } = invocation;
    let skills = config.skills.iter().filter(|(skill, _)| skill.is_callable);
    let skills = skills.map(|(skill, file)| skill.named(file, cwd));
    let all = skills.chain(config.commands.usable.iter().map(|command| command.named(cwd)));
    all.map(|one| NamedCommand { template: one.template.in_session(session), ..one }).collect()
}
