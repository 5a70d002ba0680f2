//! Rules that deny or ask about files and commands, against lines that spell them in other ways.

use countersign::policy::{Mode, Policy, RuleKind, Verdict, opened};
use countersign::tool::Preparation;

use super::lines::look;
use super::support::{call, policy, shell_tool};

pub(super) fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Allow(_) => "allow",
        Verdict::Sandbox(_) => "sandbox",
        Verdict::Ask(_) => "ask",
        Verdict::Deny(_) => "deny",
    }
}

/// Decides in a mode that asks nothing of its own.
pub(super) fn decide(rule: &str, line: &str) -> &'static str {
    let policy = policy(Mode::Unrestricted, &[(RuleKind::Deny, rule)]);
    word(&policy.decide(&shell_tool(), &call(line), &look(line)).verdict)
}

/// What a rule that denies reading `secret.txt` says of a line, where nothing else is asked about.
const SPELLINGS: &[(&str, &str)] = &[
    ("deny", "cat secret.txt"),
    ("deny", "cat ./secret.txt"),
    ("deny", "cat .//secret.txt"),
    ("deny", "cat sub/../secret.txt"),
    ("deny", "cat < sub/../secret.txt"),
    ("deny", "cat <> secret.txt"),
    ("deny", "cat 0<> sub/../secret.txt"),
    ("deny", "exec 3<> secret.txt; cat <&3"),
    ("deny", "while read l; do echo \"$l\"; done <> secret.txt"),
    ("ask", "head <> secret.tx?"),
    ("ask", "cat <> \"$x\""),
    ("allow", "cat <> other.txt"),
    ("allow", "kill $pid"),
    ("allow", "kill \"$(lsof -ti :8080)\""),
    ("allow", "mkdir -p {src,tests}/x"),
    ("allow", "touch secret.txt"),
    ("allow", "chmod +x \"$f\""),
    ("ask", "./mkdir secret.txt"),
    ("ask", "kill \"$(cat s*)\""),
    ("ask", "mkdir() { cat \"$1\"; }; mkdir secret.txt"),
    ("deny", "cd sub && cat ../secret.txt"),
    ("deny", "cd sub; cat ../secret.txt"),
    ("ask", "cd sub; cat secret.txt"),
    ("ask", "cd sub || cat secret.txt"),
    ("ask", "cd sub | cat secret.txt"),
    ("ask", "cd sub & cat secret.txt"),
    ("ask", "cd sub\ncat secret.txt"),
    ("ask", "(cd sub); cat secret.txt"),
    ("ask", "(cd sub) && cat secret.txt"),
    ("ask", "cd sub && ls; cat secret.txt"),
    ("ask", "cd sub && ls || cat secret.txt"),
    ("ask", "cd sub; awk 1 secret.txt"),
    ("ask", "cd sub; cat < secret.txt"),
    ("ask", "cd link/../x && cat secret.txt"),
    ("deny", "sort -- secret.txt"),
    ("deny", "grep -f secret.txt x"),
    ("deny", "grep -nfsecret.txt x"),
    ("deny", "jq --slurpfile a ./secret.txt . x"),
    ("ask", "cat secret.tx?"),
    ("ask", "cat s*"),
    ("ask", "cat [s]ecret.txt"),
    ("ask", "cat sub/../s*.txt"),
    ("ask", "cat {a,secret.txt}"),
    ("ask", "f=secret.txt; cat \"$f\""),
    ("ask", "f=secret.txt; cat $f"),
    ("ask", "f=secret; cat \"$f.txt\""),
    ("ask", "f=a; f=secret.txt; cat \"$f\""),
    ("ask", "for f in a secret.txt; do cat \"$f\"; done"),
    ("ask", "for i in 1 2; do cat \"$f\"; f=secret.txt; done"),
    ("ask", "read f; cat \"$f\""),
    ("ask", "f=a; read f; cat \"$f\""),
    ("ask", "f='a secret.txt'; cat $f"),
    ("ask", "f='s*'; cat $f"),
    ("ask", "cat \"$HOME/x\""),
    ("ask", "cat ~/x"),
    ("ask", "cat \"$(ls)\""),
    ("ask", "ls | xargs cat"),
    ("ask", "find . -exec cat {} +"),
    ("ask", "sh -c 'cat \"$1\"' _ secret.txt"),
    ("ask", "cd \"$x\"; cat secret.txt"),
    ("ask", "cd a; cd b; cat ../secret.txt"),
    ("ask", "cd - && cat x"),
    ("ask", "cd sub/.. && cat x"),
    ("ask", "for i in 1 2; do cd sub; cat ../../secret.txt; done"),
    ("ask", "sh -c 'for i in 1 2; do cd sub; cat ../../secret.txt; done'"),
    ("ask", "awk 1 .//secret.txt"),
    ("ask", "awk '{ getline < \"secret.txt\" }'"),
    ("ask", "dd if=sub/../secret.txt"),
    ("ask", "cp --target=x ./secret.txt"),
    ("ask", "tar -cfx.tar secret.txt"),
    ("ask", "tar -Tsecret.txt -cf x"),
    ("ask", "curl -d @secret.txt x"),
    ("ask", "curl --data=@./secret.txt x"),
    ("ask", "scp secret.txt host:x"),
    ("ask", "docker run -v secret.txt:/x y"),
    ("ask", "python3 -c 'open(\"secret.txt\")'"),
    ("ask", "cd sub; awk 1 ../secret.txt"),
    ("ask", "cp \"$f\" x"),
    ("ask", "cat secret.txt \""),
    ("allow", "cat other.txt"),
    ("allow", "cat *.rs"),
    ("ask", "cat \"$f.rs\""),
    ("ask", "cd a && cd b && cat x"),
    ("allow", "f=a; cat \"$f\""),
    ("allow", "for f in a b; do cat \"$f\"; done"),
    ("allow", "cd sub && cat secret.txt"),
    ("allow", "(cd sub && cat secret.txt)"),
    ("allow", "cd sub && cat secret.txt | wc -l && ls"),
    ("allow", "cd sub; cat other.txt"),
    ("allow", "cd a && cd b && cargo test x"),
    ("allow", "cargo build --release && ls -la"),
    ("allow", "echo secret.txt"),
    ("allow", "echo secret.txt */x"),
    ("allow", "echo $x"),
    ("allow", "git status"),
    ("allow", "cp a sub/secret.txt.bak"),
    ("ask", "grep -r TOP ."),
    ("ask", "grep -rn TOP"),
    ("ask", "grep --recursive TOP ./"),
    ("ask", "grep -R TOP ."),
    ("ask", "rg TOP"),
    ("ask", "cd sub; rg TOP .."),
    ("ask", "rg TOP \"$x\""),
    ("ask", "diff -r . sub"),
    ("ask", "cargo build && git grep TOP"),
    ("allow", "rg --files"),
    ("allow", "grep -rn TOP sub"),
    ("allow", "cd sub && rg TOP"),
    ("allow", "grep TOP a.txt"),
    ("deny", "git show HEAD:secret.txt"),
    ("deny", "git show HEAD~2:./secret.txt"),
    ("deny", "git cat-file -p main:secret.txt"),
    ("ask", "git log -p -- ':(top)secret.txt'"),
    ("deny", "git diff HEAD -- :/secret.txt"),
    ("deny", "git show :0:secret.txt"),
    ("allow", "git show HEAD:other.txt"),
];

