//! `config init`: writes the file that explains every key.

use std::{
    fs::{DirBuilder, OpenOptions},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use super::user_file;
use crate::config::environment::Environment;
use crate::config::fault::Fault;

/// The documented example.
pub const EXAMPLE: &str = include_str!("../../assets/config.example.toml");

/// Writes the example to the user's path and returns the path.
///
/// # Errors
/// When there is a file already, no home, or no permission.
pub fn init(environment: &Environment) -> Result<PathBuf, Fault> {
    let Some(file) = user_file(environment) else {
        return Err(Fault::usage(
            "there is no home folder for the configuration",
            "set HOME or XDG_CONFIG_HOME",
        ));
    };
    match write_new(&file) {
        Ok(()) => Ok(file),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(Fault::usage(
            format!("{} already exists and was not changed", file.display()),
            "edit it, or move it away first",
        )),
        Err(error) => Err(Fault::failed(
            format!("cannot write {}: {error}", file.display()),
            "check the permissions of its folder",
        )),
    }
}

fn write_new(file: &Path) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        private_folder(folder)?;
    }
    OpenOptions::new().write(true).create_new(true).open(file)?.write_all(EXAMPLE.as_bytes())
}

/// Makes a folder, and those above it, for nobody but the user.
pub(crate) fn private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, sync::Arc};

    use super::*;
    use crate::config::key::{KeyRow, rows};
    use crate::config::{Config, Source, apply, setting};

    /// Lines that begin with `#` and no space are keys.
    fn uncommented() -> String {
        let lines = EXAMPLE.lines().map(|line| match line.strip_prefix('#') {
            Some(rest) if !rest.starts_with(' ') && !rest.is_empty() => rest,
            _ => line,
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_example_and_the_code_have_the_same_keys() {
        let source = Source::User(Arc::new("example".into()), 0);
        let settings = setting::of_text(&uncommented(), &source).unwrap();
        let mut config = Config::default();
        for setting in &settings {
            apply::set(&mut config, setting).unwrap();
        }
        let written: BTreeSet<String> =
            settings.iter().map(|s| format!("{:?}", (s.row, s.names.len()))).collect();
        for (name, row) in rows().flat_map(|row: &KeyRow| row.paths().map(move |path| (path, row))) {
            let wanted = format!("{:?}", (row, name.matches('*').count()));
            assert!(written.contains(&wanted), "{name} is not in assets/config.example.toml");
            let last = name.rsplit('.').next().unwrap();
            let is_there = |line: &str| line.trim_start_matches('#').starts_with(&format!("{last} ="));
            assert!(last == "*" || EXAMPLE.lines().any(is_there), "{name} has no line of its own");
        }
    }

    #[test]
    fn as_it_comes_the_example_sets_nothing() {
        assert!(toml::de::DeTable::parse(EXAMPLE).unwrap().get_ref().is_empty());
    }

    #[test]
    fn the_defaults_that_the_example_states_are_the_codes() {
        let example = setting::of_text(&uncommented(), &Source::Default).unwrap();
        let stated = |path: &str| example.iter().find(|s| s.path == path).map(|s| s.value.clone()).unwrap();
        let shown = Config::default().show();
        for line in shown.lines().filter(|line| !line.starts_with('#') && !line.contains("= []")) {
            let (path, _) = line.split_once(" = ").unwrap();
            let real = setting::of_text(line, &Source::Default).unwrap();
            assert_eq!(stated(path), real[0].value, "{path}");
        }
    }
}
