//! What was read of sessions for lists, kept until their files change. Only a cache: it may be missing, damaged or old at
//! any time, nothing is proved with it, and no check reads it.

use std::fs::{Metadata, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest as _, Sha256};

use crate::ledger::Millis;

use super::plain;
use super::summary::Summary;

/// The file, in the state folder.
const NAME: &str = "sessions.cache";
/// Its first line: another version is another cache.
const HEAD: &str = "countersign sessions list 3\n";
/// Most bytes of it that are read.
const MOST: u64 = 256 * 1024 * 1024;
/// Most bytes of the words of a session in it. One with more is read each time.
const MOST_OF_ONE: usize = 16 * 1024;
/// Sessions that have to be read anew before the cache is written again.
const WORTH: usize = 32;
/// Bytes of the hash at its end.
const HASH: usize = 32;
/// What a field has escapes for; no path with one is kept.
const ESCAPED: [char; 4] = ['\\', '\n', '\r', '\t'];
/// A file that changed this recently may change again without a trace: clocks of file systems are coarse.
const SETTLED: Duration = Duration::from_secs(2);

/// What a file was when it was read. The time of its last change cannot be set by programs, unlike that of its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    content: (i64, i64),
    change: (i64, i64),
}

impl Stamp {
    fn of(found: &Metadata) -> Option<Self> {
        found.is_file().then(|| Self {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            content: (found.mtime(), found.mtime_nsec()),
            change: (found.ctime(), found.ctime_nsec()),
        })
    }

    /// Whether the file has not changed for a while. A time in the future is not known to have passed.
    fn is_older_than(&self, now: SystemTime) -> bool {
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let Ok(changed) = u64::try_from(self.change.0) else { return false };
        Duration::from_secs(changed).saturating_add(SETTLED) < now
    }

    fn fields(&self) -> [String; 7] {
        [
            self.device.to_string(),
            self.inode.to_string(),
            self.size.to_string(),
            self.content.0.to_string(),
            self.content.1.to_string(),
            self.change.0.to_string(),
            self.change.1.to_string(),
        ]
    }

    fn read<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        Some(Self {
            device: fields.next()?.parse().ok()?,
            inode: fields.next()?.parse().ok()?,
            size: fields.next()?.parse().ok()?,
            content: (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?),
            change: (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?),
        })
    }
}

/// What is made of one file.
#[derive(Debug)]
pub(super) struct ListedFile {
    pub(super) summary: Result<Summary, String>,
    /// What the file was, if what was read of it can be kept.
    pub(super) stamp: Option<Stamp>,
    /// Whether it was read now.
    pub(super) is_fresh: bool,
}

/// Whether a session that was read now can be kept: as long as its file stays what it was.
pub(super) fn stamp_of(summary: &Summary, found: &Metadata, now: SystemTime) -> Option<Stamp> {
    let words = [&summary.cwd, &summary.model, &summary.first_message].map(String::len).iter().sum::<usize>()
        + summary.name.as_ref().map_or(0, String::len)
        + summary.tags.iter().map(String::len).sum::<usize>();
    let can_be_kept = found.len() == summary.bytes
        && words <= MOST_OF_ONE
        && summary.path.to_str().is_some_and(|path| !path.contains(ESCAPED));
    Stamp::of(found).filter(|stamp| can_be_kept && stamp.is_older_than(now))
}

/// The cache as it was found.
#[derive(Debug, Default)]
pub(super) struct ListCache {
    text: String,
    /// Where in it each line begins, its path ends, and it ends itself; ordered by the paths.
    lines: Vec<(usize, usize, usize)>,
}

impl ListCache {
    /// Reads it; one that is missing or damaged is empty.
    pub(super) fn load(state: &Path) -> Self {
        Self::read(state).unwrap_or_default()
    }

    fn read(state: &Path) -> Option<Self> {
        let mut bytes = plain::read(&path(state), MOST).ok()?;
        let length = bytes.len().checked_sub(HASH)?;
        let (text, hash) = bytes.split_at_checked(length)?;
        if Sha256::digest(text).as_slice() != hash {
            return None;
        }
        bytes.truncate(length);
        let text = String::from_utf8(bytes).ok()?;
        if !text.starts_with(HEAD) {
            return None;
        }
        let (mut lines, mut begin) = (Vec::new(), HEAD.len());
        for end in memchr::memchr_iter(b'\n', text.as_bytes()).skip(1) {
            let path_end = begin + text.get(begin..end)?.find('\t')?;
            lines.push((begin, path_end, end));
            begin = end + 1;
        }
        let mut cache = Self { text, lines: Vec::new() };
        // They are written in this order.
        lines.sort_by(|one, other| cache.path_of(one).cmp(cache.path_of(other)));
        cache.lines = lines;
        Some(cache)
    }

    fn path_of(&self, (begin, path_end, _): &(usize, usize, usize)) -> &str {
        self.text.get(*begin..*path_end).unwrap_or_default()
    }

