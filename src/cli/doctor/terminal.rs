//! The terminal, by what the environment and the system say of it: it is asked nothing, since it may stay silent.

use std::io::IsTerminal;

use rustix::termios::tcgetwinsize;

use super::finding::{Finding, Subject};
use crate::cli::terminals::{Abilities, known, shows_exact_colours};
use crate::config::environment::Environment;

const SUBJECT: Subject = Subject::Terminal;
/// Below this a pane has no room for a sentence.
const SMALLEST: (u16, u16) = (40, 10);

pub(super) fn look(environment: &Environment) -> Vec<Finding> {
    let mut findings = vec![of_term(environment), of_colour(environment), of_letters(environment)];
    findings.extend(of_size());
    findings.push(of_abilities(environment));
    findings.extend(between(environment));
    findings
}

/// Whether the locale says that text is UTF-8. The first of the three that is set decides.
pub(super) fn is_utf8(environment: &Environment) -> bool {
    locale(environment).is_some_and(|(_, value)| {
        let value = value.to_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    })
}

fn locale(environment: &Environment) -> Option<(&'static str, &str)> {
    ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| Some((name, environment.text(name)?)))
}

fn of_term(environment: &Environment) -> Finding {
    match environment.text("TERM") {
        None => Finding::warning(
            SUBJECT,
            "TERM is not set, so programs do not know which terminal this is",
            "start countersign from a terminal; `exec` needs none",
        ),
        Some("dumb") => Finding::warning(
            SUBJECT,
            "TERM is dumb: the app prints plain lines and draws nothing, as with --screen-reader",
            "set TERM to your terminal's type if it can move its cursor",
        ),
        Some(term) => Finding::ok(SUBJECT, format!("TERM is {term}")),
    }
}

fn of_colour(environment: &Environment) -> Finding {
    let depth = match environment.text("COLORTERM") {
        Some(said @ ("truecolor" | "24bit")) => format!("COLORTERM is {said}: true colour"),
        Some(said) => format!("COLORTERM is {said}"),
        None => "COLORTERM is not set".to_owned(),
    };
    let depth = if shows_exact_colours(environment) {
        depth
    } else {
        format!(
            "{depth}: themes are drawn in 256 colours; set COLORTERM=truecolor if the terminal supports \
            true colour"
        )
    };
    if environment.no_color() {
        return Finding::ok(SUBJECT, format!("NO_COLOR is set: nothing is coloured ({depth})"));
    }
    Finding::ok(SUBJECT, depth)
}

fn of_letters(environment: &Environment) -> Finding {
    match locale(environment) {
        Some((name, value)) if is_utf8(environment) => {
            Finding::ok(SUBJECT, format!("text is UTF-8 ({name} is {value})"))
        }
        Some((name, value)) => Finding::warning(
            SUBJECT,
            format!("{name} is {value}, which is not UTF-8: frames and symbols may look wrong"),
            format!("export {name}=C.UTF-8, or another UTF-8 locale"),
        ),
        None => Finding::warning(
            SUBJECT,
            "no locale is set (LC_ALL, LC_CTYPE, LANG), so text may not be read as UTF-8",
            "export LANG=C.UTF-8, or another UTF-8 locale",
        ),
    }
}

/// Of whichever end is a terminal: output may lead into a file.
fn of_size() -> Vec<Finding> {
    let (stdin, stdout, stderr) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    let size = tcgetwinsize(&stdout).or_else(|_| tcgetwinsize(&stdin)).or_else(|_| tcgetwinsize(&stderr));
    let mut findings = Vec::new();
    if !stdin.is_terminal() || !stdout.is_terminal() {
        findings.push(Finding::skipped(
            SUBJECT,
            "stdin or stdout is not a terminal; the app needs both",
            "run `countersign doctor` directly in the terminal to see more",
        ));
    }
    if let Ok(size) = size {
        findings.push(judge_size(size.ws_col, size.ws_row));
    }
    findings
}

fn judge_size(columns: u16, rows: u16) -> Finding {
    let (least_columns, least_rows) = SMALLEST;
    if columns == 0 || rows == 0 {
        return Finding::warning(SUBJECT, "the terminal does not report its size", "stty cols 80 rows 24");
    }
    if columns < least_columns || rows < least_rows {
        return Finding::warning(
            SUBJECT,
            format!(
                "the terminal has {columns} columns and {rows} rows: less than {least_columns} by {least_rows}"
            ),
            "enlarge the window, or use a smaller font",
        );
    }
    Finding::ok(SUBJECT, format!("{columns} columns and {rows} rows"))
}

fn of_abilities(environment: &Environment) -> Finding {
    let Some(known) = known(environment) else {
        return Finding::ok(SUBJECT, "the environment does not name a known terminal");
    };
    let Abilities { name, truecolor, hyperlinks, images, clipboard, keyboard } = known;
    let yes = |able: bool| if able { "yes" } else { "no" };
    Finding::ok(
        SUBJECT,
        format!(
            "{name}: true colour {}, hyperlinks {}, images {images}, clipboard (OSC 52) {}, keyboard \
            protocol {}",
            yes(truecolor),
            yes(hyperlinks),
            yes(clipboard),
            yes(keyboard)
        ),
    )
}

/// What stands between the program and the terminal.
fn between(environment: &Environment) -> Vec<Finding> {
    let mut findings = Vec::new();
    if environment.text("TMUX").is_some() {
        findings.push(Finding::ok(
            SUBJECT,
            "inside tmux: it decides what gets through (set-clipboard, allow-passthrough, terminal-features)",
        ));
    }
    if environment.text("SSH_CONNECTION").is_some() || environment.text("SSH_TTY").is_some() {
        findings.push(Finding::ok(SUBJECT, "over ssh: copying goes through the terminal (OSC 52)"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::finding::Severity;
    use super::*;

    #[test]
    fn a_small_terminal_is_told() {
        for ((columns, rows), wanted) in [
            ((40, 10), Severity::Ok),
            ((39, 10), Severity::Warning),
            ((40, 9), Severity::Warning),
            ((0, 0), Severity::Warning),
        ] {
            assert_eq!(judge_size(columns, rows).status, wanted, "{columns} x {rows}");
        }
    }
}
