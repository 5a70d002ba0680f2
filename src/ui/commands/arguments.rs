//! What words behind the name of a command mean, and what to say when they mean nothing.

use crate::agent::{CallAddress, Intent, OwnCommand};
use crate::goal;
use crate::ledger::{BackgroundStatus, CallId, EntryId, UserMessage};
use crate::model::Effort;
use crate::policy::Mode;
use crate::tool::NamedHost;
use crate::ui::branches::BranchWish;
use crate::ui::chord::Chord;
use crate::ui::mention::is_called_a_file;
use crate::ui::picker::RewindWay;
use crate::ui::picker_source::Source;
use crate::ui::race_wish::RaceWish;
use crate::ui::report::Subject;
use crate::ui::request::Request;
use crate::ui::usage_table::UsageBy;

use super::meaning::{LinearCommand, Meaning};
use super::prompts::quoted;

type Read = Result<Meaning, String>;

/// All that `/effort` takes.
pub(super) const EFFORTS: &[&str] = &["none", "minimal", "low", "medium", "high", "xhigh", "max", "default"];
/// All that `/mode` takes.
pub(super) const MODES: &[&str] = &["plan", "ask", "edit", "auto", "unrestricted"];
/// How `/model` is used.
pub(super) const MODEL: &str = "/model takes one name, as in PROVIDER/MODEL";
/// How `/permissions` is used with something behind it.
pub(super) const REVOKES: &str = "/permissions revoke, with the call that granted it or a host, as in /permissions revoke c4; or /permissions host docs.rs; or /permissions gaps";

/// All that `/usage` takes.
pub(super) const USAGE: &[&str] = &["model", "project", "tool", "day"];

/// Most characters of a session's name.
const LONGEST_NAME: usize = 100;

/// A name for the session: one line.
pub(super) fn rename(words: &str) -> Read {
    if words.is_empty() {
        return Err("/rename takes the name".to_owned());
    }
    if words.chars().count() > LONGEST_NAME || words.chars().any(char::is_control) {
        return Err(format!("a name is one line of at most {LONGEST_NAME} characters"));
    }
    Ok(Meaning::Intent(Intent::Rename(words.to_owned())))
}

/// How the command of `/diff git` begins. A terminal would get its colours without being asked.
pub const GIT_DIFF: &str = concat!(own_git!(), "diff ", own_differences!(), " --color=always ");
/// How it began in sessions of earlier versions.
const GIT_DIFF_BEFORE: &str = "git --no-pager diff --color=always ";

/// Whether a command of the user's own is that of `/diff git`.
pub fn is_git_diff(command: &str) -> bool {
    [GIT_DIFF, GIT_DIFF_BEFORE].iter().any(|begins| command.starts_with(begins))
}

/// The same command as people know it, without what keeps git from running programs: `git diff HEAD`. `None`: it is another one.
pub fn plain_git_diff(command: &str) -> Option<String> {
    let rest = [GIT_DIFF, GIT_DIFF_BEFORE].iter().find_map(|begins| command.strip_prefix(begins))?;
    Some(format!("git diff {}", rest.strip_suffix(" --").unwrap_or(rest)))
}

/// `git`, or a commit: `git diff` as the user's own command, which the model is not told of.
pub(super) fn diff(words: &str) -> Read {
    let (word, path) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let against = match word {
        "git" => "HEAD".to_owned(),
        _ if !path.is_empty() => {
            return Err("/diff takes git and a path, or a commit, as in /diff main".to_owned());
        }
        commit => {
            let commit = revision(commit).ok_or("/diff takes git, or a commit, as in /diff main")?;
            quoted(&commit).into_owned()
        }
    };
    let path = match path.trim() {
        "" => String::new(),
        path => format!(" '{}'", path.replace('\'', "'\\''")),
    };
    let command = format!("{GIT_DIFF}{against} --{path}");
    Ok(Meaning::Intent(Intent::Command(OwnCommand {
        command,
        is_shared: false,
        typed: None,
        then: None,
        must_succeed: false,
    })))
}

/// What goes otherwise in a branch.
pub(super) fn whatif(words: &str) -> Read {
    BranchWish::read(words).map(|wish| Meaning::Request(Request::WhatIf(wish)))
}

