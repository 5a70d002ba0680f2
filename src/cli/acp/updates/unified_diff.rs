//! A unified diff, as an approval shows it, taken apart into the pairs of texts that editors draw as diffs.

/// The two sides of one hunk.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(in crate::cli::acp) struct Hunk {
    /// Before; `None`: there was no file.
    pub(in crate::cli::acp) old: Option<String>,
    /// After.
    pub(in crate::cli::acp) new: String,
}

/// The hunks of a diff of one file. A line that belongs to none, such as the remark that more follow, is left out: whoever
/// shows them says so beside them.
pub(in crate::cli::acp) fn hunks(diff: &str) -> Vec<Hunk> {
    let is_new = diff.starts_with("--- /dev/null\n");
    let (mut all, mut last): (Vec<Hunk>, char) = (Vec::new(), ' ');
    for line in diff.split('\n') {
        if line.starts_with("@@ ") {
            all.push(Hunk { old: (!is_new).then(String::new), new: String::new() });
            continue;
        }
        let Some(hunk) = all.last_mut() else { continue };
        let Some((sign, rest)) = line.split_at_checked(1) else { continue };
        match sign {
            " " | "-" | "+" => {
                last = if sign == "-" { '-' } else { '+' };
                if let (" " | "-", Some(old)) = (sign, hunk.old.as_mut()) {
                    old.push_str(rest);
                    old.push('\n');
                }
                if sign != "-" {
                    hunk.new.push_str(rest);
                    hunk.new.push('\n');
                }
                if sign == " " {
                    last = ' ';
                }
            }
            // The line before has no end of its own.
            "\\" => {
                if let ('-' | ' ', Some(old)) = (last, hunk.old.as_mut()) {
                    old.pop();
                }
                if last != '-' {
                    hunk.new.pop();
                }
            }
            _ => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hunk_has_its_two_sides() {
        let diff = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n@@ -9 +9 @@\n-a\n\\ No newline at end of \
                    file\n+b\n\\ No newline at end of file\n";
        let hunk = |old: &str, new: &str| Hunk { old: Some(old.to_owned()), new: new.to_owned() };
        assert_eq!(hunks(diff), [hunk("one\ntwo\nthree\n", "one\n2\nthree\n"), hunk("a", "b")]);
        let new = hunks("--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+--- b\n… 3 more lines\n");
        assert_eq!(new, [Hunk { old: None, new: "a\n--- b\n".to_owned() }]);
        assert_eq!(hunks("no diff"), []);
    }
}
