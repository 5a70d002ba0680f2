//! The keys as a person has bound them: the table of the keymap, with changes from the configuration.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::chord::Chord;
use super::keymap::{BINDINGS, Binding, KeyAction, KeyContext};
use super::theme::resembling;

/// The places, by the names that the configuration has for them.
const PLACES: [KeyContext; 6] = [
    KeyContext::Everywhere,
    KeyContext::Composer,
    KeyContext::Approval,
    KeyContext::Panel,
    KeyContext::Ledger,
    KeyContext::Page,
];

/// The keys of one command in one place, instead of those of the table; none: it has no key there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebinding {
    place: KeyContext,
    command: KeyAction,
    keys: Vec<Chord>,
}

impl Rebinding {
    /// Reads a change: the place and the command by name, and the keys as people write them.
    ///
    /// # Errors
    /// A sentence that says what there is instead: the places, the commands of that place, how keys are written.
    pub fn parse(place: &str, command: &str, keys: &[&str]) -> Result<Self, String> {
        // Files of earlier versions have the key of a budget stop among those of the composer.
        let place = if (place, command) == ("composer", "raise") { "approval" } else { place };
        let place = PLACES.into_iter().find(|known| spelled(known) == place).ok_or_else(|| {
            let near = near(place, PLACES.iter().map(spelled));
            near.unwrap_or_else(|| format!("the places are {}", listed(PLACES.iter().map(spelled))))
        })?;
        let known = commands(place).find(|known| spelled(known) == command);
        let command = known.ok_or_else(|| unknown(place, command))?;
        let keys = keys.iter().map(|key| Chord::parse(key)).collect::<Result<Vec<_>, _>>()?;
        for key in &keys {
            if key.is_escape() && !matches!(command, KeyAction::Escape | KeyAction::Close) {
                return Err("esc always interrupts or closes the top panel: choose another key".to_owned());
            }
            let eats = matches!(place, KeyContext::Everywhere | KeyContext::Composer) && key.types();
            if eats && command != KeyAction::Help {
                return Err(format!(
                    "{key} could no longer be typed: add ctrl or alt, or use a function key"
                ));
            }
        }
        Ok(Self { place, command, keys })
    }

    /// The place and the command, as the configuration spells them.
    #[must_use]
    pub fn path(&self) -> String {
        format!("keys.{}.{}", spelled(&self.place), spelled(&self.command))
    }
}

/// What the keys mean.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keymap {
    changes: Vec<Rebinding>,
}

impl Keymap {
    /// Takes a change; a later one about the same command takes the place of an earlier one.
    pub fn change(&mut self, change: Rebinding) {
        self.changes.retain(|other| (other.place, other.command) != (change.place, change.command));
        self.changes.push(change);
    }

    /// Two commands that have the same key in the same place, if there are any: the changed one, and a sentence.
    #[must_use]
    pub fn conflict(&self) -> Option<(String, String)> {
        self.changes.iter().find_map(|change| {
            change.keys.iter().find_map(|key| {
                let other = self.means(change.place, *key).find(|other| *other != change.command)?;
                let other = format!("keys.{}.{}", spelled(&change.place), spelled(&other));
                let sentence = format!("{key} is also bound to `{other}`; give that one another key, or []");
                Some((change.path(), sentence))
            })
        })
    }

    /// What a key means in a place, if it means anything there. Esc is asked for before all changes.
    #[must_use]
    pub fn lookup(&self, place: KeyContext, key: KeyEvent) -> Option<KeyAction> {
        let chord = Chord::of(key);
        self.means(place, chord).next().or_else(|| self.means(KeyContext::Everywhere, chord).next())
    }

    /// The key that the table has for what this one means, for places that read the table; a key that was taken away
    /// becomes one that means nothing.
    #[must_use]
    pub fn usual(&self, place: KeyContext, key: KeyEvent) -> KeyEvent {
        let chord = Chord::of(key);
        let found = [place, KeyContext::Everywhere]
            .into_iter()
            .find_map(|place| self.means(place, chord).next().map(|command| (place, command)));
        let is_in_table =
            |b: &Binding| [place, KeyContext::Everywhere].contains(&b.place) && chord_of(b) == chord;
        match found {
            Some((place, command)) if self.changed(place, command).is_some() => {
                let usual = BINDINGS.iter().find(|b| (b.place, b.command) == (place, command));
                usual.map_or(key, |b| KeyEvent { code: b.code, modifiers: b.modifiers, ..key })
            }
            None if BINDINGS.iter().any(is_in_table) => KeyEvent { code: KeyCode::Null, ..key },
            Some(_) | None => key,
        }
    }

