//! What the wire tests share: reading an answer in pieces of any size, and one plain form of what it said.

pub mod answer;
pub mod fixture;
pub mod history;
pub mod hosted;

use countersign::model::ModelNews;
use countersign::wire::Protocol;

/// All news of `bytes`, pushed in pieces whose sizes `sizes` gives; asserts that the end is said exactly once, last.
pub fn read(protocol: Protocol, bytes: &[u8], mut sizes: impl FnMut() -> usize) -> Vec<ModelNews> {
    let mut decoder = protocol.decoder();
    let mut news = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (piece, tail) = rest.split_at(sizes().clamp(1, rest.len()));
        news.extend(decoder.push(piece));
        rest = tail;
    }
    news.extend(decoder.finish());
    news.extend(decoder.push(b"data: late\n\n"));
    news.extend(decoder.finish());
    let ends = news.iter().filter(|n| !matches!(n, ModelNews::Event(_))).count();
    assert_eq!(ends, 1, "exactly one end in {news:?}");
    assert!(!matches!(news.last(), Some(ModelNews::Event(_))), "the end is last in {news:?}");
    news
}

/// Reads the bytes whole, one by one and in odd pieces; asserts that the news are always the same.
pub fn read_all_ways(protocol: Protocol, bytes: &[u8], what: &str) -> Vec<ModelNews> {
    let whole = read(protocol, bytes, || usize::MAX);
    assert_eq!(read(protocol, bytes, || 1), whole, "{what}, byte by byte");
    for seed in [7_u64, 99, 2026] {
        let mut state = seed;
        let odd = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % 61 + 1
        };
        assert_eq!(read(protocol, bytes, odd), whole, "{what}, in odd pieces, seed {seed}");
    }
    whole
}
