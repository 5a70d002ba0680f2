//! The table in `urls.txt`: which pages a rule of `fetch` speaks of. And which rule "always" offers for one.

use countersign::ledger::Arguments;
use countersign::policy::{Mode, Rule, RuleKind, Verdict, suggest};
use countersign::tool::{Preparation, SideEffect, ToolKind, ToolSpec};
use serde_json::json;

use super::support::{policy, shell_tool};

const TABLE: &str = include_str!("urls.txt");

/// Fewer rows than this are not the table that was asked for.
const LEAST: usize = 150;

fn fetch_tool() -> ToolSpec {
    ToolSpec { name: "fetch".into(), effect: SideEffect::Sends, kind: ToolKind::Fetch, ..shell_tool() }
}

fn page(url: &str) -> Arguments {
    Arguments::from_value(json!({ "url": url }))
}

fn verdict(mode: Mode, rules: &[(RuleKind, &str)], url: &str) -> Verdict {
    policy(mode, rules).decide(&fetch_tool(), &page(url), &Preparation::default()).verdict
}

/// What the rule says of the URL, in the table's words: held where its silence would be something else.
fn said(kind: RuleKind, rule: &str, url: &str) -> &'static str {
    let found = match kind {
        RuleKind::Allow | RuleKind::Sandbox => verdict(Mode::Ask, &[(kind, rule)], url),
        RuleKind::Ask => verdict(Mode::Ask, &[(kind, rule), (RuleKind::Allow, "fetch")], url),
        RuleKind::Deny => verdict(Mode::Unrestricted, &[(kind, rule)], url),
    };
    match (kind, found) {
        (RuleKind::Allow, Verdict::Allow(_)) | (RuleKind::Deny, Verdict::Deny(_)) => "covers",
        (RuleKind::Ask | RuleKind::Deny, Verdict::Ask(why)) if why.starts_with("it is unclear") => "unsure",
        (RuleKind::Ask, Verdict::Ask(_)) => "covers",
        (RuleKind::Allow, Verdict::Ask(_)) | (RuleKind::Ask | RuleKind::Deny, Verdict::Allow(_)) => "misses",
        (_, other) => panic!("{rule} {url}: {other:?}"),
    }
}

fn unfold(url: &str) -> String {
    url.replace('⇥', "\t").replace('⏎', "\n").replace('⌸', " ")
}

