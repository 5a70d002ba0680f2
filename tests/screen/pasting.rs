//! A paste, and what is typed after it, while something waits.

use crate::deliberate::{NONE, SENTENCES, SIZES, before, look, scenes};
use crate::frames::Seat;
use countersign::ui::local::Focus;
use countersign::ui::update::{mention, paste};
use ratatui::crossterm::event::{KeyCode, KeyEvent};

#[test]
fn words_after_a_paste_go_where_the_paste_went() {
    let pastes: [fn(&mut Seat); 2] = [
        |seat| assert!(paste(&mut seat.local, &seat.view, "About src/main.rs: ").is_empty()),
        |seat| mention(&mut seat.local, &seat.view, "@shot.png "),
    ];
    for size in SIZES {
        for (name, scene) in scenes() {
            for pastes in pastes {
                for sentence in SENTENCES {
                    let mut seat = before(scene(), size);
                    seat.key(KeyCode::Tab, NONE);
                    look(&mut seat);
                    assert_ne!(seat.local.focused(&seat.view), Focus::Composer, "{name}");
                    seat.waits(1_200);
                    pastes(&mut seat);
                    let pasted = seat.local.composer.text();
                    look(&mut seat);
                    for c in sentence.chars() {
                        seat.waits(200);
                        let acts = seat.reads(&[KeyEvent::new(KeyCode::Char(c), NONE)]);
                        assert!(acts.is_empty(), "{name}, {sentence:?}: {acts:?}");
                        look(&mut seat);
                    }
                    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                    let all = format!("{pasted} {sentence}");
                    assert_eq!(words(&seat.local.composer.text()), words(&all), "{name}");
                }
            }
        }
    }
}
