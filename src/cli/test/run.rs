//! `test run`: recorded tests, played.

use std::path::{Path, PathBuf};

use super::junit;
use super::play::lines;
use super::settings::with_recorded;
use super::whole_file::{is_no_report, write_whole};
use crate::cli::compared::{Compared, compared, decisions};
use crate::cli::outcome::say;
use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::config::models::{Table, choose};
use crate::config::{Flags, Invocation};
use crate::session::ports::{model_port, with_tool_calls};
use crate::session::rehearsing::{LiveModel, RecordedTest};
use crate::ui::text::counted;

/// What the two sides of a difference are called.
const NAMES: (&str, &str) = ("expected", "now");

/// How they are run.
pub(super) struct How {
    /// Where a report goes.
    pub(super) junit: Option<PathBuf>,
    /// What is different now is taken.
    pub(super) accept: bool,
    /// A model is asked.
    pub(super) live: bool,
}

pub(super) fn run(
    flags: &Flags,
    environment: &Environment,
    files: &[PathBuf],
    how: &How,
) -> Result<Exit, Fault> {
    // Before anything is played: with a name too few, the first test would stand in the place of the report.
    if let Some(path) = how.junit.as_ref().filter(|path| is_no_report(path)) {
        return Err(Fault::usage(
            format!("--junit {}: there is a file, and it is no report", path.display()),
            "name another file, or remove it first",
        ));
    }
    let mut cases = Vec::new();
    let mut told = String::new();
    for file in files {
        let case = case(flags, environment, file, how);
        told.push_str(&case.told(file));
        cases.push((file.display().to_string(), case));
    }
    let wrong = cases.iter().filter(|(_, case)| !case.is_as_expected()).count();
    told.push_str(&match wrong {
        0 if cases.len() == 1 => "the test is as expected\n".to_owned(),
        0 => format!("all {} tests are as expected\n", cases.len()),
        1 => format!("1 of {} is not as expected\n", counted(cases.len() as u64, "test")),
        _ => format!("{wrong} of {} tests are not as expected\n", cases.len()),
    });
    if let Some(path) = &how.junit {
        write_whole(path, &junit::report(&cases)).map_err(|why| {
            Fault::failed(format!("{} cannot be written: {why}", path.display()), "name another file")
        })?;
    }
    say(&told)?;
    Ok(if wrong == 0 { Exit::Completed } else { Exit::Failed })
}

fn case(flags: &Flags, environment: &Environment, file: &Path, how: &How) -> Compared {
    let tried = || -> Result<Compared, Fault> {
        let mut test = RecordedTest::read(file)
            .map_err(|why| Fault::usage(why, "record it again with `countersign test record`"))?;
        let flags = with_recorded(&test, flags)?;
        let flags = Flags { model: flags.model.filter(|_| how.live), ..flags };
        let invocation = crate::cli::invoke(&flags, environment.clone(), None)?;
        let live = if how.live { Some(live(&invocation)?) } else { None };
        let found = lines(&invocation, &test, live)?;
        if how.live {
            return Ok(compared(&decisions(&test.expected), &decisions(&found), NAMES));
        }
        let compared = compared(&test.expected, &found, NAMES);
        if how.accept && !compared.is_as_expected() {
            test.expected = found;
            write_whole(file, &test.text()).map_err(|why| {
                Fault::failed(format!("{} cannot be written: {why}", file.display()), "make it writable")
            })?;
            return Ok(Compared::Accepted);
        }
        Ok(compared)
    };
    tried().unwrap_or_else(|fault| Compared::Broken(one_line(&format!("{}; {}", fault.message, fault.next))))
}

fn live(invocation: &Invocation) -> Result<LiveModel, Fault> {
    let choice = choose(&invocation.config, &invocation.environment, &Table::embedded())?;
    let choice = with_tool_calls(choice, &invocation.config);
    Ok(LiveModel { port: model_port(&choice, &invocation.config)?, spec: choice.spec })
}
