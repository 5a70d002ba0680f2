//! The models that can be chosen, in words: each with its window and its price.

use super::list::{Listed, State};
use crate::config::fault::one_line;
use crate::model::ModelSpec;

/// The models that can be chosen now by their names, each with its window and its price, once each. Of one line of models the newest
/// comes first, as a few letters of its name fit all of them. `answering` is the one that answers now.
pub(crate) fn choices(listed: &[Listed], answering: &str) -> Vec<(String, String)> {
    let usable = listed.iter().filter(|one| matches!(one.state, State::Usable(_)));
    let each = usable.flat_map(|one| newest_first(one).into_iter().map(move |spec| (one, spec)));
    let once = each.filter(|(one, spec)| listed_by(listed, one, spec, answering).is_none());
    let named = once.map(|(_, spec)| (spec.model.to_string(), spec));
    // A server names its models as it likes: one that cannot be typed cannot be chosen.
    let typed = named.filter(|(name, _)| !name.contains(|c: char| c.is_control() || c.is_whitespace()));
    typed.map(|(name, spec)| (name, note(spec))).collect()
}

/// What cannot be used, each provider with the reason and what to do about it.
pub(crate) fn unusable(listed: &[Listed]) -> Vec<String> {
    let why = |one: &Listed| match &one.state {
        State::Usable(_) => None,
        State::Unusable(fault) => {
            let [name, why, next] = [&one.provider, &fault.message, &fault.next].map(|said| one_line(said));
            Some(format!("{name}: {why}; {next}"))
        }
    };
    listed.iter().filter_map(why).collect()
}

/// The provider that lists a model of this one instead of it: two protocols of a vendor are two providers with one address and one key.
/// The one that the configuration names is preferred, then that of the model that answers now, then the first. What is named is always
/// listed, and so is what answers now.
pub(crate) fn listed_by<'l>(
    listed: &'l [Listed],
    of: &Listed,
    spec: &ModelSpec,
    answering: &str,
) -> Option<&'l str> {
    let reached = of.reached.as_ref().filter(|_| !of.is_named && spec.model.to_string() != answering)?;
    let answers = |one: &Listed| answering.split_once('/').is_some_and(|(of, _)| of == one.provider);
    let has_it = |one: &&Listed| {
        one.reached.as_ref() == Some(reached)
            && one.models.iter().any(|other| other.model.name == spec.model.name)
    };
    // Of those that are alike here, this is the first.
    let shown = listed.iter().filter(has_it).min_by_key(|one| (!one.is_named, !answers(one)))?;
    (shown.provider != of.provider).then_some(shown.provider.as_str())
}

fn newest_first(listed: &Listed) -> Vec<&ModelSpec> {
    let mut all: Vec<&ModelSpec> = listed.models.iter().collect();
    all.sort_by_cached_key(|spec| rank(&spec.model.name));
    all
}

/// What a name is sorted by: the higher of two numbers comes first, a number before the name that ends there, and a date last.
fn rank(name: &str) -> String {
    let mut rank = String::new();
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        if !c.is_ascii_digit() {
            let is_before_number = "-.".contains(c) && rest.peek().is_some_and(char::is_ascii_digit);
            rank.push(if is_before_number { '\u{1}' } else { c });
            continue;
        }
        let mut digits = String::from(c);
        while let Some(digit) = rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        let number = digits.parse::<u32>().ok().filter(|_| digits.len() < 6);
        match number {
            Some(number) => rank.push_str(&format!("{:06}", 999_999_u32.saturating_sub(number))),
            None => rank.push_str("9999999"),
        }
    }
    rank.push('\u{2}');
    rank
}

/// In columns that line up where notes end at one edge: the window, and what a million tokens cost.
fn note(spec: &ModelSpec) -> String {
    let cost = |micro| format!("${}", dollars(micro));
    let price = spec.price.map_or_else(
        || "price unknown".to_owned(),
        |price| format!("{:>7} in {:>7} out", cost(price.rates.input), cost(price.rates.output)),
    );
    format!("{:>6} {price:>22}", short(spec.window))
}

/// `200k`, `1M`, `1.05M`: a window, as people name it.
fn short(tokens: u64) -> String {
    match tokens {
        1_000_000.. => {
            let hundredths = tokens.saturating_add(5_000) / 10_000;
            let number = format!("{}.{:02}", hundredths / 100, hundredths % 100);
            format!("{}M", number.trim_end_matches('0').trim_end_matches('.'))
        }
        1_000.. => format!("{}k", tokens / 1_000),
        few => few.to_string(),
    }
}

