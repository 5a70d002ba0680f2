//! What a person or the loop changed for the rest of the session. No protocol constrains these entries and no model reads
//! them, so every fold that does not care about one has a single arm for all of them.

use super::{
    CallId, Effort, EntryId, Escrow, EscrowSettlement, FilesRestored, ForeignTool, Limit, Mode, ModelRef,
};

/// Something is different from here on.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// The user raised a limit.
    Budget {
        /// Which.
        limit: Limit,
        /// The new limit, in the limit's own unit (micro-dollars for cost).
        to: u64,
    },
    /// The user accepts what requests of this run cost.
    PriceAccepted {
        /// The most that one may cost from here on, in micro-dollars.
        up_to: u64,
    },
    /// Another model answers.
    Model {
        /// Which.
        model: ModelRef,
        /// Who answered before.
        previous: ModelRef,
    },
    /// The models are to think as hard as this.
    Effort {
        /// The level, as configured; `None`: as each vendor thinks best.
        effort: Option<Effort>,
    },
    /// Requests of the session carry this seed, where the protocol of the model has a field for one.
    Seed {
        /// The seed.
        seed: u64,
    },
    /// Calls are decided in another mode. It says what was so, and nothing is ever allowed because of it: the mode of a session that
    /// is resumed is that of the flags and the configuration.
    Mode {
        /// Which.
        mode: Mode,
        /// The session was resumed in it. Otherwise a person changed it.
        resumed: bool,
    },
    /// A person took back what they had granted for the session with this call, and every other grant of the same.
    GrantRevoked {
        /// The call with which it was granted.
        call: CallId,
    },
    /// A person stops a command that goes on in the background; its end is noted when it comes.
    BackgroundStopped {
        /// `b1`, `b2`, …
        id: String,
        /// The call that began it.
        call: CallId,
    },
    /// The user goes back to before one of their messages: the conversation goes on in another session, which has all that
    /// stands before it. This one stays as it is.
    Rewound {
        /// The message.
        message: EntryId,
        /// The other session.
        branch: String,
    },
    /// The user gives the session a name.
    Renamed {
        /// The name: one line.
        name: String,
    },
    /// The user gives the session tags, or takes some away.
    Tagged {
        /// Those that it has from here on.
        added: Vec<String>,
        /// Those that it does not have any more.
        removed: Vec<String>,
    },
    /// What stands between here and the first turn was said and done in another program.
    Imported {
        /// Which.
        from: ForeignTool,
        /// What the other program calls the session; empty when its file does not say.
        session: String,
    },
    /// A person lets commands in the sandbox reach a host for the rest of the session.
    HostOpened {
        /// The host, as [`crate::tool::NamedHost`] writes it.
        host: String,
    },
    /// A person does not let them any more.
    HostClosed {
        /// The host.
        host: String,
    },
    /// A person accepts what the sandbox cannot hide, for the rest of the session.
    GapsAccepted {
        /// What that is, a part of a list each; in sessions of earlier versions a sentence each.
        gaps: Vec<String>,
        /// The call whose question names them; `None`: all that waited, or the session is of an earlier version.
        call: Option<CallId>,
    },
    /// A person takes back every acceptance.
    GapsRefused,
    /// A person signed all that stands before this.
    Sealed {
        /// The hash of the line before: 64 hexadecimal digits.
        head: String,
        /// The SSH signature of it, armoured.
        signature: String,
    },
    /// The user took back what the agent did to files.
    FilesRestored(FilesRestored),
    /// A sub-agent starts with a part of the session's limits.
    EscrowReserved(Escrow),
    /// One that waited for its turn starts.
    SubagentStarted {
        /// The call that handed the task over.
        call: CallId,
    },
    /// It has ended; what it has not spent is free again.
    EscrowSettled(EscrowSettlement),
    /// A sub-agent waits for a person, or does not any more: the clock of the run stands meanwhile.
    SubagentWaits {
        /// The call that handed the task over.
        call: CallId,
        /// Whether it waits.
        waits: bool,
    },
}

impl Change {
    /// The entry's `type`, as recorded.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Budget { .. } => "budget_raised",
            Self::PriceAccepted { .. } => "price_accepted",
            Self::Model { .. } => "model_changed",
            Self::Effort { .. } => "effort_changed",
            Self::Seed { .. } => "seed_set",
            Self::Mode { .. } => "mode_changed",
            Self::GrantRevoked { .. } => "grant_revoked",
            Self::BackgroundStopped { .. } => "background_stopped",
            Self::Rewound { .. } => "rewound",
            Self::Renamed { .. } => "session_renamed",
            Self::Tagged { .. } => "session_tagged",
            Self::Imported { .. } => "imported",
            Self::Sealed { .. } => "sealed",
            Self::GapsAccepted { .. } => "gaps_accepted",
            Self::GapsRefused => "gaps_refused",
            Self::HostOpened { .. } => "host_allowed",
            Self::HostClosed { .. } => "host_revoked",
            Self::FilesRestored(_) => "files_restored",
            Self::EscrowReserved(_) => "escrow_reserved",
            Self::SubagentStarted { .. } => "subagent_started",
            Self::EscrowSettled(_) => "escrow_settled",
            Self::SubagentWaits { .. } => "subagent_waits",
        }
    }
}
