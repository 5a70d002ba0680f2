//! Hosts that people opened to commands in the sandbox: a command may reach those that are in the log before it starts.

use std::collections::BTreeSet;

use countersign::ledger::Change;
use countersign::tool::Invocation;

/// Those that are open.
#[derive(Default, Clone)]
pub struct OpenHosts(BTreeSet<String>);

impl OpenHosts {
    /// Each is opened once, and closed only when it is open.
    pub fn change(&mut self, change: &Change) -> Result<(), String> {
        match change {
            Change::HostOpened { host } if !self.0.insert(host.clone()) => {
                Err(format!("{host} is opened twice"))
            }
            Change::HostClosed { host } if !self.0.remove(host) => Err(format!("{host} was not open")),
            _ => Ok(()),
        }
    }

    /// A call starts with these and no others.
    pub fn start(&self, call: &Invocation) -> Result<(), String> {
        let given: BTreeSet<String> = call.hosts.iter().map(ToString::to_string).collect();
        if given == self.0 {
            Ok(())
        } else {
            Err(format!("{} may reach {given:?}, and open are {:?}", call.call, self.0))
        }
    }
}
