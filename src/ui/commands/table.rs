//! The table of commands. Lists, completion, palette, help and both front ends read it.

use std::sync::Arc;

use crate::agent::Intent;
use crate::ui::keymap::KeyAction;
use crate::ui::pages::budgets::BUDGETS;
use crate::ui::pages::fleet::FLEET;
use crate::ui::pages::help::Help;
use crate::ui::pages::permissions::PERMISSIONS;
use crate::ui::pages::plan::PLAN;
use crate::ui::pages::shells::SHELLS;
use crate::ui::pages::{Page, PageEntry};
use crate::ui::picker_source::Source;
use crate::ui::report::Subject;
use crate::ui::request::Request;
use crate::ui::usage_table::UsageBy;
use crate::view::View;

use super::arguments as read;
use super::meaning::{LinearCommand, Meaning};
use super::row::{Argument, Fronts, SlashCommand};

/// Entries that `/ledger` says without a number.
const LAST: usize = 20;

/// `/help`
const HELP: PageEntry = PageEntry { name: "help", open: help };

/// The page of help is given the table that it shows.
fn help(_: &View) -> Arc<dyn Page> {
    Arc::new(Help { commands: COMMANDS })
}

/// All commands, in the order of the lists: those of the screen, then those that only lines need. Of rows with the same
/// name, the one that exists in a single front end is asked first.
pub const COMMANDS: &[SlashCommand] = {
    use Argument::{Exactly, Line, None, Number, Optional, Required};
    use KeyAction as C;
    use LinearCommand as L;
    use Meaning::{
        Copy, Find, Init, Intent as Tell, Ledger, Linear, New, Page as Show, Pick, Quit, Report,
        Request as Ask, Thinking,
    };
    const fn row(name: &'static str, help: &'static str, argument: Argument) -> SlashCommand {
        SlashCommand::new(name, help, argument)
    }
    const fn lines(name: &'static str, help: &'static str, argument: Argument) -> SlashCommand {
        SlashCommand::new(name, help, argument).only(Fronts::Lines)
    }
    &[
        row("/adopt", "take what a lane of the race made", Required(read::adopt)).hint("LANE"),
        row("/agents", "the agents that tasks can be handed to", None(Report(Subject::Agents))),
        row("/budgets", "the budgets: used, limit, left", None(Show(BUDGETS))).key(C::Budgets),
        row("/compact", "replace the conversation with a summary", None(Tell(Intent::Compact))),
        row("/copy", "copy the last answer to the clipboard", None(Copy)).only(Fronts::Screen),
        row("/diff", "the files that this session changed", Optional(Report(Subject::Changes), read::diff))
            .more("git, or a commit, to run git diff")
            .hint("git"),
        row("/effort", "choose how hard the model thinks", Optional(Pick(Source::Efforts), read::effort))
            .more("LEVEL")
            .hint("LEVEL")
            .values(read::EFFORTS),
        row(
            "/export",
            "write the transcript to a file",
            Optional(Ask(Request::Export(Option::None)), read::export),
        )
        .more("FILE")
        .hint("FILE"),
        row(
            "/find",
            "find in the transcript; n and N: next, before",
            Optional(Find(String::new()), read::find),
        )
        .hint("WORDS")
        .key(C::Search),
        row("/fleet", "sub-agents, tasks and commands at work", Optional(Show(FLEET), read::fleet))
            .more("stop CALL")
            .hint("stop CALL"),
        row("/fork", "continue in a copy of this session", None(Ask(Request::Fork))),
        row("/goal", "work until a check passes", Required(read::goal))
            .more("OBJECTIVE | check: COMMAND, until it exits with 0; or: resume")
            .hint("OBJECTIVE | check: COMMAND"),
        row("/help", "keys and commands", None(Show(HELP))).key(C::Help),
        row("/init", "propose an AGENTS.md for this folder", None(Init)),
        row("/ledger", "the ledger, entry by entry", None(Ledger)).only(Fronts::Screen).key(C::Ledger),
        row("/mcp", "the MCP servers and their tools", None(Report(Subject::Servers))),
        row("/mode", "choose what runs without asking", Optional(Pick(Source::Modes), read::mode))
            .more("plan, ask, edit, auto, unrestricted")
            .hint("NAME")
            .values(read::MODES),
        row("/model", "choose a model", Optional(Pick(Source::Models), read::model))
            .more("NAME, as in PROVIDER/MODEL")
            .hint("NAME"),
        row("/new", "a new session; this one can be resumed", None(New)),
        row(
            "/permissions",
            "the rules in force, and what was granted",
            Optional(Show(PERMISSIONS), read::revoke),
        )
        .more("revoke, a grant; host NAME, for the sandbox")
        .hint("revoke, host NAME"),
        row("/plan", "the model's to-do list, item by item", None(Show(PLAN))),
        row("/quit", "leave", None(Quit)),
        row(
            "/race",
            "give one task to several sub-agents at once",
            Optional(Report(Subject::Race), read::race),
        )
        .more("TASK | check: COMMAND; without a task, how they stand")
        .hint("TASK | check: COMMAND"),
        row("/rename", "give this session a name", Required(read::rename)).more("NAME").hint("NAME"),
        row(
            "/review",
            "have the model review the uncommitted changes",
            Optional(Meaning::Review(Option::None), read::review),
        )
        .more("--base B, those since B")
        .hint("--base B"),
        row("/rewind", "go back to before one of your messages", None(Pick(Source::Rewind))),
        row("/sessions", "resume a session of this folder", None(Pick(Source::Sessions))),
        row("/shells", "the commands running in the background", Optional(Show(SHELLS), read::stop))
            .more("stop, to stop one")
            .hint("stop"),
        row("/skills", "the skills, and how each is called", None(Report(Subject::Skills))),
        row("/status", "this session, its model, folder and configuration", None(Report(Subject::Status)))
            .only(Fronts::Screen),
        row("/theme", "choose a theme", Optional(Pick(Source::Themes), read::theme))
            .only(Fronts::Screen)
            .more("NAME")
            .hint("NAME"),
        row("/thinking", "show or fold reasoning", None(Thinking)).only(Fronts::Screen).key(C::Thinking),
        row("/tree", "the branches of this session", None(Report(Subject::Tree))),
        row("/trust", "what this project's files may do", None(Report(Subject::Trust))),
        row(
            "/undo",
            "restore the files that the last turn changed",
            None(Ask(Request::PlanUndo(Option::None))),
        ),
        row(
            "/usage",
            "what all sessions have cost, by model",
            Optional(Ask(Request::AddUp(UsageBy::Model)), read::usage),
        )
        .more("BY, as in day, project or tool")
        .hint("BY")
        .values(read::USAGE),
        row("/whatif", "go on otherwise from an entry, in a branch", Required(read::whatif))
            .more("ENTRY, then deny REASON, allow, edit TEXT or model NAME")
            .hint("ENTRY deny REASON"),
        lines(
            "/compare",
            "what another session did otherwise, as in /compare 0199; /tree names the branches",
            Required(read::compare),
        )
        .hint("SESSION"),
        lines("/ledger", "the last N entries, a line each", Optional(Linear(L::Ledger(LAST)), read::ledger))
            .hint("N"),
        lines(
            "/show",
            "an entry whole, as in /show e12, or all entries of a call, as in /show c3",
            Required(read::show),
        )
        .hint("ID"),
        lines(
            "/output",
            "the whole output of a call, as in /output c3; by default the last one",
            Optional(Linear(L::Output(Option::None)), read::output),
        )
        .hint("ID"),
        lines("/into", "the session of a sub-agent, as in /into c3", Required(read::into)).hint("CALL"),
        lines("/back", "back from a sub-agent's session", None(Linear(L::Back))),
        lines("/status", "what the agent is doing now", None(Linear(L::Status))),
        lines("/later", "send this when the run is over", Required(read::later)).hint("WORDS"),
        lines("/send", "send the kept message", None(Linear(L::Send))),
        lines(
            "/undo",
            "after /undo, or /rewind with a number, has shown its plan: do it",
            Exactly("yes", Linear(L::Undo)),
        )
        .hint("yes"),
        lines(
            "/type",
            "type a line into the terminal of the running command; without words only enter",
            Line(|line| Linear(L::Type(line))),
        )
        .hint("WORDS"),
        lines("/keys", "press keys there, as in /keys ctrl-c or /keys esc up enter", Required(read::keys))
            .hint("KEYS"),
        lines("/raise", "after a budget stop: raise the limit and continue", None(Linear(L::Raise))),
        lines("/sessions", "", Number(|number| Linear(L::Session(number)))),
        lines("/model", "", Number(|number| Linear(L::Model(number)))),
        lines("/rewind", "", Optional(Pick(Source::Rewind), read::rewind)),
        // As other tools call them.
        row("/clear", "", None(New)).hint("begin a new session (as /new)"),
        row("/resume", "", None(Pick(Source::Sessions)))
            .hint("resume a session of this folder (as /sessions)"),
        row("/cost", "", None(Show(BUDGETS))).hint("the budgets: used, limit, left (as /budgets)"),
        row("/exit", "", None(Quit)).hint("leave (as /quit)"),
        lines("/theme", "", Optional(Linear(L::NotHere(read::NO_THEMES)), read::no_theme)),
        lines("/copy", "", None(Linear(L::NotHere(read::NO_COPY)))),
        lines("/thinking", "", None(Linear(L::NotHere(read::NO_FOLDS)))),
    ]
};
