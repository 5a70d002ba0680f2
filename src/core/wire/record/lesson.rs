//! A lesson as a note with a member of its own: versions that do not know the member read the note.

use serde_json::{Map, Value, json};

use crate::ledger::{EntryId, Learned, Lesson, ModelRef};

use super::fields::{Fields, put};

const MEMBER: &str = "lesson";
const REASONING: &str = "reasoning_refused";
const OUTPUT: &str = "output_limit";
const WINDOW: &str = "window";
const TOOL: &str = "tool_refused";

pub(super) fn write(record: &mut Map<String, Value>, learned: &Learned) {
    let of_model = |kind: &str, model: &ModelRef, most: &u64| json!({ "kind": kind, "model": model.to_string(), "most": most });
    let lesson = match &learned.lesson {
        Lesson::ReasoningRefused => json!({ "kind": REASONING }),
        Lesson::OutputLimit { model, most } => of_model(OUTPUT, model, most),
        Lesson::Window { model, most } => of_model(WINDOW, model, most),
        Lesson::ToolRefused { tool } => json!({ "kind": TOOL, "tool": tool }),
    };
    put(
        record,
        json!({ "about": learned.about.to_string(), "text": learned.lesson.sentence(), MEMBER: lesson }),
    );
}

/// The lesson of a note. `None`: it has none, or one that only a later version knows.
pub(super) fn read(fields: &Fields<'_>) -> Option<Learned> {
    let about = EntryId::parse(fields.str("about").ok()?)?;
    let lesson = fields.get(MEMBER)?;
    let model = || Some(ModelRef::parse(lesson.get("model")?.as_str()?));
    let most = || lesson.get("most")?.as_u64().filter(|most| *most > 0);
    let lesson = match lesson.get("kind")?.as_str()? {
        REASONING => Lesson::ReasoningRefused,
        OUTPUT => Lesson::OutputLimit { model: model()?, most: most()? },
        WINDOW => Lesson::Window { model: model()?, most: most()? },
        TOOL => Lesson::ToolRefused { tool: lesson.get("tool")?.as_str()?.to_owned() },
        _ => return None,
    };
    Some(Learned { about, lesson })
}
