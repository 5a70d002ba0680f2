//! Who else may speak: commands of the user that hear of what happens, and may tighten it.

mod answer;
mod combine;
mod payload;
mod point;

pub use answer::{HookAnswer, HookDecision, notes};
pub use combine::{
    HookFeedback, PreTool, PreVerdict, StopVerdict, UserPrompt, combine_pre_tool, combine_stop, combine_told,
    combine_user_prompt,
};
pub use payload::{Payload, Start};
pub use point::HookPoint;

use crate::policy::wildcard;

/// Names one run of the hooks of a point; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HookId(pub u64);

/// All hooks of a point that listen are to hear this.
#[derive(Debug, Clone, PartialEq)]
pub struct HookCall {
    /// Which run.
    pub id: HookId,
    /// What it is about; says at which point.
    pub payload: Payload,
}

impl HookCall {
    /// Where it happens.
    pub fn point(&self) -> HookPoint {
        self.payload.point()
    }
}

/// One hook as configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSpec {
    /// When it runs.
    pub point: HookPoint,
    /// For `sh -c`.
    pub command: String,
    /// When to give up, in milliseconds.
    pub timeout_ms: u64,
    /// Names of the tools it wants to hear of, `*` for any text; empty: all.
    pub matcher: Vec<String>,
}

impl HookSpec {
    /// Whether it wants to hear of this tool; `None`: of something that is about no tool.
    pub fn applies(&self, tool_name: Option<&str>) -> bool {
        let name = tool_name.unwrap_or_default();
        self.matcher.is_empty() || self.matcher.iter().any(|pattern| wildcard(pattern, name))
    }

    /// Whether it wants to hear of this.
    pub fn listens(&self, payload: &Payload) -> bool {
        self.point == payload.point() && self.applies(payload.tool_name())
    }

    /// The command as it is named in messages: one line, not too long.
    pub fn label(&self) -> String {
        const MOST_CHARS: usize = 60;
        let line = self.command.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(MOST_CHARS) {
            Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
            None => line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(matcher: &[&str]) -> HookSpec {
        HookSpec {
            point: HookPoint::PreTool,
            command: "  check \n all ".to_owned(),
            timeout_ms: 1000,
            matcher: matcher.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    #[test]
    fn a_matcher_names_tools() {
        assert!(spec(&[]).applies(Some("shell")) && spec(&[]).applies(None));
        assert!(spec(&["*"]).applies(Some("shell")) && spec(&["*"]).applies(None));
        let some = spec(&["write", "mcp__*__get"]);
        assert!(some.applies(Some("write")) && some.applies(Some("mcp__x__get")));
        assert!(!some.applies(Some("writer")) && !some.applies(Some("Write")) && !some.applies(None));
    }

    #[test]
    fn a_hook_listens_at_its_own_point_alone() {
        assert!(!spec(&[]).listens(&Payload::UserPrompt { prompt: String::new() }));
        let stop = HookSpec { point: HookPoint::Stop, ..spec(&[]) };
        assert!(stop.listens(&Payload::Stop { text: String::new(), stop_hook_active: false }));
    }

    #[test]
    fn a_label_is_one_short_line() {
        assert_eq!(spec(&[]).label(), "check all");
        let long = HookSpec { command: "ä".repeat(61), ..spec(&[]) };
        assert_eq!(long.label(), format!("{}…", "ä".repeat(60)));
    }
}
