//! What a finished call brought, in a few words, read from what its tool says of itself.

/// `212 lines`, `4 matches in 2 files`, `+3 −1`; the number of lines when a tool says nothing that is known.
pub fn measure(tool: &str, content: &str) -> String {
    let first = content.lines().next().unwrap_or("");
    let last = content.lines().next_back().unwrap_or("");
    let said = match tool {
        "read" => last.strip_prefix('(').and_then(|l| l.split([';', ')']).next()),
        "list" => first.rsplit_once(": ").map(|(_, entries)| entries),
        "search" => first.split(" (").next(),
        "write" | "edit" => return changed(first).unwrap_or_else(|| lines(content)),
        "shell" if content.starts_with("(no output") => Some("no output"),
        "plan" => Some("set"),
        _ => None,
    };
    said.filter(|s| !s.is_empty() && s.len() <= 40).map_or_else(|| lines(content), str::to_owned)
}

/// How a command that failed ended, and what it wrote before: `exit code 2`.
pub fn exit(content: &str) -> (Option<&str>, &str) {
    let (before, last) = content.trim_end().rsplit_once('\n').unwrap_or(("", content.trim_end()));
    let known = last.starts_with("exit code ") || last.starts_with("ended by signal ");
    if known { (Some(last), before) } else { (None, content) }
}

/// `edited a: … (+3 -1 lines)`, `created a: 12 bytes, 3 lines`
fn changed(line: &str) -> Option<String> {
    if let Some((_, counts)) = line.rsplit_once("(+") {
        let (added, rest) = counts.split_once(" -")?;
        return Some(format!("+{added} −{}", rest.split(' ').next()?));
    }
    let size = line.strip_prefix("created ")?.rsplit_once(", ")?.1;
    Some(format!("created, {size}"))
}

fn lines(content: &str) -> String {
    match content.lines().count() {
        1 => "1 line".to_owned(),
        n => format!("{n} lines"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_taken_at_its_word() {
        for (tool, content, says) in [
            ("read", "    1\tfn main() {}\n(1 line)", "1 line"),
            ("read", "    1\ta\n(lines 1-50 of 212; go on with offset 51)", "lines 1-50 of 212"),
            ("list", "src: 4 entries\na\nb", "4 entries"),
            ("search", "4 matches in 2 files\na:1: x", "4 matches in 2 files"),
            ("search", "no matches in 3 files (hidden by ignore files or binary)", "no matches in 3 files"),
            ("edit", "edited a.rs: 1 replacement at line 4 (+3 -1 lines)", "+3 −1"),
            ("write", "created a.rs: 12 bytes, 1 line", "created, 1 line"),
            ("shell", "(no output; exit code 0)", "no output"),
            ("shell", "a\nb\n", "2 lines"),
            ("plan", "plan: 1 of 3 done, in progress: b", "set"),
            ("mcp__x", "(odd", "1 line"),
            ("read", "", "0 lines"),
        ] {
            assert_eq!(measure(tool, content), says, "{tool}");
        }
    }

    #[test]
    fn how_a_command_ended_stands_apart() {
        assert_eq!(exit("a\nb\nexit code 2"), (Some("exit code 2"), "a\nb"));
        assert_eq!(exit("exit code 1"), (Some("exit code 1"), ""));
        assert_eq!(exit("no code"), (None, "no code"));
    }
}
