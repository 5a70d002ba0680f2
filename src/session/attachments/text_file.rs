//! Text files of a message: what the rules say of them, and what goes with it.

use std::sync::Arc;

use tokio::sync::watch;

use super::file_hooks::FileHooks;
use super::refusal::AttachmentRefusal;
use crate::budget::Bound;
use crate::config::Invocation;
use crate::ledger::AttachedFile;
use crate::policy::{Mode, Policy, Verdict};
use crate::runtime::{Groups, LocalTools, MentionedFile, NotAttached, WorkspaceFiles};
use crate::session::instructions::nested::NestedInstructions;
use crate::session::sandbox::sandbox;
use crate::session::subagents;
use crate::ui::FileList;

const NEXT: &str = "name another file, or put the path in `backquotes` to send it as text";
const LINES: &str = "name other lines, or put the path in `backquotes` to send it as text";

/// Reads the text files that messages name.
#[derive(Debug, Clone)]
pub(super) struct TextFiles {
    files: WorkspaceFiles,
    policy: Arc<Policy>,
    most_chars: usize,
    /// The names of the sub-agents that can be started.
    subagents: Arc<[String]>,
    hooks: FileHooks,
    /// What was to choose from last: a name out of it was not a word. Clones share it.
    listed: watch::Sender<FileList>,
    /// The instructions of folders, which come with the first file of each; none before there is a session.
    nested: Option<NestedInstructions>,
}

impl TextFiles {
    pub(super) fn new(invocation: &Invocation, hooks: FileHooks) -> Self {
        let Invocation { cwd, config, .. } = invocation;
        let tools = LocalTools::new(cwd.clone(), invocation.environment_of_programs(), Groups::default());
        // What was allowed for the session, or by a mode that asks nobody, was allowed to the model: a person is asked
        // about a secret in any mode.
        let policy = Policy { mode: Mode::Ask, rules: config.rules(), ..Policy::default() };
        let most_chars = usize::try_from(config.limits.bound(Bound::ResultChars)).unwrap_or(usize::MAX);
        Self {
            hooks,
            subagents: subagents::named(config).into_iter().map(|(name, _)| name).collect(),
            ..Self::over(tools.within(sandbox(invocation)).files(), policy, most_chars)
        }
    }

    /// With the rules of this policy.
    pub(super) fn over(files: WorkspaceFiles, policy: Policy, most_chars: usize) -> Self {
        let listed = watch::Sender::new(FileList::default());
        let policy = Arc::new(policy);
        let (subagents, hooks) = (Arc::default(), FileHooks::default());
        Self { files, policy, most_chars, subagents, hooks, listed, nested: None }
    }

    /// With these instructions of folders.
    pub(super) fn telling(self, nested: NestedInstructions) -> Self {
        Self { nested: Some(nested), ..self }
    }

    /// A file that goes with a message, with the instructions of its folders that were not told yet: as the tool `read` adds them to
    /// what it returns.
    pub(super) fn instructed(&self, file: AttachedFile) -> AttachedFile {
        let Some(nested) = self.nested.as_ref().filter(|_| !file.is_folder()) else { return file };
        let words = nested.of(&file.path);
        if words.is_empty() {
            return file;
        }
        AttachedFile { text: format!("{}{words}", file.text).into(), ..file }
    }

    pub(super) fn list(&self) -> FileList {
        let names = self.files.list();
        let is_cut = names.is_cut;
        let files = names.files.into_iter().map(|file| (file.path, file.comes_last));
        let list = FileList::with_subagents(self.subagents.iter().cloned(), files, is_cut);
        self.listed.send_replace(list.clone());
        list
    }

    /// Whether somebody could choose this path.
    pub(super) fn was_listed(&self, path: &str) -> bool {
        self.listed.borrow().has(path)
    }