/// Micro-dollars as dollars, with as many digits as they have and at least two.
pub(crate) fn dollars(micro: u64) -> String {
    let part = format!("{:06}", micro % 1_000_000);
    let part = part.trim_end_matches('0');
    format!("{}.{part:0<2}", micro / 1_000_000)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::list::list_known;
    use super::super::table::Table;
    use super::*;
    use crate::config::environment::Environment;
    use crate::config::{Flags, load};
    use crate::ledger::ModelRef;

    /// The choices of whoever has OpenAI's key, with these variables and settings.
    fn chosen_from(variables: &[(&str, &str)], settings: &[&str], answering: &str) -> Vec<String> {
        let key = [("OPENAI_API_KEY", "sk-1")];
        let environment = Environment::of(key.iter().chain(variables).copied());
        let config = settings.iter().map(|setting| (*setting).to_owned()).collect();
        let config =
            load(Path::new("/"), &environment, &Flags { config, ..Flags::default() }.given()).unwrap();
        let listed = list_known(&config, &environment, &Table::embedded());
        choices(&listed, answering).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn a_model_of_two_protocols_is_listed_once() {
        const SOL: &str = "openai/gpt-6.1-sol";
        const CHAT: &str = "openai-chat/gpt-6.1-sol";
        let of_sol = |variables: &[(&str, &str)], settings: &[&str], answering: &str| {
            let mut all = chosen_from(variables, settings, answering);
            all.retain(|name| name.ends_with("/gpt-6.1-sol"));
            all
        };
        assert_eq!(of_sol(&[], &[], "rehearsal"), [SOL]);
        assert_eq!(of_sol(&[], &[], SOL), [SOL]);
        // Whoever uses the other protocol goes on with it.
        assert_eq!(of_sol(&[], &[], "openai-chat/other"), [CHAT]);
        let named = "providers.openai-chat.base_url='https://api.openai.com/v1'";
        assert_eq!(of_sol(&[], &[named], "rehearsal"), [CHAT]);
        // What answers now is listed, and so is all that is named.
        assert_eq!(of_sol(&[], &[named], SOL), [SOL, CHAT]);
        let other = "providers.openai.base_url='https://api.openai.com/v1'";
        assert_eq!(of_sol(&[], &[named, other], "rehearsal"), [SOL, CHAT]);
        // A variable names an address for both.
        let gateway = ("OPENAI_BASE_URL", "https://gateway.example/v1");
        assert_eq!(of_sol(&[gateway], &[], "rehearsal"), [SOL]);
        // Another address is another server, and another key another account.
        let elsewhere = "providers.openai-chat.base_url='https://gateway.example/v1'";
        assert_eq!(of_sol(&[], &[elsewhere], "rehearsal"), [SOL, CHAT]);
        let account = "providers.openai-chat.api_key_env='WORK_KEY'";
        assert_eq!(of_sol(&[("WORK_KEY", "sk-2")], &[account], "rehearsal"), [SOL, CHAT]);
    }

    #[test]
    fn what_only_one_protocol_serves_stays() {
        let all =
            chosen_from(&[], &["providers.openai-chat.base_url='https://api.openai.com/v1'"], "rehearsal");
        let count = |provider: &str| all.iter().filter(|name| name.starts_with(provider)).count();
        let table = Table::embedded();
        let without = table.names("openai").filter(|name| !table.has_chat("openai", name)).count();
        assert_eq!((count("openai/"), count("openai-chat/") > 0), (without, true), "{all:?}");
    }

    #[test]
    fn what_cannot_be_used_says_why() {
        let environment = Environment::of([("OPENAI_API_KEY", "sk-1")]);
        let config = load(Path::new("/"), &environment, &Flags::default().given()).unwrap();
        let told = unusable(&list_known(&config, &environment, &Table::embedded()));
        assert!(
            told.iter().any(|line| line.starts_with("groq: GROQ_API_KEY is not set; export ")),
            "{told:?}"
        );
        assert!(told.iter().all(|line| !line.starts_with("openai: ")), "{told:?}");
    }

    #[test]
    fn the_newest_of_a_line_comes_first() {
        let mut names = [
            "claude-sonnet-4",
            "gpt-5-mini",
            "claude-sonnet-4-20250514",
            "claude-sonnet-4-5",
            "gpt-5",
            "claude-sonnet-5-5",
            "gpt-5.2",
        ];
        names.sort_by_cached_key(|name| rank(name));
        let wanted = [
            "claude-sonnet-5-5",
            "claude-sonnet-4-5",
            "claude-sonnet-4-20250514",
            "claude-sonnet-4",
            "gpt-5.2",
            "gpt-5",
            "gpt-5-mini",
        ];
        assert_eq!(names, wanted);
    }

    #[test]
    fn notes_line_up_at_their_right_edge() {
        let unknown = ModelSpec { window: 1_048_576, ..ModelSpec::unknown(ModelRef::parse("a/b")) };
        assert_eq!(note(&unknown), " 1.05M          price unknown");
        let windows = [128_000, 200_000, 1_000_000, 1_050_000, 1_500_000, 10_000_000, 512].map(short);
        assert_eq!(windows, ["128k", "200k", "1M", "1.05M", "1.5M", "10M", "512"]);
    }
}
