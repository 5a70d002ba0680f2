//! Which parts of a message were pasted: people see each as one name, and models read the text.

/// Bytes of a text, from and to, in order and without a common byte.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pastes(Vec<(usize, usize)>);

/// A part of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessagePiece<'t> {
    /// It was typed.
    Typed(&'t str),
    /// It was pasted, and stands as a name.
    Pasted(&'t str),
}

impl Pastes {
    /// Those of a text. Spans that do not fit it are of another one: then nothing of it counts as pasted.
    pub fn of(text: &str, spans: Vec<(usize, usize)>) -> Self {
        let mut at = 0;
        for (from, to) in &spans {
            if *from < at || to <= from || text.get(*from..*to).is_none() {
                return Self::default();
            }
            at = *to;
        }
        Self(spans)
    }

    /// All of a text.
    pub fn all(text: &str) -> Self {
        Self::of(text, vec![(0, text.len())])
    }

    /// From and to, in bytes.
    pub fn spans(&self) -> &[(usize, usize)] {
        &self.0
    }

    /// Whether nothing was pasted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The parts of the text, in order. Of another text all counts as typed.
    pub fn parts<'t>(&self, text: &'t str) -> Vec<MessagePiece<'t>> {
        let (mut parts, mut at) = (Vec::new(), 0);
        for (from, to) in &self.0 {
            let (Some(typed), Some(pasted)) = (text.get(at..*from), text.get(*from..*to)) else {
                return vec![MessagePiece::Typed(text)];
            };
            parts.extend((!typed.is_empty()).then_some(MessagePiece::Typed(typed)));
            parts.push(MessagePiece::Pasted(pasted));
            at = *to;
        }
        let rest = text.get(at..).filter(|rest| !rest.is_empty());
        parts.extend(rest.map(MessagePiece::Typed));
        parts
    }

    /// The same of a piece of the text, which begins and ends at these bytes.
    #[must_use]
    pub fn within(&self, begins: usize, ends: usize) -> Self {
        let cut = self.0.iter().map(|(from, to)| ((*from).max(begins), (*to).min(ends)));
        let held = cut.filter(|(from, to)| from < to);
        Self(held.map(|(from, to)| (from - begins, to - begins)).collect())
    }

    /// These and those of what stands behind them.
    #[must_use]
    pub fn and(mut self, behind: &Self) -> Self {
        self.0.extend_from_slice(&behind.0);
        self
    }

    /// The same in another text that begins this one, or ends as this one does: there, and nowhere else.
    #[must_use]
    pub fn carried(&self, from: &str, to: &str) -> Self {
        if from.starts_with(to) {
            return self.within(0, to.len());
        }
        let alike = from.bytes().rev().zip(to.bytes().rev()).take_while(|(a, b)| a == b).count();
        let inside =
            Self(self.0.iter().filter(|(begins, _)| *begins + alike >= from.len()).copied().collect());
        let spans = inside.within(from.len() - alike, from.len()).behind(to.len() - alike).0;
        Self::of(to, spans)
    }

    /// The same of a text that has so many bytes before it.
    #[must_use]
    pub fn behind(&self, bytes: usize) -> Self {
        Self(self.0.iter().map(|(from, to)| (from + bytes, to + bytes)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_carried_into_what_was_made_of_a_text() {
        let carried = |from: &str, spans: &[(usize, usize)], to: &str| {
            Pastes::of(from, spans.to_vec()).carried(from, to).spans().to_vec()
        };
        assert_eq!(carried("/x abc", &[(3, 6)], "Follow x.\n\nabc"), [(11, 14)]);
        assert_eq!(carried("Follow x.\n\nabc", &[(11, 14)], "/x abc"), [(3, 6)]);
        assert_eq!(carried("/x abc\n\nDo abc", &[(3, 6), (11, 14)], "/x abc"), [(3, 6)]);
        assert_eq!(carried("abc", &[(0, 3)], "/abc"), [(1, 4)]);
        assert_eq!(carried("abc", &[(0, 3)], "xbc"), [], "half of a paste is none");
    }

    #[test]
    fn spans_that_do_not_fit_the_text_are_none() {
        let text = "see é now";
        assert_eq!(Pastes::of(text, vec![(0, 3), (4, 6)]).spans(), [(0, 3), (4, 6)]);
        for bad in [vec![(4, 5)], vec![(0, 99)], vec![(3, 3)], vec![(4, 6), (0, 3)], vec![(0, 4), (3, 6)]] {
            assert!(Pastes::of(text, bad.clone()).is_empty(), "{bad:?}");
        }
    }

    #[test]
    fn parts_are_the_whole_text() {
        let text = "see AAA and B";
        let pastes = Pastes::of(text, vec![(4, 7), (12, 13)]);
        use MessagePiece::{Pasted, Typed};
        assert_eq!(pastes.parts(text), [Typed("see "), Pasted("AAA"), Typed(" and "), Pasted("B")]);
        assert_eq!(pastes.parts("see"), [Typed("see")]);
        assert_eq!(pastes.within(4, 13).parts("AAA and B"), [Pasted("AAA"), Typed(" and "), Pasted("B")]);
        assert_eq!(pastes.within(5, 12).spans(), [(0, 2)]);
        assert_eq!(pastes.behind(1).parts("/see AAA and B").len(), 4);
    }
}
