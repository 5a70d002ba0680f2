//! What an `@` offers in a folder of 100,000 files: until the list is complete, and a key after that.

use std::fs;
use std::time::Duration;

use crate::app::{App, Home};
use crate::server::Server;
use crate::{ms, row, spread};

const FOLDERS: usize = 1_000;
const FILES: usize = 100;
/// Typed one after the other; what fits is another list each time.
const TYPED: [&str; 5] = ["f", "fi", "fil", "file", "file1"];

pub fn named(server: &Server) {
    let home = Home::new(&server.base_url());
    for folder in 0..FOLDERS {
        let place = home.workspace().join(format!("part{:02}/folder{folder:03}", folder / 20));
        fs::create_dir_all(&place).unwrap();
        (0..FILES).for_each(|file| fs::write(place.join(format!("file{file:03}.rs")), "").unwrap());
    }
    let (mut whole, mut keys) = (Vec::new(), Vec::new());
    for _ in 0..10 {
        let mut app = App::ready(&home, &[]);
        let pressed = app.keys("@");
        whole.push(app.sees("more, type to narrow") - pressed);
        for typed in TYPED {
            app.serve(Duration::from_millis(80));
            let pressed = app.keys(&typed[typed.len() - 1..]);
            let shown = format!("@{typed}");
            keys.push(app.until("the key", |screen| screen.contains(&shown)) - pressed);
        }
    }
    whole.sort();
    row(
        "@ in 100,000 files: the list is complete",
        &format!("{:.0} ms", ms(whole[whole.len() / 2])),
        "200 ms",
    );
    let (median, most) = spread(&mut keys);
    row("  a key after that", &format!("{median:.1} ms, most {most:.1}"), "10 ms");
}
