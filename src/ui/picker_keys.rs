//! The keys while a picker lies on top.

use crate::view::View;

use super::commands::sent;
use super::deciding::is_allowed;
use super::effect::UiEffect;
use super::key_timing::Press;
use super::local::{Local, Overlay};
use super::palette::palette;
use super::picker::{Choice, Picker, Step};
use super::picker_source::Source;
use super::visible_decision::Shown;

/// What a key did to what lies on top.
pub(super) enum Done {
    /// This is to be done outside; the rest has happened.
    Acts(Vec<UiEffect>),
    /// This line of a list was taken.
    Takes(Choice),
}

/// Opens a picker: those that the screen can fill itself at once, the others by whoever has what is in them.
pub(super) fn open(local: &mut Local, view: &View, source: Source) -> Vec<UiEffect> {
    let picker = match source {
        Source::Palette => palette(local, view),
        Source::Prompts => prompts(local, view),
        Source::Grants => Picker::grants(view),
        Source::Modes => Picker::modes(view),
        Source::Efforts => Picker::efforts(view),
        Source::Shells => Picker::shells(view),
        Source::Fleet => Picker::fleet(view),
        Source::FleetStop => Picker::fleet_to_stop(view),
        Source::Sessions
        | Source::Models
        | Source::Themes
        | Source::Rewind
        | Source::RewindWay
        | Source::Otherwise
        | Source::Undo => {
            return vec![UiEffect::Pick(source)];
        }
    };
    lay(local, picker);
    Vec::new()
}

/// Every earlier message that is known.
fn prompts(local: &Local, view: &View) -> Picker {
    let sent = sent(view);
    let mut picker = Picker::prompts(local.earlier.iter().chain(&sent));
    picker.is_awaited = local.is_reading_earlier;
    picker
}

/// Those of earlier sessions have been read: a list of earlier messages that lies on top gets them.
pub(super) fn fill_prompts(local: &mut Local, view: &View) {
    let filled = prompts(local, view);
    if let Some(Overlay::Picker(picker)) = &mut local.overlay
        && picker.source == Source::Prompts
    {
        (picker.items, picker.is_awaited) = (filled.items, filled.is_awaited);
    }
}

/// Lays a list on top. One without a line has no key that does anything: what that means is said instead.
pub(super) fn lay(local: &mut Local, picker: Picker) {
    match picker.source.none().filter(|_| picker.items.is_empty() && !picker.is_awaited) {
        Some(none) => local.hint = Some(none.to_owned()),
        None => local.overlay = Some(Overlay::Picker(picker)),
    }
}

/// One key in the picker that lies on top; `None` when there is none.
pub(super) fn update(local: &mut Local, press: Press, page: i32) -> Option<Done> {
    let Some(Overlay::Picker(picker)) = &mut local.overlay else { return None };
    let was = theme_of(picker);
    Some(Done::Acts(match picker.press(press.key, page) {
        Step::Stays => {
            let now = theme_of(picker);
            if now == was { Vec::new() } else { now.map(UiEffect::SetTheme).into_iter().collect() }
        }
        Step::Leaves => {
            let before = (picker.source == Source::Themes).then(|| UiEffect::SetTheme(picker.before.clone()));
            local.overlay = local.below.pop();
            before.into_iter().collect()
        }
        // What puts files back must have been seen, all of it, and not be taken by a burst of keys.
        Step::Takes(Choice::Restore { since, .. })
            if !local.stand.is_meant(press) || !is_allowed(local, &Shown::Plan(since), press) =>
        {
            if let Some(Overlay::Picker(picker)) = local.overlay.as_mut().filter(|_| press.alone) {
                picker.read_on();
            }
            Vec::new()
        }
        // Nor does a burst stop anything.
        Step::Takes(Choice::StopSubagents(_) | Choice::StopShell(_)) if !press.alone => Vec::new(),
        Step::Takes(choice) => {
            let page = local.below.pop();
            // What is stopped or taken back is seen to go there, and the next one can be taken.
            let goes_back = matches!(
                choice,
                Choice::StopSubagents(_)
                    | Choice::StopShell(_)
                    | Choice::Revoke(_)
                    | Choice::CloseHost(_)
                    | Choice::RefuseGaps
            );
            local.overlay = page.filter(|_| goes_back);
            return Some(Done::Takes(choice));
        }
    }))
}

/// Chooses a line among those that fit.
pub(super) fn choose(local: &mut Local, line: usize) -> Vec<UiEffect> {
    let Some(Overlay::Picker(picker)) = &mut local.overlay else { return Vec::new() };
    let was = theme_of(picker);
    picker.chosen = line;
    let now = theme_of(picker);
    if now == was { Vec::new() } else { now.map(UiEffect::SetTheme).into_iter().collect() }
}

/// The theme that the chosen line would put on.
fn theme_of(picker: &Picker) -> Option<String> {
    match &picker.current()?.choice {
        Choice::Theme(name) => Some(name.clone()),
        _ => None,
    }
}
