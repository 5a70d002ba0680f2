//! How the lanes of a race stand, in words.

use super::LaneStanding;
use crate::config::fault::one_line;
use crate::config::models::dollars;
use crate::ledger::{TaskState, seconds};
use crate::policy::shell::shell_word;
use crate::runtime::left_in_branch;
use crate::ui::report::ReportPart;
use crate::ui::text::{fit, sanitize};
use crate::view::ending_words_below;

/// What stands over the columns of a table of them.
pub(crate) const HEADS: [&str; 10] =
    ["lane", "model", "seed", "ended", "files", "lines", "turns", "cost", "time", "approvals"];
/// Cells of a model's name.
const MOST_OF_A_NAME: usize = 36;
/// Cells of what is known of a lane that was cut off, or why its check was not allowed.
const MOST_OF_A_REASON: usize = 300;

/// The cells of a lane.
pub(crate) fn row(lane: &LaneStanding) -> [String; 10] {
    let spent = lane.spent();
    let model = lane.model.as_deref().or(lane.terms.model.as_deref()).unwrap_or("-");
    let (files, lines) = match &lane.made {
        Some((_, [files, added, removed])) => (files.to_string(), format!("+{added} -{removed}")),
        None => ("-".to_owned(), "-".to_owned()),
    };
    let (allowed, denied) = lane.decided;
    let or_none = |said: Option<String>| said.unwrap_or_else(|| "-".to_owned());
    [
        lane.lane.to_string(),
        fit(&sanitize(model), MOST_OF_A_NAME),
        or_none(lane.terms.seed.map(|seed| seed.to_string())),
        ended(lane),
        files,
        lines,
        or_none(spent.map(|spent| spent.turns.to_string())),
        or_none(spent.and_then(|spent| spent.usage.cost).map(|cost| format!("${}", dollars(cost.0)))),
        or_none(spent.map(|spent| seconds(spent.wall_ms))),
        if denied > 0 { format!("{allowed}, {denied} denied") } else { allowed.to_string() },
    ]
}

/// How it ended, in a few words.
fn ended(lane: &LaneStanding) -> String {
    match (&lane.ended, &lane.session, &lane.settled) {
        _ if lane.damage.is_some() => "damaged".to_owned(),
        _ if lane.changed_from.is_some() && lane.has_passed() => "changed since".to_owned(),
        _ if lane.passed() => if lane.terms.check.is_some() { "passed" } else { "completed" }.to_owned(),
        (Some(ended), _, _) => ending_words_below(ended.reason).to_owned(),
        (None, None, None) if lane.waits => "waits".to_owned(),
        (None, None, _) => "not started".to_owned(),
        (None, Some(_), Some(_)) => "cut off".to_owned(),
        (None, Some(_), None) if lane.never_began() => "not started".to_owned(),
        (None, Some(_), None) if lane.forsaken.is_some() => "cut off".to_owned(),
        (None, Some(_), None) if lane.asks => "waits for you".to_owned(),
        (None, Some(_), None) => "at work".to_owned(),
    }
}

/// What to do next.
pub(crate) fn next(lanes: &[LaneStanding], adopt: &str) -> Vec<String> {
    let of_lane = |lane: &LaneStanding| match (&lane.made, left_behind(lane)) {
        (Some(_), _) => {
            let adopted = if lane.is_adopted { ", and is adopted: this folder has its changes" } else { "" };
            Some(format!("lane {} is the branch {}{adopted}", lane.lane, lane.terms.branch))
        }
        (None, Some(worktree)) => Some(format!("lane {} left its worktree behind: {worktree}", lane.lane)),
        (None, None) => None,
    };
    let of_lane = |lane: &LaneStanding| {
        let why = reason(lanes, lane);
        let outside = outside(lane).map(|said| format!("lane {}: {said}", lane.lane));
        let obeyed = obeyed(lane).map(|files| format!("lane {} changes {files}", lane.lane));
        why.into_iter().chain(of_lane(lane)).chain(changed(lane)).chain(outside).chain(obeyed)
    };
    let of_lanes = lanes.iter().flat_map(of_lane).chain(forsaken(lanes));
    of_lanes.chain(half_adopted(lanes)).chain(taking(lanes, adopt)).collect()
}