    /// All changes, as the configuration writes them: the path of a command and its keys.
    pub fn written(&self) -> impl Iterator<Item = (String, Vec<String>)> {
        self.changes.iter().map(|change| (change.path(), change.keys.iter().map(Chord::to_string).collect()))
    }

    /// The keys of a line of the help.
    #[must_use]
    pub fn keys(&self, binding: &Binding) -> String {
        match self.changed(binding.place, binding.command) {
            Some(change) if change.keys.is_empty() => "no key".to_owned(),
            Some(change) => change.keys.iter().map(Chord::to_string).collect::<Vec<_>>().join(" "),
            None => binding.keys.to_owned(),
        }
    }

    /// Commands of a place that the table of the help has no line for, and that were given keys: keys and name.
    pub fn others(&self, place: KeyContext) -> impl Iterator<Item = (String, String)> {
        self.changes
            .iter()
            .filter(move |change| {
                let has_line =
                    |b: &Binding| !b.words.is_empty() && (b.place, b.command) == (place, change.command);
                change.place == place && !BINDINGS.iter().any(has_line)
            })
            .map(|change| {
                let keys: Vec<_> = change.keys.iter().map(Chord::to_string).collect();
                (if keys.is_empty() { "no key".to_owned() } else { keys.join(" ") }, spelled(&change.command))
            })
    }

    /// The first key of a command in a place, or what the program shows when nobody has changed it.
    #[must_use]
    pub fn first(&self, place: KeyContext, command: KeyAction, unchanged: &'static str) -> Option<String> {
        match self.changed(place, command) {
            Some(change) => change.keys.first().map(Chord::to_string),
            None => Some(unchanged.to_owned()),
        }
    }

    fn changed(&self, place: KeyContext, command: KeyAction) -> Option<&Rebinding> {
        self.changes.iter().find(|change| (change.place, change.command) == (place, command))
    }

    fn means(&self, place: KeyContext, chord: Chord) -> impl Iterator<Item = KeyAction> {
        let changed = self.changes.iter().filter(move |c| c.place == place && c.keys.contains(&chord));
        let table = BINDINGS.iter().filter(move |b| b.place == place && chord_of(b) == chord);
        // Esc keeps its meaning even where it was given away.
        let kept = table.filter(move |b| chord.is_escape() || self.changed(place, b.command).is_none());
        changed.map(|c| c.command).chain(kept.map(|b| b.command))
    }
}

fn chord_of(binding: &Binding) -> Chord {
    Chord::new(binding.code, binding.modifiers)
}

/// The commands that a place knows.
fn commands(place: KeyContext) -> impl Iterator<Item = KeyAction> {
    BINDINGS.iter().filter(move |b| b.place == place).map(|b| b.command)
}

fn unknown(place: KeyContext, name: &str) -> String {
    let here: Vec<String> = commands(place).map(|command| spelled(&command)).collect();
    let elsewhere = PLACES.into_iter().find(|other| commands(*other).any(|c| spelled(&c) == name));
    if let Some(other) = elsewhere {
        return format!("`{name}` is not a command of this place; it belongs to `keys.{}`", spelled(&other));
    }
    near(name, here.iter().cloned()).unwrap_or_else(|| {
        format!("unknown command; the commands of `keys.{}` are {}", spelled(&place), listed(here))
    })
}

fn near(name: &str, known: impl Iterator<Item = String>) -> Option<String> {
    let known: Vec<String> = known.collect();
    let near = resembling(name, known.iter().map(String::as_str))?;
    Some(format!("unknown name `{name}`; did you mean `{near}`?"))
}

fn listed(names: impl IntoIterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all.join(", ")
}

