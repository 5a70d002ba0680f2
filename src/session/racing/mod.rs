//! Races: one task for several sub-agents of the user's, each in a git worktree of its own; what came of each lane, and taking
//! what one of them made.

mod adopting;
mod lanes;
mod point;
mod racer;
mod told;

use std::path::Path;

use uuid::Uuid;

use crate::agent::Race;
use crate::tool::name::LANE;
use point::point;

pub(crate) use adopting::{adoption, drop_branches};
pub(crate) use lanes::{LaneStanding, lanes};
pub(crate) use point::Point;
pub(crate) use racer::Racer;
pub(crate) use told::{HEADS, next, page, row};

use super::subagents::LaneTerms;
use crate::ui::RaceWish;
use crate::ui::text::counted;

/// Lanes that a race has, if nothing says how many.
const LANES: u64 = 3;

/// The race that is wanted, from what the repository of this folder is now; and where its lanes begin.
///
/// # Errors
/// One sentence: there is no repository, or as [`race`].
pub(crate) fn race_in(folder: &Path, wish: &RaceWish) -> Result<(Race, Point), String> {
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
    let models: Vec<Option<&String>> = match wish.models.as_slice() {
        [] => vec![None],
        models => models.iter().map(Some).collect(),
    };
    let pairs: Vec<(&String, Option<&String>)> =
        wish.prompts.iter().flat_map(|prompt| models.iter().map(move |model| (prompt, *model))).collect();
    let least = pairs.len() as u64;
    let lanes = wish.lanes.unwrap_or(if least == 1 { LANES } else { least });
    if least == 0 {
        return Err("a race needs a task: say what to do".to_owned());
    }
    if lanes < least.max(2) {
        return Err(format!(
            "{} for {} of a task and a model is too few: each pair needs a lane, and a race needs two",
            counted(lanes, "lane"),
            counted(least, "pair")
        ));
    }
    let terms = pairs.iter().cycle().zip(1..=lanes).map(|((prompt, model), lane)| LaneTerms {
        task: (*prompt).clone(),
        model: model.cloned(),
        check: wish.check.clone(),
        base: point.commit.clone(),
        branch: format!("race/{id}/{lane}"),
    });
    let terms: Vec<LaneTerms> = terms.collect();
    for one in &terms {
        one.goal()?;
    }
    let lanes = (1..).zip(&terms).map(|(lane, one): (u64, _)| (format!("{LANE}{lane}"), one.arguments()));
    Ok(Race { typed: typed(wish, terms.len(), point), lanes: lanes.collect() })
}

/// As it stands in the conversation.
fn typed(wish: &RaceWish, lanes: usize, point: &Point) -> String {
    let mut said = vec![format!("Race with {lanes} lanes: {}", wish.prompts.join(" | "))];
    said.extend(wish.check.as_ref().map(|check| format!("check: {check}")));
    said.extend((!wish.models.is_empty()).then(|| format!("models: {}", wish.models.join(", "))));
    said.extend(point.left_out());
    said.join("\n")
}
#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(
        prompts: &[&str],
        models: &[&str],
        lanes: Option<u64>,
    ) -> Result<Vec<(String, Option<String>)>, String> {
        let all = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let wish = RaceWish { prompts: all(prompts), models: all(models), lanes, check: None };
        let point = Point { commit: "a".repeat(40), untracked: 0 };
        let race = race(&wish, &point, "x")?;
        let said = race.lanes.iter().map(|(_, arguments)| {
            (arguments.text("task").unwrap().to_owned(), arguments.text("model").map(str::to_owned))
        });
        Ok(said.collect())
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
        assert!(lanes(&["t"], &[], Some(1)).is_err() && lanes(&["s", "t"], &["a", "b"], Some(3)).is_err());
        assert!(lanes(&[], &[], None).is_err());
    }
}
