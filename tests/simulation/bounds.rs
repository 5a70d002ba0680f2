//! The worlds that are walked: how large each is, what may happen in it, and the settings of its loop.

use crate::clocks::SECONDS;
use crate::timed::Scene;
use crate::{subagents, tasks};
use countersign::agent::Settings;
use countersign::budget::{Bound, Limit, Limits, TokenBudget};
use countersign::hooks::{HookPoint, HookSpec};
use countersign::ledger::ModelRef;
use countersign::model::{ModelSpec, Price, Rates};
use countersign::policy::{Mode, Policy};
use countersign::tool::{Discovered, SideEffect, ToolKind, ToolSpec};

/// Tools that may run at once.
pub const PARALLEL: u64 = 2;

/// How large the world is.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub submits: u32,
    pub escapes: u32,
    pub calls: u32,
    pub texts: u32,
    pub turns: u64,
    pub retries: u64,
    /// Tokens that the model is nudged to write in a run.
    pub token_budget: Option<u64>,
    /// Tokens of the window: a small one makes compactions due.
    pub window: u64,
    /// Also: what is mended. Compactions by hand, refused prompts, fallback, cut answers.
    pub mends: bool,
    /// Also: hooks at every point, with every kind of answer.
    pub hooks: bool,
    /// Also: goals, checked by a command or by a question.
    pub goals: bool,
    /// How often another model, or another effort, may be chosen.
    pub switches: u32,
    /// How often the arguments of a call that waits may be changed.
    pub edits: u32,
    /// Also: questions to the user.
    pub asks: bool,
    /// Also: rules that are taken with a call, and others than the one that was shown.
    pub rules: bool,
    /// How often what was granted for the session may be taken back, or what was not.
    pub revokes: u32,
    /// Also: tools that come from elsewhere, which the first model call waits for.
    pub discovers: bool,
    /// How often a person may type into the terminal of a call, running or not; then calls on terminals come too.
    pub typings: u32,
    /// Also: commands that go on in the background, and end by themselves at any moment, once or twice.
    pub backgrounds: bool,
    /// How often a person stops one of these.
    pub stops: u32,
    /// How often the user runs a command of their own, shared or not, or goes back to before a message, between runs and within
    /// one.
    pub commands: u32,
    /// How often people accept what the sandbox cannot hide, or do not any more; then two commands wait because of it.
    pub gaps: u32,
    /// How often the price of a request may be accepted, by enough or by too little; then each request is asked about.
    pub prices: u32,
    /// Also: tasks that go to another agent, which may name them.
    pub delegates: bool,
    /// Also: sub-agents, which spend what is set aside for them.
    pub subagents: bool,
    /// How it begins, if time matters in it.
    pub scene: Option<Scene>,
    /// Also: unknown tools, bad arguments, paths outside, stale answers, budgets, raises, modes, quitting.
    pub rare: bool,
}

