//! A session as one HTML page that needs nothing else: no network, no scripts of others. What models, tools and people wrote is text in
//! it, never markup.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use super::{came_along, excerpt, name};
use crate::ledger::{
    ApprovalRequest, Body, CallId, Change, Decision, Entry, EntryId, Image, Outcome, Preview, ToolResult,
    ToolUse, TurnEnded, seconds,
};
use crate::ui::text::{counted, sanitize};
use crate::view::{decision_words, one_line, summary};
use crate::wire::record::{SessionFile, moment};

/// The page around the entries, with placeholders.
const PAGE: &str = include_str!("../../../assets/session.html");
/// Lines of a text that is not folded.
const MOST_LINES: usize = 24;

/// The page of a session, with what is wrong with it. Each text is cleaned before it is written.
pub(crate) fn page(file: &SessionFile, damage: Option<&str>, clean: &dyn Fn(&str) -> String) -> String {
    let mut writer = PageWriter { clean, text: String::new() };
    let withdrawn: BTreeMap<EntryId, &str> = file
        .entries
        .iter()
        .filter_map(|entry| {
            if let Body::Tombstone(stone) = &entry.body {
                Some((stone.target, stone.reason.as_str()))
            } else {
                None
            }
        })
        .collect();
    let about = of_calls(&file.entries);
    for entry in &file.entries {
        let is_shown_with_its_call = entry
            .body
            .call()
            .and_then(|call| about.get(&call))
            .is_some_and(|with| with.iter().any(|one| one.id == entry.id));
        if is_shown_with_its_call || is_silent(&entry.body) {
            continue;
        }
        match withdrawn.get(&entry.id) {
            None => writer.article(entry, &about),
            Some(why) => {
                writer.push("<details class=\"withdrawn\"><summary>");
                writer.words(&format!("{} was withdrawn: {why}", entry.id));
                writer.push("</summary>\n");
                writer.article(entry, &about);
                writer.push("</details>\n");
            }
        }
    }
    let (title, facts) = head(file, damage, clean);
    filled(&title, &facts, &writer.text)
}

/// What belongs to a call and is shown with it.
fn of_calls(entries: &[Arc<Entry>]) -> BTreeMap<CallId, Vec<&Entry>> {
    let mut about: BTreeMap<CallId, Vec<&Entry>> = BTreeMap::new();
    let mut made = BTreeSet::new();
    for entry in entries {
        match &entry.body {
            Body::ToolCall(call) | Body::Command(call) | Body::Validation(call) => drop(made.insert(call.id)),
            Body::ApprovalRequested(_)
            | Body::ApprovalDecided(_)
            | Body::ToolResult(_)
            | Body::CallEdited(_)
            | Body::Note(_) => {
                let changed = || entry.body.changes().map(|(call, _)| call);
                if let Some(call) = entry.body.call().or_else(changed).filter(|call| made.contains(call)) {
                    about.entry(call).or_default().push(entry);
                }
            }
            _ => {}
        }
    }
    about
}

/// The page with its parts. The placeholders are ours, and nothing that is put in is searched for one again.
fn filled(title: &str, facts: &str, entries: &str) -> String {
    let mut page = String::with_capacity(PAGE.len() + entries.len());
    for (number, part) in PAGE.split("{{").enumerate() {
        match part.split_once("}}").filter(|_| number > 0) {
            None => page.push_str(part),
            Some((name, rest)) => {
                page.push_str(match name {
                    "title" => title,
                    "facts" => facts,
                    "entries" => entries,
                    _ => env!("CARGO_PKG_VERSION"),
                });
                page.push_str(rest);
            }
        }
    }
    page
}

fn head(file: &SessionFile, damage: Option<&str>, clean: &dyn Fn(&str) -> String) -> (String, String) {
    let Some(first) = file.entries.first() else { return (String::new(), String::new()) };
    let Body::SessionStarted(started) = &first.body else { return (String::new(), String::new()) };
    let name = name(&file.entries);
    let at = moment(first.at);
    let mut facts = String::from("<dl>");
    let (model, excerpt) = (started.model.to_string(), excerpt(file));
    let rows = [
        ("Session", started.session.as_str()),
        ("Began", at.as_str().unwrap_or_default()),
        ("Folder", &started.cwd),
        ("Model", &model),
    ];
    let import = came_along(file.came_to());
    let others = [("Warning", damage), ("Imported", import.as_deref()), ("Left out", excerpt.as_deref())];
    let others = others.into_iter().filter_map(|(what, says)| Some((what, says?)));
    for (what, says) in rows.into_iter().chain(others) {
        // Writing to a string cannot fail.
        write!(facts, "<dt>{what}</dt><dd>{}</dd>", escaped(&clean(says))).unwrap_or_default();
    }
    facts.push_str("</dl>");
    if !started.system.is_empty() {
        let system = escaped(&clean(&started.system));
        write!(
            facts,
            "<details><summary>What the model is told first</summary><pre>{system}</pre></details>"
        )
        .unwrap_or_default();
    }
    (escaped(&clean(name.unwrap_or(&format!("Session {}", started.session)))), facts)
}

