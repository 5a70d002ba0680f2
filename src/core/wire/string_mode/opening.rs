//! The first characters of what may be a call: fences and the marks of the models' own forms.

/// A code fence: its character, and how many of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OpeningFence {
    /// Backtick or tilde.
    pub(super) mark: char,
    /// At least three.
    pub(super) length: usize,
}

/// What one more character tells about an opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpeningStep {
    /// Nothing yet.
    Open,
    /// It is text; the character is still to be looked at.
    Text,
    /// It is the fence of a code block; the character belongs to the rest of its line.
    Code(OpeningFence),
    /// It is the fence of a call; the character belongs to its inside. `is_sure`: even without a `{` after it.
    Call {
        /// Whether the fence began its line.
        is_sure: bool,
    },
    /// It is a fence in which an object may be a call.
    Json(OpeningFence),
    /// A call in the model's own form begins after this character.
    Marked,
    /// The end of one, which says nothing.
    MarkEnd,
    /// Thinking begins after this character.
    Thinking,
}

/// An opening in the making.
#[derive(Debug, Clone)]
pub(super) enum Opening {
    /// Backticks or tildes, and the word after them.
    Fence {
        /// The fence so far.
        fence: OpeningFence,
        /// Whether it began its line.
        at_line_start: bool,
        /// What follows it: white space, a word, white space.
        word: String,
    },
    /// One of the marks.
    Mark(String),
}

/// The words after a fence that make it a call's.
const CALL_WORDS: [&str; 3] = ["tool_call", "tool_calls", "delegate"];
/// Most bytes after a fence that are looked at.
const LONGEST_FENCE: usize = 64;
/// The word that makes it a block of JSON.
const JSON_WORD: &str = "json";

const MARKS: [(&str, OpeningStep); 5] = [
    ("<tool_call>", OpeningStep::Marked),
    ("[TOOL_CALLS]", OpeningStep::Marked),
    ("<|python_tag|>", OpeningStep::Marked),
    ("</tool_call>", OpeningStep::MarkEnd),
    ("<think>", OpeningStep::Thinking),
];

impl Opening {
    /// Whether this character may begin something; `before` is the one before it.
    pub(super) fn of(c: char, at_line_start: bool, before: Option<char>) -> Option<Self> {
        match c {
            '`' if before != Some('`') => Some(Self::fence(c, at_line_start)),
            '~' if at_line_start => Some(Self::fence(c, at_line_start)),
            // Whoever quotes a mark puts it between backticks.
            '<' | '[' if before != Some('`') => Some(Self::Mark(c.to_string())),
            _ => None,
        }
    }

    fn fence(mark: char, at_line_start: bool) -> Self {
        let fence = OpeningFence { mark, length: 1 };
        Self::Fence { fence, at_line_start, word: String::new() }
    }

    /// Takes in one character after the first.
    pub(super) fn push(&mut self, c: char) -> OpeningStep {
        match self {
            Self::Mark(seen) => {
                seen.push(c);
                let mark = MARKS.iter().find(|(mark, _)| mark.starts_with(seen.as_str()));
                match mark {
                    Some((mark, step)) if mark.len() == seen.len() => *step,
                    Some(_) => OpeningStep::Open,
                    None => OpeningStep::Text,
                }
            }
            Self::Fence { fence, word, .. } if c == fence.mark && word.is_empty() => {
                fence.length += 1;
                OpeningStep::Open
            }
            Self::Fence { fence, at_line_start: true, .. } if fence.length < 3 => OpeningStep::Text,
            Self::Fence { fence, at_line_start: true, .. } if fence.length > 3 || fence.mark == '~' => {
                OpeningStep::Code(*fence)
            }
            Self::Fence { fence, at_line_start: false, .. } if fence.length != 3 => OpeningStep::Text,
            Self::Fence { fence, at_line_start, word } => after_fence(*fence, *at_line_start, word, c),
        }
    }

    /// Whether it is the fence of a call already, should nothing follow.
    pub(super) fn is_call(&self) -> bool {
        matches!(self, Self::Fence { at_line_start: true, word, .. } if CALL_WORDS.contains(&word.trim()))
    }
}

/// Three backticks stand there; what is the word after them?
fn after_fence(fence: OpeningFence, at_line_start: bool, word: &mut String, c: char) -> OpeningStep {
    let other = if at_line_start { OpeningStep::Code(fence) } else { OpeningStep::Text };
    let seen = word.trim();
    let is_call = CALL_WORDS.contains(&seen);
    let is_json = at_line_start && (seen.is_empty() || seen == JSON_WORD);
    if is_call && (c.is_whitespace() || c == '{') {
        return OpeningStep::Call { is_sure: at_line_start };
    }
    if c == '\n' && is_json {
        return OpeningStep::Json(fence);
    }
    word.extend(c.to_lowercase());
    // A second word begins with the white space that is kept before it, so it is a part of no known word.
    let may_be = |known: &str| known.starts_with(word.trim_start());
    let is_open = CALL_WORDS.into_iter().any(may_be) || (at_line_start && may_be(JSON_WORD));
    if is_open || (is_json && c.is_whitespace() && word.len() < LONGEST_FENCE) {
        OpeningStep::Open
    } else {
        other
    }
}
