//! What a page would cost to lay out, estimated before it is built: depth costs time that grows with its square, and
//! each formatting element that is left open is made anew in every block that follows.

use html2text::RcDom;

use super::reopened::Reopened;
use super::tags::{HtmlTag, HtmlTags, RAW, WITHOUT_END};

/// No page that people read comes near.
const MOST_DEPTH: usize = 512;
/// The same of a page that is built: with the elements that need no end, and those that nobody wrote.
const MOST_BUILT_DEPTH: usize = 2 * MOST_DEPTH + 64;
/// Lists, quotes and tables inside each other: each lays out again all that it holds.
const MOST_INDENTED: usize = 40;
/// Elements in all, with those that a parser makes anew.
const MOST_ELEMENTS: usize = 2_000_000;

/// Shapes of drawings, which have an end of their own where they are written with one.
const SHAPES: &[&str] =
    &["animate", "circle", "ellipse", "image", "line", "path", "polygon", "polyline", "rect", "stop", "use"];
/// What moves its content to the side.
const INDENTING: &[&str] = &["ul", "ol", "dl", "menu", "dir", "blockquote", "table"];

#[derive(Default)]
struct NestingShape {
    depth: usize,
    most_depth: usize,
    indented: usize,
    most_indented: usize,
    elements: usize,
    reopened: Reopened,
}

/// Why a page is not built, if it is not.
pub(super) fn refusal(html: &str) -> Option<String> {
    let shape = NestingShape::of(html);
    let elements = shape.elements.saturating_add(shape.reopened.made());
    if shape.most_depth > MOST_DEPTH {
        return Some(too_deep(shape.most_depth));
    }
    if shape.most_indented > MOST_INDENTED {
        return Some(too_indented(shape.most_indented));
    }
    (elements > MOST_ELEMENTS).then(|| too_many(elements))
}

/// Why a page that is built is not laid out, if it is not: the estimate before may have been of another page than a
/// parser finds in the same text.
pub(super) fn refusal_of_built(page: &RcDom) -> Option<String> {
    let mut waiting = vec![(page.document.clone(), 0_usize, 0_usize)];
    let mut elements = 0;
    while let Some((node, depth, indented)) = waiting.pop() {
        let name = node.element_name();
        elements += usize::from(name.is_some());
        let is_indenting = name.is_some_and(|name| INDENTING.contains(&name.as_str()));
        let indented = indented + usize::from(is_indenting);
        if depth > MOST_BUILT_DEPTH {
            return Some(too_deep(depth));
        }
        if indented > MOST_INDENTED {
            return Some(too_indented(indented));
        }
        if elements > MOST_ELEMENTS {
            return Some(too_many(elements));
        }
        waiting.extend(node.children.borrow().iter().map(|child| (child.clone(), depth + 1, indented)));
    }
    None
}

fn too_deep(depth: usize) -> String {
    format!("the page is nested {depth} elements deep, which is too deep")
}

fn too_indented(depth: usize) -> String {
    format!("the page has {depth} nested lists, quotes or tables, which is too many")
}

fn too_many(elements: usize) -> String {
    format!("the page would have {elements} elements, which is too many")
}

impl NestingShape {
    /// Counts what is begun and what is ended, without building anything.
    fn of(html: &str) -> Self {
        let mut shape = Self::default();
        let mut tags = HtmlTags::of(html);
        while let Some(tag) = tags.find_next(shape.reopened.is_drawing()) {
            let is_lost = tags.is_lost();
            shape.elements += usize::from(!tag.is_end);
            if !tag.is_end && !is_lost && RAW.contains(&tag.name.as_str()) {
                tags.pass_raw(&tag.name, shape.reopened.is_drawing());
                continue;
            }
            shape.reopened.read(&tag, is_lost);
            // How deep a page is that nobody can read is seen when it is built.
            match (is_lost, tag.is_end) {
                (true, _) => {}
                (false, true) => shape.end(&tag.name),
                (false, false) => shape.begin(&tag),
            }
        }
        shape
    }

    fn begin(&mut self, tag: &HtmlTag) {
        let name = tag.name.as_str();
        if WITHOUT_END.contains(&name) || (SHAPES.contains(&name) && tag.closes_itself) {
            return;
        }
        self.depth += 1;
        self.most_depth = self.most_depth.max(self.depth);
        if INDENTING.contains(&name) {
            self.indented += 1;
            self.most_indented = self.most_indented.max(self.indented);
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
    }
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

    #[test]
    fn what_is_left_open_in_a_cell_ends_with_it() {
        let row = |text: &str, times| format!("<tr><td>{text}</td></tr>").repeat(times);
        let page = format!("<table>{}{}</table>", row("<a name=x>y", 400), row("z", 20_000));
        assert_eq!(refusal(&page), None);
        let bomb = format!("{}{}", "<td><a name=x>y</td>".repeat(400), row("z", 20_000));
        assert!(refusal(&bomb).is_some(), "there is no table");
    }

    #[test]
    fn nothing_hides_the_tags_of_a_page() {
        for head in [
            "<p title=\"<!--\">",
            "<p title='<script>'>",
            "<!-->",
            "<!--->",
            "<!-- --!>",
            "<script><!--><script></script>",
            "<svg><style><i title='</style>'><!--",
        ] {
            let deep = refusal(&format!("{head}{}", "<span>".repeat(100_000))).unwrap_or_default();
            let is_lost = head.starts_with("<svg>");
            assert_eq!(deep.contains("elements deep"), !is_lost, "{head}: {deep}");
            let open: String = (0..40).map(|n| format!("<b a{n}>")).collect();
            let bomb = format!("{head}<p>{open}{}", "<p>x".repeat(60_000));
            assert!(refusal(&bomb).unwrap().contains("elements, which is too many"), "{head}");
        }
    }

    #[test]
    fn pages_of_every_day_are_not_refused() {
        for (part, times) in [
            ("<font><table><tr><td><b>x</b></td></tr></table></font>", 20_000),
            ("<i><svg viewBox='0 0 1 1'><title>x</title><path d='M0'/></svg></i>", 20_000),
            ("<svg><style><![CDATA[a{}]]></style></svg><script>'<div><b>'</script>", 5_000),
            ("<a href=x><div><h2>x</h2><p>y</p></div></a>", 20_000),
            ("<em>x <math><mi>a</mi><mo>=</mo></math></em>", 20_000),
        ] {
            assert_eq!(refusal(&part.repeat(times)), None, "{part}");
        }
    }
}
