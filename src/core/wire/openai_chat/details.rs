//! Pieces of reasoning put together. Each piece finds its block by look-up: a server may send tens of thousands in one event.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::model::weight;

/// What a member, or a block, takes beside what is in it.
const PER_MEMBER: u64 = 64;

/// The blocks of one message, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Details {
    blocks: Vec<Map<String, Value>>,
    /// Where the blocks of a number and type are.
    places: BTreeMap<(String, String), Places>,
}

/// The blocks of one number and type.
#[derive(Debug, Default)]
struct Places {
    last: Option<usize>,
    /// The one without an id, which is the first: a piece without one begins no block beside another.
    nameless: Option<usize>,
    /// The last of each id.
    named: BTreeMap<String, usize>,
}

impl Details {
    /// Adds a piece to the last block of the same number, type and id: words grow, everything else is replaced. A piece without an id goes
    /// on with any block, and a block without one with any piece. Gives the bytes by which all grew, about.
    pub(super) fn merge(&mut self, piece: &Value) -> u64 {
        let Some(members) = piece.as_object() else { return 0 };
        let id = members.get("id").and_then(Value::as_str);
        let text = |name: &str| members.get(name).map(Value::to_string).unwrap_or_default();
        let places = self.places.entry((text("index"), text("type"))).or_default();
        if let Some(at) = places.of(id)
            && let Some(block) = self.blocks.get_mut(at)
        {
            places.name(at, id);
            return grow(block, members);
        }
        places.begin(self.blocks.len(), id);
        self.blocks.push(members.clone());
        PER_MEMBER.saturating_add(weight(piece))
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The blocks, as they are sent back.
    pub(super) fn into_value(self) -> Value {
        self.blocks.into_iter().map(Value::Object).collect()
    }
}

impl Places {
    /// The block that a piece of this id goes on with.
    fn of(&self, id: Option<&str>) -> Option<usize> {
        match id {
            None => self.last,
            Some(id) => self.named.get(id).copied().or(self.nameless),
        }
    }

    fn begin(&mut self, at: usize, id: Option<&str>) {
        self.last = Some(at);
        match id {
            None => self.nameless = Some(at),
            Some(id) => {
                self.named.insert(id.to_owned(), at);
            }
        }
    }

    /// A block takes the id of a piece if it has none.
    fn name(&mut self, at: usize, id: Option<&str>) {
        if let Some(id) = id
            && self.nameless == Some(at)
        {
            self.nameless = None;
            self.named.insert(id.to_owned(), at);
        }
    }
}

/// Takes the members of a piece into its block. Gives the bytes by which it grew, about.
fn grow(block: &mut Map<String, Value>, members: &Map<String, Value>) -> u64 {
    let mut grown: u64 = 0;
    for (name, value) in members {
        match (name.as_str(), block.get_mut(name), value) {
            ("text" | "summary" | "data", Some(Value::String(text)), Value::String(more)) => {
                text.push_str(more);
                grown = grown.saturating_add(more.len() as u64);
            }
            (_, Some(old), new) if !is_blank(new) => {
                grown = grown.saturating_add(weight(new).saturating_sub(weight(old)));
                *old = new.clone();
            }
            (_, Some(_), _) => {}
            (_, None, new) => {
                block.insert(name.clone(), new.clone());
                let named = PER_MEMBER.saturating_add(name.len() as u64);
                grown = grown.saturating_add(named).saturating_add(weight(new));
            }
        }
    }
    grown
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(pieces: Value) -> Value {
        let mut details = Details::default();
        for piece in pieces.as_array().unwrap() {
            details.merge(piece);
        }
        details.into_value()
    }

    #[test]
    fn a_piece_goes_on_with_the_last_block_of_its_number_type_and_id() {
        let pieces = json!([
            { "index": 0, "type": "t", "text": "a" },
            { "index": 0, "type": "t", "text": "b", "id": "x" },
            { "index": 0, "type": "t", "text": "c", "id": "y" },
            { "index": 0, "type": "t", "text": "d" },
            { "index": 0, "type": "t", "text": "e", "id": "x" },
            { "index": 1, "type": "t", "text": "f" },
            { "index": 0, "type": "u", "data": "g" },
        ]);
        let blocks = json!([
            { "index": 0, "type": "t", "text": "abe", "id": "x" },
            { "index": 0, "type": "t", "text": "cd", "id": "y" },
            { "index": 1, "type": "t", "text": "f" },
            { "index": 0, "type": "u", "data": "g" },
        ]);
        assert_eq!(merged(pieces), blocks);
    }

    #[test]
    fn a_piece_without_an_id_goes_on_with_the_last_block() {
        let pieces = json!([
            { "index": 0, "text": "a", "id": "x" },
            { "index": 0, "text": "b", "id": "y" },
            { "index": 0, "text": "c", "id": "x" },
            { "index": 0, "text": "d", "id": null },
        ]);
        let blocks =
            json!([{ "index": 0, "text": "ac", "id": "x" }, { "index": 0, "text": "bd", "id": "y" }]);
        assert_eq!(merged(pieces), blocks);
    }

    /// Not a matter of time: comparing each with all before it would take minutes here.
    #[test]
    fn two_hundred_thousand_blocks_are_put_together() {
        let mut details = Details::default();
        for number in 0..100_000 {
            details.merge(&json!({ "index": number }));
            details.merge(&json!({ "index": -1, "id": number.to_string() }));
        }
        assert_eq!(details.into_value().as_array().map(Vec::len), Some(200_000));
    }
}
