//! Slash commands: what a text that begins with a slash means, and what to say when it means nothing.

/// How each command of git begins that we have made. The settings of a repository may have been written by anybody, and name programs: no
/// monitor, hook or pager of them is started, and no missing object is fetched, as its server may be a program, too.
macro_rules! own_git {
    () => {
        "GIT_NO_LAZY_FETCH=1 git -c core.fsmonitor=false -c core.hooksPath=/dev/null -c hook.post-index-change.enabled=false --no-pager "
    };
}
/// What is asked of git where it shows differences: none but its own, also of submodules.
macro_rules! own_differences {
    () => {
        "--no-ext-diff --no-textconv --submodule=short"
    };
}

mod arguments;
mod later;
mod meaning;
mod prompts;
mod row;
mod table;
mod typed;

pub use arguments::{GIT_DIFF, is_git_diff, plain_git_diff};
pub(in crate::ui) use later::{KEPT, KEPT_BY_COMMAND, PICKED, STOPS_WORK, is_for_later};
pub use meaning::{LinearCommand, Meaning};
pub(in crate::ui) use prompts::{Review, review};
pub use prompts::{init, review_by_the_model};
pub use row::{Argument, Fronts, SlashCommand};
pub use table::COMMANDS;
pub use typed::{as_typed, sent, typed};
pub(in crate::ui) use typed::{built_in_run, said, sent_earlier};

use crate::agent::{Intent, OwnCommand};
use crate::ledger::Pastes;
use crate::view::{CustomCall, NamedCommand};

use super::keymap::KeyAction;
use super::theme::resembling;

/// The commands that a front end has, as its lists name them.
pub fn listed(front: Fronts) -> impl Iterator<Item = &'static SlashCommand> {
    COMMANDS.iter().filter(move |row| row.is_in(front) && !row.help.is_empty())
}

/// What a text means: `None` when it is a message like any other. Two slashes at the beginning, or a path, are words
/// for the model.
///
/// # Errors
/// Why it means nothing, in one line.
pub fn read(text: &str, front: Fronts) -> Option<Result<Meaning, String>> {
    let text = text.trim_start();
    let (name, typed) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if !name.starts_with('/') || name.matches('/').count() > 1 {
        return None;
    }
    let rows = |place: Fronts| COMMANDS.iter().filter(move |row| row.place == place && row.name == name);
    let meaning = rows(front).chain(rows(Fronts::Both)).find_map(|row| row.read(typed));
    Some(meaning.unwrap_or_else(|| Err(unknown(name, front))))
}

/// What is said of a new session while a run would be cut short by it.
pub(in crate::ui) const STILL_BUSY: &str =
    "a turn is running: begin a new session when it has finished, or interrupt it first";

/// What is said of a fork while a run is under way.
pub(in crate::ui) const FORK_LATER: &str =
    "a turn is running: fork when it has finished, or interrupt it first";

/// What is said of a review while a run is under way.
pub(in crate::ui) const REVIEW_LATER: &str =
    "a turn is running: wait until it has finished, or interrupt it first";

/// The command of the user's own that a text runs, if it does: `!command`.
pub fn own(text: &str) -> Option<Meaning> {
    OwnCommand::read(text).map(Intent::Command).map(Meaning::Intent)
}

/// The call of a custom command or of a skill that a text is. A command of ours with the same name comes first.
pub fn custom(text: &str, commands: &[NamedCommand]) -> Option<CustomCall> {
    custom_with(text.trim(), &Pastes::default(), commands)
}

/// The same of a text without blank ends, of which this was pasted.
pub(super) fn custom_with(text: &str, pastes: &Pastes, commands: &[NamedCommand]) -> Option<CustomCall> {
    let name = text.split(char::is_whitespace).next()?;
    if is_ours(name) { None } else { NamedCommand::called_with(commands, text, pastes) }
}

/// Whether a built-in command has this name, without the slash: no file can then be called by it.
pub fn is_built_in(name: &str) -> bool {
    COMMANDS.iter().any(|row| row.name.strip_prefix('/') == Some(name))
}

fn is_ours(word: &str) -> bool {
    word.strip_prefix('/').is_some_and(is_built_in)
}

/// Why the command that a text calls cannot be used, if there is a file of its name, and nothing else that it could call.
pub fn unusable(text: &str, ignored: &[(String, String)]) -> Option<String> {
    let name = text.trim_start().strip_prefix('/')?.split_whitespace().next()?;
    let (_, why) = ignored.iter().find(|(ignored, _)| ignored == name && !is_built_in(name))?;
    Some(format!("/{name} cannot be used: {why}"))
}

