//! A lane of a race: a sub-agent that the user starts, with a model, a worktree and a check of its own.

use crate::agent::{Intent, MODEL, SEED};
use crate::config::subagents::Subagent;
use crate::goal::Draft;
use crate::ledger::{Arguments, Goal, UserMessage};
use crate::runtime::is_commit;
use crate::tool::name::LANE;

/// The most lanes that a race has.
pub(crate) const MOST_LANES: u64 = 16;

const WORKS: &str = "You are one of several that do the same task at the same time, each in a worktree of the repository of its \
    own. What the best of you has made is taken. Nobody answers questions: decide yourself. Do all of the task and nothing beyond \
    it, and check what you did. End with what you did, which files you changed, what you checked and how, and what you left undone.";

/// The lanes that there can be.
pub(super) fn lanes() -> impl Iterator<Item = Subagent> {
    (1..=MOST_LANES).map(|lane| Subagent {
        name: format!("{LANE}{lane}"),
        description: "A lane of a race.".to_owned(),
        instructions: WORKS.to_owned(),
        tools: None,
        without: Vec::new(),
        model: None,
        mode: None,
        turns: None,
        in_background: true,
        in_worktree: true,
        file: None,
        is_off: false,
    })
}

/// Whether this is one: no model is offered it.
pub(super) fn is_lane(subagent: &Subagent) -> bool {
    subagent.file.is_none() && subagent.name.starts_with(LANE)
}

/// What a lane is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LaneTerms {
    /// What it is to do.
    pub(crate) task: String,
    /// The model, as it is named; `None`: that of the session.
    pub(crate) model: Option<String>,
    /// The seed of its requests, if it has one.
    pub(crate) seed: Option<u64>,
    /// The command whose exit code says whether the task is done.
    pub(crate) check: Option<String>,
    /// The commit that it begins with.
    pub(crate) base: String,
    /// The branch that its changes become.
    pub(crate) branch: String,
}

impl LaneTerms {
    /// As the arguments of its call.
    pub(crate) fn arguments(&self) -> Arguments {
        let Self { task, model, seed, check, base, branch } = self;
        let known = [("task", Some(task)), (MODEL, model.as_ref()), ("check", check.as_ref())];
        let known = known.into_iter().chain([("base", Some(base)), ("branch", Some(branch))]);
        let texts = known.filter_map(|(name, said)| Some((name.to_owned(), said?.as_str().into())));
        let seed = seed.map(|seed| (SEED.to_owned(), seed.into()));
        Arguments::Object(texts.chain(seed).collect())
    }

    /// From those.
    ///
    /// # Errors
    /// What is missing, or names neither a commit nor a branch of a race.
    pub(crate) fn read(arguments: &Arguments) -> Result<Self, String> {
        let text = |name: &str| arguments.text(name).map(str::to_owned);
        let base = text("base").filter(|base| is_commit(base)).ok_or("it names no commit to begin with")?;
        let is_branch = |branch: &String| {
            let fits = |c: char| c.is_ascii_alphanumeric() || c == '/' || c == '-';
            branch.starts_with("race/") && branch.chars().all(fits) && !branch.contains("//")
        };
        let branch = text("branch").filter(is_branch).ok_or("it names no branch of a race")?;
        let task = text("task").filter(|task| !task.trim().is_empty()).ok_or("it has no task")?;
        let seed = match arguments {
            Arguments::Object(members) => members.get(SEED),
            Arguments::Unusable(_) => None,
        };
        let seed = seed.map(|seed| seed.as_u64().ok_or("its seed is not a number")).transpose()?;
        Ok(Self { task, model: text(MODEL), seed, check: text("check"), base, branch })
    }

    /// What it pursues, if it has a check.
    ///
    /// # Errors
    /// Why that cannot be a goal, in one sentence.
    pub(crate) fn goal(&self) -> Result<Option<Goal>, String> {
        let Some(check) = &self.check else { return Ok(None) };
        Draft { objective: self.task.clone(), command: check.clone(), ..Draft::default() }.settle().map(Some)
    }

    pub(super) fn begins(&self) -> Result<Intent, String> {
        Ok(match self.goal()? {
            Some(goal) => Intent::Pursue(Box::new(goal), UserMessage::text("")),
            None => Intent::Submit(UserMessage::text(self.task.as_str())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_lane_is_given_can_be_read_again_and_names_nothing_else() {
        let terms = LaneTerms {
            task: "Make the parser accept empty input".to_owned(),
            model: Some("small".to_owned()),
            seed: Some(7),
            check: Some("cargo test".to_owned()),
            base: "a".repeat(40),
            branch: "race/0a1b/1".to_owned(),
        };
        assert_eq!(LaneTerms::read(&terms.arguments()), Ok(terms.clone()));
        assert!(matches!(terms.begins(), Ok(Intent::Pursue(..))));
        let plain = LaneTerms { model: None, seed: None, check: None, ..terms.clone() };
        assert_eq!(LaneTerms::read(&plain.arguments()), Ok(plain.clone()));
        assert!(matches!(plain.begins(), Ok(Intent::Submit(_))));
        for task in ["", " \n"] {
            let blank = LaneTerms { task: task.to_owned(), ..terms.clone() };
            assert!(LaneTerms::read(&blank.arguments()).is_err(), "nothing would begin");
        }
        for base in ["HEAD", "--upload-pack=x", "A"] {
            assert!(
                LaneTerms::read(&LaneTerms { base: base.to_owned(), ..terms.clone() }.arguments()).is_err()
            );
        }
        for branch in ["main", "race/../../x", "race//x", "race/a b"] {
            let other = LaneTerms { branch: branch.to_owned(), ..terms.clone() };
            assert!(LaneTerms::read(&other.arguments()).is_err(), "{branch}");
        }
    }
}
