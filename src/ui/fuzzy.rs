//! Fuzzy matching: the letters of a query in their order, best where they stand together or begin words.

/// Characters of a text that are looked at; what is longer is matched by its beginning.
const MOST: usize = 400;

/// How well a text fits a query, higher is better; `None` when a word of it is not there. Case does not matter.
/// An empty query fits everything equally.
pub fn score(query: &str, text: &str) -> Option<i32> {
    scored(query, text, true)
}

/// The same; `early`: of equally good ones, the one that begins earlier.
fn scored(query: &str, text: &str, early: bool) -> Option<i32> {
    let text: Vec<char> = text.chars().take(MOST).flat_map(char::to_lowercase).collect();
    query.split_whitespace().try_fold(0_i32, |sum, word| {
        let word: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
        best(&word, &text, early).map(|found| sum.saturating_add(found))
    })
}

/// The best of the ways to read the word that begin at each place of its first letter.
fn best(word: &[char], text: &[char], early: bool) -> Option<i32> {
    let first = word.first()?;
    let begins = text.iter().enumerate().filter(|(_, c)| *c == first).map(|(at, _)| at);
    begins.filter_map(|at| read(word, text, at, early)).max()
}

fn read(word: &[char], text: &[char], from: usize, early: bool) -> Option<i32> {
    let (mut at, mut before, mut sum): (usize, Option<usize>, i32) = (from, None, 0);
    for letter in word {
        at += text.get(at..)?.iter().position(|c| c == letter)?;
        sum += match before {
            Some(last) if at == last + 1 => 8,
            _ if begins_word(text, at) => 6,
            Some(last) => -i32::try_from((at - last).min(5)).unwrap_or(5),
            None => 0,
        };
        before = Some(at);
        at += 1;
    }
    let late = i32::try_from(from.min(20)).unwrap_or(20) / 5;
    Some(sum.saturating_sub(if early { late } else { 0 }))
}

fn begins_word(text: &[char], at: usize) -> bool {
    at.checked_sub(1).and_then(|before| text.get(before)).is_none_or(|c| !c.is_alphanumeric())
}

/// Words that begin so many texts that nobody looks for them.
const ARTICLES: [&str; 7] = ["the", "these", "this", "that", "those", "them", "there"];

/// Where the letters of a query stand in a text: what people mean most often comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// It is the name.
    Whole,
    /// The name begins so.
    Name,
    /// The text begins so.
    Beginning,
    /// A word begins so.
    Word,
    /// They stand together.
    Inside,
    /// They stand apart, in their order.
    Scattered,
}

impl Place {
    /// Where one word stands that was found in a text with this name.
    fn of(word: &str, name: &str, text: &str) -> Self {
        let begins = |text: &str| {
            let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            text.starts_with(word) && (word == first || !ARTICLES.contains(&first))
        };
        let mut words = text.char_indices().filter(|(at, c)| {
            let before = text.get(..*at).and_then(|before| before.chars().next_back());
            c.is_alphanumeric() && before.is_none_or(|before| !before.is_alphanumeric())
        });
        match name {
            _ if word == name => Self::Whole,
            _ if name.starts_with(word) => Self::Name,
            _ if begins(text) => Self::Beginning,
            _ if words.any(|(at, _)| text.get(at..).is_some_and(begins)) => Self::Word,
            _ if name.contains(word) || text.contains(word) => Self::Inside,
            _ => Self::Scattered,
        }
    }
}

/// The place of the word of a query that stands worst; `None` when one is not there. A slash before it is the name's.
pub fn place(query: &str, name: &str, text: &str) -> Option<Place> {
    let bare = |text: &str| text.trim_start_matches('/').to_lowercase();
    let (name, text): (String, String) = (bare(name), bare(text).chars().take(MOST).collect());
    let (query, all) = (bare(query.trim()), format!("{name} {text}"));
    score(&query, &all)?;
    Some(query.split_whitespace().map(|word| Place::of(word, &name, &text)).max().unwrap_or(Place::Whole))
}

/// The positions of the texts that fit, each with its name, best first; those that fit equally keep their order. Letters that stand
/// apart count only where nothing else fits: in a list of names, they fit nearly everything.
pub fn fitting<'a>(query: &str, texts: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<usize> {
    let bare = query.trim().trim_start_matches('/');
    let mut found: Vec<(Place, i32, usize)> = texts
        .enumerate()
        .filter_map(|(at, (name, text))| {
            let place = place(query, name, text)?;
            // Where a word begins so, the letters before it say nothing: the order of the list does.
            let early = place != Place::Word;
            let score = scored(bare, &format!("{} {text}", name.trim_start_matches('/')), early)?;
            Some((place, -score, at))
        })
        .collect();
    if found.iter().any(|(place, ..)| *place < Place::Scattered) {
        found.retain(|(place, ..)| *place < Place::Scattered);
    }
    found.sort_unstable();
    found.into_iter().map(|(.., at)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(query: &str, texts: &[&'static str]) -> Vec<&'static str> {
        fitting(query, texts.iter().map(|text| ("", *text))).into_iter().map(|at| texts[at]).collect()
    }

    #[test]
    fn letters_that_stand_apart_count_only_where_nothing_else_fits() {
        let texts = ["a lot of edges", "the ledger, entry by entry", "lead"];
        assert_eq!(order("ledg", &texts), ["the ledger, entry by entry"]);
        assert_eq!(order("lteg", &texts), ["a lot of edges"]);
        assert_eq!(order("le en", &texts), ["the ledger, entry by entry"]);
        let models =
            ["anthropic/claude-opus-4-5", "anthropic/claude-sonnet-4-5", "anthropic/claude-haiku-4-5"];
        assert_eq!(order("opus", &models), ["anthropic/claude-opus-4-5"]);
    }

    #[test]
    fn a_name_comes_before_a_beginning_and_a_word() {
        let all = [
            ("", "to help"),
            ("", "other"),
            ("", "the keys"),
            ("", "how the model thinks"),
            ("", "threads"),
            ("/theme", "looks"),
        ];
        let order = |query| {
            fitting(query, all.into_iter())
                .into_iter()
                .map(|at| all[at])
                .map(|(name, text)| format!("{name}{text}"))
        };
        let found: Vec<String> = order("th").collect();
        assert_eq!(found, ["/themelooks", "threads", "how the model thinks", "the keys", "other"]);
        assert_eq!(order("/theme").next().as_deref(), Some("/themelooks"));
    }

    #[test]
    fn of_texts_with_a_word_that_begins_so_the_first_in_the_list_comes_first() {
        let themes = ["countersign-dark", "countersign-light", "paper", "contrast-light", "sixteen lines"];
        let order = |query| {
            let found = fitting(query, themes.iter().map(|name| (*name, *name)));
            found.into_iter().map(|at| themes[at]).collect::<Vec<_>>()
        };
        assert_eq!(order("li"), ["countersign-light", "contrast-light", "sixteen lines"]);
        assert_eq!(order("con li"), ["contrast-light"]);
    }

    #[test]
    fn an_empty_query_keeps_the_order_and_a_strange_one_finds_nothing() {
        assert_eq!(order("  ", &["b", "a"]), ["b", "a"]);
        assert!(order("xyz", &["b", "a"]).is_empty());
    }

    #[test]
    fn case_does_not_matter_and_beginnings_of_words_do() {
        assert_eq!(order("CT", &["abcot", "Clear Text"]), ["Clear Text", "abcot"]);
    }
}
