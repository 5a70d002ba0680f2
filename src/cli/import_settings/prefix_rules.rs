//! Codex's rules about commands, `prefix_rule(pattern = ["git", ["push", "fetch"]], decision = "prompt")`. They are a language of
//! their own; only this call with literals is read.

/// Most commands that the alternatives of one rule may stand for.
const MOST_COMMANDS: usize = 64;

/// What one rule says: of each command the first words, and what is decided.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PrefixRule {
    pub(super) commands: Vec<Vec<String>>,
    pub(super) decision: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Text(String),
    Sign(char),
}

/// A value of an argument.
enum Literal {
    Text(String),
    List(Vec<Self>),
}

/// The rules of a file, in their order; of one that is not understood, why.
pub(super) fn read(text: &str) -> Vec<Result<PrefixRule, String>> {
    let tokens = match tokens(text) {
        Ok(tokens) => tokens,
        Err(why) => return vec![Err(why)],
    };
    let mut rules = Vec::new();
    let mut rest = tokens.as_slice();
    while let Some((token, after)) = rest.split_first() {
        rest = after;
        let (Token::Word(name), Some((Token::Sign('('), within))) = (token, rest.split_first()) else {
            continue;
        };
        if name == "prefix_rule" {
            rest = within;
            rules.push(rule(&mut rest));
        } else {
            // What else there is may forbid something.
            rules.push(Err(format!("only prefix_rule is read, and this is {name}")));
        }
    }
    rules
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '#' => while rest.next_if(|c| *c != '\n').is_some() {},
            '"' | '\'' => {
                let mut said = String::new();
                loop {
                    match rest.next() {
                        Some(end) if end == c => break,
                        Some('\\') => return Err("a text with `\\` is not read".to_owned()),
                        Some('\n') | None => return Err("a text has no end".to_owned()),
                        Some(c) => said.push(c),
                    }
                }
                tokens.push(Token::Text(said));
            }
            c if c.is_alphanumeric() || c == '_' => {
                let mut word = String::from(c);
                while let Some(c) = rest.next_if(|c| c.is_alphanumeric() || *c == '_') {
                    word.push(c);
                }
                tokens.push(Token::Word(word));
            }
            c if c.is_whitespace() => {}
            c => tokens.push(Token::Sign(c)),
        }
    }
    Ok(tokens)
}

/// What stands between the brackets.
fn rule(rest: &mut &[Token]) -> Result<PrefixRule, String> {
    let (mut pattern, mut decision) = (None, "allow".to_owned());
    let not = || "it has something other than names and literals".to_owned();
    loop {
        let [name, after @ ..] = rest else { return Err("it has no end".to_owned()) };
        *rest = after;
        let name = match name {
            Token::Sign(')') => break,
            Token::Sign(',') => continue,
            Token::Word(name) => name,
            Token::Text(_) | Token::Sign(_) => return Err(not()),
        };
        let [Token::Sign('='), after @ ..] = rest else { return Err(not()) };
        *rest = after;
        let literal = literal(rest, 0).ok_or_else(not)?;
        match (name.as_str(), literal) {
            ("pattern", Literal::List(words)) => pattern = Some(words),
            ("decision", Literal::Text(text)) => decision = text,
            ("pattern" | "decision", _) => return Err(not()),
            // Examples, and a reason for people.
            _ => {}
        }
    }
    let pattern = pattern.ok_or("it has no pattern")?;
    let mut commands = vec![Vec::new()];
    for word in pattern {
        let ways: Vec<String> = match word {
            Literal::Text(text) => vec![text],
            Literal::List(ways) => ways
                .into_iter()
                .map(|way| if let Literal::Text(text) = way { Some(text) } else { None })
                .collect::<Option<_>>()
                .ok_or_else(not)?,
        };
        commands = commands
            .iter()
            .flat_map(|begin: &Vec<String>| {
                ways.iter().map(move |way| [begin.as_slice(), std::slice::from_ref(way)].concat())
            })
            .collect();
        if commands.len() > MOST_COMMANDS {
            return Err("it stands for too many commands".to_owned());
        }
    }
    Ok(PrefixRule { commands, decision })
}

fn literal(rest: &mut &[Token], depth: usize) -> Option<Literal> {
    let (first, after) = rest.split_first()?;
    *rest = after;
    match first {
        Token::Text(text) => Some(Literal::Text(text.clone())),
        Token::Sign('[') if depth < 3 => {
            let mut all = Vec::new();
            loop {
                match rest.first()? {
                    Token::Sign(']') => {
                        *rest = rest.get(1..)?;
                        return Some(Literal::List(all));
                    }
                    Token::Sign(',') => *rest = rest.get(1..)?,
                    _ => all.push(literal(rest, depth + 1)?),
                }
            }
        }
        Token::Word(_) | Token::Sign(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_and_what_is_more_than_literals_is_not() {
        let text = "# git\nprefix_rule(pattern=[\"git\", [\"push\", \"fetch\"]], decision = 'prompt', match = [[\"git\", \"push\"]],)\n\
                    prefix_rule(pattern=[\"ls\"])\nprefix_rule(pattern=WORDS)\nprefix_rule(decision=\"allow\")\nprefix_rule(";
        let read = read(text);
        let words = |all: &[&str]| all.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let rule = |commands, decision: &str| Ok(PrefixRule { commands, decision: decision.to_owned() });
        assert_eq!(read[0], rule(vec![words(&["git", "push"]), words(&["git", "fetch"])], "prompt"));
        assert_eq!(read[1], rule(vec![words(&["ls"])], "allow"));
        assert!(read[2].is_err() && read[3].is_err() && read[4].is_err() && read.len() == 5, "{read:?}");
    }

    #[test]
    fn a_decision_that_is_not_understood_allows_nothing_and_other_calls_are_named() {
        let read = read(
            "prefix_rule(pattern=[\"rm\"], decision=[\"forbidden\"])\nnetwork_rule(host = \"a.example\", decision = \"deny\")",
        );
        assert!(read.len() == 2 && read[0].is_err(), "{read:?}");
        assert!(read[1].as_ref().is_err_and(|why| why.contains("network_rule")), "{read:?}");
    }

    #[test]
    fn what_grows_without_end_is_refused() {
        let ways = "[\"a\",\"b\"],".repeat(40);
        assert!(read(&format!("prefix_rule(pattern=[{ways}])"))[0].is_err());
        assert!(read(&format!("prefix_rule(pattern={}", "[".repeat(100_000)))[0].is_err());
        assert!(read("prefix_rule(pattern=[\"a")[0].is_err());
    }
}
