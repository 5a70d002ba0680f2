//! The guided tour: look, read, change and run something harmless, and what the keys are for.

use crate::tool::name::{READ, WRITE};
use crate::wire::script::Reply;

use super::reply::{propose, say};
use super::report::{account, names};
use super::request::RehearsedAction;
use super::round::Round;
use super::words;

/// The tour writes this file and no other.
const FILE: &str = "countersign-tour.txt";
const CONTENT: &str =
    "This file was written by the countersign tour, after you allowed it.\nDelete it whenever you like.\n";
const COMMAND: &str = "echo 'This ran because you allowed it.'";

const WELCOME: &str = "Welcome. This tour takes about a minute, and you can leave it at any moment with **Esc**.\n\n\
    Above is the conversation, below are the budgets, the field you type in, and a line that says what is going on. \
    Each tool call gets a row of its own: what it is, how it ended, how long it took.\n\n\
    Looking around in this folder normally needs no approval, so I begin with that.";

const TWO_WISHES: &str = "Now two things that have effects: a small new file, and a harmless command. Unless your mode or \
    a rule allows them already, **each waits for your signature** in its own pane, which shows the true bytes of \
    what would happen. **Tab** gives the first pane the keys; then `y` allows it once and `n` denies it. With another Tab \
    you decide about the second. Deny one and allow the other, if you like: they do not touch each other.";

const KEYS: &str = "**Esc** interrupts at any moment. Try it: ask me to `explain yourself` and press Esc in mid-answer, or \
    `run sleep 20` and press Esc while it runs. Nothing is left hanging: every call gets its result.\n\n\
    **Ctrl-O** opens the ledger: every message, call, decision and result of this session, as it was recorded.\n\n\
    **Budgets** limit turns, tool calls, time, tokens and cost. When one is used up the run stops, says why, and \
    offers to raise it and go on.";

/// The next step of the tour.
pub(super) fn step(rounds: &[Round]) -> Reply {
    match rounds {
        [] => propose(WELCOME, &[RehearsedAction::List { path: None }]),
        [looked] => match readable(looked) {
            Some(path) => propose(
                format!("{}\n\nNext I read {}.", account(rounds), words::code(&path)),
                &[RehearsedAction::Read { path }],
            ),
            None => wishes(rounds),
        },
        // Without a file to read, the second round was that of the two wishes already.
        [_, second] if second.iter().all(|call| call.name == READ) => wishes(std::slice::from_ref(second)),
        [.., last] => farewell(last),
    }
}

fn wishes(rounds: &[Round]) -> Reply {
    let write = RehearsedAction::Write { path: FILE.to_owned(), content: CONTENT.to_owned() };
    let run = RehearsedAction::Run { command: COMMAND.to_owned() };
    propose(format!("{}\n\n{TWO_WISHES}", account(rounds)), &[write, run])
}

fn farewell(last: &Round) -> Reply {
    let is_written = last.iter().any(|call| call.name == WRITE && call.is_ok());
    let cleaning =
        if is_written { format!("\n\nTo remove the file again: `run rm {FILE}`.") } else { String::new() };
    say(format!(
        "{}{cleaning}\n\n{KEYS}\n\n{}\n\nThat was the tour. `help` lists what I understand.",
        account(std::slice::from_ref(last)),
        words::connect()
    ))
}

/// A file of the folder that is worth a look: a README, then any text by its name, then any file.
fn readable(looked: &Round) -> Option<String> {
    let content = looked.first().filter(|call| call.is_ok())?.result.content.as_str();
    let files: Vec<&str> =
        names(content).into_iter().filter(|name| !name.ends_with('/') && !name.contains(" -> ")).collect();
    let is_text = |name: &&&str| {
        [".md", ".txt", ".toml", ".rs", ".py", ".js", ".ts", ".go"].iter().any(|end| name.ends_with(end))
    };
    let chosen = files
        .iter()
        .find(|name| name.to_lowercase().starts_with("readme"))
        .or_else(|| files.iter().find(is_text))
        .or_else(|| files.first())?;
    Some((*chosen).to_owned())
}
