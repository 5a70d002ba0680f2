//! Rules that are kept: in files as people write them, and nowhere else.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;

const RULE: &str = "shell(cargo test *)";

#[test]
fn comments_and_order_survive_and_only_the_rule_is_new() {
    for (before, after, lines) in [
        ("", "allow = [\"shell(cargo test *)\"]\n", "allow = [\"shell(cargo test *)\"]"),
        (
            "# mine\nmode = \"edit\" # as ever\n\n[tools]\n# web\nsandbox = true\n",
            "# mine\nmode = \"edit\" # as ever\nallow = [\"shell(cargo test *)\"]\n\n[tools]\n# web\nsandbox = true\n",
            "allow = [\"shell(cargo test *)\"]",
        ),
        (
            "allow = [ \"read\", 'fetch(docs.rs)' ] # here\ndeny = []\n",
            "allow = [ \"read\", 'fetch(docs.rs)', \"shell(cargo test *)\" ] # here\ndeny = []\n",
            "allow = [ \"read\", 'fetch(docs.rs)', \"shell(cargo test *)\" ] # here",
        ),
        (
            "allow = [\n  \"read\", # all\n  \"fetch(docs.rs)\", # docs\n]\n",
            "allow = [\n  \"read\", # all\n  \"fetch(docs.rs)\", # docs\n  \"shell(cargo test *)\",\n]\n",
            "\"shell(cargo test *)\",",
        ),
        (
            "allow = [\n    \"read\",\n    \"list\"\n]\n",
            "allow = [\n    \"read\",\n    \"list\",\n    \"shell(cargo test *)\",\n]\n",
            "\"list\",\n\"shell(cargo test *)\",",
        ),
    ] {
        let written = with_rule(before, RULE).unwrap();
        assert_eq!(written, after);
        assert_eq!(changed(before, &written), lines);
        // And nothing else is another thing.
        let (mut was, is): (toml::Table, toml::Table) = (before.parse().unwrap(), written.parse().unwrap());
        let rules = was.entry(KEY).or_insert(toml::Value::Array(Vec::new()));
        rules.as_array_mut().unwrap().push(RULE.into());
        assert_eq!(was, is);
    }
}

#[test]
fn what_cannot_be_added_to_is_refused() {
    for (text, why) in [
        ("allow = \"read\"", "`allow` is not a list"),
        ("allow = [\"shell(cargo test *)\"]", "this rule is in the file already"),
        ("allow = [", "cannot be read as TOML"),
    ] {
        assert!(with_rule(text, RULE).unwrap_err().contains(why), "{text}");
    }
}

/// A home and a project below one folder.
fn places() -> (tempfile::TempDir, PathBuf, Environment) {
    let place = tempfile::tempdir().unwrap();
    let project = place.path().join("project");
    fs::create_dir(&project).unwrap();
    let home = place.path().join("home").display().to_string();
    let environment = Environment::of([("HOME", home.as_str())]);
    (place, project, environment)
}

#[test]
fn why_nothing_is_written_stands_before_the_name_of_the_file() {
    let (_place, project, environment) = places();
    keep(
        RuleHome::Project,
        RULE,
        &plan(RuleHome::Project, RULE, &project, &environment).unwrap().lines,
        &project,
        &environment,
    )
    .unwrap();
    let why = plan(RuleHome::Project, RULE, &project, &environment).unwrap_err();
    assert_eq!(why, format!("this rule is in the file already ({})", project.join(CONFIG).display()));
}

#[test]
fn a_rule_of_the_project_is_written_and_trusted_as_it_is_written() {
    let (_place, project, environment) = places();
    let change = plan(RuleHome::Project, RULE, &project, &environment).unwrap();
    assert!(!project.join(".countersign").exists(), "a plan writes nothing");
    let kept = keep(RuleHome::Project, RULE, &change.lines, &project, &environment).unwrap();
    assert_eq!(kept, change);
    assert_eq!(fs::read_to_string(project.join(CONFIG)).unwrap(), "allow = [\"shell(cargo test *)\"]\n");
    let trusts = || Book::read(&environment).unwrap().trusts(&Content::of(&project).unwrap().unwrap());
    assert!(trusts());
    let again = plan(RuleHome::Project, "read", &project, &environment).unwrap();
    keep(RuleHome::Project, "read", &again.lines, &project, &environment).unwrap();
    assert!(trusts(), "what was trusted stays trusted");
    // Somebody else changes it: the rule would not count.
    fs::write(project.join(CONFIG), "mode = \"auto\"\n").unwrap();
    let why = plan(RuleHome::Project, RULE, &project, &environment).unwrap_err();
    assert!(why.contains("not trusted"), "{why}");
    assert!(!trusts());
}

