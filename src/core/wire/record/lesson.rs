//! A lesson as a note with a member of its own: versions that do not know the member read the note.

use serde_json::{Map, Value, json};

use crate::ledger::{EntryId, LearnedLimit, ModelRef, ProviderLimit};

use super::fields::{Fields, put};

const MEMBER: &str = "lesson";
const REASONING: &str = "reasoning_refused";
const OUTPUT: &str = "output_limit";
const WINDOW: &str = "window";
const TOOL: &str = "tool_refused";

pub(super) fn write(record: &mut Map<String, Value>, learned: &LearnedLimit) {
    let of_model = |kind: &str, model: &ModelRef, most: &u64| json!({ "kind": kind, "model": model.to_string(), "most": most });
    let lesson = match &learned.lesson {
        ProviderLimit::ReasoningRefused => json!({ "kind": REASONING }),
        ProviderLimit::OutputLimit { model, most } => of_model(OUTPUT, model, most),
        ProviderLimit::Window { model, most } => of_model(WINDOW, model, most),
        ProviderLimit::ToolRefused { tool } => json!({ "kind": TOOL, "tool": tool }),
    };
    put(
        record,
        json!({ "about": learned.about.to_string(), "text": learned.lesson.sentence(), MEMBER: lesson }),
    );
}

/// The lesson of a note. `None`: it has none, or one that only a later version knows.
pub(super) fn read(fields: &Fields<'_>) -> Option<LearnedLimit> {
    let about = EntryId::parse(fields.str("about").ok()?)?;
    let lesson = fields.get(MEMBER)?;
    let model = || Some(ModelRef::parse(lesson.get("model")?.as_str()?));
    let most = || lesson.get("most")?.as_u64().filter(|most| *most > 0);
    let lesson = match lesson.get("kind")?.as_str()? {
        REASONING => ProviderLimit::ReasoningRefused,
        OUTPUT => ProviderLimit::OutputLimit { model: model()?, most: most()? },
        WINDOW => ProviderLimit::Window { model: model()?, most: most()? },
        TOOL => ProviderLimit::ToolRefused { tool: lesson.get("tool")?.as_str()?.to_owned() },
        _ => return None,
    };
    Some(LearnedLimit { about, lesson })
}
