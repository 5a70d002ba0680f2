//! A story as it is written: remarks, settings, and what happens, one line after the other.

use countersign::agent::{Answer, Intent, Settings};
use countersign::budget::Limit;
use countersign::goal;
use countersign::hooks::{HookAnswer, HookDecision};
use countersign::ledger::{
    Abort, AbortPath, Arguments, CallId, CutBy, Decider, Goal, Outcome, RemoteTask, Scope, TaskState,
};
use countersign::model::Effort;
use countersign::policy::Mode;
use countersign::tool::{Preparation, Shown, ToolReport};

use crate::legacy_facts;
use crate::notation::{duration, number, parts, quoted, word};
use crate::settings::settings;

/// A story: who is there, and what happens.
pub struct Story {
    pub settings: Settings,
    /// Looks are answered by the story's own lines alone.
    pub looks_are_told: bool,
    pub acts: Vec<(String, Act)>,
    /// What the product must learn before the ledger says what is written below the line.
    pub awaits: Option<String>,
}

/// One thing that happens.
pub enum Act {
    Submit(String),
    Queue(String),
    Pursue(Box<Goal>),
    ResumeGoal(String),
    /// What the current model says; the notation is read when it is said.
    Model(String),
    /// What a cancelled model still says.
    LateModel(String),
    /// What the look finds: paths outside, where a path leads, what a sandbox could not hide, or that the arguments are not valid.
    Look(String, Box<Preparation>),
    Decide(String, Answer),
    /// A wish about a call: take back what was granted with it, accept what its question says of the sandbox.
    About(String, Box<dyn Fn(CallId) -> Intent>),
    /// A decision about the request that stood before the call was changed.
    DecideOld(String, Answer),
    Tool(String, ToolReport),
    /// What the hooks say that are waited for.
    Hooks(Vec<HookAnswer>),
    Esc,
    /// The next timer fires, when its time has come.
    Timer,
    Wait(u64),
    Compact,
    /// A limit is raised, or a price accepted.
    GoOn(Intent),
    Mode(Mode),
    /// Another model: its name, and what is different about it.
    Switch(String),
    Effort(Option<Effort>),
    /// The process dies; the log so far is loaded again, in another mode if one is named.
    Kill(Option<Mode>),
    /// The app is closed, and opened again.
    Quit,
    /// The user types into the terminal of a call.
    Type(String, String),
    /// A background command that a call began has ended by itself: which one, how, after how many seconds.
    Ended(String, u64, String),
    /// A call shows something before it is over: text, or what another agent calls its task.
    Output(String, Shown),
    /// Writes down what the last request held.
    Sees,
    /// Writes down which tools the last request held.
    Tools,
}

impl Story {
    /// Reads the upper half of a file.
    pub fn read(text: &str) -> Result<Self, String> {
        let (mut header, mut acts, mut awaits) = (Vec::new(), Vec::new(), None);
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("# ")) {
            if line.starts_with("settings: ") || line.starts_with("rule: ") {
                header.push(line);
            } else if let Some(what) = line.strip_prefix("awaits: ") {
                awaits = Some(what.to_owned());
            } else if line.starts_with("> ") || line.starts_with("model: ") {
                acts.push((line.to_owned(), act(line)?));
            } else {
                for part in parts(line, " · ") {
                    acts.push((part.to_owned(), act(part)?));
                }
            }
        }
        let (settings, looks_are_told) = settings(&header)?;
        Ok(Self { settings, looks_are_told, acts, awaits })
    }
}

