//! Lines that are meant to be misread, from a seed.

use super::pieces::{FRAMES, JOINS, PROGRAMS, REDIRECTIONS, SPOILS, STARTS, WORDS};

/// A small generator of numbers (xorshift), so that every run tries the same lines.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// Fills `%` and `@` in.
fn fill(dice: &mut Dice, text: &str, depth: usize) -> String {
    let mut filled = String::new();
    for c in text.chars() {
        match c {
            '%' => filled.push_str(dice.of(PROGRAMS)),
            '@' => filled.push_str(&list(dice, depth + 1)),
            c => filled.push(c),
        }
    }
    filled
}

fn command(dice: &mut Dice, depth: usize) -> String {
    if depth < 3 && dice.below(4) == 0 {
        let frame = dice.of(FRAMES);
        return fill(dice, frame, depth);
    }
    let start = dice.of(STARTS);
    let mut text = fill(dice, start, depth);
    for _ in 0..dice.below(3) {
        let word = if depth < 3 { dice.of(WORDS) } else { "a" };
        text.push(' ');
        text.push_str(&fill(dice, word, depth));
    }
    if dice.below(4) == 0 {
        let redirection = dice.of(REDIRECTIONS);
        text.push_str(dice.of(&[" ", " ", ""]));
        text.push_str(&fill(dice, redirection, depth));
    }
    text
}

fn list(dice: &mut Dice, depth: usize) -> String {
    let mut text = command(dice, depth);
    let most = if depth == 0 { 3 } else { 2 };
    for _ in 0..dice.below(most) {
        text.push_str(dice.of(JOINS));
        text.push_str(&command(dice, depth));
    }
    text
}

/// Pieces put side by side without any grammar.
fn soup(dice: &mut Dice) -> String {
    let mut text = String::from("echo");
    for _ in 0..2 + dice.below(8) {
        let piece = match dice.below(5) {
            0 => dice.of(WORDS),
            1 => dice.of(JOINS),
            2 => dice.of(SPOILS),
            3 => dice.of(REDIRECTIONS),
            _ => dice.of(&[" ", " danger", "danger", " a", "echo ", " 'a'"]),
        };
        text.push_str(&fill(dice, piece, 3));
    }
    text
}

/// One line.
pub(crate) fn line(dice: &mut Dice) -> String {
    if dice.below(4) == 0 {
        return soup(dice);
    }
    let mut text: Vec<char> = list(dice, 0).chars().collect();
    if dice.below(2) == 0 {
        for _ in 0..=dice.below(2) {
            let at = dice.below(text.len() + 1);
            if dice.below(3) == 0 && at < text.len() {
                text.remove(at);
            } else {
                let spoil: Vec<char> = dice.of(SPOILS).chars().collect();
                text.splice(at..at, spoil);
            }
        }
    }
    text.into_iter().collect()
}