/// What a custom command runs before its message, for whoever cannot be asked about it.
pub fn runs_first(call: &CustomCall, commands: &[NamedCommand]) -> String {
    let name = call.typed.split_whitespace().next().unwrap_or_default();
    let is_it = |command: &&NamedCommand| name.strip_prefix('/') == Some(command.name.as_str());
    let runs = commands.iter().find(is_it).map(|command| command.template.commands()).unwrap_or_default();
    let runs: Vec<String> = runs.iter().map(|run| format!("`{}`", of_one_line(run))).collect();
    format!("{name} runs {} first", runs.join(" and "))
}

/// The first line of a command, and that there are more.
fn of_one_line(command: &str) -> String {
    match command.split_once('\n') {
        Some((first, _)) => format!("{first} …"),
        None => command.to_owned(),
    }
}

/// A message as it is sent: `//name` stands for a message that begins with `/name` and is no command.
pub fn unescaped(text: &str) -> &str {
    let is_escaped = |rest: &str| rest.starts_with(char::is_alphanumeric);
    let rest = text.strip_prefix('/').filter(|rest| rest.strip_prefix('/').is_some_and(is_escaped));
    rest.unwrap_or(text)
}

/// What a command of the keymap means, where a command of the table means the same.
pub(super) fn of_key(key: KeyAction) -> Option<Meaning> {
    let row = COMMANDS.iter().find(|row| row.key == Some(key))?;
    row.read("")?.ok()
}

/// What to say of a word that is no command.
fn unknown(word: &str, front: Fronts) -> String {
    let names = || listed(front).map(|row| row.name);
    let mut begun: Vec<&str> = names().filter(|name| name.starts_with(word)).collect();
    begun.sort_unstable();
    begun.dedup();
    if word != "/" && begun.len() > 1 {
        return format!("{word} can become {} · /help lists them all", begun.join(", "));
    }
    match resembling(word, names()) {
        Some(near) => format!("unknown command {word}: did you mean {near}? · /help lists them all"),
        None if unescaped(&format!("/{word}")) == word => {
            format!("unknown command {word} · /{word} sends it as text · /help lists them all")
        }
        None => format!("unknown command {word} · /help lists them all"),
    }
}

#[cfg(test)]
mod tests {
    use super::arguments::{MODEL, REVOKES};
    use super::*;
    use crate::ledger::CallId;
    use crate::policy::Mode;
    use crate::ui::chord::Chord;
    use crate::ui::keymap::BINDINGS;
    use crate::ui::picker_source::Source;
    use crate::ui::report::Subject;
    use crate::ui::request::Request;

    fn read(text: &str) -> Option<Result<Meaning, String>> {
        super::read(text, Fronts::Screen)
    }

    fn says(intent: Intent) -> Option<Result<Meaning, String>> {
        Some(Ok(Meaning::Intent(intent)))
    }

    #[test]
    fn every_known_word_is_a_command() {
        for front in [Fronts::Screen, Fronts::Lines] {
            for row in listed(front) {
                let text = match row.name {
                    "/mode" => "/mode plan",
                    "/effort" => "/effort high",
                    "/goal" => "/goal mend it | check: make test",
                    "/show" => "/show e1",
                    "/into" => "/into c1",
                    "/whatif" => "/whatif e1 deny",
                    "/compare" => "/compare 0199",
                    "/later" => "/later this",
                    "/keys" => "/keys ctrl-c",
                    "/rename" => "/rename the parser",
                    "/adopt" => "/adopt 2",
                    word => word,
                };
                assert!(matches!(super::read(text, front), Some(Ok(_))), "{text}");
            }
        }
        assert_eq!(read(" /mode  edit "), says(Intent::SetMode(Mode::Edit)));
    }

    #[test]
    fn the_verbs_of_a_race_are_no_tasks() {
        assert_eq!(read("/race show"), Some(Ok(Meaning::Report(Subject::Race))));
        assert_eq!(read("/race adopt 2"), Some(Ok(Meaning::Request(Request::Adopt(2)))));
        assert!(matches!(read("/race adopt"), Some(Err(why)) if why.contains("/adopt 2")));
        assert!(matches!(read("/race drop"), Some(Err(why)) if why.contains("countersign race drop")));
        let race = |words| matches!(read(words), Some(Ok(Meaning::Request(Request::Race(_)))));
        assert!(
            race("/race show the size of a file") && race("/race drop empty lines") && race("/race adopt it")
        );
    }

    #[test]
    fn lists_say_of_a_command_in_few_words_what_it_does_and_not_what_may_follow() {
        for row in super::listed(Fronts::Screen) {
            assert!(
                row.help.chars().count() <= 50 && !row.help.contains("or:"),
                "{}: {}",
                row.name,
                row.help
            );
        }
        let model = super::listed(Fronts::Screen).find(|row| row.name == "/model").unwrap();
        assert_eq!(model.told(), "choose a model; or: NAME, as in PROVIDER/MODEL");
        assert_eq!(model.behind_name(), "NAME, as in PROVIDER/MODEL");
    }

