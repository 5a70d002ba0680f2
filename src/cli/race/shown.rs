//! The lanes of a race as a table, or one JSON object a lane.

use serde_json::{Value, json};

use crate::agent::SEED;
use crate::session::racing::{HEADS, LaneStanding, next, row};
use crate::ui::text::width;
use crate::wire::record;

/// What is told of them.
pub(super) fn lanes(lanes: &[LaneStanding], is_json: bool) -> String {
    if is_json {
        return lanes.iter().map(|lane| record::line(&as_json(lane)) + "\n").collect();
    }
    let has_seeds = lanes.iter().any(|lane| lane.terms.seed.is_some());
    let shown = |row: [String; 10]| -> Vec<String> {
        let is_shown = |head: &str| head != SEED || has_seeds;
        HEADS.iter().zip(row).filter(|(head, _)| is_shown(head)).map(|(_, cell)| cell).collect()
    };
    let rows: Vec<Vec<String>> =
        std::iter::once(HEADS.map(str::to_owned)).chain(lanes.iter().map(row)).map(shown).collect();
    let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max();
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let room = widest(column).unwrap_or(0).saturating_sub(width(cell));
            format!("{cell}{}", " ".repeat(room))
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let mut text: String = rows.iter().map(line).collect();
    text.push('\n');
    text.extend(next(lanes, "countersign race adopt").into_iter().map(|line| line + "\n"));
    text
}

fn as_json(lane: &LaneStanding) -> Value {
    let spent = lane.spent();
    json!({
        "lane": lane.lane,
        "task": lane.terms.task,
        "model": lane.model.as_deref().or(lane.terms.model.as_deref()),
        "seed": lane.terms.seed,
        "check": lane.terms.check,
        "session": lane.session,
        "waits": lane.waits,
        "asks": lane.asks,
        "adopted": lane.is_adopted,
        "adoption_cut_off": lane.is_half_adopted,
        "is_over": lane.settled.is_some(),
        "is_cut_off": lane.forsaken.is_some(),
        "passed": lane.passed(),
        "ending": lane.ended.as_ref().map(|ended| ended.reason.as_str()),
        "why": lane.why,
        "damage": lane.damage,
        "check_refused": lane.check_refused,
        "branch": lane.made.as_ref().map(|_| &lane.terms.branch),
        "commit": lane.made.as_ref().map(|(commit, _)| commit),
        "changed_from": lane.changed_from,
        "files": lane.made.as_ref().map(|(_, sums)| sums[0]),
        "files_outside": lane.made.as_ref().map(|_| &lane.outside),
        "added": lane.made.as_ref().map(|(_, sums)| sums[1]),
        "removed": lane.made.as_ref().map(|(_, sums)| sums[2]),
        "turns": spent.map(|spent| spent.turns),
        "cost": spent.and_then(|spent| spent.usage.cost).map(|cost| cost.0 as f64 / 1e6),
        "wall_ms": spent.map(|spent| spent.wall_ms),
        "approved": lane.decided.0,
        "denied": lane.decided.1,
    })
}
