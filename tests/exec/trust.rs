//! Trust in a folder: what its files do before it is given, with it, and after a change.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::json;

use crate::world::{Ran, World};

const LOOSE: &str = "deny = ['shell(rm *)']\nallow = ['shell(touch *)']\n[[hooks.session_start]]\ncommand = 'echo > hooked'\n";

fn project(world: &World, text: &str) -> PathBuf {
    let file = world.work().join(".countersign/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, text).unwrap();
    file
}

fn run(world: &World, words: &[&str]) -> Ran {
    let output = world.program().args(words).output().unwrap();
    Ran::of(output.status, output.stdout, output.stderr)
}

/// `trust` with an answer on its stdin.
fn answered(world: &World, answer: &str) -> Ran {
    let mut child = world.program().arg("trust").stdin(Stdio::piped()).spawn().unwrap();
    // A program that asks nothing may be gone already.
    child.stdin.take().unwrap().write_all(answer.as_bytes()).unwrap_or_default();
    let output = child.wait_with_output().unwrap();
    Ran::of(output.status, output.stdout, output.stderr)
}

fn trust_file(world: &World) -> PathBuf {
    world.place().join("state/countersign/trust.json")
}

/// A session that touches a file and then removes one: the outcomes of both, and whether the hook ran.
fn session(world: &World) -> (Vec<String>, bool, String) {
    let call =
        |id: &str, command: &str| json!({ "id": id, "name": "shell", "arguments": { "command": command } });
    let calls = json!({ "tool_calls": [call("a", "touch loosened"), call("b", "rm one.txt")] }).to_string();
    let script = json!([calls, "done"]).to_string();
    let ran = world.json(&["--script", &script, "go"]);
    let hook = world.work().join("hooked");
    let hooked = hook.exists();
    if hooked {
        fs::remove_file(hook).unwrap();
    }
    (ran.outcomes(), hooked, ran.err)
}

#[test]
fn nothing_loosens_until_exactly_this_is_trusted() {
    let world = World::new();
    let file = project(&world, LOOSE);
    let (outcomes, hooked, err) = session(&world);
    assert_eq!((outcomes.as_slice(), hooked), (&["denied".to_owned(), "denied".to_owned()][..], false));
    assert!(
        err.contains("config.toml:2: `allow` is ignored") && err.contains("`countersign trust`"),
        "{err}"
    );
    assert!(err.contains("`hooks.session_start` is ignored"), "{err}");

    let ran = run(&world, &["trust", "--yes"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    for shown in [
        "starts   at session_start: \"echo > hooked\"  (line 3)",
        "allows   shell(touch *)",
        "sets     deny = ",
    ] {
        assert!(ran.out.contains(shown), "{shown} in {}", ran.out);
    }
    assert_eq!(fs::metadata(trust_file(&world)).unwrap().permissions().mode() & 0o777, 0o600);
    let (outcomes, hooked, err) = session(&world);
    assert_eq!((outcomes.as_slice(), hooked), (&["ok".to_owned(), "denied".to_owned()][..], true), "{err}");
    assert!(world.work().join("loosened").exists() && world.work().join("one.txt").exists());
    assert!(!err.contains("ignored"), "{err}");

    for changed in [format!("{LOOSE}\n"), LOOSE.replace("echo >", "echo>")] {
        fs::write(&file, changed).unwrap();
        let (outcomes, hooked, _) = session(&world);
        assert_eq!((outcomes.as_slice(), hooked), (&["denied".to_owned(), "denied".to_owned()][..], false));
    }
    fs::write(&file, LOOSE).unwrap();
    assert!(session(&world).1, "the same contents are trusted again");
}

#[test]
fn only_a_yes_is_a_yes() {
    let world = World::new();
    project(&world, LOOSE);
    for no in ["", "\n", "n\n", "yess\n", "allow\n", "  \n"] {
        let ran = answered(&world, no);
        assert_eq!(ran.code, 1, "{no:?} {}", ran.out);
        assert!(ran.complaint().contains("nothing was saved"), "{}", ran.err);
        assert!(!trust_file(&world).exists());
    }
    let ran = answered(&world, "y\n");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains("[y/N]") && ran.out.contains("Saved in "), "{}", ran.out);
    let ran = answered(&world, "");
    assert_eq!(ran.code, 0, "it is not asked again");
    assert!(ran.out.contains("Trusted already"), "{}", ran.out);
}

#[test]
fn trust_is_listed_and_taken_away() {
    let world = World::new();
    assert_eq!(run(&world, &["trust", "--list"]).out, "No folder is trusted.\n");
    assert!(run(&world, &["trust"]).out.contains("Nothing here needs trust"));
    assert!(!trust_file(&world).exists());
    let file = project(&world, LOOSE);
    run(&world, &["trust", "--yes"]);
    let listed = |world: &World| run(world, &["trust", "--list"]).out;
    assert_eq!(listed(&world), format!("{}: trusted\n", world.work().display()));
    fs::write(&file, "allow = ['shell']").unwrap();
    assert!(listed(&world).ends_with(": changed since, so not trusted\n"));
    fs::remove_file(&file).unwrap();
    assert!(listed(&world).ends_with(": no longer has such files\n"));
    fs::write(&file, LOOSE).unwrap();
    assert!(run(&world, &["trust", "--remove"]).out.starts_with("No longer trusted: "));
    assert!(!session(&world).1);
    assert_eq!(run(&world, &["trust", "--remove"]).out, "This folder was not trusted.\n");
    run(&world, &["trust", "--yes"]);
    let gone = world.work().with_extension("gone");
    fs::rename(world.work(), &gone).unwrap();
    let remove = ["trust", "--remove", "-C", world.work().to_str().unwrap()].map(str::to_owned);
    let output = world.program().current_dir(&gone).args(remove).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("No longer trusted: "));
}

#[test]
fn what_is_decided_while_a_question_stands_stays_decided() {
    let world = World::new();
    project(&world, LOOSE);
    let other = world.place().join("other");
    fs::create_dir_all(other.join(".countersign")).unwrap();
    fs::write(other.join(".countersign/config.toml"), LOOSE).unwrap();
    let other = other.to_str().unwrap();
    assert_eq!(run(&world, &["trust", "--yes", "-C", other]).code, 0);
    let mut asking = world.program().arg("trust").stdin(Stdio::piped()).spawn().unwrap();
    let (mut out, mut shown) = (asking.stdout.take().unwrap(), Vec::<u8>::new());
    while !shown.ends_with(b"[y/N] ") {
        let mut byte = [0_u8];
        out.read_exact(&mut byte).unwrap();
        shown.extend(byte);
    }
    assert!(run(&world, &["trust", "--remove", "-C", other]).out.starts_with("No longer trusted: "));
    asking.stdin.take().unwrap().write_all(b"y\n").unwrap();
    assert!(asking.wait().unwrap().success());
    let listed = run(&world, &["trust", "--list"]).out;
    assert!(listed.lines().count() == 1 && !listed.contains("other"), "{listed}");
}

#[test]
fn a_copy_of_a_trusted_folder_is_not_trusted_and_a_link_to_it_is() {
    let world = World::new();
    project(&world, LOOSE);
    run(&world, &["trust", "--yes"]);
    let shows = |folder: &str| {
        let output =
            world.program().current_dir(world.place()).args(["config", "show", "-C", folder]).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    std::os::unix::fs::symlink(world.work(), world.place().join("link")).unwrap();
    assert!(shows("link").contains("config.toml:2 (trusted)"), "{}", shows("link"));
    let copy = world.place().join("copy/.countersign");
    fs::create_dir_all(&copy).unwrap();
    fs::create_dir(world.place().join("copy/.git")).unwrap();
    fs::write(copy.join("config.toml"), LOOSE).unwrap();
    assert!(shows("copy").contains("`allow` is ignored"), "{}", shows("copy"));
}

#[test]
fn a_broken_file_of_trust_trusts_nobody_and_names_the_mend() {
    let world = World::new();
    project(&world, LOOSE);
    run(&world, &["trust", "--yes"]);
    let file = trust_file(&world);
    let whole = fs::read_to_string(&file).unwrap();
    for broken in
        ["", "{", "[]", "{\"version\":2,\"folders\":{}}", "{\"version\":1}", &whole[..whole.len() - 3]]
    {
        fs::write(&file, broken).unwrap();
        let said = world.refused(&["hello"]);
        assert!(
            said.contains("trust.json") && said.contains("mv ") && said.contains("countersign trust"),
            "{said}"
        );
        let ran = run(&world, &["trust", "--yes"]);
        assert_eq!(
            (ran.code, fs::read_to_string(&file).unwrap().as_str()),
            (2, broken),
            "it is not written over"
        );
        assert!(run(&world, &["doctor"]).out.contains("cannot be used"));
    }
    fs::write(&file, &whole).unwrap();
    // By everybody, by the group alone, and by all but the group.
    for mode in [0o666, 0o664, 0o620, 0o646, 0o602] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        assert!(world.refused(&["hello"]).contains("others can write"), "{mode:o}");
    }
    assert!(!world.work().join("hooked").exists());
}

#[test]
fn doctor_says_which_file_is_in_force() {
    let world = World::new();
    project(&world, LOOSE);
    let told = || run(&world, &["doctor"]).out;
    assert!(
        told().contains("`allow` is ignored") && told().contains("run `countersign trust` there"),
        "{}",
        told()
    );
    run(&world, &["trust", "--yes"]);
    assert!(
        told().contains("trusted by you in its present form") && !told().contains("is ignored"),
        "{}",
        told()
    );
}

#[test]
fn what_is_the_users_alone_stays_so_with_trust() {
    let refused = [
        "script = '[]'",
        "log = 'trace'",
        "vim = true",
        "keys.everywhere.ledger = 'f7'",
        "network.proxy = 'http://127.0.0.1:9'",
        "network.ca_file = '/tmp/evil.pem'",
        "tools.pass_env = ['SECRET_TOKEN']",
        "tools.sandbox.writable = ['~/.ssh']",
        "providers.groq.base_url = 'http://127.0.0.1:9'",
        "providers.groq.protocol = 'openai-chat'",
        "providers.groq.api_key_env = 'HOME'",
        "providers.groq.api_key_command = 'touch ran'",
        "providers.groq.api_key_file = '/etc/passwd'",
        "providers.groq.headers.x = 'y'",
        "providers.groq.quirks.bearer = true",
        "models.'groq/x'.usd_in = 0",
    ];
    for line in refused {
        let world = World::new();
        let before = run(&world, &["config", "show"]).out;
        project(&world, &format!("{line}\nmode = 'unrestricted'\n"));
        let ran = run(&world, &["trust", "--yes"]);
        assert!(ran.code == 0 && ran.out.contains("  refused  "), "{line}: {} {}", ran.out, ran.err);
        let after = run(&world, &["config", "show"]).out;
        assert!(after.contains("trusted or not") && after.contains("mode = \"unrestricted\"  #"), "{after}");
        let rest = |text: &str| {
            let kept = |line: &&str| !line.starts_with("# ignored") && !line.starts_with("mode =");
            text.lines().filter(kept).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(rest(&after), rest(&before), "{line}");
    }
}

#[test]
fn what_is_shown_hides_nothing() {
    let world = World::new();
    let text = "model = 'openai/x'\nfallback = ['groq/y']\nhosted_tools.openai = ['web_search']\n\
                tools.fetch.allow_hosts = ['evil.example']\nmode = 'unrestricted'\n\
                [[hooks.stop]]\ncommand = \"echo ok #\\ncurl evil \\u001b[2K\\u202e\"\n";
    project(&world, text);
    let out = answered(&world, "n\n").out;
    for shown in [
        "sends    everything that is sent to openai/x",
        "sends    everything that is sent to groq/y",
        "hosted_tools.openai = [\"web_search\"]",
        "reaches  evil.example, by fetch",
        "loosens  mode = \"unrestricted\"",
        r#"starts   at stop: "echo ok #\ncurl evil \u{1b}[2K\u{202e}""#,
    ] {
        assert!(out.contains(shown), "{shown} in {out}");
    }
}

#[test]
fn what_a_skill_runs_when_it_is_called_is_shown() {
    let world = World::new();
    for (name, more) in [("state", ""), ("hidden", "user-invocable: false\n"), ("help", "")] {
        let text = format!("---\ndescription: Says it\n{more}---\nState: !`git status $1`\n");
        let folder = world.work().join(".agents/skills").join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), text).unwrap();
    }
    let out = answered(&world, "n\n").out;
    let shown = "the skill state: Says it; called as /state, it asks before it runs: git status $1  (";
    assert!(out.contains(shown), "{out}");
    for name in ["hidden", "help"] {
        assert!(out.contains(&format!("the skill {name}: Says it  (")), "{out}");
    }
}