impl Bounds {
    /// Calls, approvals, timers, retries.
    pub const SMALL: Self = Self {
        submits: 2,
        escapes: 1,
        calls: 2,
        texts: 1,
        turns: 3,
        retries: 1,
        token_budget: None,
        window: 128_000,
        mends: false,
        hooks: false,
        goals: false,
        switches: 0,
        edits: 0,
        asks: false,
        rules: false,
        revokes: 0,
        discovers: false,
        typings: 0,
        backgrounds: false,
        stops: 0,
        commands: 0,
        gaps: 0,
        prices: 0,
        delegates: false,
        subagents: false,
        scene: None,
        rare: false,
    };
    /// Compactions, fallback, retries, continuations: of answers, and of summaries.
    pub const MENDING: Self = Self { submits: 3, calls: 0, turns: 2, window: 30, mends: true, ..Self::SMALL };
    /// Hooks around one call.
    pub const HOOKED: Self = Self { submits: 1, calls: 1, turns: 2, hooks: true, ..Self::SMALL };
    /// Goals, their checkpoints, and how they stop.
    pub const GOALS: Self = Self { submits: 1, calls: 1, turns: 2, goals: true, ..Self::SMALL };
    /// Another model between runs and in their midst, beside a fallback.
    pub const SWITCHED: Self =
        Self { submits: 2, calls: 1, turns: 2, mends: true, switches: 2, ..Self::SMALL };
    /// Rules that are taken, and taken back while calls wait, run or are allowed and have not started.
    pub const REVOKED: Self = Self { submits: 1, turns: 2, rules: true, revokes: 1, ..Self::SMALL };
    /// Calls that wait and are changed, and questions that wait for words.
    pub const EDITED: Self = Self { submits: 1, turns: 2, edits: 2, asks: true, rules: true, ..Self::SMALL };
    /// Tools that come from elsewhere, at any moment.
    pub const DISCOVERING: Self = Self { calls: 1, turns: 2, discovers: true, ..Self::SMALL };
    /// Commands on terminals, typed into at any moment.
    pub const TYPED: Self = Self { submits: 1, calls: 1, texts: 0, turns: 2, typings: 2, ..Self::SMALL };
    /// Commands that go on in the background.
    pub const BACKGROUND: Self =
        Self { submits: 2, calls: 1, texts: 0, turns: 3, backgrounds: true, stops: 2, ..Self::SMALL };
    /// Commands that the user runs as their own.
    pub const OWN_COMMANDS: Self = Self { submits: 1, calls: 1, turns: 2, commands: 2, ..Self::SMALL };
    /// Commands that wait because of what the sandbox cannot hide.
    pub const GAPPED: Self =
        Self { submits: 1, calls: 0, texts: 0, turns: 2, retries: 0, gaps: 2, ..Self::SMALL };
    /// Requests that cost more than they may unasked: first ones, those after calls, and summaries.
    pub const PRICED: Self =
        Self { submits: 2, escapes: 1, calls: 1, texts: 0, turns: 2, retries: 0, prices: 4, ..Self::SMALL };
    /// Tasks that go to another agent.
    pub const DELEGATING: Self =
        Self { submits: 1, calls: 1, texts: 0, turns: 2, delegates: true, ..Self::SMALL };
    /// Sub-agents, waited for and in the background, and Esc once and twice.
    pub const SUBAGENTS: Self = Self {
        submits: 2,
        escapes: 2,
        texts: 0,
        turns: subagents::TURNS,
        retries: 0,
        subagents: true,
        ..Self::SMALL
    };
    /// Races of sub-agents that the user starts, and what they made taken into the folder.
    pub const RACES: Self = Self { submits: 1, commands: 2, ..Self::SUBAGENTS };
    /// The same, for long walks.
    pub const MANY_SUBAGENTS: Self = Self { submits: 40, escapes: 30, commands: 6, ..Self::SUBAGENTS };
    /// Sub-agents, calls that wait for people and a limit on the time; it begins in the midst of a run.
    pub const CLOCKED: Self = Self { submits: 3, escapes: 3, ..Self::SUBAGENTS };
    /// Everything at once, for long walks.
    pub const WIDE: Self = Self {
        submits: 40,
        escapes: 40,
        calls: 4,
        texts: 2,
        turns: 4,
        retries: 2,
        token_budget: None,
        window: 200,
        mends: true,
        hooks: true,
        goals: true,
        switches: 20,
        edits: 20,
        asks: true,
        rules: true,
        revokes: 20,
        discovers: true,
        typings: 200,
        backgrounds: true,
        stops: 20,
        commands: 8,
        gaps: 0,
        prices: 0,
        delegates: true,
        subagents: false,
        scene: None,
        rare: true,
    };
}

const TOOLS: [(&str, SideEffect); 5] = [
    ("read", SideEffect::Reads),
    ("write", SideEffect::Writes),
    ("shell", SideEffect::Runs),
    ("ask", SideEffect::Reads),
    (DELEGATE, SideEffect::Sends),
];

/// The tool that comes from elsewhere.
pub const FROM_ELSEWHERE: &str = "mcp__there__send";

/// What a command is called with that is to run on a terminal.
pub const ON_TERMINAL: &str = "{\"command\": \"vi\", \"pty\": true}";

