//! What the file of a custom command or of a skill is taken apart into.

/// A part of what a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// All words, as they were typed.
    All,
    /// One of them, from 1.
    Word(usize),
    /// What is known when it is called.
    Known(Variable),
    /// A command whose output is wanted.
    Command(Vec<Self>),
}

/// Variables with the names that Claude Code has for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variable {
    /// The id of the session.
    Session,
    /// The folder of the file.
    Folder,
}

impl Variable {
    pub(super) const ALL: [Self; 2] = [Self::Session, Self::Folder];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Session => "CLAUDE_SESSION_ID",
            Self::Folder => "CLAUDE_SKILL_DIR",
        }
    }

    /// As a file has it.
    pub(super) fn written(self) -> String {
        format!("${{{}}}", self.name())
    }
}

/// The pieces of a text. In a command nothing runs.
pub(super) fn pieces(text: &str, from_zero: bool, may_run: bool) -> Vec<Piece> {
    let (mut all, mut plain, mut rest) = (Vec::new(), String::new(), text);
    while let Some(next) = rest.chars().next() {
        match special(rest, from_zero, may_run) {
            Some((piece, after)) => {
                if !plain.is_empty() {
                    all.push(Piece::Text(std::mem::take(&mut plain)));
                }
                all.push(piece);
                rest = after;
            }
            None => {
                plain.push(next);
                rest = rest.strip_prefix(next).unwrap_or_default();
            }
        }
    }
    if !plain.is_empty() {
        all.push(Piece::Text(plain));
    }
    all
}

/// The piece that a text begins with, if it is more than text, and what stands behind it.
fn special(text: &str, from_zero: bool, may_run: bool) -> Option<(Piece, &str)> {
    if may_run && let Some(rest) = text.strip_prefix("!`") {
        let (command, after) = rest.split_once('`')?;
        let command = command.trim();
        return (!command.is_empty()).then(|| (Piece::Command(pieces(command, from_zero, false)), after));
    }
    let rest = text.strip_prefix('$')?;
    let known = |one: Variable| Some((Piece::Known(one), text.strip_prefix(one.written().as_str())?));
    if let Some(found) = Variable::ALL.into_iter().find_map(known) {
        return Some(found);
    }
    if let Some(rest) = rest.strip_prefix("ARGUMENTS") {
        return Some(
            index(rest)
                .map_or((Piece::All, rest), |(number, after)| (Piece::Word(usize::from(number) + 1), after)),
        );
    }
    let digit = rest.chars().next().filter(char::is_ascii_digit)?;
    let place = digit.to_digit(10)? as usize + usize::from(from_zero);
    let after = rest.strip_prefix(digit)?;
    // An amount of money is none.
    let mut next = after.chars();
    let is_number = match next.next() {
        Some('.') => next.next().is_some_and(|c| c.is_ascii_digit()),
        other => other.is_some_and(|c| c.is_ascii_digit()),
    };
    (place > 0 && !is_number).then_some((Piece::Word(place), after))
}

/// The number in brackets that a text begins with, and what stands behind them. No text is searched for a bracket that it may not have.
fn index(text: &str) -> Option<(u8, &str)> {
    let inner = text.strip_prefix('[')?;
    let digits = inner.find(|c: char| !c.is_ascii_digit())?;
    let (number, after) = inner.split_at_checked(digits)?;
    Some((number.parse().ok()?, after.strip_prefix(']')?))
}

/// Whether words have a place in one of them.
pub(super) fn has_places(pieces: &[Piece]) -> bool {
    has(pieces, |piece| matches!(piece, Piece::All | Piece::Word(_)))
}

/// Whether one of them is such a piece, also within commands.
pub(super) fn has(pieces: &[Piece], is_one: fn(&Piece) -> bool) -> bool {
    pieces.iter().any(|piece| match piece {
        Piece::Command(inner) => has(inner, is_one),
        piece => is_one(piece),
    })
}

/// The highest place of a word; 0: there is none.
pub(super) fn highest(pieces: &[Piece]) -> usize {
    let of = |piece: &Piece| match piece {
        Piece::Word(place) => *place,
        Piece::Command(inner) => highest(inner),
        Piece::All | Piece::Text(_) | Piece::Known(_) => 0,
    };
    pieces.iter().map(of).max().unwrap_or(0)
}

/// As a file has it.
pub(super) fn written(piece: &Piece) -> String {
    match piece {
        Piece::Text(text) => text.clone(),
        Piece::All => "$ARGUMENTS".to_owned(),
        Piece::Word(place) => format!("${place}"),
        Piece::Known(variable) => variable.written(),
        Piece::Command(_) => String::new(),
    }
}
