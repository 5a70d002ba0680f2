//! Names of files in results and sentences. A name may hold anything, also an end of a line and what would come behind it.

/// The text on one line: what would end it, or steer a terminal, is written out.
pub(super) fn in_a_line(text: &str) -> String {
    let is_odd = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.chars().map(|c| if is_odd(c) { c.escape_default().to_string() } else { c.to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(in_a_line("a\nb\r\t\u{1b}[2J\u{85}\u{2028}é"), r"a\nb\r\t\u{1b}[2J\u{85}\u{2028}é");
    }
}
