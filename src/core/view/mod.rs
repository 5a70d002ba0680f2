//! What is to be seen: events folded into cards, a status, gauges and inspector rows. No screen in it, so live
//! chat, replay and the inspector are one renderer.

mod activity;
mod asked_by;
mod card;
pub mod change;
mod changed;
mod compactions;
mod custom;
mod decided;
mod ending;
mod fleet;
mod fold;
mod goal_forecast;
mod guest;
mod guests;
mod hosted;
mod inspect;
mod measure;
mod model_sees;
mod noted;
mod offer;
mod own_command;
mod panel;
mod permissions;
mod piece;
mod plan;
mod quote;
mod reach;
mod receipts;
mod requests;
mod session;
mod settings;
mod shell_of;
mod shell_words;
mod shells;
mod spending;
mod status;
mod subagents;
mod subject;
mod summary;
mod synthetic;
mod tail;
mod template;
mod timeline;
mod transcript;
mod waited;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

pub use crate::ledger::Reach;
pub use activity::Activity;
pub use asked_by::AskedBy;
pub use card::{Card, CardBody, CardId, Forming, LiveMessage, Revision};
pub use custom::{
    CustomCall, NamedCommand, built_in_message, built_in_typed, has_pasted_header, has_source_line,
};
pub use decided::decision_words;
pub use ending::{ending_words, ending_words_below};
pub use fleet::{FleetKind, FleetMember, WAITS_FOR_TURN};
pub use goal_forecast::{GoalForecast, Rest};
pub use hosted::{HostedLine, HostedState, ShownPart, hosted_lines, shown};
pub use inspect::{Mark, Row, one_line};
pub use measure::{exit, measure};
pub use model_sees::{Fate, ModelSees, SeenEntry, model_sees};
pub use offer::Offer;
pub use panel::{InBackground, Panel, PanelState};
pub use permissions::{Granted, Permissions};
pub use plan::{PlanItem, PlanProgress, PlanStatus};
pub use quote::code;
pub use receipts::{Receipt, Receipts};
pub use requests::{ModelRequest, SentPart, contents, requests};
pub use session::SessionFacts;
pub use settings::ViewSettings;
pub use shells::BackgroundShell;
pub use spending::{Spending, Spent};
pub use status::{Phase, Status};
pub use subagents::WaitingCall;
pub use subject::subject;
pub use summary::summary;
pub use synthetic::synthetic;
pub use tail::Tail;
pub use template::Template;
pub use timeline::{Call, Moment, MomentKind, Timeline};
pub use transcript::{Style, transcript};

use guest::{AtHome, Guest};
use reach::Reaches;
use session::Whose;

use crate::budget::{Gauge, Limit, Meter};
use crate::ledger::{Body, CallId, EntryId, Escrow, Millis, TurnEnded, UserMessage};

/// All that a screen shows of a session. Two views are equal when they show the same.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// What was told at the start; it never changes.
    pub settings: ViewSettings,
    /// What is so of the session now.
    pub session: SessionFacts,
    /// What it is doing.
    pub status: Status,
    cards: Vec<Card>,
    live: Option<LiveMessage>,
    /// The answer that is waited for, and the estimated tokens of its prompt.
    asked: Option<(EntryId, u64)>,
    live_cards: Vec<Card>,
    panels: BTreeMap<CallId, usize>,
    asks: BTreeSet<CallId>,
    /// The calls that run, and since when.
    running: BTreeMap<CallId, Millis>,
    rows: Vec<Row>,
    row_of: BTreeMap<EntryId, usize>,
    meter: Meter,
    /// The user spoke, and the run has not ended.
    run_is_open: bool,
    /// The run pursues a goal.
    has_goal: bool,
    /// The run is a command of the user's own.
    is_own_command: bool,
    reaches: Reaches,
    clock: Millis,
    latest_message: Option<EntryId>,
    /// What the model last said that it is going to do.
    plan: Vec<PlanItem>,
    shells: Vec<BackgroundShell>,
    subagents: BTreeMap<CallId, Self>,
    /// What was set aside for each that was ever started.
    escrows: BTreeMap<CallId, Escrow>,
    /// Whether this session is that of a sub-agent which waits until another one is over.
    waits_for_turn: bool,
    whose: Whose,
    /// The folder of the worktree in which this session works, if it is that of a sub-agent which has one.
    pub worktree: Option<String>,
    /// Calls of theirs that wait for the person, and the number of each that ever did.
    guests: Vec<Guest>,
    invited: BTreeMap<AtHome, u64>,
    offer: Option<Offer>,
    revision: Revision,
    /// Rises when a card was taken away, so that positions kept outside are known to be stale.
    epoch: Revision,
}