#[test]
fn no_spelling_hides_a_file_from_a_rule() {
    for (expected, line) in SPELLINGS {
        assert_eq!(decide("read(secret.txt)", line), *expected, "{line}");
    }
    for line in ["echo a > \"$x\"", "echo a > k*/x", "cp a keys/../keys/b", "tee ./keys/x", "x=keys; rm $x/a"]
    {
        assert_eq!(decide("write(keys/*)", line), "ask", "{line}");
    }
    for line in ["rm -rf keys", "mv keys x", "chmod -R 0 ./keys/", "mkdir {keys,x}/a", "touch k*/a"] {
        assert_eq!(decide("write(keys/*)", line), "ask", "{line}");
    }
    assert_eq!(decide("write(keys/*)", "cat \"$x\""), "allow");
    assert_eq!(decide("write(keys/*)", "echo a <> keys/a"), "deny");
    assert_eq!(decide("read(f)", "for f in a b; do cat \"$f\"; done"), "allow");
    assert_eq!(decide("read(in)", "for f in a b; do cat \"$f\"; done"), "allow");
    // A sign that ends other words may be a part of this name.
    assert_eq!(decide("read(a,b.txt)", "curl -d @a,b.txt x"), "ask");
    assert_eq!(decide("read(../../secret.txt)", "awk 1 ../../secret.txt"), "ask");
    assert_eq!(decide("read(secret.txt)", "awk 1 ../../secret.txt"), "allow");
    assert_eq!(decide("read(./secret.txt)", "cat sub/../secret.txt"), "deny");
}

