//! A member of a front matter that is a map, in lines below its name or in braces. What is no such map is an error: readers of
//! restrictions must not take half of one.

use super::{below, unquoted, value};

/// What a member is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::config) enum Node {
    /// One value.
    Text(String),
    /// Members of its own, in their order.
    Map(Vec<(String, Self)>),
}

/// Deepest nesting in braces.
const MOST_LEVELS: usize = 8;

/// The member of this name; `None`: there is none.
///
/// # Errors
/// It is neither one value nor a map of such.
pub(in crate::config) fn node(head: &str, name: &str) -> Option<Result<Node, String>> {
    let value = value(head, name)?;
    let node = of(value, &below(head, name));
    Some(
        node.ok_or_else(|| format!("its `{name}` cannot be read: it is neither one word nor a map of words")),
    )
}

fn of(value: &str, below: &[&str]) -> Option<Node> {
    let value = value.trim();
    match (value.is_empty() || value.starts_with('#'), below.is_empty()) {
        (true, true) => Some(Node::Text(String::new())),
        (true, false) => block(below),
        (false, _) if value.starts_with('{') => {
            let lines = std::iter::once(value).chain(below.iter().copied());
            let whole: Vec<&str> = lines.map(|line| line.split(" #").next().unwrap_or_default()).collect();
            let whole = whole.join(" ");
            let (node, rest) = flow(whole.trim(), 0)?;
            rest.trim().is_empty().then_some(node)
        }
        (false, true) => word(value).map(Node::Text),
        (false, false) => None,
    }
}

/// One word, with or without quotes. Anchors, tags, lists and texts of several lines are none.
fn word(value: &str) -> Option<String> {
    if let Some(quote) = value.chars().next().filter(|c| "\"'".contains(*c)) {
        let (quoted, rest) = quoted(value, quote)?;
        let is_over = rest.trim().is_empty() || rest.trim_start().starts_with('#');
        return is_over.then_some(quoted);
    }
    (!value.starts_with(['&', '*', '!', '|', '>', '[', '-'])).then(|| unquoted(value))
}

/// What stands in the quotes that a text begins with, and what comes after.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let inside = text.get(1..)?;
    let end = inside.find(quote)?;
    let (quoted, rest) = (inside.get(..end)?, inside.get(end + 1..)?);
    // What is escaped is no name of a tool.
    (!quoted.contains('\\')).then(|| (quoted.to_owned(), rest))
}

/// A name and what comes after its colon.
fn member(text: &str) -> Option<(String, &str)> {
    if let Some(quote) = text.chars().next().filter(|c| "\"'".contains(*c)) {
        let (name, rest) = quoted(text, quote)?;
        return Some((name, rest.trim_start().strip_prefix(':')?));
    }
    let at = text.find(": ").or_else(|| text.strip_suffix(':').map(str::len))?;
    let (name, rest) = text.split_at(at);
    let name = name.trim();
    let is_plain = !name.is_empty() && !name.starts_with(['-', '?', '[', '{', '&', '!', '<', '#']);
    is_plain.then(|| Some((name.to_owned(), rest.strip_prefix(':')?)))?
}

/// Members in lines: those of one map are equally far from the margin.
fn block(lines: &[&str]) -> Option<Node> {
    let margin = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let of_all = margin(lines.first()?);
    let (mut all, mut at) = (Vec::new(), 0);
    while let Some(line) = lines.get(at) {
        let text = line.trim();
        if margin(line) != of_all || line.trim_start_matches(' ').starts_with('\t') {
            return None;
        }
        let (name, value) = member(text)?;
        let more = lines.iter().skip(at + 1).take_while(|line| margin(line) > of_all).count();
        all.push((name, of(value, lines.get(at + 1..=at + more)?)?));
        at += more + 1;
    }
    Some(Node::Map(all))
}

/// Members in braces, and what comes after them.
fn flow(text: &str, level: usize) -> Option<(Node, &str)> {
    let mut rest = text.strip_prefix('{').filter(|_| level < MOST_LEVELS)?.trim_start();
    let mut all = Vec::new();
    loop {
        if let Some(after) = rest.strip_prefix('}') {
            return Some((Node::Map(all), after));
        }
        let (name, after) = member(rest)?;
        if name.contains([',', '}']) {
            return None;
        }
        let after = after.trim_start();
        let (node, after) = if after.starts_with('{') {
            flow(after, level + 1)?
        } else {
            let end = after.find([',', '}'])?;
            (Node::Text(word(after.get(..end)?.trim())?), after.get(end..)?)
        };
        all.push((name, node));
        let after = after.trim_start();
        rest = after.strip_prefix(',').unwrap_or(after).trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(word: &str) -> Node {
        Node::Text(word.to_owned())
    }

    fn map(members: &[(&str, Node)]) -> Node {
        Node::Map(members.iter().map(|(name, node)| ((*name).to_owned(), node.clone())).collect())
    }

    #[test]
    fn a_map_is_read_in_lines_and_in_braces() {
        let wanted = map(&[
            ("bash", map(&[("*", text("ask")), ("git push *", text("deny"))])),
            ("edit", text("deny")),
        ]);
        for head in [
            "permission:\n  bash:\n    \"*\": ask # all\n\n    # those\n    git push *: deny\n  edit: \"deny\"\nx: y",
            "a: b\npermission: {bash: {\"*\": ask, 'git push *': deny}, edit: deny}\n",
            "\"permission\" : {\n  bash: {\"*\": ask, 'git push *': deny}, # those\n  edit: deny,\n}\n",
        ] {
            assert_eq!(node(head, "permission"), Some(Ok(wanted.clone())), "{head}");
        }
        assert_eq!(node("permission: deny # all\n", "permission"), Some(Ok(text("deny"))));
        assert_eq!(node("a: b\n", "permission"), None);
    }

    #[test]
    fn what_is_no_map_is_an_error() {
        for head in [
            "permission: *strict\n",
            "permission: &strict\n  bash: deny\n",
            "permission:\n  - bash\n",
            "permission:\n  <<: *strict\n",
            "permission:\n  bash: deny\n edit: deny\n",
            "permission:\n  bash deny\n",
            "permission: {bash: deny\n",
            "permission: {bash deny}\n",
            "permission: [bash]\n",
            "permission: |\n  bash: deny\n",
            "permission:\n  bash: !deny x\n",
        ] {
            assert!(matches!(node(head, "permission"), Some(Err(_))), "{head}");
        }
    }
}