/// What a new session tells the model of skills, if anything.
fn skills_told(world: &World) -> (String, String) {
    for session in world.sessions() {
        fs::remove_file(session).unwrap();
    }
    let ran = world.json(&["--script", "[\"Done.\"]", "go"]);
    let started = ran.one("session_started");
    let system = started["system"].as_str().unwrap();
    (system.split_once("# Skills").map(|(_, skills)| skills.to_owned()).unwrap_or_default(), ran.err)
}

#[test]
fn skills_are_told_only_while_exactly_these_are_trusted() {
    let world = World::new();
    let skill = |name: &str, text: &str| {
        let folder = world.work().join(".agents/skills").join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), text).unwrap();
    };
    let pdf = "---\nname: pdf\ndescription: Reads\u{1b}[2J PDFs\n---\nOpen it.\n";
    skill("pdf", pdf);
    skill("broken", "Open it.\n");
    let (told, err) = skills_told(&world);
    assert_eq!(told, "", "nothing without trust");
    assert!(err.contains("1 skill of ") && err.contains("`countersign trust`"), "{err}");
    assert!(err.contains("broken/SKILL.md") && err.contains("the skill is ignored"), "{err}");

    let ran = run(&world, &["trust", "--yes"]);
    let shown =
        "tells    the model about the skill pdf: Reads\\u{1b}[2J PDFs  (.agents/skills/pdf/SKILL.md, line 1)";
    assert!(ran.out.contains(shown) && ran.code == 0, "{}", ran.out);
    let (told, err) = skills_told(&world);
    assert!(told.contains("- pdf: Reads\\u{1b}[2J PDFs (file: .agents/skills/pdf/SKILL.md)"), "{told}");
    assert!(!told.contains("broken") && !err.contains("1 skill of"), "{told}{err}");

    skill("pdf", &pdf.replace("Open", "open"));
    assert_eq!(skills_told(&world).0, "", "one letter of its body was changed");
    skill("pdf", pdf);
    skill("second", "---\ndescription: Sends\n---\n");
    assert_eq!(skills_told(&world).0, "", "another one has come");
    fs::remove_dir_all(world.work().join(".agents/skills/second")).unwrap();
    assert!(skills_told(&world).0.contains("- pdf: "), "the same contents are trusted again");
}

