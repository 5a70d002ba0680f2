//! `verify`: what a session file or an attestation proves to someone who has only the file and public keys.

mod attestation;

use std::path::Path;

use crate::cli::outcome::say;
use crate::cli::sessions::place::now;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::runtime::SessionStore;
use crate::runtime::signing::{NotSigned, signer};
use crate::runtime::store::checked;
use crate::session::exporting::attestation::read;
use crate::session::exporting::{came_along, is_ahead, unchecked, went_back};
use crate::ui::text::counted;
use crate::wire::record::{Audit, Links, Seal, seals};

/// Seals that are verified, each by a process of its own: the last ones, which cover the most.
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
    let (told, is_proved) = judged(&audit, &seals(&bytes), &|seal| verified(seal, allowed));
    let text: String = told.iter().map(|line| one_line(line) + "\n").collect();
    say(&text)?;
    Ok(if is_proved { Exit::Completed } else { Exit::Failed })
}

/// What there is to say, line by line, and whether all of it holds and somebody has sealed it.
fn judged(
    audit: &Audit,
    seals: &[Seal],
    verify: &dyn Fn(&Seal) -> Result<String, NotSigned>,
) -> (Vec<String>, bool) {
    let mut told: Vec<String> = audit.faults.iter().take(MOST_FAULTS).map(ToString::to_string).collect();
    let (mut sealed, mut is_good, mut nobody) = (None, audit.faults.is_empty(), "nobody");
    let (unchecked, checked) = seals.split_at(seals.len().saturating_sub(MOST_SEALS));
    if let (Some(_), Some(first)) = (unchecked.first(), checked.first()) {
        told.push(format!(
            "not checked: {} before line {}; only the last {MOST_SEALS} are, and each covers all lines before it",
            counted(unchecked.len() as u64, "seal"),
            first.line
        ));
    }
    for seal in checked {
        match verify(seal) {
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
            // Anybody can add one, a colleague too: it neither proves anything nor takes away what others
            // prove.
            Err(NotSigned::Unknown(why)) => {
                told.push(format!("line {}: this seal is not counted: {why}", seal.line));
                nobody = "nobody of the allowed signers";
            }
            Err(NotSigned::Wrong(why)) => {
                told.push(format!("line {}: the seal does not hold: {why}", seal.line));
                is_good = false;
            }
        }
    }
    told.extend(incomplete(audit));
    let lines = audit.chained + audit.unchained;
    let after = sealed.map_or(lines, |line| lines.saturating_sub(line as u64));
    told.push(match (is_good, sealed) {
        (true, Some(_)) if after == 0 => "verified: all lines are sealed".to_owned(),
        (true, Some(_)) if after == 1 => format!("verified, except the last line, which {nobody} has sealed"),
        (true, Some(_)) => format!("verified, except the last {after} lines, which {nobody} has sealed"),
        (true, None) if audit.head.is_none() => {
            format!("not proved: the file has no hashes, and {nobody} has sealed it")
        }
        (true, None) => format!("not proved: the chain holds, but {nobody} has sealed it"),
        (false, _) => "not verified: something above does not hold".to_owned(),
    });
    (told, is_good && sealed.is_some())
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
    told.extend(unchecked(audit));
    told.extend(came_along(audit.imported_to));
    told.extend(went_back(audit.earlier));
    told.extend(is_ahead(audit.latest, now()));
    if let Some(torn) = &audit.torn_tail {
        told.push(format!(
            "line {}: incomplete, {} bytes; it is not part of what is verified",
            torn.line, torn.bytes
        ));
    }
    told
}

fn verified(seal: &Seal, allowed: &Path) -> Result<String, NotSigned> {
    if !seal.fits {
        return Err(NotSigned::Wrong("it is for another hash than that of the line before".to_owned()));
    }
    signer(allowed, &seal.signature, &seal.head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed_at(line: usize) -> Seal {
        let (at, head, signature) = ("then".to_owned(), "hash".to_owned(), "signature".to_owned());
        Seal { line, at, head, signature, fits: true }
    }

    /// A session whose lines are sealed one by one, and the seals that are verified of it.
    fn told_of(seals: usize) -> (Vec<String>, bool, Vec<usize>) {
        let audit = Audit { chained: seals as u64 + 1, head: Some("hash".to_owned()), ..Audit::default() };
        let all: Vec<Seal> = (2..seals + 2).map(sealed_at).collect();
        let checked = std::cell::RefCell::new(Vec::new());
        let (told, is_proved) = judged(&audit, &all, &|seal| {
            checked.borrow_mut().push(seal.line);
            Ok("you".to_owned())
        });
        (told, is_proved, checked.into_inner())
    }

    #[test]
    fn of_many_seals_the_last_ones_are_verified() {
        let (told, is_proved, checked) = told_of(MOST_SEALS + 50);
        assert!(is_proved && checked == (52..152).collect::<Vec<_>>(), "{checked:?}");
        assert!(
            told[0].starts_with("not checked: 50 seals before line 52; only the last 100"),
            "{}",
            told[0]
        );
        assert_eq!(told.last().unwrap(), "verified: all lines are sealed");
        let (told, is_proved, checked) = told_of(MOST_SEALS);
        assert!(is_proved && checked.len() == MOST_SEALS && told[0].starts_with("line 2: "), "{}", told[0]);
        // One line more than the last seal covers.
        let audit = Audit { chained: 3, head: Some("hash".to_owned()), ..Audit::default() };
        let (told, is_proved) = judged(&audit, &[sealed_at(2)], &|_| Ok("you".to_owned()));
        assert!(is_proved && told.last().unwrap().contains("except the last line, which nobody has sealed"));
        let (told, is_proved) = judged(&audit, &[sealed_at(2)], &|_| wrong());
        assert!(!is_proved && told.last().unwrap().starts_with("not verified"), "{told:?}");
    }

    fn wrong() -> Result<String, NotSigned> {
        Err(NotSigned::Wrong("no".to_owned()))
    }

    #[test]
    fn a_seal_of_a_stranger_spoils_no_other() {
        let audit = Audit { chained: 3, head: Some("hash".to_owned()), ..Audit::default() };
        let seals = [sealed_at(2), sealed_at(3)];
        let stranger = || Err(NotSigned::Unknown("who?".to_owned()));
        let of = |mine: usize, other: &dyn Fn() -> Result<String, NotSigned>| {
            let by = |seal: &Seal| if seal.line == mine { Ok("you".to_owned()) } else { other() };
            let (told, is_proved) = judged(&audit, &seals, &by);
            (told.last().cloned().unwrap_or_default(), is_proved)
        };
        let all = ("verified: all lines are sealed".to_owned(), true);
        assert_eq!(of(3, &stranger), all, "it is among the lines that are sealed");
        let most = "verified, except the last line, which nobody of the allowed signers has sealed";
        assert_eq!(of(2, &stranger), (most.to_owned(), true));
        let none = "not proved: the chain holds, but nobody of the allowed signers has sealed it";
        assert_eq!(of(9, &stranger), (none.to_owned(), false));
        assert!(!of(3, &wrong).1, "a wrong signature of somebody whom the reader knows");
    }
}
