//! How commands are started in the sandbox: through which program, under what, and to which hosts.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::confinement::Confinement;
use crate::tool::NamedHost;

/// Whether something can be done here, or why not; tried once.
type Tried = OnceLock<Result<(), String>>;

/// How commands are started in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// The program that knows [`ENTRY`](super::ENTRY): this one.
    pub(super) ourselves: PathBuf,
    pub(super) confinement: Confinement,
    pub(super) covering: Arc<Tried>,
    /// Hosts that its commands may reach, if there is a list of them.
    pub(super) hosts: Option<Vec<NamedHost>>,
    pub(super) own_network: Arc<Tried>,
}

impl Sandbox {
    /// A sandbox entered through `ourselves`, the program whose `main` hands the words after [`ENTRY`](super::ENTRY) to
    /// [`Confined::parse`](super::Confined::parse).
    pub fn new(ourselves: PathBuf, confinement: Confinement) -> Self {
        Self { ourselves, confinement, covering: Arc::default(), hosts: None, own_network: Arc::default() }
    }

    /// The same in which commands may reach these hosts and no others; `None`: as the confinement says.
    #[must_use]
    pub fn reaching(self, hosts: Option<Vec<NamedHost>>) -> Self {
        Self { hosts, ..self }
    }

    /// What holds in it.
    pub fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// The same with or without the network.
    #[must_use]
    pub(in crate::runtime) fn with_network(&self, network: bool) -> Self {
        let confinement = Confinement { network, ..self.confinement.clone() };
        Self { confinement, ..self.clone() }
    }
}
