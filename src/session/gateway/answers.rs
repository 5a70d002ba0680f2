//! What slow requests are answered with.

use tokio::task::{JoinError, spawn_blocking};

use super::super::attachments::AttachmentRefusal;
use super::super::moment::now;
use super::{Gateway, RaceErrand, Slow};
use crate::agent::Intent;
use crate::config::models::{Listed, choices, unusable};
use crate::ledger::{CallId, UserMessage};
use crate::ui::{BranchWish, ModelList, Otherwise, Reply, Request};

impl Slow for Gateway {
    async fn model(&self, name: String) -> Result<Intent, String> {
        self.switch.model(name).await.map(|spec| Intent::SetModel(Box::new(spec)))
    }

    async fn message(&self, said: UserMessage) -> Result<UserMessage, String> {
        let (attach, telling) = (self.attach.clone(), self.attach.clone());
        let broke = |broken: JoinError| format!("the files cannot be read: {broken}");
        // Files may lie on a slow disk, or on one that never answers.
        let read = spawn_blocking(move || attach.message_of_person(said)).await.map_err(broke)?;
        let read = read.map_err(|AttachmentRefusal { what, next }| format!("{what}: {next}"))?;
        // By a task of its own: reading that was given up before has told nothing.
        spawn_blocking(move || telling.instructed(read)).await.map_err(broke)
    }

    async fn restore(&self, since: CallId, shown: Vec<(String, String)>) -> Result<Intent, String> {
        let undo = self.undo.clone();
        match spawn_blocking(move || undo.restore(since, &shown)).await {
            Ok(done) => done.map(Intent::Restored),
            Err(broken) => Err(format!("the undo failed: {broken}")),
        }
    }

    async fn race(&self, wish: RaceErrand) -> Result<Intent, String> {
        let racer = self.racer.clone();
        let prepared = spawn_blocking(move || match wish {
            RaceErrand::Start(wish) => racer.race(&wish),
            RaceErrand::Adopt(lane) => racer.adopt(lane),
        });
        prepared.await.unwrap_or_else(|broken| Err(format!("the race failed: {broken}")))
    }

    async fn answer(&self, request: Request) -> Option<Reply> {
        if let Request::StatusLine(facts) = request {
            let status = self.status.as_ref()?;
            return Some(Reply::StatusLine(status.line(&facts).await));
        }
        if let Err(why) = self.model_of_branch(&request).await {
            return Some(Reply::Refused(why));
        }
        let Self {
            undo,
            rewinding,
            brancher,
            earlier,
            usable,
            attach,
            rules,
            spending,
            exporter,
            reporter,
            ..
        } = self.clone();
        let answered = spawn_blocking(move || match request {
            Request::PlanUndo(message) => Some(match undo.offer(message).transpose() {
                Some(offer) => Reply::Undo(offer),
                None => Reply::NothingToUndo,
            }),
            Request::ListSessions => Some(Reply::Sessions(earlier.list(now()))),
            Request::Preview(id) => Some(Reply::Preview { parts: earlier.preview(&id), id }),
            Request::ListModels(answering) => Some(Reply::Models(models(&usable.now(), answering))),
            Request::ListFiles => Some(Reply::Files(attach.list())),
            Request::PasteImage => {
                Some(attach.image_of_clipboard().map_or_else(Reply::Refused, Reply::Mention))
            }
            Request::PlanRule(rule) => Some(Reply::RulePlan(rules.plan(rule))),
            Request::AddUp(by) => Some(Reply::Usage(spending.table(by))),
            Request::KeepRule { rule, scope, lines } => Some(rules.keep(&rule, scope, &lines)),
            Request::WhatIf(wish) => Some(brancher.reply(&wish, now())),
            Request::ListBranches => Some(Reply::Branches(brancher.rows())),
            Request::Beside(id) => Some(brancher.beside(&id).map_or_else(Reply::Refused, Reply::Beside)),
            Request::Fork => Some(rewinding.fork(now()).map_or_else(Reply::Refused, Reply::Forked)),
            Request::Export(named) => {
                Some(exporter.write(named.as_deref()).map_or_else(Reply::Refused, Reply::Done))
            }
            Request::Report(question) => Some(Reply::Report(question.subject, reporter.answer(&question))),
            Request::Branch { message, branch } => {
                let made = rewinding.branch(message, &branch, now());
                Some(made.map_or_else(Reply::Refused, |()| Reply::Branched { message, branch }))
            }
            Request::Intent(_)
            | Request::Typed { .. }
            | Request::StopReading
            | Request::ChooseModel(_)
            | Request::Restore { .. }
            | Request::Rewind(_)
            | Request::Race(_)
            | Request::Adopt(_)
            | Request::StatusLine(_) => None,
        });
        answered.await.unwrap_or_else(|broken| Some(Reply::Refused(format!("the request failed: {broken}"))))
    }
}

/// The models as they can be chosen. The one that answers now is always among them, also where no list has it: that of a script, or
/// one of a server that names none.
fn models(listed: &[Listed], answering: String) -> ModelList {
    let mut usable = choices(listed, &answering);
    if !answering.is_empty() && usable.iter().all(|(name, _)| *name != answering) {
        usable.insert(0, (answering.clone(), String::new()));
    }
    ModelList { usable, answering, unusable: unusable(listed) }
}

impl Gateway {
    /// Whether the model that a branch is to have can be used.
    async fn model_of_branch(&self, request: &Request) -> Result<(), String> {
        let Request::WhatIf(BranchWish { otherwise: Otherwise::Model(name), .. }) = request else {
            return Ok(());
        };
        self.switch.model(name.clone()).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_that_answers_is_always_among_the_choices() {
        let told = models(&[], "script".to_owned());
        assert_eq!(
            (told.usable, told.answering),
            (vec![("script".to_owned(), String::new())], "script".into())
        );
        assert!(models(&[], String::new()).usable.is_empty());
    }
}
