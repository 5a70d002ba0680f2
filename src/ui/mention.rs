//! How a file is named in a message: `@path`.

/// Endings that nothing else than files has.
const FILE_ENDINGS: [&str; 67] = [
    "adoc", "astro", "bash", "c", "cc", "cfg", "cjs", "clj", "cmake", "conf", "cpp", "cs", "css", "csv",
    "dart", "diff", "erl", "exs", "go", "gradle", "graphql", "h", "hpp", "hs", "html", "ini", "ipynb",
    "java", "jl", "js", "json", "jsonl", "jsx", "kt", "lock", "log", "lua", "md", "mjs", "ml", "nix",
    "patch", "php", "proto", "py", "rb", "rs", "rst", "sass", "scala", "scss", "sh", "sql", "svelte",
    "swift", "tex", "tf", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml", "zig", "zsh",
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
