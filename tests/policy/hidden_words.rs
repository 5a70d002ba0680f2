//! Words that a shell, or a program that it starts, makes of others: no rule is passed by them.

use super::guises::all;

#[test]
fn no_pattern_for_names_of_files_hides_a_word_from_a_rule() {
    all(
        "shell(git push *)",
        &[
            ("ask", "git pus[h] origin"),
            ("ask", "git [p]ush origin"),
            ("ask", "git p[t-v]s[!a]"),
            ("ask", "git pus? origin"),
            ("ask", "git pus[$x origin"),
            ("ask", "watch git pus[h] origin"),
            ("allow", "git pull[h] origin"),
            ("allow", "git status a[h]"),
            ("allow", "[ -f x ]"),
        ],
    );
}