/// The tool that hands a task to another agent, and what it is called with.
pub const DELEGATE: &str = "delegate_to_writer";
pub const A_TASK: &str = "{\"task\": \"write it\"}";

/// What is found there.
pub(crate) fn found() -> Discovered {
    let tools = vec![tool(FROM_ELSEWHERE, SideEffect::Sends)];
    Discovered {
        tools,
        missing: vec!["The server of the other tools keeps silent.".to_owned()],
        ..Discovered::default()
    }
}

fn tool(name: &str, effect: SideEffect) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: String::new(),
        schema: serde_json::json!({}),
        effect,
        paths: if effect == SideEffect::Writes { vec!["path".into()] } else { Vec::new() },
        timeout_ms: None,
        kind: match name {
            "shell" => ToolKind::Shell,
            "ask" => ToolKind::Question,
            "fetch" => ToolKind::Fetch,
            other => ToolSpec::from_elsewhere(other).kind,
        },
        retrieves: false,
    }
}

pub(crate) fn settings(bounds: Bounds) -> Settings {
    Settings {
        session: "simulated".into(),
        cwd: "/w".into(),
        discovers: bounds.discovers,
        tools: tools(bounds),
        subagents: subagents::known(bounds),
        reserves: tasks::reserves(bounds),
        policy: Policy {
            has_sandbox: true,
            mode: if bounds.gaps > 0 { Mode::Auto } else { Policy::default().mode },
            ..Policy::default()
        },
        limits: subagent_limits(bounds)
            .with(Limit::Turns, bounds.turns)
            .with(Limit::WallTime, bounds.scene.map(|_| SECONDS).or(bounds.rare.then_some(60)))
            .with(Limit::ToolCalls, tool_calls(bounds))
            .bounded(Bound::ParallelCalls, PARALLEL)
            .bounded(Bound::ModelRetries, bounds.retries),
        fallback: if bounds.mends { vec![spec("second", bounds)] } else { Vec::new() },
        hooks: if bounds.hooks { HookPoint::ALL.iter().copied().map(listener).collect() } else { Vec::new() },
        token_budget: bounds.token_budget.map(TokenBudget::of),
        ask_above: (bounds.prices > 0).then_some(0),
        seed: 7,
        ..Settings::new(spec("script", bounds))
    }
}

/// One that starts a sub-agent is there only where that may happen.
fn tools(bounds: Bounds) -> Vec<ToolSpec> {
    let mut tools = TOOLS.map(|(name, effect)| tool(name, effect)).to_vec();
    if bounds.subagents {
        tools.push(ToolSpec { kind: ToolKind::Subagent, ..tool(subagents::SUBAGENT, SideEffect::Reads) });
    }
    tools
}

fn tool_calls(bounds: Bounds) -> Option<u64> {
    let of_subagents = subagents::LIMITS.iter().find(|(limit, _)| *limit == Limit::ToolCalls);
    of_subagents.filter(|_| bounds.subagents).map(|(_, most)| *most).or(bounds.rare.then_some(7))
}

fn subagent_limits(bounds: Bounds) -> Limits {
    let all = Limits::default();
    if !bounds.subagents {
        return all.with(Limit::Cost, bounds.delegates.then_some(tasks::COST));
    }
    subagents::LIMITS.iter().fold(all, |all, (limit, most)| all.with(*limit, *most))
}

fn listener(point: HookPoint) -> HookSpec {
    HookSpec { point, command: "hear".into(), timeout_ms: 1_000, matcher: vec![] }
}

pub(crate) fn spec(name: &str, bounds: Bounds) -> ModelSpec {
    let price = (bounds.prices > 0).then(|| Price::flat(Rates { input: 1_000_000_000, ..Rates::default() }));
    ModelSpec { window: bounds.window, price, ..ModelSpec::unknown(ModelRef::parse(name)) }
}

/// Whether the loop waits for hooks at this point. The others are fired and forgotten: they may outlive the run.
pub fn is_waited_for(point: HookPoint) -> bool {
    matches!(
        point,
        HookPoint::SessionStart
            | HookPoint::UserPrompt
            | HookPoint::PreTool
            | HookPoint::PostTool
            | HookPoint::Stop
    )
}
