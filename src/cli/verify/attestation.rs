//! What an attestation proves: who signed it, and which session file it is about.

use std::fmt::Write as _;
use std::path::Path;

use crate::config::fault::one_line;
use crate::runtime::SessionStore;
use crate::runtime::signing::signer;
use crate::runtime::store::checked;
use crate::session::exporting::attestation::{
    Attested, Envelope, PAYLOAD_TYPE, attested, sha256, signed_text,
};
use crate::session::exporting::came_along;
use crate::ui::text::counted;
use crate::wire::record::Links;

/// Signatures that are verified.
const MOST_SIGNATURES: usize = 20;

/// What there is to say, and whether it is proved. A session file beside the envelope, with the name of a subject, must have its digest.
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
    if let Some(told) = came_along(attested.imported_to) {
        say(told);
    }
    let mut are_here = true;
    for (name, digest) in &attested.subjects {
        let found = subject(file, &attested, name, digest);
        is_good &= found.is_ok();
        are_here &= found.as_ref().is_ok_and(|found| found.is_some());
        say(match found {
            Ok(Some(told)) | Err(told) => told,
            Ok(None) => format!("it is about {name} with the SHA-256 {digest}, which is not here"),
        });
    }
    let is_proved = is_signed && is_good;
    say(if is_proved && are_here {
        "verified".to_owned()
    } else if is_proved {
        "verified who signed it; what it says was not compared with the session".to_owned()
    } else {
        "not verified: something above does not hold".to_owned()
    });
    (told, is_proved)
}

/// What there is to say of the file that an attestation is about: it is there, with that digest, is well-formed, and says the same.
/// `Ok(None)`: it is not there.
///
/// # Errors
/// What does not hold.
fn subject(file: &Path, attested: &Attested, name: &str, digest: &str) -> Result<Option<String>, String> {
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
        None => Ok(Some(format!("{name} is the file that it is about, and says the same"))),
        Some(place) => Err(format!("{name} is the file that it is about, but says something else: {place}")),
    }
}
