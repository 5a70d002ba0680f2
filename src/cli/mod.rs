//! The command line: words in; a front end on a session, or a report, out.

pub mod acp;
pub mod agents;
mod appearance;
pub mod args;
pub mod blame;
mod block;
mod chat;
mod compared;
mod completions;
mod copied;
pub mod doctor;
mod editor;
mod events;
mod exec;
pub mod exposure;
mod foreign_flags;
mod host_services;
mod import_settings;
mod inspect;
mod invoke;
mod listing;
pub mod mcp;
mod outcome;
mod past;
mod peers;
pub mod policy;
pub mod race;
mod recording;
mod replay;
mod resume;
pub mod sessions;
mod signals;
mod skills;
mod terminals;
pub mod test;
mod themes;
mod told_denials;
mod told_subagents;
pub mod trust;
pub mod usage;
mod verify;
pub mod whatif;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use args::{Args, Command, ConfigAction, InspectArgs, ModelsArgs};
use invoke::{folder, invoke};
use outcome::say;

use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::config::{self, Flags, fault, models};
use crate::runtime::keep_to_ourselves;
use crate::session::{SessionChoice, sandbox};
use crate::ui::theme::resembling;

/// The whole program.
pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some(code) = sandbox::enter(&words) {
        return code;
    }
    keep_to_ourselves();
    let environment = Environment::collect();
    outcome::report(|| run(words, environment)).into()
}

/// Refuses a message that stands before a command, and one that was probably meant to be one.
fn misplaced(args: &Args) -> Result<(), Fault> {
    let Some(prompt) = args.prompt.as_deref() else { return Ok(()) };
    if args.command.is_some() {
        return Err(Fault::usage(
            format!("`{prompt}` comes before the command"),
            "put the PROMPT after `exec`, or leave the command out",
        ));
    }
    match mistyped(prompt) {
        Some(near) => Err(Fault::usage(
            format!("`{prompt}` is not a command; did you mean `{near}`?"),
            "to send it to the model, start the app and type it there",
        )),
        None => Ok(()),
    }
}

/// What clap did not understand, with what only its definition tells: the command that the first word was probably meant to
/// be, or the commands below it of which one is missing.
fn misread(error: &clap::Error, first: &str) -> Result<Exit, Fault> {
    match error.kind() {
        ErrorKind::UnknownArgument => {
            if let Some(fault) = foreign_flags::refused(error) {
                return Err(fault);
            }
            match mistyped(first).filter(|near| near != first) {
                Some(near) => Err(Fault::usage(
                    format!("`{first}` is not a command; did you mean `{near}`?"),
                    "see `countersign --help`",
                )),
                None => outcome::of_clap(error),
            }
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let args = Args::command();
            let below: Vec<&str> = args
                .find_subcommand(first)
                .into_iter()
                .flat_map(clap::Command::get_subcommands)
                .map(clap::Command::get_name)
                .collect();
            let one_of = format!("name one of {}; see `countersign {first} --help`", below.join(", "));
            if below.is_empty() {
                outcome::of_clap(error)
            } else {
                Err(Fault::usage("a command is missing", one_of))
            }
        }
        _ => outcome::of_clap(error),
    }
}

/// The command that a message of one word was probably meant to be.
fn mistyped(word: &str) -> Option<String> {
    if word.contains(char::is_whitespace) {
        return None;
    }
    let command = Args::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    let near = resembling(word, names.chain(["help"]))?;
    Some(if near == "help" { "--help".to_owned() } else { near.to_owned() })
}

