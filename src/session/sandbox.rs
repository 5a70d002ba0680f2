//! The sandbox of a session, and the hidden beginning of a command in it: this program once more, about to become it.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::config::Invocation;
use crate::config::fault::one_line;
use crate::policy::KeptFiles;
use crate::runtime::sandbox::{Confined, Confinement, ENTRY, Sandbox, Settings, secret_places};

/// As of `env` and `nice` when they could not do what stands before the command.
const COULD_NOT: u8 = 125;

/// When these are the words of a confined command: becomes it. Returns only when that failed, and then nothing of the
/// command has run; `None` when they are a person's.
pub(crate) fn enter(words: &[OsString]) -> Option<ExitCode> {
    let (_, words) = words.split_first()?;
    let (entry, rest) = words.split_first()?;
    if entry != ENTRY {
        return None;
    }
    let why = match Confined::parse(rest.iter().cloned()) {
        Ok(confined) => confined.enter(),
        Err(why) => why,
    };
    // Nobody is left to hear that this could not be written.
    writeln!(std::io::stderr(), "countersign: the command was not started: {}", one_line(&why)).ok();
    Some(COULD_NOT.into())
}

/// Writes in the session's folder; reads without the user's secrets, our own configuration, sessions and keys among
/// them; no network. What the user says under `tools.sandbox` is added.
pub(crate) fn sandbox(invocation: &Invocation) -> Sandbox {
    let Invocation { environment, config, cwd, .. } = invocation;
    let home = environment.home();
    let mut hidden = secret_places(home.as_deref(), |name| environment.text(name).map(PathBuf::from));
    hidden.extend(environment.config_dir());
    hidden.extend(environment.state_dir());
    let key_files = config.providers.values().filter_map(|provider| provider.api_key_file.as_deref());
    let place = |text: &str| match text.strip_prefix("~/") {
        Some(rest) => Some(home.as_ref()?.join(rest)),
        None => Some(PathBuf::from(text)),
    };
    hidden.extend(key_files.filter_map(place));
    hidden.extend(config.sandbox.hidden.iter().filter_map(|text| place(text)));
    let mut confinement = Confinement::of_workspace(cwd, hidden);
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    confinement.settings = Settings::of(&real(cwd), home.as_deref().map(real).as_deref());
    confinement.beside.clone_from(&invocation.parents);
    confinement.kept = KeptFiles::of(config.rules.iter().map(|sourced| &sourced.rule));
    confinement.network = config.sandbox.network.is_open();
    for folder in config.sandbox.writable.iter().filter_map(|text| place(text)) {
        confinement.opens(&folder);
    }
    let hosts = config.sandbox.network.hosts().map(<[_]>::to_vec);
    Sandbox::new(ourselves(), confinement).reaching(hosts)
}

/// This program, also after an update has put another in its place.
pub(crate) fn ourselves() -> PathBuf {
    let running = Path::new("/proc/self/exe");
    if running.exists() { running.to_owned() } else { std::env::current_exe().unwrap_or_default() }
}
