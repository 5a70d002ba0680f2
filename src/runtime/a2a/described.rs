//! An agent as models and people are told of it: the tool that hands it a task, and what its card says in bounded words.

use serde_json::{Value, json};

use super::agent::A2aAgent;
use super::card_address::TaskEndpoint;
use super::status::A2aFound;
use crate::runtime::untrusted::{Secrets, one_line, plain, shown};
use crate::tool::{DELEGATE_TO, SideEffect, ToolKind, ToolSpec};
use crate::wire::a2a::{Card, Version};

/// Most characters of what is said of an agent.
const MOST_ABOUT: usize = 2_000;
/// Most skills that are named to people.
const MOST_SKILLS: usize = 50;

/// What is said of tools whose agent can ask back.
const AGAIN: &str = "When it asks for something, call this tool again with the answer as `task` and the `task_id` that it \
                     gave.";

/// What is known of an agent whose tasks go to `target`, without what may be its keys in the addresses.
pub(super) fn describe(
    (agent, secrets): (&A2aAgent, &Secrets),
    card: &Card,
    version: Version,
    target: &TaskEndpoint,
) -> A2aFound {
    let skills = card.skills.iter().map(|skill| one_line(&skill.name, 100)).filter(|name| !name.is_empty());
    A2aFound {
        title: one_line(&card.name, 100),
        version: one_line(&card.version, 50),
        protocol: version.as_str().to_owned(),
        address: secrets.strike(&shown(&target.url)),
        named: target.named.as_ref().map(|named| one_line(&secrets.strike(&shown(named)), 150)),
        streams: card.streams && version != Version::Kaos,
        skills: skills.take(MOST_SKILLS).collect(),
        tool: tool(agent, card, version),
    }
}

fn tool(agent: &A2aAgent, card: &Card, version: Version) -> ToolSpec {
    let mut schema = json!({
        "type": "object",
        "properties": {
            "task": {
                "type": "string", "minLength": 1,
                "description": "The task, with everything needed to do it.",
            },
            "task_id": {
                "type": "string",
                "description": "Continues a task of this agent that asked for something.",
            },
        },
        "required": ["task"],
        "additionalProperties": false,
    });
    let goes_on = version != Version::Kaos;
    if !goes_on && let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.remove("task_id");
    }
    let again = if goes_on { " ".to_owned() + AGAIN } else { String::new() };
    ToolSpec {
        name: format!("{DELEGATE_TO}{}", agent.name),
        description: format!(
            "Delegates a task to the agent `{}`, which works on it independently and answers when it is \
            done. It sees only `task` and nothing else of this conversation, so `task` must contain \
            everything it needs to know.{again}\n\n{}",
            agent.name,
            about(agent, card)
        ),
        schema,
        effect: SideEffect::Sends,
        kind: ToolKind::Delegate,
        paths: Vec::new(),
        timeout_ms: Some(agent.call_ms),
        retrieves: false,
    }
}

/// What the user says of it, or else what it says of itself.
fn about(agent: &A2aAgent, card: &Card) -> String {
    if let Some(description) = &agent.description {
        return plain(description.trim(), MOST_ABOUT);
    }
    let mut said = format!("Its own description: {}", card.description.trim());
    for skill in &card.skills {
        said.push_str(&format!("\n- {}: {}", skill.name.trim(), one_line(&skill.description, MOST_ABOUT)));
        if said.len() > MOST_ABOUT * 4 {
            break;
        }
    }
    plain(&said, MOST_ABOUT)
}

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::*;
    use crate::tool::Registry;
    use crate::wire::a2a::Skill;

    fn agent(description: Option<&str>) -> A2aAgent {
        A2aAgent {
            name: "writer".into(),
            url: "http://a.test".into(),
            headers: [].into(),
            secrets: Vec::new(),
            description: description.map(str::to_owned),
            start_ms: 1,
            call_ms: 7,
        }
    }

    fn card() -> Card {
        let skill = |name: &str| Skill { name: name.into(), description: format!("does\n{name}\u{1b}[2J") };
        Card {
            name: "W\u{202e}\nriter".into(),
            description: "writes \u{200b}letters".into(),
            skills: vec![skill("one"), skill("two")],
            ..Card::default()
        }
    }

    #[test]
    fn the_tool_says_what_the_user_says_or_else_what_the_card_says() {
        let found = describe(
            (&agent(None), &Secrets::new(["key-123456".to_owned()])),
            &card(),
            Version::V1,
            &TaskEndpoint {
                url: Url::parse("http://u:p@a.test/key-123456/rpc?key=1#x").unwrap(),
                named: None,
            },
        );
        assert_eq!((found.title.as_str(), found.address.as_str()), ("W riter", "http://a.test/[hidden]/rpc"));
        assert_eq!(
            (found.skills, found.protocol.as_str()),
            (vec!["one".to_owned(), "two".to_owned()], "1.0")
        );
        let said = "\n\nIts own description: writes letters\n- one: does one[2J\n- two: does two[2J";
        assert!(found.tool.description.ends_with(said), "{}", found.tool.description);
        assert_eq!((found.tool.effect, found.tool.timeout_ms), (SideEffect::Sends, Some(7)));
        let ours = tool(&agent(Some(" Asks\u{202e} the lawyers. ")), &card(), Version::V1).description;
        assert!(ours.ends_with("\n\nAsks the lawyers.") && !ours.contains("letters"), "{ours}");
        let long = tool(&agent(Some(&"x".repeat(9_000))), &card(), Version::V1).description;
        assert!(long.ends_with("x…") && long.chars().count() < 2_500);
    }

    #[test]
    fn arguments_are_a_task_and_perhaps_the_one_it_goes_on_with() {
        let mut registry = Registry::new(vec![tool(&agent(None), &card(), Version::V1)]);
        let mut is_fine = |arguments: serde_json::Value| {
            let serde_json::Value::Object(members) = arguments else { panic!("an object") };
            registry.validate("delegate_to_writer", &crate::ledger::Arguments::Object(members)).is_ok()
        };
        assert!(is_fine(json!({ "task": "x" })) && is_fine(json!({ "task": "x", "task_id": "t" })));
        for wrong in
            [json!({}), json!({ "task": "" }), json!({ "task": 1 }), json!({ "task": "x", "more": 1 })]
        {
            assert!(!is_fine(wrong));
        }
    }
}
