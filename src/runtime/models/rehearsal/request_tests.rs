//! What is understood, and that nothing else is.

use super::{RehearsalRequest, RehearsedAction, understand};

fn read(path: &str) -> RehearsedAction {
    RehearsedAction::Read { path: path.into() }
}

fn list(path: &str) -> RehearsedAction {
    RehearsedAction::List { path: Some(path.into()) }
}

fn run(command: &str) -> RehearsedAction {
    RehearsedAction::Run { command: command.into() }
}

fn search(text: &str, path: Option<&str>) -> RehearsedAction {
    RehearsedAction::Search { text: text.into(), path: path.map(Into::into) }
}

fn change(from: &str, to: &str, path: &str) -> RehearsedAction {
    RehearsedAction::Change { from: from.into(), to: to.into(), path: path.into() }
}

fn write(path: &str, content: &str) -> RehearsedAction {
    RehearsedAction::Write { path: path.into(), content: content.into() }
}

#[track_caller]
fn means(message: &str, batches: &[&[RehearsedAction]]) {
    let wanted = RehearsalRequest::Do(batches.iter().map(|batch| batch.to_vec()).collect());
    assert_eq!(understand(message), wanted, "{message:?}");
}

#[test]
fn single_requests() {
    means("read README.md", &[&[read("README.md")]]);
    means("Please read the file README.md.", &[&[read("README.md")]]);
    means("can you show me `my notes.txt`?", &[&[read("my notes.txt")]]);
    means("list", &[&[RehearsedAction::List { path: None }]]);
    means("list all the files", &[&[RehearsedAction::List { path: None }]]);
    means("list src/runtime", &[&[list("src/runtime")]]);
    means("list .", &[&[list(".")]]);
    means("list ..", &[&[list("..")]]);
    means("search TODO", &[&[search("TODO", None)]]);
    means("search for fn main in src", &[&[search("fn main", Some("src"))]]);
    means("search \"word in word\" in 'my dir'", &[&[search("word in word", Some("my dir"))]]);
    means("change colour to color in src/a.rs", &[&[change("colour", "color", "src/a.rs")]]);
    means("replace \"a to b\" with 'c in d' in `x y`", &[&[change("a to b", "c in d", "x y")]]);
    means("change one to two words in it in a.txt", &[&[change("one", "two words in it", "a.txt")]]);
}

#[test]
fn run_takes_its_line_and_write_the_rest() {
    means("run cargo test and read x", &[&[run("cargo test"), read("x")]]);
    means("run echo salt and pepper", &[&[run("echo salt and pepper")]]);
    means("run ls, then search beta in src", &[&[run("ls")], &[search("beta", Some("src"))]]);
    means("run git log --format='%h, %s'", &[&[run("git log --format='%h, %s'")]]);
    means("run \"a b\" --flag", &[&[run("\"a b\" --flag")]]);
    means("run `cargo test` and read x", &[&[run("cargo test"), read("x")]]);
    means("run make\nread x", &[&[run("make"), read("x")]]);
    means("write a.txt: one, then read two", &[&[write("a.txt", "one, then read two\n")]]);
    means("write a.txt:\n# é\n\n  two\n", &[&[write("a.txt", "# é\n\n  two\n")]]);
    means("write 'a b': 'exact' and list", &[&[write("a b", "exact"), RehearsedAction::List { path: None }]]);
}

#[test]
fn several_requests_in_one_message() {
    means("read a and list src", &[&[read("a"), list("src")]]);
    means("read a.rs, b.rs and c.rs", &[&[read("a.rs"), read("b.rs"), read("c.rs")]]);
    means(
        "Read a.md. Search x in src; list",
        &[&[read("a.md"), search("x", Some("src")), RehearsedAction::List { path: None }]],
    );
    means("search salt and pepper and read a", &[&[search("salt and pepper", None), read("a")]]);
    means(
        "read a then change b to c in a, then run ls",
        &[&[read("a")], &[change("b", "c", "a")], &[run("ls")]],
    );
    means("read a, and then please list src", &[&[read("a")], &[list("src")]]);
}

#[test]
fn questions_about_itself() {
    for text in ["tour", "Tour!", "take the tour", "show me around", "please start the tour"] {
        assert_eq!(understand(text), RehearsalRequest::Tour, "{text}");
    }
    for text in ["help", "", "  ", "?", "Hello there", "hi"] {
        assert_eq!(understand(text), RehearsalRequest::Help, "{text}");
    }
    assert_eq!(understand("Explain yourself."), RehearsalRequest::Explain);
}

#[test]
fn half_a_wish_is_not_carried_out() {
    for text in [
        "write a poem about: cats",
        "write a.txt",
        "read",
        "run",
        "run   ",
        "search",
        "change a to b",
        "change a in b",
        "read 'a' sideways",
        "make me a sandwich",
        "refactor the parser",
        "日本語で読んで",
    ] {
        assert_eq!(understand(text), RehearsalRequest::Unclear, "{text}");
    }
}

#[test]
fn no_text_makes_it_panic() {
    let pieces = [
        "read", "run", "write", "change", " ", "\"", "'", "`", "é", "日", ":", " to ", " in ", " and ", ".",
        "\n", ",",
    ];
    for a in pieces {
        for b in pieces {
            for c in pieces {
                for d in pieces {
                    understand(&format!("{a}{b}{c}{d}"));
                }
            }
        }
    }
}