    #[test]
    fn a_row_says_what_may_follow_and_its_values_do() {
        for row in COMMANDS {
            let says_more = row.help.starts_with(row.hint) && row.place != Fronts::Lines;
            let is_said = !says_more || row.hint.is_empty() || row.takes_more();
            assert!(is_said, "{}: {}", row.name, row.help);
            assert_eq!(super::read(row.name, row.place).is_some_and(|read| read.is_err()), row.takes_more());
            for value in row.values {
                assert!(matches!(row.read(value), Some(Ok(_))), "{} {value}", row.name);
            }
            if let Some(key) = row.key {
                let binding = BINDINGS.iter().find(|b| b.command == key && !b.words.is_empty());
                assert_eq!(binding.map(|b| b.words), Some(row.help), "{}", row.name);
                assert!(of_key(key).is_some(), "{}", row.name);
            }
        }
    }

    #[test]
    fn a_difference_against_git_has_colours_and_can_be_of_one_file() {
        let command = |text: &str| match read(text) {
            Some(Ok(Meaning::Intent(Intent::Command(own)))) => own.command,
            other => panic!("{text}: {other:?}"),
        };
        let of = |rest: &str| {
            let begins = concat!(own_git!(), "diff ", own_differences!(), " --color=always");
            format!("{begins} {rest}")
        };
        assert_eq!(command("/diff git"), of("HEAD --"));
        assert_eq!(command("/diff main"), of("main --"));
        assert_eq!(command("/diff git a 'b.rs"), of("HEAD -- 'a '\\''b.rs'"));
        assert!(is_git_diff(&of("HEAD --")) && is_git_diff("git --no-pager diff --color=always HEAD --"));
        assert!(!is_git_diff("git diff"));
        assert_eq!(plain_git_diff(&of("HEAD --")).as_deref(), Some("git diff HEAD"));
        assert_eq!(plain_git_diff(&of("HEAD -- 'a b'")).as_deref(), Some("git diff HEAD -- 'a b'"));
        assert_eq!(plain_git_diff("git diff"), None);
        assert!(matches!(read("/diff main a.rs"), Some(Err(_))));
    }

    #[test]
    fn lines_have_forms_of_their_own() {
        let read = |text: &str| super::read(text, Fronts::Lines);
        let own = |command: LinearCommand| Some(Ok(Meaning::Linear(command)));
        assert_eq!(read("/model 2"), own(LinearCommand::Model(2)));
        assert_eq!(read("/model"), Some(Ok(Meaning::Pick(Source::Models))));
        let named = Meaning::Request(Request::ChooseModel("a/b".to_owned()));
        assert_eq!(read("/model a/b"), Some(Ok(named)));
        assert_eq!(read("/sessions"), Some(Ok(Meaning::Pick(Source::Sessions))));
        assert_eq!(read("/quit"), Some(Ok(Meaning::Quit)));
        assert_eq!(read(" /show  c3 "), own(LinearCommand::ShowCall(CallId(3))));
        assert_eq!(read("/ledger"), own(LinearCommand::Ledger(20)));
        assert_eq!(read("/type  a b "), own(LinearCommand::Type(" a b ".to_owned())));
        assert_eq!(read("/type"), own(LinearCommand::Type(String::new())));
        let keys = ["ctrl-c", "up"].map(|key| Chord::parse(key).unwrap()).to_vec();
        assert_eq!(read("/keys ctrl-c  up"), own(LinearCommand::Keys(keys)));
        assert_eq!((read("hello"), read("//send")), (None, None));
        for text in ["/show", "/show x", "/output e1", "/ledger all", "/later", "/keys", "/keys hyper-x"] {
            assert!(matches!(read(text), Some(Err(_))), "{text}");
        }
        for (text, why) in [("/raise it", "takes no argument"), ("/stauts", "did you mean /status?")] {
            assert!(matches!(read(text), Some(Err(said)) if said.contains(why)), "{text}");
        }
        assert_eq!(read("/status"), own(LinearCommand::Status));
        assert_eq!(super::read("/status", Fronts::Screen), Some(Ok(Meaning::Report(Subject::Status))));
        assert!(matches!(super::read("/show e1", Fronts::Screen), Some(Err(_))), "not on the screen");
    }