fn act(line: &str) -> Result<Act, String> {
    let (verb, rest) = word(line);
    let words = || quoted(rest).map(|(words, _)| words);
    Ok(match verb {
        ">" => message(rest)?,
        "steer" => Act::Submit(words()?),
        "queue" => Act::Queue(words()?),
        "model:" => Act::Model(rest.to_owned()),
        "late" => Act::LateModel(rest.strip_prefix("model: ").ok_or("late what?")?.to_owned()),
        "look" => look(rest)?,
        "allow" => Act::Decide(rest.to_owned(), Answer::AllowOnce),
        "revoke" if rest == "gaps" => Act::GoOn(Intent::RefuseGaps),
        "revoke" => Act::About(rest.to_owned(), Box::new(Intent::Revoke)),
        "gaps" => accepts(rest)?,
        "session" => Act::Decide(rest.to_owned(), Answer::AllowSession),
        "sandboxed" => Act::Decide(rest.to_owned(), Answer::AllowSandboxed),
        "old" => match act(rest)? {
            Act::Decide(name, answer) => Act::DecideOld(name, answer),
            _ => return Err(format!("`{rest}` decides nothing")),
        },
        "always" => {
            let (name, rule) = word(rest);
            Act::Decide(name.to_owned(), Answer::Always { rule: rule.to_owned(), scope: Scope::Session })
        }
        "reply" => {
            let (name, words) = word(rest);
            Act::Decide(name.to_owned(), Answer::Reply(quoted(words)?.0))
        }
        "edit" => {
            let (name, arguments) = word(rest);
            Act::Decide(name.to_owned(), Answer::Edit(Arguments::parse(arguments)))
        }
        "deny" | "nobody" => {
            let answer = if verb == "deny" { Answer::Deny } else { Answer::Nobody };
            let (name, reason) = word(rest);
            Act::Decide(name.to_owned(), answer(quoted(reason)?.0))
        }
        "tool" => {
            let (name, end) = named(rest)?;
            Act::Tool(name.to_owned(), report(end)?)
        }
        "hooks" => Act::Hooks(hooks(rest)?),
        "ESC" => Act::Esc,
        "timer" => Act::Timer,
        "wait" => Act::Wait(duration(rest)?),
        "/compact" => Act::Compact,
        "raise" => raise(rest)?,
        "accept" => Act::GoOn(Intent::AcceptPrice { up_to: number(rest)? }),
        "mode" => Act::Mode(Mode::parse(rest)?),
        "switch" => Act::Switch(rest.to_owned()),
        "effort" => Act::Effort(if rest == "default" { None } else { Some(Effort::parse(rest)?) }),
        "kill" => Act::Kill(rest.strip_prefix("as ").map(Mode::parse).transpose()?),
        "quit" => Act::Quit,
        "type" => typed(rest)?,
        "named" => task(rest),
        "prints" => prints(rest)?,
        "ended" => ended(rest)?,
        "sees" => Act::Sees,
        "tools" => Act::Tools,
        _ => return Err(format!("`{line}` is nothing that can happen")),
    })
}

/// `> words`, `> /goal OBJECTIVE …`, `> /goal resume words`.
fn message(rest: &str) -> Result<Act, String> {
    Ok(match rest.strip_prefix("/goal ") {
        Some(words) => match words.strip_prefix("resume") {
            Some(added) => Act::ResumeGoal(added.trim().to_owned()),
            None => Act::Pursue(Box::new(goal::read(words)?)),
        },
        None => Act::Submit(rest.to_owned()),
    })
}

/// `hooks pass`, `hooks block "why"`, `hooks prevent "why"`; of several one after the other.
fn hooks(mut rest: &str) -> Result<Vec<HookAnswer>, String> {
    let mut said = Vec::new();
    while !rest.is_empty() {
        let (what, words) = word(rest);
        if what == "pass" {
            said.push(HookAnswer::default());
            rest = words;
            continue;
        }
        let (words, after) = quoted(words)?;
        said.push(match what {
            "block" => HookAnswer {
                decision: Some(HookDecision::Deny),
                reason: Some(words),
                ..HookAnswer::default()
            },
            "prevent" => HookAnswer { prevent: Some(words), ..HookAnswer::default() },
            other => return Err(format!("a hook cannot say `{other}`")),
        });
        rest = after;
    }
    Ok(said)
}

