//! Putting calls together from fragments, in an order of rules that survives every server seen so far.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::{ModelEvent, weight};

use super::extras;

/// The calls of one answer.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<StreamedCall>,
    /// The last call of each of the server's numbers, which several may share, and of each id: one event may have tens of thousands of fragments.
    by_slot: BTreeMap<u64, usize>,
    by_id: BTreeMap<String, usize>,
    /// Whether one came in another form than the first.
    has_second_form: bool,
    /// How many have a name: only those exist.
    named: u32,
    /// Bytes that were kept, about, and that no event tells.
    held: u64,
}

#[derive(Debug, Default)]
struct StreamedCall {
    id: String,
    name: String,
    /// Our number, since the name is known.
    index: Option<u32>,
    /// Argument text so far; told as soon as the name is known.
    text: String,
    /// What hangs on the call and must be sent back with it.
    extra: Option<Value>,
}

/// The number of the one call that the protocol's first form can make (`function_call`).
const FIRST_FORM: u64 = u64::MAX;

/// What a call takes beside what is said of it.
const PER_CALL: u64 = 128;

/// One fragment; what is empty, null or missing says nothing.
struct Fragment<'a> {
    slot: Option<u64>,
    id: &'a str,
    name: &'a str,
    arguments: String,
    extra: Option<&'a Value>,
}

impl Calls {
    /// Takes in one fragment.
    pub(super) fn fragment(&mut self, value: &Value, events: &mut Vec<ModelEvent>) {
        self.take(Fragment::read(value), events);
    }

    /// Takes in a fragment that has nothing but arguments.
    pub(super) fn more(&mut self, slot: u64, arguments: String, events: &mut Vec<ModelEvent>) {
        self.take(Fragment { slot: Some(slot), id: "", name: "", arguments, extra: None }, events);
    }

    /// Takes in a fragment of the protocol's first form, which has one call and no ids. Where a server says a call in both
    /// forms, this one says nothing new.
    pub(super) fn first_form(&mut self, function: &Value, events: &mut Vec<ModelEvent>) {
        if self.has_second_form {
            return;
        }
        let (name, arguments) = (member(function, "/name"), arguments(function.get("arguments")));
        if !name.is_empty() || !arguments.is_empty() {
            self.take(Fragment { slot: Some(FIRST_FORM), id: "", name, arguments, extra: None }, events);
        }
    }

    /// Takes in the call at this place of a whole message: what was not said of it yet.
    pub(super) fn whole(&mut self, place: usize, value: &Value, events: &mut Vec<ModelEvent>) {
        let mut fragment = Fragment::read(value);
        let same = |call: &&StreamedCall| {
            let same_id = call.id == fragment.id || call.id.is_empty() || fragment.id.is_empty();
            call.name == fragment.name && same_id
        };
        if let Some(call) = self.calls.get(place).filter(same) {
            fragment.arguments = unsaid(&call.text, &fragment.arguments).to_owned();
            self.add(place, fragment, events);
        } else {
            let at = self.begin(&fragment);
            self.add(at, fragment, events);
        }
    }

    fn take(&mut self, fragment: Fragment<'_>, events: &mut Vec<ModelEvent>) {
        let at = self.find(&fragment).unwrap_or_else(|| self.begin(&fragment));
        self.add(at, fragment, events);
    }

    fn begin(&mut self, fragment: &Fragment<'_>) -> usize {
        self.held = self.held.saturating_add(PER_CALL);
        let at = self.calls.len();
        self.has_second_form |= fragment.slot != Some(FIRST_FORM);
        self.by_slot.extend(fragment.slot.map(|slot| (slot, at)));
        self.calls.push(StreamedCall::default());
        at
    }

    fn add(&mut self, at: usize, fragment: Fragment<'_>, events: &mut Vec<ModelEvent>) {
        let Some(call) = self.calls.get_mut(at) else { return };
        // The first id and name stand: servers repeat them, or send empty ones later.
        if call.id.is_empty() && !fragment.id.is_empty() {
            self.held = self.held.saturating_add(fragment.id.len() as u64);
            fragment.id.clone_into(&mut call.id);
            let last = self.by_id.entry(call.id.clone()).or_default();
            *last = at.max(*last);
        }
        if let Some(extra) = fragment.extra {
            let before = call.extra.as_ref().map_or(0, weight);
            self.held = self.held.saturating_add(weight(extra).saturating_sub(before));
            call.extra = Some(extra.clone());
        }
        if call.index.is_none() && !fragment.name.is_empty() {
            fragment.name.clone_into(&mut call.name);
            call.index = Some(self.named);
            events.push(ModelEvent::CallStarted {
                index: self.named,
                wire_id: call.id.clone(),
                name: call.name.clone(),
            });
            self.named += 1;
            let early = std::mem::take(&mut call.text);
            call.append(&early, events);
        }
        if call.index.is_none() {
            self.held = self.held.saturating_add(fragment.arguments.len() as u64);
        }
        call.append(&fragment.arguments, events);
    }

    /// Bytes that were kept until now, about, and that no event tells.
    pub(super) fn held(&self) -> u64 {
        self.held
    }

    /// Whether there is any.
    pub(super) fn any(&self) -> bool {
        self.named > 0
    }

    /// What hangs on the calls, as one blob.
    pub(super) fn extras(&self) -> Option<Value> {
        extras::blob(self.calls.iter().filter_map(|call| Some((call.index?, call.extra.as_ref()?))))
    }

    /// The stream ended as it must: so did every call.
    pub(super) fn finish(&self, events: &mut Vec<ModelEvent>) {
        events.extend((0..self.named).map(|index| ModelEvent::CallDone { index }));
    }

    fn find(&self, fragment: &Fragment<'_>) -> Option<usize> {
        if let Some(slot) = fragment.slot {
            let at = *self.by_slot.get(&slot)?;
            // Some servers give every parallel call the same number: another id and a name begin another call.
            let other = self.calls.get(at).is_some_and(|c| c.begins_another(fragment));
            return (!other).then_some(at);
        }
        if let Some(at) = self.by_id.get(fragment.id) {
            return Some(*at);
        }
        if fragment.name.is_empty() { self.calls.len().checked_sub(1) } else { None }
    }
}

impl StreamedCall {
    fn begins_another(&self, fragment: &Fragment<'_>) -> bool {
        !self.name.is_empty()
            && !fragment.id.is_empty()
            && fragment.id != self.id
            && !fragment.name.is_empty()
    }

    fn append(&mut self, text: &str, events: &mut Vec<ModelEvent>) {
        self.text.push_str(text);
        if let (Some(index), false) = (self.index, text.is_empty()) {
            events.push(ModelEvent::CallArguments { index, text: text.to_owned() });
        }
    }
}

impl<'a> Fragment<'a> {
    fn read(value: &'a Value) -> Self {
        Self {
            slot: value.get("index").and_then(Value::as_u64),
            id: member(value, "/id"),
            name: member(value, "/function/name"),
            arguments: arguments(value.pointer("/function/arguments")),
            extra: value.get(extras::MEMBER).filter(|extra| extra.is_object()),
        }
    }
}

fn member<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

/// Argument text; some servers send the object itself.
fn arguments(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(object @ Value::Object(_)) => object.to_string(),
        Some(_) | None => String::new(),
    }
}

/// What a whole text says beyond what was said already; all of it where it does not go on from that.
pub(super) fn unsaid<'a>(said: &str, whole: &'a str) -> &'a str {
    match whole.strip_prefix(said) {
        Some(rest) => rest,
        None if said.starts_with(whole) => "",
        None => whole,
    }
}
