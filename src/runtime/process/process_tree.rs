//! The processes of this machine as `/proc` tells them: who started whom, and who carries which mark.

use std::collections::BTreeSet;
use std::sync::OnceLock;

/// A process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Relative {
    pub(super) id: i32,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    /// It has ended and nobody has asked how.
    pub(super) is_ended: bool,
    /// When it began, in the system's own ticks.
    pub(super) began: u64,
}

/// All that can be seen. Empty where there is no `/proc`.
pub(super) fn all() -> Vec<Relative> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| of(entry.file_name().to_str()?.parse().ok()?)).collect()
}

/// What this process, `own_id`, has started, and what those started, as far as they are still there: all that is left of
/// its commands, since orphans become its own children. The rest of the machine is not looked at. `None` where the
/// kernel keeps no lists of children.
pub(super) fn descendants(own_id: i32) -> Option<Vec<Relative>> {
    // The first thread of this process does not end while it runs: if it has no list, there are none.
    std::fs::metadata(format!("/proc/self/task/{own_id}/children")).ok()?;
    let mut found = Vec::new();
    let mut known = BTreeSet::from([own_id]);
    let mut to_ask = vec![own_id];
    while let Some(parent) = to_ask.pop() {
        for id in children_of(parent).into_iter().filter(|id| known.insert(*id)) {
            to_ask.push(id);
            found.extend(of(id));
        }
    }
    Some(found)
}

/// The ids of a process's children, by the lists of its threads. One that has ended has none: its children have another
/// parent by now.
fn children_of(id: i32) -> Vec<i32> {
    let threads = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let mut ids = Vec::new();
    for thread in threads {
        // A child that is waited for while the list is read makes the kernel skip another: it is read twice.
        for _ in 0..2 {
            let list = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            ids.extend(list.split_whitespace().filter_map(|id| id.parse::<i32>().ok()));
        }
    }
    ids
}

/// This one; `None` when it is gone.
pub(super) fn of(id: i32) -> Option<Relative> {
    parse(&std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
}

/// The session of this program: 0 when it began outside of what can be seen from here, as it does for a command that is
/// run inside a container that was there before. `None` where there is no `/proc`.
pub(super) fn own_session() -> Option<i32> {
    static SESSION: OnceLock<Option<i32>> = OnceLock::new();
    let read = || parse(&std::fs::read_to_string("/proc/self/stat").ok()?);
    *SESSION.get_or_init(|| read().map(|own| own.session))
}

/// The children of a process that is this one, by its threads' own lists where the kernel keeps them.
pub(super) fn children(own_id: i32) -> Vec<Relative> {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists: Option<Vec<String>> =
        threads.map(|thread| std::fs::read_to_string(thread.path().join("children")).ok()).collect();
    match lists {
        Some(lists) if !lists.is_empty() => {
            let ids = lists.iter().flat_map(|list| list.split_whitespace());
            ids.filter_map(|id| of(id.parse().ok()?)).collect()
        }
        _ => all().into_iter().filter(|one| one.parent == own_id).collect(),
    }
}

/// The children of this process, `own_id`, whose own parents have ended: they come to its first thread.
pub(super) fn adopted(own_id: i32) -> Vec<Relative> {
    match std::fs::read_to_string(format!("/proc/self/task/{own_id}/children")) {
        Ok(list) => list.split_whitespace().filter_map(|id| of(id.parse().ok()?)).collect(),
        Err(_) => children(own_id),
    }
}

/// Whether the environment with which it began says `name=value`. To be read of one's own processes alone.
pub(super) fn carries(id: i32, name: &str, value: &str) -> bool {
    let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
    let variable = format!("{name}={value}");
    environment.split(|byte| *byte == 0).any(|one| one == variable.as_bytes())
}

/// `ID (NAME) STATE PARENT GROUP SESSION …`; the name may hold anything, parentheses too.
fn parse(line: &str) -> Option<Relative> {
    let id = line.split(' ').next()?.parse().ok()?;
    let fields: Vec<&str> = line.rsplit_once(") ")?.1.split(' ').collect();
    let number = |at: usize| fields.get(at)?.parse().ok();
    Some(Relative {
        id,
        is_ended: matches!(*fields.first()?, "Z" | "X"),
        parent: number(1)?,
        group: number(2)?,
        session: number(3)?,
        began: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_whatever_the_program_is_called() {
        let line = "42 (a) Z 1 (b) S 7 40 39 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2";
        let found = Relative { id: 42, parent: 7, group: 40, session: 39, is_ended: false, began: 987_654 };
        assert_eq!(parse(line), Some(found));
        assert!(parse(&line.replace(" S ", " Z ")).unwrap().is_ended);
        for torn in ["", "42", "42 (sh) S", "42 (sh) S 1 2 x"] {
            assert_eq!(parse(torn), None, "{torn}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn descendants_are_found_beside_one_that_has_ended_and_nobody_else_is() {
        let me = i32::try_from(std::process::id()).unwrap();
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        let mut alive = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let id = |child: &std::process::Child| i32::try_from(child.id()).unwrap();
        while !of(id(&ended)).is_some_and(|one| one.is_ended) {
            std::thread::yield_now();
        }
        let found = descendants(me).unwrap();
        assert!(found.iter().any(|one| one.id == id(&alive)));
        assert!(found.iter().all(|one| one.id != 1 && one.id != me));
        alive.kill().unwrap();
        alive.wait().unwrap();
        ended.wait().unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_finds_itself() {
        let me = i32::try_from(std::process::id()).unwrap();
        let found = all().into_iter().find(|one| one.id == me).unwrap();
        assert_eq!(found, of(me).unwrap());
        assert!(!found.is_ended && found.parent > 0);
    }
}
