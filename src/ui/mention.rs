//! How a file is named in a message: `@path`.

/// Endings that nothing else than files has.
const FILE_ENDINGS: [&str; 119] = [
    "adoc", "astro", "avif", "bak", "bash", "bmp", "c", "cc", "cfg", "cjs", "clj", "cmake", "conf", "cpp",
    "cs", "csproj", "css", "csv", "dart", "db", "diff", "dll", "docx", "eex", "erl", "exe", "exs", "f90",
    "gif", "go", "gradle", "graphql", "gz", "h", "hbs", "heex", "hpp", "hrl", "hs", "html", "ico", "ini",
    "ipynb", "java", "jl", "jpeg", "jpg", "js", "json", "jsonl", "jsx", "kt", "kts", "lhs", "lock", "log",
    "lua", "md", "mdx", "mjs", "ml", "mp3", "mp4", "nix", "parquet", "pdf", "pem", "php", "pkl", "png",
    "ppt", "pptx", "prisma", "proto", "ps1", "psd", "py", "rb", "rs", "rst", "rtf", "sass", "sbt", "scala",
    "scss", "sh", "sql", "sqlite", "srt", "svelte", "svg", "swift", "tar", "tex", "tf", "tfvars", "toml",
    "ts", "tsv", "tsx", "ttf", "txt", "vue", "wasm", "wav", "webp", "woff", "woff2", "xls", "xlsx", "xml",
    "xsd", "xz", "yaml", "yml", "zig", "zip", "zsh", "zst",
];
/// Files without an ending.
const FILE_NAMES: [&str; 5] = ["Dockerfile", "LICENSE", "Makefile", "README", "justfile"];

/// What stands behind a dot in other words: well-known decorators of code, and names of hosts.
const OTHER_ENDINGS: [&str; 28] = [
    "action", "agent", "cache", "com", "command", "computed", "delete", "deleter", "fixture", "get",
    "getter", "group", "head", "io", "jit", "listener", "mark", "net", "option", "post", "prompt", "put",
    "register", "route", "setter", "task", "tool", "wraps",
];
/// Letters of an ending, at most.
const LONGEST_ENDING: usize = 10;

/// An image that was pasted: what is sent for it, and what people see in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastedImage {
    /// The mention of its file, as [`written`].
    pub mention: String,
    /// How large it is, as in `640×480 · 12 kB`; empty where that is not known.
    pub measures: String,
}

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

/// Whether a word has the shape of a file's name, with an ending that other words may have, too: `notes.org`. Not a call
/// (`app.route("/")`), a type (`org.junit.Test`), a version (`core@1.2`) or the decorators that everybody knows (`app.route`).
pub fn could_be_a_file(path: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "/_-+. ".contains(c);
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let is_word = ending.chars().all(|c| c.is_ascii_alphanumeric()) && ending.len() <= LONGEST_ENDING;
    let is_spoken = |text: &str| text.contains(char::is_alphabetic);
    let is_type = ending.starts_with(|c: char| c.is_ascii_uppercase())
        && ending.contains(|c: char| c.is_ascii_lowercase());
    path.chars().all(is_plain)
        && is_word
        && is_spoken(ending)
        && is_spoken(stem)
        && !is_type
        && !OTHER_ENDINGS.contains(&ending)
}

/// Whether a word is a decorator that is called with a text, whatever the text is: `app.get("/a.json")`.
pub fn is_a_call(word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || "_.$".contains(c);
    word.split_once('(').is_some_and(|(name, with)| {
        !name.is_empty() && name.chars().all(is_name) && with.starts_with(['"', '\''])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_be_the_name_of_a_file_or_something_else() {
        for name in [
            "x.ending",
            "mock.patch",
            "notes.org",
            "my notes.org",
            "gone/notes.org",
            "a-b.tar.lz4",
            "NOTES.ORG",
        ] {
            assert!(could_be_a_file(name), "{name}");
        }
        for word in [
            "ann",
            "scope/name",
            "angular/core@17.0.1",
            "1.2",
            "18.x",
            "notes.",
            ".org",
            "app.route",
            "app.route(\"/x",
            "org.junit.Test",
            "user@host.org",
            "user:host.org",
            "company.com",
            "a.longerthanten",
        ] {
            assert!(!could_be_a_file(word), "{word}");
        }
        assert!(is_a_call("app.get(\"/a.json") && is_a_call("Path('a.json"));
        assert!(!is_a_call("file(1).json") && !is_a_call("a.json") && !is_a_call("(\"a.json"));
    }
}
