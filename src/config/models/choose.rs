//! Which model answers: what was named, or what there is a key for, or the rehearsal.

use std::path::Path;

use super::{
    found::{Named, Search, found, search},
    provider::{OURS, asked, connect},
    table::{Table, resolve},
};
use crate::budget::Limit;
use crate::config::connection::Connection;
use crate::config::environment::Environment;
use crate::config::fault::Fault;
use crate::config::reading::Reading;
use crate::config::{Config, Facts, reading};
use crate::ledger::ModelRef;
use crate::model::ModelSpec;

/// Most bytes of a script.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// The model of this process.
#[derive(Debug, Clone)]
pub struct Choice {
    /// What is known about it; its name too.
    pub spec: ModelSpec,
    /// How it is reached.
    pub way: Transport,
    /// Why it is this one, as `default`, `-m`, `COUNTERSIGN_MODEL`, `FILE:LINE`.
    pub source: String,
    /// What a person should be told about the choice; `None` when they made it.
    pub notice: Option<String>,
    /// Where servers of one's own may answer, for whoever named no model and has no key.
    pub search: Option<Search>,
    /// Who answers when it fails for good, in order; these have no chain of their own.
    pub fallback: Vec<Self>,
}

/// How a model is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// The embedded model.
    Rehearsal,
    /// Scripted answers: a JSON text, not yet parsed.
    Script(String),
    /// A server.
    Server(Connection),
}

/// Chooses: a flag, `DEBUG_MOCK_RESPONSES`, `COUNTERSIGN_MODEL`, the configuration, a key in the environment, the
/// rehearsal.
///
/// # Errors
/// Exit 2: a model that cannot be reached as things are, or a cost limit for a model of unknown price; of all models
/// of the chain.
pub fn choose(config: &Config, environment: &Environment, table: &Table) -> Result<Choice, Fault> {
    let (model, source, notice) = named(config, environment)?;
    let choice = reach(&model, config, environment, table)?;
    let fallback = chain(&model, config, environment, table)?;
    let nobody_chose = config.model.is_none() && choice.way == Transport::Rehearsal;
    let search = if nobody_chose { search(config, environment)? } else { None };
    Ok(Choice { source, notice, search, fallback, ..choice })
}

/// The models that are named, as far as they are known without their servers: for whoever asks none of them, and so needs no
/// key. What one was asked before still has its price. Were one asked, it would have no answer.
pub fn unasked(config: &Config, table: &Table) -> Choice {
    let known = |model: &ModelRef, setting: &str| Choice {
        spec: resolve(model, config, table, Facts::default()),
        way: Transport::Script("[]".to_owned()),
        source: config.source(setting).to_string(),
        notice: None,
        search: None,
        fallback: Vec::new(),
    };
    let model = ModelRef::parse(config.model.as_deref().unwrap_or("rehearsal"));
    let others = config.fallback.iter().map(|name| ModelRef::parse(name)).filter(|other| *other != model);
    let fallback = others.map(|other| known(&other, "fallback")).collect();
    Choice { fallback, ..known(&model, "model") }
}

/// The models to fall back to. One that is named twice, or is the first one, would only fail again.
fn chain(
    first: &ModelRef,
    config: &Config,
    environment: &Environment,
    table: &Table,
) -> Result<Vec<Choice>, Fault> {
    let mut chain: Vec<Choice> = Vec::new();
    for name in &config.fallback {
        let model = ModelRef::parse(name);
        if model == *first || chain.iter().any(|other| other.spec.model == model) {
            continue;
        }
        let source = config.source("fallback").to_string();
        let other = reach(&model, config, environment, table).map_err(|fault| Fault {
            message: format!("{source}: the fallback model cannot answer: {}", fault.message),
            next: format!("{}; or remove {model} from the fallback models", fault.next),
            ..fault
        })?;
        chain.push(Choice { source, ..other });
    }
    Ok(chain)
}

