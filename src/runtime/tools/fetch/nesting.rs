//! What a page would cost to lay out, estimated before it is built: depth costs time that grows with its square, and
//! each formatting element that is left open is made anew in every block that follows.

use std::collections::BTreeMap;

/// No page that people read comes near.
const MOST_DEPTH: usize = 512;
/// Lists, quotes and tables inside each other: each lays out again all that it holds.
const MOST_INDENTED: usize = 40;
/// Elements in all, with those that a parser makes anew.
const MOST_ELEMENTS: usize = 2_000_000;

/// Elements that need no end, so that counting them says nothing: a parser ends them.
const WITHOUT_END: &[&str] = &[
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html", "img",
    "input", "li", "link", "meta", "optgroup", "option", "p", "param", "rp", "rt", "source", "tbody", "td",
    "tfoot", "th", "thead", "tr", "track", "wbr",
];
/// Shapes of drawings, which have an end of their own where they are written with one.
const SHAPES: &[&str] =
    &["animate", "circle", "ellipse", "image", "line", "path", "polygon", "polyline", "rect", "stop", "use"];
/// What moves its content to the side.
const INDENTING: &[&str] = &["ul", "ol", "dl", "menu", "dir", "blockquote", "table"];
const FORMATTING: &[&str] =
    &["b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];
/// What stands in these is no markup.
const RAW: &[&str] = &["script", "style", "textarea", "title"];

#[derive(Default)]
struct NestingShape {
    depth: usize,
    most_depth: usize,
    indented: usize,
    most_indented: usize,
    elements: usize,
    formatting: BTreeMap<String, usize>,
    most_formatting: usize,
}

/// Why a page is not laid out, if it is not.
pub(super) fn refusal(html: &str) -> Option<String> {
    let shape = NestingShape::of(html);
    let elements = shape.elements.saturating_mul(shape.most_formatting + 1);
    if shape.most_depth > MOST_DEPTH {
        let depth = shape.most_depth;
        return Some(format!("the page is nested {depth} elements deep, which is too deep"));
    }
    if shape.most_indented > MOST_INDENTED {
        let depth = shape.most_indented;
        return Some(format!("the page has {depth} nested lists, quotes or tables, which is too many"));
    }
    (elements > MOST_ELEMENTS).then(|| format!("the page would have {elements} elements, which is too many"))
}

impl NestingShape {
    /// Counts what is begun and what is ended, without building anything.
    fn of(html: &str) -> Self {
        let mut shape = Self::default();
        let mut rest = html;
        while let Some((_, after)) = rest.split_once('<') {
            rest = after;
            if let Some(comment) = after.strip_prefix("!--") {
                rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
                continue;
            }
            let (is_end, named) = after.strip_prefix('/').map_or((false, after), |named| (true, named));
            let length = named.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(named.len());
            let Some((name, behind)) = named.split_at_checked(length) else { continue };
            let name = name.to_ascii_lowercase();
            if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                continue;
            }
            if is_end {
                shape.end(&name);
            } else if RAW.contains(&name.as_str()) {
                rest = after_raw(behind, &name);
            } else {
                shape.begin(&name, behind);
            }
        }
        shape
    }

    fn begin(&mut self, name: &str, behind: &str) {
        self.elements += 1;
        let has_own_end = || behind.split_once('>').is_some_and(|(tag, _)| tag.ends_with('/'));
        if WITHOUT_END.contains(&name) || (SHAPES.contains(&name) && has_own_end()) {
            return;
        }
        self.depth += 1;
        self.most_depth = self.most_depth.max(self.depth);
        if INDENTING.contains(&name) {
            self.indented += 1;
            self.most_indented = self.most_indented.max(self.indented);
        }
        if FORMATTING.contains(&name) {
            *self.formatting.entry(name.to_owned()).or_default() += 1;
            self.most_formatting = self.most_formatting.max(self.formatting.values().sum());
        }
    }

    fn end(&mut self, name: &str) {
        if WITHOUT_END.contains(&name) {
            return;
        }
        self.depth = self.depth.saturating_sub(1);
        if INDENTING.contains(&name) {
            self.indented = self.indented.saturating_sub(1);
        }
        if let Some(open) = self.formatting.get_mut(name) {
            *open = open.saturating_sub(1);
        }
    }
}

/// What comes after the end of an element whose content is raw.
fn after_raw<'a>(content: &'a str, name: &str) -> &'a str {
    let mut rest = content;
    while let Some((_, after)) = rest.split_once("</") {
        rest = after;
        if rest.get(..name.len()).is_some_and(|begun| begun.eq_ignore_ascii_case(name)) {
            return rest;
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(html: &str) -> usize {
        NestingShape::of(html).most_depth
    }

    #[test]
    fn depth_is_that_of_what_is_left_open() {
        assert_eq!(depth("<html><body><div><p>a<p>b<br><b>c</b></div></body>"), 2);
        assert_eq!(depth(&"<div></div>".repeat(1000)), 1);
        assert_eq!(depth(&"<p><li><td>".repeat(1000)), 0);
        assert_eq!(depth(&"<UL><li>".repeat(700)), 700);
        assert_eq!(depth("<script>if (a<b) '<div><div>'</script><b>x</b>"), 1);
        assert_eq!(depth("<!-- <b><b><b> --><i>x</i>"), 1);
        assert_eq!(depth("1 < 2 <- 3 </ <>"), 0);
        assert_eq!(depth(&format!("<svg>{}</svg>", "<path d='M0 0'/>".repeat(1000))), 1);
    }

    #[test]
    fn what_is_moved_to_the_side_again_and_again_is_refused() {
        let nested = |tag: &str, depth: usize| format!("<{tag}><li>x").repeat(depth);
        for tag in ["ul", "ol", "dl", "blockquote", "table"] {
            assert!(
                refusal(&nested(tag, 500)).unwrap().contains("500 nested lists, quotes or tables"),
                "{tag}"
            );
            assert_eq!(refusal(&nested(tag, 40)), None);
        }
        assert_eq!(refusal(&"<ul><li>x</ul>".repeat(500)), None);
    }

    #[test]
    fn formatting_that_is_left_open_counts_in_every_block() {
        let open: String = (0..100).map(|n| format!("<b a={n}>")).collect();
        let bomb = format!("<p>{open}</p>{}", "<p>x".repeat(100_000));
        assert!(refusal(&bomb).unwrap().contains("elements, which is too many"));
        assert_eq!(refusal(&"<p><b>x</b><i>y</i></p>".repeat(100_000)), None);
        assert!(refusal(&"<div>".repeat(600)).unwrap().contains("600 elements deep"));
    }
}
