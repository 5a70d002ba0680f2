//! What the session answers to the screen: lists are filled, words come back, and nothing opens that was closed meanwhile.

use crate::ledger::UserMessage;
use crate::view::{NamedCommand, View};

use super::commands::as_typed;
use super::local::{Inspector, Local, Overlay};
use super::pages::{report, usage};
use super::picker::{Choice, Item, Picker};
use super::picker_source::Source;
use super::reading_files::ReadingFiles;
use super::reply::{EarlierSession, Reply};
use super::report::{ReportPart, Subject};
use super::session_rule;
use super::undo_preview::{NOTHING_TO_UNDO, UndoPreview};
use super::usage_table::UsageTable;

/// Where the conversation was to go back too, it still can.
fn nothing_to_undo(local: &mut Local) {
    let Some(picker) = awaited(local, Source::Undo) else { return };
    match picker.rewinds {
        Some(message) => *picker = Picker::conversation_alone(message),
        None => {
            local.overlay = None;
            local.hint = Some(NOTHING_TO_UNDO.to_owned());
        }
    }
}

/// What an undo would do, as a list that does it; or why that cannot be told.
fn undo(local: &mut Local, view: &View, offer: Result<UndoPreview, String>) {
    match offer {
        Ok(offer) => fill(local, Source::Undo, |picker| {
            *picker = Picker { is_rewind: picker.is_rewind, ..Picker::undo(offer, picker.rewinds, view) };
        }),
        Err(why) => {
            if awaited(local, Source::Undo).is_some() {
                local.overlay = None;
                local.hint = Some(why);
            }
        }
    }
}

/// A line that is not obeyed stands in the composer again.
fn returned(local: &mut Local, line: &str, why: String) {
    local.message_composer().give_back(line);
    local.hint = Some(why);
}

impl Local {
    /// The line of a command that is not carried out stands in the composer again.
    pub(super) fn give_back_obeyed(&mut self) {
        if let Some(line) = self.obeyed.take() {
            self.message_composer().give_back(&line);
        }
    }
}

/// A message comes back to where it was typed; of one that a custom command said, its file may be what is wrong.
fn message_returned(local: &mut Local, view: &View, said: &UserMessage, why: String) {
    local.message_composer().give_back_message(&as_typed(said, view));
    local.hint = Some(match NamedCommand::file_of(&view.settings.commands, said) {
        Some(file) => format!("{file}: {why}"),
        None => why,
    });
}

/// Takes an answer in.
pub fn reply(local: &mut Local, view: &View, reply: Reply) {
    if matches!(reply, Reply::Mention(_) | Reply::Refused(_)) {
        local.image_comes = false;
    }
    if matches!(reply, Reply::Refused(_) | Reply::LineReturned { .. }) {
        local.rewind = None;
        local.overlay.take_if(|overlay| matches!(overlay, Overlay::Picker(picker) if picker.is_awaited));
    }
    match reply {
        Reply::Returned { said, why } => message_returned(local, view, &said, why),
        Reply::LineReturned { line, why } => returned(local, &line, why),
        Reply::NoModel { name, why } => {
            local.next_model.take_if(|coming| coming.is_sought(&name));
            returned(local, &format!("/model {name}"), why);
        }
        Reply::Refused(why) => local.hint = Some(why),
        // Whoever runs the screen leaves it.
        Reply::Branched { .. } | Reply::Forked(_) | Reply::BranchStarts(_) => {}
        Reply::Branches(rows) => inspected(local, |inspector| inspector.tree = Some(rows)),
        Reply::Beside(beside) => inspected(local, |inspector| inspector.beside = Some(beside)),
        Reply::Done(said) => local.hint = Some(said),
        Reply::RulePlan(plan) => session_rule::planned(local, plan),
        Reply::Undo(offer) => undo(local, view, offer),
        Reply::NothingToUndo => nothing_to_undo(local),
        Reply::Sessions(sessions) => {
            fill(local, Source::Sessions, |picker| {
                picker.items = sessions.into_iter().map(session).collect()
            });
        }
        Reply::Models(models) => {
            local.known_names.heard(&models.usable);
            fill(local, Source::Models, |picker| {
                (picker.before, picker.left_out) = (models.answering, models.unusable);
                picker.items = models.usable.into_iter().map(model).collect();
                picker.chosen = picker.items.iter().position(|item| picker.is_current(item)).unwrap_or(0);
            });
        }
        Reply::Files(list) => local.files.heard(list),
        // Not into the arguments of a call that is changed meanwhile.
        Reply::Mention(_) if local.is_editing() => {}
        Reply::Mention(image) => {
            local.hint = None;
            local.composer.attach(&[image]);
        }
        Reply::Preview { id, parts } => {
            if let Some(Overlay::Picker(picker)) = &mut local.overlay
                && let Some((of, preview)) = &mut picker.preview
                && *of == id
            {
                *preview = parts;
            }
        }
        Reply::Usage(table) => spent(local, table),
        Reply::Report(subject, parts) => reported(local, subject, parts),
        Reply::StatusLine(wrote) => status_line(local, wrote),
        Reply::Notice(said) => local.found(&said),
        Reply::Reading(begins) => {
            local.reading_files = ReadingFiles::after(local.reading_files, begins, local.now);
        }
    }
}

