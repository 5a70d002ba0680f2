//! The configuration read to its end, whatever is wrong with it: what can be used of it, and every fault.

use std::path::Path;
use std::sync::Arc;

use super::{
    Config, apply, correct_file, from_environment, project_files, read, source::Source, tighten, user_file,
};
use crate::cli::environment::Environment;
use crate::cli::fault::Fault;

/// All layers but the command line. A file that is no TOML, or has a key that is none, gives one fault and nothing
/// else; a wrong value gives one each.
pub(in crate::cli) fn examine(cwd: &Path, environment: &Environment) -> (Config, Vec<Fault>) {
    let (mut config, mut faults) = (Config::default(), Vec::new());
    let user = user_file(environment).map(|file| Source::User(Arc::new(file), 0));
    let project = project_files(cwd).into_iter().map(|file| Source::Project(Arc::new(file), 0));
    for source in user.into_iter().chain(project) {
        let (Source::User(file, _) | Source::Project(file, _)) = &source else { continue };
        match read(file, &source) {
            Err(fault) => faults.push(fault),
            Ok(settings) => {
                let set = if matches!(source, Source::User(..)) { apply::set } else { tighten::set };
                let wrong = settings.iter().filter_map(|setting| set(&mut config, setting).err());
                faults.extend(wrong.map(|wrong| correct_file(&wrong)));
            }
        }
    }
    let variable = |wrong| Fault::usage(wrong, "correct or unset the variable");
    match from_environment(environment) {
        Err(wrong) => faults.push(variable(wrong)),
        Ok(settings) => {
            let wrong = settings.iter().filter_map(|setting| apply::set(&mut config, setting).err());
            faults.extend(wrong.map(variable));
        }
    }
    (config, faults)
}
