//! What a server on this machine tells about one of its models: the window in use, and what it can do.

use serde_json::Value;

use super::kind::Kind;
use crate::config::Facts;
use crate::model::Abilities;

/// The questions to ask, in the order in which [`facts`] takes the answers: path, and whether the model is named in
/// the body.
pub(super) fn questions(kind: Kind) -> &'static [(&'static str, bool)] {
    match kind {
        Kind::Ollama => &[("/api/show", true), ("/api/ps", false)],
        Kind::LlamaCpp => &[("/props", false)],
        Kind::Vllm => &[("/v1/models", false)],
        Kind::LmStudio => &[("/api/v0/models", false)],
    }
}

/// What the answers say about `name`. What nobody said stays unknown.
pub(super) fn facts(kind: Kind, name: &str, answers: &[Option<Value>]) -> Facts {
    let answer = |at: usize| answers.get(at).and_then(Option::as_ref);
    match kind {
        Kind::Ollama => of_ollama(name, answer(0), answer(1)),
        Kind::LlamaCpp => answer(0).map(of_llama_cpp).unwrap_or_default(),
        Kind::Vllm => answer(0).map(|models| of_vllm(models, name)).unwrap_or_default(),
        Kind::LmStudio => answer(0).map(|models| of_lm_studio(models, name)).unwrap_or_default(),
    }
}

/// A running model tells its window. One that is not loaded yet gets what its recipe says (`num_ctx`), and without
/// that at most what it was trained for.
fn of_ollama(name: &str, shown: Option<&Value>, running: Option<&Value>) -> Facts {
    let loaded = running.and_then(|running| {
        let models = running.get("models")?.as_array()?;
        let is_it = |model: &&Value| model.get("name").and_then(Value::as_str).is_some_and(|n| same(n, name));
        models.iter().find(is_it)?.get("context_length")?.as_u64()
    });
    let recipe = shown.and_then(|shown| {
        let lines = shown.get("parameters")?.as_str()?.lines();
        lines.filter_map(|line| line.trim().strip_prefix("num_ctx")?.trim().parse().ok()).next_back()
    });
    let trained = shown.and_then(|shown| {
        let facts = shown.get("model_info")?.as_object()?;
        facts.iter().find(|(name, _)| name.ends_with(".context_length"))?.1.as_u64()
    });
    let able = shown.and_then(|shown| shown.get("capabilities")?.as_array());
    let can = |ability: &str| able.map(|able| able.iter().any(|other| other.as_str() == Some(ability)));
    let abilities = Abilities {
        tools: can("tools"),
        vision: can("vision"),
        reasoning: can("thinking"),
        ..Abilities::default()
    };
    Facts { window: loaded.or(recipe).or(trained).filter(is_some_window), abilities, ..Facts::default() }
}

/// `qwen3` is `qwen3:latest`.
fn same(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.strip_suffix(":latest").unwrap_or(name).to_owned();
    plain(one) == plain(other)
}

fn of_llama_cpp(props: &Value) -> Facts {
    let window = ["/default_generation_settings/n_ctx", "/n_ctx"].into_iter();
    let window = window.filter_map(|path| props.pointer(path)?.as_u64()).find(is_some_window);
    let abilities = Abilities {
        tools: props.pointer("/chat_template_caps/supports_tools").and_then(Value::as_bool),
        vision: props.pointer("/modalities/vision").and_then(Value::as_bool),
        ..Abilities::default()
    };
    Facts { window, abilities, ..Facts::default() }
}

fn of_vllm(models: &Value, name: &str) -> Facts {
    let window = listed(models, name).and_then(|model| model.get("max_model_len")?.as_u64());
    Facts { window: window.filter(is_some_window), ..Facts::default() }
}

/// A loaded model tells its window; one that is not gets at most what it was made for.
fn of_lm_studio(models: &Value, name: &str) -> Facts {
    let Some(model) = listed(models, name) else { return Facts::default() };
    let number = |member: &str| model.get(member).and_then(Value::as_u64);
    let window = number("loaded_context_length").or(number("max_context_length"));
    let able = model.get("capabilities").and_then(Value::as_array);
    let abilities = Abilities {
        tools: able.map(|able| able.iter().any(|ability| ability.as_str() == Some("tool_use"))),
        vision: model.get("type").and_then(Value::as_str).map(|kind| kind == "vlm"),
        ..Abilities::default()
    };
    Facts { window: window.filter(is_some_window), abilities, ..Facts::default() }
}

fn listed<'a>(models: &'a Value, name: &str) -> Option<&'a Value> {
    let models = models.get("data")?.as_array()?;
    models.iter().find(|model| model.get("id").and_then(Value::as_str) == Some(name))
}

/// A server can be wrong; one token of window is no window.
fn is_some_window(window: &u64) -> bool {
    *window >= 256
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(kind: Kind, name: &str, answers: &[Value]) -> (Option<u64>, Option<bool>, Option<bool>) {
        let answers: Vec<_> = answers.iter().cloned().map(Some).collect();
        let facts = facts(kind, name, &answers);
        (facts.window, facts.abilities.tools, facts.abilities.vision)
    }

    #[test]
    fn ollama_tells_the_window_in_use_then_the_recipe_then_the_training() {
        let shown = |parameters: &str| {
            json!({ "capabilities": ["completion", "vision"], "parameters": parameters,
                    "model_info": { "general.architecture": "x", "x.context_length": 40_960 } })
        };
        let running = json!({ "models": [{ "name": "q:latest", "context_length": 4_096 }] });
        let other = json!({ "models": [{ "name": "other", "context_length": 4_096 }] });
        let with_recipe = shown("stop \"x\"\nnum_ctx    8192");
        let told =
            |shown: &Value, running: &Value| told(Kind::Ollama, "q", &[shown.clone(), running.clone()]);
        assert_eq!(told(&with_recipe, &running), (Some(4_096), Some(false), Some(true)));
        assert_eq!(told(&with_recipe, &other).0, Some(8_192));
        assert_eq!(told(&shown("stop x"), &other).0, Some(40_960));
        assert_eq!(told(&json!({}), &json!([])), (None, None, None));
    }

    #[test]
    fn the_other_three_tell_it_in_their_lists() {
        let props =
            json!({ "default_generation_settings": { "n_ctx": 16_384 }, "modalities": { "vision": false } });
        assert_eq!(told(Kind::LlamaCpp, "any", &[props]), (Some(16_384), None, Some(false)));
        let models =
            json!({ "data": [{ "id": "a", "max_model_len": 1 }, { "id": "b", "max_model_len": 32_768 }] });
        assert_eq!(told(Kind::Vllm, "b", std::slice::from_ref(&models)), (Some(32_768), None, None));
        assert_eq!(told(Kind::Vllm, "a", &[models]).0, None, "one token is no window");
        let models = json!({ "data": [
            { "id": "a", "type": "vlm", "max_context_length": 131_072, "loaded_context_length": 4_096,
              "capabilities": ["tool_use"] },
            { "id": "b", "type": "llm", "max_context_length": 8_192, "capabilities": [] },
        ] });
        let told_of = |name: &str| told(Kind::LmStudio, name, std::slice::from_ref(&models));
        assert_eq!(told_of("a"), (Some(4_096), Some(true), Some(true)));
        assert_eq!(told_of("b"), (Some(8_192), Some(false), Some(false)));
        assert_eq!(told_of("c"), (None, None, None));
    }
}