/// A race; or, in the words of the command line, what is to be done with an earlier one.
pub(super) fn race(words: &str) -> Read {
    let (verb, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    match (verb, rest.trim()) {
        ("show", "") => return Ok(Meaning::Report(Subject::Race)),
        ("adopt", lane) if lane.is_empty() || lane.parse::<u64>().is_ok() => return adopt(lane),
        ("drop", "") => return Err("`countersign race drop` removes the branches of a race".to_owned()),
        _ => {}
    }
    RaceWish::read(words).map(|wish| Meaning::Request(Request::Race(wish)))
}

/// The lane whose result is taken.
pub(super) fn adopt(words: &str) -> Read {
    let lane =
        words.parse().map_err(|_other| "/adopt takes the number of a lane, as in /adopt 2".to_owned())?;
    Ok(Meaning::Request(Request::Adopt(lane)))
}

/// The session to put this one beside.
pub(super) fn compare(words: &str) -> Read {
    match words {
        "" => Err("/compare takes a session, as in /compare 0199".to_owned()),
        id => Ok(Meaning::Request(Request::Beside(id.to_owned()))),
    }
}

/// The file of `/export`.
pub(super) fn export(words: &str) -> Read {
    Ok(Meaning::Request(Request::Export(Some(words.to_owned()))))
}

/// `--base B`, or `B`.
pub(super) fn review(words: &str) -> Read {
    let base = words.strip_prefix("--base").map_or(words, |rest| rest.trim_start_matches('=')).trim();
    let base =
        revision(base).ok_or("/review --base takes a branch or a commit, as in /review --base main")?;
    Ok(Meaning::Review(Some(base)))
}

/// The name of a commit, if it can be one: no option, and nothing that a shell reads as anything else.
fn revision(words: &str) -> Option<String> {
    let fits = |c: char| c.is_alphanumeric() || "/._-~^@{}+".contains(c);
    let is_plain = !words.is_empty() && !words.starts_with('-') && words.chars().all(fits);
    is_plain.then(|| words.to_owned())
}

/// What the rows of the usage are about.
pub(super) fn usage(words: &str) -> Read {
    let by = UsageBy::parse(words).ok_or_else(|| format!("/usage {}", USAGE.join(" | ")))?;
    Ok(Meaning::Request(Request::AddUp(by)))
}

/// A level, or the vendor's own choice.
pub(super) fn effort(words: &str) -> Read {
    let level = match words {
        "" => return Err(format!("/effort {}", EFFORTS.join(" | "))),
        "default" => None,
        level => Some(Effort::parse(level)?),
    };
    Ok(Meaning::Intent(Intent::SetEffort(level)))
}

pub(super) fn mode(words: &str) -> Read {
    if words.is_empty() {
        return Err(format!("/mode {}", MODES.join(" | ")));
    }
    Mode::parse(words).map(|mode| Meaning::Intent(Intent::SetMode(mode)))
}

pub(super) fn model(words: &str) -> Read {
    if words.contains(char::is_whitespace) {
        return Err(MODEL.to_owned());
    }
    Ok(Meaning::Request(Request::ChooseModel(words.to_owned())))
}

/// A new goal, or the last one again.
pub(super) fn goal(words: &str) -> Read {
    if words.is_empty() {
        return Err(format!("/goal {}", goal::USAGE));
    }
    let (word, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    // A single word is no goal, and what people type then is the name of a file.
    if rest.is_empty() && is_called_a_file(word) {
        return Err(format!(
            "/goal takes the words of a goal, not a file; only `--goal` on the command line takes one: \
             countersign exec --goal {word}"
        ));
    }
    Ok(Meaning::Intent(match word {
        "resume" => Intent::ResumeGoal(rest.trim().into()),
        _ => Intent::Pursue(Box::new(goal::read(words)?), UserMessage::default()),
    }))
}

/// `revoke`, and the call with which something was granted: `c4`, or `4`; or a host. `host`, and one that commands in the
/// sandbox may reach.
pub(super) fn revoke(words: &str) -> Read {
    let mut words = words.split_whitespace();
    let call = |word: &str| CallId::parse(word).or_else(|| word.parse().ok().map(CallId));
    match (words.next(), words.next(), words.next()) {
        (Some("revoke"), None, None) => Ok(Meaning::Pick(Source::Grants)),
        (Some("gaps"), None, None) => Ok(Meaning::AcceptGaps),
        (Some("revoke"), Some("gaps"), None) => Ok(Meaning::Intent(Intent::RefuseGaps)),
        (Some("revoke"), Some(word), None) => Ok(Meaning::Intent(match call(word) {
            Some(call) => Intent::Revoke(call),
            None => Intent::CloseHost(host(word)?),
        })),
        (Some("host"), Some(word), None) => Ok(Meaning::Intent(Intent::OpenHost(host(word)?))),
        _ => Err(REVOKES.to_owned()),
    }
}

fn host(word: &str) -> Result<String, String> {
    let is_name = word.contains(['.', ':']) || word == "localhost";
    let host = NamedHost::parse(word).ok().filter(|_| is_name);
    host.map(|host| host.to_string()).ok_or_else(|| REVOKES.to_owned())
}

/// `stop`, and the id of a background command.
pub(super) fn stop(words: &str) -> Read {
    let words: Vec<&str> = words.split_whitespace().collect();
    match words[..] {
        ["stop"] => Ok(Meaning::Pick(Source::Shells)),
        ["stop", id] if BackgroundStatus::number_of(id).is_some() => {
            Ok(Meaning::Intent(Intent::StopBackground(id.to_owned())))
        }
        _ => Err("/shells stop needs the id of a command, as in /shells stop b1".to_owned()),
    }
}

/// `stop`, and the call of a sub-agent or the id of a background command.
pub(super) fn fleet(words: &str) -> Read {
    let usage = "/fleet stop takes the call of a sub-agent, as in /fleet stop c3";
    let (word, named) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let named = named.trim();
    if word != "stop" {
        return Err(usage.to_owned());
    }
    if named.is_empty() {
        return Ok(Meaning::Pick(Source::FleetStop));
    }
    if BackgroundStatus::number_of(named).is_some() {
        return Ok(Meaning::Intent(Intent::StopBackground(named.to_owned())));
    }
    let CallAddress { mut path, call } = CallAddress::parse(named).ok_or(usage)?;
    path.push(call);
    Ok(Meaning::Intent(Intent::Abort.within(&path)))
}

pub(super) fn theme(words: &str) -> Read {
    Ok(Meaning::Theme(words.to_owned()))
}

/// What is said of commands of the screen that mean nothing in lines.
pub(super) const NO_THEMES: &str = "themes: none here; nothing is coloured";
pub(super) const NO_COPY: &str =
    "copy: not here; /show ID and /output print text, which the terminal can copy";
pub(super) const NO_FOLDS: &str =
    "thinking: nothing is folded here; /show ID prints an answer with its reasoning";

pub(super) fn no_theme(_: &str) -> Read {
    Ok(Meaning::Linear(LinearCommand::NotHere(NO_THEMES)))
}

pub(super) fn find(words: &str) -> Read {
    Ok(Meaning::Find(words.to_owned()))
}

pub(super) fn output(words: &str) -> Read {
    let call = CallId::parse(words).ok_or("/output takes a call, as in /output c3")?;
    Ok(Meaning::Linear(LinearCommand::Output(Some(call))))
}

pub(super) fn show(words: &str) -> Read {
    let entry = EntryId::parse(words).map(LinearCommand::Show);
    let shown = entry.or_else(|| CallId::parse(words).map(LinearCommand::ShowCall));
    shown
        .map(Meaning::Linear)
        .ok_or_else(|| "/show takes an entry or a call, as in /show e12 or /show c3".to_owned())
}

pub(super) fn into(words: &str) -> Read {
    let call = CallId::parse(words).ok_or("/into takes the call of a sub-agent, as in /into c3")?;
    Ok(Meaning::Linear(LinearCommand::Into(call)))
}

pub(super) fn ledger(words: &str) -> Read {
    let entries = words.parse().ok().ok_or("/ledger takes a number of entries, as in /ledger 50")?;
    Ok(Meaning::Linear(LinearCommand::Ledger(entries)))
}

/// The number of a message, and how to go back to before it.
pub(super) fn rewind(words: &str) -> Read {
    let usage = || {
        "/rewind takes the number of a message, and conversation, files or both, as in /rewind 2 both"
            .to_owned()
    };
    let (number, way) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let number = number.parse().map_err(|_no_number| usage())?;
    let way = match way.trim() {
        "" => None,
        word => Some(RewindWay::parse(word).ok_or_else(usage)?),
    };
    Ok(Meaning::Linear(LinearCommand::Rewind(number, way)))
}

pub(super) fn later(words: &str) -> Read {
    if words.is_empty() {
        return Err("/later takes the words to say".to_owned());
    }
    Ok(Meaning::Intent(Intent::Queue(words.into())))
}

pub(super) fn keys(words: &str) -> Read {
    if words.is_empty() {
        return Err("/keys takes keys, as in /keys ctrl-c".to_owned());
    }
    let keys: Result<Vec<Chord>, String> = words.split_whitespace().map(Chord::parse).collect();
    Ok(Meaning::Linear(LinearCommand::Keys(keys?)))
}