    /// Reads a file, or lists a folder; `None` when it is nothing. A reason to ask a person first is noted in it.
    pub(super) fn read(
        &self,
        name: &str,
        lines: Option<(u64, u64)>,
    ) -> Result<Option<AttachedFile>, AttachmentRefusal> {
        let refuse = |why: String| AttachmentRefusal::new(for_people(&why), NEXT);
        let Some(found) = self.files.find(name, lines).map_err(refuse)? else { return Ok(None) };
        let decided = found.decided(&self.policy).map_err(refuse)?;
        let confirmed = match decided.verdict {
            Verdict::Deny(why) => return Err(denied(name, &why)),
            Verdict::Ask(why) if decided.rule.is_some() => format!("{name}: {why}"),
            Verdict::Ask(why) => left(name, &found).unwrap_or(why),
            Verdict::Allow(_) | Verdict::Sandbox(_) => String::new(),
        };
        let read = found.read(self.most_chars).map_err(|why| match why {
            NotAttached::NoSuchLines(why) => AttachmentRefusal::new(why, LINES),
            NotAttached::Other(why) => refuse(why),
        })?;
        let reasons = [confirmed, self.hooks.ask(name, found.as_call())?];
        let confirmed =
            reasons.into_iter().filter(|reason| !reason.is_empty()).collect::<Vec<_>>().join("; ");
        Ok(Some(AttachedFile { confirmed, ..read }))
    }

    /// What the rules and hooks say of a picture that is named: why a person must be asked; empty, if there is no reason. One outside of
    /// the workspace needs no other word than its name: pictures that are dropped or pasted lie there. `called`: as people know it.
    pub(super) fn judge_picture(&self, name: &str, called: &str) -> Result<String, AttachmentRefusal> {
        let refuse = |why: String| AttachmentRefusal::new(for_people(&why), NEXT);
        let Some(found) = self.files.find(name, None).map_err(refuse)? else { return Ok(String::new()) };
        let decided = found.decided(&self.policy).map_err(refuse)?;
        let by_rules = match decided.verdict {
            Verdict::Deny(why) => return Err(denied(called, &why)),
            Verdict::Ask(why) if decided.rule.is_some() => format!("{called}: {why}"),
            Verdict::Ask(why) if found.is_secret() => why,
            Verdict::Ask(_) | Verdict::Allow(_) | Verdict::Sandbox(_) => String::new(),
        };
        let reasons = [by_rules, self.hooks.ask(called, found.as_call())?];
        Ok(reasons.into_iter().filter(|reason| !reason.is_empty()).collect::<Vec<_>>().join("; "))
    }

    /// Refuses a file that a rule denies or a hook blocks; other rules are not asked. Returns why hooks want a person to be asked;
    /// empty, if they do not.
    pub(super) fn refuse_denied(&self, name: &str) -> Result<String, AttachmentRefusal> {
        let refuse = |why: String| AttachmentRefusal::new(for_people(&why), NEXT);
        let Some(found) = self.files.find(name, None).map_err(refuse)? else { return Ok(String::new()) };
        match found.decided(&self.policy).map_err(refuse)?.verdict {
            Verdict::Deny(why) => Err(denied(name, &why)),
            Verdict::Ask(_) | Verdict::Allow(_) | Verdict::Sandbox(_) => {
                self.hooks.ask(name, found.as_call())
            }
        }
    }
}

/// That what is named lies outside of the workspace, in the words of the person who named it.
fn left(name: &str, found: &MentionedFile) -> Option<String> {
    let place = found.outside()?;
    if place == name {
        return Some(format!("{name} is outside of the workspace"));
    }
    Some(format!("{name} is outside of the workspace: it leads to {place}"))
}

fn denied(name: &str, why: &str) -> AttachmentRefusal {
    AttachmentRefusal::new(format!("{name} cannot be attached: {why}"), NEXT)
}

