//! Rules that deny reading, against programs that read whole folders without a word about the files in them.

use std::collections::BTreeSet;
use std::fs;

use countersign::policy::{Mode, Policy, RuleKind};
use countersign::tool::Preparation;

use super::files::{decide, word};
use super::lines::look;
use super::reads::Yard;
use super::support::{call, policy, shell_tool};

/// What a rule that denies reading `secret.txt` says of a line, where nothing else is asked about.
const LINES: &[(&str, &str)] = &[
    ("ask", "grep --recurs TOP ."),
    ("ask", "grep --dir=recurse TOP ."),
    ("ask", "grep --dereference-r TOP ."),
    ("ask", "grep -d recurse TOP ."),
    ("ask", "grep -ndrecurse TOP ."),
    ("ask", "grep TOP . --rec"),
    ("ask", "o=-r; grep $o TOP ."),
    ("ask", "grep {-r,TOP,.}"),
    ("ask", "grep TOP [-]r ."),
    ("ask", "GREP_OPTIONS=-r grep TOP ."),
    ("ask", "export GREP_OPTIONS=-r; grep TOP ."),
    ("ask", "GREP -r TOP ."),
    ("ask", "/usr/bin/egrep -r TOP ."),
    ("ask", "rgrep TOP ."),
    ("ask", "bzgrep -r TOP ."),
    ("ask", "ag TOP"),
    ("ask", "rg -e --files -e TOP ."),
    ("ask", "rg -e --help ."),
    ("ask", "rg -g --files TOP"),
    ("ask", "rg --regexp --version ."),
    ("ask", "diff --recurs . sub"),
    ("ask", "diff . sub"),
    ("ask", "diff sub/ ."),
    ("ask", "git -C . grep --no-index TOP"),
    ("ask", "git -c a.b=c grep TOP"),
    ("ask", "git --no-pager -P grep TOP"),
    ("ask", "git --git-dir=.git grep TOP"),
    ("ask", "git -c alias.x=grep x TOP"),
    ("ask", "git diff --no-index . /empty"),
    ("ask", "git diff --no-ind . /empty"),
    ("ask", "git -C sub diff --no-index . .."),
    ("ask", "git diff . ../empty"),
    ("ask", "x=grep; git $x TOP"),
    ("ask", "cp -r . /other"),
    ("ask", "cp -a ./ /other"),
    ("ask", "cp --recurs . /other"),
    ("ask", "cp . /other -R"),
    ("ask", "cp -rt /other ."),
    ("ask", "rsync -a . host:x"),
    ("ask", "scp -r . host:x"),
    ("ask", "tar c ."),
    ("ask", "tar czf x.tgz ."),
    ("ask", "tar --creat -f x.tar ."),
    ("ask", "tar -cf x.tar -C / home"),
    ("ask", "zip -r x.zip ."),
    ("ask", "zip x.zip -@"),
    ("ask", "7z a x.7z ."),
    ("ask", "gzip -rc ."),
    ("ask", "fd -x cat"),
    ("ask", "fdfind . --exec-b cat"),
    ("ask", "ls | cpio -o"),
    ("ask", "ls | parallel cat"),
    ("ask", "find . -print0 | sort --files0-from=-"),
    ("ask", "find . -exec grep -r TOP {} +"),
    ("ask", "rclone copy . there:x"),
    ("ask", "docker cp . box:/x"),
    ("ask", "busybox grep -r TOP ."),
    ("ask", "sudo grep -r TOP ."),
    ("ask", "watch 'grep -r TOP .'"),
    ("ask", "script -c'grep -r TOP .'"),
    ("ask", "env -S 'grep -r TOP .'"),
    ("allow", "grep --regexp=TOP a.txt"),
    ("allow", "grep --recursive TOP sub"),
    ("allow", "grep --include='*.rs' -d skip TOP sub"),
    ("allow", "rg --help"),
    ("allow", "grep --version"),
    ("allow", "rg --files sub"),
    ("allow", "rg --type-list"),
    ("allow", "diff a.txt b.txt"),
    ("allow", "diff -u sub/a sub/b"),
    ("allow", "git -C . status"),
    ("allow", "git -c core.pager=cat log --oneline"),
    ("allow", "git diff"),
    ("allow", "git diff main topic"),
    ("allow", "git diff -- ./a.rs ./b.rs"),
    ("ask", "git --no-pager diff . ../empty"),
    ("allow", "cp -r src/* /other"),
    ("ask", "cp -r src/.* /other"),
    ("ask", "cp -r * /other"),
    ("ask", "cp -r src/*/../../ /other"),
    ("ask", "cp -r src/$x /other"),
    ("allow", "docker push box"),
    ("allow", "git commit -m grep"),
    ("allow", "cp a.txt .."),
    ("allow", "cp -r sub /other"),
    ("allow", "mv sub other"),
    ("allow", "tar xf x.tar"),
    ("allow", "tar tzf x.tgz"),
    ("allow", "tar cf x.tar sub"),
    ("allow", "gzip a.txt"),
    ("allow", "fd TOP"),
    ("allow", "sort a.txt"),
    ("allow", "docker ps"),
    ("allow", "tree"),
    ("allow", "ls -R"),
];

