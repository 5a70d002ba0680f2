//! The configuration read to its end, whatever is wrong with it: what can be used of it, and every fault.

use std::path::Path;

use super::agents::local;
use super::layers::{
    add_what_the_user_has, contents, correct_file, correct_project_file, from_environment, of_project,
    of_user,
};
use super::{AgentEntry, Config, McpEntry, apply, peers, projects};
use crate::config::environment::Environment;
use crate::config::fault::Fault;
use crate::config::trusted::{Book, CONFIG};

/// All layers but the command line. A file that is no TOML, or has a key that is none, gives one fault and nothing
/// else; a wrong value gives one each.
pub(crate) fn examine(cwd: &Path, environment: &Environment) -> (Config, Vec<Fault>) {
    let (mut config, mut faults) = (Config::default(), Vec::new());
    match of_user(environment) {
        Err(fault) => faults.push(fault),
        Ok(settings) => {
            let wrong = settings.iter().filter_map(|setting| apply::set(&mut config, setting).err());
            faults.extend(wrong.map(|wrong| correct_file(&wrong)));
        }
    }
    let contents = contents(cwd);
    let book = if contents.is_empty() { Ok(Book::default()) } else { Book::read(environment) };
    let book = book.unwrap_or_else(|fault| {
        faults.push(fault);
        Book::default()
    });
    for content in contents {
        let read = content
            .and_then(|content| Ok((of_project(&content, Some(&book), &mut config)?, content.path(CONFIG))));
        match read {
            Err(fault) => faults.push(fault),
            Ok((settings, file)) => {
                let wrong = projects::set_all(&mut config, &settings);
                faults.extend(wrong.iter().map(|wrong| correct_project_file(&file, wrong)));
            }
        }
    }
    add_what_the_user_has(&mut config, environment);
    let variable = |wrong| Fault::usage(wrong, "correct or unset the variable");
    match from_environment(environment) {
        Err(wrong) => faults.push(variable(wrong)),
        Ok(settings) => {
            let wrong = settings.iter().filter_map(|setting| apply::set(&mut config, setting).err());
            faults.extend(wrong.map(variable));
        }
    }
    let unsound = [peers::check::<McpEntry>(&config), peers::check::<AgentEntry>(&config)];
    faults.extend(unsound.into_iter().filter_map(Result::err).map(|wrong| correct_file(&wrong)));
    local::take_up(&mut config);
    (config, faults)
}
