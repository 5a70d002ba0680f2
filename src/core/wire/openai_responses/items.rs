//! The items of one answer, by their position. Some servers give two items the same one: then their kind, the call's id
//! and last the item's own id tell them apart. (The own id comes last because some servers change it in mid-item.)

use std::collections::BTreeMap;

use serde_json::Value;

use super::item::{OpenItem, TextKind};

/// The items so far.
#[derive(Debug, Default)]
pub(super) struct Items {
    at: BTreeMap<u64, Vec<StreamedItem>>,
}

#[derive(Debug)]
struct StreamedItem {
    mark: ItemMark,
    open: OpenItem,
}

/// What tells an item from others at its position.
#[derive(Debug, PartialEq, Eq)]
struct ItemMark {
    kind: String,
    call: String,
    id: String,
}

/// What the end of an item means.
pub(super) enum ItemEnd {
    /// It ends this one.
    One(OpenItem),
    /// It was over before.
    Again,
    /// It never began.
    Unknown,
}

impl Items {
    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Whether the beginning of an item is told for the first time.
    pub(super) fn is_new(&self, at: u64, item: &Value) -> bool {
        let mark = ItemMark::of(item);
        let told = |other: &StreamedItem| {
            let same_id = same(&mark.id, &other.mark.id);
            mark.kind == other.mark.kind
                && same(&mark.call, &other.mark.call).or(same_id).unwrap_or_else(|| other.is_open())
        };
        !self.at.get(&at).is_some_and(|items| items.iter().any(told))
    }

    /// An item begins.
    pub(super) fn begin(&mut self, at: u64, item: &Value, open: OpenItem) {
        self.at.entry(at).or_default().push(StreamedItem { mark: ItemMark::of(item), open });
    }

    /// The item that a piece belongs to; `id` is asked for only where several items share the position.
    pub(super) fn get_mut(
        &mut self,
        at: u64,
        piece: TextKind,
        id: impl FnOnce() -> String,
    ) -> Option<&mut OpenItem> {
        let items = self.at.get_mut(&at)?;
        if items.len() <= 1 {
            return items.first_mut().map(|item| &mut item.open);
        }
        let id = id();
        let fits = |item: &StreamedItem| item.open.takes(piece);
        let named = items.iter().position(|item| fits(item) && same(&item.mark.id, &id) == Some(true));
        let found = named.or_else(|| items.iter().rposition(fits))?;
        items.get_mut(found).map(|item| &mut item.open)
    }

    /// An item is whole.
    pub(super) fn end(&mut self, at: u64, item: &Value) -> ItemEnd {
        let mark = ItemMark::of(item);
        let Some(items) = self.at.get_mut(&at) else { return ItemEnd::Unknown };
        let is_same = |other: &StreamedItem| {
            mark.kind == other.mark.kind && same(&mark.call, &other.mark.call).unwrap_or(true)
        };
        let named = |other: &StreamedItem| same(&mark.id, &other.mark.id) == Some(true);
        let by_id = items.iter().position(|other| is_same(other) && other.is_open() && named(other));
        let open = by_id.or_else(|| items.iter().position(|other| is_same(other) && other.is_open()));
        if let Some(found) = open.and_then(|found| items.get_mut(found)) {
            return ItemEnd::One(std::mem::replace(&mut found.open, OpenItem::Closed));
        }
        let again = |other: &StreamedItem| {
            let same_call = same(&mark.call, &other.mark.call);
            is_same(other) && same_call.or(same(&mark.id, &other.mark.id)).unwrap_or(true)
        };
        if items.iter().any(again) { ItemEnd::Again } else { ItemEnd::Unknown }
    }
}

impl StreamedItem {
    fn is_open(&self) -> bool {
        !matches!(self.open, OpenItem::Closed)
    }
}

impl ItemMark {
    fn of(item: &Value) -> Self {
        let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { kind: text("type"), call: text("call_id"), id: text("id") }
    }
}

/// Whether two ids are the same; `None` where one of them is not told.
fn same(one: &str, other: &str) -> Option<bool> {
    (!one.is_empty() && !other.is_empty()).then(|| one == other)
}
