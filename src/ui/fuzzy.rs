//! Fuzzy matching: the letters of a query in their order, best where they stand together or begin words.

/// Characters of a text that are looked at; what is longer is matched by its beginning.
const MOST: usize = 400;

/// How well a text fits a query, higher is better; `None` when a word of it is not there. Case does not matter.
/// An empty query fits everything equally.
pub fn score(query: &str, text: &str) -> Option<i32> {
    let text: Vec<char> = text.chars().take(MOST).flat_map(char::to_lowercase).collect();
    query.split_whitespace().try_fold(0_i32, |sum, word| {
        let word: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
        best(&word, &text).map(|found| sum.saturating_add(found))
    })
}

/// The best of the ways to read the word that begin at each place of its first letter.
fn best(word: &[char], text: &[char]) -> Option<i32> {
    let first = word.first()?;
    let begins = text.iter().enumerate().filter(|(_, c)| *c == first).map(|(at, _)| at);
    begins.filter_map(|at| read(word, text, at)).max()
}

fn read(word: &[char], text: &[char], from: usize) -> Option<i32> {
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
    // Of equally good ones, the one that begins earlier.
    Some(sum.saturating_sub(i32::try_from(from.min(20)).unwrap_or(20) / 5))
}

fn begins_word(text: &[char], at: usize) -> bool {
    at.checked_sub(1).and_then(|before| text.get(before)).is_none_or(|c| !c.is_alphanumeric())
}

/// The positions of the texts that fit, best first; those that fit equally keep their order.
pub fn fitting<'a>(query: &str, texts: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let mut found: Vec<(i32, usize)> =
        texts.enumerate().filter_map(|(at, text)| score(query, text).map(|score| (score, at))).collect();
    found.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
    found.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(query: &str, texts: &[&'static str]) -> Vec<&'static str> {
        fitting(query, texts.iter().copied()).into_iter().map(|at| texts[at]).collect()
    }

    #[test]
    fn words_that_stand_together_come_first() {
        let texts = ["a lot of edges", "the ledger, entry by entry", "lead"];
        assert_eq!(order("ledg", &texts), ["the ledger, entry by entry", "a lot of edges"]);
        assert_eq!(order("le en", &texts), ["the ledger, entry by entry"]);
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
