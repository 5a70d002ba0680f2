//! How a file is named in a message: `@path`.

/// Endings that nothing else than files has.
const FILE_ENDINGS: [&str; 120] = [
    "adoc", "astro", "avif", "bak", "bash", "bmp", "c", "cc", "cfg", "cjs", "clj", "cmake", "conf", "cpp",
    "cs", "csproj", "css", "csv", "dart", "db", "diff", "dll", "docx", "eex", "erl", "exe", "exs", "f90",
    "gif", "go", "gradle", "graphql", "gz", "h", "hbs", "heex", "hpp", "hrl", "hs", "html", "ico", "ini",
    "ipynb", "java", "jl", "jpeg", "jpg", "js", "json", "jsonl", "jsx", "kt", "kts", "lhs", "lock", "log",
    "lua", "md", "mdx", "mjs", "ml", "mp3", "mp4", "nix", "parquet", "patch", "pdf", "pem", "php", "pkl",
    "png", "ppt", "pptx", "prisma", "proto", "ps1", "psd", "py", "rb", "rs", "rst", "rtf", "sass", "sbt",
    "scala", "scss", "sh", "sql", "sqlite", "srt", "svelte", "svg", "swift", "tar", "tex", "tf", "tfvars",
    "toml", "ts", "tsv", "tsx", "ttf", "txt", "vue", "wasm", "wav", "webp", "woff", "woff2", "xls", "xlsx",
    "xml", "xsd", "xz", "yaml", "yml", "zig", "zip", "zsh", "zst",
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
