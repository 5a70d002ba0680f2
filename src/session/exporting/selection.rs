//! What of a session goes into a document: which entries, and which contents are left out of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use serde_json::Value;

use super::comparison::{Comparison, Folded, NamedText, all_texts, texts};
use super::shown_call::{is_about, shows};
use super::told_results::telling;
use crate::config::fault::one_line;
use crate::ledger::{Body, Entry, EntryId};
use crate::wire::has_key;
use crate::wire::record::{ChainFault, ContentField, Redacted, without};
use std::sync::Arc;

/// What is chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Selection {
    rules: Vec<Rule>,
    only: Option<Vec<RangeInclusive<u64>>>,
}

/// Why no document was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotLeftOut {
    /// What is in the way.
    pub(crate) what: String,
    /// It is in the file, and not in what was asked for.
    pub(crate) is_damage: bool,
}

impl From<String> for NotLeftOut {
    fn from(what: String) -> Self {
        Self { what, is_damage: false }
    }
}

/// Contents that are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    All,
    Messages,
    Thinking,
    Arguments,
    Results,
    System,
    Images,
    Withdrawn,
    Entries(RangeInclusive<u64>),
    Text(NamedText),
}

impl Selection {
    /// Reads what was typed: rules and ranges, separated by commas.
    ///
    /// # Errors
    /// Which word is none, and which there are.
    pub(crate) fn parse(redact: &[String], only: &[String]) -> Result<Self, String> {
        let words = |typed: &[String]| -> Vec<String> {
            let words = typed.iter().flat_map(|typed| match typed.strip_prefix("text:") {
                // A text may have commas.
                Some(_) => vec![typed.clone()],
                None => typed.split(',').map(|word| word.trim().to_owned()).collect(),
            });
            words.filter(|word| !word.is_empty()).collect()
        };
        if !redact.is_empty() && words(redact).is_empty() {
            return Err("there is no rule after --redact".to_owned());
        }
        if !only.is_empty() && words(only).is_empty() {
            return Err("there is no entry after --only".to_owned());
        }
        let rules = words(redact).iter().map(|word| rule(word)).collect::<Result<_, _>>()?;
        let only = words(only);
        let ranges = only.iter().map(|word| {
            range(word)
                .ok_or_else(|| format!("`{word}` is not an entry such as e12, or a range such as e12..e20"))
        });
        let ranges = ranges.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { rules, only: (!ranges.is_empty()).then_some(ranges) })
    }

    /// Whether all of the session goes in.
    pub(crate) fn is_all(&self) -> bool {
        self.rules.is_empty() && self.only.is_none()
    }

    /// Whether an entry goes in with its contents.
    pub(crate) fn has(&self, entry: EntryId) -> bool {
        self.only.as_ref().is_none_or(|ranges| ranges.iter().any(|range| range.contains(&entry.0)))
    }

    /// The session file without what is left out, and without contents in which one of these keys stands. What repeats something that
    /// is left out is left out, too.
    ///
    /// # Errors
    /// The file has no hashes or is damaged, a text stands where nothing can be left out, or nothing that was named is there.
    pub(crate) fn applied(
        &self,
        bytes: &[u8],
        entries: &[Arc<Entry>],
        keys: &[&str],
    ) -> Result<Redacted, NotLeftOut> {
        let withdrawn: BTreeSet<EntryId> = entries
            .iter()
            .filter_map(
                |entry| if let Body::Tombstone(stone) = &entry.body { Some(stone.target) } else { None },
            )
            .collect();
        // What people were shown of a call says what the call says, in other words.
        let shown = self.shown_of_left_out(entries);
        let shows_call = |content: &ContentField<'_>| {
            let body = content.entry.and_then(|entry| shown.get(&entry));
            body.is_some_and(|body| shows(body, content.name))
        };
        // So does what came of a call beside its result: the words of the program stand around it, so nothing else is compared with it.
        let of_results = if self.rules.contains(&Rule::Results) { telling(entries) } else { BTreeSet::new() };
        let tells_result =
            |content: &ContentField<'_>| content.entry.is_some_and(|entry| of_results.contains(&entry));
        let named: Vec<NamedText> = keys.iter().map(|key| NamedText::new(key)).collect();
        let is_key = |text: &str| {
            let folded = Folded::of(text);
            named.iter().any(|key| key.is_in(&folded)) || keys.iter().any(|key| has_key(text, key))
        };
        let chosen = |content: &ContentField<'_>| {
            // A count says nothing that the entries do not.
            if content.value.is_number() {
                return false;
            }
            let is_part = content.entry.is_none_or(|entry| self.has(entry));
            !is_part
                || self.rules.iter().any(|rule| rule.leaves_out(content, &withdrawn))
                || (!keys.is_empty() && all_texts(content.value).iter().any(|text| is_key(text)))
        };
        let mut said = BTreeSet::new();
        let mut unused: Vec<&Rule> = self.rules.iter().filter(|rule| rule.must_match()).collect();
        without(bytes, &mut |content| {
            unused.retain(|rule| !rule.leaves_out(&content, &withdrawn));
            // What is not part of the document is left out as it is, wherever else it stands. The words of the program around a part
            // of a call are in other questions, too.
            let is_part = content.entry.is_none_or(|entry| self.has(entry));
            let quotes = || shows_call(&content) && !is_around_call(&content);
            if is_part && (chosen(&content) || quotes()) {
                said.extend(texts(content.name, content.value).into_iter().map(str::to_owned));
            }
            false
        })
        .map_err(cannot)?;
        if let Some(rule) = unused.first() {
            return Err(rule.names_nothing().into());
        }
        let is_there = |range: &&RangeInclusive<u64>| entries.iter().any(|entry| range.contains(&entry.id.0));
        if let Some(range) = self.only.iter().flatten().find(|range| !is_there(range)) {
            let words = Rule::Entries(range.clone()).words();
            return Err(format!("the session has no entry of those that --only names with `{words}`").into());
        }
        let said = Comparison::of(&said).map_err(|why| format!("too much is left out at once: {why}"))?;
        let repeats = |content: &ContentField<'_>| {
            texts(content.name, content.value).into_iter().any(|text| said.is_repeated_by(text))
        };
        let leaves_out = |content: &ContentField<'_>| {
            chosen(content) || shows_call(content) || tells_result(content) || repeats(content)
        };
        let copy = without(bytes, &mut |content| leaves_out(&content)).map_err(cannot)?;
        self.is_known(&copy)?;
        self.is_gone(&copy.text, &named)?;
        Ok(copy)
    }

    /// The entries that show a call of which the arguments are left out.
    fn shown_of_left_out<'e>(&self, entries: &'e [Arc<Entry>]) -> BTreeMap<EntryId, &'e Body> {
        let is_out = |entry: &Entry| {
            self.rules.iter().any(|rule| matches!(rule, Rule::Entries(range) if range.contains(&entry.id.0)))
        };
        let mut calls = BTreeSet::new();
        for entry in entries.iter().filter(|entry| is_out(entry)) {
            match &entry.body {
                Body::Assistant(said) => calls.extend(said.calls().map(|call| call.id)),
                Body::ToolCall(call)
                | Body::Validation(call)
                | Body::Command(call)
                | Body::CallEdited(call) => {
                    calls.insert(call.id);
                }
                Body::ApprovalRequested(asked) => {
                    calls.insert(asked.call);
                }
                Body::Note(note) => calls.extend(note.changed_by_hook().map(|(call, _)| call)),
                _ => {}
            }
        }
        let are_all = self.rules.iter().any(|rule| matches!(rule, Rule::All | Rule::Arguments));
        let shown = entries.iter().filter(|entry| are_all || is_about(&entry.body, &calls));
        shown.map(|entry| (entry.id, &entry.body)).collect()
    }

    /// What stays where something is left out must be known: a member that is not could repeat it.
    fn is_known(&self, copy: &Redacted) -> Result<(), String> {
        match &copy.unknown {
            Some((line, name)) if !self.is_all() => Err(format!(
                "line {line} has a member `{}` that this version does not know: nobody knows whether it \
                 repeats what is to be left out, and it cannot be left out, because the hash of the line covers it",
                one_line(name)
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// Texts and keys must not be anywhere; they could be in what is hashed itself.
    fn is_gone(&self, copy: &str, keys: &[NamedText]) -> Result<(), String> {
        let wanted: Vec<&NamedText> = self.wanted().chain(keys).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        for (number, line) in (1..).zip(copy.lines()) {
            let record: Value = serde_json::from_str(line).unwrap_or_else(|_| line.into());
            // A part of the line itself is a text, too: `"type":"note"`.
            let texts = all_texts(&record).into_iter().chain([line.into()]);
            let mut texts = texts.map(|text| Folded::of(&text));
            if texts.any(|text| wanted.iter().any(|wanted| wanted.is_in(&text))) {
                return Err(format!(
                    "a text to leave out is also in line {number} where it cannot be left out, because the \
                     hash of the line covers it"
                ));
            }
        }
        Ok(())
    }

    /// The texts that were named.
    fn wanted(&self) -> impl Iterator<Item = &NamedText> {
        self.rules.iter().filter_map(|rule| if let Rule::Text(text) = rule { Some(text) } else { None })
    }

    /// The entries in which a line stands of a text of several lines that is left out, though not the text.
    pub(crate) fn single_lines(&self, copy: &str) -> Vec<String> {
        let lines: Vec<NamedText> = self.wanted().flat_map(NamedText::lines).collect();
        if lines.is_empty() {
            return Vec::new();
        }
        let records = copy.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let is_one = |text: &Folded| lines.iter().any(|line| line.is_in(text));
        let has_one = |record: &Value| all_texts(record).iter().any(|text| is_one(&Folded::of(text)));
        let name = |record: Value| record.get("entry").and_then(Value::as_str).map(str::to_owned);
        records.filter(has_one).filter_map(name).collect()
    }
}

/// Members that say something about a call in the words of the program, with parts of the call in them.
fn is_around_call(content: &ContentField<'_>) -> bool {
    matches!(
        (content.kind, content.name),
        ("approval_request", "why" | "warning" | "gaps")
            | ("approval", "reason")
            | ("tool_result", "facts" | "content")
            | ("note", _)
    )
}

impl Rule {
    /// Whether it names something of this session, so that it is wrong where there is no such thing.
    fn must_match(&self) -> bool {
        matches!(self, Self::Entries(_) | Self::Text(_))
    }

    /// What is said where it names nothing of the session.
    fn names_nothing(&self) -> String {
        let several = if self.may_be_several() {
            "; it is one text with its commas: give each text a --redact of its own"
        } else {
            ""
        };
        format!("nothing in the session is left out by `{}`{several}", self.words())
    }

    /// Whether a person may have meant several texts by it.
    fn may_be_several(&self) -> bool {
        matches!(self, Self::Text(text) if text.as_str().contains(','))
    }

    /// As it is typed.
    fn words(&self) -> String {
        match self {
            Self::Entries(range) if range.start() == range.end() => format!("e{}", range.start()),
            Self::Entries(range) => format!("e{}..e{}", range.start(), range.end()),
            Self::Text(text) => format!("text:{}", text.as_str()),
            _ => String::new(),
        }
    }

    fn leaves_out(&self, content: &ContentField<'_>, withdrawn: &BTreeSet<EntryId>) -> bool {
        let of = |kinds: &[&str]| kinds.contains(&content.kind);
        match self {
            Self::All => true,
            Self::Messages => {
                let says = ["content", "text", "summary", "blocks", "files", "answer", "message"];
                says.contains(&content.name) && !of(&["tool_result", "note"])
                    || of(&["goal", "goal_checkpoint", "goal_progress", "handoff"])
            }
            Self::Thinking => matches!(content.name, "thinking" | "blocks"),
            Self::Arguments => {
                let asks = [
                    "arguments",
                    "tool_calls",
                    "preview",
                    "rule",
                    "leads_to",
                    "digest",
                    "key",
                    "task",
                    "warning",
                    "written",
                    "gaps",
                    "hosted",
                ];
                asks.contains(&content.name)
            }
            Self::Results => {
                of(&["tool_result", "delegation_response"])
                    || content.name == "hosted"
                    || content.name == "answer" && of(&["escrow_settled"])
            }
            Self::System => content.name == "system",
            Self::Images => content.name == "images",
            Self::Withdrawn => content.entry.is_some_and(|entry| withdrawn.contains(&entry)),
            Self::Entries(range) => content.entry.is_some_and(|entry| range.contains(&entry.0)),
            Self::Text(wanted) => all_texts(content.value).iter().any(|text| wanted.is_in(&Folded::of(text))),
        }
    }
}

fn rule(word: &str) -> Result<Rule, String> {
    Ok(match word {
        "all" => Rule::All,
        "messages" => Rule::Messages,
        "thinking" => Rule::Thinking,
        "arguments" => Rule::Arguments,
        "results" => Rule::Results,
        "system" => Rule::System,
        "images" => Rule::Images,
        "withdrawn" => Rule::Withdrawn,
        _ => match (word.strip_prefix("text:"), range(word)) {
            (Some(text), _) if !text.trim().is_empty() => Rule::Text(NamedText::new(text)),
            (None, Some(range)) => Rule::Entries(range),
            _ => {
                return Err(format!(
                    "`{word}` is not known here; known are messages, thinking, arguments, results, system, images, withdrawn, all, \
                     entries such as e12 or e12..e20, and text:WORDS"
                ));
            }
        },
    })
}

fn range(word: &str) -> Option<RangeInclusive<u64>> {
    let (first, last) = word.split_once("..").unwrap_or((word, word));
    let (first, last) = (EntryId::parse(first)?.0, EntryId::parse(last)?.0);
    (first <= last).then_some(first..=last)
}

fn cannot((line, fault): (usize, ChainFault)) -> NotLeftOut {
    let is_damage = fault != ChainFault::Unchained;
    let what = if is_damage {
        format!("line {line}: {fault}")
    } else {
        format!(
            "line {line} has no hash, so nothing can be left out of it: an older version of countersign \
             wrote it"
        )
    };
    NotLeftOut { what, is_damage }
}
