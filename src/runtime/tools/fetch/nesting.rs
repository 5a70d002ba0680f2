//! How deep a page is nested at most, found out without building it: a page made to be deep costs its reader time that
//! grows with the square of the depth.

/// No page that people read comes near.
pub(super) const MOST_DEPTH: usize = 512;

/// Elements that need no end, so that counting them says nothing: a parser ends them.
const WITHOUT_END: &[&str] = &[
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html", "img",
    "input", "li", "link", "meta", "optgroup", "option", "p", "param", "rp", "rt", "source", "tbody", "td",
    "tfoot", "th", "thead", "tr", "track", "wbr",
];
/// What stands in these is no markup.
const RAW: &[&str] = &["script", "style", "textarea", "title"];

/// An estimate of the depth: elements begun and not ended.
pub(super) fn depth(html: &str) -> usize {
    let (mut now, mut most) = (0_usize, 0_usize);
    let mut rest = html;
    while let Some((_, after)) = rest.split_once('<') {
        rest = after;
        let (is_end, named) = after.strip_prefix('/').map_or((false, after), |named| (true, named));
        if let Some(comment) = after.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
            continue;
        }
        let length = named.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(named.len());
        let Some((name, behind)) = named.split_at_checked(length) else { continue };
        let name = name.to_ascii_lowercase();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || WITHOUT_END.contains(&name.as_str()) {
            continue;
        }
        if is_end {
            now = now.saturating_sub(1);
        } else {
            now += 1;
            most = most.max(now);
            if RAW.contains(&name.as_str()) {
                rest = after_raw(behind, &name);
                now -= 1;
            }
        }
    }
    most
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

    #[test]
    fn depth_is_that_of_what_is_left_open() {
        assert_eq!(depth("<html><body><div><p>a<p>b<br><b>c</b></div></body>"), 2);
        assert_eq!(depth(&"<div></div>".repeat(1000)), 1);
        assert_eq!(depth(&"<p><li><td>".repeat(1000)), 0);
        assert_eq!(depth(&"<UL><li>".repeat(700)), 700);
        assert_eq!(depth("<script>if (a<b) '<div><div>'</script><b>x</b>"), 1);
        assert_eq!(depth("<!-- <b><b><b> --><i>x</i>"), 1);
        assert_eq!(depth("1 < 2 <- 3 </ <>"), 0);
    }
}
