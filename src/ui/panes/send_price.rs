//! What it would cost to send what is in the composer, under it.

use ratatui::text::Span;

use crate::budget::{Cost, Forecast};
use crate::context::tokens_of;
use crate::ledger::MicroDollars;
use crate::ui::local::Focus;

use super::Screen;
use super::words::short;

/// The words for it, the longest first; none where nothing can be sent, or nothing is known of the next request.
pub(super) fn words(screen: &Screen<'_>) -> Vec<Vec<Span<'static>>> {
    let (local, view) = (screen.local, screen.view);
    let is_typing = matches!(local.focused(view), Focus::Composer) && local.reason.is_none();
    let bytes = local.composer.message_bytes();
    let Some(next) = view.session.next.filter(|_| is_typing && bytes > 0 && !view.status.is_busy()) else {
        return Vec::new();
    };
    let next = next.with(tokens_of(bytes), screen.now);
    said(&next).into_iter().map(|said| vec![Span::styled(said, screen.theme.dim)]).collect()
}

fn said(next: &Forecast) -> Vec<String> {
    let tokens = match next.cached {
        0 => format!("{} new tokens", short(next.fresh)),
        cached => format!("{} cached + {} new tokens", short(cached), short(next.fresh)),
    };
    match next.cost() {
        None => vec![tokens],
        Some(cost) => {
            let price = priced(&cost);
            vec![format!("{tokens} · {price}"), price]
        }
    }
}

/// The prompt, and what the answer adds.
fn priced(cost: &Cost) -> String {
    match cost.answer {
        None => format!("{} + answer", cost.prompt),
        Some((least, most)) if least == most => format!("{} + {most}", cost.prompt),
        Some((MicroDollars(least), most)) => {
            format!("{} + {}–{}", cost.prompt, MicroDollars(least), most.to_string().trim_start_matches('$'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Millis;
    use crate::model::{Price, Rates};

    #[test]
    fn tokens_and_price_are_said_as_far_as_they_are_known() {
        let rates = Rates { input: 10_000_000, output: 50_000_000, cache_read: 1_000_000, cache_write: 0 };
        let next = Forecast {
            cached: 9_000,
            fresh: 1_000,
            cached_until: Millis(9),
            bills_writes: false,
            price: Some(Price::flat(rates)),
            answer: Some((100, 2_000)),
        };
        let whole = "9.0k cached + 1.0k new tokens · $0.019 + $0.005–0.10";
        assert_eq!(said(&next), [whole, "$0.019 + $0.005–0.10"]);
        assert_eq!(said(&Forecast { answer: Some((100, 100)), ..next })[1], "$0.019 + $0.005");
        assert_eq!(
            said(&Forecast { answer: None, cached: 0, ..next })[0],
            "1.0k new tokens · $0.01 + answer"
        );
        assert_eq!(said(&Forecast { price: None, ..next }), ["9.0k cached + 1.0k new tokens"]);
    }
}
