//! Why a session may not start a sub-agent that is configured, in the words that its model reads.

use super::given_tools::has;
use super::lane::is_lane;
use super::maker::SubagentMaker;
use super::offered::startable;
use crate::config::Config;
use crate::config::subagents::Subagent;
use crate::tool::{Absence, Absent, Absentee, DELEGATE_TO};

/// How deep sub-agents may start others.
const MOST_LEVELS: usize = 2;

/// Why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// It is the one that asks, or stands above it.
    IsAbove,
    /// Others are started one level deep.
    TooDeep,
    /// The definition of the one that asks does not give it this tool.
    NotIts,
    /// There are none at all.
    SwitchedOff,
}

impl Why {
    /// As the loop knows it.
    pub(super) fn absent(self, name: &str) -> Absent {
        let why = match self {
            Self::IsAbove => {
                "already works on the task that this one is a part of, and a task cannot come back to \
                 where it came from"
            }
            Self::TooDeep => "cannot be started here: sub-agents start others one level deep",
            Self::NotIts => "is not one that this sub-agent may start",
            Self::SwitchedOff => {
                "cannot be started: sub-agents are switched off here (agents.max_parallel is 0)"
            }
        };
        let sentence = format!("the sub-agent {name} {why}. Do the work yourself.");
        Absent { who: Absentee::Agent(name.to_owned()), why: Absence::SwitchedOff, sentence }
    }
}

/// Why one below these may not start one of this name.
pub(super) fn why_not(above: &[String], subagent: &Subagent, other: &str) -> Option<Why> {
    if other == subagent.name || above.iter().any(|above| above == other) {
        Some(Why::IsAbove)
    } else if above.len() + 1 >= MOST_LEVELS {
        Some(Why::TooDeep)
    } else {
        let has_it = subagent.tools.is_none() && has(subagent, &format!("{DELEGATE_TO}{other}"));
        (!has_it).then_some(Why::NotIts)
    }
}

impl SubagentMaker {
    /// Those that it may not start, each with the reason.
    pub(super) fn absent(&self, subagent: &Subagent) -> Vec<Absent> {
        let named = startable(&self.config).filter(|other| !is_lane(other));
        let refused = named.filter_map(|other| Some((other, why_not(&self.above, subagent, &other.name)?)));
        refused.map(|(other, why)| why.absent(&other.name)).collect()
    }
}

/// Those that no session here can start, because sub-agents are switched off.
pub(crate) fn switched_off(config: &Config) -> Vec<Absent> {
    let is_off = config.subagents.most_at_once == 0;
    startable(config).filter(|_| is_off).map(|one| Why::SwitchedOff.absent(&one.name)).collect()
}
