//! A key of the configuration: all that there is to know of one stands in one row. The rows are listed by subject.

mod all;
mod behaviour;
mod budget;
mod find;
mod git;
mod network;
mod providers;
mod runs;
mod sessions;
mod telemetry;

use std::fmt;

use super::source::Source;
use super::value::Written;
use super::{AgentEntry, Config, Facts, McpEntry, Provider};
use crate::budget::{Bound, Limit};
use crate::ledger::MicroDollars;
use crate::policy::RuleKind;

pub(super) use all::rows;
pub(super) use find::{KeyPath, find};

/// One key.
pub(super) struct KeyRow {
    /// Its path; `*` stands for a name that the user chooses. Its origin is kept, and it is shown, by this path.
    pub(super) path: &'static str,
    /// Other paths that lead to it.
    pub(super) aliases: &'static [&'static str],
    /// What it takes, how that is set, and how it is shown.
    pub(super) value: KeyValue,
    /// When a value of a project's file holds without anybody's trust.
    pub(super) tightens: Tightens,
    /// Whether trust in a project reaches it.
    pub(super) owner: Owner,
    /// What a project asks for with a value that needs trust, each as a verb and to what; `None`: it loosens the key.
    pub(super) asks: Option<Asks>,
}

/// One key that was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) row: &'static KeyRow,
    /// The names that stand for the key's `*`.
    pub(super) names: Vec<String>,
    /// The whole path, as TOML writes it.
    pub(super) path: String,
    pub(super) value: Written,
    /// On the command line: the value's own letters, for keys that take any text.
    pub(super) letters: Option<String>,
    pub(super) source: Source,
}

impl Setting {
    /// As it would be written on a line of its own.
    pub(super) fn written(&self) -> String {
        format!("{} = {}", self.path, self.value.shown())
    }
}

/// What is wrong, and where: a sentence that begins with the place.
pub(super) type Wrong = String;

/// The configuration before and after, and the setting that does it.
type Asks = fn(&Config, &Config, &Setting) -> Vec<(&'static str, String)>;

/// What a key takes, with the place that it has in the configuration.
pub(super) enum KeyValue {
    /// `true` or `false`.
    Switch {
        /// How it is read.
        get: fn(&Config) -> bool,
        /// How it is set.
        set: fn(&mut Config, bool),
    },
    /// A whole number.
    Count {
        /// The least that it may be.
        least: u64,
        /// The most that it may be.
        most: u64,
        /// How it is read; `None` where it is not set.
        get: fn(&Config) -> Option<u64>,
        /// How it is set.
        set: fn(&mut Config, u64),
    },
    /// An amount of money that may be unset.
    Dollars {
        /// How it is read; `None` where it is not set.
        get: fn(&Config) -> Option<MicroDollars>,
        /// How it is set.
        set: fn(&mut Config, MicroDollars),
    },
    /// A limit that ends a run.
    Limit(Limit),
    /// A bound that shapes one.
    Bound(Bound),
    /// A text or several, which a command line may give without quotes.
    Letters {
        /// How it is shown, as TOML; `None` where it is not set.
        get: fn(&Config) -> Option<String>,
        /// How it is read and set; the error is a sentence without its place.
        set: fn(&mut Config, &Setting) -> Result<(), String>,
    },
    /// Rules of a kind.
    Rules(RuleKind),
    /// The hooks of a point.
    Hooks,
    /// What is said of a provider.
    Provider(Member<Provider>),
    /// What is said of an MCP server.
    Mcp(Member<McpEntry>),
    /// What is said of an A2A agent.
    Agent(Member<AgentEntry>),
    /// What the user knows about a model.
    Fact(Fact),
}

/// Values as TOML writes them, of a table each member by its name.
pub(super) type Literals<'p> = Vec<(Option<&'p str>, String)>;

/// A key of something that the user names.
pub(super) enum Member<P> {
    /// One that takes texts, which a command line may give without quotes.
    Letters {
        /// How it is set; the names are those that follow the first.
        set: fn(&mut P, &[String], &Written) -> Result<(), String>,
        /// Its value as TOML, of a table each member by its name; what may be a key of somebody's is hidden.
        get: fn(&P) -> Literals<'_>,
    },
    /// A table of numbers, each as TOML writes it.
    Numbers {
        /// How one is set; the names are those that follow the first.
        set: fn(&mut P, &[String], &Written) -> Result<(), String>,
        /// Each by its name, as TOML.
        get: fn(&P) -> Literals<'_>,
    },
    /// `true` or `false`.
    Switch {
        /// How it is set.
        set: fn(&mut P, bool),
        /// How it is read; `None` where it is not set.
        get: fn(&P) -> Option<bool>,
    },
    /// A number from 1 on.
    Count {
        /// The most that it may be.
        most: u64,
        /// How it is set.
        set: fn(&mut P, u64),
        /// How it is read; `None` where it is not set.
        get: fn(&P) -> Option<u64>,
    },
}

