//! Entries of ours in the making: messages whose parts come in several lines, and calls with one result each.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ledger::{
    Arguments, AssistantMessage, Block, Body, CallId, Change, Compaction, CompactionTrigger, Ending, Entry,
    EntryId, FORMAT_VERSION, Facts, ForeignTool, Millis, ModelRef, Outcome, SessionStarted, Stop, Thinking,
    ToolResult, ToolUse, TurnEnded, Usage, UserMessage,
};

/// Most characters of a result that are kept.
const MOST_OF_A_RESULT: usize = 100_000;
/// Most characters of a tool's name that a provider takes.
const MOST_OF_A_TOOL: usize = 64;
/// Most characters of a title.
const MOST_OF_A_TITLE: usize = 200;
/// What a call has in the place of a result that is not there.
const NO_RESULT: &str = "There is no result of this call in the imported file: how it ended is not known.";

/// Makes entries.
#[derive(Debug)]
pub(super) struct EntryMaker {
    tool: ForeignTool,
    done: Vec<Entry>,
    last_entry: u64,
    last_call: u64,
    at: Millis,
    now: Millis,
    said: Option<OpenMessage>,
    model: ModelRef,
    is_answered: bool,
    messages: usize,
    without_result: usize,
}

/// A message of the model that is not complete.
#[derive(Debug)]
struct OpenMessage {
    group: Option<String>,
    model: ModelRef,
    blocks: Vec<Block>,
    /// The ids that the other program gave the calls.
    calls: BTreeMap<String, CallId>,
    results: BTreeMap<CallId, (String, bool)>,
}

impl EntryMaker {
    /// With the first two entries. The session has an id of ours and one of theirs; it began, and it is now.
    pub(super) fn begin(
        tool: ForeignTool,
        (id, session): (&str, &str),
        cwd: &str,
        model: &str,
        (began, now): (Millis, Millis),
    ) -> Self {
        let mut maker = Self {
            tool,
            done: Vec::new(),
            last_entry: 0,
            last_call: 0,
            at: began,
            now,
            said: None,
            model: model_of(tool, model),
            is_answered: true,
            messages: 0,
            without_result: 0,
        };
        maker.push(Body::SessionStarted(SessionStarted {
            session: id.to_owned(),
            cwd: cwd.to_owned(),
            model: maker.model.clone(),
            version: FORMAT_VERSION,
            system: String::new(),
            mode: None,
            forked_from: None,
        }));
        maker.push(Body::Change(Change::Imported { from: tool, session: session.to_owned() }));
        maker
    }

    /// What follows was said at this moment. Clocks of others may be wrong: time neither goes back nor runs ahead.
    pub(super) fn at(&mut self, at: Option<Millis>) {
        self.at = at.unwrap_or(self.at).clamp(self.at, self.now.max(self.at));
    }

    fn push(&mut self, body: Body) {
        self.last_entry += 1;
        self.done.push(Entry { id: EntryId(self.last_entry), at: self.at, body });
    }

    /// The user said this.
    pub(super) fn user(&mut self, words: String) {
        if !words.trim().is_empty() {
            self.settle();
            self.messages += 1;
            self.is_answered = false;
            self.push(Body::User(Arc::new(UserMessage::text(words))));
        }
    }

    /// The model said this. Parts with the same name are one message; without names, parts between results are.
    pub(super) fn text(&mut self, group: Option<&str>, model: Option<&str>, text: &str) {
        if !text.is_empty() {
            self.message(group, model).blocks.push(Block::Text(text.into()));
        }
    }

    /// The model thought this. What signs or encrypts it was for another request and is not kept.
    pub(super) fn thinking(&mut self, group: Option<&str>, model: Option<&str>, text: &str) {
        if !text.is_empty() {
            let thinking = Thinking { text: text.to_owned(), replay: None };
            self.message(group, model).blocks.push(Block::Thinking(thinking));
        }
    }

    /// The model called a tool. False: it did so before.
    pub(super) fn call(
        &mut self,
        group: Option<&str>,
        model: Option<&str>,
        (their_id, name): (&str, &str),
        arguments: Arguments,
    ) -> bool {
        let id = CallId(self.last_call + 1);
        let name = tool_name(name);
        let said = self.message(group, model);
        if said.calls.contains_key(their_id) {
            return false;
        }
        said.calls.insert(their_id.to_owned(), id);
        said.blocks.push(Block::ToolUse(ToolUse { id, wire_id: String::new(), name, arguments }));
        self.last_call = id.0;
        true
    }

    /// A call ended like this. False: there is no such call, or it has ended.
    pub(super) fn result(&mut self, their_id: &str, content: String, failed: bool) -> bool {
        let Some(said) = &mut self.said else { return false };
        let Some(id) = said.calls.get(their_id) else { return false };
        if said.results.contains_key(id) {
            return false;
        }
        said.results.insert(*id, (content, failed));
        true
    }

