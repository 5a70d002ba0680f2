//! A sub-agent whose process died while its model was asked, or while calls of it were open: its own ledger is ended by whoever takes up the
//! session above it, within what was set aside for it, so that both say the same of what it spent and did.

use std::path::Path;
use std::sync::Arc;

use super::maker::SubagentMaker;
use super::own_ledger::{entries_of, names_of};
use crate::agent::{Agent, Attendance, Effect, Settings, SubagentPath};
use crate::budget::{Grantable, Limits, Meter};
use crate::config::Invocation;
use crate::config::models::{Table, choose};
use crate::ledger::{
    Body, Change, Entry, Escrow, Millis, ModelRef, Outcome, Settlement, Stood, Usage, lost_text,
    open_escrows, recover_with, was_asking,
};
use crate::model::ModelSpec;
use crate::runtime::store::exact;
use crate::runtime::store::subagents::started_by;
use crate::runtime::undo::{Agreement, Snapshots};
use crate::runtime::{SessionStore, StorePort};

type KnownModel<'a> = Box<dyn Fn(&ModelRef) -> Option<ModelSpec> + 'a>;
type NarrowedSettings<'a> = Box<dyn Fn(&[String], Settings) -> Settings + 'a>;

/// With what the ledgers of sub-agents are ended.
pub(crate) struct CutOff<'a> {
    /// A model as it is known today.
    pub(super) known: KnownModel<'a>,
    /// What is left of settings for the last of these, each of which started the next.
    pub(super) had: NarrowedSettings<'a>,
    /// Those of the session above.
    pub(super) settings: &'a Settings,
    pub(super) now: Millis,
}

impl<'a> CutOff<'a> {
    /// Of the session that this one makes them for, which is taken up now.
    pub(crate) fn of(maker: &'a SubagentMaker, now: Millis) -> Self {
        let known = Box::new(|model: &ModelRef| reached(&maker.invocation, model));
        let had = Box::new(|names: &[String], settings| maker.had(names, settings));
        Self { known, had, settings: &maker.settings, now }
    }

    /// Ends its ledger where it is kept, and says what it has spent. `None`: it cannot be written, or another process goes on with it.
    pub(super) fn end(
        &self,
        state: &Path,
        escrow: &Escrow,
        names: &[String],
        below: &[Stood],
    ) -> Option<Usage> {
        let path = exact(state, &escrow.session)?;
        let (mut store, file) = SessionStore::open(&path).ok()?;
        remove_leftovers(&path, &file.entries);
        let above = self.settings.path.iter().copied();
        let by = above.chain([escrow.call]).collect();
        let (effects, entries) = self.ended((escrow, by), names, file.entries, below)?;
        let new: Vec<Arc<Entry>> = effects.into_iter().filter_map(appended).collect();
        store.append(&new).and_then(|()| store.sync()).ok()?;
        let mut meter = Meter::new(Limits::default());
        entries.iter().for_each(|entry| meter.read(entry));
        Some(meter.session_usage())
    }

    /// The same, of the session that is taken up itself: what was set aside for it holds until there, and no further. What is to be done
    /// first, and its entries with that; of any other session nothing.
    pub(crate) fn end_own(
        &self,
        state: &Path,
        session: &str,
        entries: Vec<Arc<Entry>>,
        below: &[Stood],
    ) -> (Vec<Effect>, Vec<Arc<Entry>>) {
        let escrow = was_asking(&entries).then(|| reservation(state, session)).flatten();
        let ended = escrow.and_then(|escrow| {
            // A person goes on with it: from here on it is nobody's sub-agent.
            let by = SubagentPath::new();
            self.ended((&escrow, by), &names_of(state, session), entries.clone(), below)
        });
        ended.unwrap_or_else(|| (Vec::new(), entries))
    }

    /// What is to be done to end it, and its entries with that. `path`: the calls by which it is a sub-agent.
    fn ended(
        &self,
        (escrow, path): (&Escrow, SubagentPath),
        names: &[String],
        entries: Vec<Arc<Entry>>,
        below: &[Stood],
    ) -> Option<(Vec<Effect>, Vec<Arc<Entry>>)> {
        let grantable = Grantable { limits: escrow.limits.clone(), parallel: escrow.parallel };
        let mut settings = Settings {
            session: escrow.session.clone(),
            path,
            model: self.model(&entries),
            limits: self.settings.limits.clone().granted(&grantable),
            asked_within_limits: true,
            attendance: Attendance::Stop,
            // Its prompt had these tools.
            ..(self.had)(names, self.settings.clone())
        };
        let mode = entries.iter().rev().find_map(|entry| match &entry.body {
            Body::SessionStarted(started) => started.mode,
            Body::Change(Change::Mode { mode, .. }) => Some(*mode),
            _ => None,
        });
        settings.policy.mode = mode.unwrap_or(settings.policy.mode);
        let mut recovered = recover_with(entries, self.now, below).ok()?;
        // Its task is settled above, so nobody is asked about its calls any more.
        for (_, token) in std::mem::take(&mut recovered.waiting) {
            let lost = Settlement::synthetic(Outcome::Lost { started: false }, lost_text(false));
            recovered.ledger.settle(self.now, token, lost);
        }
        let (agent, effects) = Agent::resume(settings, recovered, self.now);
        Some((effects, agent.ledger().entries().to_vec()))
    }

    /// The model that was asked, at today's price.
    fn model(&self, entries: &[Arc<Entry>]) -> ModelSpec {
        let asked = entries.iter().rev().find_map(|entry| match &entry.body {
            Body::SessionStarted(started) => Some(started.model.clone()),
            Body::Change(Change::Model { model, .. }) => Some(model.clone()),
            _ => None,
        });
        let above = &self.settings.model;
        let Some(asked) = asked.filter(|asked| *asked != above.model) else { return above.clone() };
        let known = self.settings.fallback.iter().find(|spec| spec.model == asked).cloned();
        let spec = known.or_else(|| (self.known)(&asked)).unwrap_or_else(|| above.clone());
        ModelSpec { model: asked, ..spec }
    }
}

/// What it had half written when it was killed goes; the session in this file is held open.
fn remove_leftovers(path: &Path, entries: &[Arc<Entry>]) {
    let Some(Body::SessionStarted(started)) = entries.first().map(|entry| &entry.body) else { return };
    // What it named by way of a home folder stays: whose that was is not known here.
    let books = Agreement::with(entries, Path::new(&started.cwd), None);
    for left in Snapshots::beside(path).remove_leftovers(&books) {
        tracing::info!("removed {}, which a sub-agent had half written", left.path.display());
    }
}

/// A model as this configuration knows it.
fn reached(invocation: &Invocation, model: &ModelRef) -> Option<ModelSpec> {
    let mut config = invocation.config.clone();
    (config.model, config.script) = (Some(model.to_string()), None);
    config.fallback.clear();
    choose(&config, &invocation.environment, &Table::embedded()).ok().map(|choice| choice.spec)
}

fn appended(effect: Effect) -> Option<Arc<Entry>> {
    if let Effect::Append(entry) = effect { Some(entry) } else { None }
}

/// What the session above has set aside for this one and not settled, if it is the session of a sub-agent.
fn reservation(state: &Path, session: &str) -> Option<Escrow> {
    let above = entries_of(state, started_by(session)?)?;
    open_escrows(&above).into_iter().find(|escrow| escrow.session == session && escrow.of_session().is_some())
}
