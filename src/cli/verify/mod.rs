//! `verify`: what a session file or an attestation proves to someone who has only the file and public keys.

mod attestation;

use std::path::Path;

use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::runtime::SessionStore;
use crate::runtime::signing::signer;
use crate::runtime::store::checked;
use crate::session::exporting::attestation::read;
use crate::ui::text::counted;
use crate::wire::record::{Audit, Links, Seal, seals};

/// Seals that are verified, each by a process of its own.
const MOST_SEALS: usize = 100;
/// Faults that are listed.
const MOST_FAULTS: usize = 20;

/// Verifies the chain, the ledger and each seal; exit 0 if all of it holds and there is a seal, else 1.
pub(super) fn run(file: &Path, allowed: &Path) -> Result<Exit, Fault> {
    if !allowed.is_file() {
        return Err(Fault::usage(
            format!("{} is not a file", allowed.display()),
            "name a file of allowed signers: lines such as `you@example.org ssh-ed25519 AAAA…`",
        ));
    }
    let bytes = SessionStore::bytes(file).map_err(|why| Fault::usage(why, "name a session file"))?;
    if let Some(envelope) = read(&bytes) {
        let (told, is_proved) = attestation::verified(file, &envelope, allowed);
        say(&told)?;
        return Ok(if is_proved { Exit::Completed } else { Exit::Failed });
    }
    let (audit, _) = checked(&bytes, Links::default());
    let mut told: Vec<String> = audit.faults.iter().take(MOST_FAULTS).map(ToString::to_string).collect();
    let seals = seals(&bytes, MOST_SEALS + 1);
    let (mut sealed, mut is_good) = (None, audit.faults.is_empty());
    for seal in seals.iter().take(MOST_SEALS) {
        match verified(seal, allowed) {
            Ok(name) if audit.faults.iter().any(|fault| fault.line <= seal.line) => {
                told.push(format!(
                    "line {}: the signature of {name} holds, but what it covers was changed",
                    seal.line
                ));
            }
            Ok(name) => {
                told.push(format!(
                    "line {}: {name} sealed lines 1 to {} (at {}, says the file; a seal does not prove when)",
                    seal.line,
                    seal.line - 1,
                    seal.at
                ));
                sealed = Some(seal.line);
            }
            Err(why) => {
                told.push(format!("line {}: the seal does not hold: {why}", seal.line));
                is_good = false;
            }
        }
    }
    if seals.len() > MOST_SEALS {
        told.push(format!("only the first {MOST_SEALS} seals were verified"));
    }
    told.extend(incomplete(&audit));
    let lines = audit.chained + audit.unchained;
    let after = sealed.map_or(lines, |line| lines.saturating_sub(line as u64));
    told.push(match (is_good, sealed) {
        (true, Some(_)) if after == 0 => "verified: all lines are sealed".to_owned(),
        (true, Some(_)) if after == 1 => "verified, except the last line, which nobody has sealed".to_owned(),
        (true, Some(_)) => format!("verified, except the last {after} lines, which nobody has sealed"),
        (true, None) if audit.head.is_none() => {
            "not proved: the file has no hashes, and nobody has sealed it".to_owned()
        }
        (true, None) => "not proved: the chain holds, but nobody has sealed it".to_owned(),
        (false, _) => "not verified: something above does not hold".to_owned(),
    });
    let text: String = told.iter().map(|line| one_line(line) + "\n").collect();
    say(&text)?;
    Ok(if is_good && sealed.is_some() { Exit::Completed } else { Exit::Failed })
}

/// What is not part of what was verified.
fn incomplete(audit: &Audit) -> Vec<String> {
    let mut told = Vec::new();
    if audit.unchained > 0 && audit.head.is_some() {
        told.push(format!(
            "lines 1 to {}: without hashes, as an older version or a copy has them; what they said before the next line was written is \
             not proved",
            audit.unchained
        ));
    }
    if audit.redacted > 0 {
        told.push(format!(
            "left out: {}; {} in the chain",
            counted(audit.redacted, "field"),
            if audit.redacted == 1 { "its hash is" } else { "their hashes are" }
        ));
    }
    if audit.calls_left_out {
        told.push("calls and receipts: not checked, since this copy leaves them out".to_owned());
    }
    if let Some(torn) = &audit.torn_tail {
        told.push(format!(
            "line {}: incomplete, {} bytes; it is not part of what is verified",
            torn.line, torn.bytes
        ));
    }
    told
}

fn verified(seal: &Seal, allowed: &Path) -> Result<String, String> {
    if !seal.fits {
        return Err("it is for another hash than that of the line before".to_owned());
    }
    signer(allowed, &seal.signature, &seal.head)
}
