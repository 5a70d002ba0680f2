//! Which key does what, and where: the one table that the keys are read from and the help is drawn from.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Where a binding holds. What is not bound in a place is looked up under [`KeyContext::Everywhere`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyContext {
    /// On the main screen, whatever has the focus.
    Everywhere,
    /// In the composer.
    Composer,
    /// In what waits for a decision: a call, a question, a budget stop.
    Approval,
    /// In the line of a call or the card of a summary.
    Panel,
    /// In the ledger inspector.
    Ledger,
    /// In what takes the whole screen and scrolls: output, a summary, the budgets, the rules, the plan, the help.
    Page,
    /// In a list that is narrowed by typing.
    Picker,
}

impl KeyContext {
    /// In words, for the help.
    pub fn words(self) -> &'static str {
        match self {
            Self::Everywhere => "Anywhere",
            Self::Composer => "Writing",
            Self::Approval => "What waits for you, after tab",
            Self::Panel => "A call, summary or code that has the focus",
            Self::Ledger => "The ledger",
            Self::Page => "Output, summaries, budgets and help",
            Self::Picker => "Lists to pick from",
        }
    }
}

/// What a key can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAction {
    /// Close what lies on top, or interrupt.
    Escape,
    /// Empty the composer, or quit when asked twice.
    ClearOrQuit,
    /// Quit when the composer is empty.
    Leave,
    /// Empty the composer.
    Empty,
    /// Go to the shell and come back later.
    Suspend,
    /// Open the ledger.
    Ledger,
    /// Open the budgets.
    Budgets,
    /// Show or fold reasoning.
    Thinking,
    /// Give the focus to the next thing.
    Focus,
    /// The next mode.
    Mode,
    /// Up one.
    Up,
    /// Down one.
    Down,
    /// Up one page.
    PageUp,
    /// Down one page.
    PageDown,
    /// To the beginning.
    Home,
    /// To the end.
    End,
    /// Show the keys.
    Help,
    /// Send the message.
    Send,
    /// A new line.
    Newline,
    /// Send it when the run is over.
    Later,
    /// After a budget stop: raise the limit and go on.
    Raise,
    /// Allow this call.
    Once,
    /// Allow this exact action for the session.
    Session,
    /// Allow once, in the sandbox.
    Sandboxed,
    /// Show the rule that would allow such calls for the session; again: take it.
    Always,
    /// Deny.
    Deny,
    /// Deny and say why.
    Reason,
    /// Change it before it is decided.
    Edit,
    /// Show all of it.
    Open,
    /// Into the clipboard.
    Copy,
    /// Find entries.
    Filter,
    /// Close.
    Close,
    /// Every action and command, to pick from.
    Palette,
    /// Earlier messages, to pick from.
    Prompts,
    /// Search in the transcript.
    Search,
    /// The user's own editor for what is typed.
    Editor,
    /// Undo the last change of what is typed.
    Undo,
    /// Make it again.
    Redo,
    /// Put back what was deleted last.
    Yank,
    /// Put a paste in the place of its name.
    Unfold,
    /// Attach the clipboard's image.
    PasteImage,
    /// The next page of the inspector.
    NextTab,
    /// The page before.
    PreviousTab,
    /// The next filter of a page.
    Kind,
    /// The next entry that was looked for.
    NextMatch,
    /// The one before.
    PreviousMatch,
    /// The card of an entry in the transcript.
    JumpToCard,
    /// The ledger of the sub-agent that an entry is about.
    WalkIn,
    /// The next call that waits, to be decided.
    Decide,
    /// What an entry says, into the clipboard.
    CopyEntry,
    /// An entry as it is recorded, into the clipboard.
    CopyRecord,
    /// The command that forks the session here.
    ForkHere,
    /// A branch that goes otherwise here.
    WhatIf,
    /// The command that exports the session.
    ExportWords,
    /// Take back what was granted for the session.
    Revoke,
    /// Let commands in the sandbox reach a host that they were kept from.
    AllowHost,
    /// Type into the terminal of a running command, or leave it.
    TypeInto,
}

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// Where it holds.
    pub place: KeyContext,
    /// The key.
    pub code: KeyCode,
    /// With these held down; shift is left out for characters, which carry it.
    pub modifiers: KeyModifiers,
    /// What it means.
    pub command: KeyAction,
    /// The key as the help writes it.
    pub keys: &'static str,
    /// What it does, as the help writes it; empty: a second key for the same, not listed.
    pub words: &'static str,
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;

