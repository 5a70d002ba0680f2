//! What an agent has told of one task, folded from its events into bounded memory.

use crate::ledger::{RemoteTask, TaskState};
use crate::runtime::untrusted::one_line;
use crate::wire::a2a::{A2aMessage, Artifact, Event, Part, Task, TaskStatus};

/// Most bytes of what one conversation made that are kept.
const MOST_KEPT: usize = 32 << 20;
/// What a piece costs beside its text.
const PIECE: usize = 64;
/// Most artifacts of a task.
const MOST_ARTIFACTS: usize = 1_000;
/// Most characters of an agent's name for a task.
const MOST_ID: usize = 256;

/// What an agent has told.
#[derive(Default)]
pub(super) struct TaskProgress {
    /// What it calls the task, in its own letters.
    pub(super) id: Option<String>,
    /// The task that was asked to go on: nothing is taken of another.
    asked: Option<String>,
    /// How the task stands, if it said so.
    pub(super) state: Option<TaskState>,
    /// What the task made, in order.
    pub(super) artifacts: Vec<Artifact>,
    /// What it said when the task came to stand as it does.
    pub(super) reason: Option<A2aMessage>,
    /// The last that it said of how the task stands.
    pub(super) last_status: Option<A2aMessage>,
    /// The last that it said, of those in the history or in a message of its own.
    pub(super) last_said: Option<A2aMessage>,
    /// What came of it beside what it made: an agent of KAOS says so, in words that may be empty.
    pub(super) output: Option<String>,
    /// Its answer, when there is no task.
    pub(super) direct: Option<A2aMessage>,
    /// Characters that were not kept.
    pub(super) cut_chars: u64,
    kept: usize,
}

impl TaskProgress {
    /// Nothing yet, of this task if one was asked to go on.
    pub(super) fn of(asked: Option<&str>) -> Self {
        Self { asked: asked.map(str::to_owned), ..Self::default() }
    }

    /// Whether nothing was told at all.
    pub(super) fn is_nothing(&self) -> bool {
        self.id.is_none() && self.direct.is_none()
    }

    /// Whether this is the task that it is about, as far as that is known.
    pub(super) fn is_about(&self, task: &str) -> bool {
        self.id.as_deref().or(self.asked.as_deref()).is_none_or(|known| known == task)
    }

    /// What the agent calls the task was found in another way.
    pub(super) fn name(&mut self, id: &str) {
        self.id.get_or_insert_with(|| id.to_owned());
    }

    /// Takes in an event, and says what of it is new to read. What is told of other tasks is not taken.
    pub(super) fn take(&mut self, event: Event) -> String {
        match event {
            Event::Message { task, message } => self.take_message(task.as_deref(), message),
            Event::Status { task, status } if self.is_this(&task) => self.stand(status),
            Event::Artifact { task, artifact, append } if self.is_this(&task) => {
                let new = text(&artifact.parts);
                let begins = !append && !self.artifacts.is_empty();
                self.put(artifact, append);
                if begins { format!("\n{new}") } else { new }
            }
            Event::Task(task) if self.is_this(&task.id) => self.stand_whole(task),
            Event::Status { .. } | Event::Artifact { .. } | Event::Task(_) => String::new(),
        }
    }

    /// A message ends nothing once there is a task: how that stands is said by its state alone.
    fn take_message(&mut self, task: Option<&str>, message: A2aMessage) -> String {
        let Some(known) = self.id.clone().or_else(|| self.asked.clone()) else {
            let new = text(&message.parts);
            self.direct = Some(message);
            return new;
        };
        if !message.is_of_agent || task.is_some_and(|task| task != known) {
            return String::new();
        }
        self.id = Some(known);
        let mut new = text(&message.parts);
        if !new.is_empty() && !new.ends_with('\n') {
            new.push('\n');
        }
        // It is the last that was said; what was said of the status is older.
        (self.last_status, self.last_said) = (None, Some(message));
        new
    }

    /// Whether nothing more comes of it: it ended, or waits for somebody.
    pub(super) fn is_over(&self) -> bool {
        self.direct.is_some() || self.state.is_some_and(rests)
    }

    /// Whether it waits for somebody.
    pub(super) fn waits(&self) -> bool {
        matches!(self.state, Some(TaskState::InputRequired | TaskState::AuthRequired))
    }

    /// The task for the books: its name on one line, as far as anything was told.
    pub(super) fn remote(&self) -> RemoteTask {
        let state = match (&self.direct, self.state) {
            (Some(_), _) => TaskState::Completed,
            (None, state) => state.unwrap_or(TaskState::Unknown),
        };
        let id = self.id.as_deref().filter(|_| self.direct.is_none());
        RemoteTask { id: id.map(shown_id), state }
    }

    /// The first task that is named is the one that this is about.
    fn is_this(&mut self, task: &str) -> bool {
        self.is_about(task) && self.id.get_or_insert_with(|| task.to_owned()) == task
    }

