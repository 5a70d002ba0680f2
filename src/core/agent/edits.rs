//! Arguments that a person changed and no model knows of yet.

use crate::ledger::{Body, Entry, Injector, ToolUse};

/// What was changed and no model knows yet: read from the ledger, so that a resumed session tells it too.
#[derive(Debug, Clone, Default)]
pub(super) struct Edits {
    pub(super) untold: Vec<ToolUse>,
}

impl Edits {
    /// Takes in one more entry.
    pub(super) fn read(&mut self, entry: &Entry) {
        if let Body::CallEdited(changed) = &entry.body {
            self.untold.retain(|earlier| earlier.id != changed.id);
            self.untold.push(changed.clone());
        }
        if matches!(&entry.body, Body::Injected(told) if told.by == Injector::Edit) {
            self.untold.clear();
        }
    }

    pub(super) fn words(&self) -> Option<String> {
        let words = self.untold.iter().map(|changed| {
            let arguments = changed.arguments.canonical();
            format!("The user changed the arguments of your call of {} to {arguments}", changed.name)
        });
        let words: Vec<String> = words.collect();
        (!words.is_empty()).then(|| format!("{}. The result is that of the changed call.", words.join(". ")))
    }
}
