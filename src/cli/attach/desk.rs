//! Between the screen and the loop: messages pass, and those that name images wait until these are read.

use tokio::sync::mpsc;

use super::{Attach, Trouble};
use crate::agent::Intent;
use crate::ledger::UserMessage;

/// Wishes that may wait while an image is read.
const WISHES_WAITING: usize = 16;

/// A sender for the screen. What it takes reaches the loop in order; a message whose images cannot be sent goes back to
/// who wrote it. Esc has a channel of its own and waits for no file.
pub(crate) fn attaching(attach: Attach, to_loop: mpsc::Sender<Intent>) -> mpsc::Sender<Intent> {
    let (sender, mut wishes) = mpsc::channel(WISHES_WAITING);
    tokio::spawn(async move {
        while let Some(intent) = wishes.recv().await {
            let intent = match intent {
                Intent::Submit(said) => with_images(&attach, said, Intent::Submit).await,
                Intent::Queue(said) => with_images(&attach, said, Intent::Queue).await,
                Intent::ResumeGoal(said) => with_images(&attach, said, Intent::ResumeGoal).await,
                Intent::Pursue(goal, said) => {
                    with_images(&attach, said, move |said| Intent::Pursue(goal, said)).await
                }
                other => other,
            };
            if to_loop.send(intent).await.is_err() {
                return;
            }
        }
    });
    sender
}

async fn with_images(
    attach: &Attach,
    said: UserMessage,
    intent: impl FnOnce(UserMessage) -> Intent,
) -> Intent {
    if !said.content.contains('@') {
        return intent(said);
    }
    let (attach, text) = (attach.clone(), said.content.clone());
    // Files may lie on a slow disk, or on one that never answers.
    match tokio::task::spawn_blocking(move || attach.message(text)).await {
        Ok(Ok(said)) => intent(said),
        Ok(Err(Trouble { what, next })) => {
            Intent::GiveBack { text: said.content, why: format!("{what}: {next}") }
        }
        Err(broken) => {
            Intent::GiveBack { text: said.content, why: format!("the images cannot be read: {broken}") }
        }
    }
}
