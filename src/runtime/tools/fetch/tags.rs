//! The tags of a page, found where a parser of HTML finds them, without building anything. What cannot be decided that way
//! counts as tags.

/// Elements that need no end, so that counting them says nothing: a parser ends them.
pub(super) const WITHOUT_END: &[&str] = &[
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html", "img",
    "input", "li", "link", "meta", "optgroup", "option", "p", "param", "rp", "rt", "source", "tbody", "td",
    "tfoot", "th", "thead", "tr", "track", "wbr",
];
/// Of these, what can hold nothing.
pub(super) const EMPTY: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];
/// What stands in these is no markup, unless they are a part of a drawing.
pub(super) const RAW: &[&str] =
    &["iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"];

/// A tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HtmlTag {
    /// In lower case.
    pub(super) name: String,
    /// Whether it is that of an end.
    pub(super) is_end: bool,
    /// Whether it ends with a slash: in drawings and formulas that is an end, too.
    pub(super) closes_itself: bool,
}

/// The way through a page.
pub(super) struct HtmlTags<'p> {
    rest: &'p str,
    is_lost: bool,
}

impl<'p> HtmlTags<'p> {
    /// From its beginning.
    pub(super) fn of(page: &'p str) -> Self {
        Self { rest: page, is_lost: false }
    }

    /// Whether it cannot be said any more what is markup: from then on everything that looks like a tag is one.
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// The next tag. `is_drawing`: it may stand in a drawing or a formula, where other rules hold.
    pub(super) fn find_next(&mut self, is_drawing: bool) -> Option<HtmlTag> {
        loop {
            let (_, after) = self.rest.split_once('<')?;
            self.rest = after;
            let (is_end, named) = after.strip_prefix('/').map_or((false, after), |named| (true, named));
            if !named.starts_with(|c: char| c.is_ascii_alphabetic()) {
                self.pass_other(after, is_drawing);
                continue;
            }
            let length = named.find(ends_name).unwrap_or(named.len());
            let (name, behind) = named.split_at_checked(length)?;
            let name = name.to_ascii_lowercase();
            if self.is_lost {
                self.rest = behind;
                return Some(HtmlTag { name, is_end, closes_itself: false });
            }
            // One that is not finished is none.
            let (closes_itself, behind) = after_attributes(behind)?;
            self.rest = behind;
            return Some(HtmlTag { name, is_end, closes_itself });
        }
    }

    /// Goes behind something that begins like a tag and is none.
    fn pass_other(&mut self, after: &'p str, is_drawing: bool) {
        if self.is_lost {
            return;
        }
        if let Some(comment) = after.strip_prefix("!--") {
            self.rest = after_comment(comment);
        } else if let Some(text) = after.strip_prefix("![CDATA[").filter(|_| is_drawing) {
            let (inside, behind) = text.split_once("]]>").unwrap_or((text, ""));
            self.is_lost = inside.contains('<');
            self.rest = if self.is_lost { text } else { behind };
        } else if after.starts_with(['!', '?', '/']) {
            self.rest = after.split_once('>').map_or("", |(_, behind)| behind);
        }
    }

    /// Goes behind the content of an element that begins here and holds no markup, and behind its end.
    pub(super) fn pass_raw(&mut self, name: &str, is_drawing: bool) {
        if self.is_lost {
            return;
        }
        let (content, behind) = raw(self.rest, name);
        if is_drawing && may_hold_markup(content) {
            self.is_lost = true;
            return;
        }
        self.rest = after_attributes(behind).map_or("", |(_, behind)| behind);
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c')
}

fn ends_name(c: char) -> bool {
    is_space(c) || matches!(c, '/' | '>')
}

/// What comes behind the attributes of a tag, and whether a slash ends it; `None` where it goes on to the end of the page.
fn after_attributes(tag: &str) -> Option<(bool, &str)> {
    let mut rest = tag;
    loop {
        rest = rest.trim_start_matches(is_space);
        if let Some(behind) = rest.strip_prefix('>') {
            return Some((false, behind));
        }
        if let Some(behind) = rest.strip_prefix('/') {
            if let Some(behind) = behind.strip_prefix('>') {
                return Some((true, behind));
            }
            rest = behind;
            continue;
        }
        // A name; whatever it begins with is a part of it.
        let mut chars = rest.chars();
        chars.next()?;
        let named = chars.as_str();
        let end = named.find(|c: char| ends_name(c) || c == '=')?;
        rest = named.get(end..)?;
        let Some(value) = rest.trim_start_matches(is_space).strip_prefix('=') else { continue };
        let value = value.trim_start_matches(is_space);
        rest = match value.chars().next()? {
            quote @ ('"' | '\'') => value.get(1..)?.split_once(quote)?.1,
            '>' => value,
            _ => value.get(value.find(|c: char| is_space(c) || c == '>')?..)?,
        };
    }
}

/// What comes behind a comment of which the beginning was read.
fn after_comment(comment: &str) -> &str {
    if let Some(behind) = comment.strip_prefix('>').or_else(|| comment.strip_prefix("->")) {
        return behind;
    }
    let ends = comment.match_indices('>').find_map(|(at, end)| {
        let (before, behind) = comment.split_at_checked(at)?;
        let is_end = before.ends_with("--") || before.ends_with("--!");
        is_end.then(|| behind.get(end.len()..)).flatten()
    });
    ends.unwrap_or_default()
}

/// How far a script is into what looks like a comment with a script in it: there its end is none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptEscape {
    Not,
    Once,
    Twice,
}

