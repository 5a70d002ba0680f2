//! Our configuration with what was found: nothing that it has is changed, and comments and order stay.

use std::collections::BTreeSet;

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, Value, value};

use crate::config::fault::one_line;
use crate::config::models::is_built_in;
use crate::config::{add_to_list, check_text};

use super::found::Setting;

/// The text as it will be, and what of the settings is not in it.
pub(super) struct Merged {
    pub(super) text: String,
    /// What was added, a line each: first what lets more happen, as a person should look at that.
    pub(super) added: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// Adds what can be added. Each setting is read by our own reader first, and so is the whole.
///
/// # Errors
/// The text cannot be read, or could not be with what is added.
pub(super) fn merge(
    before: &str,
    settings: &[(Setting, String)],
    is_project: bool,
) -> Result<Merged, String> {
    let mut document: DocumentMut = read(before)?;
    let (mut added, mut notes) = (Vec::new(), Vec::new());
    for (setting, written) in settings {
        match tried(setting, is_project) {
            Ok(warnings) if warnings.is_empty() && lacks_provider(setting, settings, &document, is_project) => {
                notes.push(format!(
                    "{written}: not added: its provider is neither built in nor set in this file, and nothing starts with such a \
                     model; if you want it, set both in your own configuration: {}",
                    line(setting)
                ));
            }
            Ok(warnings) if warnings.is_empty() => match add(&mut document, setting) {
                Ok(true) => added.push(setting),
                Ok(false) => {}
                Err(why) => notes.push(format!("{written}: {why}")),
            },
            // On its own, a setting is warned about only where a project's file cannot set it.
            Ok(_warnings) => notes.push(format!(
                "{written}: not added: a project's file cannot set it, trusted or not; if you want it, set it in your own \
                 configuration: {}",
                line(setting)
            )),
            Err(why) => notes.push(format!("{written}: {why}")),
        }
    }
    let text = document.to_string();
    check_text(&text, is_project)?;
    added.sort_by_key(|setting| place_in_list(setting));
    let added = added.into_iter().map(line).collect();
    Ok(Merged { text, added, notes })
}

/// What our reader warns about in a file of this setting alone.
///
/// # Errors
/// It cannot be read.
fn tried(setting: &Setting, is_project: bool) -> Result<Vec<String>, String> {
    let mut alone = DocumentMut::new();
    add(&mut alone, setting)?;
    check_text(&alone.to_string(), is_project)
}

/// Whether a setting is a model of a provider that is not built in, and that the file will not have.
fn lacks_provider(
    setting: &Setting,
    settings: &[(Setting, String)],
    document: &DocumentMut,
    is_project: bool,
) -> bool {
    let Setting::Text("model", model) = setting else { return false };
    let provider = model.split_once('/').map_or(model.as_str(), |(provider, _)| provider);
    // A model that the file has already stays, whatever it is; and a provider in a project's file does not count.
    if document.contains_key("model") || is_built_in(provider) {
        return false;
    }
    let has_it = !is_project && document.get("providers").is_some_and(|all| all.get(provider).is_some());
    let is_added = |other: &Setting| {
        matches!(other, Setting::Named("providers", name, _) if name == provider)
            && tried(other, is_project).is_ok_and(|warnings| warnings.is_empty())
    };
    !has_it && !settings.iter().any(|(other, _)| is_added(other))
}

/// The less, the more it lets happen: calls that run without a question, then programs and servers, then the rest.
fn place_in_list(setting: &Setting) -> u8 {
    match setting {
        Setting::Rule(kind, _) if kind.permits() => 0,
        Setting::Text("mode", _) => 1,
        Setting::Hook(..) | Setting::Named(..) | Setting::Text("status_line", _) => 2,
        Setting::Text(..) => 3,
        Setting::Rule(..) => 4,
    }
}

/// A setting in a line.
fn line(setting: &Setting) -> String {
    let members = |table: &Table| {
        let all = table.iter().map(|(key, item)| format!("{key} = {}", item.to_string().trim()));
        all.collect::<Vec<_>>().join(", ")
    };
    one_line(&match setting {
        Setting::Rule(kind, rule) => format!("{} = {rule:?}", kind.as_str()),
        Setting::Text(key, text) => format!("{key} = {text:?}"),
        Setting::Named(table, name, one) => format!("{table}.{name}: {}", members(one)),
        Setting::Hook(point, one) => format!("hooks.{point}: {}", members(one)),
    })
}

fn read(text: &str) -> Result<DocumentMut, String> {
    text.parse().map_err(|why: toml_edit::TomlError| {
        format!("the configuration cannot be read as TOML: {}", why.message())
    })
}

/// Adds one setting; false: it is there already.
fn add(document: &mut DocumentMut, setting: &Setting) -> Result<bool, String> {
    match setting {
        Setting::Rule(kind, rule) => {
            let key = kind.as_str();
            let item = document.entry(key).or_insert(Item::Value(Value::Array(Array::new())));
            let array = item.as_array_mut().ok_or(format!("`{key}` of the configuration is not a list"))?;
            if array.iter().any(|known| known.as_str() == Some(rule)) {
                return Ok(false);
            }
            if array.is_empty() {
                array.push_formatted(Value::from(rule.as_str()).decorated("\n    ", ""));
                array.set_trailing_comma(true);
                array.set_trailing("\n");
            } else {
                add_to_list(array, rule);
            }
        }
        Setting::Text(key, text) => match document.get(key) {
            Some(known) if known.as_str() == Some(text) => return Ok(false),
            Some(known) => {
                let known = known.as_str().unwrap_or("what it is");
                return Err(format!("`{key}` stays {known:?}, and is not changed to {text:?}"));
            }
            None => drop(document.insert(key, value(text.as_str()))),
        },
        Setting::Named(table, name, one) => {
            let all = tables(document, table)?;
            if all.contains_key(name) {
                return Err(format!("{table}.{name} stays as the configuration has it"));
            }
            all.insert(name, Item::Table(one.clone()));
        }
        Setting::Hook(point, one) => {
            let all = tables(document, "hooks")?;
            let new = || Item::ArrayOfTables(ArrayOfTables::new());
            let hooks = all.entry(point.as_str()).or_insert_with(new).as_array_of_tables_mut();
            let hooks = hooks.ok_or(format!("hooks.{point} is written as a list: add it by hand"))?;
            if let Some(known) = hooks.iter().find(|known| does_same(known, one)) {
                let seconds = |table: &Table| table.get("timeout_seconds").and_then(Item::as_integer);
                if seconds(one).is_some() && seconds(one) != seconds(known) {
                    return Err(format!("hooks.{point} has it already, and its timeout_seconds stays"));
                }
                return Ok(false);
            }
            hooks.push(one.clone());
        }
    }
    Ok(true)
}

/// Whether a hook runs the command of another one, about each tool that the other is about.
fn does_same(known: &Table, other: &Table) -> bool {
    let command = |table: &Table| table.get("command").and_then(Item::as_str).map(str::to_owned);
    let (known_tools, tools) = (tools(known), tools(other));
    let is_about = known_tools.is_empty() || !tools.is_empty() && tools.is_subset(&known_tools);
    command(known) == command(other) && is_about
}

/// The tools that a hook is about, written as a text or a list; empty: all.
fn tools(hook: &Table) -> BTreeSet<String> {
    let Some(matcher) = hook.get("matcher") else { return BTreeSet::new() };
    let listed = matcher.as_array().into_iter().flatten().filter_map(Value::as_str);
    let names = matcher.as_str().into_iter().chain(listed).flat_map(|text| text.split('|'));
    let names: BTreeSet<String> = names.map(|name| name.trim().replace(".*", "*")).collect();
    if names.contains("*") { BTreeSet::new() } else { names }
}

/// A table of tables, which has no line of its own.
fn tables<'d>(document: &'d mut DocumentMut, key: &str) -> Result<&'d mut Table, String> {
    let new = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    let item = document.entry(key).or_insert_with(new);
    item.as_table_mut().ok_or(format!("`{key}` of the configuration is not a table"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::HookPoint;
    use crate::policy::RuleKind;

    fn settings() -> Vec<(Setting, String)> {
        let mut server = Table::new();
        server.insert("command", value("npx"));
        let mut hook = Table::new();
        hook.insert("command", value("./check.sh"));
        let named = |name: &str, table: &Table| Setting::Named("mcp_servers", name.to_owned(), table.clone());
        let rule = |rule: &str| Setting::Rule(RuleKind::Allow, rule.to_owned());
        let all = [
            rule("shell(ls)"),
            rule("shell(make *)"),
            Setting::Text("mode", "edit".to_owned()),
            named("files", &server),
            named("has space", &server),
            Setting::Hook(HookPoint::Stop, hook),
        ];
        all.into_iter().enumerate().map(|(at, setting)| (setting, format!("number {at}"))).collect()
    }

    #[test]
    fn what_is_there_stays_and_what_cannot_be_read_is_left_out() {
        let before = "# mine\nmode = \"plan\" # really\nallow = [\n    \"shell(ls)\", # lists\n]\n\n[mcp_servers.files]\nurl = 'https://a.example'\n";
        let merged = merge(before, &settings(), false).unwrap();
        assert!(merged.text.starts_with("# mine\nmode = \"plan\" # really\nallow = [\n    \"shell(ls)\", # lists\n    \"shell(make *)\",\n]\n"), "{}", merged.text);
        assert!(merged.text.contains("[[hooks.stop]]\ncommand = \"./check.sh\"\n"), "{}", merged.text);
        assert!(merged.text.contains("url = 'https://a.example'"), "{}", merged.text);
        let added = ["allow = \"shell(make *)\"", "hooks.stop: command = \"./check.sh\""];
        assert_eq!(merged.added, added);
        let notes = merged.notes.join("\n");
        assert!(
            notes.contains("number 2: `mode` stays") && notes.contains("number 3: mcp_servers.files stays"),
            "{notes}"
        );
        assert!(notes.contains("number 4: "), "{notes}");
        // Once more changes nothing.
        let again = merge(&merged.text, &settings(), false).unwrap();
        assert_eq!((again.text, again.added), (merged.text, Vec::new()));
    }

    fn guard(matcher: Option<&str>, seconds: Option<i64>) -> (Setting, String) {
        let mut hook = Table::new();
        hook.insert("command", value("./guard.sh"));
        if let Some(tools) = matcher {
            hook.insert("matcher", value(tools));
        }
        if let Some(seconds) = seconds {
            hook.insert("timeout_seconds", value(seconds));
        }
        (Setting::Hook(HookPoint::PreTool, hook), "the hook ./guard.sh".to_owned())
    }

    #[test]
    fn a_hook_about_other_tools_is_another_hook() {
        let settings = [
            guard(Some("shell"), None),
            guard(Some("edit|write"), None),
            guard(Some("shell"), None),
            guard(Some("write"), None),
        ];
        let merged = merge("", &settings, false).unwrap();
        assert_eq!((merged.added.len(), merged.notes), (2, Vec::new()), "{}", merged.text);
        let wanted = ["matcher = \"shell\"", "matcher = \"edit|write\""];
        assert!(wanted.iter().all(|line| merged.text.contains(line)), "{}", merged.text);
        assert_eq!(merge(&merged.text, &settings, false).unwrap().text, merged.text);
        // One about every tool is about these, too, but not the other way round.
        let all = merge(&merged.text, &[guard(None, None)], false).unwrap();
        assert!(merge(&all.text, &settings, false).unwrap().added.is_empty());
        assert_eq!(all.added, ["hooks.pre_tool: command = \"./guard.sh\""], "{}", all.text);
        let of_list = "[[hooks.pre_tool]]\ncommand = \"./guard.sh\"\nmatcher = [\"write\", \"edit\"]\n";
        assert!(merge(of_list, &[guard(Some("edit|write"), None)], false).unwrap().added.is_empty());
        let slower = merge(of_list, &[guard(Some("edit"), Some(5))], false).unwrap();
        let note = "the hook ./guard.sh: hooks.pre_tool has it already, and its timeout_seconds stays";
        assert_eq!((slower.added, slower.notes), (Vec::new(), vec![note.to_owned()]));
    }

    #[test]
    fn what_lets_more_happen_is_listed_first() {
        let rule = |kind, rule: &str| (Setting::Rule(kind, rule.to_owned()), String::new());
        let text = |key, text: &str| (Setting::Text(key, text.to_owned()), String::new());
        let mut server = Table::new();
        server.insert("command", value("npx"));
        server.insert("enabled", value(false));
        let settings = [
            rule(RuleKind::Deny, "read(.env)"),
            text("effort", "high"),
            (Setting::Named("mcp_servers", "files".to_owned(), server), String::new()),
            text("mode", "edit"),
            rule(RuleKind::Allow, "shell"),
        ];
        let added = [
            "allow = \"shell\"",
            "mode = \"edit\"",
            "mcp_servers.files: command = \"npx\", enabled = false",
            "effort = \"high\"",
            "deny = \"read(.env)\"",
        ];
        assert_eq!(merge("", &settings, false).unwrap().added, added);
    }

    #[test]
    fn what_a_project_cannot_set_is_not_added_to_its_file() {
        let mut provider = Table::new();
        provider.insert("base_url", value("http://127.0.0.1:8080/v1"));
        provider.insert("protocol", value("openai-responses"));
        let settings = [
            (Setting::Text("status_line", "~/line.sh".to_owned()), "statusLine".to_owned()),
            (Setting::Named("providers", "own".to_owned(), provider), "the provider own".to_owned()),
            (Setting::Rule(RuleKind::Allow, "shell(ls)".to_owned()), "allow".to_owned()),
        ];
        let merged = merge("", &settings, true).unwrap();
        assert_eq!(merged.added, ["allow = \"shell(ls)\""], "{}", merged.text);
        assert!(
            !merged.text.contains("status_line") && !merged.text.contains("providers"),
            "{}",
            merged.text
        );
        let cannot = "not added: a project's file cannot set it, trusted or not; if you want it, set it in your own configuration";
        assert_eq!(
            merged.notes,
            [
                format!("statusLine: {cannot}: status_line = \"~/line.sh\""),
                format!(
                    "the provider own: {cannot}: providers.own: base_url = \"http://127.0.0.1:8080/v1\", protocol = \"openai-responses\""
                )
            ]
        );
        let of_user = merge("", &settings, false).unwrap();
        assert_eq!((of_user.added.len(), of_user.notes), (3, Vec::new()), "{}", of_user.text);
    }

    #[test]
    fn a_model_is_added_only_with_its_provider() {
        let mut table = Table::new();
        table.insert("base_url", value("http://127.0.0.1:8080/v1"));
        let provider = (Setting::Named("providers", "own".to_owned(), table), "the provider own".to_owned());
        let model = |name: &str| (Setting::Text("model", name.to_owned()), "model".to_owned());
        let has_model = |before: &str, settings: &[(Setting, String)], is_project: bool| {
            let merged = merge(before, settings, is_project).unwrap();
            let told = merged.notes.iter().any(|note| note.starts_with("model: not added: its provider is"));
            let is_added = merged.text.contains("model = ");
            assert_ne!(told, is_added, "{} {:?}", merged.text, merged.notes);
            is_added
        };
        let both = [model("own/m"), provider];
        assert!(has_model("", &both, false));
        assert!(!has_model("", &both, true), "a project cannot set the provider");
        assert!(!has_model("", &both[..1], false));
        let known = "[providers.own]\nbase_url = 'http://127.0.0.1:1/v1'\n";
        assert!(has_model(known, &both[..1], false));
        for is_project in [false, true] {
            assert!(has_model("", &[model("openai/m")], is_project));
        }
    }

    #[test]
    fn from_nothing_it_is_a_configuration_of_its_own() {
        let merged = merge("", &settings(), false).unwrap();
        assert!(
            merged.text.contains("allow = [\n    \"shell(ls)\",\n    \"shell(make *)\",\n]\n"),
            "{}",
            merged.text
        );
        assert!(merged.text.contains("\n[mcp_servers.files]\ncommand = \"npx\"\n"), "{}", merged.text);
        assert!(merge("allow = 1", &settings(), false).is_err());
    }
}