#[test]
fn a_file_in_which_nothing_needs_trust_is_as_one_that_was_trusted() {
    let (_place, project, environment) = places();
    let file = project.join(CONFIG);
    fs::create_dir(project.join(".countersign")).unwrap();
    fs::write(&file, "deny = [\"shell(rm *)\"]\n").unwrap();
    let change = plan(RuleHome::Project, RULE, &project, &environment).unwrap();
    keep(RuleHome::Project, RULE, &change.lines, &project, &environment).unwrap();
    let trusts = || Book::read(&environment).unwrap().trusts(&Content::of(&project).unwrap().unwrap());
    assert!(trusts(), "for exactly what was written");
    // A file beside it that needs trust: nobody has looked at that.
    fs::write(&file, "deny = [\"shell(rm *)\"]\n").unwrap();
    fs::write(project.join(".mcp.json"), r#"{ "mcpServers": { "a": { "command": "x" } } }"#).unwrap();
    let why = plan(RuleHome::Project, RULE, &project, &environment).unwrap_err();
    assert!(why.contains("not trusted") && !trusts(), "{why}");
    // What loosens nothing today could loosen later, when the user's own configuration is another.
    fs::remove_file(project.join(".mcp.json")).unwrap();
    for more in ["mode = \"plan\"", "mode = \"ask\"", "[tools.sandbox]\nnetwork = false"] {
        fs::write(&file, format!("deny = [\"shell(rm *)\"]\n{more}\n")).unwrap();
        assert!(plan(RuleHome::Project, RULE, &project, &environment).is_err() && !trusts(), "{more}");
    }
}

/// What a command could put in the place of a project's file.
const EVIL: &str = "deny = [\"read(.env)\"]\n[[hooks.session_start]]\ncommand = \"evil\"\n";

/// The file is read once: a file that takes its place at any moment is never what is added to, and so never trusted.
#[cfg(target_os = "linux")]
#[test]
fn what_takes_the_place_of_the_file_while_it_is_read_is_not_added_to() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    let (_place, project, environment) = places();
    let (file, other) = (project.join(CONFIG), project.join(".countersign/other"));
    fs::create_dir(project.join(".countersign")).unwrap();
    fs::write(&file, "deny = [\"read(.env)\"]\n").unwrap();
    fs::write(&other, EVIL).unwrap();
    let is_over = AtomicBool::new(false);
    let all: Vec<Planned> = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Relaxed) {
                renameat_with(CWD, &file, CWD, &other, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let all = (0..2_000).filter_map(|_| planned(RuleHome::Project, RULE, &project, &environment).ok());
        let all = all.collect();
        is_over.store(true, Relaxed);
        all
    });
    assert!(!all.is_empty());
    for planned in all {
        assert!(!planned.after.contains("hooks"), "{}", planned.after);
    }
}