/// A fact about a model, and its place.
pub(super) enum Fact {
    /// A number of tokens.
    Count(fn(&mut Facts) -> &mut Option<u64>),
    /// A price.
    Price(fn(&mut Facts) -> &mut Option<MicroDollars>),
    /// Something that it can do or not.
    Ability(fn(&mut Facts) -> &mut Option<bool>),
    /// The efforts that it takes besides the usual ones.
    Efforts,
}

/// When a value of a project's file holds without anybody's trust.
pub(super) enum Tightens {
    /// Whatever it is.
    Always,
    /// Never: it chooses where data goes or comes from, what it costs, what the model sees, what is written down, which
    /// programs are started, or what a key does.
    Never,
    /// When the number does not rise, of which none is the highest; when the switch is not turned on.
    Lower,
    /// When the number does not fall.
    Higher,
    /// When this holds of the configuration before and after.
    If(fn(&Config, &Config) -> bool),
}

/// Who may set a value that does not tighten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// The user, and a project whose folder is trusted.
    Trusted,
    /// The user alone: where keys come from, how and where they are sent, which of them commands get; what the user's own
    /// keystrokes mean; what is written to the user's disk; answers in the place of a model's; what models cost and take, by
    /// which the user's budget counts.
    User,
}

impl KeyRow {
    pub(super) const fn new(path: &'static str, value: KeyValue, tightens: Tightens, owner: Owner) -> Self {
        Self { path, aliases: &[], value, tightens, owner, asks: None }
    }

    /// One with other paths, too.
    pub(super) const fn also(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// One that asks for something in words of its own.
    pub(super) const fn asking(self, asks: Asks) -> Self {
        Self { asks: Some(asks), ..self }
    }

    /// All of its paths, its own first.
    #[cfg(test)]
    pub(super) fn paths(&self) -> impl Iterator<Item = &'static str> + use<> {
        [self.path].into_iter().chain(self.aliases.iter().copied())
    }

    /// Whether it is about something that is started or reached elsewhere, of which all settings are weighed together.
    pub(super) fn is_of_a_peer(&self) -> bool {
        matches!(self.value, KeyValue::Mcp(_) | KeyValue::Agent(_))
    }

    /// Whether a command line may give it a text without quotes.
    pub(super) fn takes_letters(&self) -> bool {
        match &self.value {
            KeyValue::Letters { .. } | KeyValue::Rules(_) | KeyValue::Hooks => true,
            KeyValue::Provider(member) => member.takes_letters(),
            KeyValue::Mcp(member) => member.takes_letters(),
            KeyValue::Agent(member) => member.takes_letters(),
            KeyValue::Switch { .. }
            | KeyValue::Count { .. }
            | KeyValue::Dollars { .. }
            | KeyValue::Limit(_)
            | KeyValue::Bound(_)
            | KeyValue::Fact(_) => false,
        }
    }
}

impl KeyValue {
    pub(super) const fn switch(get: fn(&Config) -> bool, set: fn(&mut Config, bool)) -> Self {
        Self::Switch { get, set }
    }

    /// A number between these.
    pub(super) const fn count(
        least: u64,
        most: u64,
        get: fn(&Config) -> Option<u64>,
        set: fn(&mut Config, u64),
    ) -> Self {
        Self::Count { least, most, get, set }
    }

    pub(super) const fn letters(
        get: fn(&Config) -> Option<String>,
        set: fn(&mut Config, &Setting) -> Result<(), String>,
    ) -> Self {
        Self::Letters { get, set }
    }
}

impl<P> Member<P> {
    /// Sets it; `below` are the names that follow the first.
    ///
    /// # Errors
    /// A sentence about the value, without its place.
    pub(super) fn set(&self, of: &mut P, below: &[String], value: &Written) -> Result<(), String> {
        match self {
            Self::Letters { set, .. } | Self::Numbers { set, .. } => set(of, below, value)?,
            Self::Switch { set, .. } => set(of, value.switch()?),
            Self::Count { most, set, .. } => set(of, value.count(1, *most)?),
        }
        Ok(())
    }

    /// Its value as TOML writes it, of a table each member by its name; none where it is not set.
    pub(super) fn literals<'p>(&self, of: &'p P) -> Literals<'p> {
        match self {
            Self::Letters { get, .. } | Self::Numbers { get, .. } => get(of),
            Self::Switch { get, .. } => one(get(of).map(|on| on.to_string())),
            Self::Count { get, .. } => one(get(of).map(|number| number.to_string())),
        }
    }

    fn takes_letters(&self) -> bool {
        matches!(self, Self::Letters { .. })
    }
}

/// A value that is no table.
pub(super) fn one<'p>(literal: Option<String>) -> Literals<'p> {
    literal.into_iter().map(|literal| (None, literal)).collect()
}

/// A row is known by its path.
impl PartialEq for KeyRow {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path
    }
}

impl Eq for KeyRow {}

impl fmt::Debug for KeyRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path)
    }
}
