//! A storm: sizes, pastes, the mouse, every key with every modifier, broken sequences, while the model speaks and tools
//! run. After it a known way leads back, a message is answered, and the terminal is given back whole.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::console::{CTRL_U, Console, ENTER, ESC, USUAL};
use super::home::Home;

/// What happens in one storm.
const EVENTS: u32 = 300;
/// Pastes of a megabyte in it, at most.
const LARGE: u32 = 3;
/// Most memory that the app may have taken, in KiB: the pastes, their copies, a debug build and its tables of colours.
const MOST_KIB: u64 = 240 * 1024;
/// Another storm: `COUNTERSIGN_STORM=NUMBER`.
const SEED: &str = "COUNTERSIGN_STORM";

/// Words that no list, command or key knows, so that Enter behind them picks nothing by chance.
const WORDS: &str = "zzqj";

struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from(self.0 >> 33).unwrap() % most
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(u32::try_from(of.len()).unwrap()) as usize]
    }

    fn size(&mut self) -> (u16, u16) {
        let mut up_to = |most: u32| u16::try_from(1 + self.below(most)).unwrap();
        (up_to(300), up_to(100))
    }
}

/// Answers that never end soon, with commands of which some wait and some write.
fn script() -> Value {
    let words: Vec<String> = (1..400).map(|n| format!("word{n} 漢字 `code` **bold**")).collect();
    let answer = |n: usize| {
        let command = if n.is_multiple_of(2) { "seq 1 20000; sleep 1" } else { "printf 'one\\ntwo'" };
        let calls = json!([
            { "name": "read", "arguments": { "path": "notes.txt" } },
            { "name": "shell", "arguments": { "command": command } },
        ]);
        let (long, short) = (words.join(" "), words[..6].join("\n\n"));
        match n % 3 {
            0 => json!({ "thinking": short, "text": long, "chunk": 11, "pause_ms": 3 }),
            _ => json!({ "text": short, "chunk": 7, "pause_ms": 2, "tool_calls": calls }),
        }
    };
    (0..200).map(answer).collect()
}

/// A key, however terminals write it. Left out are those that leave: ctrl-c is not pressed twice, ctrl-d and ctrl-z not
/// at all, and Enter stands only behind words.
fn key(dice: &mut Dice) -> String {
    let character = |dice: &mut Dice| char::from(u8::try_from(32 + dice.below(95)).unwrap());
    match dice.below(9) {
        0 => character(dice).to_string(),
        1 => format!("\x1b{}", dice.one(&["b", "f", "d", "<", ">", "v", "w", "x", "1"])),
        2 => dice
            .one(&[
                "\x01", "\x02", "\x05", "\x06", "\x07", "\x08", "\t", "\n", "\x0b", "\x0c", "\x0e", "\x0f",
                "\x10",
            ])
            .to_owned(),
        3 => dice
            .one(&[
                "\x11", "\x12", "\x13", "\x14", "\x15", "\x16", "\x17", "\x18", "\x19", "\x1c", "\x1d",
                "\x1e", "\x1f", "\x7f",
            ])
            .to_owned(),
        4 => dice.one(&["y", "s", "n", "r", "o", "c", "g", "?", "/", "j", "k", "G", "f", "N"]).to_owned(),
        5 => format!(
            "\x1b[1;{}{}",
            1 + dice.below(8),
            dice.one(&["A", "B", "C", "D", "F", "H", "P", "Q", "R", "S"])
        ),
        6 => {
            let number = dice
                .one(&["2", "3", "5", "6", "7", "8", "11", "15", "17", "18", "19", "20", "21", "23", "24"]);
            format!("\x1b[{number};{}~", 1 + dice.below(8))
        }
        7 => {
            let unicode = 32 + dice.below(95);
            let modifiers = 1 + dice.below(64);
            let is_control = (modifiers - 1) & 4 != 0;
            let leaves = matches!(
                char::from_u32(unicode),
                Some('c' | 'd' | 'z' | 'j' | 'm' | 'C' | 'D' | 'Z' | 'J' | 'M')
            );
            if is_control && leaves {
                "\x1b[97;5u".to_owned()
            } else {
                format!("\x1b[{unicode};{modifiers}u")
            }
        }
        _ => dice.one(&["\x03x", "\x1b[Z", "\x1bOA", "\x1bOP", ESC, "\x1b\x1b"]).to_owned(),
    }
}

