//! What a command does to the world, from tables that err on the side of more.

mod arguments;
mod consoles;
mod container_names;
mod evaluators;
mod find;
mod git;
mod git_reads;
mod input_files;
mod inputs;
mod interpreters;
mod launchers;
mod openers;
mod readers;
mod reads;
mod receivers;
mod sed_scripts;
mod shell_lines;
mod starters;
mod tables;
mod trees;

use super::shell::{Access, Command, Reading, Redirection, is_of_system};
use crate::tool::SideEffect;

pub(super) use container_names::{is_container_tool, name_places};
pub(super) use git::is_subcommand as is_git_subcommand;
pub(super) use inputs::{hides_name, lines_elsewhere, reads_program, sent};
pub(super) use launchers::{
    adds_words, is_about_names, is_interpreter, is_launcher, names_its_word, runs_its_input,
};
pub(super) use reads::{is_known as is_reader, opens, operands, reads_nothing};
pub(super) use receivers::receivers;
pub(super) use sed_scripts::{SedScript, sed_script, sed_unread};
pub(super) use starters::{program_places, started};
pub(super) use trees::{Tree, trees};

/// What people read of a program that nobody knows, and of a line that cannot be read: the rules only count it as sending.
pub const UNKNOWN_EFFECT: &str = "unknown effect";

/// What a whole line does: the worst of its parts; what cannot be read counts as sending.
pub fn of_line(reading: &Reading) -> SideEffect {
    if reading.unreadable.is_some() {
        return SideEffect::Sends;
    }
    let commands = reading.commands.iter().map(|command| of_command(command).unwrap_or(SideEffect::Sends));
    let files = reading.redirections.iter().map(of_redirection);
    commands.chain(files).max().unwrap_or(SideEffect::Reads)
}

/// All that the parts of a line do, each once and the worst first: what only looks is named where nothing else is done.
pub(super) fn all_of_line(reading: &Reading) -> Vec<SideEffect> {
    let commands = reading.commands.iter().map(|command| of_command(command).unwrap_or(SideEffect::Sends));
    let files = reading.redirections.iter().map(of_redirection);
    let unread = reading.unreadable.iter().map(|_| SideEffect::Sends);
    let mut all: Vec<SideEffect> = commands.chain(files).chain(unread).collect();
    all.retain(|effect| *effect != SideEffect::Reads);
    all.sort_unstable_by(|one, other| other.cmp(one));
    all.dedup();
    if all.is_empty() { vec![SideEffect::Reads] } else { all }
}

/// Whether a part of a line is known to send. What nobody knows only counts as that.
pub fn is_known_to_send(reading: &Reading) -> bool {
    let commands = reading.commands.iter().filter_map(of_command);
    commands.chain(reading.redirections.iter().map(of_redirection)).any(|effect| effect == SideEffect::Sends)
}

/// What a command does; `None` when its name is not in the tables.
pub(super) fn of_command(command: &Command) -> Option<SideEffect> {
    if command.is_wrapper {
        // On a terminal it writes what the program says into a file.
        let writes = command.program().as_deref() == Some("nohup");
        return Some(if writes { SideEffect::Writes } else { SideEffect::Reads });
    }
    if command.words.is_empty() {
        return Some(SideEffect::Runs);
    }
    let name = command.name().filter(|name| is_of_system(name))?;
    let program = name.rsplit('/').next().unwrap_or_default();
    let effect = match program {
        "git" => git::effect(command.arguments()),
        "find" => Some(find::effect(command.arguments())),
        "sed" => Some(reads::sed(command.arguments())),
        _ if reads::only_reads(program, command.arguments()) => Some(SideEffect::Reads),
        _ => tables::effect(program, command.arguments()),
    }?;
    // A variable before a command can make it do anything that the command can be made to do.
    let least = if command.environment.is_empty() { SideEffect::Reads } else { SideEffect::Runs };
    Some(effect.max(least))
}

/// Whether files of the workspace can make a command that only looks start programs, as the settings of a repository do.
pub(super) fn is_steered(command: &Command) -> bool {
    !command.is_wrapper && command.program().is_some_and(|program| program == "git")
}

/// What opening a file does. Bash takes some names for connections.
pub(super) fn of_redirection(redirection: &Redirection) -> SideEffect {
    let target = redirection.target.with_holes();
    let target = target.trim_start_matches('/');
    if target.starts_with("dev/tcp") || target.starts_with("dev/udp") {
        return SideEffect::Sends;
    }
    match redirection.access {
        Access::Reads => SideEffect::Reads,
        Access::Writes if is_sink(redirection) => SideEffect::Reads,
        Access::Writes => SideEffect::Writes,
    }
}

/// `/dev/null` and the streams that the command has anyway: opening them changes nothing.
pub(super) fn is_sink(redirection: &Redirection) -> bool {
    let sinks = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];
    redirection.target.literal().is_some_and(|path| sinks.contains(&path.as_str()))
}