#[test]
fn no_spelling_hides_that_a_whole_folder_is_read() {
    let decided = LINES.iter().map(|(expected, line)| (*expected, decide("read(secret.txt)", line), *line));
    let wrong: Vec<_> = decided.filter(|(expected, decided, _)| expected != decided).collect();
    assert!(wrong.is_empty(), "expected, decided: {wrong:#?}");
    for (expected, line) in [
        ("ask", "mv sub other"),
        ("ask", "cp -r sub other"),
        ("ask", "diff sub other"),
        ("ask", "tar cf x.tar sub"),
        ("ask", "git diff sub other"),
        ("ask", "git diff -- sub other"),
        ("ask", "git diff sub -- other"),
        ("ask", "git --no-pager diff sub other"),
        ("ask", "git --git-dir=/nonexistent diff a b"),
        ("ask", "git difftool -y sub other"),
        ("ask", "git mv sub other"),
        ("ask", "git mv -k -- a.rs sub other"),
        ("ask", "git -C . mv sub other"),
        ("ask", "mv -- -x sub other"),
        ("allow", "mv a.rs b.rs"),
        ("allow", "diff a.rs b.rs"),
        ("allow", "cp a.rs other"),
        ("allow", "git mv a.rs sub"),
        ("allow", "git diff main topic"),
        ("allow", "git diff HEAD~1 HEAD -- sub"),
        ("allow", "git -C . log -- ../a /b"),
    ] {
        assert_eq!(decide("read(sub/keys/a)", line), expected, "{line}");
    }
}

/// A folder can be called as files are. A rule that names it as a folder knows better, and a rule that names none takes what ends as files
/// do for a file.
#[test]
fn a_folder_with_an_ending_counts_as_one() {
    for (expected, rule, line) in [
        ("ask", "read(conf.d/key)", "diff -N conf.d e"),
        ("ask", "read(conf.d/key)", "mv conf.d e"),
        ("ask", "read(conf.d/key)", "mv ./conf.d/ e"),
        ("ask", "read(conf.d/key)", "mv c*.d e"),
        ("ask", "read(node.js/key)", "mv node.js e"),
        ("ask", "read(node.js/key)", "mv n*.js e"),
        ("ask", "read(node.*/key)", "mv node.js e"),
        ("ask", "read(sub/node.js/*.pem)", "git mv sub/node.js e"),
        ("ask", "read(*.pem)", "diff conf.d e.d"),
        ("ask", "read(*.pem)", "mv v1.2 e"),
        ("allow", "read(*.pem)", "diff a.rs b.rs"),
        ("allow", "read(*/key)", "mv a.rs b.rs"),
        ("allow", "read(node.js/key)", "mv a.js b.js"),
        ("allow", "read(node.js/key)", "mv conf.d e"),
    ] {
        assert_eq!(decide(rule, line), expected, "{rule} {line}");
    }
}

#[test]
fn an_allow_rule_for_the_program_is_no_word_about_the_file() {
    for line in ["rg -e --files -e KEY .", "git -C . grep --no-index KEY", "grep --recurs KEY ."] {
        let rules = [
            (RuleKind::Deny, "read(secret/*)"),
            (RuleKind::Allow, "shell(grep *)"),
            (RuleKind::Allow, "shell(git *)"),
            (RuleKind::Allow, "shell(rg *)"),
        ];
        for mode in [Mode::Ask, Mode::Edit, Mode::Auto, Mode::Unrestricted] {
            let policy = Policy { has_sandbox: true, ..policy(mode, &rules) };
            let found: Preparation = look(line);
            assert_eq!(
                word(&policy.decide(&shell_tool(), &call(line), &found).verdict),
                "ask",
                "{mode} {line}"
            );
        }
    }
}

const SECRET: &str = "TOPSECRET-4711";

/// The options that a program lists.
fn options(yard: &Yard, help: &[&str]) -> BTreeSet<String> {
    let help = yard.run(help, true);
    let words = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let is_option =
        |word: &&str| word.len() == 2 && word.starts_with('-') || word.len() > 3 && word.starts_with("--");
    words.filter(is_option).map(str::to_owned).collect()
}

/// Every beginning of every option of the programs that are installed here, also with values: whatever prints the secret is not allowed
/// unasked.
#[test]
fn no_option_of_the_installed_programs_prints_what_a_rule_denies() {
    let yard = Yard::new();
    let work = yard.at("work");
    for (name, text) in [("secret", SECRET), ("empty/secret", "")] {
        fs::create_dir_all(work.join(name)).unwrap();
        fs::write(work.join(name).join("key"), format!("{text}\n")).unwrap();
    }
    let programs: [(&[&str], &[&str], bool); 4] = [
        (&["grep", "--help"], &["grep", "%", "TOP", "."], true),
        (&["rg", "--help"], &["rg", "%", "TOP", "."], false),
        (&["diff", "--help"], &["diff", "%", ".", "empty"], true),
        (&["git", "--help"], &["git", "%", "grep", "--no-index", "TOP"], false),
    ];
    let (mut tried, mut seen, mut wrong) = (0, 0, Vec::new());
    for (help, line, can_be_short) in programs {
        let whole = options(&yard, help);
        let beginnings = |option: &String| {
            (3..option.len()).map(|end| option.chars().take(end).collect()).collect::<Vec<String>>()
        };
        let short = whole.iter().filter(|_| can_be_short).flat_map(beginnings);
        let short: BTreeSet<String> = short.filter(|option| !whole.contains(option)).collect();
        let spelled = whole.iter().flat_map(|option| {
            ["", "=recurse", " recurse", " --files", " .", " a.b=c"].map(|value| format!("{option}{value}"))
        });
        let spelled = spelled
            .chain(short.iter().flat_map(|option| ["", "=recurse"].map(|value| format!("{option}{value}"))));
        for option in spelled {
            let line = line.join(" ").replace('%', &option);
            tried += 1;
            if !yard.run(&line.split(' ').collect::<Vec<_>>(), true).contains(SECRET) {
                continue;
            }
            seen += 1;
            if decide("read(secret/*)", &line) == "allow" {
                wrong.push(line);
            }
        }
    }
    assert!(seen > 0, "{seen} of {tried}");
    assert!(wrong.is_empty(), "{} of {seen} of {tried}: {wrong:#?}", wrong.len());
}
