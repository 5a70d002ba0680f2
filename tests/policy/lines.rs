//! The table in `lines.txt`, line by line.

use countersign::policy::{Mode, Policy, RuleKind, Verdict, opened};
use countersign::tool::Preparation;

use super::support::{call, policy, shell_tool};

const TABLE: &str = include_str!("lines.txt");

/// Fewer lines than this are not the table that was asked for.
const LEAST: usize = 250;

fn rules(mode: Mode) -> Policy {
    use RuleKind::{Allow, Ask, Deny, Sandbox};
    policy(
        mode,
        &[
            (Allow, "shell(cargo test *)"),
            (Allow, "shell(cargo test)"),
            (Allow, "shell(echo *)"),
            (Allow, "shell(git commit *)"),
            (Allow, "shell(make test)"),
            (Allow, "write(out/*)"),
            (Sandbox, "shell(cargo build *)"),
            (Sandbox, "shell(python3 *)"),
            (Ask, "shell(git push *)"),
            (Deny, "shell(rm *)"),
            (Deny, "shell(curl *)"),
            (Deny, "shell(terraform destroy *)"),
        ],
    )
}

/// The signs of the table as the characters that they stand for.
fn unfold(line: &str) -> String {
    let signs = [
        ('⏎', '\n'),
        ('⇥', '\t'),
        ('␍', '\r'),
        ('␀', '\0'),
        ('␛', '\u{1b}'),
        ('⌷', '\u{200b}'),
        ('⌸', '\u{a0}'),
        ('⇄', '\u{202e}'),
    ];
    signs.into_iter().fold(line.to_owned(), |line, (sign, is)| line.replace(sign, &is.to_string()))
}

/// The look at a line in a workspace where `link` leads out.
pub(crate) fn look(line: &str) -> Preparation {
    let resolve = |path: &String| {
        let leaves = path.starts_with('/') || path.contains("..") || path.split('/').next() == Some("link");
        if leaves { format!("/outside/{}", path.trim_start_matches('/')) } else { path.clone() }
    };
    let leads_to: Vec<String> = opened(line).iter().map(resolve).collect();
    let outside = leads_to.iter().filter(|path| path.starts_with('/')).cloned().collect();
    Preparation { leads_to, outside, ..Preparation::default() }
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Allow(_) => "allow",
        Verdict::Sandbox(_) => "sandbox",
        Verdict::Ask(_) => "ask",
        Verdict::Deny(_) => "deny",
    }
}

fn rows() -> Vec<(&'static str, &'static str, String)> {
    let rows = TABLE.lines().filter(|row| !row.is_empty() && !row.starts_with("# ") && !row.starts_with('#'));
    let parse = |row: &'static str| {
        let (verdict, rest) = row.split_once(' ').unwrap();
        let (class, line) = rest.trim_start().split_once(' ').unwrap();
        (verdict, class, unfold(line.trim_start()))
    };
    rows.map(parse).collect()
}