    /// Everything before is replaced by this summary.
    pub(super) fn summary(&mut self, words: &str) {
        self.settle();
        if words.trim().is_empty() || self.messages == 0 {
            return;
        }
        self.push(Body::Compaction(Compaction {
            trigger: CompactionTrigger::Auto,
            replaces_to: EntryId(self.last_entry),
            summary: words.to_owned(),
            model: self.model.clone(),
            usage: Usage::default(),
            tokens_before: 0,
            tokens_after: 0,
        }));
    }

    /// The message that is being said: the same, or the next one.
    fn message(&mut self, group: Option<&str>, model: Option<&str>) -> &mut OpenMessage {
        let goes_on = self.said.as_ref().is_some_and(|said| match (group, &said.group) {
            (Some(group), Some(before)) => group == before,
            _ => said.results.is_empty() || said.results.len() < said.calls.len(),
        });
        if !goes_on {
            self.settle();
        }
        if let Some(model) = model {
            self.model = model_of(self.tool, model);
        }
        let model = &self.model;
        self.said.get_or_insert_with(|| OpenMessage {
            group: group.map(str::to_owned),
            model: model.clone(),
            blocks: Vec::new(),
            calls: BTreeMap::new(),
            results: BTreeMap::new(),
        })
    }

    /// Writes the message with its calls and results down.
    fn settle(&mut self) {
        let Some(mut said) = self.said.take().filter(|said| !said.blocks.is_empty()) else { return };
        self.messages += 1;
        let message = AssistantMessage {
            id: EntryId(self.last_entry + 1),
            model: said.model,
            stop: if said.calls.is_empty() { Stop::End } else { Stop::ToolUse },
            blocks: said.blocks,
            usage: Usage::default(),
            interrupted: false,
        };
        let calls: Vec<ToolUse> = message.calls().cloned().collect();
        self.is_answered = calls.is_empty();
        self.push(Body::Assistant(Arc::new(message)));
        for call in calls {
            let given = said.results.remove(&call.id);
            self.without_result += usize::from(given.is_none());
            let (content, failed) = given.unwrap_or_else(|| (NO_RESULT.to_owned(), true));
            let (content, cut_chars) = cut(content);
            self.push(Body::ToolCall(call.clone()));
            self.push(Body::ToolResult(Arc::new(ToolResult {
                call: call.id,
                name: call.name,
                outcome: if failed { Outcome::Failed } else { Outcome::Ok },
                content,
                written: None,
                duration_ms: 0,
                cut_chars,
                facts: Facts { is_elsewhere: true, ..Facts::default() },
                images: Vec::new(),
            })));
        }
    }

    /// The last entries: what the session was called, and that it came to rest if the model had the last word.
    pub(super) fn finish(&mut self, title: Option<&str>) {
        self.settle();
        if let Some(title) = title {
            let words: String = title.split_whitespace().collect::<Vec<_>>().join(" ");
            let name: String = words.chars().filter(|c| !c.is_control()).take(MOST_OF_A_TITLE).collect();
            if !name.is_empty() {
                self.push(Body::Change(Change::Renamed { name }));
            }
        }
        if self.is_answered && self.messages > 0 {
            self.push(Body::TurnEnded(TurnEnded {
                reason: Ending::Completed,
                turns: 0,
                tool_calls: 0,
                hosted_tools: 0,
                usage: Usage::default(),
                wall_ms: 0,
                text: "".into(),
                not_ok: Vec::new(),
                next_safe_action: String::new(),
                cut_by: None,
            }));
        }
    }

    /// What is complete and was not taken yet.
    pub(super) fn take(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.done)
    }

    /// Messages, calls, and calls without a result.
    pub(super) fn counted(&self) -> (usize, usize, usize) {
        (self.messages, usize::try_from(self.last_call).unwrap_or(usize::MAX), self.without_result)
    }
}

fn cut(content: String) -> (String, u64) {
    match content.char_indices().nth(MOST_OF_A_RESULT) {
        None => (content, 0),
        Some((at, _)) => {
            let (kept, rest) = content.split_at_checked(at).unwrap_or((&content, ""));
            (format!("{kept}\u{2026}"), rest.chars().count() as u64)
        }
    }
}

/// A model as we write it: the provider of the other program first.
fn model_of(tool: ForeignTool, name: &str) -> ModelRef {
    let provider = match tool {
        ForeignTool::Claude => "anthropic",
        ForeignTool::Codex => "openai",
    };
    let name: String = name.chars().filter(|c| !c.is_control()).take(100).collect();
    ModelRef { provider: provider.to_owned(), name }
}

/// A name that every provider takes back.
fn tool_name(name: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    let name: String = name.chars().map(allowed).take(MOST_OF_A_TOOL).collect();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}
