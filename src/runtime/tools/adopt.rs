//! `adopt`: takes what a lane of a race made, a commit, into the folder. No model is offered it: only a person can call it.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;
use tokio::sync::mpsc;

use super::super::git::{
    ChangedFile, changed_files, changed_outside, git, git_bytes, is_commit, left_in_branch,
};
use super::super::undo::{Content, NewContent};
use super::diff::compare;
use super::file::load;
use super::target::Target;
use super::tool::{Running, RunningCall, Tool, ToolOutput, spec};
use super::words::counted;
use crate::agent::ADOPTED;
use crate::ledger::{self, Arguments, Facts, Summary};
use crate::policy::{is_guarded, leaves_work_tree};
use crate::tool::name::ADOPT;
use crate::tool::{Shown, SideEffect, Territory, ToolSpec};

/// Most files that are taken at once: each is read four times.
const MOST_FILES: usize = 500;
/// Files that the result names.
const MOST_NAMED: usize = 50;

/// What is said of files that other programs run, or obey, without a person naming them.
const OBEYED: &str = "; other programs obey it by themselves";

/// The tool.
#[derive(Debug)]
pub(super) struct AdoptTool;

impl Tool for AdoptTool {
    fn spec(&self) -> ToolSpec {
        spec(
            ADOPT,
            "Takes what a lane of a race made into the folder.",
            json!({
                "lane": { "type": "integer", "description": "Which lane." },
                "base": { "type": "string", "description": "The commit that it began with." },
                "commit": { "type": "string", "description": "The commit of what it made." },
                "files": { "type": "array", "items": { "type": "string" }, "description": "The files that are different." },
                ADOPTED: { "type": "array", "items": { "type": "integer" }, "description": "Lanes that the folder has already." },
            }),
            &["lane", "base", "commit", "files"],
            SideEffect::Writes,
        )
    }

    fn run(&self, call: RunningCall, _output: mpsc::Sender<Shown>) -> Running {
        call.off_thread(|call, stop| {
            let wanted = wanted(call)?;
            if stop.is_set() {
                return Err("stopped before anything was changed".to_owned());
            }
            let snapshots = call.tools.snapshots.as_ref();
            let snapshots = snapshots.ok_or("this session keeps nothing by which it could be undone")?;
            let (contents, told): (Vec<NewContent>, Vec<AdoptedFile>) = wanted.into_iter().unzip();
            snapshots.make_all(call.invocation.call, &contents)?;
            let besides = left(call) + &beside(call.arguments());
            Ok(output(&told, changed(&contents, &told), &besides))
        })
    }
}

/// What is told of a file.
struct AdoptedFile {
    shown: String,
    how: String,
    lines: (usize, usize),
    /// Whether the lane made it.
    is_new: bool,
}

/// What is to be changed. Nothing is, when one of the files is not what the lane began with.
fn wanted(call: &RunningCall) -> Result<Vec<(NewContent, AdoptedFile)>, String> {
    let (base, commit) = (commit(call.arguments(), "base")?, commit(call.arguments(), "commit")?);
    let folder = call.tools.workspace.root();
    let different = changed_files(folder, &base, &commit)?;
    let named: BTreeSet<&str> = named(call.arguments());
    if different.iter().map(|one| one.path.as_str()).collect::<BTreeSet<_>>() != named {
        return Err("the files that it changed are not those that were named; nothing was changed".to_owned());
    }
    if different.len() > MOST_FILES {
        return Err(format!("it changed more than {MOST_FILES} files; merge its branch with git instead"));
    }
    let (mut all, mut changed) = (Vec::new(), Vec::new());
    for one in &different {
        match file(call, one, &base, &commit)? {
            Some(file) => all.push(file),
            None => changed.push(displayed(&one.path)),
        }
    }
    if changed.is_empty() && !all.iter().any(|(content, told)| changes(content, told)) {
        return Err("nothing was changed: this folder has all that the lane made already".to_owned());
    }
    if changed.is_empty() {
        return Ok(all);
    }
    let what = if changed.len() == 1 { "a file has changed" } else { "files have changed" };
    let changed = changed.join(", ");
    Err(match lanes_are(&adopted(call.arguments())) {
        Some(lanes) => format!(
            "nothing was changed: {lanes} adopted already, and {what} since this lane began: {changed}. Take that back \
             with /undo in the session of the race first, or merge the branch of this lane with git"
        ),
        None => format!(
            "nothing was changed: {what} since the lane began: {changed}. Its branch can be merged with git"
        ),
    })
}