#[test]
fn each_line_decides_as_the_table_says() {
    let (policy, tool) = (rules(Mode::Ask), shell_tool());
    let rows = rows();
    let mut wrong = Vec::new();
    for (verdict, class, line) in &rows {
        let decided = policy.decide(&tool, &call(line), &look(line));
        let found = (word(&decided.verdict), decided.effect.as_str().split(' ').next().unwrap());
        if found != (*verdict, *class) {
            wrong.push(format!("{verdict:8} {class:8} {line:?}: is {found:?}, {:?}", decided.verdict));
        }
    }
    assert!(rows.len() >= LEAST, "{} lines", rows.len());
    assert!(wrong.is_empty(), "{} of {} lines:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn the_other_modes_differ_where_they_should() {
    let tool = shell_tool();
    let in_mode = |mode: Mode, line: &str| word(&rules(mode).decide(&tool, &call(line), &look(line)).verdict);
    for (verdict, class, line) in &rows() {
        let line = line.as_str();
        let [plan, edit, auto, free] =
            [Mode::Plan, Mode::Edit, Mode::Auto, Mode::Unrestricted].map(|mode| in_mode(mode, line));
        // What is denied is denied in every mode, and nothing else is refused but by plan.
        for mode in [edit, auto, free] {
            assert_eq!(mode == "deny", *verdict == "deny", "{line:?}");
        }
        // What only looks does it in the sandbox, in plan too.
        assert!(plan == "deny" || (plan, *class) == ("sandbox", "reads"), "{line:?}: {plan}");
        // No mode asks where a milder one allows.
        assert!(*verdict != "allow" || edit == "allow" && auto == "allow" && free == "allow", "{line:?}");
    }
    for (mode, verdict, line) in [
        (Mode::Plan, "sandbox", "ls | head"),
        (Mode::Plan, "deny", "cargo test x"),
        (Mode::Plan, "deny", "cat /etc/passwd"),
        (Mode::Edit, "allow", "echo a > b"),
        (Mode::Edit, "sandbox", "cat < b"),
        (Mode::Edit, "ask", "echo a > .git/hooks/pre-commit"),
        (Mode::Edit, "ask", "echo a > link"),
        (Mode::Edit, "ask", "touch b"),
        (Mode::Auto, "sandbox", "touch b"),
        (Mode::Auto, "sandbox", "./script.sh"),
        (Mode::Auto, "sandbox", "cat /etc/passwd"),
        (Mode::Auto, "allow", "cargo test x"),
        (Mode::Auto, "ask", "git push"),
        (Mode::Auto, "ask", "sudo make"),
        (Mode::Auto, "ask", "wget x"),
        (Mode::Auto, "ask", "eval \"$x\""),
        (Mode::Auto, "ask", "$x"),
        (Mode::Auto, "ask", "echo a > /dev/tcp/example.com/80"),
        (Mode::Auto, "ask", "echo a > /dev/udp/example.com/80"),
        (Mode::Auto, "ask", "cat < /dev/tcp/example.com/80"),
        (Mode::Auto, "ask", "cat < //dev/udp/example.com/80"),
        (Mode::Unrestricted, "allow", "git push"),
        (Mode::Unrestricted, "ask", "$x y"),
        (Mode::Unrestricted, "ask", "eval \"$x\""),
        (Mode::Unrestricted, "allow", "wget x"),
    ] {
        assert_eq!(in_mode(mode, line), verdict, "{mode} {line}");
    }
}

#[test]
fn without_a_sandbox_nothing_is_confined_and_auto_asks() {
    let tool = shell_tool();
    for line in ["touch b", "cargo build --release", "./script.sh", "ls", "git status"] {
        let policy = Policy { has_sandbox: false, ..rules(Mode::Auto) };
        let verdict = policy.decide(&tool, &call(line), &look(line)).verdict;
        assert!(matches!(verdict, Verdict::Ask(_)), "{line}: {verdict:?}");
    }
}

#[test]
fn auto_asks_about_what_cannot_be_read_without_any_rule_too() {
    let policy = policy(Mode::Auto, &[]);
    for line in ["echo $(", "echo 'a", "eval \"$x\"", "touch x; . ./y", "printf \"$x\""] {
        let verdict = policy.decide(&shell_tool(), &call(line), &look(line)).verdict;
        assert!(matches!(verdict, Verdict::Ask(_)), "{line}: {verdict:?}");
    }
    let verdict = policy.decide(&shell_tool(), &call("touch x"), &look("touch x")).verdict;
    assert!(matches!(verdict, Verdict::Sandbox(_)), "{verdict:?}");
}

#[test]
fn what_nobody_has_looked_at_is_asked_about() {
    let (policy, tool) = (rules(Mode::Edit), shell_tool());
    for line in ["cat README.md", "echo a > b", "cat < a", "cd src"] {
        let verdict = policy.decide(&tool, &call(line), &Preparation::default()).verdict;
        assert!(matches!(verdict, Verdict::Ask(_)), "{line}: {verdict:?}");
    }
}

#[test]
fn where_looking_is_not_free_a_line_that_only_looks_needs_a_rule() {
    let tool = shell_tool();
    let policy = Policy { looking_is_free: false, ..rules(Mode::Ask) };
    for (line, expected) in [
        ("ls", "ask"),
        ("ls | head", "ask"),
        ("echo a", "allow"),
        ("cargo test x | head", "allow"),
        ("", "ask"),
        ("> /dev/null", "ask"),
    ] {
        assert_eq!(word(&policy.decide(&tool, &call(line), &look(line)).verdict), expected, "{line}");
    }
    let plan = Policy { mode: Mode::Plan, ..policy };
    assert_eq!(word(&plan.decide(&tool, &call("ls"), &look("ls")).verdict), "deny");
}
