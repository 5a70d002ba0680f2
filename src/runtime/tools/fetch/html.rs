//! A page as text that a model reads: headings, lists, tables and links as in Markdown, nothing of its scripts and styles.

use std::cell::Cell;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use html2text::config;
use html2text::render::TextDecorator;
use reqwest::Url;

use super::nesting::{refusal, refusal_of_built};

/// Where lines are broken. Wide, because nobody looks at them; tables may need more.
const WIDTH: usize = 200;
/// Pages that people read take a small part of this.
const PATIENCE: Duration = Duration::from_secs(5);
const PIECE_BYTES: usize = 4096;
const TOO_LONG: &str = "the page cannot be shown as text: it takes too long to be read; if it is needed, save it with `shell` and curl";
/// A longer address would be broken, and is a tracker's more often than a place to go to.
const MOST_LINK_CHARS: usize = 180;

/// The text of a page; links are written out as seen from `base`.
///
/// # Errors
/// A sentence: it is nested too deeply to be a page, or cannot be laid out.
pub(super) fn text(html: &str, base: &Url) -> Result<String, String> {
    if let Some(why) = refusal(html) {
        return Err(why);
    }
    let links = Markdown { base: base.clone(), open: Vec::new() };
    let is_late = Cell::new(false);
    let layout = config::with_decorator(links).link_footnotes(false).allow_width_overflow();
    let fail = |failure: html2text::Error| match is_late.get() {
        true => TOO_LONG.to_owned(),
        false => format!("the page cannot be shown as text ({failure})"),
    };
    let input = InTime { html: html.as_bytes(), until: Instant::now() + PATIENCE, is_late: &is_late };
    let page = layout.parse_html(input).map_err(fail)?;
    if let Some(why) = refusal_of_built(&page) {
        return Err(why);
    }
    let tree = layout.dom_to_render_tree(&page).map_err(fail)?;
    drop(page);
    layout.render_to_string(tree, WIDTH).map(|text| tidy(&text)).map_err(fail)
}

/// A page that breaks off when its parser takes too long, whatever was estimated before.
struct InTime<'a> {
    html: &'a [u8],
    until: Instant,
    is_late: &'a Cell<bool>,
}

impl Read for InTime<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if Instant::now() > self.until {
            self.is_late.set(true);
            return Err(io::Error::other(TOO_LONG));
        }
        // A little at a time: between two pieces is where it can end.
        let most = buffer.len().min(PIECE_BYTES);
        self.html.read(buffer.get_mut(..most).unwrap_or_default())
    }
}

/// Marks what a page marks, as Markdown does.
#[derive(Debug, Clone)]
struct Markdown {
    base: Url,
    /// Where the links lead that are begun and not ended.
    open: Vec<Option<String>>,
}

impl Markdown {
    /// How a link is written: from the root of the same server, whole for others; `None` when it leads nowhere else.
    fn shown(&self, link: &str) -> Option<String> {
        let mut url = self.base.join(link.trim()).ok()?;
        url.set_fragment(None);
        let is_here = {
            let mut here = self.base.clone();
            here.set_fragment(None);
            here == url
        };
        if is_here || !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let is_same_server = url.origin() == self.base.origin();
        let shown = if is_same_server { format!("{}{query}", url.path()) } else { url.to_string() };
        (shown.len() <= MOST_LINK_CHARS).then_some(shown)
    }
}

impl TextDecorator for Markdown {
    type Annotation = ();

    fn decorate_link_start(&mut self, url: &str) -> (String, ()) {
        let shown = self.shown(url);
        let begin = if shown.is_some() { "[" } else { "" };
        self.open.push(shown);
        (begin.to_owned(), ())
    }

    fn decorate_link_end(&mut self) -> String {
        self.open.pop().flatten().map(|shown| format!("]({shown})")).unwrap_or_default()
    }

    fn decorate_em_start(&self) -> (String, ()) {
        ("*".to_owned(), ())
    }

    fn decorate_em_end(&self) -> String {
        "*".to_owned()
    }

    fn decorate_strong_start(&self) -> (String, ()) {
        ("**".to_owned(), ())
    }

    fn decorate_strong_end(&self) -> String {
        "**".to_owned()
    }

    fn decorate_strikeout_start(&self) -> (String, ()) {
        ("~~".to_owned(), ())
    }

    fn decorate_strikeout_end(&self) -> String {
        "~~".to_owned()
    }

    fn decorate_code_start(&self) -> (String, ()) {
        ("`".to_owned(), ())
    }

    fn decorate_code_end(&self) -> String {
        "`".to_owned()
    }

    fn decorate_preformat_first(&self) {}

    fn decorate_preformat_cont(&self) {}

    fn decorate_image(&mut self, _source: &str, title: &str) -> (String, ()) {
        (format!("[image: {title}]"), ())
    }

    fn header_prefix(&self, level: usize) -> String {
        "#".repeat(level) + " "
    }

    fn quote_prefix(&self) -> String {
        "> ".to_owned()
    }

    fn unordered_item_prefix(&self) -> String {
        "- ".to_owned()
    }

    fn ordered_item_prefix(&self, number: i64) -> String {
        format!("{number}. ")
    }

    fn make_subblock_decorator(&self) -> Self {
        self.clone()
    }
}

