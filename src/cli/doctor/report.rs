//! The findings as a page for people, or one JSON object a line for programs.

use serde_json::json;

use super::finding::{Finding, Severity};
use crate::wire::record;

/// How the page may look.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ReportStyle {
    pub(super) colour: bool,
    /// Whether signs beyond ASCII can be read.
    pub(super) utf8: bool,
}

/// Grouped by subject; each status is a sign and a word, so that colour says nothing alone.
pub(super) fn page(findings: &[Finding], look: ReportStyle) -> String {
    let mut text = String::new();
    let mut before = None;
    for finding in findings {
        if before != Some(finding.subject) {
            let title = painted(finding.subject.as_str(), "1", look);
            text.push_str(&format!("{}{title}\n", if before.is_some() { "\n" } else { "" }));
            before = Some(finding.subject);
        }
        let status = finding.status;
        let shown = painted(&format!("{} {:<7}", sign(status, look), status.as_str()), colour(status), look);
        text.push_str(&format!("  {shown}  {}\n", finding.message));
        if !finding.mend.is_empty() {
            let arrow = if look.utf8 { "→" } else { "->" };
            text.push_str(&format!("             {arrow} {}\n", finding.mend));
        }
    }
    text + &format!("\n{}\n", summary(findings))
}

fn summary(findings: &[Finding]) -> String {
    let [ok, warnings, problems, skipped] = counts(findings);
    let many = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    format!("{}, {}, {ok} ok, {skipped} skipped", many(problems, "problem"), many(warnings, "warning"))
}

fn counts(findings: &[Finding]) -> [usize; 4] {
    let of = |status| findings.iter().filter(|finding| finding.status == status).count();
    [of(Severity::Ok), of(Severity::Warning), of(Severity::Problem), of(Severity::Skipped)]
}

fn sign(status: Severity, look: ReportStyle) -> char {
    match (status, look.utf8) {
        (Severity::Ok, true) => '✓',
        (Severity::Ok, false) => '+',
        (Severity::Warning, _) => '!',
        (Severity::Problem, true) => '✗',
        (Severity::Problem, false) => 'x',
        (Severity::Skipped, true) => '·',
        (Severity::Skipped, false) => '-',
    }
}

fn colour(status: Severity) -> &'static str {
    match status {
        Severity::Ok => "32",
        Severity::Warning => "33",
        Severity::Problem => "31",
        Severity::Skipped => "2",
    }
}

fn painted(text: &str, code: &str, look: ReportStyle) -> String {
    if look.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// One object a finding, and one that counts them.
pub(super) fn lines(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let line = record::line(&json!({
            "type": "doctor_finding",
            "subject": finding.subject.as_str(),
            "status": finding.status.as_str(),
            "message": finding.message,
            "mend": finding.mend,
        }));
        text.push_str(&format!("{line}\n"));
    }
    let [ok, warnings, problems, skipped] = counts(findings);
    let line = record::line(&json!({
        "type": "doctor_summary",
        "healthy": problems == 0,
        "problems": problems,
        "warnings": warnings,
        "ok": ok,
        "skipped": skipped,
        "version": env!("CARGO_PKG_VERSION"),
    }));
    text + &format!("{line}\n")
}

#[cfg(test)]
mod tests {
    use super::super::finding::Subject;
    use super::*;

    #[test]
    fn the_page_is_aligned_and_needs_no_colour() {
        let findings = [
            Finding::ok(Subject::Keys, "here"),
            Finding::problem(Subject::Keys, "gone", "put it back"),
            Finding::skipped(Subject::Peers, "later", ""),
        ];
        let plain = page(&findings, ReportStyle { colour: false, utf8: false });
        let wanted = "keys\n  + ok       here\n  x problem  gone\n             -> put it back\n\npeers\n  - skipped  later\n\n\
                      1 problem, 0 warnings, 1 ok, 1 skipped\n";
        assert_eq!(plain, wanted);
        let painted = page(&findings, ReportStyle { colour: true, utf8: true });
        assert!(painted.contains("\u{1b}[31m✗ problem\u{1b}[0m  gone"), "{painted}");
    }
}