/// The lanes whose results the folder has.
fn adopted(arguments: &Arguments) -> Vec<u64> {
    let Arguments::Object(members) = arguments else { return Vec::new() };
    let lanes = members.get(ADOPTED).and_then(|lanes| lanes.as_array());
    lanes.into_iter().flatten().filter_map(|lane| lane.as_u64()).collect()
}

/// As the beginning of a sentence about them, if there are any.
fn lanes_are(lanes: &[u64]) -> Option<String> {
    let named: Vec<String> = lanes.iter().map(u64::to_string).collect();
    match named.as_slice() {
        [] => None,
        [one] => Some(format!("lane {one} is")),
        all => Some(format!("lanes {} are", all.join(", "))),
    }
}

/// What the folder has of other lanes.
fn beside(arguments: &Arguments) -> String {
    let Arguments::Object(members) = arguments else { return String::new() };
    let own = members.get("lane").and_then(|lane| lane.as_u64());
    let others: Vec<u64> = adopted(arguments).into_iter().filter(|lane| Some(*lane) != own).collect();
    lanes_are(&others)
        .map(|lanes| format!("\n{lanes} adopted, too: no check has seen these changes together"))
        .unwrap_or_default()
}

/// Whether a file is another one afterwards.
fn changes(content: &NewContent, told: &AdoptedFile) -> bool {
    let becomes_a_program = told.is_new && content.is_executable && !runs_already(&content.path);
    content.before != content.after || content.runs.is_some() || becomes_a_program
}

/// Whether the file can be run as it stands in the folder.
fn runs_already(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o100 != 0)
}

/// `None`: the file is neither what the lane began with nor what it made.
fn file(
    call: &RunningCall,
    one: &ChangedFile,
    base: &str,
    commit: &str,
) -> Result<Option<(NewContent, AdoptedFile)>, String> {
    let plain = |mode: &str| matches!(mode, "000000" | "100644" | "100755");
    if !plain(&one.modes.0) || !plain(&one.modes.1) {
        return Err(format!(
            "`{}` is a symlink or a submodule, which cannot be adopted; nothing was changed; merge its branch with git \
             instead",
            displayed(&one.path)
        ));
    }
    if leaves_work_tree(&one.path) {
        return Err(format!("`{}` is not a file of a work tree; nothing was changed", displayed(&one.path)));
    }
    let workspace = &call.tools.workspace;
    let target = Target::as_written(workspace, &one.path)?;
    if matches!(target.territory, Territory::Outside) {
        return Err(format!("`{}` is outside this folder; nothing was changed", displayed(&one.path)));
    }
    let folder = workspace.root();
    let was = content(folder, base, &one.path, &one.modes.0)?;
    let becomes = content(folder, commit, &one.path, &one.modes.1)?;
    let now = load(&target)?;
    if now != was && now != becomes {
        return Ok(None);
    }
    let text = |bytes: Option<&Vec<u8>>| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let (before, after) = (text(now.as_ref()), text(becomes.as_ref()).unwrap_or_default());
    let difference = compare(&one.path, before.as_deref(), &after);
    let lines = (difference.added, difference.removed);
    let runs = runs(one).filter(|runs| *runs != runs_already(&target.path));
    let how = match (&now, &becomes) {
        (None, Some(_)) => "new".to_owned(),
        (Some(_), None) => "deleted".to_owned(),
        (None, None) => "is gone already".to_owned(),
        (Some(_), Some(_)) => format!("+{} -{}{}", lines.0, lines.1, permission(runs)),
    };
    let is_executable = one.modes.1 == "100755";
    let told = AdoptedFile { shown: one.path.clone(), how, lines, is_new: one.modes.0 == "000000" };
    let path: PathBuf = target.path.clone();
    Ok(Some((NewContent { path, before: now, after: becomes, is_executable, runs }, told)))
}