    #[test]
    fn what_is_no_command_says_what_there_is() {
        for (text, near) in [("/hlep", "/help"), ("/bugdets", "/budgets"), ("/plann", "/plan")] {
            let Some(Err(why)) = read(text) else { unreachable!("{text}") };
            assert!(why.contains(&format!("did you mean {near}?")), "{why}");
        }
        assert!(matches!(read("/p"), Some(Err(why)) if why.contains("/p can become /permissions, /plan")));
        assert!(matches!(read("/foo bar"), Some(Err(why)) if why.contains("//foo sends it as text")));
        for text in ["/", "/foo", "/Compact", "/foo bar", "/compac"] {
            let Some(Err(why)) = read(text) else { unreachable!("{text}") };
            assert!(why.contains("/help"), "{why}");
        }
        assert_eq!(read("/effort default"), says(Intent::SetEffort(None)));
        assert_eq!(
            read("/model  a/b:c "),
            Some(Ok(Meaning::Request(Request::ChooseModel("a/b:c".to_owned()))))
        );
        assert_eq!(read("/model"), Some(Ok(Meaning::Pick(Source::Models))));
        assert_eq!(read("/model a b"), Some(Err(MODEL.to_owned())));
        assert!(matches!(read("/effort much"), Some(Err(why)) if why.contains("xhigh")));
        for text in ["/permissions revoke c4", "/permissions revoke 4"] {
            assert_eq!(read(text), says(Intent::Revoke(CallId(4))));
        }
        assert_eq!(read("/permissions revoke"), Some(Ok(Meaning::Pick(Source::Grants))));
        let host = || "docs.rs".to_owned();
        assert_eq!(read("/permissions host Docs.RS"), says(Intent::OpenHost(host())));
        assert_eq!(read("/permissions revoke docs.rs"), says(Intent::CloseHost(host())));
        assert_eq!(read("/permissions gaps"), Some(Ok(Meaning::AcceptGaps)));
        assert_eq!(read("/permissions revoke gaps"), says(Intent::RefuseGaps));
        for text in [
            "/permissions now",
            "/permissions revoke it",
            "/permissions revoke c4 c5",
            "/permissions host a/b.c",
        ] {
            assert_eq!(read(text), Some(Err(REVOKES.to_owned())));
        }
        assert_eq!(read("/mode"), Some(Ok(Meaning::Pick(Source::Modes))));
        assert!(matches!(read("/goal"), Some(Err(why)) if why.contains("check:")));
        assert!(matches!(read("/goal mend it"), Some(Err(why)) if why.contains("done condition")));
        assert!(matches!(read("/goal goal.toml"), Some(Err(why)) if why.contains("only `--goal`")));
        assert!(matches!(read("/goal docs/x.md | check: make"), Some(Ok(_))));
        assert_eq!(read("/goal resume now"), says(Intent::ResumeGoal("now".into())));
        assert!(matches!(read("/mode fast"), Some(Err(why)) if why.contains("unrestricted")));
        assert!(matches!(read("/quit now"), Some(Err(_))));
    }

    #[test]
    fn names_of_commits_are_no_options_and_no_commands() {
        let command = |text: &str| match read(text) {
            Some(Ok(Meaning::Intent(Intent::Command(own)))) => Some((own.command, own.is_shared)),
            _ => None,
        };
        assert_eq!(read("/diff"), Some(Ok(Meaning::Report(Subject::Changes))));
        assert_eq!(command("/diff git"), Some((format!("{GIT_DIFF}HEAD --"), false)));
        assert_eq!(command("/diff HEAD~2"), Some((format!("{GIT_DIFF}'HEAD~2' --"), false)));
        for text in
            ["/diff --output=x", "/diff a;b", "/diff $(x)", "/diff a b", "/review --base -x", "/review `x`"]
        {
            assert!(matches!(read(text), Some(Err(_))), "{text}");
        }
        for text in ["/review --base main", "/review main", "/review --base=main"] {
            assert!(matches!(read(text), Some(Ok(Meaning::Review(Some(base)))) if base == "main"), "{text}");
        }
        assert_eq!(read("/review"), Some(Ok(Meaning::Review(None))));
        for text in ["/rename", "/rename a\nb", &format!("/rename {}", "x".repeat(101))] {
            assert!(matches!(read(text), Some(Err(_))), "{text}");
        }
        assert_eq!(read("/rename  the parser "), says(Intent::Rename("the parser".to_owned())));
    }

    #[test]
    fn two_slashes_send_what_would_be_a_command() {
        for (text, sent) in [
            ("//help me", "/help me"),
            ("//2fix", "/2fix"),
            ("// a note", "// a note"),
            ("///x", "///x"),
            ("/", "/"),
        ] {
            assert_eq!(unescaped(text), sent);
        }
    }

    #[test]
    fn paths_and_words_are_sent() {
        for text in ["", "why /compact?", "//compact", "/etc/hosts is odd", "/usr/bin", "a/b"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