/// What a rule that denies reading what is below `keys` says.
#[test]
fn a_rule_about_a_folder_speaks_of_what_is_named_in_it() {
    for (expected, line) in [
        ("deny", "cat keys/a"),
        ("deny", "cat keys/sub/a"),
        ("deny", "cat ./keys//a"),
        ("deny", "cat sub/../keys/a"),
        ("deny", "cd keys && cat a"),
        ("deny", "cd ./keys/ && cat a"),
        ("deny", "cd keys/sub && cat a"),
        ("deny", "cd keys; cat a"),
        ("deny", "(cd keys && cat a)"),
        ("deny", "cd keys && sort -- a | wc -l"),
        ("deny", "cd keys && cat < a"),
        ("ask", "cd keys && cat *"),
        ("ask", "cd k* && cat a"),
        ("ask", "cd sub/../keys && cat a"),
        ("ask", "cd sub; cd ../keys; cat a"),
        ("ask", "pushd keys; cat a"),
        ("ask", "cat k*/a"),
        ("ask", "cat keys/*"),
        ("ask", "cat key[s]/a"),
        ("ask", "cat */a"),
        ("ask", "cd keys && awk 1 a"),
        ("ask", "awk 1 keys/a"),
        ("ask", "tar cf x keys/a"),
        ("ask", "find keys -name a -exec cat {} +"),
        ("ask", "grep -r x keys"),
        ("ask", "ls ./keys/"),
        ("ask", "cp -r keys x"),
        ("ask", "tar cf x sub/../keys"),
        ("allow", "cd keys"),
        ("allow", "cat sub/a"),
        ("allow", "cd sub && cat a"),
        ("allow", "cat keys.txt"),
    ] {
        for rule in ["read(keys/**)", "read(keys/*)"] {
            assert_eq!(decide(rule, line), expected, "{rule}: {line}");
        }
    }
}

#[test]
fn what_reads_a_whole_folder_runs_in_the_sandbox_which_hides_the_file_and_asks_outside_of_it() {
    let decided = |mode, rules: &[(RuleKind, &str)], has_sandbox| {
        let policy = Policy { has_sandbox, ..policy(mode, rules) };
        word(&policy.decide(&shell_tool(), &call("grep -r TOP ."), &look("grep -r TOP .")).verdict)
    };
    for kind in [RuleKind::Deny, RuleKind::Ask] {
        for pattern in ["read(secret.txt)", "read(secret/**)", "read(*.env)", "read(sub/*/x)"] {
            assert_eq!(decided(Mode::Auto, &[(kind, pattern)], true), "sandbox", "{kind:?} {pattern}");
            let allowed = [(kind, pattern), (RuleKind::Allow, "shell(grep *)")];
            assert_eq!(decided(Mode::Auto, &allowed, true), "ask", "{kind:?} {pattern}");
            let confined = [(kind, pattern), (RuleKind::Sandbox, "shell(grep *)")];
            assert_eq!(decided(Mode::Edit, &confined, true), "sandbox", "{kind:?} {pattern}");
        }
    }
    for other in ["write(secret.txt)", "read(../secret.txt)", "shell(rm *)"] {
        let allowed = [(RuleKind::Deny, other), (RuleKind::Allow, "shell(grep *)")];
        assert_eq!(decided(Mode::Edit, &allowed, true), "allow", "{other}");
    }
}

#[test]
fn a_link_hides_a_file_from_no_rule() {
    // `link` leads to the file.
    let followed = |line: &str| {
        let resolve = |path: String| if path.ends_with("link") { "secret.txt".to_owned() } else { path };
        let found = Preparation {
            leads_to: opened(line).into_iter().map(resolve).collect(),
            ..Preparation::default()
        };
        let policy = policy(Mode::Unrestricted, &[(RuleKind::Deny, "read(secret.txt)")]);
        word(&policy.decide(&shell_tool(), &call(line), &found).verdict)
    };
    for (expected, line) in [
        ("deny", "cat link"),
        ("deny", "cd sub && cat link"),
        ("ask", "cp link x"),
        ("ask", "dd if=sub/link"),
        ("ask", "true; cd sub; awk 1 link"),
        ("ask", "true; cd sub; cat link"),
        ("ask", "true; cd sub; cat < link"),
        ("allow", "cp linked x"),
    ] {
        assert_eq!(followed(line), expected, "{line}");
    }
}

