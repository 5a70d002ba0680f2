//! Generated arguments of calls: texts that hide and turn, paths that go round, values of every kind; and how a pane says them.

use countersign::ui::text::sanitize;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::shown::{SIZES, Size};

pub const OLD: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,9}",
        "[ -~]{1,30}",
        Just("漢字かな".to_owned()),
        Just("a\u{202e}b".to_owned()),
        Just("\u{1b}[2Kx\ty".to_owned()),
        Just("back\rto".to_owned()),
        Just("12".to_owned()),
        "[a-z]{60,150}",
    ]
}

pub fn text() -> impl Strategy<Value = String> {
    let lines = |most| proptest::collection::vec(proptest::collection::vec(word(), 0..4), 0..most);
    let joined = |lines: Vec<Vec<String>>| {
        lines.into_iter().map(|words| words.join(" ")).collect::<Vec<_>>().join("\n")
    };
    prop_oneof![
        8 => lines(6).prop_map(joined),
        1 => lines(40).prop_map(joined),
        // More than a diff shows.
        1 => Just((1..=450).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n")),
        1 => "[a-f]{2100,2200}",
    ]
}

/// Paths that go up and down and through links; few enough `..` to stay below the folder of the test.
pub fn path() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        3 => Just("guide"),
        2 => Just("."),
        2 => Just("guide/away"),
        2 => Just("near"),
        1 => Just("a-folder-with-a-rather-long-name-that-fills-a-row"),
    ];
    let up = proptest::collection::vec(any::<bool>(), 0..8);
    let last = prop_oneof![
        Just("pre-commit"),
        Just("new/file.txt"),
        Just("old.txt"),
        Just("link.txt"),
        Just("two  words.txt"),
    ];
    (proptest::collection::vec(part, 0..8), up, last, 0..6_u8).prop_map(|(parts, up, last, start)| {
        let mut all = Vec::new();
        let mut ups = 0;
        for (at, part) in parts.iter().enumerate() {
            all.push((*part).to_owned());
            if ups < 3 && up.get(at).is_some_and(|up| *up) {
                all.push("..".to_owned());
                ups += 1;
            }
        }
        let path = all.into_iter().chain([last.to_owned()]).collect::<Vec<_>>().join("/");
        match start {
            0 => format!("~/{path}"),
            1 => format!("./{path}"),
            _ => path,
        }
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text().prop_map(Value::from),
        Just(json!("true")),
        Just(json!("7")),
        Just(json!("")),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::vec(("[a-z_]{1,40}", inner), 0..3)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

pub fn members() -> impl Strategy<Value = Map<String, Value>> {
    proptest::collection::vec(("[a-z_]{1,60}", value()), 0..4).prop_map(|pairs| pairs.into_iter().collect())
}

pub fn size() -> impl Strategy<Value = Size> {
    proptest::sample::select(SIZES.to_vec())
}

/// Made safe as the screen does it, without blanks: lines are broken anywhere.
pub fn squeezed(text: &str) -> String {
    // White space that a change makes is drawn as these.
    let is_white = |c: &char| c.is_whitespace() || ['⇥', '·'].contains(c);
    sanitize(text).chars().filter(|c| !is_white(c)).collect()
}

/// A value as the pane may write it: a text is shown without quotes, unless that would say something else.
pub fn says(pane: &str, name: &str, value: &Value) -> bool {
    let quoted = squeezed(&format!("{name}{value:#}"));
    let is_there = |text: &str| pane.contains(&squeezed(&format!("{name}{text}")));
    pane.contains(&quoted) || value.as_str().is_some_and(is_there)
}

/// What a diff of a new file shows of it, without blanks.
pub fn added(content: &str, numbers: bool) -> String {
    let number = |at: usize| if numbers { (at + 1).to_string() } else { String::new() };
    let is_dos = content.lines().all(|line| line.ends_with('\r'));
    let line = |line: &str| if is_dos { line.trim_end_matches('\r').to_owned() } else { line.to_owned() };
    let lines = content.split_inclusive('\n').map(|text| line(text.strip_suffix('\n').unwrap_or(text)));
    lines.enumerate().map(|(at, line)| format!("{}+{}", number(at), squeezed(&line))).collect()
}
