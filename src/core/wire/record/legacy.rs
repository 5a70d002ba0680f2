//! Session files of format version 1: what they say in sentences, and later versions in members of their own.
//!
//! The only place that reads words back. The sentences are those that version 1 wrote; they never change.

use crate::ledger::{
    About, BackgroundStatus, Body, CommandState, CutBy, Facts, LearnedLimit, ModelRef, Note, NoteKind,
    Outcome, ProviderLimit, Summary,
};

const REASONING: &str =
    "From here on the reasoning before this is left out of requests: the provider does not take it back.";
const LIMIT: [&str; 3] = ["From here on ", " is asked for at most ", " tokens: its provider allows no more."];
const REFUSED: &str = "The sandbox may have stood in the way; asked for again, it is a person who decides.";
const TYPED: &str = "The user typed into the terminal of this call. What was typed is not kept.";
const ACCEPTED: [&str; 3] = ["The agent ", " works on it as its task ", "."];
const HOOK: &str = "A hook changed the arguments of the call";

/// A note that was written without a kind.
pub(super) fn note(about: About, text: String) -> Body {
    if let (Some(about), Some(lesson)) = (about.entry(), lesson(&text)) {
        return Body::ProviderLimit(LearnedLimit { about, lesson });
    }
    let kind = about.call().and_then(|_| kind(&text)).unwrap_or(NoteKind::Plain);
    Body::Note(Note::new(about, kind, text))
}

/// What a provider's refusal taught.
fn lesson(text: &str) -> Option<ProviderLimit> {
    if text == REASONING {
        return Some(ProviderLimit::ReasoningRefused);
    }
    let [begin, middle, end] = LIMIT;
    let (model, most) = text.strip_prefix(begin)?.strip_suffix(end)?.rsplit_once(middle)?;
    Some(ProviderLimit::OutputLimit { model: ModelRef::parse(model), most: most.parse().ok()? })
}

/// What a note on a call records.
fn kind(text: &str) -> Option<NoteKind> {
    let attempt = || text.strip_prefix("Run ")?.split_once(" failed (")?.0.parse().ok();
    let accepted = || {
        let [begin, middle, end] = ACCEPTED;
        let (_, id) = text.strip_prefix(begin)?.strip_suffix(end)?.split_once(middle)?;
        Some(id.to_owned())
    };
    match text {
        REFUSED => Some(NoteKind::SandboxRefused),
        TYPED => Some(NoteKind::TypedInto),
        _ if text.starts_with(HOOK) => Some(NoteKind::ChangedByHook { arguments: None }),
        _ if !text.contains('\n') && background(text).is_some() => {
            background(text).map(NoteKind::BackgroundEnded)
        }
        _ => attempt()
            .map(|attempt| NoteKind::Retried { attempt })
            .or_else(|| accepted().map(|task_id| NoteKind::TaskAccepted { task_id })),
    }
}

/// How it stands with a background command, as the last line of a text says it: `[b1: running for 3 s]`.
fn background(text: &str) -> Option<BackgroundStatus> {
    let last = text.rsplit_once('\n').map_or(text, |(_, last)| last);
    let (id, words) = last.strip_prefix('[')?.strip_suffix(']')?.split_once(": ")?;
    BackgroundStatus::number_of(id)?;
    let is_running = words.starts_with("running");
    Some(BackgroundStatus {
        id: id.to_owned(),
        is_running,
        is_lost: false,
        has_failed: false,
        words: words.to_owned(),
    })
}

/// What the words of a result told.
pub(super) fn facts(tool: &str, outcome: &Outcome, content: &str) -> Facts {
    let last = content.trim_end().rsplit_once('\n').map_or(content.trim_end(), |(_, last)| last);
    let is_shell = tool == "shell";
    if (is_shell || ["shell_output", "shell_kill"].contains(&tool))
        && let Some(status) = background(content)
    {
        let is_silent =
            content.strip_suffix(last).is_some_and(|printed| printed.trim_end() == "(nothing new)");
        let command = Some(CommandState::Background(status));
        return Facts { command, is_silent, ..Facts::default() };
    }
    if is_shell && (last.starts_with("exit code ") || last.starts_with("ended by signal ")) {
        let command = Some(CommandState::Ended(last.to_owned()));
        return Facts { command, ..Facts::default() };
    }
    let is_silent = is_shell && content.starts_with("(no output");
    let summary = if *outcome == Outcome::Ok { summary(tool, content) } else { None };
    Facts { summary, is_silent, ..Facts::default() }
}

fn summary(tool: &str, content: &str) -> Option<Summary> {
    let first = content.lines().next().unwrap_or("");
    let last = content.lines().next_back().unwrap_or("");
    let said = match tool {
        "read" => last.strip_prefix('(').and_then(|l| l.split([';', ')']).next()),
        "list" => first.rsplit_once(": ").map(|(_, entries)| entries),
        "search" => first.split(" (").next(),
        "write" | "edit" => return changed(first),
        "plan" => Some("set"),
        _ => None,
    };
    said.filter(|s| !s.is_empty() && s.len() <= 40).map(|words| Summary::Words(words.to_owned()))
}

