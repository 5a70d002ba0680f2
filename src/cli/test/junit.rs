//! A report that continuous integration reads: JUnit XML.

use crate::cli::compared::Compared;

/// The report of these tests.
pub(super) fn report(cases: &[(String, Compared)]) -> String {
    let failures = cases.iter().filter(|(_, case)| matches!(case, Compared::Different(_))).count();
    let errors = cases.iter().filter(|(_, case)| matches!(case, Compared::Broken(_))).count();
    let head = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"countersign\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\">\n",
        cases.len()
    );
    let all: String = cases.iter().map(|(name, case)| one(name, case)).collect();
    format!("{head}{all}</testsuite>\n")
}

fn one(name: &str, case: &Compared) -> String {
    let name = escaped(name);
    let inner = match case {
        Compared::Same | Compared::Accepted => {
            return format!("  <testcase name=\"{name}\" classname=\"recorded\"/>\n");
        }
        Compared::Different(diff) => {
            format!("<failure message=\"it is different now\">{}</failure>", escaped(diff))
        }
        Compared::Broken(why) => format!("<error message=\"{}\"/>", escaped(why)),
    };
    format!("  <testcase name=\"{name}\" classname=\"recorded\">{inner}</testcase>\n")
}

/// XML has no place for control characters, not even escaped.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(character),
            control if control.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&control) => {
                out.push('\u{fffd}')
            }
            other => out.push(other),
        }
    }
    out
}
