//! The terminal's background chooses the theme, when it is told and if it is told.

use vt100::Color;

use super::console::{Console, USUAL};
use super::home::Home;

const ASKED: &str = "\x1b]11;?";
/// What the two themes have for the name in the first line.
const DARK: Color = Color::Rgb(0x8f, 0xb2, 0xff);
const LIGHT: Color = Color::Rgb(0x2f, 0x55, 0xc4);

fn accent(app: &Console) -> Color {
    let cell = app.terminal().cell(0, 1).unwrap();
    assert_eq!(cell.contents(), "c", "the name stands in the first line:\n{}", app.screen());
    cell.fgcolor()
}

/// An app in a terminal that has been asked.
async fn asked(home: &Home, variables: &[(&str, &str)]) -> Console {
    let mut app = Console::start_with(home, USUAL, &[], variables);
    app.sees("ask anything").await;
    for _ in 0..1_000 {
        if app.times(ASKED) > 0 {
            return app;
        }
        app.yields().await;
    }
    panic!("it was never asked")
}

/// Types something that shows when all that came before has been read.
async fn settled(app: &mut Console) {
    app.keys("zz").await;
    app.sees("zz").await;
    app.keys("\x15").await;
    app.sees("ask anything").await;
}

#[tokio::test]
async fn the_question_comes_after_the_first_frame_and_no_answer_is_needed() {
    let home = Home::new();
    let mut app = asked(&home, &[]).await;
    let at = |what: &str| app.bytes.windows(what.len()).position(|w| w == what.as_bytes()).unwrap();
    assert!(at("\x1b[?2026l") < at(ASKED), "a frame stands before the question");
    settled(&mut app).await;
    assert_eq!((app.times(ASKED), accent(&app)), (1, DARK), "asked once; dark unless told otherwise");
    app.quits().await;
}

#[tokio::test]
async fn a_dark_and_a_light_answer_choose_and_leave_nothing_in_the_composer() {
    for (answer, colour) in [
        ("\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", DARK),
        ("\x1b]11;rgb:ffff/ffff/ffff\x1b\\", LIGHT),
        ("\x1b]11;rgb:fd/f6/e3\x07", LIGHT),
    ] {
        let home = Home::new();
        let mut app = asked(&home, &[("COLORFGBG", "0;default;15")]).await;
        assert_eq!(accent(&app), LIGHT, "the environment has the first word");
        app.keys(answer).await;
        settled(&mut app).await;
        assert_eq!(accent(&app), colour, "{answer:?}");
        app.quits().await;
    }
}

#[tokio::test]
async fn garbage_and_answers_to_others_stay_out_of_the_composer() {
    let home = Home::new();
    let mut app = asked(&home, &[]).await;
    for answer in ["\x1b]11;what?\x1b\\", "\x1b]10;rgb:ffff/ffff/ffff\x1b\\", "\x1b]4;1;rgb:ff/ff/ff\x07"] {
        app.keys(answer).await;
        app.keys("zz").await;
        app.until("zz and nothing before it", |screen| screen.contains("│ zz ")).await;
        app.keys("\x15").await;
        app.sees("ask anything").await;
        assert_eq!(accent(&app), DARK, "{answer:?}");
    }
    // One that never ends does not swallow what is typed for ever.
    app.keys(&format!("\x1b]11;rgb:{}", "a".repeat(600))).await;
    settled(&mut app).await;
    app.quits().await;
}

#[tokio::test]
async fn a_late_answer_comes_between_keys_and_changes_none() {
    let home = Home::new();
    let mut app = asked(&home, &[]).await;
    app.keys("half a ").await;
    app.sees("half a").await;
    app.keys("\x1b]11;rgb:ffff/ffff/ffff\x1b\\thought").await;
    app.sees("half a thought").await;
    assert_eq!(accent(&app), LIGHT);
    app.keys("\x15").await;
    app.sees("ask anything").await;
    app.quits().await;
}

/// One that was chosen is asked about, too: where it is not made for the background, it paints one of its own.
#[tokio::test]
async fn a_chosen_theme_stays_and_without_colours_nothing_is_asked() {
    let home = Home::new();
    for (arguments, variables, asked) in [
        (&["--theme", "ember"][..], &[("COLORTERM", "truecolor")], 1),
        (&[], &[("NO_COLOR", "1")], 0),
        (&[], &[("TERM", "linux")], 0),
    ] {
        let mut app = Console::start_with(&home, USUAL, arguments, variables);
        app.sees("ask anything").await;
        settled(&mut app).await;
        let before = accent(&app);
        app.keys("\x1b]11;rgb:ffff/ffff/ffff\x1b\\").await;
        settled(&mut app).await;
        assert_eq!((app.times(ASKED), accent(&app)), (asked, before), "{arguments:?} {variables:?}");
        app.quits().await;
    }
}

/// Of a terminal that does not say so it is not known that it shows exact colours, and some show others in their place.
#[tokio::test]
async fn exact_colours_are_for_terminals_that_say_they_show_them() {
    let home = Home::new();
    for (says, answer) in [("", None), ("", Some("\x1b]11;rgb:ffff/ffff/ffff\x1b\\")), ("truecolor", None)] {
        let mut app = asked(&home, &[("COLORTERM", says)]).await;
        if let Some(answer) = answer {
            app.keys(answer).await;
        }
        settled(&mut app).await;
        let is_exact = says == "truecolor";
        assert_eq!(matches!(accent(&app), Color::Rgb(..)), is_exact, "{says:?} {:?}", accent(&app));
        assert_eq!(app.times("8;2;") > 0, is_exact, "{says:?}");
        app.quits().await;
    }
}

/// Dark words of a chosen theme stood on the dark background of a terminal that never answers.
#[tokio::test]
async fn a_chosen_theme_stands_on_its_own_background_until_the_terminal_says_that_it_fits() {
    let home = Home::new();
    let paint = |app: &Console| app.terminal().cell(0, 1).unwrap().bgcolor();
    let colours = [("COLORTERM", "truecolor")];
    for (name, answer) in [
        ("countersign-light", "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"),
        ("countersign-dark", "\x1b]11;rgb:0000/0000/0000\x1b\\"),
    ] {
        let mut app = Console::start_with(&home, USUAL, &["--theme", name], &colours);
        app.sees("ask anything").await;
        settled(&mut app).await;
        assert!(matches!(paint(&app), Color::Rgb(..)), "{name}: {:?}", paint(&app));
        app.keys(answer).await;
        settled(&mut app).await;
        assert_eq!(paint(&app), Color::Default, "{name} leaves the background of its shade");
        app.quits().await;
    }
    let mut plain = Console::start_with(&home, USUAL, &["--theme", "plain"], &colours);
    plain.sees("ask anything").await;
    settled(&mut plain).await;
    assert_eq!(paint(&plain), Color::Default);
    plain.quits().await;
}
