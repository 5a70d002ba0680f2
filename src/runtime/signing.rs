//! Signatures by SSH keys, made and verified by `ssh-keygen`: it knows every kind of key, agents and hardware too, and anybody
//! can verify with it what is signed here.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// What the signatures are for: one for another purpose is none here.
pub const NAMESPACE: &str = "countersign";
const PROGRAM: &str = "ssh-keygen";
/// How public keys begin, and what stands in each private one that `ssh-keygen` knows.
const PUBLIC: [&[u8]; 4] = [b"ssh-", b"ecdsa-", b"sk-ssh-", b"sk-ecdsa-"];
const PRIVATE: &[u8] = b"-----BEGIN ";
/// How the private keys of OpenSSH begin, and what they say first.
const OPENSSH: &[u8] = b"-----BEGIN OPENSSH PRIVATE KEY-----";
const OPENSSH_END: &[u8] = b"-----END OPENSSH PRIVATE KEY-----";
const MARK: &[u8] = b"openssh-key-v1\0";
/// Bytes of a file that are looked at.
const MOST: u64 = 64 * 1024;
/// Why it may have failed where there is no terminal.
const NOBODY_TO_ASK: &str = "; there is no terminal here to ask for a passphrase or a PIN: for such a key, \
 use an agent, and name the public file";

/// Signs a text with the private key in a file, or with the key in the agent whose public part is in the file. It may ask
/// the person at the terminal for a passphrase, or for a touch. What it returns is a signature of this text: that is verified.
///
/// # Errors
/// A sentence: there is no `ssh-keygen`, what it says, or that what it made is no signature of the text.
pub fn sign(key: &Path, text: &str) -> Result<String, String> {
    let is_public = key.extension().is_some_and(|extension| extension == "pub")
        || beginning(key).is_ok_and(|bytes| is_public_key(&bytes));
    let place = tempfile::tempdir().map_err(|fault| format!("cannot make a temporary folder: {fault}"))?;
    let file = place.path().join("signed");
    std::fs::write(&file, text).map_err(|fault| format!("cannot write what is to be signed: {fault}"))?;
    let mut words: Vec<&OsStr> = ["-Y", "sign", "-n", NAMESPACE].map(OsStr::new).into();
    if is_public {
        words.push(OsStr::new("-U"));
    }
    words.extend([OsStr::new("-f"), key.as_os_str(), file.as_os_str()]);
    // Never on its stdin: without a terminal, a PIN is read from there, and the text is gone.
    let ran = run(&words, None)?;
    if !ran.status.success() {
        if let Some(wrong) = what_is_wrong(key) {
            return Err(wrong);
        }
        // The agent asks for itself.
        let unasked = if is_public || has_terminal() { "" } else { NOBODY_TO_ASK };
        return Err(why(&ran) + unasked);
    }
    let made = file.with_extension("sig");
    let signature =
        std::fs::read_to_string(&made).map_err(|fault| format!("cannot read the signature: {fault}"))?;
    let words = ["-Y", "check-novalidate", "-n", NAMESPACE, "-s"].map(OsStr::new);
    let held = run(&[&words[..], &[made.as_os_str()]].concat(), Some(text))?;
    if held.status.success() {
        Ok(signature)
    } else {
        Err(format!("what {PROGRAM} made is not a signature of this: {}", why(&held)))
    }
}

/// Why no key can be read from a file. `ssh-keygen` says of all that it has not loaded the public key.
fn what_is_wrong(key: &Path) -> Option<String> {
    let found = match std::fs::metadata(key) {
        Ok(found) => found,
        Err(fault) if fault.kind() == ErrorKind::NotFound => return Some("there is no such file".to_owned()),
        Err(fault) => return Some(format!("it cannot be read: {fault}")),
    };
    if found.is_dir() {
        return Some("it is a folder, not a key".to_owned());
    }
    let bytes = match beginning(key) {
        Ok(bytes) => bytes,
        Err(fault) => return Some(format!("it cannot be read: {fault}")),
    };
    if !found.is_file() || is_public_key(&bytes) {
        return None;
    }
    if place(&bytes, PRIVATE).is_none() {
        return Some("it is not an SSH key".to_owned());
    }
    if found.permissions().mode() & 0o077 != 0 {
        return Some(format!(
            "others may read it, and {PROGRAM} refuses such a key; make it yours only with `chmod 600`"
        ));
    }
    is_damaged(&bytes).then(|| "it is a damaged SSH key".to_owned())
}

