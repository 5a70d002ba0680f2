//! A paste, and what is typed after it, while something waits.

use crate::deliberate::{NONE, SENTENCES, SIZES, before, look, scenes};
use crate::screen_harness::ScreenHarness;
use countersign::ui::local::Focus;
use countersign::ui::mention::PastedImage;
use countersign::ui::update::{mention, paste};
use ratatui::crossterm::event::{KeyCode, KeyEvent};

#[test]
fn words_after_a_paste_go_where_the_paste_went() {
    let pastes: [fn(&mut ScreenHarness); 2] = [
        |harness| assert!(paste(&mut harness.local, &harness.view, "About src/main.rs: ").is_empty()),
        |harness| {
            let image = PastedImage { mention: "@shot.png".to_owned(), measures: String::new() };
            mention(&mut harness.local, &harness.view, &[image]);
        },
    ];
    for size in SIZES {
        for (name, scene) in scenes() {
            for pastes in pastes {
                for sentence in SENTENCES {
                    let mut harness = before(scene(), size);
                    harness.key(KeyCode::Tab, NONE);
                    look(&mut harness);
                    assert_ne!(harness.local.focused(&harness.view), Focus::Composer, "{name}");
                    harness.waits(1_200);
                    pastes(&mut harness);
                    let pasted = harness.local.composer.text();
                    look(&mut harness);
                    for c in sentence.chars() {
                        harness.waits(200);
                        let acts = harness.reads(&[KeyEvent::new(KeyCode::Char(c), NONE)]);
                        assert!(acts.is_empty(), "{name}, {sentence:?}: {acts:?}");
                        look(&mut harness);
                    }
                    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                    let all = format!("{pasted} {sentence}");
                    assert_eq!(words(&harness.local.composer.text()), words(&all), "{name}");
                }
            }
        }
    }
}
