//! What the session was asked in lines, and what it answers.

use crate::agent::Intent;
use crate::ui::commands::STOPS_WORK;
use crate::ui::pages::{report, usage};
use crate::ui::reading_files::ReadingFiles;
use crate::ui::{EarlierSession, ModelList, Reply, Request, SideBySide};
use crate::view::NamedCommand;

use super::awaited::Awaited;
use super::session::{LinearEffect, LinearSession};
use super::words::plain;

impl LinearSession {
    /// The session was asked for something, and will say what comes of it.
    pub fn sent(&mut self, request: &Request) {
        // What is given up is answered as what it was.
        if *request != Request::StopReading {
            self.expected = Some(Awaited::of(request));
        }
    }

    /// Whether this would leave the session while sub-agents work for it in the background; then it says so.
    pub fn stays(&mut self, act: &LinearEffect) -> bool {
        let leaves = match act {
            LinearEffect::New | LinearEffect::Resume(_) => true,
            LinearEffect::Ask(request) => request.leaves(),
            LinearEffect::Send(_) | LinearEffect::Abort | LinearEffect::Quit => false,
        };
        let stays = leaves && self.renderer.view.in_background() > 0;
        if stays {
            self.not_obeyed(STOPS_WORK);
        }
        stays
    }

    /// What is asked of the session, with the line that was typed for it.
    pub fn with_line(&mut self, request: Request) -> Request {
        match self.obeyed.take() {
            Some(line) => request.typed(line, self.behind.len()),
            None => request,
        }
    }

    /// What was obeyed is on its way: a later request is not about its line.
    pub fn forget_line(&mut self) {
        self.obeyed = None;
    }

    /// The session did not take this: it has not read what came before.
    pub fn not_taken(&mut self, request: Request) {
        self.expected = None;
        self.asking.reopen();
        self.output.say("refused: the agent is busy with earlier input; try again");
        if let Some(line) = request.line() {
            self.keep_line(line);
            return;
        }
        match request {
            Request::Intent(Intent::Submit(said) | Intent::Queue(said)) => self.keep(&said.content),
            Request::Intent(Intent::Command(own)) => match own.then {
                Some(said) => self.keep(&said.content),
                None => self.keep_line(&own.typed()),
            },
            _ => {}
        }
    }

    /// What the session answers.
    pub fn reply(&mut self, reply: Reply) {
        let is_answer = !matches!(reply, Reply::Notice(_) | Reply::StatusLine(_) | Reply::Reading(_));
        match reply {
            Reply::Returned { said, why } => {
                // Of a message that a custom command said, its file may be what is wrong.
                let commands = &self.renderer.view.settings.commands;
                let place = NamedCommand::file_of(commands, &said);
                let place = place.map(|file| format!("{}: ", plain(file))).unwrap_or_default();
                self.output.say(&format!("refused: {place}{}", plain(&why)));
                self.keep(&said.content);
            }
            Reply::LineReturned { line, why } => {
                self.output.say(&format!("refused: {}", plain(&why)));
                self.keep_line(&line);
            }
            Reply::NoModel { name, why } => {
                self.output.say(&format!("refused: {}", plain(&why)));
                self.keep_line(&format!("/model {name}"));
            }
            Reply::Refused(why) => self.output.say(&format!("refused: {}", plain(&why))),
            // Whoever reads the lines leaves.
            Reply::Branched { .. } | Reply::Forked(_) | Reply::BranchStarts(_) => {}
            Reply::Beside(beside) => self.beside(&beside),
            Reply::Done(said) => self.output.say(&format!("done: {}", plain(&said))),
            Reply::RulePlan(plan) => {
                let said = self.asking.rule.as_mut().filter(|said| said.text == plan.rule);
                said.into_iter().for_each(|said| said.planned(plan.clone(), &mut self.output));
            }
            Reply::Undo(offered) => self.undo(offered),
            Reply::NothingToUndo => self.nothing_to_undo(),
            Reply::Sessions(sessions) => self.sessions(sessions),
            Reply::Models(models) => self.models(models),
            Reply::Notice(words) => self.found(&words),
            Reply::Reading(begins) => {
                self.reading = ReadingFiles::after(self.reading, begins, self.now);
            }
            Reply::Usage(table) => usage::said(&table).iter().for_each(|line| self.output.say(line)),
            Reply::Report(subject, parts) => {
                report::said(subject, &parts).iter().for_each(|said| self.output.speak(said));
            }
            // Nothing here shows them.
            Reply::Branches(_)
            | Reply::Preview { .. }
            | Reply::Files(_)
            | Reply::Mention(_)
            | Reply::StatusLine(_) => {}
        }
        if is_answer {
            self.expected = None;
        }
    }

    /// The sessions that one can go on with, each with a number.
    pub fn sessions(&mut self, sessions: Vec<EarlierSession>) {
        for (at, session) in sessions.iter().enumerate() {
            self.output.say(&format!("session {}: {}, {}", at + 1, session.words, plain(&session.aside)));
        }
        let how = "/sessions NUMBER resumes one";
        self.output.say(&listed(sessions.len(), "sessions: there are no others in this folder", how));
        self.sessions = sessions.into_iter().map(|session| session.id).collect();
    }

    /// What only this session has, and what only the other one.
    fn beside(&mut self, beside: &SideBySide) {
        for (here, there) in beside.rows.iter().filter(|(here, there)| here != there) {
            for (side, line) in [("here", here), ("there", there)] {
                line.iter().for_each(|line| self.output.say(&format!("only {side}: {}", plain(line))));
            }
        }
        self.output.say(&match beside.differing() {
            0 => format!("compare: both went the same way, whatever models and tools said, {}", beside.id),
            _ => format!("compare: there is the session {}", plain(&beside.id)),
        });
    }

    /// The models that can be chosen, each with a number.
    pub fn models(&mut self, models: ModelList) {
        for (at, (name, about)) in models.usable.iter().enumerate() {
            let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
            let current = if *name == models.answering { ["in use"] } else { [""] };
            let said = current.into_iter().chain([about.as_str()]).filter(|words| !words.is_empty());
            let said: Vec<String> = std::iter::once(name.clone()).chain(said.map(plain)).collect();
            self.output.say(&format!("model {}: {}", at + 1, said.join(", ")));
        }
        for why in &models.unusable {
            self.output.say(&format!("not usable: {}", plain(why)));
        }
        let how = "/model NUMBER or NAME chooses one; prices are for a million tokens";
        let none = "models: none listed; /model PROVIDER/NAME chooses any";
        self.output.say(&listed(models.usable.len(), none, how));
        self.models = models.usable.into_iter().map(|(name, _)| name).collect();
    }
}

fn listed(how_many: usize, none: &str, how: &str) -> String {
    if how_many == 0 { none.to_owned() } else { how.to_owned() }
}