    /// What stands in the line of a session after its path. `near`: where the line is if nothing has changed since it was written.
    fn line(&self, path: &str, near: usize) -> Option<&str> {
        let is_it = |line: &&(usize, usize, usize)| self.path_of(line) == path;
        let (_, path_end, end) = self.lines.get(near).filter(is_it).or_else(|| {
            let found = self.lines.binary_search_by(|line| self.path_of(line).cmp(path)).ok()?;
            self.lines.get(found)
        })?;
        self.text.get(path_end + 1..*end)
    }

    /// What is known of a session whose file is still the same. Of `all` files, which are newest first, it is this one.
    pub(super) fn known(&self, path: &Path, (number, all): (usize, usize)) -> Option<(Summary, Stamp)> {
        let near = all.checked_sub(number + 1)?;
        let mut fields = self.line(path.to_str()?, near)?.split('\t');
        let stamp = Stamp::read(&mut fields)?;
        if Stamp::of(&std::fs::metadata(path).ok()?)? != stamp {
            return None;
        }
        let summary = summary(path, stamp.size, &mut fields)?;
        Some((summary, stamp))
    }

    /// Writes it again, if enough was read anew, or a session is gone: nothing of that one is kept. That this fails is told
    /// to the log alone.
    pub(super) fn renew(&self, state: &Path, files: &[PathBuf], listed: &[ListedFile]) {
        let is_known = |(number, path): &(usize, &PathBuf)| {
            let near = files.len() - number - 1;
            path.to_str().is_some_and(|path| self.line(path, near).is_some())
        };
        let fresh = listed.iter().filter(|one| one.is_fresh && one.stamp.is_some()).count();
        // What was not read now was taken from a line of its own: where that is each, no line is of a session that is gone.
        let taken = listed.iter().filter(|one| !one.is_fresh).count();
        let has_all = || files.iter().enumerate().filter(is_known).count() == self.lines.len();
        if fresh < WORTH && (taken == self.lines.len() || has_all()) {
            return;
        }
        let mut text = HEAD.to_owned();
        for one in listed.iter().rev() {
            if let (Ok(summary), Some(stamp)) = (&one.summary, &one.stamp) {
                write(&mut text, summary, stamp);
            }
        }
        if let Err(fault) = save(state, text.into_bytes()) {
            tracing::debug!(%fault, "the cache of the list of sessions cannot be written");
        }
    }
}

/// Forgets all that it has: a session is removed.
pub(super) fn forget(state: &Path) {
    std::fs::remove_file(path(state)).ok();
}

fn path(state: &Path) -> PathBuf {
    state.join(NAME)
}

/// A reader finds the old one or the new one.
fn save(state: &Path, mut text: Vec<u8>) -> std::io::Result<()> {
    let hash = Sha256::digest(&text);
    text.extend_from_slice(&hash);
    let mut file = tempfile::Builder::new()
        .prefix(NAME)
        .permissions(Permissions::from_mode(0o600))
        .tempfile_in(state)?;
    file.write_all(&text)?;
    file.persist(path(state)).map_err(|fault| fault.error)?;
    Ok(())
}

fn write(text: &mut String, summary: &Summary, stamp: &Stamp) {
    let Some(path) = summary.path.to_str() else { return };
    let optional =
        |value: &Option<String>| value.as_ref().map_or_else(|| "-".to_owned(), |v| format!("+{v}"));
    let fields = [
        summary.id.clone(),
        summary.cwd.clone(),
        summary.started.0.to_string(),
        summary.model.clone(),
        summary.first_message.clone(),
        optional(&summary.name),
        optional(&summary.ending),
        summary.entries.to_string(),
        u8::from(summary.is_sealed).to_string(),
    ];
    text.push_str(path);
    let all = stamp.fields().into_iter().chain(fields).chain(summary.tags.iter().cloned());
    for field in all {
        text.push('\t');
        escape(text, &field);
    }
    text.push('\n');
}

fn summary<'a>(path: &Path, bytes: u64, fields: &mut impl Iterator<Item = &'a str>) -> Option<Summary> {
    let mut field = || fields.next();
    let optional = |field: &str| field.strip_prefix('+').map(unescaped);
    let (id, cwd, started, model, first_message) = (field()?, field()?, field()?, field()?, field()?);
    let (name, ending, entries, is_sealed) = (field()?, field()?, field()?, field()?);
    Some(Summary {
        id: unescaped(id),
        cwd: unescaped(cwd),
        started: Millis(started.parse().ok()?),
        model: unescaped(model),
        first_message: unescaped(first_message),
        name: optional(name),
        ending: optional(ending),
        entries: entries.parse().ok()?,
        is_sealed: is_sealed == "1",
        tags: fields.map(unescaped).collect(),
        bytes,
        path: path.to_owned(),
    })
}

fn escape(text: &mut String, field: &str) {
    if !field.contains(ESCAPED) {
        return text.push_str(field);
    }
    for character in field.chars() {
        match character {
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            other => text.push(other),
        }
    }
}

fn unescaped(field: &str) -> String {
    if !field.contains('\\') {
        return field.to_owned();
    }
    let (mut text, mut characters) = (String::with_capacity(field.len()), field.chars());
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(other) => other,
                None => break,
            },
            other => other,
        });
    }
    text
}
