//! `policy`: what the rules would do, tried on lines, on past calls and on the cases of a file.

use serde_json::Value;

use crate::steered::{Steered, answer};
use crate::world::{Ran, World};

impl World {
    fn policy(&self, words: &[&str]) -> Ran {
        let output = self.program().arg("policy").args(words).output().unwrap();
        Ran::of(output.status, output.stdout, output.stderr)
    }

    fn explained(&self, words: &[&str]) -> Value {
        let ran = self.policy(&[&["explain", "--json"], words].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
        serde_json::from_str(&ran.out).unwrap()
    }

    /// A person answers the calls of one answer, each with this decision.
    fn decide(&self, commands: &[(&str, bool)]) {
        let calls: Vec<Value> = commands
            .iter()
            .map(|(command, _)| serde_json::json!({ "name": "shell", "arguments": { "command": command } }))
            .collect();
        let script = serde_json::json!([{ "tool_calls": calls }, "Done."]).to_string();
        let mut run = Steered::start(self, &["--mode", "ask", "--script", &script, "go"]);
        for _ in commands {
            let asked = run.until("approval_request");
            let command = asked["arguments"]["command"].as_str().unwrap();
            let allow = commands.iter().any(|(known, allow)| *known == command && *allow);
            run.say(&answer(&asked, if allow { "allow" } else { "deny" }));
        }
        run.until("turn_ended");
        run.end();
    }
}

#[test]
fn a_line_is_explained_part_by_part() {
    let world = World::new().configured("allow = [\"shell(cargo test)\"]\ndeny = [\"shell(rm *)\"]\n");
    let told = world.explained(&["cargo test && make | tee log"]);
    assert_eq!(told["decision"], "ask");
    let parts = told["parts"].as_array().unwrap();
    let part = |at: usize| (parts[at]["text"].as_str().unwrap(), parts[at]["covered"].as_bool().unwrap());
    assert_eq!((part(0), part(1)), (("cargo test", true), ("make", false)), "{told}");
    assert!(parts[0]["why"].as_str().unwrap().contains("config.toml:1"), "{told}");
    let denied = world.explained(&["true; r''m -rf x"]);
    assert_eq!((denied["decision"].as_str(), denied["rule"].as_str()), (Some("deny"), Some("shell(rm *)")));
    let parts = denied["parts"].as_array().unwrap();
    assert_eq!((&parts[0]["covered"], &parts[0]["rule"]), (&true.into(), &Value::Null), "{denied}");
    assert_eq!((&parts[1]["covered"], &parts[1]["rule"]), (&false.into(), &"shell(rm *)".into()), "{denied}");
    assert!(parts[1]["why"].as_str().unwrap().starts_with("rule shell(rm *) denies ("), "{denied}");
    let asked = world.explained(&["--ask", "shell(cargo *)", "cargo test && ls"]);
    assert!(asked["parts"][0]["why"].as_str().unwrap().starts_with("rule shell(cargo *) asks ("), "{asked}");
    let runs = world.explained(&["--mode", "unrestricted", "--ask", "shell(make *)", "make all"]);
    assert_eq!((&runs["decision"], &runs["parts"][0]["covered"]), (&"allow".into(), &true.into()), "{runs}");
    let plan = world.explained(&["--mode", "plan", "cargo test; ls"]);
    assert_eq!(
        (&plan["decision"], &plan["parts"][0]["why"]),
        (&"deny".into(), &"mode plan only reads".into())
    );
    let unclear = world.explained(&["ls && $x file"]);
    assert!(
        unclear["parts"][1]["why"].as_str().unwrap().starts_with("rule shell(rm *) may deny ("),
        "{unclear}"
    );
    assert_eq!(world.explained(&["--tool", "write", "/etc/x", "--mode", "edit"])["decision"], "ask");
    assert_eq!(world.explained(&["--tool", "write", "src/x", "--mode", "edit"])["decision"], "allow");
    let unknown = world.policy(&["explain", "--tool", "paint", "x"]);
    assert!(unknown.code == 2 && unknown.err.contains("there is no tool `paint`"), "{unknown:?}");
    let words = world.policy(&["explain", "curl x | sh"]);
    assert!(words.out.contains("Asks you:") && words.out.contains("sends"), "{words:?}");
    // A link that leads out is followed, as it is when a call is made.
    std::os::unix::fs::symlink("/etc/hosts", world.work().join("link")).unwrap();
    assert_eq!(world.explained(&["--tool", "read", "link"])["decision"], "ask");
}

#[test]
fn past_calls_are_decided_again() {
    let world = World::new();
    world.decide(&[("make one", true), ("make two", true), ("rm three", false)]);
    let plain = world.policy(&["test"]);
    assert!(plain.code == 0 && plain.out.starts_with("3 calls of 1 session, mode ask"), "{plain:?}");
    assert!(!plain.out.contains("changed"), "{plain:?}");
    let ran = world.policy(&[
        "test",
        "--over",
        "90d",
        "--deny",
        "shell(make *)",
        "--allow",
        "shell(rm *)",
        "--json",
    ]);
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let then = |at: usize| (lines[at]["now"].as_str().unwrap(), lines[at]["then"].as_str().unwrap());
    assert_eq!(
        [then(0), then(1), then(2)],
        [("ask", "deny"), ("ask", "deny"), ("ask", "allow")],
        "{}",
        ran.out
    );
    assert_eq!(lines[3]["against_people"], 3, "{}", ran.out);
    assert_eq!(lines[3]["decisions"]["deny"]["then"], 2);
    let words = world.policy(&["test", "--deny", "shell(make *)"]);
    assert!(words.out.contains("against what a person decided: 2"), "{words:?}");
    assert_eq!(world.policy(&["test", "--over", "never"]).code, 2);
}

#[test]
fn rules_are_suggested_for_what_was_always_allowed_and_never_denied() {
    let world = World::new();
    let allowed = [("cargo test a", true), ("cargo test b", true), ("cargo build x", true)];
    world.decide(&allowed);
    world.decide(&[("cargo build y", false), ("cargo build z", true)]);
    let before = world.sessions();
    let ran = world.policy(&["suggest"]);
    assert!(ran.out.contains("shell(cargo test *)  answers 2 of them"), "{ran:?}");
    assert!(
        ran.out.contains(r#"allow = ["shell(cargo test *)"]"#),
        "what was denied once is not suggested: {ran:?}"
    );
    assert_eq!((world.sessions(), world.config_file().exists()), (before, false), "it writes nothing");
    // Two rules that are harmless one by one would together allow what was denied.
    let world = World::new();
    world.decide(&[("make a", true), ("make b", true), ("cargo fmt a", true), ("cargo fmt b", true)]);
    world.decide(&[("make c && cargo fmt c", false)]);
    let ran = world.policy(&["suggest"]);
    let rules = ran.out.lines().find(|line| line.starts_with("allow = ")).unwrap_or_default();
    assert_eq!(rules.matches("shell(").count(), 1, "{ran:?}");
    let more = world.policy(&["suggest", "--least", "3"]);
    assert!(more.out.is_empty() && more.err.contains("no rule would have answered"), "{more:?}");
}

/// Who changes a session that somebody recorded cannot have a rule suggested by it.
#[test]
fn what_a_changed_session_allows_is_no_evidence_and_what_it_denies_is() {
    let world = World::new();
    world.decide(&[("cargo test a", true), ("cargo test b", true), ("make x", true), ("make y", true)]);
    world.decide(&[("make z", false)]);
    let file = world.sessions().into_iter().next_back().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("make z"), "{text}");
    std::fs::write(&file, text.replacen("Done.", "Dona.", 1)).unwrap();
    let ran = world.policy(&["suggest"]);
    assert!(ran.out.contains("shell(cargo test *)") && !ran.out.contains("shell(make *)"), "{ran:?}");
    assert!(
        ran.err.contains("is not well-formed") && ran.err.contains("only what was denied in it is counted")
    );
    let file = world.sessions().into_iter().next().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen("Done.", "Dona.", 1)).unwrap();
    let none = world.policy(&["suggest"]);
    assert!(none.out.is_empty(), "{none:?}");
    let test = world.policy(&["test"]);
    assert_eq!(test.err.matches("is not well-formed").count(), 2, "{test:?}");
}

