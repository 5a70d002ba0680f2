//! Scripts of `sed`, and what each runs and opens.

use super::*;

fn script(words: &[&str]) -> SedScript {
    sed_script(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
}

#[test]
fn a_script_runs_lines_where_it_says_e() {
    for words in [
        &["e"][..],
        &["-n", "1e"],
        &["-ee"],
        &["-n", "-e", "p", "-e", "s/a/b/e"],
        &["--expression=s/a/b/ge", "f"],
        &["--exp", "e"],
        &["f", "-e", "e"],
        &["--", "e"],
        &["-l", "5", "e"],
        &["s,a,b,Ie"],
        &["s|a/b|c\\|d|2e;p"],
        &["/x/!e"],
        &["\\,a,e"],
        &["/a/I e"],
        &["1,/b/{p;e\n}"],
        &["$!N;2~3e"],
        &["a text\ne"],
        &["s/a[/b/e"],
        &["s/[/]/b/e"],
        &["w out\ns/a/b/e"],
        &["k;s/a/b/e"],
        &[":a e"],
        &["/x/b a e\n:a"],
        &["v 4.2 e"],
        &["r x\\\ne"],
        &["s/w/b/ e"],
        &["s/w/b/ eg"],
        &["/a/ I e"],
        &["1\t,\t2e"],
        &["1 ~ 2e"],
        &["k;1egit push"],
    ] {
        assert!(script(words).runs_lines, "{words:?}");
    }
}

#[test]
fn other_scripts_run_none() {
    for words in [
        &["-n", "1,5p", "e"][..],
        &["s/a/b/g", "e"],
        &["-e", "s/a/b/", "e"],
        &["-f", "e", "file"],
        &["-i.e", "s/one/the/", "x.e"],
        &["s/e/x/"],
        &["s/a/b/we"],
        &["s/[/]e/x/"],
        &["a note"],
        &[":e;be"],
        &["y/e/e/"],
        &["# e"],
        &["$!{h;d}", "f"],
        &[":a;N;$!ba;s/\\n/ /g"],
        &["/^$/d"],
        &[],
    ] {
        let found = script(words);
        assert!(!found.runs_lines && found.commands.is_empty(), "{words:?}");
    }
}

#[test]
fn commands_and_files_are_found_behind_their_letters() {
    for (words, commands, files) in [
        (&["1e git push"][..], &["git push"][..], &[][..]),
        (&["egit push\np"], &["git push"], &[]),
        (&["/a/{e rm x\n}"], &["rm x"], &[]),
        (&["-n", "wout"], &[], &["out"]),
        (&["s/a/b/gw sub/x"], &[], &["sub/x"]),
        (&["r.env\nW y"], &[], &[".env", "y"]),
        (&["r x\\\negit push"], &["git push"], &["x\\"]),
        (&[":a egit push"], &["git push"], &[]),
        (&["1\t,\t2egit push"], &["git push"], &[]),
        (&["s/a/b/ w out"], &[], &["out"]),
    ] {
        let found = script(words);
        assert_eq!((found.commands, found.files), (owned(commands), owned(files)), "{words:?}");
    }
}

#[test]
fn the_options_of_bsd_count_as_those_of_gnu() {
    for (words, commands, files) in [
        (&["-i", "", "wsecret", "f"][..], &[][..], &["secret"][..]),
        (&["-ni", "", "-e", "wsecret", "f"], &[], &["secret"]),
        (&["-I", ".bak", "wsecret", "f"], &[], &["secret"]),
        (&["-i", "p", "1egit push", "f"], &["git push"], &[]),
        (&["-l", "wsecret", "f"], &[], &["secret"]),
        (&["wsecret", "-e", "p", "f"], &[], &["secret"]),
        (&["-i", "wsecret", "f"], &[], &["secret"]),
    ] {
        let found = script(words);
        assert_eq!((found.commands, found.files), (owned(commands), owned(files)), "{words:?}");
    }
    assert!(script(&["-i", "", "s/a/b/e", "f"]).runs_lines);
    assert!(script(&["-i", "", "s/a[/e", "f"]).runs_lines);
    for words in [
        &["-i", "", "s/a/b/", "f"][..],
        &["-i", "", "-e", "s/a/b/", "file"],
        &["-i", ".bak", "s/a/b/", "file"],
        &["-i", "s/a/b/", "file", "e"],
        &["-i", "1d", "file"],
        &["-l", "5", "p", "file"],
        &["file", "-e", "s/a/b/"],
    ] {
        let found = script(words);
        assert!(!found.runs_lines && found.commands.is_empty() && found.files.is_empty(), "{words:?}");
    }
}

#[test]
fn a_bracket_ends_where_any_version_says() {
    for (script_text, commands, files) in [
        // As POSIX says: the class is a part of the bracket.
        ("s/[[:alpha:]/]/x/w secret", &[][..], &["secret"][..]),
        ("s/[^[:alpha:]/]/x/w secret", &[], &["secret"]),
        ("s/[[.].]/]/x/w secret", &[], &["secret"]),
        ("s/[[=a=]/]/x/w secret", &[], &["secret"]),
        ("s/[]/]/x/w secret", &[], &["secret"]),
        ("s/[^]/]/x/w secret", &[], &["secret"]),
        ("/[[:digit:]/]/egit push", &["git push"], &[]),
        ("\\,[[:digit:],],egit push", &["git push"], &[]),
        // A bracket in a bracket is a sign, too.
        ("s/[[a/]/x/w secret", &[], &["secret"]),
        // Only where brackets end at the first `]`, and only where they are signs.
        ("s/[[:/]/x/w secret", &[], &["secret"]),
        ("s/[/x/w secret", &[], &["secret"]),
    ] {
        let found = script(&[script_text]);
        assert_eq!((found.commands, found.files), (owned(commands), owned(files)), "{script_text}");
    }
    // What one version takes for the end of the expression is none for another: each counts.
    let found = script(&["s/[[:x]/y/w a\n#:]/]/z/w b"]);
    assert!(["a", "b"].iter().all(|file| found.files.contains(&(*file).to_owned())), "{:?}", found.files);
}

#[test]
fn a_file_is_opened_although_what_follows_is_no_script() {
    for (words, files) in [
        (&["-e", "wsecret", "-e", "k", "f"][..], &["secret"][..]),
        (&["s/a/b/wa\nwb\nk"], &["a", "b"]),
        (&["-i", "", "wsecret\nk", "f"], &["secret"]),
        (&["k\nwsecret"], &[]),
    ] {
        let found = script(words);
        assert_eq!(found.files, owned(files), "{words:?}");
        assert!(found.commands.is_empty(), "{words:?}");
    }
    assert!(script(&["1egit push\nk"]).commands.is_empty(), "nothing of it is run");
}

#[test]
fn scripts_that_were_read_and_operands_say_no_more() {
    for (words, unread) in [
        (&["-n", "5p", "f"][..], &["-n"][..]),
        (&["s/x/git push/", "git"], &[]),
        (&["-e", "p", "--expression", "d", "f"], &["-e", "--expression"]),
        (&["-f", "a", "f"], &["-f", "a"]),
        (&["--file", "a", "-l", "5", "f"], &["--file", "a", "-l"]),
        (&["--", "p", "f"], &["--"]),
        // Not followed, or not known.
        (&["k", "f"], &["k"]),
        (&["\u{e000}", "f"], &["\u{e000}"]),
        (&["s/a/\u{e000}/", "\u{e000}"], &["s/a/\u{e000}/"]),
        (&["-i", "", "\u{e000}", "f"], &["-i", "\u{e000}"]),
        // BSD takes the word behind `-i` for an ending, but then the name of a file would be the script.
        (&["-i", "5d", "\u{e000}"], &["-i"]),
        // In the place of an option.
        (&["\u{e000}", "-e", "p", "\u{e000}a"], &["\u{e000}", "-e"]),
    ] {
        let all: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let found = all.iter().zip(sed_unread(&all)).filter(|(_, unread)| *unread);
        let found: Vec<&str> = found.map(|(word, _)| word.as_str()).collect();
        assert_eq!(found, unread, "{words:?}");
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
