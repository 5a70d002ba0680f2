//! A call that waits, said whole: what it would do, and why it asks.

use serde_json::Value;

use crate::ledger::{ApprovalRequest, CallId, Preview};
use crate::policy::page;
use crate::tool::ASK;
use crate::ui::effect_words;
use crate::ui::new_file::NewFile;
use crate::ui::text::{command_in_words, diff};
use crate::view::{Panel, View, subject};

use super::output::LinearOutput;
use super::words::plain;

/// Whose call it is, where that is not the model of this session.
pub(super) fn whose(view: &View, call: CallId) -> String {
    let panel = view.panel(call);
    if let Some(name) = view.custom_command(call) {
        return format!(" (of the {} {})", view.kind_of_named(name), plain(name));
    }
    match panel.and_then(|panel| panel.asked_by.as_ref()) {
        Some(by) => {
            let check = if panel.is_some_and(Panel::is_goal_check) { "the check of the race, " } else { "" };
            format!(" ({check}of the sub-agent {})", plain(&by.to_string()))
        }
        None if panel.is_some_and(Panel::is_goal_check) => " (the check of the goal)".to_owned(),
        None => String::new(),
    }
}

/// A change of the file of this name, line by line.
fn said_change(request: &ApprovalRequest, unified: &str, path: &str, output: &mut LinearOutput) {
    output.say(format!("change: {path}").trim_end());
    said_path(request, output);
    let repeated = format!("file: {path}");
    let lines = diff::spoken(unified).into_iter().filter(|line| *line != repeated);
    match unified.trim().is_empty() {
        true => output.more(unchanged(request)),
        false => lines.for_each(|line| output.more(&line)),
    }
}

/// What it would do, whole, and why it asks.
pub(super) fn said_whole(request: &ApprovalRequest, panel: Option<&Panel>, output: &mut LinearOutput) {
    match &request.preview {
        Preview::Command(command) => {
            output.say_exactly("command", &command_in_words(command));
            for (name, value) in request.beside_command() {
                output.say(&format!("with {name}: {value}"));
            }
            for part in panel.map(effect_words::parts).unwrap_or_default() {
                let to = part.to.as_ref().map(|to| format!(" to {to}")).unwrap_or_default();
                output.say(&format!("it {}{to}: {}", part.does(), part.text.replace('\n', " ")));
            }
        }
        Preview::Diff(unified) => {
            let files = unified.split_once("@@ ").map_or("", |(files, _)| files);
            let new = NewFile::cut_in(request).map(|file| format!("{files}{}", file.whole(false)));
            let unified = new.as_deref().unwrap_or(unified);
            said_change(request, unified, &panel.map(subject).unwrap_or_default(), output);
            if request.is_partial && new.is_none() {
                output.say(&format!("the whole call, arguments: {:#}", request.arguments));
            }
        }
        Preview::None if request.name == ASK => {
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            output.say(&format!(
                "question: {}",
                request.arguments.get("question").map(text).unwrap_or_default()
            ));
            let choices = request.arguments.get("choices").and_then(Value::as_array);
            for (number, choice) in (1..).zip(choices.map_or(&[][..], Vec::as_slice)) {
                output.say(&format!("choice {number}: {}", text(choice)));
            }
            return;
        }
        Preview::Recipient(to) => {
            output.say(&format!("sent to: {to}"));
            output.say(&format!("arguments: {:#}", request.arguments));
        }
        Preview::None => {
            if let Some(page) =
                request.arguments.get("url").and_then(Value::as_str).and_then(|url| page(url).ok())
            {
                output.say(&format!("asks the server {} for {}", page.server, page.whole));
            }
            if let Some(path) = &request.leads_to {
                output.say(&format!("path: {path}"));
                said_path(request, output);
            }
            output.say(&format!("arguments: {:#}", request.arguments));
        }
    }
    if !request.is_usual {
        output.say(&format!("why it asks: {}", request.why));
    }
    if !request.gaps.is_empty() {
        output.say(
            "g runs commands anyway for this session, this one too; /permissions revoke gaps takes that back",
        );
    }
    if let Some(warning) = &request.warning {
        output.say(&format!("warning: {warning}"));
    }
}

/// A change without a line of it.
fn unchanged(request: &ApprovalRequest) -> &'static str {
    let is_empty = request.arguments.get("content").and_then(Value::as_str) == Some("");
    if is_empty && !request.replaces { "a new file, which is empty" } else { "no line changes" }
}

/// That the path is not written as it is used, where it is not.
fn said_path(request: &ApprovalRequest, output: &mut LinearOutput) {
    if let Some(written) = request.written() {
        output.say(&format!("written as: {written}"));
    }
}
