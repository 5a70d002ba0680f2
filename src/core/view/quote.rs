//! Text of others in a document of ours, in Markdown: quoted, so that nothing in it is taken for a part of the document.

use pulldown_cmark::{BrokenLink, CowStr, Event, Options, Parser, Tag};

/// So often is a quote read again after something in it was taken its meaning; then it is shown as it is.
const ROUNDS: usize = 8;

/// Bytes of a quote; what is longer is shown as it is.
const MOST: usize = 1 << 20;

/// Addresses that a reader may follow from a document: pages, mail, and what has no scheme.
const FOLLOWED: [&str; 3] = ["http", "https", "mailto"];

/// A block that quotes the text. What is said in Markdown stays Markdown, but for headings and HTML, which
/// are shown as they were written: a quote has no parts of the document in it, and nothing that could end it.
/// Nor does it have images, which whoever looks at the document would fetch from wherever a model wanted, or
/// links that run something.
pub(super) fn quoted(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines = text.trim_end().split('\n').map(|line| format!("> {line}"));
    let lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
    let mut quote = lines.join("\n");
    for _ in 0..ROUNDS {
        match Quoting::of(&quote) {
            Quoting::Quote(places) if places.is_empty() => return format!("{quote}\n\n"),
            Quoting::Quote(places) => {
                places.into_iter().rev().for_each(|at| quote.insert(at, '\\'));
            }
            Quoting::Other => break,
        }
    }
    fenced("text", &text)
}

/// How a quote reads.
enum Quoting {
    /// As one, and where in it something must lose its meaning: places in rising order.
    Quote(Vec<usize>),
    /// As something else, or as what cannot be helped.
    Other,
}

impl Quoting {
    fn of(quote: &str) -> Self {
        if quote.len() > MOST {
            return Self::Other;
        }
        let (mut places, mut depth, mut blocks) = (Vec::new(), 0_usize, 0_usize);
        let read = Parser::new_with_broken_link_callback(quote, Options::empty(), Some(defined_elsewhere));
        for (_, definition) in read.reference_definitions().iter().filter(|(_, one)| leads_astray(&one.dest))
        {
            let sign = quote.get(definition.span.start..).and_then(|rest| rest.find('['));
            places.extend(sign.map(|at| definition.span.start + at));
        }
        for (event, range) in read.into_offset_iter() {
            let said = quote.get(range.clone()).unwrap_or_default();
            let own: Vec<usize> = match &event {
                Event::Start(Tag::Heading { .. }) => heading(said).into_iter().collect(),
                Event::Start(Tag::Image { .. }) => said.find('!').into_iter().collect(),
                Event::Start(Tag::Link { dest_url, .. }) if leads_astray(dest_url) => {
                    said.find(['[', '<']).into_iter().collect()
                }
                Event::Html(_) | Event::InlineHtml(_) => said.match_indices('<').map(|(at, _)| at).collect(),
                Event::Start(_) if depth == 0 => {
                    blocks += 1;
                    if !matches!(event, Event::Start(Tag::BlockQuote(_))) {
                        return Self::Other;
                    }
                    Vec::new()
                }
                Event::Start(_) | Event::End(_) => Vec::new(),
                _ if depth == 0 => return Self::Other,
                _ => Vec::new(),
            };
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
            places.extend(own.into_iter().map(|at| range.start + at));
        }
        if blocks != 1 {
            return Self::Other;
        }
        places.sort_unstable();
        places.dedup();
        Self::Quote(places)
    }
}

/// What a reference refers to may be defined in another quote of the document.
fn defined_elsewhere(_: BrokenLink<'_>) -> Option<(CowStr<'_>, CowStr<'_>)> {
    Some((CowStr::Borrowed(""), CowStr::Borrowed("")))
}

/// Whether an address has another scheme than those that are only read.
fn leads_astray(address: &str) -> bool {
    // Browsers read a scheme through what cannot be seen.
    let seen: String = address.chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect();
    let Some((scheme, _)) = seen.split_once(':') else { return false };
    !scheme.contains(['/', '?', '#']) && !FOLLOWED.iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// Where in a heading the sign stands that makes it one: before its words, or in the line under them.
fn heading(said: &str) -> Option<usize> {
    let blanks = said.len() - said.trim_start().len();
    if said.get(blanks..)?.starts_with('#') {
        return Some(blanks);
    }
    let under = said.trim_end().rfind('\n')?;
    let sign = said.get(under..)?.find(['=', '-'])?;
    Some(under + sign)
}

/// A block that its content cannot close.
pub(super) fn fenced(language: &str, content: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    let longest = content.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}\n\n", content.trim_end_matches('\n'))
}

/// Words within a line of ours: on one line, and no sign in them means anything.
pub(super) fn inline(words: &str) -> String {
    let mut safe = String::new();
    for character in one_line(words).chars() {
        if "\\`*[]<>#&|~!".contains(character) {
            safe.push('\\');
        }
        safe.push(character);
    }
    safe
}

/// Words as they are, set off in a line of a document in Markdown.
pub fn code(words: &str) -> String {
    let words = one_line(words);
    let longest = words.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let sign = "`".repeat(longest + 1);
    if words.starts_with('`') || words.ends_with('`') || words.is_empty() {
        format!("{sign} {words} {sign}")
    } else {
        format!("{sign}{words}{sign}")
    }
}

/// All on one line.
pub(super) fn one_line(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "quote_tests.rs"]
mod tests;