fn mouse(dice: &mut Dice) -> String {
    let (button, x, y) = (dice.below(130), dice.below(400), dice.below(200));
    match dice.below(5) {
        0 => format!("\x1b[<{};{x};{y}M", 64 + dice.below(2)),
        1 => format!("\x1b[<{button};{x};{y}{}", dice.one(&["M", "m"])),
        2 => format!("\x1b[<{button};{x}M"),
        3 => "\x1b[<99999;0;70000M".to_owned(),
        _ => "\x1b[M !!".to_owned(),
    }
}

fn broken(dice: &mut Dice) -> String {
    dice.one(&[
        "\x1b[",
        "\x1b[999999999999u",
        "\x1b[;;;;;;;;;;~",
        "\x1b[<;;M",
        "\x1b]11;rgb:zz/zz/zz\x1b\\",
        "\x1b]11;",
        "\x1bP+q\x1b\\",
        "\x1b[?1;2c",
        "\x1b[24;80R",
        "\x1b[>4;1m",
        "\x1b[27;5;99999~",
        "\x1b_Gi=1;OK\x1b\\",
        "\x1b[?997;1n",
        "\x1b[I",
        "\x1b[O",
        "\x1b[201~",
        "\x1b[1;99A",
        "\x1b[-1;5u",
        "\u{9b}A",
        "\u{200d}\u{301}\u{202e}",
        "\u{feff}漢👨‍👩‍👧‍👦",
    ])
    .to_owned()
}

fn pasted(dice: &mut Dice, large: &mut u32) -> String {
    let mut text = String::new();
    if *large < LARGE && dice.below(3) == 0 {
        *large += 1;
        (0..26_000).for_each(|n| writeln!(text, "line {n} of something that is long 漢字\t").unwrap());
    } else {
        text = dice
            .one(&["y", "a\r\nb\r", "\x1b[31m\x03\x04", "", "漢字 e\u{301}\n\t", "/quit\r", "@notes.txt"])
            .repeat(3);
    }
    format!("\x1b[200~{text}\x1b[201~")
}

/// Memory that the process had at its highest, in KiB, where the system tells it.
fn highest(app: &Console) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", app.process_id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

async fn storm(seed: u64) {
    println!("seed {seed}");
    let home = Home::new();
    home.write("script.json", &script().to_string());
    let editor = [("EDITOR", "true"), ("VISUAL", "true")];
    let mut app =
        Console::start_with(&home, USUAL, &["--script", "script.json", "--max-turns", "10000"], &editor);
    app.sees("ask anything").await;
    app.says("talk").await;
    app.sees("word").await;
    let (mut dice, mut large) = (Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1), 0);
    for _ in 0..EVENTS {
        match dice.below(16) {
            0..=2 => app.resize(dice.size()),
            3 => app.keys(&pasted(&mut dice, &mut large)).await,
            4..=5 => app.keys(&mouse(&mut dice)).await,
            6 => app.keys(dice.one(&["\x1b[I", "\x1b[O"])).await,
            7 => app.keys(&broken(&mut dice)).await,
            8 => app.keys(&format!("{WORDS}{}{ENTER}", dice.below(1_000))).await,
            9 => app.yields().await,
            _ => app.keys(&key(&mut dice)).await,
        }
        if dice.below(3) == 0 {
            app.yields().await;
        }
    }
    comes_back(&mut app).await;
    app.keys("/model rehearsal").await;
    app.sees("/model rehearsal").await;
    app.keys(ENTER).await;
    app.rests().await;
    app.says("list").await;
    app.sees("This folder has").await;
    app.rests().await;
    let highest = highest(&app);
    println!("{highest:?} KiB at the highest");
    assert!(highest.is_none_or(|kib| kib < MOST_KIB), "{highest:?} KiB");
    app.quits().await;
    assert_eq!(app.times("panicked"), 0);
}

/// The way back that a person has from anywhere: an end for a paste that has none, Esc for what lies on top or runs,
/// ctrl-u for what is typed.
async fn comes_back(app: &mut Console) {
    app.resize(USUAL);
    app.keys("\x1b[201~").await;
    app.keys_are_taken().await;
    // Two Escs with nothing to close would open a list.
    for _ in 0..18 {
        for key in [ESC, CTRL_U] {
            app.keys(key).await;
            app.keys_are_taken().await;
            app.yields().await;
        }
    }
    app.rests().await;
}

#[tokio::test]
async fn a_storm_leaves_an_app_that_answers() {
    let named = std::env::var(SEED).ok().map(|seed| seed.parse().expect("a number"));
    storm(named.unwrap_or(1)).await;
}