#[test]
fn a_file_that_changes_before_it_is_written_is_left_alone_and_not_trusted() {
    let (_place, project, environment) = places();
    let file = project.join(CONFIG);
    fs::create_dir(project.join(".countersign")).unwrap();
    fs::write(&file, "deny = [\"read(.env)\"]\n").unwrap();
    let one = planned(RuleHome::Project, RULE, &project, &environment).unwrap();
    fs::write(&file, EVIL).unwrap();
    let why = written(one, true, &project, &environment).unwrap_err();
    assert!(why.contains("nothing was written") && why.contains("changed meanwhile"), "{why}");
    assert_eq!(fs::read_to_string(&file).unwrap(), EVIL);
    assert!(!Book::read(&environment).unwrap().trusts(&Content::of(&project).unwrap().unwrap()));
    assert_eq!(fs::read_dir(project.join(".countersign")).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn a_trust_that_was_taken_away_meanwhile_is_not_given_again() {
    let (_place, project, environment) = places();
    for rule in [RULE, "read"] {
        let change = plan(RuleHome::Project, rule, &project, &environment).unwrap();
        keep(RuleHome::Project, rule, &change.lines, &project, &environment).unwrap();
    }
    let one = planned(RuleHome::Project, "list", &project, &environment).unwrap();
    let real = project.canonicalize().unwrap();
    let forget = |book: &mut Book| {
        book.forget(real.to_str().unwrap());
        Ok(())
    };
    Book::update(&environment, forget).unwrap();
    let why = written(one, true, &project, &environment).unwrap_err();
    assert!(why.contains("run `countersign trust`") && why.contains("taken away meanwhile"), "{why}");
    assert_eq!(Book::read(&environment).unwrap().folders().count(), 0);
}

#[test]
fn a_file_that_is_no_text_is_not_written_with_other_letters() {
    let (_place, project, environment) = places();
    let file = user_file(&environment).unwrap();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, b"# caf\xe9\n").unwrap();
    let why = plan(RuleHome::Everywhere, RULE, &project, &environment).unwrap_err();
    assert!(why.starts_with("the file is not UTF-8"), "{why}");
}

#[test]
fn other_lines_stay_byte_for_byte() {
    for (before, after) in [
        (
            "# mine\r\nmode = \"edit\"\r\nallow = [\r\n  \"read\",\r\n]\r\n[tools]\r\n",
            "# mine\r\nmode = \"edit\"\r\nallow = [\r\n  \"read\",\r\n  \"shell(cargo test *)\",\r\n]\r\n[tools]\r\n",
        ),
        ("mode = \"edit\"\r\n# last", "mode = \"edit\"\r\nallow = [\"shell(cargo test *)\"]\r\n# last"),
        (
            "a.b = \"\"\"\r\nx\r\n\"\"\"\nallow = [\"read\"]\n# x\r\n",
            "a.b = \"\"\"\r\nx\r\n\"\"\"\nallow = [\"read\", \"shell(cargo test *)\"]\r\n# x\r\n",
        ),
        ("\u{feff}mode = \"edit\"\n", "\u{feff}mode = \"edit\"\nallow = [\"shell(cargo test *)\"]\n"),
        ("mode = \"edit\"", "mode = \"edit\"\nallow = [\"shell(cargo test *)\"]\n"),
    ] {
        let (_place, project, environment) = places();
        let file = user_file(&environment).unwrap();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, before).unwrap();
        let change = plan(RuleHome::Everywhere, RULE, &project, &environment).unwrap();
        assert_eq!(change.lines.lines().count(), 1, "{}", change.lines);
        keep(RuleHome::Everywhere, RULE, &change.lines, &project, &environment).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), after);
        // So it is where settings of other tools are added.
        let written = with_rule(before, RULE).unwrap();
        fs::write(&file, before).unwrap();
        write_config(&file, before, &written, false).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), after);
    }
}

#[test]
fn a_file_that_changed_since_it_was_shown_is_left_alone() {
    let (_place, project, environment) = places();
    let file = user_file(&environment).unwrap();
    let change = plan(RuleHome::Everywhere, RULE, &project, &environment).unwrap();
    assert_eq!(change.file, file);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "allow = [\"read\"]\n").unwrap();
    let why = keep(RuleHome::Everywhere, RULE, &change.lines, &project, &environment).unwrap_err();
    assert!(why.contains("has changed since"), "{why}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "allow = [\"read\"]\n");
}

#[test]
fn the_users_file_keeps_its_mode_and_the_link_to_it() {
    let (place, project, environment) = places();
    let file = user_file(&environment).unwrap();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let real = place.path().join("dotfile");
    fs::write(&real, "# dots\n").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&real, &file).unwrap();
    let change = plan(RuleHome::Everywhere, RULE, &project, &environment).unwrap();
    keep(RuleHome::Everywhere, RULE, &change.lines, &project, &environment).unwrap();
    assert!(file.is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains(RULE));
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_link_in_the_project_and_an_endless_file_are_refused() {
    let (place, project, environment) = places();
    symlink(place.path(), project.join(".countersign")).unwrap();
    let why = plan(RuleHome::Project, RULE, &project, &environment).unwrap_err();
    assert!(why.contains("symbolic link"), "{why}");
    let file = user_file(&environment).unwrap();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    symlink("/dev/zero", &file).unwrap();
    let why = plan(RuleHome::Everywhere, RULE, &project, &environment).unwrap_err();
    assert!(why.contains("cannot read"), "{why}");
}

#[test]
fn a_path_of_this_folder_is_kept_for_this_folder_only() {
    let (_place, project, environment) = places();
    for rule in ["write(hello.txt)", "edit(src/*)", "read(../a)"] {
        let why = plan(RuleHome::Everywhere, rule, &project, &environment).unwrap_err();
        assert!(why.contains("choose this project"), "{rule}: {why}");
        plan(RuleHome::Project, rule, &project, &environment).unwrap();
    }
    for rule in
        ["shell(cargo test *)", "fetch(docs.rs)", "write(/srv/out/*)", "mcp__tickets__create", "read(*.md)"]
    {
        plan(RuleHome::Everywhere, rule, &project, &environment).unwrap();
    }
}
