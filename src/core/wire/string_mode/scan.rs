//! The scan of an answer: what is text passes at once, what may be a call is held until it is decided.

use std::mem::take;

use super::block::{FencedCall, Inside};
use super::call::{TextCall, declared_calls, plain_calls, unusable};
use super::object::{Nesting, Object, ObjectStep};
use super::opening::{Opening, OpeningFence, OpeningStep};
use super::sink::Sink;

const THINK_END: &str = "</think>";

/// Reads an answer character by character; each is looked at once or twice, however long the answer.
#[derive(Debug, Default)]
pub(super) struct Scan {
    mode: ScanMode,
    /// What is read and not decided.
    held: String,
    at_line_start: LineStart,
    before: Option<char>,
}

/// Whether only white space was read since the last line break; so it is at the beginning.
#[derive(Debug, Clone, Copy)]
struct LineStart(bool);

impl Default for LineStart {
    fn default() -> Self {
        Self(true)
    }
}

#[derive(Debug, Default)]
enum ScanMode {
    /// Text, in which anything may begin.
    #[default]
    Prose,
    /// White space between thinking and answer.
    AfterThinking,
    /// Something began.
    Opening(Opening),
    /// An object that may be a call.
    Object(Object, Home),
    /// The inside of a fenced call.
    Block(FencedCall),
    /// JSON that is no call: nothing in it is.
    Json(Nesting),
    /// The rest of the line on which a code block opens.
    Info(OpeningFence),
    /// A code block.
    Code(OpeningFence, Closing),
    /// Thinking; whether a word was said.
    Thinking(bool),
}

/// Where an object stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Home {
    /// At the start of a line.
    Line,
    /// In a code block.
    Fence(OpeningFence),
    /// After a mark that says that it is a call.
    Mark,
}

/// How much of a closing fence the line has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closing {
    /// White space so far.
    Blank,
    /// So many of the fence's characters.
    Run(usize),
    /// A whole closing fence, and white space.
    Whole,
    /// The line is another one.
    No,
}

impl Scan {
    /// Takes in one character.
    pub(super) fn push(&mut self, c: char, sink: &mut Sink) {
        sink.source(c);
        let at_line_start = self.at_line_start.0;
        self.at_line_start = LineStart(c == '\n' || (at_line_start && c.is_whitespace()));
        if !self.step(c, at_line_start, sink) {
            // What was held was text; the character is looked at again, as what follows it.
            self.step(c, at_line_start, sink);
        }
        self.before = Some(c);
    }

    /// The end of the answer: what is still open is decided.
    pub(super) fn finish(&mut self, sink: &mut Sink) {
        match take(&mut self.mode) {
            ScanMode::Block(block) if block.is_sure() => self.found(declared_calls(&block.body), sink),
            ScanMode::Opening(opening) if opening.is_call() => self.found(vec![unusable("")], sink),
            ScanMode::Object(object, _) if object.is_call() && !object.text.is_empty() => {
                self.found(vec![unusable(&object.text)], sink);
            }
            ScanMode::Thinking(true) => take(&mut self.held).chars().for_each(|c| sink.thinking(c)),
            _ => self.release(sink),
        }
    }

    /// What is not decided.
    pub(super) fn take_held(&mut self) -> String {
        self.mode = ScanMode::Prose;
        take(&mut self.held)
    }

    /// One step; false when the character was not used up.
    fn step(&mut self, c: char, at_line_start: bool, sink: &mut Sink) -> bool {
        match take(&mut self.mode) {
            ScanMode::Prose => self.prose(c, at_line_start, sink),
            ScanMode::AfterThinking if c.is_whitespace() => {
                self.at_line_start = LineStart(true);
                self.mode = ScanMode::AfterThinking;
                true
            }
            ScanMode::AfterThinking => self.prose(c, true, sink),
            ScanMode::Opening(opening) => self.opening(opening, c, sink),
            ScanMode::Object(object, home) => self.object(object, home, c, at_line_start, sink),
            ScanMode::Block(block) => self.block(block, c, sink),
            ScanMode::Json(_) if at_line_start && c == '`' => false,
            ScanMode::Json(mut nesting) => {
                let is_broken = nesting.in_string() && c == '\n';
                if !nesting.push(c) && !is_broken {
                    self.mode = ScanMode::Json(nesting);
                }
                sink.text(c);
                true
            }
            ScanMode::Info(fence) => self.info(fence, c, sink),
            ScanMode::Code(fence, closing) => self.code(fence, closing, c, sink),
            ScanMode::Thinking(has_words) => self.thinking(has_words, c, sink),
        }
    }