/// A model with what is known about it and the way to it.
///
/// # Errors
/// Exit 2: as for [`choose`], of this model alone.
pub fn reach(
    model: &ModelRef,
    config: &Config,
    environment: &Environment,
    table: &Table,
) -> Result<Choice, Fault> {
    let way = match model.provider.as_str() {
        name if OURS.contains(&name) && !model.name.is_empty() => {
            return Err(Fault::usage(
                format!("`{name}` has no models of its own"),
                format!("write -m {name}"),
            ));
        }
        "rehearsal" => Transport::Rehearsal,
        "script" => Transport::Script(script(config, environment)?),
        _ => Transport::Server(connect(model, config, environment, table)?),
    };
    let asked = match &way {
        Transport::Server(connection) => asked(model, connection),
        Transport::Rehearsal | Transport::Script(_) => Facts::default(),
    };
    let mut spec = resolve(model, config, table, asked);
    spec.abilities.seed = match &way {
        Transport::Server(connection) => Some(connection.protocol.takes_seed()),
        Transport::Rehearsal => Some(false),
        // A script stands for any model.
        Transport::Script(_) => None,
    };
    check_cost(&spec, config)?;
    Ok(Choice { spec, way, source: String::new(), notice: None, search: None, fallback: Vec::new() })
}

fn named(config: &Config, environment: &Environment) -> Result<Named, Fault> {
    let (by_model, by_script) = (config.source("model"), config.source("script"));
    let named = config.model.as_deref().map(ModelRef::parse);
    let script = || ModelRef::parse("script");
    match named {
        Some(model) if by_model.is_flag() => {
            let falls_back_to_it = config.fallback.iter().any(|name| name == "script");
            if by_script.is_flag() && model.provider != "script" && !falls_back_to_it {
                return Err(Fault::usage(
                    format!("--script answers instead of a model, but -m names {model}"),
                    "use only one of the two",
                ));
            }
            Ok((model, by_model.to_string(), None))
        }
        _ if by_script.is_flag() => Ok((script(), by_script.to_string(), None)),
        _ if environment.mock_responses().is_some() => {
            let notice = "DEBUG_MOCK_RESPONSES is set: answers come from its script".to_owned();
            Ok((script(), "DEBUG_MOCK_RESPONSES".to_owned(), Some(notice)))
        }
        Some(model) => Ok((model, by_model.to_string(), None)),
        None if config.script.is_some() => Ok((script(), by_script.to_string(), None)),
        None => found(config, environment),
    }
}

/// The scripted answers: JSON as it is, anything else is the name of a file.
fn script(config: &Config, environment: &Environment) -> Result<String, Fault> {
    let Some(script) = config.script.as_deref().or_else(|| environment.mock_responses()) else {
        return Err(Fault::usage(
            "the model `script` has no script",
            "give it --script FILE-or-JSON, or set DEBUG_MOCK_RESPONSES",
        ));
    };
    if script.trim_start().starts_with(['[', '{', '"']) || config.script.is_none() {
        return Ok(script.to_owned());
    }
    let cannot = |why: &str| {
        Fault::usage(format!("cannot read the script {script}: {why}"), "check --script FILE-or-JSON")
    };
    match reading::read(Path::new(script), MOST_BYTES) {
        Reading::Text { text, cut: false } => Ok(text),
        Reading::Text { .. } => Err(cannot("it is too large")),
        Reading::Absent => Err(cannot("there is no such file, and it is not a JSON array")),
        Reading::Refused(why) => Err(cannot(&why)),
    }
}

