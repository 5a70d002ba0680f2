//! Races: one task for several sub-agents of the user's, each in a git worktree of its own; what came of each lane, and taking
//! what one of them made.

mod adopting;
mod decisions;
mod lanes;
mod point;
mod racer;
mod seeds;
mod told;

use std::path::Path;

use uuid::Uuid;

use crate::agent::Race;
use crate::config::Config;
use crate::config::environment::Environment;
use crate::tool::name::LANE;
use point::point;
use seeds::check_models;

pub(crate) use adopting::{adoption, branches_of, drop_branches};
pub(crate) use lanes::{LaneStanding, audited_lanes, lanes, lanes_of};
pub(crate) use point::Point;
pub(crate) use racer::Racer;
pub(crate) use seeds::takes_seed;
pub(crate) use told::{HEADS, next, page, row};

use super::subagents::{LaneTerms, MOST_LANES};
use crate::ui::RaceWish;

/// Lanes that a race has, if nothing says how many.
const LANES: u64 = 3;

/// The race that is wanted, from what the repository of this folder is now; and where its lanes begin. The configuration finds the
/// models that it names.
///
/// # Errors
/// One sentence: a model that cannot be used or takes no seed, there is no repository, or as [`race`].
pub(crate) fn race_in(
    folder: &Path,
    wish: &RaceWish,
    config: &Config,
    environment: &Environment,
) -> Result<(Race, Point), String> {
    if config.subagents.most_at_once == 0 {
        return Err("sub-agents are switched off here (agents.max_parallel is 0)".to_owned());
    }
    check_models(wish, config, environment)?;
    let point = point(folder)?;
    // The last of an id is random.
    let new = Uuid::now_v7().to_string();
    Ok((race(wish, &point, new.rsplit('-').next().unwrap_or_default())?, point))
}

/// The race that is wanted, from this point in a repository. `id` tells its branches from those of other races.
///
/// # Errors
/// One sentence: nothing to do, a task that cannot be checked, or too few lanes.
fn race(wish: &RaceWish, point: &Point, id: &str) -> Result<Race, String> {
    if wish.prompts.is_empty() || wish.prompts.iter().any(|prompt| prompt.trim().is_empty()) {
        return Err("a race needs a task: say what to do".to_owned());
    }
    let models: Vec<Option<&String>> = match wish.models.as_slice() {
        [] => vec![None],
        models => models.iter().map(Some).collect(),
    };
    let seeds: Vec<Option<u64>> = match wish.seeds.as_slice() {
        [] => vec![None],
        seeds => seeds.iter().copied().map(Some).collect(),
    };
    let kinds: Vec<Kind<'_>> =
        wish.prompts.iter().flat_map(|prompt| kinds(prompt, &models, &seeds)).collect();
    let least = kinds.len() as u64;
    let lanes = wish.lanes.unwrap_or(if least == 1 { LANES } else { least });
    if lanes > MOST_LANES {
        return Err(format!("a race can have at most {MOST_LANES} lanes, not {lanes}"));
    }
    if lanes < least && least > 1 {
        let each = "each combination of a task, a model and a seed has a lane";
        return Err(format!("this race needs at least {least} lanes, not {lanes}: {each}"));
    }
    if lanes < 2 {
        return Err(format!("a race needs at least 2 lanes, not {lanes}"));
    }
    let terms = kinds.iter().cycle().zip(1..=lanes).map(|((prompt, model, seed), lane)| LaneTerms {
        task: (*prompt).clone(),
        model: model.cloned(),
        seed: *seed,
        check: wish.check.clone(),
        base: point.commit.clone(),
        branch: format!("race/{id}/{lane}"),
    });
    let terms: Vec<LaneTerms> = terms.collect();
    for one in &terms {
        one.goal()?;
    }
    let lanes = (1..).zip(&terms).map(|(lane, one): (u64, _)| (format!("{LANE}{lane}"), one.arguments()));
    Ok(Race { typed: typed(wish, terms.len(), point), line: wish.line(), lanes: lanes.collect() })
}

/// What sets a lane apart: its task, its model and its seed.
type Kind<'w> = (&'w String, Option<&'w String>, Option<u64>);