/// Whether a file that was there can be run from now on, if that is different.
fn runs(one: &ChangedFile) -> Option<bool> {
    match (one.modes.0.as_str(), one.modes.1.as_str()) {
        ("100644", "100755") => Some(true),
        ("100755", "100644") => Some(false),
        _ => None,
    }
}

fn permission(runs: Option<bool>) -> &'static str {
    match runs {
        Some(true) => "; is executable",
        Some(false) => "; is no longer executable",
        None => "",
    }
}

fn commit(arguments: &Arguments, name: &str) -> Result<String, String> {
    let named = arguments.text(name).filter(|text| is_commit(text));
    named.map(str::to_owned).ok_or_else(|| format!("`{name}` is not a commit"))
}

fn named(arguments: &Arguments) -> BTreeSet<&str> {
    let Arguments::Object(members) = arguments else { return BTreeSet::new() };
    let files = members.get("files").and_then(|files| files.as_array());
    files.into_iter().flatten().filter_map(|file| file.as_str()).collect()
}

/// What a file of this folder is in a commit, as it would be checked out.
fn content(folder: &Path, commit: &str, path: &str, mode: &str) -> Result<Option<Vec<u8>>, String> {
    if mode == "000000" {
        return Ok(None);
    }
    let named = format!("{commit}:./{path}");
    let size = git(folder, ["cat-file", "-s", &named])?;
    if size.parse::<u64>().is_ok_and(|bytes| bytes > super::file::MOST_BYTES) {
        return Err(format!(
            "`{}` is too large; nothing was changed; merge its branch with git instead",
            displayed(path)
        ));
    }
    git_bytes(folder, ["cat-file", "--filters", &named]).map(Some)
}

fn changed(contents: &[NewContent], told: &[AdoptedFile]) -> Vec<ledger::ChangedFile> {
    let file = |(content, told): (&NewContent, &AdoptedFile)| ledger::ChangedFile {
        path: told.shown.clone(),
        before: Content::of(content.before.as_deref()).told(),
        after: Content::of(content.after.as_deref()).told(),
    };
    contents.iter().zip(told).map(file).collect()
}

/// A path on one line: its name can have any characters.
fn displayed(path: &str) -> String {
    if path.chars().any(char::is_control) { path.escape_debug().to_string() } else { path.to_owned() }
}

/// What of the lane is not taken, since it is outside of the folder.
fn left(call: &RunningCall) -> String {
    let commits =
        commit(call.arguments(), "base").and_then(|base| Ok((base, commit(call.arguments(), "commit")?)));
    let root = call.tools.workspace.root();
    let outside = commits.and_then(|(base, commit)| changed_outside(root, &base, &commit));
    outside
        .ok()
        .and_then(|outside| left_in_branch(&outside))
        .map(|said| format!("\n{said}"))
        .unwrap_or_default()
}

fn output(told: &[AdoptedFile], files: Vec<ledger::ChangedFile>, besides: &str) -> ToolOutput {
    // What nobody starts by name is named first: it must not be among those that are only counted.
    let (first, then): (Vec<_>, Vec<_>) = told.iter().partition(|one| is_guarded(&one.shown));
    let all = first.into_iter().map(|one| (one, OBEYED)).chain(then.into_iter().map(|one| (one, "")));
    let lines = all.take(MOST_NAMED);
    let lines = lines.map(|(one, obeyed)| format!("\n{} ({}{obeyed})", displayed(&one.shown), one.how));
    let more = told.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!("\nand {more} more") } else { String::new() };
    let text = format!("took {}:{}{more}{besides}", counted(told.len(), "file"), lines.collect::<String>());
    let sum = |of: fn(&AdoptedFile) -> usize| told.iter().map(of).sum::<usize>() as u64;
    let summary = Summary::Changed { added: sum(|one| one.lines.0), removed: sum(|one| one.lines.1) };
    let facts = Facts { summary: Some(summary), files, ..Facts::default() };
    ToolOutput { text, images: Vec::new(), facts }
}
