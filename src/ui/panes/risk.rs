//! What a call that waits would do to the world, the worst first, and why it asks where that is not the usual case.

use std::path::Path;

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::ledger::{ApprovalRequest, EntryId, Preview};
use crate::tool::{ASK, SideEffect};
use crate::ui::effect_words::{self, CallEffect, GRAVE};
use crate::ui::text::{fit, width, wrap};
use crate::ui::theme::Theme;

use super::card_context::CardContext;
use super::words::one_row;

/// Its effects, the worst first, each in its colour; nothing where the name of the action says it: an edit writes, a
/// command runs. `to`: the server that it sends to, if that is to be told.
pub(super) fn effects(request: &ApprovalRequest, to: Option<&str>, theme: &Theme) -> Vec<Span<'static>> {
    if request.name == ASK || effect_words::is_plain(request) {
        return Vec::new();
    }
    let mut spans: Vec<Span<'static>> = Vec::new();
    for effect in worst_first(request) {
        if !spans.is_empty() {
            spans.push(Span::styled(", ", theme.dim));
        }
        let style = match (effect.is_of_secret(), is_grave(effect)) {
            (true, _) => danger(theme),
            (false, true) => grave(theme),
            (false, false) => theme.text,
        };
        let to = to.filter(|_| effect.is_known_to_send()).map(|to| format!(" → {to}")).unwrap_or_default();
        spans.push(Span::styled(one_row(&format!("{}{to}", effect.words())), style));
    }
    spans
}

/// The border of its box: that of danger where it reads a secret, and that of a warning where it is known to do what cannot be taken
/// back, so that the box does not look like that of a test run. Calls of other tools that only send keep the usual one, because that
/// is what most of them are for.
pub(super) fn border(request: &ApprovalRequest, theme: &Theme) -> Style {
    let is_command = matches!(request.preview, Preview::Command(_));
    let warns = |effect: CallEffect<'_>| {
        let sends = effect.name == SideEffect::Sends.as_str();
        is_grave(effect) && effect.is_known && (is_command || !sends)
    };
    let all = worst_first(request);
    if all.iter().any(|effect| effect.is_of_secret()) {
        danger(theme)
    } else if all.into_iter().any(warns) {
        grave(theme)
    } else {
        theme.border_waiting
    }
}

/// What lets out a secret: nothing that waits is worse.
fn danger(theme: &Theme) -> Style {
    theme.error.add_modifier(Modifier::BOLD)
}

/// What cannot be taken back: a warning that is not lighter than the name of the action beside it.
pub(super) fn grave(theme: &Theme) -> Style {
    theme.warning.add_modifier(Modifier::BOLD)
}

/// Why it asks, on at most so many lines; nothing where it is only that no rule covers it. A path that leaves the
/// workspace is a warning.
pub(super) fn reason(
    request: &ApprovalRequest,
    inner: usize,
    theme: &Theme,
    most: usize,
) -> Vec<Line<'static>> {
    if request.is_usual || request.why.is_empty() || request.name == ASK {
        return Vec::new();
    }
    let style = if leaves(request) { theme.warning } else { theme.dim };
    let mut lines = wrap(&one_row(&request.why), inner, style);
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            let said = format!("{last} …");
            let said = if width(&said) > inner { fit(&format!("{said} …"), inner) } else { said };
            *last = Line::styled(said, style);
        }
    }
    lines
}

/// Most lines that say why it asks; none on a low screen that shows what a key would take for longer.
pub(super) fn most_lines(request: &ApprovalRequest, id: EntryId, around: &CardContext<'_>) -> usize {
    match (around.height < 15, is_serious(request)) {
        (true, true) => 1,
        (true, false) if around.always.is_some_and(|always| always.request == id) => 0,
        _ => usize::from(around.height / 4).max(1),
    }
}

/// Whether the reason must be read before all else: the call leaves the workspace, reads a secret, takes something away, changes who
/// may do what, or sends something.
pub(super) fn is_serious(request: &ApprovalRequest) -> bool {
    let acts = request.risk != SideEffect::Reads.as_str();
    acts && leaves(request) || worst_first(request).into_iter().any(is_grave)
}

/// Whether its path leads out of the workspace: within it, paths are told from its folder.
pub(super) fn leaves(request: &ApprovalRequest) -> bool {
    request.leads_to.as_deref().is_some_and(|to| Path::new(to).is_absolute())
}

/// What cannot be taken back comes first; sessions of earlier versions have one effect.
fn worst_first(request: &ApprovalRequest) -> Vec<CallEffect<'_>> {
    let mut all = effect_words::effects(request);
    all.sort_by_key(|effect| {
        let grave = || GRAVE.iter().position(|grave| grave.as_str() == effect.name);
        (!effect.is_of_secret(), grave().unwrap_or(GRAVE.len()))
    });
    all
}

fn is_grave(effect: CallEffect<'_>) -> bool {
    effect.is_of_secret() || GRAVE.iter().any(|grave| grave.as_str() == effect.name)
}