/// `edited a: … (+3 -1 lines)`, `created a: 12 bytes, 3 lines`
fn changed(line: &str) -> Option<Summary> {
    if let Some((_, counts)) = line.rsplit_once("(+") {
        let (added, rest) = counts.split_once(" -")?;
        let removed = rest.split(' ').next()?;
        return Some(Summary::Changed { added: added.parse().ok()?, removed: removed.parse().ok()? });
    }
    let size = line.strip_prefix("created ")?.rsplit_once(", ")?.1;
    Some(Summary::Words(format!("created, {size}")))
}

/// Who cut a call short.
pub(super) fn cut_by(content: &str) -> CutBy {
    if content.starts_with("Stopped by the wall-time budget") {
        CutBy::WallTime
    } else if content.starts_with("Stopped") {
        CutBy::Approval
    } else {
        CutBy::User
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{CallId, EntryId};

    #[test]
    fn the_sentences_of_version_1_mean_what_they_meant() {
        let limit = |model: &str| ProviderLimit::OutputLimit { model: ModelRef::parse(model), most: 16_384 };
        for (text, lesson) in [
            (REASONING.to_owned(), ProviderLimit::ReasoningRefused),
            (
                "From here on a/b/c: d is asked for at most 16384 tokens: its provider allows no more."
                    .to_owned(),
                limit("a/b/c: d"),
            ),
        ] {
            let read = note(About::Entry(EntryId(3)), text.clone());
            assert_eq!(read, Body::ProviderLimit(LearnedLimit { about: EntryId(3), lesson }), "{text}");
            assert!(matches!(note(About::Call(CallId(3)), text), Body::Note(_)));
        }
        let ended = |words: &str, is_running| {
            NoteKind::BackgroundEnded(BackgroundStatus {
                id: "b2".into(),
                is_running,
                is_lost: false,
                has_failed: false,
                words: words.into(),
            })
        };
        let task = |id: &str| NoteKind::TaskAccepted { task_id: id.into() };
        for (text, kind) in [
            (REFUSED, NoteKind::SandboxRefused),
            (TYPED, NoteKind::TypedInto),
            ("Run 2 failed (timed_out) and was tried again:\nbusy", NoteKind::Retried { attempt: 2 }),
            ("The agent writer works on it as its task t-1.", task("t-1")),
            (
                "The agent writer works on it as its task  works on it as its task .",
                task(" works on it as its task "),
            ),
            (
                "A hook changed the arguments of the call of shell to {}",
                NoteKind::ChangedByHook { arguments: None },
            ),
            ("[b2: exit code 0 after 70 s]", ended("exit code 0 after 70 s", false)),
            ("Run along.", NoteKind::Plain),
            ("The agent sleeps.", NoteKind::Plain),
            ("out\n[b2: exit code 0 after 70 s]", NoteKind::Plain),
            ("[b+1: x]", NoteKind::Plain),
            ("[c1: running]", NoteKind::Plain),
        ] {
            let about = || About::Call(CallId(7));
            let read = note(about(), text.to_owned());
            assert_eq!(read, Body::Note(Note::new(about(), kind, text)), "{text}");
            assert_eq!(note(About::Session, text.to_owned()), Body::Note(Note::plain(About::Session, text)));
        }
    }

    #[test]
    fn every_tool_of_version_1_is_taken_at_its_word() {
        let words = |words: &str| Some(Summary::Words(words.to_owned()));
        for (tool, content, says) in [
            ("read", "    1\tfn main() {}\n(1 line)", words("1 line")),
            ("read", "    1\ta\n(lines 1-50 of 212; go on with offset 51)", words("lines 1-50 of 212")),
            ("list", "src: 4 entries\na\nb", words("4 entries")),
            ("search", "4 matches in 2 files\na:1: x", words("4 matches in 2 files")),
            (
                "search",
                "no matches in 3 files (hidden by ignore files or binary)",
                words("no matches in 3 files"),
            ),
            (
                "edit",
                "edited a.rs: 1 replacement at line 4 (+3 -1 lines)",
                Some(Summary::Changed { added: 3, removed: 1 }),
            ),
            ("write", "created a.rs: 12 bytes, 1 line", words("created, 1 line")),
            ("shell", "a\nb\n", None),
            ("plan", "plan: 1 of 3 done, in progress: b", words("set")),
            ("mcp__x", "(odd", None),
            ("read", "", None),
        ] {
            assert_eq!(facts(tool, &Outcome::Ok, content).summary, says, "{tool}");
        }
        assert!(facts("shell", &Outcome::Ok, "(no output; exit code 0)").is_silent);
        assert_eq!(facts("shell", &Outcome::Failed, "a\nexit code 2").ended(), Some("exit code 2"));
        assert_eq!(facts("mcp__x", &Outcome::Failed, "a\nexit code 2").ended(), None);
        let began = facts("shell", &Outcome::Ok, "(nothing new)\n[b1: running for 3 s]");
        assert!(began.is_silent && began.background().is_some_and(|status| status.is_running));
        let other = facts("read", &Outcome::Ok, "x\n[b1: running for 3 s]");
        assert_eq!(other.background(), None);
    }

    #[test]
    fn who_cut_a_call_of_version_1_short_is_in_its_words() {
        for (words, by) in [
            ("Interrupted by user; was not started", CutBy::User),
            ("Stopped by the wall-time budget; was not started", CutBy::WallTime),
            ("Stopped, because another call needs an approval; was not started", CutBy::Approval),
        ] {
            assert_eq!(cut_by(words), by, "{words}");
        }
    }
}