    fn prose(&mut self, c: char, at_line_start: bool, sink: &mut Sink) -> bool {
        if c == '{' && at_line_start {
            let mut object = Object::new();
            object.push(c);
            self.hold(c, ScanMode::Object(object, Home::Line));
        } else if let Some(opening) = Opening::of(c, at_line_start, self.before) {
            self.hold(c, ScanMode::Opening(opening));
        } else {
            sink.text(c);
        }
        true
    }

    fn opening(&mut self, mut opening: Opening, c: char, sink: &mut Sink) -> bool {
        match opening.push(c) {
            OpeningStep::Open => self.hold(c, ScanMode::Opening(opening)),
            OpeningStep::Text => return self.again(sink),
            OpeningStep::Code(fence) => {
                self.release(sink);
                return self.info(fence, c, sink);
            }
            OpeningStep::Call { is_sure } => return self.block(FencedCall::new(is_sure), c, sink),
            OpeningStep::Json(fence) => self.hold(c, ScanMode::Object(Object::new(), Home::Fence(fence))),
            OpeningStep::Marked => self.hold(c, ScanMode::Object(Object::declared(), Home::Mark)),
            OpeningStep::MarkEnd if sink.has_calls() => self.held.clear(),
            OpeningStep::Thinking if sink.is_fresh() => {
                self.held.clear();
                self.mode = ScanMode::Thinking(false);
            }
            OpeningStep::MarkEnd | OpeningStep::Thinking => {
                self.held.push(c);
                self.release(sink);
            }
        }
        true
    }

    fn object(
        &mut self,
        mut object: Object,
        home: Home,
        c: char,
        at_line_start: bool,
        sink: &mut Sink,
    ) -> bool {
        if object.text.is_empty() && !(c == '{' || (c == '[' && home == Home::Mark)) {
            if c.is_whitespace() {
                self.hold(c, ScanMode::Object(object, home));
                return true;
            }
            return self.no_object(home, sink);
        }
        // A backtick where JSON has none: broken JSON, or no call at all.
        let may_close = matches!(home, Home::Fence(_)) && at_line_start;
        if c == '`' && home != Home::Mark && (may_close || !object.nesting.in_string()) {
            return match home {
                _ if !object.is_call() => self.no_object(home, sink),
                Home::Fence(_) => self.block(FencedCall::after(object.text, object.nesting), c, sink),
                Home::Line | Home::Mark => {
                    // The first call is where keeping the source began, one character too late for this one.
                    let is_first = !sink.has_calls();
                    self.found(vec![unusable(&object.text)], sink);
                    self.at_line_start = LineStart(false);
                    if is_first {
                        sink.source(c);
                    }
                    false
                }
            };
        }
        match object.push(c) {
            ObjectStep::Open => self.hold(c, ScanMode::Object(object, home)),
            ObjectStep::Whole => self.whole(object, home, c, sink),
            ObjectStep::Other => {
                self.held.push(c);
                self.release(sink);
                self.mode = match home {
                    Home::Fence(fence) => ScanMode::Code(fence, Closing::No),
                    Home::Line | Home::Mark => ScanMode::Json(object.nesting),
                };
            }
            ObjectStep::Foreign => return self.no_object(home, sink),
        }
        true
    }

    /// What is held is text; the character after it is looked at again.
    fn no_object(&mut self, home: Home, sink: &mut Sink) -> bool {
        let is_blank = self.held.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
        self.release(sink);
        if let Home::Fence(fence) = home {
            self.mode = ScanMode::Code(fence, if is_blank { Closing::Blank } else { Closing::No });
        }
        false
    }

