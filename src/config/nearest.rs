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
    let is_longer_than_three = one.chars().nth(3).is_some();
    if one != other && is_longer_than_three && (other.starts_with(one) || one.starts_with(other)) {
        return 1;
    }
    strsim::osa_distance(one, other)
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
