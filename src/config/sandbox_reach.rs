//! What the user says about the sandbox: what commands in it reach, and where they write.

use super::spelling::{listed, quoted};
use super::value::Written;
use crate::tool::NamedHost;

/// What the user says about the sandbox, beside what always holds in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SandboxReach {
    /// Whether a line that only reads, and only in the workspace, runs in it without a question.
    pub reads: bool,
    /// What commands in it may reach.
    pub network: SandboxNetwork,
    /// Folders beside the workspace in which they may write: absolute, or from `~/` on.
    pub writable: Vec<String>,
    /// Files and folders beside the secrets that are known which they cannot read: the same.
    pub hidden: Vec<String>,
}

/// What commands in the sandbox may reach.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SandboxNetwork {
    /// Nobody, not even this machine.
    #[default]
    Nobody,
    /// These hosts, through a proxy.
    Hosts(Vec<NamedHost>),
    /// Everybody, loopback included.
    Everybody,
}

impl SandboxNetwork {
    pub(super) fn read(value: &Written) -> Result<Self, String> {
        // A command line gives a text.
        let switch = value.switch().ok().or_else(|| value.text().ok()?.parse().ok());
        match switch {
            Some(true) => Ok(Self::Everybody),
            Some(false) => Ok(Self::Nobody),
            None => {
                let hosts = value.texts().map_err(|_kind| {
                    format!(
                        "must be true, false or hosts, as in [\"packages.example\"], not {}",
                        value.shown()
                    )
                })?;
                hosts.into_iter().map(NamedHost::parse).collect::<Result<_, _>>().map(Self::Hosts)
            }
        }
    }

    pub(super) fn shown(&self) -> String {
        match self {
            Self::Nobody => "false".to_owned(),
            Self::Hosts(hosts) => listed(hosts.iter().map(|host| quoted(&host.to_string()))),
            Self::Everybody => "true".to_owned(),
        }
    }

    pub(super) fn lies_in(&self, before: &Self) -> bool {
        match (self, before) {
            (Self::Nobody, _) | (_, Self::Everybody) => true,
            (Self::Hosts(hosts), Self::Hosts(known)) => {
                hosts.iter().all(|host| known.iter().any(|other| host.lies_in(other)))
            }
            // A list of none opens nothing; what is asked for in vain is named.
            (Self::Hosts(hosts), Self::Nobody) => hosts.is_empty(),
            (Self::Everybody, _) => false,
        }
    }

    /// The hosts, if it is a list of them.
    pub fn hosts(&self) -> Option<&[NamedHost]> {
        match self {
            Self::Hosts(hosts) => Some(hosts),
            Self::Nobody | Self::Everybody => None,
        }
    }

    /// Whether it is everybody.
    pub fn is_open(&self) -> bool {
        *self == Self::Everybody
    }
}
