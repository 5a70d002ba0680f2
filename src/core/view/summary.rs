//! What a call is about, in one line.

use serde_json::Value;

use crate::ledger::Arguments;

use super::plan;
use super::plan::PlanProgress;

/// One line for a call's arguments: the command, the path, the pattern; not yet safe for a screen.
pub fn summary(arguments: &Arguments) -> String {
    let members = match arguments {
        Arguments::Unusable(text) => return first_line(text),
        Arguments::Object(members) => members,
    };
    if let Some(command) = arguments.text("command") {
        return format!("$ {}", first_line(command));
    }
    if let Some(question) = arguments.text("question") {
        return first_line(question);
    }
    if let Some(items) = plan::read(arguments) {
        return PlanProgress::of(&items).words();
    }
    if let Some(said) = task(members).or_else(|| adopted(members)) {
        return said;
    }
    let path = arguments.text("path");
    if let Some(pattern) = arguments.text("pattern") {
        return match path {
            Some(path) => format!("\"{}\" in {path}", first_line(pattern)),
            None => format!("\"{}\"", first_line(pattern)),
        };
    }
    if let Some(path) = path {
        return match (number(arguments, "offset"), number(arguments, "limit")) {
            (None, None) => path.to_owned(),
            (from, None) => format!("{path} from line {}", from.unwrap_or(1)),
            (from, Some(limit)) => {
                let from = from.unwrap_or(1);
                format!("{path} lines {from}-{}", from.saturating_add(limit).saturating_sub(1))
            }
        };
    }
    if arguments.are_left_out() {
        return Arguments::LEFT_OUT.to_owned();
    }
    // An address needs no name before it.
    let address = arguments.text("url").map(first_line);
    let has_address = address.is_some();
    let others = members.iter().filter(|(name, _)| !has_address || *name != "url");
    let others = others.map(|(name, value)| format!("{name}={}", short(value)));
    address.into_iter().chain(others).collect::<Vec<_>>().join(" ")
}

/// What another agent is asked to do, after the name of the task that it goes on with.
fn task(members: &serde_json::Map<String, Value>) -> Option<String> {
    let task = first_line(members.get("task")?.as_str()?);
    // What a sub-agent is told beside it is how, not what.
    let hows = ["task", "task_id", "background", "model", "seed", "check", "base", "branch"];
    if !members.keys().all(|name| hows.contains(&name.as_str())) {
        return None;
    }
    let named = members.get("task_id").or(members.get("model")).and_then(Value::as_str).map(first_line);
    let seed = members.get("seed").map(|seed| format!("seed {seed}"));
    Some([named, seed, Some(task)].into_iter().flatten().collect::<Vec<_>>().join(" · "))
}

/// The lane that is adopted, and the files that it changed.
fn adopted(members: &serde_json::Map<String, Value>) -> Option<String> {
    let lane = members.get("lane")?.as_u64()?;
    let files = members.get("files")?.as_array()?.iter().filter_map(Value::as_str).map(first_line);
    Some(format!("lane {lane} · {}", files.collect::<Vec<_>>().join(", ")))
}

fn number(arguments: &Arguments, member: &str) -> Option<u64> {
    match arguments {
        Arguments::Object(members) => members.get(member)?.as_u64(),
        Arguments::Unusable(_) => None,
    }
}

fn short(value: &Value) -> String {
    match value {
        Value::String(text) => first_line(text),
        other => first_line(&other.to_string()),
    }
}

/// The first line, and a sign when there is more.
fn first_line(text: &str) -> String {
    const MOST: usize = 400;
    let mut lines = text.trim().lines();
    let line = lines.next().unwrap_or("");
    let first: String = line.chars().take(MOST).collect();
    if first.len() < line.len() {
        format!("{first}…")
    } else if lines.next().is_some() {
        format!("{first} …")
    } else {
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: Value) -> String {
        summary(&Arguments::from_value(value))
    }

    #[test]
    fn every_shape_of_arguments_has_a_line() {
        use serde_json::json;
        assert_eq!(of(json!({"command": "cargo test\necho x"})), "$ cargo test …");
        assert_eq!(of(json!({"path": "a.rs", "offset": 10, "limit": 5})), "a.rs lines 10-14");
        assert_eq!(of(json!({"pattern": "empty", "path": "tests"})), "\"empty\" in tests");
        assert_eq!(of(json!({"a": 1, "b": "x y"})), "a=1 b=x y");
        assert_eq!(of(json!({"url": "https://a.example/b"})), "https://a.example/b");
        assert_eq!(of(json!({"a": 1, "url": "https://a.example"})), "https://a.example a=1");
        let plan = |states: &[&str]| {
            let item = |(at, state): (usize, &&str)| json!({"text": format!("step {at}"), "status": state});
            of(json!({"items": states.iter().enumerate().map(item).collect::<Vec<_>>()}))
        };
        assert_eq!(plan(&["completed", "pending", "in_progress"]), "1 of 3 done · now: step 2");
        assert_eq!(plan(&["completed", "pending", "pending"]), "1 of 3 done · next: step 1");
        assert_eq!(plan(&["completed", "completed"]), "all 2 done");
        assert_eq!(plan(&[]), "cleared");
        assert_eq!(of(json!({"items": ["a"]})), "items=[\"a\"]");
        assert_eq!(of(json!({"task": "Write.\nWell."})), "Write. …");
        assert_eq!(of(json!({"task": "A haiku.", "task_id": "t-1"})), "t-1 · A haiku.");
        let lane = json!({"task": "Mend it.", "model": "a/b", "seed": 7, "base": "c0", "branch": "race/1/1"});
        assert_eq!(of(lane), format!("a/b · seed {} · Mend it.", 7));
        assert_eq!(of(json!({"task": "A haiku.", "to": "x"})), "task=A haiku. to=x");
        assert_eq!(of(json!({})), "");
        assert_eq!(of(json!({"(left out)": true})), "(left out)");
        assert_eq!(of(json!("{\"cut")), "{\"cut");
    }
}
