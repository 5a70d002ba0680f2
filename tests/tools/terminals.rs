//! `shell` with `pty`: a terminal of the command's own, which a person can type into.

use std::time::Duration;

use countersign::tool::{CellStyle, Colour, KeyModes, Screen, Typed, Weight};
use serde_json::json;

use super::commands::Tether;
use super::*;

async fn on_terminal(fixture: &Fixture, command: &str) -> String {
    fixture.done("shell", json!({ "command": command, "pty": true })).await
}

#[tokio::test]
async fn the_command_has_a_terminal_of_its_own() {
    let fixture = Fixture::new();
    let text = on_terminal(
        &fixture,
        "test -t 1 && echo a terminal; stty size < /dev/tty; printf 'x\\n' > /dev/tty; echo $TERM; cat; echo end",
    )
    .await;
    assert_eq!(text, "a terminal\n40 120\nx\nxterm-256color\nend", "and its input has ended");
    let plain = fixture.fails("shell", json!({ "command": "test -t 1 || printf x > /dev/tty" })).await;
    assert!(!plain.starts_with('x'), "{plain}");
}

#[tokio::test]
async fn what_stands_on_the_screen_is_the_result() {
    let fixture = Fixture::new();
    let text = on_terminal(
        &fixture,
        "printf '\\033[31mred\\033[0m\\n'; printf 'half\\rhole\\n'; printf 'gone\\033[2K\\rkept\\n'",
    )
    .await;
    assert_eq!(text, "red\nhole\nkept");
    let long = "y".repeat(300);
    assert_eq!(on_terminal(&fixture, &format!("echo {long}; echo z")).await, format!("{long}\nz"));
}

#[tokio::test]
async fn what_scrolled_away_is_there_up_to_a_bound() {
    let fixture = Fixture::new();
    for most in [39, 40, 41, 79, 80, 100, 900] {
        let expected: Vec<String> = (1..=most).map(|n| n.to_string()).collect();
        let text = on_terminal(&fixture, &format!("seq {most}")).await;
        assert_eq!(text, expected.join("\n"), "{most}");
    }
    let flood = on_terminal(&fixture, "seq 100000").await;
    assert!(
        flood.starts_with("[… earlier scrollback is lost") && flood.ends_with("\n99999\n100000"),
        "{flood}"
    );
    assert!(flood.lines().count() < 1_100);
}

#[tokio::test]
async fn a_failure_and_a_timeout_say_so_and_nothing_stays() {
    let fixture = Fixture::new();
    assert_eq!(
        fixture.fails("shell", json!({ "command": "echo no; exit 2", "pty": true })).await,
        "no\nexit code 2"
    );
    let tether = Tether::new(&fixture);
    let command =
        json!({ "command": "exec 9>tether; echo up; sleep 1000 & wait", "pty": true, "timeout_seconds": 1 });
    let report = fixture.run("shell", command).await;
    assert_eq!(report.outcome, Outcome::TimedOut);
    assert_has(&report.content, &["up\n", "timed out after 1 s"]);
    tether.let_go().await;
    let fixture = Fixture::new();
    let tether = Tether::new(&fixture);
    on_terminal(&fixture, "exec 9>tether; setsid sleep 1000 > /dev/null 2>&1 & echo up").await;
    tether.let_go().await;
    let both = json!({ "command": "true", "pty": true, "background": true });
    assert_has(&fixture.fails("shell", both).await, &["no terminal"]);
}