/// The content of an element that holds no markup, and what comes behind the name of its end.
fn raw<'p>(page: &'p str, name: &str) -> (&'p str, &'p str) {
    let mut escape = ScriptEscape::Not;
    for (at, sign) in page.match_indices(['<', '>']) {
        let Some((before, from_here)) = page.split_at_checked(at) else { break };
        let behind = from_here.get(sign.len()..).unwrap_or_default();
        if sign == ">" {
            if before.ends_with("--") {
                escape = ScriptEscape::Not;
            }
        } else if escape == ScriptEscape::Not && name == "script" && behind.starts_with("!--") {
            escape = ScriptEscape::Once;
        } else if escape == ScriptEscape::Once && after_name(behind, "script").is_some() {
            escape = ScriptEscape::Twice;
        } else if let Some(end) = behind.strip_prefix('/').and_then(|end| after_name(end, name)) {
            if escape != ScriptEscape::Twice {
                return (before, end);
            }
            escape = ScriptEscape::Once;
        }
    }
    (page, "")
}

/// What comes behind this name of an element, if that stands here.
fn after_name<'p>(page: &'p str, name: &str) -> Option<&'p str> {
    let (begun, behind) = page.split_at_checked(name.len())?;
    (begun.eq_ignore_ascii_case(name) && behind.starts_with(ends_name)).then_some(behind)
}

/// Whether a drawing would have elements in what a page does not have any in.
fn may_hold_markup(content: &str) -> bool {
    let content = content.trim();
    let inner = content.strip_prefix("<![CDATA[").and_then(|inner| inner.strip_suffix("]]>"));
    inner.unwrap_or(content).contains('<')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(page: &str) -> String {
        let mut tags = HtmlTags::of(page);
        let mut names = Vec::new();
        while let Some(tag) = tags.find_next(false) {
            if !tag.is_end && RAW.contains(&tag.name.as_str()) {
                tags.pass_raw(&tag.name, false);
            }
            let sign = if tag.is_end { "/" } else { "" };
            names.push(format!("{sign}{}{}", tag.name, if tag.closes_itself { "/" } else { "" }));
        }
        names.join(" ")
    }

    #[test]
    fn tags_end_where_a_parser_ends_them() {
        for (page, found) in [
            ("<p title=\"<!--\"><b>x</b>", "p b /b"),
            ("<p title='>'><b>", "p b"),
            ("<p title=<!-- ><b>", "p b"),
            ("<p =\"><b>", "p b"),
            ("<p a=\"b\"c='d><i>'><b>", "p b"),
            ("<p a = \"<i>\" / b><br/><BR / >", "p br/ br"),
            ("<a href=x/><i/ >", "a i"),
            ("<p title=><b>", "p b"),
            ("<p \"><b>", "p b"),
            ("<b\"x><b>", "b\"x b"),
            ("<p title=\"<b>", ""),
            ("1 < 2 <- 3 </ <><b> </><? <i>", "b"),
            ("<!DOCTYPE html \">\"<i></p a='>'><b", "i /p"),
        ] {
            assert_eq!(names(page), found, "{page}");
        }
    }

    #[test]
    fn comments_end_where_a_parser_ends_them() {
        for page in [
            "<!--><b>",
            "<!---><b>",
            "<!----><b>",
            "<!-- <i> --><b>",
            "<!-- <i> --!><b>",
            "<!--->--><b>",
            "<!-- > -> - -> --- <i> ---><b>",
            "<!x <i><b>",
            "<![CDATA[ <i><b>",
        ] {
            assert_eq!(names(page), "b", "{page}");
        }
        assert_eq!(names("<!---!><b>"), "");
        assert_eq!(names("<!-- <b>"), "");
    }

    #[test]
    fn what_is_no_markup_ends_where_a_parser_ends_it() {
        for (page, found) in [
            ("<script>'<i>' </scripts> a<b</SCRIPT x='>'><b>", "script b"),
            ("<title></style><i></title/><b>", "title b"),
            ("<textarea><!-- </textarea><b>-->", "textarea b"),
            ("<style></style", "style"),
            ("<script><!-- <i> </script><b>", "script b"),
            ("<script><!-- <script> </script> <i> </script><b>", "script b"),
            ("<script><!-- <script> --> </script><b>", "script b"),
            ("<script><!--><script></script><b>", "script b"),
            ("<style><!-- <style> </style><b>", "style b"),
        ] {
            assert_eq!(names(page), found, "{page}");
        }
    }

    #[test]
    fn what_may_be_a_part_of_a_drawing_counts_as_markup() {
        let begun = |page: &'static str| {
            let mut tags = HtmlTags::of(page);
            tags.pass_raw("style", true);
            let next = tags.find_next(true).map(|tag| tag.name);
            (next.unwrap_or_default(), tags.is_lost())
        };
        assert_eq!(begun("a{}</style><b>"), ("b".to_owned(), false));
        assert_eq!(begun("<![CDATA[a > b]]></style><b>"), ("b".to_owned(), false));
        assert_eq!(begun("<i title='</style>'><b>"), ("i".to_owned(), true));
        assert_eq!(begun("</style><![CDATA[ > x ]]><b>"), ("b".to_owned(), false));
        assert_eq!(begun("</style><![CDATA[<!-- <u>]]><b>"), ("u".to_owned(), true));
    }
}