/// Why a lane ended as it did. What several were not started for is said once, with the first of them, and so is what is wrong with the session
/// of their race.
fn reason(lanes: &[LaneStanding], lane: &LaneStanding) -> Option<String> {
    let said = why(lane)?;
    let is_shared = |one: &LaneStanding| is_rejected(one) || one.damage.is_some();
    let is_alike = |other: &&LaneStanding| {
        other.lane == lane.lane || is_shared(lane) && is_shared(other) && why(other).as_ref() == Some(&said)
    };
    let alike: Vec<u64> = lanes.iter().filter(is_alike).map(|lane| lane.lane).collect();
    let is_first = alike.first() == Some(&lane.lane);
    let which = if alike.len() == 1 { "lane" } else { "lanes" };
    let numbers: Vec<String> = alike.iter().map(u64::to_string).collect();
    is_first.then(|| format!("{which} {} ({}): {said}", numbers.join(", "), ended(lane)))
}

/// Whether it was not started because something about it did not fit: what to do about that is the end of the reason.
fn is_rejected(lane: &LaneStanding) -> bool {
    lane.settled.as_ref().is_some_and(|settled| settled.state == TaskState::Rejected)
}

/// That its session is damaged; that its check was not allowed; why it was not started; or what is known of it when it was cut off.
fn why(lane: &LaneStanding) -> Option<String> {
    if let Some(damage) = &lane.damage {
        return Some(one_line(damage));
    }
    if let (Some(check), Some(refused)) = (&lane.terms.check, &lane.check_refused) {
        let said = one_line(&format!("the check `{check}` was not allowed: {refused}"));
        return Some(fit(&said, MOST_OF_A_REASON));
    }
    let said = lane.why.as_deref()?;
    // What follows an empty line is about its worktree, which the branch or the folder tells better.
    let line = one_line(said.trim().split("\n\n").next()?);
    let whole = || if is_rejected(lane) { line.clone() } else { fit(&line, MOST_OF_A_REASON) };
    (!line.is_empty()).then(whole)
}

/// That its branch is not what the lane made any more, and how to have that again.
pub(super) fn changed(lane: &LaneStanding) -> Option<String> {
    let made = lane.changed_from.as_ref()?;
    let (number, branch) = (lane.lane, &lane.terms.branch);
    let when = if lane.terms.check.is_some() { "its last check" } else { "the lane had ended" };
    Some(format!(
        "the branch of lane {number} was changed after {when}: `git branch -f {} {}` makes it what it was then; \
         to take the changes along, merge the branch with git",
        shell_word(branch),
        shell_word(made)
    ))
}

/// Which files of it are not adopted. Its check has seen them.
fn outside(lane: &LaneStanding) -> Option<String> {
    let said = left_in_branch(&lane.outside)?;
    let checked =
        if lane.passed() { format!("; {} refers to all its files", ended(lane)) } else { String::new() };
    Some(format!("{}{checked}", sanitize(&said)))
}

/// Files that a person should see before they are adopted: nobody starts them by name.
fn obeyed(lane: &LaneStanding) -> Option<String> {
    const MOST_NAMED: usize = 5;
    let named: Vec<String> = lane
        .obeyed
        .iter()
        .take(MOST_NAMED)
        .map(|path| sanitize(&path.escape_debug().to_string()).into_owned())
        .collect();
    let more = lane.obeyed.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let what = "what other programs run or obey by themselves";
    (!named.is_empty()).then(|| format!("{what}: {}{more}; look at it before you adopt it", named.join(", ")))
}

/// The worktree that a lane has left.
fn left_behind(lane: &LaneStanding) -> Option<String> {
    let worktree = lane.worktree.as_ref().filter(|_| lane.settled.is_some() && lane.made.is_none());
    worktree.map(|worktree| worktree.display().to_string())
}

