//! What a command that starts now finds in the sandbox: what is covered, and the way to the hosts that it may reach.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::tool::NamedHost;

use super::proxy::socket;
use super::{Confined, Confinement, Proxy, Sandbox};

/// Made for one command, just before it starts.
#[derive(Debug, Default)]
pub(in crate::runtime) struct Surroundings {
    /// Over what empty files and folders are laid.
    pub(in crate::runtime) covered: Vec<PathBuf>,
    /// What is hidden beside the workspace; `None`: nobody has looked yet, so it is looked for when the command is made.
    pub(in crate::runtime) hidden: Option<Vec<PathBuf>>,
    /// Its way to some hosts; it lasts as long as this.
    pub(in crate::runtime) proxy: Option<Proxy>,
}

impl Sandbox {
    /// The way of one command to the hosts of the configuration and to these; `None` where there is no list of hosts, or this
    /// machine cannot hold a command to one.
    ///
    /// # Errors
    /// In words, when it cannot be set up.
    pub(in crate::runtime) fn way_out(&self, opened: &[NamedHost]) -> Result<Option<Proxy>, String> {
        if self.confinement.network || (self.hosts.is_none() && opened.is_empty()) {
            return Ok(None);
        }
        if self.cannot_filter().is_some() {
            return Ok(None);
        }
        let hosts = self.hosts.iter().flatten().chain(opened).cloned().collect();
        let failed = |why: std::io::Error| format!("the way to the allowed hosts could not be set up: {why}");
        Proxy::start(hosts).map(Some).map_err(failed)
    }

    /// Whether there is a list of hosts.
    pub fn names_hosts(&self) -> bool {
        self.hosts.is_some()
    }

    /// Why commands cannot be held to some hosts on this machine, in a sentence; found out by really doing it, once. They have
    /// no network then.
    pub fn cannot_filter(&self) -> Option<&str> {
        self.own_network.get_or_init(|| self.try_own_network()).as_ref().err().map(String::as_str)
    }

    fn try_own_network(&self) -> Result<(), String> {
        let failed = |why: std::io::Error| format!("it could not be tested: {why}");
        if cfg!(not(target_os = "linux")) {
            return Err("the sandbox of this system cannot hold commands to some hosts".to_owned());
        }
        let folder = tempfile::Builder::new().prefix("countersign-").tempdir().map_err(failed)?;
        let place = socket(folder.path());
        // Whoever connects is kept until somebody listens, and nobody needs to.
        let _listener = std::os::unix::net::UnixListener::bind(&place).map_err(failed)?;
        let confinement = Confinement {
            proxy: Some(place),
            may_be_weaker: self.confinement.may_be_weaker,
            ..Confinement::of_workspace(folder.path(), Vec::new())
        };
        let mut child = Command::new(&self.ourselves);
        let ended = child.args(Confined { confinement, command: vec!["true".into()] }.words());
        let ended = ended.stdin(Stdio::null()).output().map_err(failed)?;
        if ended.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&ended.stderr);
        let said = said.lines().next().unwrap_or("its network was not set up");
        Err(said.trim_start_matches("countersign: the command was not started: ").to_owned())
    }
}
