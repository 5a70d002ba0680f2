//! What a misspelled name most likely meant.

/// The candidate that a misspelled name most likely meant, if one is near enough.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = (name.chars().count() / 3).clamp(1, 4);
    candidates
        .into_iter()
        .map(|candidate| (distance(&name.to_lowercase(), candidate), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, remove, replace or swap with their neighbour to get from one word to the other. A word that
/// only goes on where the other ends is one step away: `api_key` means `api_key_env`.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one != other && one.len() > 3 && (other.starts_with(&one) || one.starts_with(&other)) {
        return 1;
    }
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    let cell = |rows: &[Vec<usize>], i: usize, j: usize| {
        rows.get(i).and_then(|row| row.get(j)).copied().unwrap_or(0)
    };
    for (i, a) in one.iter().enumerate() {
        rows.push(vec![i + 1]);
        for (j, b) in other.iter().enumerate() {
            let changed = cell(&rows, i, j) + usize::from(a != b);
            let mut least = changed.min(cell(&rows, i, j + 1) + 1).min(cell(&rows, i + 1, j) + 1);
            let swapped = i > 0 && j > 0 && one.get(i - 1) == Some(b) && other.get(j - 1) == Some(a);
            if swapped {
                least = least.min(cell(&rows, i - 1, j - 1) + 1);
            }
            if let Some(row) = rows.get_mut(i + 1) {
                row.push(least);
            }
        }
    }
    cell(&rows, one.len(), other.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("modle", "model"), 1);
        assert_eq!(distance("api_key", "api_key_env"), 1);
        assert_eq!(distance("abc", "abc"), 0);
    }
}
