//! What the session could not be told: it is here again, as after a refusal.

use crate::agent::Intent;
use crate::ledger::{CallId, EntryId};
use crate::view::View;

use super::commands::as_typed;
use super::editing;
use super::local::Local;
use super::request::Request;

/// There was no room for a request: the words that were typed for it are in the composer again.
pub(super) fn not_sent(local: &mut Local, view: &View, request: Request) {
    let why = match &request {
        Request::KeepRule { .. } => {
            "the rule was not written to a file: the agent is busy with earlier input"
        }
        _ => "not accepted: the agent is busy with earlier input; try again",
    };
    local.hint = Some(why.to_owned());
    local.answered.clear();
    if let Some(line) = request.line() {
        return local.message_composer().give_back(line);
    }
    let Request::Intent(intent) = request else { return };
    match innermost(intent) {
        Intent::Submit(said) | Intent::Queue(said) => {
            let said = as_typed(&said, view);
            local.message_composer().give_back_message(&said);
        }
        Intent::Command(own) => match own.then {
            Some(said) => {
                let said = as_typed(&said, view);
                local.message_composer().give_back_message(&said);
            }
            None => local.message_composer().give_back(&own.typed()),
        },
        _ => {}
    }
}

/// What the session at the end of the way is told.
fn innermost(intent: Intent) -> Intent {
    match intent {
        Intent::Subagent { intent, .. } => innermost(*intent),
        intent => intent,
    }
}

/// A decision about this call has not left: a change is in the composer again, and no rule is kept with it.
pub(super) fn undecided(local: &mut Local, request: EntryId, call: CallId) {
    local.answered.remove(&request);
    local.to_keep.take_if(|kept| kept.call == call);
    if local.edit.as_ref().is_some_and(|edit| edit.request == request) {
        editing::refused(local);
    }
}

#[cfg(test)]
mod tests {
    use super::super::composer::Composer;
    use super::super::local::{Edit, EditedPart, RuleToKeep};
    use super::*;
    use crate::agent::OwnCommand;
    use crate::ledger::Scope;
    use crate::view::ViewSettings;

    #[test]
    fn a_change_that_has_not_left_is_in_the_composer_again() {
        let (request, call) = (EntryId(4), CallId(1));
        let mut sent = Composer::default();
        sent.hold("ls -l");
        let mut local = Local::new();
        local.composer.hold("a thought");
        let (tool, part, kept) = ("shell".to_owned(), EditedPart::Command, Composer::default());
        local.edit = Some(Edit { request, tool, part, kept, sent: Some(sent) });
        let (rule, lines) = ("shell(ls *)".to_owned(), "allow = []".to_owned());
        local.to_keep = Some(RuleToKeep { call, rule, scope: Scope::Everywhere, lines });
        local.answered.insert(request);
        undecided(&mut local, EntryId(9), CallId(2));
        assert!(!local.is_editing() && local.to_keep.is_some(), "that was about another call");
        undecided(&mut local, request, call);
        assert!(local.is_editing() && local.to_keep.is_none() && local.answered.is_empty());
        assert_eq!(local.composer.text(), "ls -l");
        editing::cancel(&mut local);
        assert_eq!(local.composer.text(), "a thought");
    }

    #[test]
    fn words_that_have_not_left_are_in_the_composer_again_wherever_they_were_to_go() {
        let own = OwnCommand::read("!ls").unwrap();
        let tidy =
            OwnCommand { typed: Some("/tidy".into()), then: Some(Box::new("tidy up".into())), ..own.clone() };
        let below = [CallId(3), CallId(7)];
        for (intent, left) in [
            (Intent::Submit("look there".into()), "look there"),
            (Intent::Submit("look there".into()).within(&below), "look there"),
            (Intent::Queue("later".into()).within(&below), "later"),
            (Intent::Command(own), "!ls"),
            (Intent::Command(tidy), "tidy up"),
            (Intent::Compact.typed("/compact".to_owned(), 0), "/compact"),
            (Intent::Abort, ""),
        ] {
            let mut local = Local::new();
            not_sent(&mut local, &View::new(ViewSettings::unknown()), Request::Intent(intent.clone()));
            assert_eq!(local.composer.text(), left, "{intent:?}");
            assert!(local.hint.as_ref().is_some_and(|hint| hint.contains("not accepted")));
        }
    }
}