    fn stand(&mut self, status: TaskStatus) -> String {
        self.state = Some(status.state);
        let mut new = String::new();
        if let Some(message) = &status.message {
            if self.last_status.as_ref() != Some(message) {
                new = text(&message.parts);
                if !new.is_empty() && !new.ends_with('\n') {
                    new.push('\n');
                }
            }
            self.last_status = status.message.clone();
        }
        self.reason = status.message;
        new
    }

    /// The whole task takes the place of what was told of it before.
    fn stand_whole(&mut self, task: Task) -> String {
        let mut new = String::new();
        if !task.artifacts.is_empty() {
            let before = std::mem::take(&mut self.artifacts);
            (self.kept, self.cut_chars) = (0, 0);
            for artifact in task.artifacts {
                let old = before.iter().find(|old| old.id == artifact.id).map(|old| text(&old.parts));
                let now = text(&artifact.parts);
                new.push_str(now.strip_prefix(old.unwrap_or_default().as_str()).unwrap_or(&now));
                self.put(artifact, false);
            }
        }
        if let Some(said) = task.history.into_iter().rev().find(|message| message.is_of_agent) {
            self.last_said = Some(said);
        }
        self.output = task.output;
        self.stand(task.status) + &new
    }

    /// Keeps an artifact: behind what is there of it, in the place of that, or as a new one.
    fn put(&mut self, artifact: Artifact, append: bool) {
        let has_room = self.artifacts.len() < MOST_ARTIFACTS && self.kept + artifact.id.len() <= MOST_KEPT;
        if has_room && !self.artifacts.iter().any(|old| old.id == artifact.id) {
            self.kept += artifact.id.len();
            self.artifacts.push(Artifact { id: artifact.id.clone(), parts: Vec::new() });
        }
        let Some(place) = self.artifacts.iter_mut().find(|old| old.id == artifact.id) else {
            self.cut_chars += artifact.parts.iter().map(characters).sum::<u64>();
            return;
        };
        if !append {
            let freed: usize = place.parts.iter().map(weight).sum();
            self.kept = self.kept.saturating_sub(freed);
            place.parts.clear();
        }
        for part in artifact.parts {
            if self.kept + weight(&part) > MOST_KEPT {
                self.cut_chars += characters(&part);
                continue;
            }
            match (place.parts.last_mut(), part) {
                (Some(Part::Text(text)), Part::Text(more)) if append => {
                    self.kept += more.len();
                    text.push_str(&more);
                }
                (_, part) => {
                    self.kept += weight(&part);
                    place.parts.push(part);
                }
            }
        }
    }
}

/// Whether an agent goes on with a task that stands so only when somebody does something.
fn rests(state: TaskState) -> bool {
    ended(state) || matches!(state, TaskState::InputRequired | TaskState::AuthRequired)
}

/// Whether a task that stands so never changes any more.
pub(super) fn ended(state: TaskState) -> bool {
    use TaskState as State;
    matches!(state, State::Completed | State::Failed | State::Canceled | State::Rejected)
}

/// What an agent calls a task, fit for a line.
pub(super) fn shown_id(id: &str) -> String {
    one_line(id, MOST_ID)
}

/// The words among these parts.
pub(super) fn text(parts: &[Part]) -> String {
    let mut words = String::new();
    for part in parts {
        match part {
            Part::Text(text) => words.push_str(text),
            Part::Data(data) => words.push_str(data),
            Part::File { .. } | Part::Link { .. } | Part::Unknown => {}
        }
    }
    words
}

fn weight(part: &Part) -> usize {
    PIECE + lengths(part, str::len)
}

fn characters(part: &Part) -> u64 {
    lengths(part, |text| text.chars().count()) as u64
}

