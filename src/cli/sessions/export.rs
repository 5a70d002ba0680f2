//! `sessions export`: a session for others to read, on stdout.

use std::path::Path;
use std::sync::Arc;

use super::args::{ExportArgs, ExportFormat};
use super::place::{SessionPlace, entries, id_of, lines, now, read_audited, remark};
use super::seal::{signing_key, tell_of_a_touch};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::{Body, Entry, EntryId, standing};
use crate::runtime::signing::sign;
use crate::runtime::store::{checked, known};
use crate::session::exporting::selection::{NotLeftOut, Selection};
use crate::session::exporting::{
    attestation, came_along, ended_here, html, is_ahead, markdown, unchecked, went_back, without_keys,
};
use crate::ui::text::counted;
use crate::wire::record::{self, Links, Redacted, SessionFile, exported_lines, read_document};

/// Prints one session without the keys of this environment, and, except for the lines of the file, without what was withdrawn.
pub(super) fn run(place: &SessionPlace, args: &ExportArgs) -> Result<Exit, Fault> {
    let path = place.locate(&args.pick)?;
    let selection = Selection::parse(&args.redact, &args.only)
        .map_err(|why| Fault::usage(why, "see `countersign sessions export --help`"))?;
    // Asked before the lines are read: a session that is being written has more of them then, and never fewer.
    let end = if place.keeps(&path) { known(&path) } else { None };
    let (mut bytes, mut file, damage) = read_audited(place, &path)?;
    if let Some(told) = came_along(file.came_to()) {
        remark(&told);
    }
    if args.format == ExportFormat::Attestation {
        return attest(place, args, &selection, &path, (&bytes, end));
    }
    let is_file = args.format == ExportFormat::Jsonl;
    match &damage {
        Some(why) if is_file || args.json => {
            return Err(Fault::failed(
                format!("nothing was exported as lines of a session: {why}"),
                "the other formats can show it",
            ));
        }
        damage => damage.iter().for_each(|why| remark(why)),
    }
    if is_file || !selection.is_all() {
        let keys = place.environment.keys();
        let copy =
            selection.applied(&bytes, &file.entries, &keys).map_err(|why| not_exported(place, &path, why))?;
        tell_of(&copy, &selection, is_file);
        bytes = copy.text.into_bytes();
        if is_file {
            return say(&String::from_utf8_lossy(&bytes));
        }
        file = read_document(&bytes).map_err(|why| Fault::failed(why.to_string(), "name another session"))?;
    }
    tell_of_withdrawn(args, &file);
    let events = || -> Vec<String> {
        let lines = exported_lines(&bytes, &file.entries);
        lines.into_iter().filter(|line| selection.is_all() || is_part_line(&selection, line)).collect()
    };
    let text = match args.format {
        _ if args.json => lines(events()),
        ExportFormat::Json => {
            let name = record::line(&name_in(&file, &path).into());
            let warning =
                damage.as_ref().map(|why| format!("\"warning\":{},", record::line(&why.as_str().into())));
            let warning = warning.unwrap_or_default();
            format!("{{\"session\":{name},{warning}\"events\":[\n{}\n]}}\n", events().join(",\n"))
        }
        ExportFormat::Html => {
            file.entries.retain(|entry| is_part(&selection, entry));
            let damage = damage.as_deref();
            return say(&html::page(&file, damage, &|text| {
                without_keys(&place.environment, text.to_owned())
            }));
        }
        _ => {
            file.entries.retain(|entry| is_part(&selection, entry));
            markdown(&file, damage.as_deref())
        }
    };
    say(&without_keys(&place.environment, text))
}

/// Whoever counts events that are exported must know that they are not all.
fn tell_of_withdrawn(args: &ExportArgs, file: &SessionFile) {
    if !args.json && args.format != ExportFormat::Json {
        return;
    }
    let is_part = |entry: &&Arc<Entry>| !matches!(entry.body, Body::Tombstone(_));
    let told = standing(&file.entries).filter(is_part).count();
    match file.entries.len().saturating_sub(told) {
        0 => {}
        count => remark(&format!("left out, since it was withdrawn: {}", entries(count))),
    }
}

