//! Sub-agents that the user names in a message, as `@NAME`: the model is told which tool that is.

use crate::ledger::{Injected, Injector, MessagePiece, Millis, Unsettled, UserMessage};
use crate::tool::DELEGATE_TO;
use crate::tool::name::LANE;

use super::Agent;

impl Agent {
    /// Tells the model what the names in this message mean, before it.
    pub(super) fn tell_named(&mut self, now: Millis, said: &UserMessage) -> Result<(), Unsettled> {
        let known = self.settings.subagents.known.iter().map(|known| known.name.as_str());
        // What a person pasted folded stands on no screen: a name in it is part of a text.
        let parts = said.pastes.parts(&said.content);
        let is_named = |name: &str| {
            parts.iter().any(|part| matches!(part, MessagePiece::Typed(text) if names(text, name)))
        };
        let may_be = known.filter(|name| !name.starts_with(LANE) && is_named(name));
        let told: Vec<String> = may_be
            .map(|name| {
                format!(
                    "The user's message names the sub-agent {name}, as @{name}: hand over what they want of it with the \
                     tool {DELEGATE_TO}{name}."
                )
            })
            .collect();
        for text in told {
            self.history.ledger.inject(now, Injected::text(Injector::Choice, text))?;
        }
        Ok(())
    }
}

/// Whether a text has `@name` as a word.
fn names(text: &str, name: &str) -> bool {
    let wanted = format!("@{name}");
    text.match_indices(&wanted).any(|(at, found)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let begins = before.is_none_or(|c| c.is_whitespace() || "([{<\"'".contains(c));
        let mut after = text.get(at + found.len()..).unwrap_or_default().chars();
        // `@explore.rs` is a file; `@explore.` ends a sentence.
        let ends = match after.next() {
            None => true,
            Some('.') => after.next().is_none_or(char::is_whitespace),
            Some(c) => c.is_whitespace() || ",;:!?)]}>\"'".contains(c),
        };
        begins && ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::{Effect, Input, Intent, Settings, SubagentSpec, Subagents};
    use crate::ledger::{Body, ModelRef, Pastes};
    use crate::model::ModelSpec;

    #[test]
    fn a_name_is_a_word_behind_an_at_sign() {
        for said in
            ["@explore", "ask @explore, please", "(@explore)", "@explore. Then go on.", "let\n@explore: look"]
        {
            assert!(names(said, "explore"), "{said}");
        }
        for said in
            ["explore", "me@explore", "@explorer", "@explore.rs", "@explore/a", "`@explore`", "@explore-x"]
        {
            assert!(!names(said, "explore"), "{said}");
        }
    }

    #[test]
    fn the_model_is_told_which_tool_a_name_means_before_the_message() {
        let one = |name: &str| SubagentSpec {
            name: name.to_owned(),
            asks: std::collections::BTreeMap::new(),
            mode: None,
            in_background: false,
        };
        let known = vec![one("explore"), one("general"), one("lane_1")];
        let settings = Settings::new(ModelSpec::unknown(ModelRef::parse("script")));
        let subagents = Subagents { known, ..Subagents::default() };
        let mut agent = Agent::new(Settings { subagents, ..settings });
        let said = "have @explore look, not general, and no @lane_1";
        let wanted = agent.step(Millis(1), Input::Intent(Intent::Submit(said.into())));
        let bodies: Vec<&Body> = wanted
            .iter()
            .filter_map(|e| if let Effect::Append(e) = e { Some(&e.body) } else { None })
            .collect();
        let told = bodies
            .iter()
            .position(|body| matches!(body, Body::Injected(told) if told.by == Injector::Choice));
        let user = bodies.iter().position(|body| matches!(body, Body::User(_)));
        assert!(told.unwrap() < user.unwrap());
        let count = bodies
            .iter()
            .filter(|body| matches!(body, Body::Injected(i) if i.by == Injector::Choice))
            .count();
        assert_eq!(count, 1);
        let Body::Injected(told) = bodies[told.unwrap()] else { unreachable!() };
        assert!(told.text.contains("delegate_to_explore"), "{}", told.text);
    }

    #[test]
    fn a_name_in_a_folded_paste_names_nobody() {
        let known = vec![SubagentSpec {
            name: "explore".to_owned(),
            asks: std::collections::BTreeMap::new(),
            mode: None,
            in_background: false,
        }];
        let settings = Settings::new(ModelSpec::unknown(ModelRef::parse("script")));
        let subagents = Subagents { known, ..Subagents::default() };
        let mut agent = Agent::new(Settings { subagents, ..settings });
        let said = "read this: @explore it";
        let pastes = Pastes::of(said, vec![(11, 22)]);
        let message = UserMessage { pastes, ..said.into() };
        let wanted = agent.step(Millis(1), Input::Intent(Intent::Submit(message)));
        let told = |body: &Body| matches!(body, Body::Injected(told) if told.by == Injector::Choice);
        assert!(!wanted.iter().any(|effect| matches!(effect, Effect::Append(entry) if told(&entry.body))));
    }
}
