//! What "always" offers, and what the list of rules tells.

use countersign::ledger::{Arguments, CallId};
use countersign::policy::{
    NoRule, Origin, Past, Policy, RuleKind, Tier, Verdict, listing, suggest, why_none,
};
use countersign::tool::{Preparation, ToolSpec};

use super::lines::look;
use super::rules::{at, edit_tool, from};
use super::support::{call, rule, shell_tool};

#[test]
fn always_offers_the_narrowest_rule_of_use_or_none() {
    for (line, offered) in [
        ("cargo test x", Some("cargo test *")),
        ("cargo test", Some("cargo test")),
        ("cargo build --release && echo done", Some("cargo build *")),
        ("timeout 60 cargo test x", Some("cargo test *")),
        ("cargo test a && cargo test b", Some("cargo test *")),
        ("cargo test 'a b'", Some("cargo test *")),
        ("git commit -m 'x y'", Some("git commit *")),
        ("git push origin main", Some("git push origin main")),
        ("git config x y", Some("git config x y")),
        ("git log --output=x", Some("git log --output=x")),
        ("git diff --ext-diff HEAD", Some("git diff --ext-diff HEAD")),
        ("git checkout main", Some("git checkout main")),
        ("git branch topic", Some("git branch topic")),
        ("git stash push", Some("git stash push")),
        ("git add -A", Some("git add *")),
        ("cargo clean -p x", Some("cargo clean -p x")),
        ("npm run build -- --watch", Some("npm run build *")),
        ("npm test", Some("npm test")),
        ("pytest -x tests", Some("pytest *")),
        ("make test", Some("make test")),
        ("cargo test a && cargo build b", None),
        ("cargo publish", Some("cargo publish")),
        ("cargo +nightly test", Some("cargo +nightly test")),
        ("cargo $x", None),
        ("make $x", None),
        ("X=1 cargo test y", None),
        ("python3 -c 'print(1)'", None),
        ("node -e 1", None),
        ("sh -c \"$x\"", None),
        ("sudo cargo test x", None),
        ("rm x", None),
        ("curl x", None),
        ("./build.sh", None),
        ("cargo test x > y", None),
        ("cargo test x $((y))", None),
        ("ls", None),
    ] {
        let found = suggest(&shell_tool(), &call(line), &look(line), &[]);
        let text = found.map(|suggestion| suggestion.rule.to_string());
        assert_eq!(text, offered.map(|pattern| format!("shell({pattern})")), "{line}");
    }
    for (path, leads_to, outside, offered) in [
        ("src/a.rs", "src/a.rs", false, Some("edit(src/*)")),
        ("a.rs", "a.rs", false, Some("edit(a.rs)")),
        ("link", "/etc/hosts", true, Some("edit(/etc/hosts)")),
        (".git/config", ".git/config", false, None),
    ] {
        let (arguments, found) = at(path, leads_to, outside);
        let text =
            suggest(&edit_tool(), &arguments, &found, &[]).map(|suggestion| suggestion.rule.to_string());
        assert_eq!(text.as_deref(), offered, "{path}");
    }
    // Of a server's tools the one tool, whatever it is called with; of agents the one.
    let tool = ToolSpec::from_elsewhere;
    for (name, offered) in ["mcp__github__create_issue", "delegate_to_x"]
        .map(|name| (name, Some(name)))
        .into_iter()
        .chain([("odd", None)])
    {
        let found = suggest(&tool(name), &call("x"), &Preparation::default(), &[]);
        let text = found.map(|suggestion| suggestion.rule.to_string());
        assert_eq!(text.as_deref(), offered, "{name}");
    }
}

#[test]
fn an_offered_rule_lets_its_call_run_and_says_what_it_would_have_covered() {
    let tool = shell_tool();
    let lines =
        ["cargo test a", "cargo test", "cargo test b | head", "cargo test b; rm x", "ls", "cargo test c > d"];
    let calls: Vec<Arguments> = lines.iter().map(|line| call(line)).collect();
    let found: Vec<Preparation> = lines.iter().map(|line| look(line)).collect();
    let past: Vec<Past<'_>> = (1..)
        .zip(calls.iter().zip(&found))
        .map(|(number, (arguments, found))| Past { call: CallId(number), tool: &tool, arguments, found })
        .collect();
    let offered = suggest(&tool, &call("cargo test z"), &look("cargo test z"), &past).unwrap();
    assert_eq!(offered.covers, [CallId(1), CallId(3)]);
    let policy = Policy { rules: vec![offered.rule], ..Policy::default() };
    let verdict = policy.decide(&tool, &call("cargo test z"), &look("cargo test z")).verdict;
    assert_eq!(verdict, Verdict::Allow("rule shell(cargo test *) of this session".into()));
}

#[test]
fn the_list_says_where_rules_come_from_and_what_they_last_spoke_of() {
    let tool = shell_tool();
    let place = Origin { tier: Tier::User, place: Some("config.toml".into()), line: Some(3) };
    let rules = [
        rule(RuleKind::Allow, "shell(make *)").from(place),
        from(RuleKind::Allow, "shell", Tier::Project),
        from(RuleKind::Deny, "shell(rm *)", Tier::Flag),
    ];
    let calls = [call("make x"), call("make y"), call("touch x")];
    let found = Preparation::default();
    let past: Vec<Past<'_>> = (1..)
        .zip(&calls)
        .map(|(number, arguments)| Past { call: CallId(number), tool: &tool, arguments, found: &found })
        .collect();
    let list: Vec<String> = listing(&rules, &past)
        .iter()
        .map(|row| {
            format!(
                "{} {} {} {} {:?}",
                row.kind.as_str(),
                row.text,
                row.origin,
                row.counts,
                row.last.map(|c| c.0)
            )
        })
        .collect();
    assert_eq!(
        list,
        [
            "deny shell(rm *) the command line true None",
            "allow shell(make *) config.toml:3 true Some(2)",
            "allow shell the project's file false Some(3)",
        ]
    );
}

#[test]
fn why_no_rule_is_offered_is_known() {
    let unknown = |name: &str| NoRule::Unknown(name.to_owned());
    for (line, why) in [
        ("./build.sh --fast", unknown("./build.sh")),
        ("cargo build && ./build.sh", unknown("./build.sh")),
        ("cargo test a && cargo build b", NoRule::Several),
        ("X=1 cargo test y", NoRule::Variables),
    ] {
        assert_eq!(why_none(&shell_tool(), &call(line), &look(line)), why, "{line}");
    }
}