fn place(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// Whether a private key of OpenSSH cannot be read although it says that it has no passphrase, or does not say what it has. `ssh-keygen`
/// could not read it.
fn is_damaged(bytes: &[u8]) -> bool {
    let Some(at) = place(bytes, OPENSSH) else { return false };
    if place(bytes, OPENSSH_END).is_none() {
        return true;
    }
    let body =
        bytes.get(at + OPENSSH.len()..).unwrap_or_default().iter().filter(|byte| !byte.is_ascii_whitespace());
    // Sixteen times four characters are 48 bytes: the mark, and the name of the cipher with its length before it.
    let body: Vec<u8> = body.take(64).copied().collect();
    let Ok(header) = BASE64_STANDARD.decode(body) else { return true };
    let Some((length, rest)) = header.strip_prefix(MARK).and_then(|rest| rest.split_first_chunk::<4>())
    else {
        return true;
    };
    let cipher = usize::try_from(u32::from_be_bytes(*length)).ok().and_then(|length| rest.get(..length));
    cipher.is_none_or(|cipher| cipher == b"none")
}

/// What a file begins with. What is no file of its own is not read: it may be read once only.
fn beginning(key: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if std::fs::metadata(key)?.is_file() {
        File::open(key)?.take(MOST).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn is_public_key(bytes: &[u8]) -> bool {
    PUBLIC.iter().any(|begins| bytes.starts_with(begins))
}

/// Whether the key is in a device that may wait for a touch.
pub fn is_in_a_device(key: &Path) -> bool {
    let listed = run(&[OsStr::new("-l"), OsStr::new("-f"), key.as_os_str()], None);
    listed.is_ok_and(|listed| said(&listed.stdout).trim_end().ends_with("-SK)"))
}

/// Whether a passphrase or a PIN can be asked for.
fn has_terminal() -> bool {
    File::open("/dev/tty").is_ok()
}

/// Why a signature proves nothing, in a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotSigned {
    /// It is by nobody whom the file of allowed signers allows now: whoever added it may have meant no harm,
    /// and it says nothing about the signatures of others.
    #[error("{0}")]
    Unknown(String),
    /// It claims to be by somebody who is allowed and is not a signature of this text, or it could not be
    /// verified.
    #[error("{0}")]
    Wrong(String),
}

/// Who signed a text, as the file of allowed signers names them: a name, or the key of a line that stands for several.
///
/// # Errors
/// Nobody in the file did, the signature is wrong, or `ssh-keygen` cannot be used.
pub fn signer(allowed: &Path, signature: &str, text: &str) -> Result<String, NotSigned> {
    let cannot = |what: &str, fault: std::io::Error| NotSigned::Wrong(format!("cannot {what}: {fault}"));
    let place = tempfile::tempdir().map_err(|fault| cannot("make a temporary folder", fault))?;
    let file = place.path().join("signature");
    std::fs::write(&file, signature).map_err(|fault| cannot("write the signature", fault))?;
    let (allowed, file) = (allowed.as_os_str(), file.as_os_str());
    let [y, f, s, n] = ["-Y", "-f", "-s", "-n"].map(OsStr::new);
    let found =
        run(&[y, OsStr::new("find-principals"), f, allowed, s, file], None).map_err(NotSigned::Wrong)?;
    let names = said(&found.stdout);
    // Several names of one key stand in lines of their own; each can be a pattern, or say who is not meant.
    let all: Vec<&str> = names.lines().map(str::trim).filter(|name| !name.is_empty()).collect();
    let Some(first) = all.first().filter(|_| found.status.success()) else {
        return Err(NotSigned::Unknown(
            "no key of the allowed signers made this signature, or the file does not allow that key \
         now (valid-before, valid-after, namespaces)"
                .to_owned(),
        ));
    };
    let name = all.iter().find(|name| !name.starts_with('!')).unwrap_or(first);
    let all = all.join(",");
    let words = [
        y,
        OsStr::new("verify"),
        f,
        allowed,
        OsStr::new("-I"),
        OsStr::new(name),
        n,
        OsStr::new(NAMESPACE),
        s,
        file,
    ];
    let ran = run(&words, Some(text)).map_err(NotSigned::Wrong)?;
    match ran.status.success() {
        // Nobody knows which of them it was.
        true if all.contains([',', '*', '?', '!']) => Ok(format!("the key of {all}")),
        true => Ok(all),
        false => Err(NotSigned::Wrong(why(&ran))),
    }
}

fn run(words: &[&OsStr], input: Option<&str>) -> Result<Output, String> {
    let cannot = |fault: std::io::Error| match fault.kind() {
        std::io::ErrorKind::NotFound => format!("{PROGRAM} is not installed; it comes with OpenSSH"),
        _ => format!("{PROGRAM} cannot be run: {fault}"),
    };
    let mut child = Command::new(PROGRAM)
        .args(words)
        .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(cannot)?;
    // One that ends without reading has its reason on stderr.
    child.stdin.take().map(|mut stdin| stdin.write_all(input.unwrap_or_default().as_bytes()));
    child.wait_with_output().map_err(cannot)
}

fn said(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn why(ran: &Output) -> String {
    let words: Vec<String> = [&ran.stdout, &ran.stderr].map(|bytes| said(bytes)).into();
    let told = words.iter().flat_map(|text| text.lines()).map(str::trim).filter(|line| !line.is_empty());
    let told: Vec<&str> = told.collect();
    if told.is_empty() { format!("{PROGRAM} ended with {}", ran.status) } else { told.join("; ") }
}