/// `ClearOrQuit` as `clear_or_quit`: the names of the code are those of the configuration.
fn spelled(name: &impl std::fmt::Debug) -> String {
    let mut spelled = String::new();
    for letter in format!("{name:?}").chars() {
        if letter.is_uppercase() && !spelled.is_empty() {
            spelled.push('_');
        }
        spelled.extend(letter.to_lowercase());
    }
    spelled
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::KeyModifiers;

    use super::*;

    fn keymap(changes: &[(&str, &str, &[&str])]) -> Keymap {
        let mut keymap = Keymap::default();
        for (place, command, keys) in changes {
            keymap.change(Rebinding::parse(place, command, keys).unwrap());
        }
        keymap
    }

    fn key(written: &str) -> KeyEvent {
        let chord = Chord::parse(written).unwrap();
        KeyEvent::new(chord.code, chord.held)
    }

    #[test]
    fn without_changes_it_is_the_table() {
        for binding in BINDINGS {
            let pressed = KeyEvent::new(binding.code, binding.modifiers);
            assert_eq!(
                Keymap::default().lookup(binding.place, pressed),
                Some(binding.command),
                "{binding:?}"
            );
        }
        assert_eq!(Keymap::default().lookup(KeyContext::Composer, key("ctrl-x")), None);
    }

    #[test]
    fn a_changed_command_has_its_new_keys_and_no_old_one() {
        let keymap = keymap(&[("everywhere", "ledger", &["ctrl-l", "f3"]), ("approval", "session", &[])]);
        for (place, pressed, command) in [
            (KeyContext::Composer, "ctrl-l", Some(KeyAction::Ledger)),
            (KeyContext::Approval, "f3", Some(KeyAction::Ledger)),
            (KeyContext::Composer, "ctrl-o", None),
            (KeyContext::Approval, "s", None),
            (KeyContext::Approval, "y", Some(KeyAction::Once)),
            (KeyContext::Ledger, "ctrl-o", Some(KeyAction::Close)),
        ] {
            assert_eq!(keymap.lookup(place, key(pressed)), command, "{pressed}");
        }
        assert_eq!(
            keymap.first(KeyContext::Everywhere, KeyAction::Ledger, "ctrl-o").as_deref(),
            Some("ctrl-l")
        );
        assert_eq!(keymap.first(KeyContext::Approval, KeyAction::Session, "s"), None);
        assert_eq!(keymap.conflict(), None);
    }

    #[test]
    fn places_that_read_the_table_are_given_its_keys() {
        let keymap = keymap(&[("ledger", "filter", &["f"]), ("page", "up", &["k"]), ("ledger", "home", &[])]);
        for (place, pressed, usual) in [
            (KeyContext::Ledger, "f", "/"),
            (KeyContext::Ledger, "up", "up"),
            (KeyContext::Page, "k", "up"),
            (KeyContext::Page, "f", "f"),
            (KeyContext::Ledger, "x", "x"),
        ] {
            assert_eq!(keymap.usual(place, key(pressed)), key(usual), "{pressed}");
        }
        for (place, pressed) in
            [(KeyContext::Ledger, "/"), (KeyContext::Ledger, "home"), (KeyContext::Page, "up")]
        {
            assert_eq!(keymap.usual(place, key(pressed)).code, KeyCode::Null, "{pressed}");
        }
    }

    #[test]
    fn esc_stays_esc() {
        let keymap = keymap(&[("everywhere", "escape", &["ctrl-q"])]);
        let esc = KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE);
        assert_eq!(keymap.lookup(KeyContext::Composer, esc), Some(KeyAction::Escape));
        assert_eq!(keymap.lookup(KeyContext::Composer, key("ctrl-q")), Some(KeyAction::Escape));
        let refused = Rebinding::parse("approval", "deny", &["esc"]).unwrap_err();
        assert!(refused.starts_with("esc always interrupts"), "{refused}");
    }

    #[test]
    fn two_commands_cannot_have_one_key() {
        let both = keymap(&[("approval", "once", &["enter"])]);
        let (path, sentence) = both.conflict().unwrap();
        assert_eq!(path, "keys.approval.once");
        assert_eq!(sentence, "enter is also bound to `keys.approval.open`; give that one another key, or []");
        assert_eq!(
            keymap(&[("approval", "once", &["enter"]), ("approval", "open", &["o"])]).conflict(),
            None
        );
        // The keys of a place come before those of everywhere, as they do in the table.
        assert_eq!(keymap(&[("approval", "open", &["ctrl-o"])]).conflict(), None);
    }

    #[test]
    fn refusals_say_what_there_is() {
        for (place, command, keys, says) in [
            ("aproval", "once", "y", "did you mean `approval`?"),
            ("screen", "once", "y", "the places are everywhere, composer, approval, panel, ledger, page"),
            ("approval", "onse", "y", "did you mean `once`?"),
            (
                "approval",
                "perhaps",
                "y",
                "the commands of `keys.approval` are once, session, sandboxed, always, deny, reason, edit, raise, open",
            ),
            ("everywhere", "once", "f2", "it belongs to `keys.approval`"),
            ("everywhere", "ledger", "l", "l could no longer be typed"),
            ("composer", "send", "ctrl-entr", "\"ctrl-entr\" is not a key"),
        ] {
            let why = Rebinding::parse(place, command, &[keys]).unwrap_err();
            assert!(why.contains(says), "{why}");
        }
    }
}