#[tokio::test]
async fn the_screen_is_shown_while_it_runs() {
    let fixture = Fixture::new();
    let gate = fixture.path("gate");
    assert!(std::process::Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let command =
        json!({ "command": "echo one; printf 10%%; read x < gate; printf '\\r20%%\\n'", "pty": true });
    let mut run = Run::start(&fixture, command);
    run.shows("the first half", |screen| screen.lines().eq(["one", "10%"]) && screen.cursor == Some((1, 3)))
        .await;
    tokio::task::spawn_blocking(move || fs::write(gate, "go\n").unwrap()).await.unwrap();
    assert_eq!(run.ends().await.content, "one\n20%");
}

/// A command that runs on a terminal, and what stands on it.
struct Run {
    tools: LocalTools,
    report: tokio::task::JoinHandle<ToolReport>,
    listener: mpsc::Receiver<Shown>,
}

impl Run {
    fn start(fixture: &Fixture, arguments: Value) -> Self {
        let (output, listener) = mpsc::channel(8);
        let tools = fixture.tools.clone();
        let report = tokio::spawn(tools.run(invocation("shell", arguments, 60_000), output));
        Self { tools, report, listener }
    }

    /// Where a person can type.
    fn attended(mut fixture: Fixture, command: &str) -> (Fixture, Self) {
        fixture.tools = fixture.tools.attended();
        let run = Self::start(&fixture, json!({ "command": command, "pty": true }));
        (fixture, run)
    }

    async fn shows(&mut self, what: &str, wanted: impl Fn(&Screen) -> bool) -> Screen {
        let mut last = Screen::default();
        let showing = async {
            while let Some(shown) = self.listener.recv().await {
                let Shown::Screen(screen) = shown else {
                    unreachable!("a terminal shows its screen: {shown:?}")
                };
                last = screen;
                if wanted(&last) {
                    return true;
                }
            }
            false
        };
        let seen = tokio::time::timeout(Duration::from_secs(30), showing).await;
        assert_eq!(seen, Ok(true), "never shown: {what}; last {last:?}");
        last
    }

    fn types(&self, keys: &str) {
        self.tools.type_into(CallId(1), Typed(keys.as_bytes().to_vec()));
    }

    async fn ends(self) -> ToolReport {
        drop(self.listener);
        tokio::time::timeout(Duration::from_secs(30), self.report).await.expect("it ends").unwrap()
    }
}

fn has(row: &'static str) -> impl Fn(&Screen) -> bool {
    move |screen| screen.lines().any(|shown| shown == row)
}

#[tokio::test]
async fn a_person_types_into_it() {
    let (_bench, mut run) = Run::attended(Fixture::new(), "printf 'name? '; read x; echo got:$x; cat");
    run.shows("the question", |screen| screen.lines().eq(["name?"]) && screen.cursor == Some((0, 6))).await;
    run.types("Ann");
    run.types("a\x7f\r");
    run.shows("the answer", has("got:Ann")).await;
    run.types("to cat\r");
    run.shows("an echo and a copy", |screen| screen.lines().filter(|row| *row == "to cat").count() == 2)
        .await;
    run.types("\x04");
    assert_eq!(run.ends().await.content, "name? Ann \ngot:Ann\nto cat\nto cat", "what was erased is blank");
}

/// Its rows as runs: each text with its look.
fn runs(screen: &Screen) -> Vec<Vec<(&str, CellStyle)>> {
    screen.rows.iter().map(|row| row.runs().collect()).collect()
}

#[tokio::test]
async fn looks_come_in_runs_and_the_result_is_plain() {
    let command = "printf 'plain \\033[31mred\\033[0m \\033[1;3;4;7;38;5;208;48;2;1;2;3mall\\033[0m\\n'; \
                   printf '\\033[2m漢字\\033[0mx\\n'; printf '\\033[8mconcealed\\033[0m\\n'; \
                   printf '\\033[7;44mbar\\033[K\\033[0m\\n\\n'; printf 'a\\033[5Cb'; read x";
    let (_bench, mut run) = Run::attended(Fixture::new(), command);
    let screen = run.shows("its rows", |screen| screen.rows.len() == 6).await;
    let plain = CellStyle::default();
    let all = CellStyle {
        foreground: Colour::Palette(208),
        background: Colour::Exact([1, 2, 3]),
        weight: Weight::Bold,
        italic: true,
        underline: true,
        inverse: true,
    };
    let blue = CellStyle { background: Colour::Palette(4), ..plain };
    let erased = " ".repeat(117);
    assert_eq!(
        runs(&screen),
        [
            vec![
                ("plain ", plain),
                ("red", CellStyle { foreground: Colour::Palette(1), ..plain }),
                (" ", plain),
                ("all", all)
            ],
            vec![("漢字", CellStyle { weight: Weight::Dim, ..plain }), ("x", plain)],
            vec![("concealed", plain)],
            vec![("bar", CellStyle { inverse: true, ..blue }), (&erased, blue)],
            vec![],
            vec![("a     b", plain)],
        ]
    );
    run.types("\r");
    assert_eq!(run.ends().await.content, "plain red all\n漢字x\nconcealed\nbar\n\na     b");
}

/// A program can give each cell a look of its own, and cannot make more runs than there are cells.
#[tokio::test]
async fn a_screen_of_nothing_but_looks_is_bounded() {
    let command =
        "i=0; while [ $i -lt 4800 ]; do printf '\\033[48;5;%dmx' $((i % 7)); i=$((i + 1)); done; read x";
    let (_bench, mut run) = Run::attended(Fixture::new(), command);
    let full = |screen: &Screen| screen.rows.len() == 40 && screen.rows[39].text().len() == 120;
    let screen = run.shows("all of it", full).await;
    assert_eq!(screen.rows.iter().map(|row| row.runs().count()).sum::<usize>(), 4_800);
    run.types("\r");
    run.ends().await;
}

/// Whether SIGINT is ignored here, as in what a script starts in the background.
fn ignores_interrupts() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 2 != 0)
}