fn kinds<'w>(prompt: &'w String, models: &[Option<&'w String>], seeds: &[Option<u64>]) -> Vec<Kind<'w>> {
    models.iter().flat_map(|model| seeds.iter().map(move |seed| (prompt, *model, *seed))).collect()
}

/// As it stands in the conversation.
fn typed(wish: &RaceWish, lanes: usize, point: &Point) -> String {
    let mut said = vec![format!("Race with {lanes} lanes: {}", wish.prompts.join(" | "))];
    said.extend(wish.check.as_ref().map(|check| format!("check: {check}")));
    said.extend((!wish.models.is_empty()).then(|| format!("models: {}", wish.models.join(", "))));
    let seeds: Vec<String> = wish.seeds.iter().map(u64::to_string).collect();
    said.extend((!seeds.is_empty()).then(|| format!("seeds: {}", seeds.join(", "))));
    said.extend(point.left_out());
    said.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Arguments;

    fn lanes(
        prompts: &[&str],
        models: &[&str],
        lanes: Option<u64>,
    ) -> Result<Vec<(String, Option<String>)>, String> {
        let all = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let wish = RaceWish { prompts: all(prompts), models: all(models), lanes, ..RaceWish::default() };
        let point = Point { commit: "a".repeat(40), untracked: 0 };
        let race = race(&wish, &point, "x")?;
        let said = race.lanes.iter().map(|(_, arguments)| {
            (arguments.text("task").unwrap().to_owned(), arguments.text("model").map(str::to_owned))
        });
        Ok(said.collect())
    }

    #[test]
    fn too_few_lanes_are_refused_with_how_many_it_takes() {
        assert_eq!(lanes(&["t"], &[], Some(1)), Err("a race needs at least 2 lanes, not 1".to_owned()));
        let few = lanes(&["t"], &["a", "b", "c"], Some(2)).unwrap_err();
        assert!(few.starts_with("this race needs at least 3 lanes, not 2: each combination"), "{few}");
    }

    #[test]
    fn every_task_meets_every_model_and_they_are_repeated_up_to_the_number_of_lanes() {
        let lane = |task: &str, model: &str| (task.to_owned(), (!model.is_empty()).then(|| model.to_owned()));
        assert_eq!(lanes(&["t"], &[], None), Ok(vec![lane("t", ""); 3]));
        assert_eq!(lanes(&["t"], &["a", "b"], None), Ok(vec![lane("t", "a"), lane("t", "b")]));
        assert_eq!(
            lanes(&["s", "t"], &["a", "b"], Some(5)),
            Ok(vec![lane("s", "a"), lane("s", "b"), lane("t", "a"), lane("t", "b"), lane("s", "a")])
        );
        let wish = RaceWish {
            prompts: vec!["t".to_owned()],
            models: vec!["a".to_owned(), "b".to_owned()],
            seeds: vec![1, 2],
            ..RaceWish::default()
        };
        let seeded = race(&wish, &Point { commit: "a".repeat(40), untracked: 0 }, "x").unwrap();
        let terms = |(_, arguments): &(String, Arguments)| LaneTerms::read(arguments).unwrap();
        let pairs = seeded.lanes.iter().map(terms).map(|terms| (terms.model.unwrap(), terms.seed.unwrap()));
        let wanted = [("a", 1), ("a", 2), ("b", 1), ("b", 2)].map(|(model, seed)| (model.to_owned(), seed));
        assert_eq!(pairs.collect::<Vec<_>>(), wanted);
        assert!(seeded.typed.contains("seeds: 1, 2"), "{}", seeded.typed);
        assert!(lanes(&["t"], &[], Some(1)).is_err() && lanes(&["s", "t"], &["a", "b"], Some(3)).is_err());
        assert!(lanes(&[], &[], None).is_err());
        for blank in [&[""][..], &["  "], &["t", " \n"]] {
            assert!(lanes(blank, &[], None).unwrap_err().contains("needs a task"), "{blank:?}");
        }
        assert!(lanes(&["t"], &[], Some(16)).is_ok());
        assert!(lanes(&["t"], &[], Some(17)).unwrap_err().contains("at most 16 lanes"));
    }
}
