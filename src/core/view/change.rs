//! Changes of a session in words: the same for the screen, lines, transcripts and the inspector.

use crate::ledger::{Change, Effort, Escrow, EscrowSettlement, Limit, MicroDollars, Unit};

/// What changed, in a word or two: the heading of [`words`].
pub fn heading(change: &Change) -> &'static str {
    match change {
        Change::Budget { .. } => "budget",
        Change::PriceAccepted { .. } => "price",
        Change::Model { .. } => "model",
        Change::Effort { .. } => "effort",
        Change::Seed { .. } => "seed",
        Change::Mode { .. } => "mode",
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
        Change::EscrowReserved(escrow) if escrow.is_elsewhere() => "another agent",
        Change::EscrowReserved(_) | Change::EscrowSettled(_) => "sub-agent",
        Change::SubagentStarted { .. } | Change::SubagentWaits { .. } => "sub-agent",
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
        Change::Seed { seed } => format!("requests carry the seed {seed}"),
        Change::Mode { mode, resumed } => {
            let how = if *resumed { "the session is resumed in it: " } else { "" };
            format!("{mode}: {how}{}", mode.allows())
        }
        Change::GrantRevoked { call } => {
            format!("what you granted with {call} needs approval again in this session")
        }
        Change::BackgroundStopped { id, .. } => format!("the background command {id}, by you"),
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
            // In older sessions each is a whole sentence.
            format!("commands run in the sandbox, although it cannot hide everything: {}", gaps.join("; "))
        }
        Change::Sealed { head, .. } => format!("all before this is signed; its hash is {head}"),
        Change::GapsRefused => "what the sandbox cannot hide is asked about again".to_owned(),
        Change::HostOpened { host } => format!("commands in the sandbox may reach {host} in this session"),
        Change::HostClosed { host } => format!("commands in the sandbox cannot reach {host} any more"),
        Change::FilesRestored(done) => done.words(),
        Change::EscrowReserved(escrow) => set_aside(escrow),
        Change::EscrowSettled(settled) => spent(settled),
        Change::SubagentStarted { call } => format!("the sub-agent of {call} starts"),
        Change::SubagentWaits { call, waits: true } => format!("the sub-agent of {call} waits for you"),
        Change::SubagentWaits { call, waits: false } => {
            format!("the sub-agent of {call} waits for you no longer")
        }
    }
}

/// What is set aside, a limit after the other.
fn set_aside(escrow: &Escrow) -> String {
    // Time passes for all at once: nobody has less of it, so it is no part of a sum.
    let (time, parts): (Vec<_>, Vec<_>) =
        escrow.limits.iter().partition(|(limit, _)| **limit == Limit::WallTime);
    let parts: Vec<String> = parts.into_iter().map(|(limit, most)| amount(*limit, *most)).collect();
    let time = time.first().map(|(_, most)| format!("at most {most} s"));
    let set_aside = match (parts.is_empty(), time) {
        (true, None) => "nothing is limited".to_owned(),
        (true, Some(time)) => format!("nothing; {time}"),
        (false, None) => parts.join(", "),
        (false, Some(time)) => format!("{}; {time}", parts.join(", ")),
    };
    let waits = if escrow.waits { "; it starts when another one has ended" } else { "" };
    format!("set aside for {}: {set_aside}{waits}", escrow.call)
}

fn spent(settled: &EscrowSettlement) -> String {
    format!("{} {}", settled.call, how_it_ended(settled))
}

/// After whatever names the sub-agent: where its task stands, and what it has spent.
pub(super) fn how_it_ended(settled: &EscrowSettlement) -> String {
    let EscrowSettlement { spent, is_assumed, state, .. } = settled;
    let cost = spent.usage.cost.map(|cost| format!(", {cost}")).unwrap_or_default();
    let words = format!(
        "is {}: {}, {}, {} tokens{cost}",
        state.words(),
        counted(spent.turns, "turn"),
        counted(spent.tool_calls, "call"),
        spent.usage.input.saturating_add(spent.usage.output)
    );
    match is_assumed {
        true => format!("{words} (all that was set aside, since the real cost is not known)"),
        false => format!("{words}; the rest of what was set aside is free again"),
    }
}

fn amount(limit: Limit, most: u64) -> String {
    match limit.unit() {
        Unit::Things(one) => counted(most, one),
        Unit::Tokens => format!("{most} {} tokens", limit.row().label),
        Unit::Seconds => format!("{most} s"),
        Unit::MicroDollars => MicroDollars(most).to_string(),
    }
}

fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Why no model reads the entry.
pub(super) fn why_not_sent(change: &Change) -> &'static str {
    match change {
        Change::Budget { .. } | Change::PriceAccepted { .. } => "a limit of the loop",
        Change::Model { .. } | Change::Effort { .. } => "which model is used from here on",
        Change::Seed { .. } => "a member of the request, and no message",
        Change::Mode { .. } => "a change by you is sent before your next message",
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
        Change::EscrowReserved(_) | Change::EscrowSettled(_) => "what a sub-agent may spend, and has spent",
        Change::SubagentStarted { .. } => "when a sub-agent starts, for people",
        Change::SubagentWaits { .. } => "the clock of the run stands while a person is waited for",
        Change::FilesRestored(_) => "sent in a message before the next turn",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_accepted_reads_well_also_where_it_is_a_sentence() {
        for gap in
            [".env (/w/.env)", "the sandbox cannot hide .env here, so commands could read it (/w/.env)"]
        {
            let said = words(&Change::GapsAccepted { gaps: vec![gap.to_owned()], call: None });
            assert!(said.ends_with(&format!(": {gap}")), "{said}");
        }
    }
}