impl View {
    /// An empty view.
    pub fn new(settings: ViewSettings) -> Self {
        Self {
            meter: Meter::new(settings.limits.clone()),
            session: SessionFacts::new(&settings),
            settings,
            status: Status::default(),
            cards: Vec::new(),
            live: None,
            asked: None,
            live_cards: Vec::new(),
            panels: BTreeMap::new(),
            asks: BTreeSet::new(),
            running: BTreeMap::new(),
            rows: Vec::new(),
            row_of: BTreeMap::new(),
            run_is_open: false,
            has_goal: false,
            is_own_command: false,
            reaches: Reaches::default(),
            clock: Millis(0),
            latest_message: None,
            plan: Vec::new(),
            shells: Vec::new(),
            subagents: BTreeMap::new(),
            escrows: BTreeMap::new(),
            waits_for_turn: false,
            whose: Whose::default(),
            worktree: None,
            guests: Vec::new(),
            invited: BTreeMap::new(),
            offer: None,
            revision: Revision::default(),
            epoch: Revision::default(),
        }
    }

    /// How many cards there are.
    pub fn len(&self) -> usize {
        self.cards.len() + self.live_cards.len() + self.guests.len()
    }

    /// Whether nothing was said yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The card at a position, oldest first; the ones that still grow come last.
    pub fn card(&self, at: usize) -> Option<&Card> {
        let live = at.checked_sub(self.cards.len());
        let guest = live.and_then(|at| at.checked_sub(self.live_cards.len()));
        let live = || self.live_cards.get(live?);
        self.cards.get(at).or_else(live).or_else(|| Some(&self.guests.get(guest?)?.card))
    }

    /// The answer that is being written.
    pub fn live(&self) -> Option<&LiveMessage> {
        self.live.as_ref()
    }

    /// The panel of a call.
    pub fn panel(&self, call: CallId) -> Option<&Panel> {
        self.card(self.position(call)?)?.panel()
    }

    /// The call that runs on a terminal which takes keys; of several the last.
    pub fn typable(&self) -> Option<CallId> {
        self.calls().rev().find(|call| self.panel(*call).is_some_and(Panel::takes_keys))
    }

    /// Where the panel of a call stands among the cards.
    pub fn position(&self, call: CallId) -> Option<usize> {
        self.panels.get(&call).copied().or_else(|| self.guest_position(call))
    }

