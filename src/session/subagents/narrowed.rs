//! What a sub-agent has of the session that starts it: also of one whose process is gone, as its agent file says today.

use std::collections::BTreeMap;

use super::given_tools::has;
use super::lane::is_lane;
use super::maker::SubagentMaker;
use super::offered::{terms, tools};
use super::refusal::why_not;
use crate::agent::{FinalResponse, Settings};
use crate::config::Config;
use crate::config::subagents::Subagent;
use crate::ledger::HOSTED;
use crate::tool::DELEGATE_TO;
use crate::tool::name::ASK;

impl SubagentMaker {
    /// Those that it may start itself: none that stands above it, so that no task comes back to where it came from.
    pub(super) fn below(&self, subagent: &Subagent) -> Vec<Subagent> {
        below(&self.known, &self.above, subagent)
    }

    /// What is left of the settings of this session for the last of these sub-agents, each of which started the next. Where one is not
    /// known any more, it is what the one before had.
    pub(super) fn had(&self, names: &[String], mut settings: Settings) -> Settings {
        let (mut known, mut above) = (self.known.clone(), self.above.clone());
        for name in names {
            let Some(one) = known.iter().find(|one| one.name == *name).cloned() else { break };
            known = below(&known, &above, &one);
            settings = narrowed(settings, &one, &known, &self.config);
            above.push(one.name);
        }
        settings
    }
}

fn below(known: &[Subagent], above: &[String], subagent: &Subagent) -> Vec<Subagent> {
    let may = |other: &&Subagent| why_not(above, subagent, &other.name).is_none() && !is_lane(other);
    known.iter().filter(may).cloned().collect()
}

/// The settings of whoever starts it, without what is theirs alone and the tools that it may not have.
pub(super) fn narrowed(
    settings: Settings,
    subagent: &Subagent,
    below: &[Subagent],
    config: &Config,
) -> Settings {
    let mut settings = Settings {
        token_budget: None,
        final_response: FinalResponse::SameCall,
        answer_schema: None,
        model_seed: None,
        // It is about calls of that session.
        overruled: BTreeMap::new(),
        ruled: BTreeMap::new(),
        // What a file restricts holds for all that works below it.
        loosest_mode: [settings.loosest_mode, subagent.mode].into_iter().flatten().min(),
        subagents: terms(below, config),
        ..settings
    };
    // Questions go to whoever gave the task.
    settings.tools.retain(|tool| tool.name != ASK && has(subagent, &tool.name));
    settings.withheld.extend(HOSTED.into_iter().filter(|tool| !has(subagent, tool)));
    settings.tools.retain(|tool| !tool.name.starts_with(DELEGATE_TO));
    settings.tools.extend(tools(below));
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::ModelRef;
    use crate::model::ModelSpec;
    use crate::policy::Mode;

    #[test]
    fn the_mode_of_an_agent_file_holds_for_all_that_works_below_it() {
        let config = Config::default();
        let one = |mode| Subagent { name: "mine".to_owned(), mode, ..Subagent::default() };
        let loosest = |settings: Settings, mode| narrowed(settings, &one(mode), &[], &config);
        let settings = || Settings::new(ModelSpec::unknown(ModelRef::parse("script")));
        assert_eq!(loosest(settings(), None).loosest_mode, None);
        let plan = loosest(settings(), Some(Mode::Plan));
        assert_eq!(plan.loosest_mode, Some(Mode::Plan));
        for below in [None, Some(Mode::Edit)] {
            assert_eq!(loosest(plan.clone(), below).loosest_mode, Some(Mode::Plan), "{below:?}");
        }
        let edit = loosest(settings(), Some(Mode::Edit));
        assert_eq!(loosest(edit, Some(Mode::Ask)).loosest_mode, Some(Mode::Ask));
    }
}