/// Entries about which the head, or another entry, says all there is to say.
fn is_silent(body: &Body) -> bool {
    matches!(body, Body::SessionStarted(_) | Body::Transition { .. } | Body::Tombstone(_))
        || matches!(body, Body::Assistant(said) if said.text().trim().is_empty() && said.thinking().trim().is_empty())
}

struct PageWriter<'a> {
    clean: &'a dyn Fn(&str) -> String,
    text: String,
}

impl PageWriter<'_> {
    fn article(&mut self, entry: &Entry, about: &BTreeMap<CallId, Vec<&Entry>>) {
        let (class, heading) = match &entry.body {
            Body::User(_) => ("user", "User".to_owned()),
            Body::Assistant(said) if said.interrupted => ("assistant", "Assistant, interrupted".to_owned()),
            Body::Assistant(_) => ("assistant", "Assistant".to_owned()),
            Body::ToolCall(call) => ("tool", call.name.clone()),
            Body::Command(call) => ("tool", format!("{}, the user's own", call.name)),
            Body::Validation(call) => ("tool", format!("{}, the goal's check", call.name)),
            Body::Injected(said) => ("aside", said.by.as_str().to_owned()),
            Body::Compaction(_) => ("aside", "Earlier conversation, summarised".to_owned()),
            Body::TurnEnded(_) => ("ending", "End".to_owned()),
            Body::Error { .. } => ("warning", "Error".to_owned()),
            other => ("aside", other.kind().replace('_', " ")),
        };
        let (id, at) = (entry.id, moment(entry.at));
        let at = at.as_str().unwrap_or_default();
        let at = at.get(..19).unwrap_or(at).replace('T', " ");
        self.push(&format!("<article class=\"{class}\" id=\"{id}\"><h2>"));
        self.words(&heading);
        self.push(&format!(" <a href=\"#{id}\">{id}</a><span class=\"when\">{at}</span></h2>\n"));
        match &entry.body {
            Body::User(said) => self.said(&said.shown(), &said.images),
            Body::Injected(said) => self.said(&said.shown(), &said.images),
            Body::Assistant(said) => {
                self.folded("Thinking", &said.thinking(), 0);
                self.said(&said.text(), &[]);
            }
            Body::ToolCall(call) | Body::Command(call) | Body::Validation(call) => {
                self.call(call, about.get(&call.id).map_or(&[], Vec::as_slice));
            }
            Body::Compaction(made) => {
                let tokens = format!("{} tokens became {}", made.tokens_before, made.tokens_after);
                self.folded(&tokens, &made.summary, 0);
            }
            Body::TurnEnded(ended) => self.ending(ended),
            // Of one in the background, and of one that was cut short, nothing else says what it answered.
            Body::Change(Change::EscrowSettled(settled)) => {
                self.pre("words", &one_line(entry));
                self.folded("", settled.answer.as_deref().unwrap_or_default(), MOST_LINES);
            }
            _ => self.pre("words", &one_line(entry)),
        }
        self.push("</article>\n");
    }

    fn said(&mut self, words: &str, images: &[Image]) {
        if !words.trim().is_empty() {
            self.pre("words", words.trim_end());
        }
        for image in images {
            let is_plain = |text: &str| {
                text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=-.".contains(&byte))
            };
            if is_plain(&image.media_type) && is_plain(&image.data) {
                self.push(&format!(
                    "<img alt=\"\" src=\"data:{};base64,{}\">\n",
                    image.media_type, image.data
                ));
            }
        }
    }

    fn call(&mut self, call: &ToolUse, about: &[&Entry]) {
        self.push("<div class=\"call\">");
        self.pre("", &summary(&call.arguments));
        self.folded("Arguments", &format!("{:#}", call.arguments.to_value()), 0);
        for entry in about {
            self.push(&format!("<section id=\"{}\">", entry.id));
            match &entry.body {
                Body::ApprovalRequested(asked) => self.asked(asked),
                Body::ApprovalDecided(decision) => self.decided(decision),
                Body::CallEdited(changed) => {
                    self.heading("", "Changed by the user");
                    self.pre("", &format!("{:#}", changed.arguments.to_value()));
                }
                Body::Note(note) => {
                    if let Some((_, arguments)) = note.changed_by_hook() {
                        self.heading("", "Changed by a hook");
                        self.pre("", &format!("{:#}", arguments.to_value()));
                    }
                }
                Body::ToolResult(result) => self.result(result),
                _ => {}
            }
            self.push("</section>\n");
        }
        self.push("</div>\n");
    }

    fn asked(&mut self, asked: &ApprovalRequest) {
        self.heading("", &format!("Asked: {}", asked.effects.join(", ")));
        if let Some(warning) = &asked.warning {
            self.pre("warning", warning);
        }
        match &asked.preview {
            Preview::Diff(diff) => self.diff(diff),
            Preview::None | Preview::Command(_) | Preview::Recipient(_) => {}
        }
    }

    fn decided(&mut self, decision: &Decision) {
        self.heading(if decision.allow { "good" } else { "bad" }, &decision_words(decision));
        if !decision.reason.is_empty() {
            self.pre("aside", &decision.reason);
        }
    }

    fn result(&mut self, result: &ToolResult) {
        let class = if result.outcome.is_error() { "bad" } else { "good" };
        // When one ended that was lost, nobody knows.
        let is_lost = matches!(result.outcome, Outcome::Lost { .. });
        let ran = if is_lost { String::new() } else { format!(" after {}", seconds(result.duration_ms)) };
        self.heading(class, &format!("{}{ran}", result.outcome.as_str()));
        self.folded("", &result.shown(), MOST_LINES);
    }

    fn ending(&mut self, ended: &TurnEnded) {
        let (turns, calls) = (ended.turns, ended.tool_calls);
        let counts = format!(" \u{b7} model calls: {turns} \u{b7} tool calls: {calls}");
        let counts = if ended.is_counted() { counts.as_str() } else { "" };
        self.pre("aside", &format!("{}{counts}", ended.reason.as_str()));
        if !ended.reason.completed() {
            self.pre("aside", ended.what_next());
        }
    }

    fn diff(&mut self, diff: &str) {
        self.push("<pre>");
        // As a whole: a key may have several lines.
        for line in (self.clean)(diff).lines() {
            let class = match line.bytes().next() {
                Some(b'+') => "added",
                Some(b'-') => "removed",
                _ => "",
            };
            if class.is_empty() {
                self.words(line);
                self.push("\n");
            } else {
                self.push(&format!("<span class=\"{class}\">"));
                self.words(line);
                self.push("</span>");
            }
        }
        self.push("</pre>\n");
    }

    /// A text that is folded if it has more than so many lines.
    fn folded(&mut self, heading: &str, text: &str, most: usize) {
        let (text, lines) = (text.trim_end(), text.trim_end().lines().count());
        if text.is_empty() {
            return;
        }
        if lines <= most {
            return self.pre("", text);
        }
        self.push("<details><summary>");
        let heading = if heading.is_empty() { counted(lines as u64, "line") } else { heading.to_owned() };
        self.words(&heading);
        self.push("</summary>");
        self.pre("", text);
        self.push("</details>\n");
    }

    fn heading(&mut self, class: &str, words: &str) {
        self.push(&format!("<h3 class=\"{class}\">"));
        self.words(words);
        self.push("</h3>\n");
    }

    fn pre(&mut self, class: &str, words: &str) {
        self.push(&format!("<pre class=\"{class}\">"));
        self.words(words);
        self.push("</pre>\n");
    }

    /// What somebody wrote, as text.
    fn words(&mut self, words: &str) {
        let clean = escaped(&(self.clean)(words));
        self.push(&clean);
    }

    fn push(&mut self, html: &str) {
        self.text.push_str(html);
    }
}

/// Text that is only text in HTML, without what steers terminals or turns lines around.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for part in text.split_inclusive('\t') {
        let (words, tab) = part.strip_suffix('\t').map_or((part, ""), |words| (words, "\t"));
        for sign in sanitize(words).chars() {
            match sign {
                '&' => safe.push_str("&amp;"),
                '<' => safe.push_str("&lt;"),
                '>' => safe.push_str("&gt;"),
                '"' => safe.push_str("&quot;"),
                '\'' => safe.push_str("&#39;"),
                other => safe.push(other),
            }
        }
        safe.push_str(tab);
    }
    safe
}