const fn bind(
    place: KeyContext,
    modifiers: KeyModifiers,
    code: KeyCode,
    command: KeyAction,
    keys: &'static str,
    words: &'static str,
) -> Binding {
    Binding { place, code, modifiers, command, keys, words }
}

/// All bindings, in the order of the help.
pub const BINDINGS: &[Binding] = {
    use KeyAction as C;
    use KeyCode as K;
    use KeyContext as P;
    &[
        bind(P::Everywhere, NONE, K::Esc, C::Escape, "esc", "interrupt; close the top panel"),
        bind(P::Everywhere, CTRL, K::Char('o'), C::Ledger, "ctrl-o", "the ledger, entry by entry"),
        bind(P::Everywhere, CTRL, K::Char('b'), C::Budgets, "ctrl-b", "the budgets: used, limit, left"),
        bind(
            P::Everywhere,
            CTRL,
            K::Char('p'),
            C::Palette,
            "ctrl-p",
            "every action and command, by a few letters",
        ),
        bind(
            P::Everywhere,
            CTRL,
            K::Char('f'),
            C::Search,
            "ctrl-f",
            "find in the transcript; n and N: next, before",
        ),
        bind(
            P::Everywhere,
            CTRL,
            K::Char('r'),
            C::Prompts,
            "ctrl-r",
            "find earlier messages by a few letters",
        ),
        bind(P::Everywhere, CTRL, K::Char('t'), C::Thinking, "ctrl-t", "show or fold reasoning"),
        bind(P::Everywhere, NONE, K::Tab, C::Focus, "tab", "focus: composer, what waits for you, last card"),
        bind(
            P::Everywhere,
            NONE,
            K::BackTab,
            C::Mode,
            "shift-tab",
            "go to the next mode: plan, ask, edit, auto",
        ),
        bind(P::Everywhere, SHIFT, K::BackTab, C::Mode, "", ""),
        bind(P::Everywhere, SHIFT, K::Tab, C::Mode, "", ""),
        bind(P::Everywhere, NONE, K::PageUp, C::PageUp, "pgup pgdn", "scroll; the mouse wheel too"),
        bind(P::Everywhere, NONE, K::PageDown, C::PageDown, "", ""),
        bind(P::Everywhere, CTRL, K::End, C::End, "ctrl-end", "follow the end again"),
        bind(P::Everywhere, CTRL, K::Home, C::Home, "ctrl-home", "go to the beginning"),
        bind(P::Everywhere, CTRL, K::Char('c'), C::ClearOrQuit, "ctrl-c", "empty the composer; twice: quit"),
        bind(P::Everywhere, CTRL, K::Char('d'), C::Leave, "ctrl-d", "quit, when the composer is empty"),
        bind(P::Everywhere, CTRL, K::Char('z'), C::Suspend, "ctrl-z", "suspend; fg returns"),
        bind(
            P::Everywhere,
            CTRL,
            K::Char(']'),
            C::TypeInto,
            "ctrl-]",
            "type into a command's terminal; again: leave it",
        ),
        // The same key, as terminals without a keyboard protocol report it.
        bind(P::Everywhere, CTRL, K::Char('5'), C::TypeInto, "", ""),
        bind(P::Everywhere, NONE, K::F(1), C::Help, "f1 ?", "keys and commands"),
        bind(P::Composer, NONE, K::Enter, C::Send, "enter", "send; while it works: with the next results"),
        bind(P::Composer, SHIFT, K::Enter, C::Newline, "ctrl-j", "new line; shift-enter too"),
        bind(
            P::Composer,
            ALT,
            K::Enter,
            C::Later,
            "alt-enter",
            "after this run, while it works; else a new line",
        ),
        bind(P::Composer, CTRL, K::Char('j'), C::Newline, "", ""),
        bind(P::Composer, CTRL, K::Char('g'), C::Editor, "ctrl-g", "write the message in $VISUAL or $EDITOR"),
        bind(P::Composer, CTRL, K::Char('u'), C::Empty, "ctrl-u", "empty the composer; ctrl-y undoes that"),
        bind(
            P::Composer,
            CTRL,
            K::Char('y'),
            C::Yank,
            "ctrl-y",
            "put back what ctrl-u, ctrl-k or ctrl-w deleted",
        ),
        bind(P::Composer, CTRL, K::Char('_'), C::Undo, "ctrl-_", "undo; alt-_ makes the change again"),
        // The same key, as terminals without a keyboard protocol report it, and as people press it.
        bind(P::Composer, CTRL, K::Char('7'), C::Undo, "", ""),
        bind(P::Composer, CTRL, K::Char('/'), C::Undo, "", ""),
        bind(P::Composer, ALT, K::Char('_'), C::Redo, "", ""),
        bind(P::Composer, ALT, K::Char('/'), C::Redo, "", ""),
        bind(P::Composer, ALT, K::Char('o'), C::Unfold, "alt-o", "open a folded paste"),
        bind(P::Composer, CTRL, K::Char('v'), C::PasteImage, "ctrl-v", "attach the image on the clipboard"),
        bind(P::Composer, NONE, K::Up, C::Up, "up down", "show earlier messages, at the first or last line"),
        bind(P::Composer, NONE, K::Down, C::Down, "", ""),
        bind(P::Composer, NONE, K::Char('?'), C::Help, "", ""),
        bind(P::Composer, NONE, K::End, C::End, "end", "follow the end, when the composer is empty"),
        bind(P::Approval, NONE, K::Char('y'), C::Once, "y", "allow once"),
        bind(P::Approval, NONE, K::Char('s'), C::Session, "s", "allow this exact action for the session"),
        bind(P::Approval, NONE, K::Char('b'), C::Sandboxed, "b", "allow a command once, in the sandbox"),
        bind(P::Approval, NONE, K::Char('a'), C::Always, "a", "show the rule for such calls; again: add it"),
        bind(P::Approval, NONE, K::Char('n'), C::Deny, "n", "deny"),
        bind(P::Approval, NONE, K::Char('r'), C::Reason, "r", "deny and say why; answer a question in words"),
        bind(P::Approval, NONE, K::Char('e'), C::Edit, "e", "change it first, then decide"),
        bind(P::Approval, NONE, K::Char('g'), C::Raise, "g", "run anyway, this session; raise a budget"),
        bind(
            P::Approval,
            NONE,
            K::Char('o'),
            C::Open,
            "o enter",
            "show all of it; the keys decide there too",
        ),
        bind(P::Approval, NONE, K::Enter, C::Open, "", ""),
        bind(P::Approval, NONE, K::Up, C::Up, "up down", "scroll it; else the other waiting calls"),
        bind(P::Approval, NONE, K::Down, C::Down, "", ""),
        bind(P::Approval, NONE, K::End, C::End, "", ""),
        bind(P::Approval, NONE, K::Char('?'), C::Help, "", ""),
        bind(P::Panel, NONE, K::Enter, C::Open, "o enter", "all of it"),
        bind(P::Panel, NONE, K::Char('o'), C::Open, "", ""),
        bind(P::Panel, NONE, K::Char('c'), C::Copy, "c", "copy its code; again: the next block"),
        bind(P::Panel, NONE, K::Char('h'), C::AllowHost, "h", "allow a host that the sandbox blocked"),
        bind(P::Panel, NONE, K::Up, C::Up, "up down", "the other calls, summaries and answers with code"),
        bind(P::Panel, NONE, K::Down, C::Down, "", ""),
        bind(P::Panel, NONE, K::End, C::End, "", ""),
        bind(P::Ledger, NONE, K::Up, C::Up, "up down", "entry; pgup, pgdn, home, end too"),
        bind(P::Ledger, NONE, K::Down, C::Down, "", ""),
        bind(P::Ledger, NONE, K::Home, C::Home, "", ""),
        bind(P::Ledger, NONE, K::End, C::End, "", ""),
        bind(P::Ledger, NONE, K::Tab, C::NextTab, "tab", "next page; left and right too"),
        bind(P::Ledger, NONE, K::BackTab, C::PreviousTab, "shift-tab", "the page before"),
        bind(P::Ledger, SHIFT, K::BackTab, C::PreviousTab, "", ""),
        bind(P::Ledger, SHIFT, K::Tab, C::PreviousTab, "", ""),
        bind(P::Ledger, NONE, K::Right, C::NextTab, "", ""),
        bind(P::Ledger, NONE, K::Left, C::PreviousTab, "", ""),
        bind(P::Ledger, NONE, K::Char('f'), C::Kind, "f", "filter: kinds, request or difference, asked"),
        bind(P::Ledger, NONE, K::Char('/'), C::Filter, "/", "find: kind, id or words"),
        bind(P::Ledger, NONE, K::Char('n'), C::NextMatch, "n N", "next match, the one before"),
        bind(P::Ledger, NONE, K::Char('N'), C::PreviousMatch, "", ""),
        bind(P::Ledger, NONE, K::Enter, C::Open, "enter", "the entry on the whole screen"),
        bind(P::Ledger, NONE, K::Char('g'), C::JumpToCard, "g", "to its card; enter on the entry too"),
        bind(P::Ledger, NONE, K::Char('s'), C::WalkIn, "s", "the ledger of the sub-agent; esc comes back"),
        bind(P::Ledger, NONE, K::Char('y'), C::CopyEntry, "y Y", "copy what it says; its record as JSON"),
        bind(P::Ledger, NONE, K::Char('Y'), C::CopyRecord, "", ""),
        bind(P::Ledger, NONE, K::Char('w'), C::WhatIf, "w", "what if: a branch that goes otherwise here"),
        bind(P::Ledger, NONE, K::Char('F'), C::ForkHere, "F", "copy the command that forks here"),
        bind(P::Ledger, NONE, K::Char('x'), C::ExportWords, "x", "copy the command that exports"),
        bind(P::Ledger, NONE, K::Char('?'), C::Help, "", ""),
        bind(P::Ledger, CTRL, K::Char('o'), C::Close, "esc", "back"),
        bind(P::Ledger, NONE, K::Char('q'), C::Close, "", ""),
        bind(P::Page, NONE, K::Char('o'), C::Open, "", ""),
        bind(P::Page, NONE, K::Up, C::Up, "up down", "scroll; pgup, pgdn, home, end too"),
        bind(P::Page, NONE, K::Down, C::Down, "", ""),
        bind(P::Page, NONE, K::Home, C::Home, "", ""),
        bind(P::Page, NONE, K::End, C::End, "", ""),
        bind(
            P::Page,
            NONE,
            K::Char('x'),
            C::Revoke,
            "x",
            "on the permissions: revoke a grant; on what is at work: stop it",
        ),
        bind(P::Page, NONE, K::Char('d'), C::Decide, "d", "on what is at work: the next call that waits"),
        bind(P::Page, NONE, K::Char('q'), C::Close, "esc", "back"),
        bind(P::Page, NONE, K::Char('?'), C::Help, "", ""),
        bind(P::Page, CTRL, K::Char('b'), C::Close, "", ""),
        bind(P::Picker, NONE, K::Up, C::Up, "up down", "choose; ctrl-p, ctrl-n, pgup, pgdn too"),
        bind(P::Picker, NONE, K::Down, C::Down, "", ""),
        bind(P::Picker, CTRL, K::Char('p'), C::Up, "", ""),
        bind(P::Picker, CTRL, K::Char('n'), C::Down, "", ""),
        bind(P::Picker, NONE, K::Enter, C::Open, "enter", "choose the selected line"),
        bind(P::Picker, CTRL, K::Char('u'), C::Empty, "ctrl-u", "all lines again"),
    ]
};

/// What a key means in a place, if it means anything there.
pub fn lookup(place: KeyContext, key: KeyEvent) -> Option<KeyAction> {
    let held = match key.code {
        KeyCode::Char(_) => key.modifiers - SHIFT,
        _ => key.modifiers & (SHIFT | CTRL | ALT),
    };
    let find = |place: KeyContext| {
        BINDINGS
            .iter()
            .find(|b| b.place == place && b.code == key.code && b.modifiers == held)
            .map(|b| b.command)
    };
    find(place).or_else(|| find(KeyContext::Everywhere))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_bound_twice_in_a_place() {
        for (at, one) in BINDINGS.iter().enumerate() {
            for other in BINDINGS.iter().skip(at + 1) {
                let same = one.place == other.place && one.code == other.code;
                assert!(!(same && one.modifiers == other.modifiers), "{one:?} and {other:?}");
            }
        }
    }
}
