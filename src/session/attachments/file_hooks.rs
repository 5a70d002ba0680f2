//! Hooks about files of a message: they hear of the call of a model that would return the same, before anything is sent.

use std::fmt;

use tokio::runtime::Builder;

use super::refusal::AttachmentRefusal;
use crate::hooks::{HookAnswer, HookCall, HookId, Payload, PreVerdict, combine_pre_tool, notes};
use crate::ledger::Arguments;
use crate::runtime::{CommandHooks, HookPort as _};

const NEXT: &str = "name another file, or put the path in `backquotes` to send it as text";

/// The hooks of a session, for what its messages name.
#[derive(Debug, Clone, Default)]
pub(super) struct FileHooks(Option<CommandHooks>);

impl FileHooks {
    pub(super) fn new(hooks: CommandHooks) -> Self {
        Self(Some(hooks))
    }

    /// Asks the hooks that listen, and waits for their answers. Returns why a person must be asked; empty, if there is no reason.
    /// Not for a thread that runs tasks.
    ///
    /// # Errors
    /// A hook blocks it, in its words.
    pub(super) fn ask(
        &self,
        name: &str,
        (tool, arguments): (&str, Arguments),
    ) -> Result<String, AttachmentRefusal> {
        let payload = Payload::PreTool { call: None, tool_name: tool.to_owned(), tool_input: arguments };
        let Some(hooks) = self.0.as_ref().filter(|hooks| hooks.listen(&payload)) else {
            return Ok(String::new());
        };
        let refuse = |why: &dyn fmt::Display| {
            AttachmentRefusal::new(format!("{name} cannot be attached: {why}"), NEXT)
        };
        let cannot = |failure| refuse(&format!("hooks cannot be started: {failure}"));
        let runtime = Builder::new_current_thread().enable_all().build().map_err(cannot)?;
        let answers = runtime.block_on(hooks.run(HookCall { id: HookId(0), payload }));
        let asks = judged(&answers).map_err(|why| refuse(&why))?;
        Ok(if asks.is_empty() { asks } else { format!("{name}: {asks}") })
    }
}

/// Why a person must be asked, or why it cannot be sent. There is no place in which the trouble of a hook could be shown while the
/// file is on its way, so it is shown before.
fn judged(answers: &[HookAnswer]) -> Result<String, String> {
    let said = combine_pre_tool(answers);
    if said.verdict == PreVerdict::Deny {
        return Err(format!("a hook blocks it: {}", said.reason()));
    }
    if let Some(changing) = answers.iter().find(|answer| answer.updated_input.is_some()) {
        return Err(format!(
            "the hook `{}` changes what is read, which it can do only with a call of the model",
            changing.hook
        ));
    }
    let troubled: Vec<HookAnswer> = answers
        .iter()
        .filter(|a| a.trouble.is_some())
        .map(|a| HookAnswer { remark: None, ..a.clone() })
        .collect();
    let asks = (said.verdict == PreVerdict::Ask).then(|| said.reason());
    Ok(asks.into_iter().chain(notes(&troubled)).collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::HookDecision;

    #[test]
    fn a_hook_blocks_asks_or_passes_and_its_trouble_asks() {
        let answer = HookAnswer { hook: "check".to_owned(), ..HookAnswer::default() };
        let with = |change: &dyn Fn(&mut HookAnswer)| {
            let mut changed = answer.clone();
            change(&mut changed);
            judged(&[HookAnswer::default(), changed])
        };
        let decides = |decision| {
            with(&|a| (a.decision, a.reason) = (Some(decision), Some("not for models".to_owned())))
        };
        assert_eq!(with(&|a| a.remark = Some("seen".to_owned())), Ok(String::new()));
        assert_eq!(decides(HookDecision::Allow), Ok(String::new()));
        assert_eq!(decides(HookDecision::Ask), Ok("not for models".to_owned()));
        assert_eq!(decides(HookDecision::Deny), Err("a hook blocks it: not for models".to_owned()));
        let prevents = with(&|a| a.prevent = Some("stop here".to_owned()));
        assert_eq!(prevents, Err("a hook blocks it: stop here".to_owned()));
        let troubled = with(&|a| a.trouble = Some("exit code 1".to_owned()));
        assert_eq!(troubled, Ok("hook `check`: exit code 1".to_owned()));
        let other = Arguments::Object(serde_json::Map::new());
        assert!(with(&|a| a.updated_input = Some(other.clone())).is_err_and(|why| why.contains("`check`")));
    }
}