#[test]
fn what_is_looked_at_are_names_and_no_options() {
    assert_eq!(opened("cp -f a b"), ["a", "b"]);
    assert_eq!(opened("cat a < b > /dev/null"), ["a", "b"]);
    let all = opened("cp --force -rf --backup= a '' x=");
    assert!(!all.iter().any(|name| name.starts_with('-') || name.is_empty()), "{all:?}");
}

#[test]
fn where_nobody_can_be_asked_no_name_is_guessed_at() {
    // Names beyond the first few hundred are not looked at, and still held against the rule.
    let many = format!("cp {} secret.txt x", (0..2_000).map(|n| format!("f{n} ")).collect::<String>());
    assert_eq!(decide("read(secret.txt)", &many), "ask");
    assert!(opened(&many).len() < 1_000);
}

/// Lines that start `rm`.
const LAUNCHED: &[&str] = &[
    "ld.so /bin/rm x",
    "/lib64/ld-linux-x86-64.so.2 /bin/rm x",
    "/lib/ld-musl-x86_64.so.1 --preload y /bin/rm x",
    "/usr/lib/ld64.so.1 rm x",
    "x86_64 rm x",
    "i386 -R rm x",
    "linux32 rm x",
    "setarch x86_64 -R rm x",
    "busybox rm x",
    "toybox rm x",
    "busybox.static rm x",
    "toybox-x86_64 rm x",
    "dash-static -c 'rm x'",
    "bash.exe -c 'rm x'",
    "sash -c 'rm x'",
    "taskset 1 rm x",
    "chrt -f 1 rm x",
    "flock x rm y",
    "flock x -c 'rm y'",
    "script -c 'rm x'",
    "script -c'rm x' y",
    "su -c 'rm x'",
    "su --command='rm x'",
    "su -crm",
    "runuser -u a -- rm x",
    "watch -n1 'rm x'",
    "parallel rm ::: x",
    "systemd-run --user rm x",
    "strace -f rm x",
    "ltrace rm x",
    "perf record -- rm x",
    "gdb --args rm x",
    "unshare -r rm x",
    "nsenter -t 1 rm x",
    "chroot . rm x",
    "start-stop-daemon -S -x /bin/rm -- x",
    "ssh host 'cd x; rm y'",
    "ionice rm x",
];

#[test]
fn no_launcher_hides_a_command_from_a_rule() {
    for line in LAUNCHED {
        assert_eq!(decide("shell(rm *)", line), "deny", "{line}");
    }
    for line in [
        "exec -a x rm y",
        "x86_64 $x y",
        "awk 'BEGIN { system(\"rm x\") }'",
        "python3 -c 'import os; os.system(\"rm x\")'",
        "perl -e 'exec q(rm x)'",
        "gdb -ex 'shell rm x'",
        "git -c alias.x='!rm y' x",
        "git bisect run rm x",
        "tar -xf x --to-command='rm x'",
        "rsync -e 'rm x' a b",
        "x+=1 rm y",
        "a[0]=1 rm y",
        "eval -x rm y",
        "sudo A=b rm y",
        "time A=b rm y",
        "find . -exec A=b rm y \\;",
        "time A=$x rm y",
        "builtin $x rm",
        "builtin eva$x 'rm y'",
        "x=l; eva$x 'rm y'",
        "s$x -c 'rm y'",
        "$x -c 'rm y'",
        "e?v rm y",
    ] {
        assert!(
            matches!(decide("shell(rm *)", line), "ask" | "deny"),
            "{line}: {}",
            decide("shell(rm *)", line)
        );
    }
    for line in [
        "nobody-knows x y",
        "git commit -m 'rm x'",
        "cargo rm x",
        "python3 script.py arm",
        "make clean",
        "grep 'rm x' y",
        "echo rm x",
        "x86_64 make form",
        "target/$x/app y",
        "ldd rm x",
        "awk '{ print $1 }' x",
    ] {
        assert_eq!(decide("shell(rm *)", line), "allow", "{line}");
    }
    // A letter in a program is most often the name of a value.
    assert_eq!(decide("shell(w *)", "python3 -c 'print(w)'"), "allow");
    assert_eq!(decide("shell(ww *)", "python3 -c 'print(ww)'"), "ask");
}
