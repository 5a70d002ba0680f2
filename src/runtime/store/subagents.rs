//! The sessions of sub-agents: each has the id of the session that started it, and the call: `ID-c7`.

use std::path::Path;

use uuid::Uuid;

use crate::ledger::Millis;

use super::place::folder;

/// Letters of the id of a session that a person began.
const UUID: usize = 36;

/// Whether a session has an id as ours have: a whole UUID in lower case. None of these begins with another, and none is that of a sub-agent.
pub fn is_whole(id: &str) -> bool {
    Uuid::try_parse(id).is_ok_and(|uuid| uuid.to_string() == id)
}

/// The id of the session that started this one; `None`: no session did.
pub fn started_by(id: &str) -> Option<&str> {
    // The last group of an id can look like a call.
    let mut calls = id.get(UUID..)?.strip_prefix("-c")?.split("-c");
    let is_call = |call: &str| !call.is_empty() && call.bytes().all(|byte| byte.is_ascii_digit());
    if !calls.all(is_call) {
        return None;
    }
    Some(id.rsplit_once("-c")?.0)
}

/// The ids of the sessions above this one, nearest first.
pub fn above(id: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(started_by(id), |&above| started_by(above))
}

/// The id of a sub-agent's session that can be made: it would never begin where another file has its name. One without a byte is no
/// session.
///
/// # Errors
/// A sentence: there is another file.
pub fn free_id<'i>(state: &Path, id: &'i str, at: Millis) -> Result<&'i str, String> {
    let path = folder(state, at).join(format!("{id}.jsonl"));
    match path.symlink_metadata() {
        Ok(found) if !found.is_file() || found.len() > 0 => Err(format!(
            "session {id} exists already and does not belong to this sub-agent; look at {}, and move it away",
            path.display()
        )),
        Ok(_) | Err(_) => Ok(id),
    }
}

/// Whether a file is the session of a sub-agent.
pub fn is_of_subagent(path: &Path) -> bool {
    path.file_stem().and_then(|stem| stem.to_str()).is_some_and(|id| started_by(id).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_uuid_in_lower_case_is_an_id_of_ours() {
        let id = "01a212db-4b20-75c8-900c-c85deed01609";
        assert!(is_whole(id));
        let written_otherwise =
            [id.to_uppercase(), id.replace('-', ""), format!("{{{id}}}"), format!("urn:uuid:{id}")];
        for other in written_otherwise {
            assert!(!is_whole(&other), "{other}");
        }
        for other in ["", "s1", "01a212db-4b20-75c8-900c", &format!("{id}-c1"), &format!("{id}0")] {
            assert!(!is_whole(other), "{other}");
        }
    }

    #[test]
    fn all_that_are_above_are_known_from_the_id() {
        let id = "01a212db-4b20-75c8-900c-a85deed01609";
        let (one, two) = (format!("{id}-c7"), format!("{id}-c7-c12"));
        assert_eq!(above(&two).collect::<Vec<_>>(), [one.as_str(), id]);
        assert_eq!(above(&one).collect::<Vec<_>>(), [id]);
        assert_eq!(above(id).count(), 0);
    }

    #[test]
    fn an_id_says_whether_a_session_started_it() {
        let id = "01a212db-4b20-75c8-900c-a85deed01609";
        assert_eq!(started_by(&format!("{id}-c7")), Some(id));
        assert_eq!(started_by(&format!("{id}-c7-c12")), Some(&*format!("{id}-c7")));
        let like_a_call = "01a212db-4b20-75c8-900c-c12345678901";
        assert_eq!(started_by(&format!("{like_a_call}-c1")), Some(like_a_call));
        for none in [
            id,
            like_a_call,
            "01a2-c7",
            "-c7",
            &format!("{id}-c7x"),
            &format!("{id}-c"),
            &format!("{id}x-c1"),
        ] {
            assert_eq!(started_by(none), None, "{none}");
        }
    }
}
