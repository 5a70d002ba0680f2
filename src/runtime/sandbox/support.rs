//! How much of the sandbox a machine can have, in words.

/// How much of the sandbox there is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Support {
    /// All that is promised.
    Full,
    /// It holds, but for these: a sentence each.
    Partial(Vec<String>),
    /// There is none; why, in a sentence.
    None(String),
}

impl Support {
    /// Why no command is started in it; `None` when one may be.
    pub fn refuses(&self, may_be_weaker: bool) -> Option<String> {
        match self {
            Self::Full => None,
            Self::Partial(_) if may_be_weaker => None,
            Self::Partial(reasons) => {
                Some(format!("the sandbox would be incomplete: {}", reasons.join("; ")))
            }
            Self::None(why) => Some(why.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_it_is_enough_only_for_who_said_so() {
        let part = Support::Partial(vec!["signals get out".to_owned()]);
        assert!(part.refuses(false).unwrap().ends_with("the sandbox would be incomplete: signals get out"));
        assert_eq!(part.refuses(true), None);
        assert!(Support::None("old kernel".to_owned()).refuses(true).is_some());
        assert_eq!(Support::Full.refuses(false), None);
    }
}
