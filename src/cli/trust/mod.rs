//! `trust`: shows what a folder's files would do, asks, and keeps the answer for exactly these contents.

pub mod args;

use std::io::{self, BufRead, Read, Write};
use std::path::Path;

use super::outcome::say;
use crate::config::environment::Environment;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::config::project;
use crate::config::trusted::{Book, Content};
use crate::config::{Demands, demands};
use args::TrustArgs;

/// Most letters of an answer that are read.
const MOST_LETTERS: u64 = 64;

/// Does what was asked for, as seen from the folder of the words, of the flags before them, or this one.
///
/// # Errors
/// Files or kept trust that cannot be used; a folder that is not there.
pub(super) fn run(words: &TrustArgs, cd: Option<&Path>, environment: &Environment) -> Result<Exit, Fault> {
    let wanted = words.cd.as_deref().or(cd);
    if words.list {
        return list(environment);
    }
    if words.remove {
        return remove(wanted, environment);
    }
    let cwd = super::folder(wanted)?;
    let book = Book::read(environment)?;
    let found = demands(&cwd, environment)?;
    let (trusted, open): (Vec<&Demands>, Vec<&Demands>) = found
        .iter()
        .filter(|demands| demands.need_trust())
        .partition(|demands| book.trusts(&demands.content));
    for demands in &found {
        say(&page(demands))?;
    }
    if open.is_empty() {
        return say(if trusted.is_empty() {
            "Nothing here needs trust.\n"
        } else {
            "Trusted already, with exactly these contents.\n"
        });
    }
    say(WHAT_IT_MEANS)?;
    if !words.yes && !agreed()? {
        return Err(Fault::failed(
            "not trusted; nothing was saved",
            "run `countersign trust` again to decide",
        ));
    }
    let file = Book::update(environment, |book| {
        for Demands { content, .. } in open {
            book.trust(content.real().ok_or_else(|| nameless(content))?, content.hash());
        }
        Ok(())
    })?;
    say(&format!(
        "Trusted until one of these files changes. Saved in {}.\n",
        one_line(&file.display().to_string())
    ))
}

const WHAT_IT_MEANS: &str = "\
If you trust this folder, its settings apply as if you had written them, until one byte of these files
changes. Trust does not cover the programs that they start: those can change with the folder.
";

/// What one folder's files would do: a line each, with nothing left out.
fn page(demands: &Demands) -> String {
    let mut text = format!("{}\n", one_line(&demands.content.folder().display().to_string()));
    text.extend(demands.lines().iter().map(|line| format!("  {line}\n")));
    text + &format!("  SHA-256 {}\n\n", demands.content.hash())
}

/// Asks on the terminal, or whatever stands in its place; everything but a yes is a no.
fn agreed() -> Result<bool, Fault> {
    say("Trust this, exactly as it is? [y/N] ")?;
    let mut answer = String::new();
    let read = io::stdin().lock().take(MOST_LETTERS).read_line(&mut answer);
    read.map_err(|why| Fault::failed(format!("cannot read the answer: {why}"), "use --yes"))?;
    if !answer.ends_with('\n') {
        // The line that was begun with the question.
        writeln!(io::stdout()).unwrap_or_default();
    }
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn nameless(content: &Content) -> Fault {
    Fault::failed(
        format!("{} cannot be trusted: its path is not valid Unicode", content.folder().display()),
        "rename the folder",
    )
}

fn list(environment: &Environment) -> Result<Exit, Fault> {
    let book = Book::read(environment)?;
    let mut text = String::new();
    for folder in book.folders() {
        let state = match Content::of(Path::new(folder)) {
            Ok(Some(content)) if book.trusts(&content) => "trusted",
            Ok(Some(_)) => "changed since, so not trusted",
            Ok(None) => "no longer has such files",
            Err(_unreadable) => "cannot be read, so not trusted",
        };
        text.push_str(&format!("{}: {state}\n", one_line(folder)));
    }
    say(if text.is_empty() { "No folder is trusted.\n" } else { &text })
}

/// Takes the trust of all folders that a session in `wanted` would read; of one that is gone, by its name.
fn remove(wanted: Option<&Path>, environment: &Environment) -> Result<Exit, Fault> {
    let book = Book::read(environment)?;
    let folders = match (super::folder(wanted), wanted) {
        (Ok(cwd), _) => project::path_down(&cwd),
        (Err(_gone), Some(path)) if path.is_absolute() => vec![path.to_owned()],
        (Err(fault), _) => return Err(fault),
    };
    let named = folders.iter().filter_map(|folder| folder.to_str());
    let known: Vec<&str> = named.filter(|folder| book.folders().any(|known| known == *folder)).collect();
    if known.is_empty() {
        return say("This folder was not trusted.\n");
    }
    Book::update(environment, |book| {
        known.iter().for_each(|folder| book.forget(folder));
        Ok(())
    })?;
    let known: Vec<String> = known.into_iter().map(one_line).collect();
    say(&format!("No longer trusted: {}\n", known.join(", ")))
}
