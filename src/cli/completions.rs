//! `completions` and `man`: scripts and pages made from the definitions of the commands and flags.

use std::io::Error;
use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory as _};
use clap_complete::Shell;

use super::args::Args;
use super::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::model::Effort;
use crate::policy::Mode;

/// The man page; or those of all commands, as files of a folder.
pub(super) fn man(folder: Option<&Path>) -> Result<Exit, Fault> {
    let failed =
        |why: Error| Fault::failed(format!("the man pages cannot be written: {why}"), "name another folder");
    // The version of a page is the version alone: the commit would make it another page each day.
    let mut command = Args::command().version(env!("CARGO_PKG_VERSION")).disable_help_subcommand(true);
    command.build();
    if let Some(folder) = folder {
        pages(&command, folder).map_err(failed)?;
        return say(&format!("The man pages are in {}.\n", folder.display()));
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(with_synopsis(&command)).render(&mut page).map_err(failed)?;
    say(&String::from_utf8_lossy(&page))
}

fn pages(command: &Command, folder: &Path) -> Result<(), Error> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        pages(below, folder)?;
    }
    // The pages of its commands are pages of this program.
    let source = concat!("countersign ", env!("CARGO_PKG_VERSION"));
    clap_mangen::Man::new(with_synopsis(command)).source(source).generate_to(folder).map(drop)
}

/// A built command with a synopsis that names the values of its options: the one that `clap_mangen` makes leaves them out.
fn with_synopsis(command: &Command) -> Command {
    let (positional, options): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(|arg| !arg.is_hide_set()).partition(|arg| arg.is_positional());
    let mut synopsis = command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned();
    for option in options {
        // An argument shows itself by its long name, with its values.
        let short = option.get_short().filter(|_| option.get_long().is_some());
        let both = short.map_or_else(|| option.to_string(), |short| format!("-{short}|{option}"));
        let shown = if option.is_required_set() { both } else { format!("[{both}]") };
        synopsis = format!("{synopsis} {shown}");
    }
    for value in positional {
        let dashes = if value.is_last_set() { "-- " } else { "" };
        synopsis = format!("{synopsis} {dashes}{value}");
    }
    if command.has_subcommands() {
        synopsis.push_str(if command.is_subcommand_required_set() { " <COMMAND>" } else { " [COMMAND]" });
    }
    command.clone().override_usage(synopsis)
}

/// The script of a shell.
pub(super) fn completions(shell: Shell) -> Result<Exit, Fault> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut completed(&Args::command()), "countersign", &mut script);
    say(&String::from_utf8_lossy(&script))
}

/// The command as shells complete it: a word where there are commands is one of them, since zsh would take the command for the message and
/// complete nothing behind it.
fn completed(command: &Command) -> Command {
    let has_commands = command.has_subcommands();
    let arguments = command.get_arguments().filter(|arg| !has_commands || !arg.is_positional());
    let mut made = Command::new(command.get_name().to_owned())
        .hide(command.is_hide_set())
        .disable_help_subcommand(command.is_disable_help_subcommand_set())
        .visible_aliases(command.get_visible_aliases().map(str::to_owned).collect::<Vec<_>>())
        .args(arguments.cloned().map(with_values))
        .subcommands(command.get_subcommands().map(completed));
    if let Some(about) = command.get_about() {
        made = made.about(about.clone());
    }
    if command.get_version().is_some() {
        made = made.version(env!("CARGO_PKG_VERSION"));
    }
    made
}

/// A flag with the words that it takes, where there are few.
fn with_values(argument: Arg) -> Arg {
    let words: Vec<&str> = match argument.get_long() {
        Some("mode") => Mode::ALL.iter().map(|mode| mode.as_str()).collect(),
        Some("effort") => Effort::ALL.iter().map(|effort| effort.as_str()).collect(),
        _ => return argument,
    };
    argument.value_parser(PossibleValuesParser::new(words))
}
