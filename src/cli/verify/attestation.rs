//! What an attestation proves: who signed it, and which session file it is about.

use std::fmt::Write as _;
use std::path::Path;

use crate::config::fault::one_line;
use crate::runtime::signing::signer;
use crate::session::exporting::attestation::{Envelope, PAYLOAD_TYPE, about, sha256, signed_text};
use crate::ui::text::counted;

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
    let Some((subjects, calls)) = about(&envelope.payload) else {
        say("not verified: this is not an attestation of a session".to_owned());
        return (told, false);
    };
    let (mut is_signed, mut is_good) = (false, true);
    for signature in envelope.signatures.iter().take(MOST_SIGNATURES) {
        match signer(allowed, signature, &signed_text(&envelope.kind, &envelope.payload)) {
            Ok(name) => {
                let about = if calls == 1 { "it" } else { "them" };
                let calls = counted(calls as u64, "call");
                say(format!("{name} signed it; it lists {calls} and the decisions about {about}"));
                is_signed = true;
            }
            Err(why) => say(format!("a signature does not hold: {why}")),
        }
    }
    for (name, digest) in &subjects {
        // Only a plain name can stand beside it.
        let plain = Path::new(name).file_name().is_some_and(|plain| plain == name.as_str());
        let beside = file.with_file_name(name);
        match std::fs::read(&beside).ok().filter(|_| plain) {
            None => say(format!("it is about {name} with the SHA-256 {digest}, which is not here")),
            Some(bytes) if sha256(&bytes) == *digest => say(format!("{name} is the file that it is about")),
            Some(_) => {
                say(format!("{name} is not the file that it is about, or was continued since"));
                is_good = false;
            }
        }
    }
    let is_proved = is_signed && is_good;
    say(if is_proved {
        "verified".to_owned()
    } else {
        "not verified: something above does not hold".to_owned()
    });
    (told, is_proved)
}