fn look(rest: &str) -> Result<Act, String> {
    let (name, found) = named(rest)?;
    let mut look = Preparation::default();
    if let Some(why) = found.strip_prefix("invalid") {
        look.invalid = Some(quoted(why.trim())?.0);
    } else {
        let (found, gap) = found.split_once("gap: ").map_or((found, None), |(f, gap)| (f, Some(gap)));
        let (found, leads_to) = found.split_once("leads to ").map_or((found, None), |(f, to)| (f, Some(to)));
        look.leads_to = leads_to.map(str::to_owned).into_iter().collect();
        let (_, paths) = found.split_once("outside").unwrap_or((found, ""));
        look.outside = paths.split_whitespace().map(str::to_owned).collect();
        look.gaps = gap.into_iter().flat_map(|gaps| gaps.split(", ")).map(str::to_owned).collect();
    }
    Ok(Act::Look(name.to_owned(), Box::new(look)))
}

/// `gaps NAME: what the person has read, …`
fn accepts(rest: &str) -> Result<Act, String> {
    let (name, read) = named(rest)?;
    let gaps: Vec<String> = read.split(", ").map(str::to_owned).collect();
    let accepts = move |call| Intent::AcceptGaps { call: Some(call), gaps: gaps.clone() };
    Ok(Act::About(name.to_owned(), Box::new(accepts)))
}

/// `type NAME "keys"`
fn typed(rest: &str) -> Result<Act, String> {
    let (name, words) = word(rest);
    Ok(Act::Type(name.to_owned(), quoted(words)?.0))
}

/// `ended NAME NUMBER "how"`
fn ended(rest: &str) -> Result<Act, String> {
    let (name, rest) = word(rest);
    let (of, how) = word(rest);
    Ok(Act::Ended(name.to_owned(), number(of)?, quoted(how)?.0))
}

/// `named NAME ID`
fn task(rest: &str) -> Act {
    let (name, id) = word(rest);
    Act::Output(name.to_owned(), Shown::Task(id.to_owned()))
}

/// `prints TOOL "words"`
fn prints(rest: &str) -> Result<Act, String> {
    let (name, words) = word(rest);
    Ok(Act::Output(name.to_owned(), Shown::Text(quoted(words)?.0)))
}

/// `raise LIMIT N`
fn raise(rest: &str) -> Result<Act, String> {
    let (name, to) = word(rest);
    let limit = Limit::parse(name).ok_or_else(|| format!("`{name}` is no limit"))?;
    Ok(Act::GoOn(Intent::Raise { limit, to: number(to)? }))
}

fn named(rest: &str) -> Result<(&str, &str), String> {
    let (name, what) = rest.split_once(':').ok_or_else(|| format!("`{rest}` should be like NAME: …"))?;
    Ok((name, what.trim()))
}

fn report(end: &str) -> Result<ToolReport, String> {
    let (how, rest) = word(end);
    let (outcome, transient) = match how {
        "ok" => (Outcome::Ok, false),
        "failed" => (Outcome::Failed, false),
        "transient" => (Outcome::Failed, true),
        "refused" => (Outcome::Failed, false),
        "timed_out" => (Outcome::TimedOut, true),
        // What a tool may claim, but not decide.
        "denied" => (Outcome::Denied(Decider::User), false),
        "aborted" => (
            Outcome::Aborted(Abort { path: AbortPath::B, ran_ms: None, by: CutBy::User, within: None }),
            false,
        ),
        "unstarted" => (Outcome::Lost { started: false }, false),
        "unknown" => (Outcome::UnknownTool, false),
        "unclear" => (Outcome::Lost { started: true }, false),
        other => return Err(format!("a tool cannot end `{other}`")),
    };
    let (content, rest) = quoted(rest)?;
    // `task ID STATE`: what another agent calls the task, and where it stands.
    let remote = rest.trim().strip_prefix("task ").map(|told| {
        let (id, state) = word(told);
        let state = TaskState::parse(state).ok_or_else(|| format!("`{state}` is no state of a task"))?;
        Ok::<_, String>(RemoteTask { id: Some(id.to_owned()), state })
    });
    Ok(ToolReport {
        facts: legacy_facts::facts("shell", &outcome, &content),
        outcome,
        content,
        written: None,
        cut_chars: 0,
        images: vec![],
        transient,
        refused: how == "refused",
        remote: remote.transpose()?,
        is_unsent: false,
    })
}