/// Lines without blanks at their ends, and never more than one empty line.
fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut is_empty_before = true;
    for line in text.lines().map(str::trim_end) {
        if !(line.is_empty() && is_empty_before) {
            tidied.push_str(line);
            tidied.push('\n');
        }
        is_empty_before = line.is_empty();
    }
    tidied.truncate(tidied.trim_end().len());
    tidied
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(html: &str) -> String {
        text(html, &Url::parse("https://example.com/docs/page#top").unwrap()).unwrap()
    }

    #[test]
    fn a_page_reads_like_markdown() {
        let page = "<html><head><title>T</title><style>p{}</style><script>alert('<p>no</p>')</script></head><body>\
            <h1>Head <em>line</em></h1><p>One <b>two</b><br>three <a href='../x?y=1#z'>here</a>, \
            <a href='https://other.example/a'>there</a>, <a href='#top'>up</a>, <a href='javascript:x()'>no</a>.</p>\
            <ul><li>a<li>b<ol><li>c</ol></ul><pre>  kept\n   so</pre><blockquote>said</blockquote>\
            <img src='p.png' alt='a cat'>&lt;&amp;&eacute;</body></html>";
        let text = shown(page);
        for part in [
            "# Head *line*",
            "One **two**\nthree [here](/x?y=1), [there](https://other.example/a), up, no.",
            "- a\n- b\n",
            "1. c",
            "  kept\n   so",
            "> said",
            "[image: a cat]<&é",
        ] {
            assert!(text.contains(part), "{part:?} is missing in:\n{text}");
        }
        assert!(!text.contains("alert") && !text.contains("p{}") && !text.contains("\n\n\n"), "{text}");
    }

    #[test]
    fn a_table_keeps_its_rows() {
        let text = shown("<table><tr><th>Name<th>Size<tr><td>one<td>1<tr><td>two<td>22</table>");
        let lines: Vec<&str> = text.lines().filter(|line| line.contains('│')).collect();
        assert_eq!(lines, ["Name│Size", "one │1", "two │22"]);
    }

    #[test]
    fn a_parser_that_takes_too_long_is_not_fed_any_more() {
        let is_late = Cell::new(false);
        let until = Instant::now() - Duration::from_secs(1);
        let mut late = InTime { html: b"<p>x", until, is_late: &is_late };
        assert!(late.read(&mut [0; 8]).unwrap_err().to_string().contains("too long") && is_late.take());
        let mut whole = String::new();
        let mut early = InTime { html: &[b'x'; 10_000], until: Instant::now() + PATIENCE, is_late: &is_late };
        assert_eq!(early.read(&mut [0; 9999]).unwrap(), PIECE_BYTES);
        early.read_to_string(&mut whole).unwrap();
        assert_eq!(whole.len(), 10_000 - PIECE_BYTES);
    }

    /// Of every shape that costs more than it is long. What the same costs at the size that is read at most is bounded by
    /// the time that a call waits for it (`desk`).
    #[test]
    fn shapes_that_cost_more_than_they_are_long_come_to_an_end() {
        let fill = |head: &str, part: &str| format!("{head}{}", part.repeat(3_000 / part.len()));
        let spans: String = (0..60).map(|n| format!("<tr><td colspan={n}>x<td>y")).collect();
        for page in [
            fill(&"<ul><li>x".repeat(40), "<li>x"),
            fill(&"<table><tr><td>x".repeat(40), "word "),
            fill(&"<table><tr><td>x".repeat(40), "<tr><td>x<td>y"),
            fill(&"<dl><dd>".repeat(40), "<dt>x<dd>y"),
            fill(&"<blockquote>".repeat(40), "<p>x"),
            fill(&"<b><i><u><s>".repeat(100), "word "),
            fill("<table><tr>", "<td>x"),
            fill("<table><tr>", "<td colspan=1000>x"),
            fill("<table><tr>", "<td rowspan=60000>x<tr>"),
            format!("<table>{spans}</table>"),
            fill("", "<a href='https://e.example/aaaaaaaaaaaaaaaaaaaaa'>y</a> "),
            fill("", "<b><p></b>"),
            fill("", "x"),
            fill("<pre>", "x\n"),
            fill("<p ", "a=b ") + ">x",
        ] {
            assert!(!shown(&page).is_empty(), "{}", page.chars().take(60).collect::<String>());
        }
    }

    #[test]
    fn pages_that_are_made_to_hurt_are_refused_or_harmless() {
        for tag in ["div", "b", "section"] {
            let why = text(&format!("<{tag}>").repeat(600), &Url::parse("http://a/").unwrap()).unwrap_err();
            assert!(why.contains("nested 600 elements deep"), "{why}");
        }
        shown(&"<div>".repeat(512));
        for (nested, depth) in [("<ul><li>x", 500), ("<blockquote>x", 500), ("<table><tr><td>x", 100)] {
            let why = text(&nested.repeat(depth), &Url::parse("http://a/").unwrap()).unwrap_err();
            assert!(why.contains(&format!("{depth} nested lists, quotes or tables")), "{why}");
        }
        // Ends that end nothing hide how deep a page is until it is built.
        for (nested, what) in [("<div></x>", "elements deep"), ("<blockquote></ul>x", "nested lists")] {
            let why = text(&nested.repeat(1_200), &Url::parse("http://a/").unwrap()).unwrap_err();
            assert!(why.contains(what), "{why}");
        }
        shown(&"<ul><li>x".repeat(40));
        shown(&"<table><tr><td>x".repeat(40));
        shown(&"<b><p></b>".repeat(5000));
        shown("<table><tr><td colspan=1000000000>x<td>y<tr><td>a</table>");
        shown(&format!("<a href='{}'>", "x".repeat(100_000)));
        assert_eq!(shown(""), "");
        assert_eq!(shown("<<<>>> &#0; &#xffffffff;").lines().count(), 1);
    }
}
