//! The head of a Markdown file: members between two lines `---`, as YAML. Others' keys are left alone.

pub(super) mod map;

/// What is said of a head that is begun and never closed.
pub(super) const NOT_CLOSED: &str =
    "its header is not closed: line 1 opens one, and a second line `---` is missing";
/// Members that only a head has: in a text that begins with a rule, none of them begins a line.
const KNOWN: [&str; 12] = [
    "description",
    "argument-hint",
    "allowed-tools",
    "disable-model-invocation",
    "user-invocable",
    "model",
    "effort",
    "context",
    "agent",
    "subtask",
    "hooks",
    "name",
];

/// What stands between the first two lines `---`.
pub(super) fn head(text: &str) -> Option<&str> {
    parts(text).map(|(head, _)| head)
}

/// The head, and what stands below it. Blanks at the end of a line `---` are none of it, as for Claude Code.
fn parts(text: &str) -> Option<(&str, &str)> {
    let rest = below_opening(text)?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return rest.get(..at).zip(rest.get(at + line.len()..));
        }
        at += line.len();
    }
    None
}

/// The head of a text that needs none, and what stands below it. Two rules around plain words are no head: all of it is text.
pub(super) fn optional(text: &str) -> (Option<&str>, &str) {
    match parts(text).filter(|(head, _)| may_be_head(head)) {
        Some((head, body)) => (Some(head), body),
        None => (None, text.trim_start_matches('\u{feff}')),
    }
}

/// Whether what stands between two lines `---` says nothing, or has a line that may be a member.
fn may_be_head(between: &str) -> bool {
    let lines = between.lines().map(str::trim);
    let mut said = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).peekable();
    said.peek().is_none() || said.any(|line| name_in(line).is_some())
}

/// What stands below a first line `---`.
fn below_opening(text: &str) -> Option<&str> {
    let (first, rest) = text.trim_start_matches('\u{feff}').split_once('\n')?;
    (first.trim_end() == "---").then_some(rest)
}

/// Whether a head is begun and never closed: the first line is `---`, and a member is the next one, or a known one stands in the lines that
/// follow up to a blank one. A rule above a text is none.
pub(super) fn is_open(text: &str) -> bool {
    let Some(rest) = below_opening(text).filter(|_| head(text).is_none()) else { return false };
    let is_next = rest.lines().next().and_then(name_in).is_some_and(is_key);
    let is_blank = |line: &&str| line.trim().is_empty();
    let first_lines = rest.lines().skip_while(is_blank).take_while(|line| !is_blank(line));
    is_next || first_lines.filter_map(name_in).any(is_known)
}

/// The name of the member that a line is, if it may be one.
fn name_in(line: &str) -> Option<&str> {
    let (name, value) = line.trim().split_once(':')?;
    let name = name.trim_end().trim_matches(['"', '\'']);
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    (is_name && (value.is_empty() || value.starts_with([' ', '\t']))).then_some(name)
}

/// As keys are written: `Note: …` is a sentence.
fn is_key(name: &str) -> bool {
    is_known(name) || name.starts_with(|c: char| c.is_ascii_lowercase())
}

fn is_known(name: &str) -> bool {
    KNOWN.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Why a text that must have a head has none.
pub(super) fn no_head(text: &str) -> &'static str {
    match below_opening(text) {
        Some(_) => NOT_CLOSED,
        None => "it does not begin with a header between two `---` lines",
    }
}

/// Whether a line only draws a rule.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && ["-", "*", "_"].iter().any(|sign| line.replace(sign, "").is_empty())
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
    parts(text).map_or_else(|| text.trim_start_matches('\u{feff}'), |(_, body)| body)
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
    fn a_head_that_is_not_closed_is_no_rule_above_a_text() {
        for open in [
            "---\ndescription: x\nDo it.",
            "\u{feff}--- \r\ndescription: x\r\nDo it.",
            "---\n\ndescription: x\n\nDo it.",
            "---\n# mine\nallowed-tools:\n  - Bash\nDo it.",
            "---\n\"description\": x\nDo it.",
            "---\n  description: x\nDo it.",
            "---\nbroken line\nargument-hint: '[x]'\nDo it.",
            "---\nown_key: x\nDo it.",
            "---\ndescription : x\nDo it.",
        ] {
            assert!(is_open(open) && head(open).is_none() && no_head(open) == NOT_CLOSED, "{open}");
        }
        for text in [
            "---\nTidy up: all of it.",
            "---\nNote: all of it.",
            "---\nhttps://example.org is the page.",
            "---\n\n# Title\n\nDo it.",
            "---\n\nTidy up.\n\nmodel: is a word here",
            "---\n\nTidy up.\nAll of it.\n\ndescription: a word in prose",
            "---",
            "----\ndescription: x\n",
            "---\ndescription: x\n---\nDo it.",
            "Do it.\n---\ndescription: x\n",
        ] {
            assert!(!is_open(text), "{text}");
        }
    }

    #[test]
    fn two_rules_around_plain_words_are_no_head() {
        for text in
            ["---\nTidy up.\n---\nDo it.", "---\n\nTidy up: all of it.\n\n---\n", "---\n- one\n---\nDo it."]
        {
            assert_eq!(optional(text), (None, text));
        }
        for (text, head) in [
            ("---\na: b\n---\nDo it.", "a: b\n"),
            ("---\nbroken line\nallowed-tools : Bash\n---\nDo it.", "broken line\nallowed-tools : Bash\n"),
            ("---\n\n# a: b\n---\nDo it.", "\n# a: b\n"),
            ("---\n---\nDo it.", ""),
        ] {
            assert_eq!(optional(text), (Some(head), "Do it."));
        }
    }

    #[test]
    fn what_stands_below_a_head_is_not_searched_for() {
        assert_eq!(
            (head("--- \na: b\n---\t\nDo it."), body("--- \na: b\n---\t\nDo it.")),
            (Some("a: b\n"), "Do it.")
        );
        assert_eq!((head("---\n---\nDo it.\n"), body("---\n---\nDo it.\n")), (Some(""), "Do it.\n"));
        assert_eq!(body("---\na: b\n---"), "");
        assert_eq!(body("\u{feff}Do it."), "Do it.");
        assert!(is_rule(" --- ") && is_rule("***") && !is_rule("--") && !is_rule("-*-") && !is_rule("--- x"));
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
