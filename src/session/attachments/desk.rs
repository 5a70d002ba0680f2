//! Between the screen and the loop: messages pass, and those that name images wait until these are read.

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::{Attach, Trouble};
use crate::agent::Intent;
use crate::ledger::UserMessage;

/// Wishes that may wait while an image is read.
const WISHES_WAITING: usize = 16;

/// A sender for the screen. What it takes reaches the loop at once, except messages whose images are read first, and
/// messages behind them: these keep their order among each other. A message whose images cannot be sent goes back to
/// who wrote it.
pub(crate) fn attaching(attach: Attach, to_loop: mpsc::Sender<Intent>) -> mpsc::Sender<Intent> {
    let (sender, mut wishes) = mpsc::channel(WISHES_WAITING);
    tokio::spawn(async move {
        let mut reading: Option<JoinHandle<()>> = None;
        while let Some(intent) = wishes.recv().await {
            let waits = reading.as_ref().is_some_and(|earlier| !earlier.is_finished());
            if !said_in(&intent).is_some_and(|said| waits || may_name_images(said)) {
                if to_loop.send(intent).await.is_err() {
                    return;
                }
                continue;
            }
            let (attach, to_loop, earlier) = (attach.clone(), to_loop.clone(), reading.take());
            reading = Some(tokio::spawn(async move {
                let read = complete(&attach, intent).await;
                if let Some(earlier) = earlier {
                    earlier.await.unwrap_or_default();
                }
                if to_loop.send(read).await.is_err() {
                    tracing::debug!("an image was read after the loop had ended");
                }
            }));
        }
    });
    sender
}

/// The message of an intent that is one.
fn said_in(intent: &Intent) -> Option<&UserMessage> {
    match intent {
        Intent::Submit(said) | Intent::Queue(said) | Intent::ResumeGoal(said) | Intent::Pursue(_, said) => {
            Some(said)
        }
        _ => None,
    }
}

fn may_name_images(said: &UserMessage) -> bool {
    said.content.contains('@')
}

/// A message with its images.
async fn complete(attach: &Attach, intent: Intent) -> Intent {
    match intent {
        Intent::Submit(said) => with_images(attach, said, Intent::Submit).await,
        Intent::Queue(said) => with_images(attach, said, Intent::Queue).await,
        Intent::ResumeGoal(said) => with_images(attach, said, Intent::ResumeGoal).await,
        Intent::Pursue(goal, said) => with_images(attach, said, move |said| Intent::Pursue(goal, said)).await,
        other => other,
    }
}

async fn with_images(
    attach: &Attach,
    said: UserMessage,
    intent: impl FnOnce(UserMessage) -> Intent,
) -> Intent {
    if !may_name_images(&said) {
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