fn lengths(part: &Part, length: impl Fn(&str) -> usize) -> usize {
    match part {
        Part::Text(text) | Part::Data(text) => length(text),
        Part::File { name, kind, base64: held } | Part::Link { name, kind, url: held } => {
            length(name) + length(kind) + length(held)
        }
        Part::Unknown => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(id: &str, words: &str, append: bool) -> Event {
        let artifact = Artifact { id: id.into(), parts: vec![Part::Text(words.into())] };
        Event::Artifact { task: "t".into(), artifact, append }
    }

    fn words(told: &TaskProgress) -> Vec<String> {
        told.artifacts.iter().map(|artifact| text(&artifact.parts)).collect()
    }

    fn said(words: &str) -> A2aMessage {
        A2aMessage { is_of_agent: true, parts: vec![Part::Text(words.into())] }
    }

    fn whole(state: TaskState, message: Option<A2aMessage>, artifacts: &[(&str, &str)]) -> Event {
        let artifact = |(id, words): &(&str, &str)| Artifact {
            id: (*id).to_owned(),
            parts: vec![Part::Text((*words).to_owned())],
        };
        Event::Task(Task {
            id: "t".into(),
            status: TaskStatus { state, message },
            artifacts: artifacts.iter().map(artifact).collect(),
            history: Vec::new(),
            output: None,
        })
    }

    #[test]
    fn chunks_are_joined_and_later_artifacts_take_the_place_of_earlier_ones() {
        let mut told = TaskProgress::default();
        let mut shown = String::new();
        for event in
            [made("a", "on", false), made("b", "x", false), made("a", "e", true), made("b", "two", false)]
        {
            shown.push_str(&told.take(event));
        }
        assert_eq!((words(&told), shown.as_str()), (vec!["one".to_owned(), "two".to_owned()], "on\nxe\ntwo"));
        assert_eq!((told.remote().id.as_deref(), told.remote().state), (Some("t"), TaskState::Unknown));
    }

    #[test]
    fn of_a_task_that_is_asked_about_only_what_is_new_is_shown() {
        let mut told = TaskProgress::default();
        let status = Some(said("thinking"));
        assert_eq!(told.take(whole(TaskState::Working, status.clone(), &[])), "thinking\n");
        assert_eq!(told.take(whole(TaskState::Working, status.clone(), &[("a", "on")])), "on");
        assert_eq!(told.take(whole(TaskState::Working, status, &[("a", "one"), ("b", "two")])), "etwo");
        assert!(!told.is_over());
        assert_eq!(told.take(whole(TaskState::Completed, None, &[])), "");
        assert!(told.is_over() && told.reason.is_none());
        assert_eq!((words(&told).len(), told.last_status), (2, Some(said("thinking"))));
    }

    #[test]
    fn what_is_told_of_another_task_is_not_taken() {
        let mut told = TaskProgress::default();
        told.take(made("a", "mine", false));
        let status = TaskStatus { state: TaskState::Completed, message: None };
        assert_eq!(told.take(Event::Status { task: "other".into(), status }), "");
        assert!(!told.is_over());
    }

    #[test]
    fn a_message_ends_no_task() {
        let message = |task: Option<&str>, words: &str| Event::Message {
            task: task.map(str::to_owned),
            message: said(words),
        };
        for mut told in [TaskProgress::default(), TaskProgress::of(Some("t"))] {
            if told.asked.is_none() {
                told.take(whole(TaskState::Working, Some(said("thinking")), &[]));
            }
            assert_eq!(told.take(message(Some("other"), "not about it")), "");
            assert!(told.last_said.is_none());
            let user = A2aMessage { is_of_agent: false, ..said("mine") };
            assert_eq!(told.take(Event::Message { task: None, message: user }), "");
            for task in [None, Some("t")] {
                assert_eq!(told.take(message(task, "3 %")), "3 %\n");
                assert!(!told.is_over() && told.direct.is_none() && told.last_status.is_none());
                assert_eq!(told.last_said, Some(said("3 %")));
            }
            assert_eq!(told.remote().id.as_deref(), Some("t"));
            assert_ne!(told.remote().state, TaskState::Completed);
            told.take(whole(TaskState::Completed, None, &[]));
            assert!(told.is_over() && told.last_said == Some(said("3 %")));
        }
        let mut alone = TaskProgress::default();
        assert_eq!(alone.take(message(Some("made up"), "hello")), "hello");
        assert_eq!(alone.remote(), RemoteTask { id: None, state: TaskState::Completed });
    }

    #[test]
    fn memory_is_bounded_and_what_is_left_out_is_counted() {
        let mut told = TaskProgress::default();
        let piece = "é".repeat(1 << 20);
        for _ in 0..20 {
            told.take(made("a", &piece, true));
        }
        assert!(told.kept <= MOST_KEPT && text(&told.artifacts[0].parts).len() <= MOST_KEPT);
        assert_eq!(told.cut_chars, 5 << 20);
        told.take(made("a", "small", false));
        assert_eq!((words(&told), told.kept), (vec!["small".to_owned()], "a".len() + PIECE + 5));
        for number in 0..2_000 {
            told.take(made(&number.to_string(), "x", false));
        }
        assert_eq!(told.artifacts.len(), MOST_ARTIFACTS);
    }

    #[test]
    fn names_of_artifacts_have_a_weight_too() {
        let mut told = TaskProgress::default();
        for number in 0..100 {
            told.take(made(&format!("{number:03}{}", "x".repeat(999_997)), "", false));
        }
        let names: usize = told.artifacts.iter().map(|artifact| artifact.id.len()).sum();
        assert!(told.artifacts.len() == 33 && names <= MOST_KEPT, "{names}");
    }

    #[test]
    fn parts_without_words_have_a_weight_too() {
        let parts = |part: Part, count| Event::Artifact {
            task: "t".into(),
            artifact: Artifact { id: "a".into(), parts: vec![part; count] },
            append: false,
        };
        for part in [Part::Text(String::new()), Part::Unknown] {
            let mut told = TaskProgress::default();
            told.take(parts(part, 600_000));
            assert_eq!(told.artifacts[0].parts.len(), (MOST_KEPT - "a".len()) / PIECE);
        }
    }

    #[test]
    fn a_name_fits_a_line() {
        let told =
            TaskProgress { id: Some(format!("a\u{202e}\n{}", "b".repeat(300))), ..TaskProgress::default() };
        let id = told.remote().id.unwrap();
        assert!(id.starts_with("a b") && id.chars().count() == 256, "{id}");
    }
}
