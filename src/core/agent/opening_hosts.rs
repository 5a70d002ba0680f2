//! A person opens a host to the commands in the sandbox for the rest of the session, or closes it again. The ledger says so
//! before a command can reach it.

use crate::ledger::{Change, Remark, opened_hosts};
use crate::tool::NamedHost;

use super::step::Step;
use super::{Agent, Live};

/// Most hosts of a session: each is looked at for each connection.
const MOST: usize = 64;

impl Agent {
    /// Commands that start from now on may reach it.
    pub(super) fn open_host(&mut self, step: &mut Step, text: &str) {
        match self.openable(text) {
            Ok(host) => {
                let opened = Change::HostOpened { host: host.to_string() };
                self.history.ledger.remark(step.now, Remark::Change(opened));
                self.hosts.push(host);
            }
            Err(why) => step.emit(Live::Refused(format!("not allowed: {why}"))),
        }
    }

    fn openable(&self, text: &str) -> Result<NamedHost, String> {
        let host = NamedHost::parse(text).map_err(|why| format!("these {why}"))?;
        if self.history.ledger.entries().is_empty() {
            return Err("send a message first".to_owned());
        }
        if self.hosts.contains(&host) {
            return Err(format!("{host} is allowed already"));
        }
        if self.hosts.len() >= MOST {
            return Err(format!("a session can have {MOST} hosts; name them in tools.sandbox.network"));
        }
        Ok(host)
    }

    /// Commands that start from now on cannot reach it.
    pub(super) fn close_host(&mut self, step: &mut Step, text: &str) {
        let known = NamedHost::parse(text).ok().filter(|host| self.hosts.contains(host));
        let Some(host) = known else {
            let why =
                "not revoked: this host is not allowed for this session; /permissions lists those that are";
            return step.emit(Live::Refused(why.to_owned()));
        };
        let closed = Change::HostClosed { host: host.to_string() };
        self.history.ledger.remark(step.now, Remark::Change(closed));
        self.hosts.retain(|one| *one != host);
    }

    /// Those of the session's ledger, when it is resumed.
    pub(super) fn hosts_of_the_ledger(&self) -> Vec<NamedHost> {
        let opened = opened_hosts(self.history.ledger.entries().iter().map(AsRef::as_ref));
        opened.into_iter().filter_map(|host| NamedHost::parse(host).ok()).collect()
    }
}