/// A limit that could not be measured would be a promise that is not kept.
fn check_cost(spec: &ModelSpec, config: &Config) -> Result<(), Fault> {
    if config.limits.get(Limit::Cost).is_none() || spec.price.is_some() {
        return Ok(());
    }
    let model = &spec.model;
    Err(Fault::usage(
        format!("max_total_cost (--max-cost) cannot be enforced: the price of {model} is unknown"),
        format!(
            "set usd_in and usd_out (US dollars per million tokens) in [models.\"{model}\"], as in -c \
            'models.\"{model}\".usd_in=3', or remove the limit"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::presets::{ANTHROPIC_DEFAULT, OPENAI_DEFAULT};
    use super::*;
    use crate::config::connection::Protocol;
    use crate::config::{Flags, LimitFlags, load};

    fn choice(variables: &[(&str, &str)], flags: Flags) -> Result<Choice, Fault> {
        let environment = Environment::of(variables.iter().copied());
        let config = load(Path::new("/"), &environment, &flags.given())?;
        choose(&config, &environment, &Table::embedded())
    }

    fn named_model(model: &str) -> Flags {
        Flags { model: Some(model.to_owned()), ..Flags::default() }
    }

    fn name(variables: &[(&str, &str)], flags: Flags) -> String {
        choice(variables, flags).unwrap().spec.model.to_string()
    }

    #[test]
    fn the_strongest_word_counts() {
        let mock = ("DEBUG_MOCK_RESPONSES", "[\"hi\"]");
        let (key, other) = (("ANTHROPIC_API_KEY", "sk-1"), ("OPENAI_API_KEY", "sk-2"));
        let variable = ("COUNTERSIGN_MODEL", "openai-chat/x");
        assert_eq!(name(&[], Flags::default()), "rehearsal");
        assert_eq!(name(&[other], Flags::default()), format!("openai/{OPENAI_DEFAULT}"));
        assert_eq!(name(&[other, key], Flags::default()), format!("anthropic/{ANTHROPIC_DEFAULT}"));
        assert_eq!(name(&[key, other, variable], Flags::default()), "openai-chat/x");
        assert_eq!(name(&[key, other, variable, mock], Flags::default()), "script");
        assert_eq!(name(&[mock], named_model("rehearsal")), "rehearsal");
        let script = Flags { script: Some("[]".into()), ..Flags::default() };
        assert_eq!(name(&[key, variable], script.clone()), "script");
        assert!(choice(&[], Flags { script: Some("[]".into()), ..named_model("rehearsal") }).is_err());
        let both = choice(&[mock], script).unwrap();
        assert_eq!(both.way, Transport::Script("[]".into()), "--script wins over the variable");
    }

    #[test]
    fn whoever_named_nothing_is_told_why() {
        let rehearsal = choice(&[], Flags::default()).unwrap();
        assert!(rehearsal.notice.unwrap().contains("ANTHROPIC_API_KEY"));
        assert!(choice(&[], named_model("rehearsal")).unwrap().notice.is_none());
    }

    #[test]
    fn the_defaults_are_in_the_table() {
        let table = Table::embedded();
        assert!(table.get("anthropic", ANTHROPIC_DEFAULT).is_some());
        assert!(table.get("openai", OPENAI_DEFAULT).is_some());
    }

    #[test]
    fn a_script_is_json_or_a_file() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("answers.json");
        std::fs::write(&file, "[\"from the file\"]").unwrap();
        let flags = |script: &str| Flags { script: Some(script.to_owned()), ..Flags::default() };
        let script = |text: &str| choice(&[], flags(text)).unwrap().way;
        assert_eq!(script(file.to_str().unwrap()), Transport::Script("[\"from the file\"]".into()));
        assert_eq!(script(" [1]"), Transport::Script("[1]".into()));
    }

    #[test]
    fn servers_and_their_keys() {
        let server = |variables: &[(&str, &str)], flags| match choice(variables, flags).unwrap().way {
            Transport::Server(connection) => connection,
            other => panic!("{other:?}"),
        };
        let (key, url) = (("ANTHROPIC_API_KEY", "sk-1"), ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/v1/"));
        let anthropic = server(&[key, url], named_model("anthropic/x"));
        assert_eq!(
            (anthropic.protocol, anthropic.base_url.as_str()),
            (Protocol::Anthropic, "http://127.0.0.1:9")
        );
        assert_eq!(anthropic.key.unwrap().expose(), "sk-1");
        assert!(
            choice(&[url], named_model("anthropic/x")).is_err(),
            "Anthropic's protocol always wants a key"
        );

        let own = server(&[("OPENAI_BASE_URL", "http://127.0.0.1:9")], named_model("openai-chat/x"));
        assert_eq!((own.base_url.as_str(), own.key), ("http://127.0.0.1:9/v1", None));
        assert!(choice(&[], named_model("openai-chat/x")).is_err());
        let responses = server(&[("OPENAI_BASE_URL", "http://127.0.0.1:9/v1/")], named_model("openai/x"));
        assert_eq!(responses.protocol, Protocol::OpenAiResponses);
        assert_eq!((responses.base_url.as_str(), responses.key), ("http://127.0.0.1:9/v1", None));
        let vendor = server(&[("OPENAI_API_KEY", "sk-2")], named_model("openai/x"));
        assert_eq!(vendor.base_url, "https://api.openai.com/v1");
        assert!(choice(&[], named_model("openai/x")).unwrap_err().message.contains("OPENAI_API_KEY"));
        let ollama = server(&[], named_model("ollama/llama3.1:8b"));
        assert_eq!(ollama.base_url, "http://127.0.0.1:11434/v1");

        let mine = |pairs: &[&str]| Flags {
            config: pairs.iter().map(|pair| (*pair).to_owned()).collect(),
            ..named_model("mine/big/one")
        };
        let spelled = ["providers.mine.base_url=https://h/v4", "providers.mine.headers.x-a=b"];
        let connection = server(&[], mine(&spelled));
        assert_eq!((connection.base_url.as_str(), connection.headers.len()), ("https://h/v4", 1));
        assert!(
            choice(&[], mine(&["providers.mine.protocol=anthropic"])).unwrap_err().next.contains("base_url")
        );
        let wants_key = ["providers.mine.base_url=https://h/v4", "providers.mine.api_key_env=MINE"];
        assert!(choice(&[], mine(&wants_key)).unwrap_err().message.contains("MINE is not set"));
        assert!(server(&[("MINE", "k")], mine(&wants_key)).key.is_some());
    }

    #[test]
    fn a_chain_is_the_models_that_can_answer() {
        let chained = |names: &[&str]| Flags {
            fallback: names.iter().map(|name| (*name).to_owned()).collect(),
            ..named_model("rehearsal")
        };
        let names =
            |choice: Choice| choice.fallback.iter().map(|c| c.spec.model.to_string()).collect::<Vec<_>>();
        let twice = ["ollama/a", "rehearsal", "ollama/b", "ollama/a"];
        assert_eq!(names(choice(&[], chained(&twice)).unwrap()), ["ollama/a", "ollama/b"]);
        let wrong = |names: &[&str]| choice(&[], chained(names)).unwrap_err();
        assert!(wrong(&["ollama/a", "zebra/x"]).message.contains("unknown provider `zebra`"));
        let keyless = wrong(&["anthropic/x"]);
        assert!(keyless.message.starts_with("--fallback: ") && keyless.message.contains("ANTHROPIC_API_KEY"));
        assert!(keyless.next.contains("remove anthropic/x from"), "{}", keyless.next);
        assert!(wrong(&["claude-sonet-5-5"]).message.contains("did you mean `anthropic/claude-sonnet-5-5`?"));
        let limited = Flags { limits: LimitFlags::of(Limit::Cost, "1"), ..chained(&["ollama/a"]) };
        assert!(choice(&[], limited).unwrap_err().message.contains("the price of ollama/a is unknown"));
        let scripted = Flags { script: Some("[]".into()), ..chained(&["script"]) };
        assert_eq!(names(choice(&[], scripted).unwrap()), ["script"]);
    }

    #[test]
    fn whoever_asks_no_model_needs_no_key_and_knows_its_price() {
        let environment = Environment::default();
        let flags =
            Flags { fallback: vec!["openai/x".to_owned()], ..named_model("anthropic/claude-sonnet-4-5") };
        let config = load(Path::new("/"), &environment, &flags.given()).unwrap();
        assert!(choose(&config, &environment, &Table::embedded()).is_err());
        let choice = unasked(&config, &Table::embedded());
        assert_eq!(choice.spec.model.to_string(), "anthropic/claude-sonnet-4-5");
        assert!(choice.spec.price.is_some());
        let behind: Vec<String> = choice.fallback.iter().map(|one| one.spec.model.to_string()).collect();
        assert_eq!(behind, ["openai/x"]);
    }

    #[test]
    fn a_cost_limit_needs_a_price() {
        let limited = |pairs: &[&str]| Flags {
            limits: LimitFlags::of(Limit::Cost, "1"),
            script: Some("[]".into()),
            config: pairs.iter().map(|pair| (*pair).to_owned()).collect(),
            ..Flags::default()
        };
        assert!(choice(&[], limited(&[])).unwrap_err().next.contains("[models.\"script\"]"));
        assert!(choice(&[], limited(&["models.script.usd_in=3"])).is_err(), "half a price is none");
        let spec =
            choice(&[], limited(&["models.script.usd_in=3", "models.script.usd_out=15"])).unwrap().spec;
        assert_eq!(spec.price.unwrap().rates.cache_read, 3_000_000);
        let free = Flags { limits: LimitFlags::of(Limit::Cost, "1"), ..named_model("rehearsal") };
        assert!(choice(&[], free).is_ok());
    }
}
