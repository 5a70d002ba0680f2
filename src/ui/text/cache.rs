//! What was worked out once and is asked for again on every frame: the one place on the screen with inner mutability.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// A store of at most `capacity` values that drops what was not asked for longest.
#[derive(Debug)]
pub struct Cache<K, V> {
    inner: RefCell<Inner<K, V>>,
}

#[derive(Debug)]
struct Inner<K, V> {
    capacity: usize,
    /// Grows with every use; the smallest stamp is the oldest use.
    clock: u64,
    values: BTreeMap<K, (u64, V)>,
    uses: BTreeMap<u64, K>,
}

impl<K: Ord + Clone, V: Clone> Cache<K, V> {
    /// An empty store. A capacity of 0 keeps nothing.
    #[must_use]
    pub const fn new(capacity: usize) -> Self {
        let inner = Inner { capacity, clock: 0, values: BTreeMap::new(), uses: BTreeMap::new() };
        Self { inner: RefCell::new(inner) }
    }

    /// The value kept for a key. Clones it, so keep `Rc`s of what is large.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<V> {
        let mut inner = self.inner.borrow_mut();
        let now = inner.tick();
        let (stamp, value) = inner.values.get_mut(key)?;
        let before = std::mem::replace(stamp, now);
        let value = value.clone();
        inner.uses.remove(&before);
        inner.uses.insert(now, key.clone());
        Some(value)
    }

    /// Keeps a value, in place of what the key had.
    pub fn insert(&self, key: K, value: V) {
        let mut inner = self.inner.borrow_mut();
        let now = inner.tick();
        if let Some((before, _)) = inner.values.insert(key.clone(), (now, value)) {
            inner.uses.remove(&before);
        }
        inner.uses.insert(now, key);
        while inner.values.len() > inner.capacity {
            let Some((_, oldest)) = inner.uses.pop_first() else { return };
            inner.values.remove(&oldest);
        }
    }

    /// Forgets one value.
    pub fn remove(&self, key: &K) {
        let mut inner = self.inner.borrow_mut();
        if let Some((stamp, _)) = inner.values.remove(key) {
            inner.uses.remove(&stamp);
        }
    }

    /// How many values are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner.borrow().values.len()
    }

    /// Whether nothing is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets everything.
    pub fn clear(&self) {
        let mut inner = self.inner.borrow_mut();
        inner.values.clear();
        inner.uses.clear();
    }
}

impl<K, V> Inner<K, V> {
    const fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }
}

/// A value that is changed through a shared reference; each change is one closed step.
#[derive(Debug, Default)]
pub(super) struct Slot<T> {
    inner: RefCell<T>,
}

impl<T> Slot<T> {
    pub(super) const fn new(value: T) -> Self {
        Self { inner: RefCell::new(value) }
    }

    /// Reads or changes the value. `step` must not come back to the same slot.
    pub(super) fn with<R>(&self, step: impl FnOnce(&mut T) -> R) -> R {
        step(&mut self.inner.borrow_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_what_was_not_asked_for_longest() {
        let cache = Cache::new(2);
        cache.insert("a", 1);
        cache.insert("b", 2);
        assert_eq!(cache.get(&"a"), Some(1));
        cache.insert("c", 3);
        assert_eq!((cache.get(&"a"), cache.get(&"b"), cache.get(&"c")), (Some(1), None, Some(3)));
        cache.insert("a", 4);
        assert_eq!((cache.len(), cache.get(&"a")), (2, Some(4)));
        cache.remove(&"a");
        assert_eq!(cache.len(), 1);
        cache.clear();
        assert!(cache.is_empty());
    }
}
