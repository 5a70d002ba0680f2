//! The head of a Markdown file: members between two lines `---`, as YAML. Others' keys are left alone.

pub(super) mod map;

/// What stands between the first two lines `---`.
pub(super) fn head(text: &str) -> Option<&str> {
    let text = text.trim_start_matches('\u{feff}');
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return rest.get(..at);
        }
        at += line.len();
    }
    None
}

/// Whether a head is begun and never closed: the first line is `---`, and a member follows. A rule above a text is none.
pub(super) fn is_open(text: &str) -> bool {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    let begins = lines.next() == Some("---");
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    let second = lines.next().and_then(|line| line.split_once(':'));
    begins && head(text).is_none() && second.is_some_and(|(name, _)| is_name(name))
}

/// What is wrong with a head: its line in the file, from 2, and why. Only what no reader of YAML takes.
pub(super) fn fault(head: &str) -> Option<(usize, &'static str)> {
    let wrong = head.lines().enumerate().find_map(|(at, line)| Some((at + 2, fault_of(line)?)));
    wrong.or_else(|| twice(head))
}

/// A member that stands twice, by the line of the second: of two restrictions one would not count.
pub(super) fn twice(head: &str) -> Option<(usize, &'static str)> {
    let mut names = Vec::new();
    head.lines().enumerate().find_map(|(at, line)| {
        let (name, _) = line.split_once(':').filter(|_| begins_member(line))?;
        let name = unquoted(name.trim());
        let is_known = names.contains(&name);
        names.push(name);
        is_known.then_some((at + 2, "it has the same key twice"))
    })
}

/// Whether a line is no comment, and does not belong to the member above.
fn begins_member(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with([' ', '\t', '#', '-', ']', '}'])
}

fn fault_of(line: &str) -> Option<&'static str> {
    // What is indented belongs to the member above, and may be anything.
    if !begins_member(line) {
        return None;
    }
    let Some((_, value)) = line.split_once(':') else { return Some("it has no `name: value`") };
    let value = value.trim();
    let is_open = |quote: char| {
        let Some(rest) = value.strip_prefix(quote) else { return false };
        !rest.contains(quote)
    };
    if is_open('"') || is_open('\'') {
        return Some("a quote is not closed");
    }
    (value.starts_with('[') && value.len() > 1 && !value.contains(']')).then_some("a bracket is not closed")
}

/// What stands behind the name of a member, on its line. The name can be in quotes.
pub(super) fn value<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    head.lines().find_map(|line| value_of(line, name))
}

fn value_of<'h>(line: &'h str, name: &str) -> Option<&'h str> {
    let rest = ["", "\"", "'"].into_iter().find_map(|quote| {
        line.strip_prefix(quote)?.strip_prefix(name)?.strip_prefix(quote)?.trim_start().strip_prefix(':')
    })?;
    Some(rest.trim())
}

/// The lines below a member that belong to it, without empty ones and comments.
pub(super) fn below<'h>(head: &'h str, name: &str) -> Vec<&'h str> {
    let after = head.lines().skip_while(|line| value_of(line, name).is_none()).skip(1).map(str::trim_end);
    let lines = after.filter(|line| !line.is_empty() && !line.trim_start().starts_with('#'));
    lines.take_while(|line| line.starts_with([' ', '\t', '-', ']', '}'])).collect()
}

/// A member of the head as text: plain, quoted, or in lines of its own below it. A comment at the margin ends none; one that is not there may
/// belong to a text.
pub(super) fn member(head: &str, name: &str) -> Option<String> {
    let mut lines = head.lines();
    let value = lines.by_ref().find_map(|line| value_of(line, name))?;
    let lines = lines.take_while(|line| !begins_member(line)).filter(|line| !line.starts_with('#'));
    let below: Vec<&str> = lines.map(str::trim).collect();
    let is_block = value.starts_with(['|', '>']) && value.len() <= 3;
    let first = if is_block { "" } else { value };
    let whole = std::iter::once(first).chain(below).filter(|part| !part.is_empty());
    Some(unquoted(&whole.collect::<Vec<_>>().join(" ")))
}

/// A member that is a list: in brackets, in lines that begin with `-`, with commas, or as a map whose values are `true`.
pub(super) fn items(head: &str, name: &str) -> Option<Vec<String>> {
    let value = unquoted(value(head, name)?);
    let below = below(head, name);
    let names = |text: &str| -> Vec<String> {
        let inside = text.trim().trim_start_matches('[').trim_end_matches(']');
        inside.split(',').map(|item| unquoted(item.trim())).collect()
    };
    let of_line = |line: &&str| match line.trim().strip_prefix("- ") {
        Some(item) => vec![unquoted(item.trim())],
        // A map, or a list that goes on.
        None => match line.trim().split_once(": ") {
            Some((key, value)) if unquoted(value.trim()) == "true" => vec![unquoted(key.trim())],
            Some((_, value)) if unquoted(value.trim()) == "false" => Vec::new(),
            _ => names(line),
        },
    };
    let mut all = if value.starts_with('#') { Vec::new() } else { names(&value) };
    all.extend(below.iter().flat_map(of_line));
    all.retain(|item| !item.is_empty());
    Some(all)
}

/// Without the quotes around it. A comment behind a plain value is none of it.
pub(super) fn unquoted(value: &str) -> String {
    let inside = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    match (inside('"'), inside('\'')) {
        (Some(text), _) => text.replace("\\\"", "\"").replace("\\n", " ").replace("\\\\", "\\"),
        (_, Some(text)) => text.replace("''", "'"),
        (None, None) => value.split(" #").next().unwrap_or_default().trim_end().to_owned(),
    }
}

/// What stands below the head; the whole text where there is none.
pub(super) fn body(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}');
    let Some(head) = head(text) else { return text };
    let below = text.split_once(head).map_or("", |(_, below)| below);
    below.split_once('\n').map_or("", |(_, body)| body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_has_all_that_stands_below_it_whatever_stands_between() {
        for between in ["", "# guard\n", "\n", "  \n", "\n# one\n\n#two\n"] {
            let head =
                format!("hooks:\n{between}  PreToolUse:\n{between}    - x\n{between}- y\nnext: z\n  w\n");
            assert_eq!(member(&head, "hooks").unwrap(), "PreToolUse: - x - y", "{head}");
            assert_eq!(member(&head, "next").unwrap(), "z w");
            let list = format!("tools:\n{between}  - Read\n{between}- Bash\nnext: z\n");
            assert_eq!(items(&list, "tools").unwrap(), ["Read", "Bash"], "{list}");
            let map = format!("permission:\n{between}  bash: deny\n{between}  edit: ask\nnext: z\n");
            let Some(Ok(map::Node::Map(all))) = map::node(&map, "permission") else { panic!("{map}") };
            assert_eq!(all.len(), 2, "{map}");
        }
        assert_eq!(member("description: |\n  # Title\n  text\n", "description").unwrap(), "# Title text");
        assert_eq!(member("a: b # c\n# d\ne: f\n", "a").unwrap(), "b");
    }

    #[test]
    fn a_name_stands_once() {
        for head in ["a: b\nc: d\na: e\n", "a: b\n\"a\": c\n", "'a': b\na : c\n", "a:\n  - b\na:\n  - c\n"] {
            assert!(fault(head).unwrap().1.contains("twice"), "{head}");
        }
        for head in ["a: b\n# a: c\n  a: d\nb: a\n", "a:\n  b: c\nd:\n  b: e\n", ""] {
            assert_eq!(fault(head), None, "{head}");
        }
    }
}
