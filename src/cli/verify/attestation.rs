//! What an attestation proves: who signed it, and which session file it is about.

use std::fmt::Write as _;
use std::path::Path;

use crate::cli::sessions::place::now;
use crate::config::fault::one_line;
use crate::runtime::SessionStore;
use crate::runtime::signing::signer;
use crate::runtime::store::checked;
use crate::session::exporting::attestation::{
    Attested, Envelope, PAYLOAD_TYPE, attested, sha256, signed_text,
};
use crate::session::exporting::{came_along, ended_here, is_ahead, unchecked, went_back};
use crate::ui::text::counted;
use crate::wire::record::Links;

/// Signatures that are verified.
const MOST_SIGNATURES: usize = 20;
/// Session files that are compared: an attestation of ours is about one, and each is read and checked as a whole.
const MOST_SUBJECTS: usize = 5;

/// What there is to say, and whether it is proved: who signed, and that the session files beside the envelope say the same.
pub(super) fn verified(file: &Path, envelope: &Envelope, allowed: &Path) -> (String, bool) {
    let mut told = String::new();
    // Writing to a string cannot fail.
    let mut say = |line: String| writeln!(told, "{}", one_line(&line)).unwrap_or_default();
    if envelope.kind != PAYLOAD_TYPE {
        say(format!("not verified: the payload is of the type {}, not {PAYLOAD_TYPE}", envelope.kind));
        return (told, false);
    }
    let Some(attested) = attested(&envelope.payload) else {
        say("not verified: this is not an attestation of a session, as countersign writes it".to_owned());
        return (told, false);
    };
    let (mut is_signed, mut is_good) = (false, true);
    for signature in envelope.signatures.iter().take(MOST_SIGNATURES) {
        match signer(allowed, signature, &signed_text(&envelope.kind, &envelope.payload)) {
            Ok(name) => {
                let about = if attested.calls == 1 { "it" } else { "them" };
                let calls = counted(attested.calls as u64, "call");
                say(format!("{name} signed it; it lists {calls} and the decisions about {about}"));
                is_signed = true;
            }
            Err(why) => say(format!("a signature does not hold: {why}")),
        }
    }
    if envelope.signatures.len() > MOST_SIGNATURES {
        say(format!("not checked: the signatures after the first {MOST_SIGNATURES}"));
    }
    if !is_signed {
        say("not verified: nobody whom the file of allowed signers names signed it".to_owned());
        return (told, false);
    }
    if let Some(told) = came_along(attested.imported_to) {
        say(told);
    }
    let mut are_compared = attested.subjects.len() <= MOST_SUBJECTS;
    for (name, digest) in attested.subjects.iter().take(MOST_SUBJECTS) {
        let found = subject(file, &attested, name, digest);
        is_good &= found.is_ok();
        are_compared &= found.as_ref().is_ok_and(|found| found.is_some());
        match found {
            Ok(Some(told)) => told.into_iter().for_each(&mut say),
            Ok(None) => say(format!("it is about {name} with the SHA-256 {digest}, which is not here")),
            Err(why) => say(why),
        }
    }
    if attested.subjects.len() > MOST_SUBJECTS {
        say(format!("not checked: the session files after the first {MOST_SUBJECTS}"));
    }
    say(match (is_good, are_compared) {
        (true, true) => "verified".to_owned(),
        (true, false) => {
            "not proved: the signature holds, but what it says was not compared with the session".to_owned()
        }
        (false, _) => "not verified: something above does not hold".to_owned(),
    });
    (told, is_good && are_compared)
}

/// What there is to say, in lines, of the file that an attestation is about: it is there, with that digest,
/// is well-formed, and says the same, and what of it could not be checked. `Ok(None)`: it is not there.
///
/// # Errors
/// What does not hold.
fn subject(
    file: &Path,
    attested: &Attested,
    name: &str,
    digest: &str,
) -> Result<Option<Vec<String>>, String> {
    let beside = file.with_file_name(name);
    // Only a plain name can stand beside it.
    let is_plain = Path::new(name).file_name().is_some_and(|plain| plain == name);
    if !is_plain || beside.symlink_metadata().is_err() {
        return Ok(None);
    }
    let bytes = SessionStore::bytes(&beside).map_err(|why| format!("{name} cannot be compared: {why}"))?;
    if sha256(&bytes) != digest {
        return Err(format!("{name} is not the file that it is about, or the session was continued since"));
    }
    let (audit, entries) = checked(&bytes, Links::default());
    if let Some(fault) = audit.faults.first() {
        return Err(format!(
            "{name} is the file that it is about, but it is not well-formed: {fault} (`countersign \
             sessions check` lists all)"
        ));
    }
    match attested.difference(&entries, &audit) {
        None => {
            let unsaid = attested.unsaid_origin(&entries, &audit);
            let same = format!("{name} is the file that it is about, and says the same");
            let lacks = unchecked(&audit).into_iter().chain(went_back(audit.earlier));
            let lacks = lacks.chain(is_ahead(audit.latest, now()));
            let lacks = lacks.chain(ended_here(&entries, audit.imported_to));
            Ok(Some(lacks.chain(unsaid).chain([same]).collect()))
        }
        Some(place) => Err(format!("{name} is the file that it is about, but says something else: {place}")),
    }
}
