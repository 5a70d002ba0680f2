//! How much a message may bring.

use super::refusal::AttachmentRefusal;
use crate::ledger::{AttachedFile, Image, UserMessage};

/// Refuses a message that brings too much.
pub(super) fn bounded(said: &UserMessage) -> Result<(), AttachmentRefusal> {
    let refuse = |what: String, next: &str| Err(AttachmentRefusal::new(what, next));
    if said.images.len() > Image::MOST {
        let what = format!("a message can have at most {} images", Image::MOST);
        return refuse(what, "send the others with the next message");
    }
    if said.images.iter().map(Image::bytes).sum::<u64>() > Image::MOST_BYTES_IN_ALL {
        let most = Image::MOST_BYTES_IN_ALL / 1_000_000;
        let what = format!("the images are larger than {most} MB together");
        return refuse(what, "send some with the next message, or scale them down");
    }
    if said.files.len() > AttachedFile::MOST {
        let what = format!("a message can have at most {} files", AttachedFile::MOST);
        return refuse(what, "send the others with the next message");
    }
    if said.files.iter().map(|file| file.text.len()).sum::<usize>() > AttachedFile::MOST_BYTES_IN_ALL {
        let most = AttachedFile::MOST_BYTES_IN_ALL / 1_000;
        let what = format!("the files are larger than {most} kB together");
        return refuse(what, "send some with the next message, or only lines of them, as in @file#L10-40");
    }
    Ok(())
}
