//! Receipts: what exactly was approved, so that nothing else runs under its name.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::fingerprint;
use crate::ledger::{Arguments, CallId, Decider, Scope};

/// One approval of one exact action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The call.
    pub call: CallId,
    /// [`digest`] of the tool's name and the canonical arguments.
    pub digest: String,
    /// The tool.
    pub tool: String,
    /// The folder in which it was to run.
    pub cwd: String,
    /// How far the approval goes.
    pub scope: Scope,
    /// Who decided.
    pub decider: Decider,
    /// The rule that decided, as it is written, if one did.
    pub rule: Option<String>,
}

/// SHA-256 of the exact action, in lower-case hexadecimal: 64 characters.
pub fn digest(tool: &str, arguments: &Arguments) -> String {
    let hash = Sha256::digest(fingerprint(tool, arguments).as_bytes());
    let mut text = String::with_capacity(hash.len() * 2);
    for byte in hash {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").unwrap_or_default();
    }
    text
}

impl Receipt {
    /// Checks that what is about to run is what was approved.
    ///
    /// # Errors
    /// A sentence that says what is different: it is another action then, and needs a decision of its own.
    pub fn holds_for(
        &self,
        call: CallId,
        tool: &str,
        arguments: &Arguments,
        cwd: &str,
    ) -> Result<(), String> {
        let different =
            |what: &str| Err(format!("{what} is not what was approved, so it needs its own approval"));
        if self.scope == Scope::Once && self.call != call {
            return different("the call");
        }
        if self.tool != tool {
            return different("the tool");
        }
        if self.cwd != cwd {
            return different("the folder");
        }
        if self.digest != digest(tool, arguments) {
            return different("what it would do");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(value: serde_json::Value) -> Arguments {
        Arguments::from_value(value)
    }

    fn receipt(scope: Scope) -> Receipt {
        Receipt {
            call: CallId(7),
            digest: digest("shell", &arguments(json!({ "command": "ls", "timeout_seconds": 5 }))),
            tool: "shell".into(),
            cwd: "/home/a".into(),
            scope,
            decider: Decider::User,
            rule: None,
        }
    }

    #[test]
    fn the_digest_is_sha_256_of_the_exact_action() {
        let digest = digest("shell", &arguments(json!({ "command": "ls" })));
        assert_eq!(digest, "3b5b2c53cd45a4efd2539f991d5de0041441c1b0c51fe6f2c358f02a9a91ca32");
    }

    #[test]
    fn edited_arguments_are_another_action() {
        let receipt = receipt(Scope::Once);
        let same = arguments(json!({ "timeout_seconds": 5, "command": "ls" }));
        assert_eq!(receipt.holds_for(CallId(7), "shell", &same, "/home/a"), Ok(()));
        let edited = arguments(json!({ "command": "ls ", "timeout_seconds": 5 }));
        for (call, tool, arguments, cwd, what) in [
            (CallId(8), "shell", &same, "/home/a", "the call"),
            (CallId(7), "shell2", &same, "/home/a", "the tool"),
            (CallId(7), "shell", &same, "/home/b", "the folder"),
            (CallId(7), "shell", &edited, "/home/a", "what it would do"),
        ] {
            let wrong = receipt.holds_for(call, tool, arguments, cwd).unwrap_err();
            assert!(wrong.starts_with(what), "{wrong}");
        }
    }

    #[test]
    fn an_approval_for_the_session_holds_for_later_calls_of_the_same_action() {
        let same = arguments(json!({ "command": "ls", "timeout_seconds": 5 }));
        assert_eq!(receipt(Scope::Session).holds_for(CallId(9), "shell", &same, "/home/a"), Ok(()));
    }
}
