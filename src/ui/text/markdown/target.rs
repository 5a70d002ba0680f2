//! The target of a link or an image that is still being written.

/// What is open in it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Target {
    /// Brackets that belong to the address.
    depth: usize,
    /// What ends the title.
    quote: Option<char>,
    /// The address has ended.
    is_over: bool,
}

impl Target {
    /// The same behind one more character; `None` where it has ended, or is none.
    pub(super) fn after(self, c: char) -> Option<Self> {
        match (self.quote, c) {
            (Some(quote), _) => Some(Self { quote: self.quote.filter(|_| c != quote), ..self }),
            (None, ')') => self.depth.checked_sub(1).map(|depth| Self { depth, ..self }),
            (None, '(') if !self.is_over => Some(Self { depth: self.depth + 1, ..self }),
            (None, c) if c.is_whitespace() => Some(Self { is_over: true, ..self }),
            (None, '"' | '\'') if self.is_over => Some(Self { quote: Some(c), ..self }),
            (None, _) => (!self.is_over).then_some(self),
        }
    }

    /// What ends it here.
    pub(super) fn closers(self) -> String {
        let quote: String = self.quote.into_iter().collect();
        quote + &")".repeat(1 + self.depth)
    }
}
