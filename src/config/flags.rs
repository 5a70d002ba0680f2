//! What flags say: settings of the configuration, not yet their meaning.

use clap::Args as ClapArgs;

use super::Given;

/// The flags; all but `-C` are also keys of the configuration. Values are read where the configuration is, so that
/// a wrong one is told in the same words.
#[derive(Debug, Clone, Default, PartialEq, Eq, ClapArgs)]
pub struct Flags {
    /// Who answers, as in anthropic/NAME, ollama/NAME or rehearsal; `countersign models` lists them
    #[arg(short, long, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,

    /// How hard the model thinks: none, minimal, low, medium, high, xhigh or max, as far as it takes them
    #[arg(long, value_name = "LEVEL")]
    pub effort: Option<String>,

    /// Who answers when that model fails for good; repeatable, in this order
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub fallback: Vec<String>,

    /// Work in this folder
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub cd: Option<std::path::PathBuf>,

    /// How much may be done without a question: plan, ask, edit, auto or unrestricted
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,

    /// Most model calls of one run
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_turns: Option<String>,

    /// Most tool calls of one run
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_tool_calls: Option<String>,

    /// Most seconds of one run; waiting for you does not count
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_seconds: Option<String>,

    /// Most prompt tokens of one run
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_input_tokens: Option<String>,

    /// Most written tokens of one run
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub max_output_tokens: Option<String>,

    /// Most cost of the session, in US dollars
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub max_cost: Option<String>,

    /// Tokens to be written in one run: after an answer it is nudged to go on until most of them are used
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub token_budget: Option<String>,

    /// How tools are offered: native, string or auto
    #[arg(long, value_name = "HOW")]
    pub tools: Option<String>,

    /// Scripted answers in the place of a model
    #[arg(long, value_name = "FILE-or-JSON")]
    pub script: Option<String>,

    /// Work until a goal's done condition holds: a file with the objective, `check: COMMAND` or `done: QUESTION`
    #[arg(long, value_name = "FILE")]
    pub goal: Option<std::path::PathBuf>,

    /// Allow without a question, as in 'shell(cargo test *)'; repeatable
    #[arg(long, value_name = "RULE")]
    pub allow: Vec<String>,

    /// Refuse; wins over the others; repeatable
    #[arg(long, value_name = "RULE")]
    pub deny: Vec<String>,

    /// Ask; wins over allow; repeatable
    #[arg(long, value_name = "RULE")]
    pub ask: Vec<String>,

    /// Set any key of the configuration; VALUE is TOML or a plain text; repeatable
    #[arg(short = 'c', value_name = "KEY=VALUE")]
    pub config: Vec<String>,

    /// Which theme
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,

    /// Lines of words instead of a screen: nothing is drawn twice; TERM=dumb chooses it too
    #[arg(long)]
    pub screen_reader: bool,
}

impl Flags {
    /// These flags, and `later` ones over them: single values are replaced, repeatable ones add up. A deny rule
    /// before the command is not lost to one after it.
    pub fn then(self, later: Self) -> Self {
        let joined = |mut earlier: Vec<String>, later: Vec<String>| {
            earlier.extend(later);
            earlier
        };
        Self {
            model: later.model.or(self.model),
            effort: later.effort.or(self.effort),
            fallback: joined(self.fallback, later.fallback),
            cd: later.cd.or(self.cd),
            mode: later.mode.or(self.mode),
            max_turns: later.max_turns.or(self.max_turns),
            max_tool_calls: later.max_tool_calls.or(self.max_tool_calls),
            max_seconds: later.max_seconds.or(self.max_seconds),
            max_input_tokens: later.max_input_tokens.or(self.max_input_tokens),
            max_output_tokens: later.max_output_tokens.or(self.max_output_tokens),
            max_cost: later.max_cost.or(self.max_cost),
            token_budget: later.token_budget.or(self.token_budget),
            tools: later.tools.or(self.tools),
            script: later.script.or(self.script),
            goal: later.goal.or(self.goal),
            allow: joined(self.allow, later.allow),
            deny: joined(self.deny, later.deny),
            ask: joined(self.ask, later.ask),
            config: joined(self.config, later.config),
            theme: later.theme.or(self.theme),
            screen_reader: later.screen_reader || self.screen_reader,
        }
    }

    /// The flags as settings of the configuration.
    pub fn given(&self) -> Vec<Given> {
        let screen_reader = self.screen_reader.then(|| true.to_string());
        let single = [
            ("-m", "model", &self.model),
            ("--effort", "effort", &self.effort),
            ("--mode", "mode", &self.mode),
            ("--max-turns", "budget.max_model_turns", &self.max_turns),
            ("--max-tool-calls", "budget.max_tool_calls", &self.max_tool_calls),
            ("--max-seconds", "budget.max_wall_time_seconds", &self.max_seconds),
            ("--max-input-tokens", "budget.max_input_tokens", &self.max_input_tokens),
            ("--max-output-tokens", "budget.max_output_tokens", &self.max_output_tokens),
            ("--max-cost", "budget.max_total_cost", &self.max_cost),
            ("--token-budget", "budget.token_budget", &self.token_budget),
            ("--tools", "loop.tools", &self.tools),
            ("--script", "script", &self.script),
            ("--theme", "theme", &self.theme),
            ("--screen-reader", "screen_reader", &screen_reader),
        ];
        let many = [
            ("--fallback", "fallback", &self.fallback),
            ("--allow", "allow", &self.allow),
            ("--deny", "deny", &self.deny),
            ("--ask", "ask", &self.ask),
        ];
        let pairs = self.config.iter().cloned().map(Given::Pair);
        let single = single.into_iter().filter_map(|(flag, key, value)| Some((flag, key, value.clone()?)));
        let many =
            many.into_iter().flat_map(|(flag, key, all)| all.iter().map(move |one| (flag, key, one.clone())));
        pairs.chain(single.chain(many).map(|(flag, key, value)| Given::Flag { flag, key, value })).collect()
    }
}