    /// The calls, in the order in which they were made.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = CallId> {
        self.panels.keys().copied()
    }

    /// The cards that can have the focus, oldest first: calls, summaries, long messages and answers with code.
    pub fn focusable(&self) -> impl DoubleEndedIterator<Item = CardId> {
        let takes = |card: &&Card| {
            let opens = matches!(card.body, CardBody::Tool(_) | CardBody::Compacted(_));
            opens || card.has_code() || card.is_long_message()
        };
        self.cards.iter().filter(takes).map(|card| card.id)
    }

    /// Whether a card is still there that opens, or has code.
    pub fn is_there(&self, id: CardId) -> bool {
        match id {
            CardId::Call(call) => self.panel(call).is_some(),
            CardId::Entry(entry) => {
                self.compaction(entry).is_some()
                    || self.has_long_message(entry)
                    || self.place(id).and_then(|at| self.card(at)).is_some_and(Card::has_code)
            }
            CardId::Forming(..) => false,
        }
    }

    /// Where a card stands, growing ones left out.
    pub fn place(&self, id: CardId) -> Option<usize> {
        match id {
            CardId::Call(call) => self.position(call),
            CardId::Entry(_) | CardId::Forming(..) => self.cards.iter().rposition(|card| card.id == id),
        }
    }

    /// Whether the user's message of this entry is too long to be shown whole.
    pub fn has_long_message(&self, id: EntryId) -> bool {
        self.place(CardId::Entry(id)).and_then(|at| self.card(at)).is_some_and(Card::is_long_message)
    }

    /// The user's message of this entry, if it is one that is too long to be shown whole.
    pub fn long_message(&self, id: EntryId) -> Option<Cow<'_, UserMessage>> {
        self.place(CardId::Entry(id)).and_then(|at| self.card(at))?.long_message()
    }

    /// The inspector's rows, one an entry.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row of an entry.
    pub fn row(&self, id: EntryId) -> Option<&Row> {
        self.rows.get(*self.row_of.get(&id)?)
    }

    /// The model's to-do list, as its last `plan` call that worked set it; empty when there is none. One that was
    /// finished is gone with the next message of the user.
    pub fn plan(&self) -> &[PlanItem] {
        &self.plan
    }

    /// The commands that were started in the background, oldest first, as they last stood.
    pub fn shells(&self) -> &[BackgroundShell] {
        &self.shells
    }

    /// What can be raised or accepted to go on; only after a stop by a budget or a price.
    pub fn offer(&self) -> Option<Offer> {
        self.offer
    }

    /// The entry that says how the last run ended, when nothing came after it.
    pub fn last_end_id(&self) -> Option<EntryId> {
        match &self.cards.last()?.body {
            CardBody::TurnEnded(entry) => Some(entry.id),
            _ => None,
        }
    }

    /// How the last run ended, when nothing came after it.
    pub fn last_end(&self) -> Option<&TurnEnded> {
        match &self.cards.last()?.body {
            CardBody::TurnEnded(entry) => match &entry.body {
                Body::TurnEnded(ended) => Some(ended),
                _ => None,
            },
            _ => None,
        }
    }

    /// How far the calls of an interrupted run came; `end` is the entry that ended it.
    pub fn reach(&self, end: EntryId) -> Reach {
        self.reaches.at(end)
    }

    /// Whether that run was one of another program: how it ended there nobody here knows.
    pub fn ended_elsewhere(&self, end: EntryId) -> bool {
        self.reaches.is_elsewhere(end)
    }

    /// All budgets at this moment. While nothing runs, the clock stands where the last run left it.
    pub fn gauges(&self, now: Millis) -> Vec<Gauge> {
        let mut gauges = self.meter.gauges(self.moment(now));
        // What is not paid for yet: the prompt that was sent, and the answer as far as it has come.
        let prompt = self.asked.map_or(0, |(_, tokens)| tokens);
        let answer = self.live.as_ref().map_or(0, LiveMessage::estimated_tokens);
        for (limit, more) in [(Limit::InputTokens, prompt), (Limit::OutputTokens, answer)] {
            if let Some(gauge) = gauges.iter_mut().find(|gauge| gauge.name == limit.name()) {
                gauge.used = gauge.used.saturating_add(more);
            }
        }
        gauges
    }

    /// How far the goal has come that the last run pursued, and what is left of it; `None`: it had none.
    pub fn goal_forecast(&self) -> Option<GoalForecast> {
        self.has_goal.then(|| goal_forecast::of(&self.meter, &self.plan))
    }

    /// The token budget in force, if there is one: raised, or as configured.
    pub fn token_budget(&self) -> Option<u64> {
        let configured = self.settings.token_budget?;
        Some(self.meter.limits().get(Limit::Tokens).unwrap_or(configured))
    }

    /// The meter behind the gauges.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Changes whenever anything changes.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Changes when a card was taken away.
    pub fn epoch(&self) -> Revision {
        self.epoch
    }

    /// Says what time it is, so that what starts next is known to have started now. Never goes back.
    pub fn tick(&mut self, now: Millis) {
        self.clock = self.clock.max(now);
    }

    /// The process that wrote this history is gone: nothing runs any more, only approvals may still wait.
    pub fn resume(&mut self) {
        self.drop_live();
        self.running.clear();
        shells::forsake(&mut self.shells);
        self.forsake_subagents();
        if !matches!(self.status.phase, Phase::Idle) {
            self.status.phase = if self.asks.is_empty() { Phase::Idle } else { Phase::WaitingApproval };
        }
    }

    fn moment(&self, now: Millis) -> Millis {
        if self.status.is_busy() { now.max(self.clock) } else { self.clock }
    }
}
