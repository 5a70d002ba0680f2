//! The thread that decodes pictures, so that no frame waits for one.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::decode::{Reason, canvas};
use super::kitty::Sendable;
use super::size::Cells;
use super::{Key, Protocol, iterm, sixel};

/// A picture as its terminal takes it.
#[derive(Debug)]
pub(super) enum Drawn {
    /// Sent once, then shown by placeholders.
    Sent(Sendable),
    /// Drawn at its first cell; the cursor stands behind that cell afterwards, as behind a letter.
    InPlace(String),
}

/// What the screen asks for.
pub(super) struct PictureRequest {
    pub(super) key: Key,
    pub(super) data: Arc<str>,
    pub(super) protocol: Protocol,
}

/// What comes back; nothing of a picture that nobody wants to see any more.
pub(super) struct PictureAnswer {
    pub(super) key: Key,
    pub(super) drawn: Option<Result<Arc<Drawn>, Reason>>,
}

/// The pictures in the window, which change while requests wait.
pub(super) type Wanted = Arc<Mutex<BTreeSet<Key>>>;

/// The screen's end of the thread, which ends when this is dropped.
pub(super) struct Worker {
    pub(super) requests: Sender<PictureRequest>,
    pub(super) answers: Receiver<PictureAnswer>,
}

/// Starts the thread. `None` if the system has no more threads to give: pictures stay words then.
pub(super) fn start(wake: Box<dyn Fn() + Send + Sync>, wanted: Wanted) -> Option<Worker> {
    let (requests, asked) = channel::<PictureRequest>();
    let (answer, answers) = channel();
    let started = thread::Builder::new().name("pictures".to_owned()).spawn(move || {
        while let Ok(request) = asked.recv() {
            let key = request.key;
            let is_wanted = wanted.lock().unwrap_or_else(PoisonError::into_inner).contains(&key);
            let drawn = is_wanted.then(|| serve(&request));
            if answer.send(PictureAnswer { key, drawn }).is_err() {
                return;
            }
            wake();
        }
    });
    // The thread ends by itself once the requests do; nobody waits for it.
    started.is_ok().then_some(Worker { requests, answers })
}

/// Does what was asked.
pub(super) fn serve(request: &PictureRequest) -> Result<Arc<Drawn>, Reason> {
    let canvas = canvas(&request.data, room(request.key, request.protocol))?;
    let cells = request.key.cells;
    let drawn = match request.protocol {
        Protocol::Kitty => Sendable::new(&canvas, cells).map(Drawn::Sent),
        Protocol::Iterm => iterm::encode(&canvas, cells).map(|words| in_place(&words, cells)),
        Protocol::Sixel => Some(in_place(&sixel::encode(&canvas), cells)),
    };
    drawn.map(Arc::new).ok_or("it could not be encoded")
}

/// The pixels that a picture has for itself: those of its cells. Sixel comes in whole bands, and one that is begun
/// below the cells would belong to the row after them.
fn room(key: Key, protocol: Protocol) -> (u32, u32) {
    let pixels = |cells: u16, of: u16| u32::from(cells) * u32::from(of.max(1));
    let (width, height) = (pixels(key.cells.columns, key.cell.0), pixels(key.cells.rows, key.cell.1));
    let over = if protocol == Protocol::Sixel && height > sixel::BAND { height % sixel::BAND } else { 0 };
    (width, height - over)
}

/// Blanks the cells, draws, and leaves the cursor one cell further.
fn in_place(words: &str, cells: Cells) -> Drawn {
    let blank = format!("\x1b[{}X\x1b[B", cells.columns).repeat(usize::from(cells.rows));
    Drawn::InPlace(format!("\x1b7{blank}\x1b8{words}\x1b8\x1b[C"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::EntryId;
    use crate::ui::graphics::PictureId;

    fn key(rows: u16, height: u16) -> Key {
        Key { id: PictureId(EntryId(1), 0), cells: Cells { columns: 3, rows }, cell: (8, height) }
    }

    #[test]
    fn a_sixel_picture_ends_above_the_next_row() {
        assert_eq!(room(key(10, 16), Protocol::Kitty), (24, 160));
        assert_eq!(room(key(10, 16), Protocol::Sixel), (24, 156));
        assert_eq!(room(key(1, 4), Protocol::Sixel), (24, 4));
    }

    #[test]
    fn what_nobody_wants_to_see_is_not_decoded() {
        let wanted = Wanted::default();
        wanted.lock().unwrap().insert(key(2, 16));
        let worker = start(Box::new(|| ()), wanted).unwrap();
        for rows in [1, 2] {
            let request =
                PictureRequest { key: key(rows, 16), data: "bm9uZQ==".into(), protocol: Protocol::Kitty };
            worker.requests.send(request).unwrap();
        }
        let answers: Vec<PictureAnswer> = worker.answers.iter().take(2).collect();
        assert!(answers[0].key == key(1, 16) && answers[0].drawn.is_none());
        assert!(answers[1].key == key(2, 16) && matches!(answers[1].drawn, Some(Err(_))));
    }
}