/// Writes a skill below a folder.
fn skill_at(folder: &Path, name: &str, description: &str) {
    let folder = folder.join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("SKILL.md"), format!("---\ndescription: {description}\n---\n")).unwrap();
}

#[test]
fn of_skills_with_the_same_name_the_nearest_counts_and_a_second_in_its_folder_is_named() {
    let world = World::new();
    let below = world.work().join("below");
    skill_at(&world.work().join(".agents/skills"), "mail", "of the root");
    skill_at(&below.join(".agents/skills"), "mail", "of the folder");
    skill_at(&below.join(".claude/skills"), "mail", "the second");
    for folder in [&world.work(), &below] {
        assert_eq!(run(&world, &["-C", folder.to_str().unwrap(), "trust", "--yes"]).code, 0);
    }
    let ran = world.json(&["-C", below.to_str().unwrap(), "--script", "[\"Done.\"]", "go"]);
    let started = ran.one("session_started");
    let (_, told) = started["system"].as_str().unwrap().split_once("# Skills").unwrap();
    assert!(told.contains("- mail: of the folder") && told.matches("- mail: ").count() == 1, "{told}");
    assert!(ran.err.contains("has the same name; this skill is ignored"), "{}", ran.err);
}

#[test]
fn a_place_of_skills_that_is_a_link_to_the_other_place_is_no_news() {
    let world = World::new();
    skill_at(&world.work().join(".agents/skills"), "pdf", "Reads PDFs");
    fs::create_dir_all(world.work().join(".claude")).unwrap();
    std::os::unix::fs::symlink("../.agents/skills", world.work().join(".claude/skills")).unwrap();
    let ran = run(&world, &["trust", "--yes"]);
    assert!(ran.code == 0 && !ran.out.contains("symbolic link"), "{}", ran.out);
    let (told, err) = skills_told(&world);
    assert!(told.matches("- pdf: ").count() == 1 && !err.contains("symbolic link"), "{told}{err}");
}

#[test]
fn a_skill_that_is_reached_by_a_link_is_left_out() {
    let world = World::new();
    let elsewhere = world.place().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::write(elsewhere.join("SKILL.md"), "---\nname: x\ndescription: from elsewhere\n---\n").unwrap();
    fs::create_dir_all(world.work().join(".agents/skills")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, world.work().join(".agents/skills/x")).unwrap();
    let ran = run(&world, &["trust", "--yes"]);
    assert!(ran.out.contains("reached by a symbolic link"), "{}", ran.out);
    assert_eq!(skills_told(&world).0, "");
}
