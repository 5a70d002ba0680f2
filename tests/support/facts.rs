//! Any facts that a result can tell, for properties of the session file.

use countersign::ledger::{
    AttachedFile, BackgroundStatus, Body, CallId, Change, ChangedFile, CommandState, FORMAT_VERSION, Facts,
    FileContent, FilesRestored, Image, Mode, ModelRef, Pastes, SessionStarted, Summary, UserMessage,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::entries::text;

/// The number of an entry or a call.
pub(crate) fn number() -> impl Strategy<Value = u64> {
    0..=(1_u64 << 53)
}

pub(crate) fn background() -> impl Strategy<Value = BackgroundStatus> {
    (text(), any::<[bool; 3]>(), text()).prop_map(|(id, [is_running, is_lost, has_failed], words)| {
        BackgroundStatus { id, is_running, is_lost, has_failed, words }
    })
}

pub(crate) fn facts() -> impl Strategy<Value = Facts> {
    let changed = any::<[u64; 2]>().prop_map(|[added, removed]| Summary::Changed { added, removed });
    let summary = option::of(prop_oneof![text().prop_map(Summary::Words), changed]);
    let background = background().prop_map(CommandState::Background);
    let command = option::of(prop_oneof![text().prop_map(CommandState::Ended), background]);
    let blocked = vec(text(), 0..3);
    (summary, command, any::<[bool; 3]>(), blocked, vec(changed_file(), 0..3)).prop_map(
        |(summary, command, [is_silent, is_from_editor, is_answered], blocked_hosts, files)| Facts {
            summary,
            command,
            is_silent,
            blocked_hosts,
            is_from_editor,
            files,
            is_answered,
            is_elsewhere: false,
        },
    )
}

fn changed_file() -> impl Strategy<Value = ChangedFile> {
    let content = || {
        prop_oneof![
            Just(FileContent::Absent),
            text().prop_map(FileContent::Sha256),
            any::<u64>().prop_map(FileContent::Large),
        ]
    };
    (text(), content(), content()).prop_map(|(path, before, after)| ChangedFile { path, before, after })
}

/// A file of a message.
pub fn attached() -> impl Strategy<Value = AttachedFile> {
    let texts = proptest::array::uniform4(text());
    (any::<[u64; 5]>(), texts).prop_map(
        |([first, last, of_lines, cut_bytes, cut_chars], [path, sha256, confirmed, text])| AttachedFile {
            path,
            first,
            last,
            of_lines,
            sha256,
            confirmed,
            cut_bytes,
            cut_chars,
            text: text.into(),
        },
    )
}

/// How a session began.
pub(crate) fn started(model: impl Strategy<Value = ModelRef>) -> impl Strategy<Value = Body> {
    let mode = option::of(proptest::sample::select(Mode::ALL));
    let texts = (text(), text(), text(), option::of(text()));
    (texts, model, 0..=FORMAT_VERSION, mode).prop_map(
        |((session, cwd, system, forked_from), model, version, mode)| {
            let begins = SessionStarted { session, cwd, model, version, system, mode, forked_from };
            Body::SessionStarted(begins)
        },
    )
}

/// Files that were put back.
pub(crate) fn restored() -> impl Strategy<Value = Body> {
    let files = || vec(text(), 0..3);
    (number(), files(), files(), files()).prop_map(|(since, restored, deleted, left)| {
        Body::Change(Change::FilesRestored(FilesRestored { since: CallId(since), restored, deleted, left }))
    })
}

/// A message, all of which was pasted.
pub(crate) fn message_of((content, images, files): (String, Vec<Image>, Vec<AttachedFile>)) -> UserMessage {
    UserMessage { pastes: Pastes::of(&content, vec![(0, content.len())]), content, images, files }
}

/// What was opened of the sandbox, and closed again.
pub(crate) fn opened() -> impl Strategy<Value = Body> {
    prop_oneof![
        text().prop_map(|host| Change::HostOpened { host }),
        text().prop_map(|host| Change::HostClosed { host }),
        (vec(text(), 0..3), option::of(number()))
            .prop_map(|(gaps, call)| Change::GapsAccepted { gaps, call: call.map(CallId) }),
        Just(Change::GapsRefused),
        (proptest::sample::select(Mode::ALL), any::<bool>())
            .prop_map(|(mode, resumed)| Change::Mode { mode, resumed }),
        (text(), text()).prop_map(|(head, signature)| Change::Sealed { head, signature }),
    ]
    .prop_map(Body::Change)
}
