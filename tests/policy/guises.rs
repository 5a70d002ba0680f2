//! Other ways to write what a rule denies.

use countersign::policy::{Mode, RuleKind, Verdict};

use super::lines::look;
use super::support::{call, policy, shell_tool};

/// What comes of a line where one rule denies and everything else runs.
fn decide(denied: &str, line: &str) -> &'static str {
    let policy = policy(Mode::Unrestricted, &[(RuleKind::Deny, denied)]);
    match policy.decide(&shell_tool(), &call(line), &look(line)).verdict {
        Verdict::Allow(_) => "allow",
        Verdict::Sandbox(_) => "sandbox",
        Verdict::Ask(_) => "ask",
        Verdict::Deny(_) => "deny",
    }
}

/// Each line with what comes of it.
fn all(denied: &str, lines: &[(&str, &str)]) {
    for (expected, line) in lines {
        assert_eq!(decide(denied, line), *expected, "{denied}: {line}");
    }
}

#[test]
fn no_alias_of_git_hides_a_subcommand_from_a_rule() {
    all(
        "shell(git push *)",
        &[
            ("deny", "git -c alias.x=push x origin HEAD:refs/heads/aliased"),
            ("deny", "git -c 'alias.x=push -f' x origin"),
            ("deny", "git -C sub -c 'Alias.x=--no-pager push' x"),
            ("deny", "git send-pack origin HEAD"),
            ("deny", "git-push origin"),
            ("deny", "git config alias.p push && git push"),
            ("ask", "git config alias.p push"),
            ("ask", "git config --global Alias.p 'push -f'"),
            ("ask", "git p origin"),
            ("ask", "git -C sub --no-pager p origin"),
            ("ask", "git --config-env=alias.x=V x"),
            ("ask", "git --config-env alias.x=V x"),
            ("ask", "git -c \"$x\" status"),
            ("ask", "git subtree push --prefix=a origin b"),
            ("ask", "watch git p"),
            ("ask", "watch 'git p'"),
            ("allow", "git -C sub status"),
            ("allow", "git -c user.name=me commit -m 'alias.x y'"),
            ("allow", "git config user.name me"),
            ("allow", "git config --get alias.p"),
            ("allow", "git check-ignore x"),
            ("allow", "git fetch"),
            ("allow", "git"),
            ("allow", "rg git src"),
        ],
    );
    // Where no rule is about git, its aliases are nobody's concern.
    for denied in ["shell(rm *)", "shell(gitk *)"] {
        all(denied, &[("allow", "git p origin"), ("allow", "git config alias.p push")]);
    }
}