/// The session's id, as its file says it.
fn name_in(file: &SessionFile, path: &Path) -> String {
    match file.entries.first().map(|entry| &entry.body) {
        Some(Body::SessionStarted(started)) => started.session.clone(),
        _ => id_of(path),
    }
}

fn not_exported(place: &SessionPlace, path: &Path, why: NotLeftOut) -> Fault {
    let next = if why.is_damage {
        format!("nothing was exported; `countersign sessions check {}` lists what is wrong", place.word(path))
    } else {
        "nothing was exported; `countersign sessions export --help` says what can be left out".to_owned()
    };
    Fault::failed(why.what, next)
}

/// How much is left out, and where a line of a text of several lines still stands alone, by chance or not.
fn tell_of(copy: &Redacted, selection: &Selection, is_file: bool) {
    if is_file && copy.fields > 0 {
        remark(&format!(
            "left out: {}; `countersign verify` and `check` still hold",
            counted(copy.fields, "field")
        ));
    }
    let alone = selection.single_lines(&copy.text);
    if !alone.is_empty() {
        remark(&format!(
            "a single line of a text to leave out is still in {}; leave it out with text: and that line",
            alone.join(", ")
        ));
    }
}

/// The first entry says what the document is about, so it is always part of it.
fn is_part(selection: &Selection, entry: &Arc<Entry>) -> bool {
    matches!(entry.body, Body::SessionStarted(_)) || selection.has(entry.id)
}

fn is_part_line(selection: &Selection, line: &str) -> bool {
    let Ok(line) = serde_json::from_str::<serde_json::Value>(line) else { return false };
    let text = |name: &str| line.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
    text("type") == "session_started"
        || EntryId::parse(text("entry")).is_some_and(|entry| selection.has(entry))
}

fn attest(
    place: &SessionPlace,
    args: &ExportArgs,
    selection: &Selection,
    path: &Path,
    (bytes, end): (&[u8], Option<Links>),
) -> Result<Exit, Fault> {
    if !selection.is_all() {
        return Err(Fault::usage(
            "an attestation is about the whole session, and has no contents to leave out",
            "leave --redact and --only out",
        ));
    }
    let is_end_known = end.is_some();
    let links = end.unwrap_or_default();
    let (audit, read) = checked(bytes, if place.keeps(path) { links.kept() } else { links });
    if audit.head.is_some() && !is_end_known {
        remark(
            "it is not known how many lines the session had, so lines may be missing at the end of what is \
             attested",
        );
    }
    if let Some(fault) = audit.faults.first() {
        return Err(Fault::failed(
            format!("nothing was attested, since the session is not well-formed: {fault}"),
            format!("`countersign sessions check {}` lists what is wrong", place.word(path)),
        ));
    }
    let of_times = went_back(audit.earlier).into_iter().chain(is_ahead(audit.latest, now()));
    let ended = ended_here(&read, audit.imported_to);
    unchecked(&audit).into_iter().chain(of_times).chain(ended).for_each(|told| remark(&told));
    let key = signing_key(place, args.key.as_deref())?;
    let name = format!("{}.jsonl", id_of(path));
    let payload = record::line(&attestation::statement(&name, bytes, &read, &audit));
    let signed = attestation::signed_text(attestation::PAYLOAD_TYPE, &payload);
    tell_of_a_touch(&key);
    let signature = sign(&key, &signed).map_err(|why| {
        Fault::failed(
            format!("the attestation cannot be signed with {}: {why}", key.display()),
            "name another key with --key; a public key names one in the agent",
        )
    })?;
    remark(&format!("{} are attested, signed with {}", entries(audit.entries), key.display()));
    say(&lines([record::line(&attestation::envelope(&payload, &signature))]))
}
