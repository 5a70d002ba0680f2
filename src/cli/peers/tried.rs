//! Peers that a person tries: how they are spoken with, and what is said of each.

use std::future::Future;
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::runtime::Builder;

use crate::cli::outcome::say;
use crate::cli::signals;
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::runtime::{Groups, LocalTools, ToolPort};

/// How long process groups may take to go after TERM when the program ends.
const GRACE: Duration = Duration::from_millis(500);

/// Runs what speaks with peers to its end, or to a signal (then `None`); afterwards nothing of them is left, and those at
/// addresses know of the end.
pub(in crate::cli) fn conversed<Tools: ToolPort, T>(
    invocation: &Invocation,
    around: impl FnOnce(Box<dyn ToolPort>, &Groups) -> Tools,
    talk: impl AsyncFnOnce(&Tools) -> T,
) -> Result<Option<T>, Fault> {
    let groups = Groups::default();
    let environment = invocation.environment_of_programs();
    let local = LocalTools::new(invocation.cwd.clone(), environment, groups.clone());
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|why| Fault::failed(format!("cannot start: {why}"), ""))?;
    let told = runtime.block_on(async {
        let mut quit = signals::told_to_end()?;
        let tools = around(Box::new(local), &groups);
        let said = unless(talk(&tools), async { quit.changed().await.is_ok() }).await;
        tools.close().await;
        Ok(said)
    });
    groups.end_all(GRACE);
    runtime.shutdown_timeout(GRACE);
    told
}

/// What comes first: the end of `work`, or `stop`, which then has it dropped.
async fn unless<T>(work: impl Future<Output = T>, stop: impl Future) -> Option<T> {
    match select(std::pin::pin!(work), std::pin::pin!(stop)).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}

/// Says of each that was tried what it is, in the words of `answers`, or why it does not answer, and of those with faults
/// what they lack. Exit 1 when there is one that does not answer.
pub(in crate::cli) fn told<'t, Found: 't>(
    tried: impl Iterator<Item = (&'t str, &'t Result<Found, String>)>,
    faults: &[(String, Fault)],
    answers: impl Fn(&str, &Found) -> String,
) -> Result<Exit, Fault> {
    let (mut text, mut all_answer) = (String::new(), faults.is_empty());
    for (name, found) in tried {
        all_answer &= found.is_ok();
        text += &found.as_ref().map_or_else(|why| silent(name, why), |found| answers(name, found));
    }
    for (name, fault) in faults {
        text += &silent(name, &format!("{}; {}", fault.message, fault.next));
    }
    say(&text)?;
    Ok(if all_answer { Exit::Completed } else { Exit::Failed })
}

fn silent(name: &str, why: &str) -> String {
    format!("{}: does not answer\n  {}\n", one_line(name), one_line(why))
}