/// Each import of the same file would count, and nobody here has decided in it.
#[test]
fn what_an_imported_file_says_of_a_person_is_no_evidence() {
    let there = World::new();
    there.decide(&[("cargo test a", true), ("cargo test b", true), ("cargo test c", true)]);
    let here = World::new();
    std::fs::write(here.work().join("talk.jsonl"), there.session_text()).unwrap();
    for _ in 0..2 {
        let ran = here.sessions_cli(&["import", "talk.jsonl"]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    let none = here.policy(&["suggest", "--least", "1"]);
    assert!(none.out.is_empty(), "{none:?}");
    assert!(none.err.contains("came with 2 imported sessions are not counted"), "{none:?}");
    let test = here.policy(&["test", "--deny", "shell(cargo *)"]);
    assert!(!test.out.contains("against what a person decided"), "{test:?}");
    assert!(test.out.starts_with("6 calls of 2 sessions (6 of the calls imported), "), "{test:?}");
    // What is decided here later in such a session counts, and a copy of it does not count again.
    here.decide(&[("cargo test d", true), ("cargo test e", true)]);
    assert_eq!(here.sessions_cli(&["fork", "--last"]).code, 0);
    let two = here.policy(&["suggest"]);
    assert!(two.out.contains("shell(cargo test *)  answers 2 of them"), "{two:?}");
    let both = here.policy(&["test", "--json"]);
    let sums: Value = serde_json::from_str(both.out.lines().last().unwrap()).unwrap();
    assert_eq!((&sums["calls"], &sums["imported"]), (&Value::from(8), &Value::from(6)), "{both:?}");
}

#[test]
fn a_file_of_expected_decisions_is_a_test() {
    let world = World::new();
    let path = world.work().join("good.toml");
    let good = path.to_str().unwrap().to_owned();
    let case = |line: &str, mode: &str, expect: &str| {
        format!("[[case]]\nline = \"{line}\"\nmode = \"{mode}\"\nexpect = \"{expect}\"\n")
    };
    let text =
        [case("make", "auto", "sandbox"), case("make", "ask", "ask"), case("rm x", "plan", "deny")].concat();
    std::fs::write(&good, &text).unwrap();
    let ran = world.policy(&["assert", &good]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "all 3 decisions are as expected\n"), "{ran:?}");
    std::fs::write(&good, text.clone() + &case("make", "plan", "allow")).unwrap();
    let wrong = world.policy(&["assert", &good]);
    assert!(wrong.code == 1 && wrong.out.contains("expected allow, is deny"), "{wrong:?}");
    std::fs::write(&good, format!("sandbox = false\n{}", case("make", "auto", "ask"))).unwrap();
    assert_eq!(world.policy(&["assert", &good]).code, 0);
    for (bad, why) in [
        ("", "has no cases"),
        ("[[case]]\nexpect = \"allow\"\n", "it needs either"),
        ("[[case]]\nline = \"x\"\nexpect = \"maybe\"\n", "is not a decision"),
        ("[[case]]\nlines = \"x\"\n", "unknown field"),
    ] {
        std::fs::write(&good, bad).unwrap();
        let ran = world.policy(&["assert", &good]);
        assert!(ran.code == 2 && ran.err.contains(why), "{why}: {ran:?}");
    }
}

/// A branch has the calls of its session, and its own decisions about them.
#[test]
fn what_was_denied_in_a_branch_was_denied() {
    let world = World::new();
    world.decide(&[("git commit a", true), ("git commit b", true)]);
    let suggested = |world: &World| world.policy(&["suggest"]).out.contains("shell(git commit *)");
    assert!(suggested(&world));
    let entries = world.entries();
    let decision = entries.iter().find(|entry| entry["type"] == "approval").unwrap();
    let at = decision["entry"].as_str().unwrap();
    let words = ["whatif", "--last", at, "--deny", "never commit", "--script", "[\"No.\"]"];
    let ran = world.program().args(words).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(!suggested(&world));
    let test = world.policy(&["test", "--allow", "shell(git *)"]);
    assert!(test.out.contains("of 2 sessions"), "{test:?}");
}
