//! Changes of a session in words: the same for the screen, lines, transcripts and the inspector.

use crate::ledger::{Change, Effort, MicroDollars};

/// What changed, in a word or two: the heading of [`words`].
pub fn heading(change: &Change) -> &'static str {
    match change {
        Change::Budget { .. } => "budget",
        Change::PriceAccepted { .. } => "price",
        Change::Model { .. } => "model",
        Change::Effort { .. } => "effort",
        Change::GrantRevoked { .. } => "revoked",
        Change::BackgroundStopped { .. } => "stopped",
        Change::Rewound { .. } => "rewound",
        Change::Renamed { .. } => "renamed",
        Change::Tagged { .. } => "tagged",
        Change::Imported { .. } => "imported",
        Change::GapsAccepted { .. } => "accepted",
        Change::Sealed { .. } => "sealed",
        Change::HostOpened { .. } => "host",
        Change::HostClosed { .. } | Change::GapsRefused => "revoked",
        Change::FilesRestored(_) => "undone",
    }
}

/// How it is from here on, in one line.
pub fn words(change: &Change) -> String {
    match change {
        Change::Budget { limit, to } => format!("{} is now {to}", limit.name()),
        Change::PriceAccepted { up_to } => {
            format!("requests of this run may cost up to {} each", MicroDollars(*up_to))
        }
        Change::Model { model, previous } => format!("{model} instead of {previous}"),
        Change::Effort { effort } => effort.map_or("the vendor's default", Effort::as_str).to_owned(),
        Change::GrantRevoked { call } => {
            format!("what you granted for this session with {call} needs approval again")
        }
        Change::BackgroundStopped { id, .. } => format!("you end the background command {id}"),
        Change::Rewound { message, branch } => {
            format!("to before {message}: the conversation goes on in the session {branch}")
        }
        Change::Renamed { name } => format!("this session is now called {name}"),
        Change::Tagged { added, removed } => {
            let added = added.iter().map(|tag| format!("+{tag}"));
            let all: Vec<String> = added.chain(removed.iter().map(|tag| format!("-{tag}"))).collect();
            format!("tags of this session: {}", all.join(" "))
        }
        Change::Imported { from, .. } => {
            format!("what follows was said and done in {}; nobody here decided about it", from.name())
        }
        Change::GapsAccepted { gaps, .. } => {
            format!("commands run in the sandbox although {}", gaps.join("; "))
        }
        Change::Sealed { head, .. } => format!("all before this is signed; its hash is {head}"),
        Change::GapsRefused => "what the sandbox cannot hide is asked about again".to_owned(),
        Change::HostOpened { host } => format!("commands in the sandbox may reach {host} in this session"),
        Change::HostClosed { host } => format!("commands in the sandbox cannot reach {host} any more"),
        Change::FilesRestored(done) => done.words(),
    }
}

/// Why no model reads the entry.
pub(super) fn why_not_sent(change: &Change) -> &'static str {
    match change {
        Change::Budget { .. } | Change::PriceAccepted { .. } => "a limit of the loop",
        Change::Model { .. } | Change::Effort { .. } => "which model is used from here on",
        Change::GrantRevoked { .. } => "a decision about a call",
        Change::HostOpened { .. }
        | Change::HostClosed { .. }
        | Change::GapsAccepted { .. }
        | Change::GapsRefused => "a decision about the sandbox",
        Change::BackgroundStopped { .. } => "its end is sent in a message before the next turn",
        Change::Rewound { .. } => "the conversation goes on elsewhere",
        Change::Renamed { .. } | Change::Tagged { .. } => "a name for people",
        Change::Imported { .. } => "where the session comes from",
        Change::Sealed { .. } => "a signature for people",
        Change::FilesRestored(_) => "sent in a message before the next turn",
    }
}