#[tokio::test]
async fn ctrl_c_interrupts_the_program() {
    if ignores_interrupts() {
        return println!(
            "skipped: this process ignores SIGINT, and a shell cannot trap what was ignored before it"
        );
    }
    // A shell that is told between two commands acts before the next one; one that is about to read would not.
    let waits = "trap 'echo caught; exit 3' INT; echo up; while :; do sleep 1; done";
    let (_bench, mut run) = Run::attended(Fixture::new(), waits);
    run.shows("its first line", has("up")).await;
    run.types("\x03");
    let report = run.ends().await;
    assert_eq!(report.outcome, Outcome::Failed);
    assert_has(&report.content, &["caught\n", "exit code 3"]);
}

#[tokio::test]
async fn a_password_that_is_not_echoed_is_nowhere() {
    let command = "stty -echo; printf 'password: '; read x; stty echo; echo; echo ${#x} letters; read y";
    let (_bench, mut run) = Run::attended(Fixture::new(), command);
    run.shows("the question", has("password:")).await;
    run.types("hunter2\r");
    let screen = run.shows("that it was read", has("7 letters")).await;
    assert!(!screen.lines().any(|row| row.contains("hunter")), "{screen:?}");
    run.types("\r");
    let report = run.ends().await;
    assert_eq!(report.content, "password: \n7 letters");
}

/// A program in raw mode that waits for what a terminal answers, each answer up to its last letter.
#[tokio::test]
async fn the_terminal_answers_what_would_be_waited_for() {
    let ask = "ask() { printf \"$1\"; a=; while :; do c=$(dd bs=1 count=1 2>/dev/null); a=$a$c; \
               [ \"$c\" = \"$2\" ] && break; done; printf '%s\\r\\n' \"$a\" | tr '\\033' E; }";
    let command = format!(
        "{ask}; stty raw -echo; printf 'abc'; ask '\\033[6n' R; ask '\\033[5n' n; ask '\\033[c' c; stty sane"
    );
    let (_bench, run) = Run::attended(Fixture::new(), &command);
    let report = run.ends().await;
    assert_eq!(report.content, "abcE[1;4R\nE[0n\nE[?62;22c");
}

/// Nothing that a program prints comes back as its input, but for numbers that were asked for.
#[tokio::test]
async fn no_answer_carries_what_was_printed() {
    let asked =
        "\\033]0;echo evil\\007\\033[21t\\033]52;c;?\\007\\033P$qm\\033\\\\\\033[>c\\033[>q\\033]11;?\\007";
    let command =
        format!("stty raw -echo; printf '{asked}\\033[5n'; dd bs=1 count=4 2>/dev/null | tr '\\033' E");
    let (_bench, run) = Run::attended(Fixture::new(), &command);
    assert_eq!(run.ends().await.content, "E[0n", "the last question is the first that is answered");
}

#[tokio::test]
async fn what_a_program_asks_of_keys_is_told() {
    let (_bench, mut run) = Run::attended(
        Fixture::new(),
        "printf '\\033[?1h\\033[?2004h\\033[?25l'; echo set; read x; printf '\\033[?1l\\033[?2004l\\033[?25h'; echo reset; read x",
    );
    let screen = run.shows("the modes", has("set")).await;
    assert_eq!(screen.keys, KeyModes { application_cursor: true, bracketed_paste: true });
    assert_eq!(screen.cursor, None, "hidden");
    run.types("\r");
    let screen = run.shows("no modes", has("reset")).await;
    assert_eq!(screen.keys, KeyModes::default());
    assert!(screen.cursor.is_some());
    run.types("\r");
    run.ends().await;
}

#[tokio::test]
async fn keys_for_others_and_after_the_end_are_dropped_and_a_deaf_program_holds_up_nobody() {
    let fixture = Fixture::new();
    let gate = fixture.path("gate");
    assert!(std::process::Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let (fixture, mut run) =
        Run::attended(fixture, "stty raw -echo; printf deaf; read x < gate; stty sane; echo; echo end");
    run.shows("it", has("deaf")).await;
    run.tools.type_into(CallId(2), Typed(b"elsewhere\r".to_vec()));
    let much = "x".repeat(100_000);
    for _ in 0..200 {
        run.types(&much);
    }
    tokio::task::spawn_blocking(move || fs::write(gate, "go\n").unwrap()).await.unwrap();
    let report = run.ends().await;
    assert_eq!(report.outcome, Outcome::Ok);
    assert_has(&report.content, &["deaf", "end"]);
    fixture.tools.type_into(CallId(1), Typed(b"late\r".to_vec()));
    let report = fixture.run("shell", json!({ "command": "echo alone", "pty": true })).await;
    assert_eq!(report.content, "alone", "nothing of it reaches the next command");
}
