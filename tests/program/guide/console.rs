//! Blocks marked `console`: the lines behind `$` are run, and what stands below them must be in what they say.
//!
//! A line that begins with `>` goes on with the command before it. `…` stands for anything, also for whole lines. The folder is
//! a small project, and answers come from the rehearsal or from a script.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use super::pages::{Fence, guide};

const PROJECT: [(&str, &str); 3] = [
    ("README.md", "# Parser\n\nReads numbers. TODO: empty input.\n"),
    ("notes.txt", "the colour is green\n"),
    ("src/main.rs", "fn main() {}\n"),
];
/// Stands between what two commands say.
const END: char = '\u{1}';

/// A command with the lines that it must say.
#[derive(Debug, Default, PartialEq, Eq)]
struct Step {
    command: String,
    says: Vec<String>,
}

fn steps(fence: &Fence) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in fence.body.lines() {
        match (line.strip_prefix("$ "), line.strip_prefix("> "), steps.last_mut()) {
            (Some(command), _, _) => steps.push(Step { command: command.to_owned(), says: Vec::new() }),
            (None, Some(more), Some(step)) if step.says.is_empty() => {
                step.command.push('\n');
                step.command.push_str(more);
            }
            (None, _, Some(step)) => step.says.push(line.to_owned()),
            (None, _, None) => panic!("{}: a console block begins with a command", fence.place),
        }
    }
    assert!(!steps.is_empty(), "{}: a console block without a command", fence.place);
    steps
}

/// What each command says, with its exit code at the end of it.
fn run(steps: &[Step]) -> Vec<(String, i32)> {
    let place = tempfile::tempdir().unwrap();
    let work = place.path().join("parser");
    for (name, text) in PROJECT {
        fs::create_dir_all(work.join(name).parent().unwrap()).unwrap();
        fs::write(work.join(name), text).unwrap();
    }
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_countersign")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut script = String::from("exec 2>&1\n");
    for step in steps {
        script.push_str(&format!("{}\nprintf '{END}%s{END}' $?\n", step.command));
    }
    let out = Command::new("sh")
        .args(["-c", &script])
        .env_clear()
        .env("HOME", place.path())
        .env("PATH", path)
        .env("LANG", "C.UTF-8")
        .current_dir(&work)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(out.stdout).unwrap();
    let parts: Vec<&str> = said.split(END).collect();
    parts.chunks_exact(2).map(|pair| (pair[0].to_owned(), pair[1].parse().unwrap())).collect()
}

/// Whether a line is what the page says: `…` stands for anything.
fn is_like(line: &str, wanted: &str) -> bool {
    let Some((first, parts)) = wanted.split_once('…') else { return line == wanted };
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.split('…').collect();
    let last = parts.pop().unwrap();
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// What is wrong with a block.
fn faults(fence: &Fence) -> Vec<String> {
    let steps = steps(fence);
    let ran = run(&steps);
    let mut wrong = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let Some((said, code)) = ran.get(at) else {
            wrong.push(format!("{}: `{}` was not reached", fence.place, step.command));
            break;
        };
        // What the doctor finds depends on the machine.
        let is_well = *code == 0 || (*code == 1 && step.command == "countersign doctor");
        if !is_well {
            wrong.push(format!("{}: `{}` ends with {code}:\n{said}", fence.place, step.command));
        }
        let mut lines = said.lines();
        for wanted in step.says.iter().filter(|line| *line != "…") {
            if !lines.any(|line| is_like(line, wanted)) {
                wrong.push(format!("{}: `{}` does not say `{wanted}`:\n{said}", fence.place, step.command));
                break;
            }
        }
    }
    wrong
}

#[test]
fn commands_of_the_guide_do_what_it_says() {
    let fences: Vec<Fence> =
        guide().iter().flat_map(|page| page.fences()).filter(|fence| fence.info == "console").collect();
    assert!(fences.len() >= 20, "{} blocks are run", fences.len());
    let queue = Mutex::new(fences);
    let wrong = Mutex::new(Vec::new());
    let next = || queue.lock().unwrap().pop();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(fence) = next() {
                    let found = faults(&fence);
                    wrong.lock().unwrap().extend(found);
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn block(body: &str) -> Fence {
    Fence { place: "here".to_owned(), info: "console".to_owned(), body: body.to_owned() }
}

#[test]
fn a_block_that_is_not_true_is_found() {
    assert_eq!(faults(&block("$ echo one; cat <<E\n> two\n> E\none\n…\nt…o\n$ cat notes.txt\n")), [""; 0]);
    for (body, why) in [
        ("$ countersign exec --no-such-flag hello\n", "ends with 2"),
        ("$ echo one\ntwo\n", "does not say `two`"),
        ("$ echo one; echo two\ntwo\none\n", "does not say `one`"),
        ("$ exit 0\n$ echo one\n", "was not reached"),
    ] {
        let found = faults(&block(body));
        assert!(found.first().is_some_and(|found| found.contains(why)), "{body}: {found:?}");
    }
    assert!(is_like("a-b-c", "a…c") && is_like("a-b", "a…") && is_like("a", "a"));
    assert!(!is_like("a-b", "a") && !is_like("b-a", "a") && !is_like("a-b-c", "…b"));
}
