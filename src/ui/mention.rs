//! How a file is named in a message: `@path`.

/// A path as a mention that reads back as it.
pub fn written(path: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !"\\\"'".contains(c);
    if path.chars().all(is_plain) && !path.ends_with(|c| ".,;:!?)]}>`".contains(c)) {
        format!("@{path}")
    } else if !path.contains('"') {
        format!("@\"{path}\"")
    } else {
        let escaped = path.chars().map(|c| if is_plain(c) { c.to_string() } else { format!("\\{c}") });
        format!("@{}", escaped.collect::<String>())
    }
}
