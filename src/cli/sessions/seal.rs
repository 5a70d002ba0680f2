//! `sessions seal`: a signature of all that a session says up to here.

use std::path::{Path, PathBuf};

use super::args::Pick;
use super::place::{SessionPlace, opened, remark};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::{Body, Change};
use crate::policy::shell::shell_word;
use crate::runtime::signing::{is_in_a_device, sign};
use crate::session::exporting::came_along;

/// Keys that people have, in the order in which they are tried.
const KEYS: [&str; 5] = ["id_ed25519", "id_ed25519_sk", "id_ecdsa", "id_ecdsa_sk", "id_rsa"];

/// Signs the hash of the last line, and adds the signature as a line.
pub(super) fn run(place: &SessionPlace, pick: &Pick, key: Option<&Path>) -> Result<Exit, Fault> {
    let path = place.locate(pick)?;
    let key = signing_key(place, key)?;
    let mut open = opened(&path)?;
    let head = open.store.head().to_owned();
    tell_of_a_touch(&key);
    let signature = sign(&key, &head).map_err(|why| {
        Fault::failed(
            format!("the session cannot be signed with {}: {why}", key.display()),
            "name another key with --key; a public key names one in the agent",
        )
    })?;
    let lines = open.store.lines();
    open.write(Body::Change(Change::Sealed { head: head.clone(), signature }))?;
    if let Some(told) = came_along(open.imported_to) {
        remark(&told);
    }
    say(&format!(
        "{}: lines 1 to {lines} are sealed with {}; the hash that was signed is {head}\n\
         Verify with: countersign verify {} --allowed-signers FILE\n",
        place.name(&path),
        key.display(),
        shell_word(&path.display().to_string())
    ))
}

/// Whoever waits for a touch is told: nothing else is on the screen meanwhile.
pub(super) fn tell_of_a_touch(key: &Path) {
    if is_in_a_device(key) {
        remark("touch the security key when it blinks");
    }
}

/// The key that was named, or the first of those that people have.
///
/// # Errors
/// There is none.
pub(super) fn signing_key(place: &SessionPlace, named: Option<&Path>) -> Result<PathBuf, Fault> {
    match named {
        Some(key) => Ok(place.path(key)),
        None => usual(place.environment.home()),
    }
}

fn usual(home: Option<PathBuf>) -> Result<PathBuf, Fault> {
    let folder = home.unwrap_or_default().join(".ssh");
    let found = KEYS.iter().map(|name| folder.join(name)).find(|key| key.is_file());
    found.ok_or_else(|| {
        Fault::usage(
            format!("there is no SSH key in {}", folder.display()),
            "name one with --key FILE, or make one with `ssh-keygen -t ed25519`",
        )
    })
}
