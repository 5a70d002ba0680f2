//! Reports that are made on a thread of their own, since what others gave takes time to read.

use tokio::task::spawn_blocking;

use crate::tool::ToolReport;

/// The report that `read` makes of what a call gave. Where that breaks down, the call was made, and nobody knows what came of it.
pub(in crate::runtime) async fn report_apart(
    read: impl FnOnce() -> ToolReport + Send + 'static,
) -> ToolReport {
    let broke = || ToolReport::failed("the result could not be read; check what was done").unclear();
    spawn_blocking(read).await.unwrap_or_else(|_panic| broke())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Outcome;

    #[tokio::test]
    async fn a_call_whose_result_breaks_the_reader_has_not_failed() {
        let report = report_apart(|| -> ToolReport { panic!("planted") }).await;
        assert_eq!(report.outcome, Outcome::Lost { started: true });
        assert_eq!(report.content, "the result could not be read; check what was done");
        let report = report_apart(|| ToolReport::failed("no")).await;
        assert_eq!((report.outcome, report.content.as_str()), (Outcome::Failed, "no"));
    }
}
