//! What flags say: settings of the configuration, not yet their meaning.

use std::collections::BTreeMap;

use clap::{Arg, ArgMatches, Args as ClapArgs, Command, FromArgMatches};

use super::CommandLineSetting;
use crate::budget::{Limit, Unit};

/// The flags; all but `-C` are also keys of the configuration. Values are read where the configuration is, so that
/// a wrong one is told in the same words.
#[derive(Debug, Clone, Default, PartialEq, Eq, ClapArgs)]
pub struct Flags {
    /// The model, such as anthropic/NAME, ollama/NAME or rehearsal; `countersign models` lists them
    #[arg(short, long, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,

    /// How hard the model thinks: none, minimal, low, medium, high, xhigh or max, if the model supports it
    #[arg(long, value_name = "LEVEL")]
    pub effort: Option<String>,

    /// Model to use when the previous one fails permanently; may be repeated, tried in order
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub fallback: Vec<String>,

    /// Work in this folder
    #[arg(short = 'C', long = "cd", value_name = "DIR")]
    pub cd: Option<std::path::PathBuf>,

    /// What runs without asking: plan, ask, edit, auto or unrestricted
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,

    /// The limits
    #[command(flatten)]
    pub limits: LimitFlags,

    /// How tools are offered: native, string or auto
    #[arg(long, value_name = "HOW")]
    pub tools: Option<String>,

    /// Scripted answers instead of a model
    #[arg(long, value_name = "FILE-or-JSON")]
    pub script: Option<String>,

    /// Work until a goal's done condition holds: a file with the objective, `check: COMMAND` or `done: QUESTION`
    #[arg(long, value_name = "FILE")]
    pub goal: Option<std::path::PathBuf>,

    /// Allow without asking, as in 'shell(cargo test *)'; may be repeated
    #[arg(long, value_name = "RULE")]
    pub allow: Vec<String>,

    /// Deny; takes precedence over the others; may be repeated
    #[arg(long, value_name = "RULE")]
    pub deny: Vec<String>,

    /// Ask; takes precedence over allow; may be repeated
    #[arg(long, value_name = "RULE")]
    pub ask: Vec<String>,

    /// Set any configuration key; VALUE is TOML or plain text; may be repeated
    #[arg(short = 'c', value_name = "KEY=VALUE")]
    pub config: Vec<String>,

    /// The color theme
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,

    /// Print plain lines instead of drawing a screen, for screen readers and logs (implied by TERM=dumb)
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
            limits: self.limits.then(later.limits),
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
    pub fn given(&self) -> Vec<CommandLineSetting> {
        let screen_reader = self.screen_reader.then(|| true.to_string());
        let first = [
            ("-m", "model", &self.model),
            ("--effort", "effort", &self.effort),
            ("--mode", "mode", &self.mode),
        ];
        let then = [
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
        let pairs = self.config.iter().cloned().map(CommandLineSetting::Pair);
        let typed = |(flag, key, value): Single<'_>| Some((flag, key, value.clone()?));
        let limits = self.limits.given();
        let single =
            first.into_iter().filter_map(typed).chain(limits).chain(then.into_iter().filter_map(typed));
        let many =
            many.into_iter().flat_map(|(flag, key, all)| all.iter().map(move |one| (flag, key, one.clone())));
        pairs
            .chain(single.chain(many).map(|(flag, key, value)| CommandLineSetting::Flag { flag, key, value }))
            .collect()
    }
}

/// A flag, its key, and what was typed.
type Single<'f> = (&'static str, &'static str, &'f Option<String>);

/// The flags of the limits, as they were typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LimitFlags(BTreeMap<Limit, String>);

impl LimitFlags {
    /// One flag.
    pub fn of(limit: Limit, value: &str) -> Self {
        Self(BTreeMap::from([(limit, value.to_owned())]))
    }

    fn then(mut self, later: Self) -> Self {
        self.0.extend(later.0);
        self
    }

    fn given(&self) -> impl Iterator<Item = (&'static str, &'static str, String)> {
        self.0.iter().map(|(limit, value)| (limit.row().flag, limit.row().key, value.clone()))
    }
}

/// The name by which clap knows the flag of a limit.
fn long(limit: Limit) -> &'static str {
    limit.row().flag.trim_start_matches('-')
}

impl FromArgMatches for LimitFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let typed = |limit: Limit| Some((limit, matches.get_one::<String>(long(limit))?.clone()));
        Ok(Self(Limit::ALL.iter().filter_map(|limit| typed(*limit)).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.extend(Self::from_arg_matches(matches)?.0);
        Ok(())
    }
}

impl ClapArgs for LimitFlags {
    fn augment_args(command: Command) -> Command {
        Limit::ALL.iter().fold(command, |command, limit| {
            let unit = if limit.unit() == Unit::MicroDollars { "USD" } else { "N" };
            let flag = Arg::new(long(*limit)).long(long(*limit)).help(limit.row().help);
            command.arg(flag.value_name(unit).allow_negative_numbers(true))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct TypedFlags {
        #[command(flatten)]
        flags: Flags,
    }

    #[test]
    fn each_limit_has_a_flag_that_stands_for_its_key() {
        for limit in Limit::ALL {
            let typed = ["countersign", "--mode", "plan", limit.row().flag, "-7"];
            let flags = TypedFlags::try_parse_from(typed).unwrap().flags;
            let given: Vec<CommandLineSetting> = flags.given().into_iter().skip(1).collect();
            let (flag, key) = (limit.row().flag, limit.row().key);
            assert_eq!(given, [CommandLineSetting::Flag { flag, key, value: "-7".to_owned() }]);
            let later = Flags { limits: LimitFlags::of(*limit, "8"), ..Flags::default() };
            assert_eq!(flags.then(later).limits, LimitFlags::of(*limit, "8"), "the later one holds");
        }
    }
}