fn run(words: Vec<OsString>, environment: Environment) -> Result<Exit, Fault> {
    let first = words.get(1).and_then(|word| word.to_str()).map(str::to_owned).unwrap_or_default();
    let args = match Args::try_parse_from(words) {
        Ok(args) => args,
        Err(error) => return misread(&error, &first),
    };
    misplaced(&args)?;
    let at = |cd: Option<&Path>| folder(cd.or(args.flags.cd.as_deref()));
    match args.command {
        None => {
            let invocation = invoke(&args.flags, environment, None)?;
            chat::run(&invocation, args.prompt.as_deref(), None)
        }
        Some(Command::Resume(resume)) => {
            let invocation = invoke(&args.flags.then(resume.flags), environment, None)?;
            let which = SessionChoice::named(resume.session, resume.last).unwrap_or(SessionChoice::Last);
            resume::run(&invocation, &which)
        }
        Some(Command::Exec(exec)) => {
            let flags = args.flags.then(exec.flags.clone());
            exec::run(&exec::invoked(&flags, environment, &exec)?, &exec)
        }
        Some(Command::Acp(words)) => acp::run(args.flags.then(words.flags), environment),
        Some(Command::Inspect(words)) => inspect(&args.flags, words, environment),
        Some(Command::Replay(words)) => {
            let invocation = invoke(&args.flags.then(words.flags.clone()), environment, None)?;
            let named = SessionChoice::named(words.session.clone(), words.last);
            replay::run(&invocation, &named.unwrap_or(SessionChoice::Last), &words)
        }
        Some(Command::Sessions(words)) => sessions::run(words.verb, at(words.cd.as_deref())?, environment),
        Some(Command::Blame(words)) => blame::run(&words, at(words.cd.as_deref())?, environment),
        Some(Command::Exposure(words)) => exposure::run(&words, at(words.cd.as_deref())?, environment),
        Some(Command::Usage(words)) => usage::run(&words, &environment),
        Some(Command::Models(models)) => list_models(args.flags, models, &environment),
        Some(Command::Doctor(words)) => {
            doctor::run(at(words.cd.as_deref())?, environment, words.json, words.online)
        }
        Some(Command::Trust(words)) => trust::run(&words, args.flags.cd.as_deref(), &environment),
        Some(Command::Mcp(words)) => {
            mcp::run(&words.verb, &invoke(&in_folder(args.flags, words.cd), environment, None)?)
        }
        Some(Command::Agents(words)) => {
            agents::run(&words.verb, &invoke(&in_folder(args.flags, words.cd), environment, None)?)
        }
        Some(Command::Config(config)) => configure(config.action, args.flags, environment),
        Some(Command::ImportSettings(words)) => {
            import_settings::run(&words, args.flags.cd.as_deref(), &environment)
        }
        Some(Command::Whatif(words)) => whatif::run(&words, args.flags, environment),
        Some(Command::Race(words)) => race::run(*words, args.flags, environment),
        Some(Command::Test(words)) => test::run(words, args.flags, environment),
        Some(Command::Policy(words)) => policy::run(&words, args.flags.cd.as_deref(), &environment),
        Some(Command::Verify { file, allowed_signers }) => verify::run(&file, &allowed_signers),
        Some(Command::Man { dir }) => completions::man(dir.as_deref()),
        Some(Command::Completions { shell }) => completions::completions(shell),
    }
}

/// Shows a session in the inspector, read-only.
fn inspect(flags: &Flags, words: InspectArgs, environment: Environment) -> Result<Exit, Fault> {
    let invocation = invoke(&flags.clone().then(words.flags), environment, None)?;
    let which = SessionChoice::named(words.session, words.last).unwrap_or(SessionChoice::Last);
    appearance::needs_a_screen(&invocation)?;
    inspect::run(&invocation, &which, None)
}

/// The flags, as seen from a folder that was named behind the command.
fn in_folder(flags: Flags, cd: Option<PathBuf>) -> Flags {
    Flags { cd: cd.or(flags.cd), ..flags }
}

fn list_models(flags: Flags, words: ModelsArgs, environment: &Environment) -> Result<Exit, Fault> {
    let flags = flags.then(words.flags);
    let config = config::load(&folder(flags.cd.as_deref())?, environment, &flags.given())?;
    listing::run(&config, environment, words.name.as_deref(), words.json)
}

fn configure(action: ConfigAction, flags: Flags, environment: Environment) -> Result<Exit, Fault> {
    match action {
        ConfigAction::Show(show) => {
            let flags = flags.then(show.flags);
            let cwd = folder(flags.cd.as_deref())?;
            let config = config::load(&cwd, &environment, &flags.given())?;
            let answers = match models::choose(&config, &environment, &models::Table::embedded()) {
                Ok(choice) => {
                    let then = choice.fallback.iter().map(|other| format!(", or else {}", other.spec.model));
                    format!("{} ({}){}", choice.spec.model, choice.source, then.collect::<String>())
                }
                Err(fault) => format!("nobody, {}", fault.message),
            };
            say(&format!("# answers: {}\n{}", fault::one_line(&answers), config.show()))
        }
        ConfigAction::Path => {
            let cwd = folder(flags.cd.as_deref())?;
            let files = config::user_file(&environment).into_iter().chain(config::project_files(&cwd));
            let lines: Vec<String> = files.map(|file| format!("{}\n", file.display())).collect();
            say(&lines.concat())
        }
        ConfigAction::Init => {
            let file = config::init(&environment)?;
            say(&format!("wrote {}\n", file.display()))
        }
    }
}