/// What becomes of lanes whose process is gone.
fn forsaken(lanes: &[LaneStanding]) -> Option<String> {
    let forsaken: Vec<&LaneStanding> = lanes.iter().filter(|lane| lane.forsaken.is_some()).collect();
    let session = forsaken.first()?.forsaken.as_deref()?;
    let named = |never_began: bool| {
        let those = forsaken.iter().filter(|lane| lane.never_began() == never_began);
        let numbers: Vec<String> = those.map(|lane| lane.lane.to_string()).collect();
        let lanes = if numbers.len() == 1 { "lane" } else { "lanes" };
        (!numbers.is_empty()).then(|| format!("{lanes} {}", numbers.join(", ")))
    };
    let settles = "settles what was spent and keeps what was made as branches";
    let (gone, does) = match (named(false), named(true)) {
        (Some(ran), Some(never)) => {
            (format!("the process that ran {ran} is gone, and {never} never began"), settles)
        }
        (Some(ran), None) => (format!("the process that ran {ran} is gone"), settles),
        (None, never) => {
            let never = never.unwrap_or_default();
            (
                format!("the process of the race was gone before {never} began"),
                "gives back what was set aside",
            )
        }
    };
    Some(format!("{gone}: `countersign resume {}` {does}", shell_word(session)))
}

/// That the folder may have a part of a lane, and how it is taken back.
fn half_adopted(lanes: &[LaneStanding]) -> Option<String> {
    let lane = lanes.iter().find(|lane| lane.is_half_adopted)?.lane;
    Some(format!(
        "the adoption of lane {lane} was cut off, so this folder may have a part of its changes: /undo in the \
         session of the race takes them back"
    ))
}

/// How a result is taken: that of the first lane that passed. Nothing is offered while one is taken, or a part of one.
fn taking(lanes: &[LaneStanding], adopt: &str) -> Option<String> {
    if lanes.iter().any(|lane| lane.is_adopted || lane.is_half_adopted) {
        return None;
    }
    let first = lanes.iter().find(|lane| lane.made.is_some() && lane.passed())?;
    Some(format!("{adopt} {} takes lane {} into this folder", first.lane, first.lane))
}

/// The page of them.
pub(crate) fn page(lanes: &[LaneStanding]) -> Vec<ReportPart> {
    // What a person decides stands first: on most screens the lanes reach below the edge.
    let next = taking(lanes, "/adopt").into_iter().chain(half_adopted(lanes)).chain(forsaken(lanes));
    let next: Vec<ReportPart> = next.map(ReportPart::Note).collect();
    let mut parts = Vec::new();
    if !next.is_empty() {
        parts.push(ReportPart::Heading("next".to_owned()));
        parts.extend(next);
    }
    for lane in lanes {
        let [number, model, seed, ended, files, lines, turns, cost, time, approvals] = row(lane);
        parts.push(ReportPart::Heading(format!("lane {number} · {ended}")));
        parts.extend(why(lane).map(|why| ReportPart::fact("reason", why)));
        parts.push(ReportPart::fact("model", model));
        if lane.terms.seed.is_some() {
            parts.push(ReportPart::fact("seed", seed));
        }
        let changes = match files.as_str() {
            "-" => "none".to_owned(),
            "1" => format!("1 file, {lines}"),
            _ => format!("{files} files, {lines}"),
        };
        parts.push(ReportPart::fact("changes", changes));
        if lane.made.is_some() {
            parts.push(ReportPart::fact("branch", &lane.terms.branch));
            parts.extend(lane.is_adopted.then(|| ReportPart::fact("adopted", "this folder has its changes")));
            parts.extend(changed(lane).map(ReportPart::Note));
            parts.extend(outside(lane).map(|said| ReportPart::fact("not adopted", said)));
            parts.extend(obeyed(lane).map(|said| ReportPart::fact("look first", said)));
        } else if let Some(worktree) = left_behind(lane) {
            parts.push(ReportPart::fact("left behind", worktree));
        }
        let turns = if turns == "1" { "1 turn".to_owned() } else { format!("{turns} turns") };
        // Of one at work the time is known up to its last entry, which may be long ago: `/fleet` has the time until now.
        let time = Some(time).filter(|_| lane.so_far.is_none());
        let spent =
            [Some(turns), Some(cost), time].into_iter().flatten().filter(|said| !said.starts_with('-'));
        let until = if lane.so_far.is_some() { "spent so far" } else { "spent" };
        let spent = spent.collect::<Vec<_>>().join(", ");
        parts.extend((!spent.is_empty()).then(|| ReportPart::fact(until, spent)));
        parts.push(ReportPart::fact("approvals", approvals));
    }
    parts
}
