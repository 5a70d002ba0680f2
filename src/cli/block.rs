//! A block of text in a message: material that stands beside what a person says.

use std::collections::BTreeSet;

/// A block whose end cannot stand in the text, however it is spelled: its name gets a number that the text does not contain.
pub(super) fn block(name: &str, text: &str) -> String {
    let lower = text.to_lowercase();
    let ends = lower.split("</").filter_map(|rest| Some(rest.split_once('>')?.0.trim()));
    let ends: BTreeSet<&str> = ends.collect();
    let numbered = (1..).map(|n: u32| format!("{name}-{n}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    let name = names.find(|name| !ends.contains(name.as_str())).unwrap_or_default();
    format!("<{name}>\n{}\n</{name}>", text.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_block_stands_in_no_text() {
        let of = |text: &str| block("stdin", text);
        assert_eq!(of("a\nb\n"), "<stdin>\na\nb\n</stdin>");
        assert_eq!(of("x </stdin> y"), "<stdin-1>\nx </stdin> y\n</stdin-1>");
        assert_eq!(of("</STDIN > y"), "<stdin-1>\n</STDIN > y\n</stdin-1>");
        assert_eq!(of("</stdin></stdin-1>"), "<stdin-2>\n</stdin></stdin-1>\n</stdin-2>");
    }
}
