//! The sessions of sub-agents: each has the id of the session that started it, and the call: `ID-c7`.

use std::path::Path;

/// The id of the session that started this one; `None`: no session did.
pub fn started_by(id: &str) -> Option<&str> {
    let (parent, call) = id.rsplit_once("-c")?;
    let is_call = !call.is_empty() && call.bytes().all(|byte| byte.is_ascii_digit());
    (is_call && !parent.is_empty()).then_some(parent)
}

/// Whether a file is the session of a sub-agent.
pub fn is_of_subagent(path: &Path) -> bool {
    path.file_stem().and_then(|stem| stem.to_str()).is_some_and(|id| started_by(id).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_whether_a_session_started_it() {
        let id = "01a212db-4b20-75c8-900c-a85deed01609";
        assert_eq!(started_by(&format!("{id}-c7")), Some(id));
        assert_eq!(started_by(&format!("{id}-c7-c12")), Some(&*format!("{id}-c7")));
        for none in [id, "01a2-c", "01a2-cafe", "-c7", "a-c7x"] {
            assert_eq!(started_by(none), None, "{none}");
        }
    }
}
