//! Tools that a server runs only as tasks: the SDK does not keep what is said of that, so it is read beside it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

/// Most names that are remembered; many more than tools that are taken.
const MOST_NAMES: usize = 4_096;
/// Most bytes of all names together.
const MOST_BYTES: usize = 1 << 20;
/// What stands in a message that says so.
const SIGN: &[u8] = b"taskSupport";

/// The tools of one server that need tasks, heard while its tools are listed.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    listens: AtomicBool,
    names: Mutex<BTreeSet<String>>,
}

impl Tasks {
    /// From now on messages are read.
    pub(super) fn listen(&self) {
        self.listens.store(true, Relaxed);
    }

    /// Whether messages are read.
    pub(super) fn listens(&self) -> bool {
        self.listens.load(Relaxed)
    }

    /// Reads a whole message of the server, which was weighed before.
    pub(super) fn hear(&self, message: &[u8]) {
        if !self.listens() || !message.windows(SIGN.len()).any(|part| part == SIGN) {
            return;
        }
        let Ok(message) = serde_json::from_slice::<Value>(message) else { return };
        let tools = message.get("result").and_then(|result| result.get("tools")).and_then(Value::as_array);
        let needs = |tool: &&Value| {
            tool.get("execution").and_then(|how| how.get("taskSupport")) == Some(&Value::from("required"))
        };
        let names = tools.into_iter().flatten().filter(needs).filter_map(|tool| tool.get("name")?.as_str());
        let mut known = self.names();
        let mut room = MOST_BYTES.saturating_sub(known.iter().map(String::len).sum());
        for name in names {
            if known.len() < MOST_NAMES && name.len() <= room {
                room -= name.len();
                known.insert(name.to_owned());
            }
        }
    }

    /// The names, by which the server calls them; nothing is read any more.
    pub(super) fn heard(&self) -> BTreeSet<String> {
        self.listens.store(false, Relaxed);
        std::mem::take(&mut *self.names())
    }

    fn names(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_take_bounded_memory() {
        let tasks = Tasks::default();
        tasks.listen();
        for number in 0..20 {
            let name = format!("{number:02}{}", "x".repeat(99_998));
            let page = format!(
                r#"{{"result":{{"tools":[{{"name":"{name}","execution":{{"taskSupport":"required"}}}}]}}}}"#
            );
            tasks.hear(page.as_bytes());
        }
        assert_eq!(tasks.heard().len(), MOST_BYTES / 100_000);
    }

    #[test]
    fn only_a_list_says_which_tools_need_tasks_and_only_while_one_listens() {
        let page = br#"{"result":{"tools":[
            {"name":"slow","execution":{"taskSupport":"required"}}, 3, {"execution":{"taskSupport":"required"}},
            {"name":"both","execution":{"taskSupport":"optional"}}, {"name":"plain"}, {"name":"odd","execution":7}]}}"#;
        let tasks = Tasks::default();
        tasks.hear(page);
        assert!(tasks.heard().is_empty());
        tasks.listen();
        for message in
            [&page[..], br#"{"result":{"content":[{"text":"taskSupport required"}]}}"#, b"taskSupport"]
        {
            tasks.hear(message);
        }
        assert_eq!(tasks.heard(), BTreeSet::from(["slow".to_owned()]));
        tasks.hear(page);
        assert!(tasks.heard().is_empty());
    }
}
