//! Settings: a text of configuration taken apart into keys, values and where each was written.

use toml::de::{DeTable, DeValue};

use super::{
    key::{self, KeyPath, KeyValue},
    source::Source,
    spelling,
    value::Written,
};

pub(super) use super::key::{Setting, Wrong};

/// Takes a file's text apart.
pub(super) fn of_text(text: &str, source: &Source) -> Result<Vec<Setting>, Wrong> {
    let line_of = |offset: usize| {
        let before = text.as_bytes().iter().take(offset);
        before.filter(|byte| **byte == b'\n').count() + 1
    };
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(span.start));
        format!("{}: {}", source.at(line), error.message())
    })?;
    let mut settings = Vec::new();
    walk(table.get_ref(), &mut Vec::new(), &|offset| source.at(line_of(offset)), &mut settings)?;
    // The order of the file, so that of two names for one key the later one holds.
    settings.sort_by_key(|setting| match &setting.source {
        Source::User(_, line) | Source::Project(_, line) | Source::Trusted(_, line) => *line,
        Source::Default | Source::Variable(_) | Source::Flag(_) => 0,
    });
    Ok(settings)
}

/// A setting whose key is ours and whose value came from outside of any file, as letters.
pub(super) fn of_letters(dotted: &str, letters: &str, source: Source) -> Result<Setting, Wrong> {
    let path: Vec<String> = dotted.split('.').map(str::to_owned).collect();
    match key::find(&path) {
        KeyPath::Key(row, names) => Ok(Setting {
            row,
            names,
            path: dotted.to_owned(),
            value: guess(letters),
            letters: Some(letters.to_owned()),
            source,
        }),
        KeyPath::Table | KeyPath::Nowhere(_) => Err(unknown(&source, &path)),
    }
}

/// `-c KEY=VALUE`: VALUE is TOML, or else a plain string.
pub(super) fn of_pair(pair: &str, source: &Source) -> Result<Vec<Setting>, Wrong> {
    let Some((key, value)) = pair.split_once('=') else {
        return Err(format!(
            "{source}: `{pair}` has no `=`; write KEY=VALUE, as in budget.max_model_turns=20"
        ));
    };
    let here = |_: usize| source.clone();
    let mut settings = Vec::new();
    let as_toml = format!("{key} = {value}");
    if let Ok(table) = DeTable::parse(&as_toml)
        && table.get_ref().len() == 1
    {
        walk(table.get_ref(), &mut Vec::new(), &here, &mut settings)?;
    } else {
        let key_alone = format!("{key} = ''");
        let table =
            DeTable::parse(&key_alone).map_err(|error| format!("{source}: `{key}`: {}", error.message()))?;
        walk(table.get_ref(), &mut Vec::new(), &here, &mut settings)?;
        for setting in &mut settings {
            setting.value = Written::Text(value.trim().to_owned());
        }
    }
    if let [setting] = settings.as_mut_slice() {
        setting.letters = Some(value.trim().to_owned());
    }
    Ok(settings)
}

fn guess(letters: &str) -> Written {
    match DeValue::parse(letters) {
        Ok(value) => Written::of(value.get_ref()),
        Err(_) => Written::Text(letters.to_owned()),
    }
}

fn walk(
    table: &DeTable<'_>,
    path: &mut Vec<String>,
    source: &dyn Fn(usize) -> Source,
    settings: &mut Vec<Setting>,
) -> Result<(), Wrong> {
    for (name, value) in table {
        path.push(name.get_ref().to_string());
        let source_here = source(name.span().start);
        match (key::find(path), value.get_ref()) {
            (KeyPath::Table, DeValue::Table(inner)) => walk(inner, path, source, settings)?,
            (KeyPath::Table, other) => {
                let (path, kind) = (spelling::spelled(path), other.type_str());
                return Err(format!("{source_here}: `{path}` is a table of keys, not a value ({kind})"));
            }
            (KeyPath::Key(row, names), value) => settings.push(Setting {
                row,
                names,
                path: spelling::spelled(path),
                value: match row.value {
                    KeyValue::Hooks => Written::of_tables(value, source),
                    KeyValue::Rules(_) => Written::of_items(value, source),
                    _ => Written::of(value),
                },
                letters: None,
                source: source_here,
            }),
            (KeyPath::Nowhere(_), _) => return Err(unknown(&source_here, path)),
        }
        path.pop();
    }
    Ok(())
}

fn unknown(source: &Source, path: &[String]) -> Wrong {
    let given = spelling::spelled(path);
    match key::find(path) {
        KeyPath::Nowhere(Some(meant)) => format!("{source}: unknown key `{given}`; did you mean `{meant}`?"),
        KeyPath::Nowhere(None) | KeyPath::Table | KeyPath::Key(..) => {
            format!("{source}: unknown key `{given}`")
        }
    }
}