#[test]
fn each_rule_speaks_of_the_pages_that_the_table_says() {
    let (mut rows, mut wrong) = (0, Vec::new());
    for row in TABLE.lines().filter(|row| !row.is_empty() && !row.starts_with('#')) {
        let words: Vec<&str> = row.split_whitespace().collect();
        let [expected, kind, rule, url] = words[..] else { panic!("{row}") };
        let kinds = [RuleKind::Allow, RuleKind::Ask, RuleKind::Deny];
        let kind = kinds.into_iter().find(|known| known.as_str() == kind).unwrap();
        let found = said(kind, rule, &unfold(url));
        if found != expected {
            wrong.push(format!("{row}: {found}"));
        }
        rows += 1;
    }
    assert!(rows >= LEAST, "{rows} rows");
    assert!(wrong.is_empty(), "{} of {rows} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_pattern_that_could_be_misread_is_no_rule() {
    for (kind, rule, why) in [
        (RuleKind::Allow, "fetch(docs*.rs)", "`*` can only be the first part"),
        (RuleKind::Allow, "fetch(docs.*)", "`*` can only be the first part"),
        (RuleKind::Sandbox, "fetch(*rust-lang.org)", "`*` can only be the first part"),
        (RuleKind::Allow, "fetch(https://*docs.rs/*)", "`*` can only be the first part"),
        (RuleKind::Allow, "fetch(*.*.rs)", "`*` can only be the first part"),
        (RuleKind::Allow, "fetch(docs.rs:80*/x)", "not a port"),
        (RuleKind::Deny, "fetch(docs.rs:http)", "not a port"),
        (RuleKind::Deny, "fetch(docs.rs:99999)", "not a port"),
        (RuleKind::Deny, "fetch(docs.rs:)", "not a port"),
        (RuleKind::Deny, "fetch(a:80:90)", "not a host"),
        (RuleKind::Deny, "fetch(*.1.2.3.4)", "an address has no subdomains"),
        (RuleKind::Deny, "fetch(https://a@docs.rs/)", "user name"),
        (RuleKind::Deny, "fetch(ftp://docs.rs/)", "only http and https"),
        (RuleKind::Deny, "fetch(docs rs)", "cannot contain blanks"),
        (RuleKind::Deny, "fetch(bü*.example)", "must be ASCII"),
        (RuleKind::Deny, "fetch()", "not a host"),
        (RuleKind::Deny, "fetch(/etc/*)", "not a host"),
        (RuleKind::Deny, "fetch(https:///etc)", "not a host"),
    ] {
        let refused = Rule::parse(kind, rule).expect_err(rule).to_string();
        assert!(refused.contains(why) && refused.ends_with("fetch(https://docs.rs/*)"), "{refused}");
    }
    for rule in ["fetch(docs*.rs)", "fetch(*evil*)", "fetch(docs.*)", "fetch(docs.rs:80*)"] {
        Rule::parse(RuleKind::Deny, rule).unwrap();
    }
}

#[test]
fn always_offers_the_server_of_a_page_and_no_other() {
    for (url, offered) in [
        ("https://docs.rs/serde/latest", Some("docs.rs")),
        ("HTTPS://Docs.RS:443/", Some("docs.rs")),
        (" https://docs.rs/ ", Some("docs.rs")),
        ("https://docs.rs:8443/a", Some("docs.rs:8443")),
        ("http://docs.rs/a", Some("http://docs.rs/*")),
        ("http://127.1:3000/a", Some("http://127.0.0.1:3000/*")),
        ("https://[::1]:3000/a", Some("[::1]:3000")),
        ("https://bücher.example/", Some("xn--bcher-kva.example")),
        ("https://docs.rs@evil.example/", None),
        ("https://*.rust-lang.org/", None),
        ("https://*/", None),
        ("https://docs.rs./", None),
        ("ftp://docs.rs/", None),
        ("file:///etc/passwd", None),
        ("docs.rs", None),
    ] {
        let found = suggest(&fetch_tool(), &page(url), &Preparation::default(), &[]);
        let text = found.map(|suggestion| suggestion.rule.to_string());
        assert_eq!(text, offered.map(|pattern| format!("fetch({pattern})")), "{url}");
        // What was taken is read again when the session goes on.
        let again = text.as_deref().map(|text| Rule::parse(RuleKind::Allow, text).unwrap().to_string());
        assert_eq!(again, text);
    }
}

#[test]
fn what_other_tools_call_url_is_no_page() {
    let tool = ToolSpec { name: "mcp__web__fetch".into(), kind: ToolKind::Mcp, ..fetch_tool() };
    let url = page("https://docs.rs/");
    // By its whole name no such rule can be written.
    assert!(Rule::parse(RuleKind::Allow, "mcp__web__fetch(docs.rs)").is_err());
    let rules = [(RuleKind::Allow, "*__fetch(docs.rs)"), (RuleKind::Deny, "fetch(docs.rs)")];
    let found = policy(Mode::Ask, &rules).decide(&tool, &url, &Preparation::default()).verdict;
    assert!(matches!(found, Verdict::Ask(_)), "{found:?}");
    let offered = suggest(&tool, &url, &Preparation::default(), &[]).unwrap();
    assert_eq!(offered.rule.to_string(), "mcp__web__fetch", "the tool, and no page of it");
}

#[test]
fn what_sends_is_not_let_through_for_a_sandbox_that_it_does_not_run_in() {
    for rule in ["fetch(docs.rs)", "fetch", "*"] {
        let found = verdict(Mode::Ask, &[(RuleKind::Sandbox, rule)], "https://docs.rs/");
        let Verdict::Ask(why) = found else { panic!("{rule}: {found:?}") };
        assert!(why.contains("requires the sandbox"), "{why}");
    }
}

proptest::proptest! {
    /// An allowed host is the host that the parser of the tool sees, however the URL is written.
    #[test]
    fn no_spelling_gets_another_host_through(
        text in "(https?:[/\\\\]{0,3})?(docs\\.rs)?([a-z.@:%/\\\\?#*\\[\\]-]|docs\\.rs|%2e|%40|\t){0,12}[ -~é。]{0,6}"
    ) {
        for rule in ["fetch(docs.rs)", "fetch(https://docs.rs*)", "fetch(https://docs.rs/*)"] {
            if matches!(verdict(Mode::Ask, &[(RuleKind::Allow, rule)], &text), Verdict::Allow(_)) {
                let url = url::Url::parse(text.trim()).unwrap();
                proptest::prop_assert_eq!(url.host_str(), Some("docs.rs"), "{:?}", text);
                proptest::prop_assert_eq!((url.scheme(), url.port()), ("https", None), "{:?}", text);
            }
        }
    }
}