/// What a tool tells a model, without what that is to do instead.
fn for_people(why: &str) -> String {
    let ends = ["; use ", "; do not use"];
    let end = ends.iter().filter_map(|end| why.rfind(end)).min().unwrap_or(why.len());
    why.get(..end).unwrap_or(why).to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use sha2::{Digest as _, Sha256};

    use super::*;
    use crate::policy::{Rule, RuleKind};

    #[test]
    fn a_picture_goes_through_the_rules_and_needs_no_word_for_lying_outside() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("work")).unwrap();
        for name in ["work/a.png", "work/b.png", "work/c.png", "work/.env", "out.png"] {
            fs::write(root.join(name), "not read here").unwrap();
        }
        let files = LocalTools::new(root.join("work"), Vec::new(), Groups::default()).files();
        let rules = [(RuleKind::Ask, "read(b.*)"), (RuleKind::Deny, "read(c.*)")];
        let rules = rules.map(|(kind, text)| Rule::parse(kind, text).unwrap()).to_vec();
        let files = TextFiles::over(files, Policy { rules, ..Policy::default() }, 20_000);
        let judged = |name: &str| files.judge_picture(name, name).map_err(|refused| refused.what);
        assert_eq!(judged("a.png"), Ok(String::new()));
        assert_eq!(judged("../out.png"), Ok(String::new()));
        assert_eq!(judged("b.png"), Ok("b.png: rule read(b.*) asks".to_owned()));
        assert_eq!(judged(".env"), Ok(".env may contain secrets".to_owned()));
        assert_eq!(judged("c.png"), Err("c.png cannot be attached: rule read(c.*) denies it".to_owned()));
        let called = files.judge_picture("c.png", "the pasted image 1").map_err(|refused| refused.what);
        assert!(called.is_err_and(|what| what.starts_with("the pasted image 1 cannot be attached: ")));
        assert_eq!(files.refuse_denied("b.png").map_err(|refused| refused.what), Ok(String::new()));
    }

    #[test]
    fn lines_of_a_large_file_go_and_lines_that_are_not_there_are_the_fault() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let files = LocalTools::new(root.clone(), Vec::new(), Groups::default()).files();
        let files = TextFiles::over(files, Policy::default(), 20_000);
        let all = "a line of a log\n".repeat(700_000);
        fs::write(root.join("huge.log"), &all).unwrap();
        let read = files.read("huge.log", Some((2, 3))).unwrap().unwrap();
        assert_eq!((read.first, read.last, read.of_lines), (2, 3, 700_000));
        assert!(read.text.starts_with("    2\ta line of a log\n    3\ta line"), "{}", read.text);
        let hash: String = Sha256::digest(&all).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(read.sha256, hash, "of the whole file");
        let refused = files.read("huge.log", Some((700_001, 700_002))).unwrap_err();
        assert_eq!(refused.what, "`huge.log` has 700000 lines, so it has no line 700001");
        assert!(refused.next.starts_with("name other lines"), "{}", refused.next);
        fs::File::create(root.join("sparse")).unwrap().set_len(300 << 20).unwrap();
        let refused = files.read("sparse", Some((1, 1))).unwrap_err();
        assert_eq!(refused.what, "`sparse` is too large to be attached (300.0 MB; at most 256.0 MB)");
    }

    #[test]
    fn a_warning_names_what_was_typed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("work")).unwrap();
        fs::write(root.join("out.txt"), "x\n").unwrap();
        fs::write(root.join("work/in.txt"), "x\n").unwrap();
        std::os::unix::fs::symlink("../out.txt", root.join("work/link.txt")).unwrap();
        let out = root.join("out.txt").display().to_string();
        let files = LocalTools::new(root.join("work"), Vec::new(), Groups::default()).files();
        let rules = vec![Rule::parse(RuleKind::Ask, "read(in.*)").unwrap()];
        let files = TextFiles::over(files, Policy { rules, ..Policy::default() }, 20_000);
        let warned = |name: &str| files.read(name, None).unwrap().unwrap().confirmed;
        assert_eq!(warned("link.txt"), format!("link.txt is outside of the workspace: it leads to {out}"));
        assert_eq!(warned(&out), format!("{out} is outside of the workspace"));
        assert_eq!(warned("in.txt"), "in.txt: rule read(in.*) asks");
    }

    #[test]
    fn what_is_not_sent_of_a_file_is_said_in_its_label() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let files = LocalTools::new(root.clone(), Vec::new(), Groups::default()).files();
        let files = TextFiles::over(files, Policy::default(), 20_000);
        let label = |name: &str, text: String| {
            fs::write(root.join(name), text).unwrap();
            files.read(name, None).unwrap().unwrap().label()
        };
        assert_eq!(label("a.json", "x".repeat(8_000)), "[file: a.json · line 1]");
        assert_eq!(
            label("b.json", "x".repeat(100_000)),
            "[file: b.json · only the beginning of line 1 · 92,000 bytes of it not sent]"
        );
        let mixed = format!("a\n{}\nb\n", "x".repeat(9_000));
        assert_eq!(label("c.csv", mixed), "[file: c.csv · lines 1-3 · 1,001 bytes of long lines not sent]");
        let many = label("e.txt", "x\n".repeat(40_000));
        assert_eq!(many, "[file: e.txt · lines 1-2000 of 40,000]");
        let long = label("d.log", "a line of a log\n".repeat(1_500));
        assert!(long.starts_with("[file: d.log · lines 1-1500 · "), "{long}");
        assert!(long.ends_with(" characters in the middle not sent]"), "{long}");
    }
}
