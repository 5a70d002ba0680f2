//! How a file is named in a message: `@path`.

/// Endings that nothing else than files has.
const FILE_ENDINGS: [&str; 38] = [
    "bash", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "go", "h", "hpp", "html", "ini", "ipynb",
    "java", "js", "json", "jsonl", "jsx", "kt", "lock", "log", "lua", "md", "php", "py", "rb", "rs", "rst",
    "sh", "sql", "toml", "ts", "tsx", "txt", "xml", "yaml",
];
/// Files without an ending.
const FILE_NAMES: [&str; 5] = ["Dockerfile", "LICENSE", "Makefile", "README", "justfile"];

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

/// Whether a word can only be the name of a file: `gone.txt`, `Makefile`. Names of people, packages and members are other words.
pub fn is_called_a_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
    FILE_NAMES.contains(&name) || ending.is_some_and(|ending| FILE_ENDINGS.contains(&ending))
}