/// Fills a page of the inspector, if it is still open.
fn inspected(local: &mut Local, with: impl FnOnce(&mut Inspector)) {
    if let Some(Overlay::Ledger(inspector)) = &mut local.overlay {
        with(inspector);
    }
}

/// Fills the page of what was spent, if it is still open.
fn spent(local: &mut Local, table: UsageTable) {
    if let Some(Overlay::Page(open)) = &mut local.overlay
        && open.name == usage::NAME
    {
        open.page = usage::filled(table);
    }
}

/// Fills the page that asked, if it is still open. What there was to know about the session stands first on its own page: elsewhere it
/// gives way to what is said.
fn reported(local: &mut Local, subject: Subject, mut parts: Vec<ReportPart>) {
    if subject == Subject::Status && !local.told.is_empty() {
        let lines = local.told.iter().flat_map(|said| said.lines()).filter(|line| !line.trim().is_empty());
        let told = lines.map(|line| ReportPart::Line(line.to_owned()));
        parts.splice(0..0, std::iter::once(ReportPart::Heading("To know".to_owned())).chain(told));
    }
    if let Some(Overlay::Page(open)) = &mut local.overlay
        && open.name == subject.title()
    {
        open.page = report::filled(subject, parts);
    }
}

/// What the user's command wrote. That it failed is said once, and not over something else.
fn status_line(local: &mut Local, wrote: Result<String, String>) {
    let now = local.now;
    if let Some(why) = local.status_line.heard(wrote, now) {
        match &local.hint {
            None => local.hint = Some(why),
            Some(_) => local.found(&why),
        }
    }
}

/// The session whose last lines are to be shown and were not asked for yet.
pub fn wanted_preview(local: &mut Local) -> Option<String> {
    let Some(Overlay::Picker(picker)) = &mut local.overlay else { return None };
    let Some(Item { choice: Choice::Session(id), .. }) = picker.current() else { return None };
    if picker.preview.as_ref().is_some_and(|(of, _)| of == id) {
        return None;
    }
    let id = id.clone();
    picker.preview = Some((id.clone(), Vec::new()));
    Some(id)
}

fn fill(local: &mut Local, source: Source, with: impl FnOnce(&mut Picker)) {
    if let Some(picker) = awaited(local, source) {
        picker.is_awaited = false;
        with(picker);
    }
}

/// The list that waits for this, if it is still there.
fn awaited(local: &mut Local, source: Source) -> Option<&mut Picker> {
    match &mut local.overlay {
        Some(Overlay::Picker(picker)) if picker.is_awaited && picker.source == source => Some(picker),
        _ => None,
    }
}

fn session(session: EarlierSession) -> Item {
    Item { words: session.words, aside: session.aside, choice: Choice::Session(session.id) }
}

fn model((name, about): (String, String)) -> Item {
    Item { words: name.clone(), aside: about, choice: Choice::Model(name) }
}