    /// The object came to its end: calls, JSON of another kind, or a call whose JSON is broken.
    fn whole(&mut self, object: Object, home: Home, c: char, sink: &mut Sink) {
        self.held.push(c);
        let calls = match home {
            Home::Mark => Some(declared_calls(&object.text)),
            Home::Line | Home::Fence(_) => plain_calls(&object.text),
        };
        let is_text = calls.as_ref().map_or(!object.is_call(), Vec::is_empty);
        match (home, calls) {
            (Home::Fence(fence), _) if is_text => {
                self.release(sink);
                self.mode = ScanMode::Code(fence, Closing::No);
            }
            (_, _) if is_text => self.release(sink),
            (Home::Fence(_), _) => {
                self.mode = ScanMode::Block(FencedCall::after(object.text, object.nesting))
            }
            (_, Some(calls)) => self.found(calls, sink),
            (_, None) => self.found(vec![unusable(&object.text)], sink),
        }
    }

    fn block(&mut self, mut block: FencedCall, c: char, sink: &mut Sink) -> bool {
        match block.push(c) {
            Inside::Open => self.hold(c, ScanMode::Block(block)),
            Inside::Closed => {
                self.held.push(c);
                self.found(declared_calls(&block.body), sink);
            }
            Inside::Text => return self.again(sink),
        }
        true
    }

    fn info(&mut self, fence: OpeningFence, c: char, sink: &mut Sink) -> bool {
        sink.text(c);
        self.mode = match c {
            '\n' => ScanMode::Code(fence, Closing::Blank),
            // Three backticks and another one on the same line are code within a line.
            '`' if fence.mark == '`' => ScanMode::Prose,
            _ => ScanMode::Info(fence),
        };
        true
    }

    fn code(&mut self, fence: OpeningFence, closing: Closing, c: char, sink: &mut Sink) -> bool {
        sink.text(c);
        let closing = match closing {
            Closing::Run(n) if c == fence.mark => Closing::Run(n + 1),
            Closing::Blank if c == fence.mark => Closing::Run(1),
            Closing::Run(n) if c.is_whitespace() && n >= fence.length => Closing::Whole,
            closing @ (Closing::Blank | Closing::Whole) if c.is_whitespace() => closing,
            _ => Closing::No,
        };
        self.mode = match (c, closing) {
            ('\n', Closing::Whole) => ScanMode::Prose,
            ('\n', _) => ScanMode::Code(fence, Closing::Blank),
            (_, closing) => ScanMode::Code(fence, closing),
        };
        true
    }

    fn thinking(&mut self, has_words: bool, c: char, sink: &mut Sink) -> bool {
        self.held.push(c);
        if self.held == THINK_END {
            self.held.clear();
            if has_words {
                sink.thinking_done();
            }
            self.at_line_start = LineStart(true);
            self.mode = ScanMode::AfterThinking;
            return true;
        }
        if THINK_END.starts_with(self.held.as_str()) {
            self.mode = ScanMode::Thinking(has_words);
            return true;
        }
        self.held.pop();
        let is_retry = !self.held.is_empty();
        let mut has_words = has_words;
        for held in take(&mut self.held).chars() {
            sink.thinking(held);
            has_words = true;
        }
        self.mode = ScanMode::Thinking(has_words);
        if is_retry {
            return false;
        }
        if has_words || !c.is_whitespace() {
            sink.thinking(c);
            self.mode = ScanMode::Thinking(true);
        }
        true
    }

    fn hold(&mut self, c: char, mode: ScanMode) {
        self.held.push(c);
        self.mode = mode;
    }

    fn release(&mut self, sink: &mut Sink) {
        take(&mut self.held).chars().for_each(|c| sink.text(c));
    }

    fn again(&mut self, sink: &mut Sink) -> bool {
        self.release(sink);
        false
    }

    fn found(&mut self, calls: Vec<TextCall>, sink: &mut Sink) {
        sink.calls(calls, &self.held);
        self.held.clear();
        // The next call may stand on the same line.
        self.at_line_start = LineStart(true);
    }
}
