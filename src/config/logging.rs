//! Logs: rolling files that are begun when the first line is written. No keys, no message text.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tracing_appender::rolling::{RollingFileAppender, RollingWriter, Rotation};
use tracing_subscriber::{
    EnvFilter,
    filter::ParseError,
    fmt::{MakeWriter, format::FmtSpan, writer::OptionalWriter},
};

use crate::config::private_folder;
use crate::ui::text::sanitize;

/// Old files that are kept, one a day.
const KEPT_FILES: usize = 7;

/// Other people's crates may log what travels over the wire; they stay quiet unless named in the filter.
const QUIET: &str = "hyper=warn,hyper_util=warn,h2=warn,reqwest=warn,rustls=warn,rmcp=off";

/// Checks a filter.
///
/// # Errors
/// A sentence that shows how a filter looks.
pub fn check(filter: &str) -> Result<(), String> {
    match EnvFilter::try_new(filter) {
        Ok(_) => Ok(()),
        Err(_) => Err(format!(
            "must be a log filter, as in \"info\" or \"countersign=debug\", not \
            {filter:?}"
        )),
    }
}

/// Sends what the program logs to `logs` below the state folder. Without a folder, or without the right to write
/// there, the program goes on without logs.
pub fn start(state_dir: Option<&Path>, filter: &str) {
    let Some(state_dir) = state_dir else { return };
    let Ok(filter) = quietly(filter) else { return };
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        // A log that cannot be written is not worth a line on the screen each time.
        .log_internal_errors(false)
        .with_span_events(FmtSpan::CLOSE)
        .with_writer(LazyFile { folder: state_dir.join("logs"), file: OnceLock::new() })
        .finish();
    // Refused only when something else listens already, as a test may.
    tracing::subscriber::set_global_default(subscriber).unwrap_or_default();
}

/// What a filter lets through, of other people's crates only what it names.
fn quietly(filter: &str) -> Result<EnvFilter, ParseError> {
    EnvFilter::try_new(format!("{QUIET},{filter}"))
}

/// A file that is opened for its first line.
struct LazyFile {
    folder: PathBuf,
    file: OnceLock<Option<RollingFileAppender>>,
}

impl<'a> MakeWriter<'a> for LazyFile {
    type Writer = ShownWriter<OptionalWriter<RollingWriter<'a>>>;

    fn make_writer(&'a self) -> Self::Writer {
        match self.file.get_or_init(|| open(&self.folder)) {
            Some(file) => ShownWriter(OptionalWriter::some(file.make_writer())),
            None => ShownWriter(OptionalWriter::none()),
        }
    }
}

/// Lines in which names from outside are shown and not obeyed, whoever looks at them. A line comes in one piece.
struct ShownWriter<Writer>(Writer);

impl<Writer: Write> Write for ShownWriter<Writer> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(sanitize(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn open(folder: &Path) -> Option<RollingFileAppender> {
    private_folder(folder).ok()?;
    RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("countersign")
        .filename_suffix("log")
        .max_log_files(KEPT_FILES)
        .build(folder)
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_through(folder: &Path) {
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(LazyFile { folder: folder.to_path_buf(), file: OnceLock::new() })
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!(name = "b\u{1b}[2J\u{202e}", "a line \u{1b}]0;x\u{7} \u{9b}")
        });
    }

    #[test]
    fn the_file_begins_with_the_first_line() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("logs");
        let file = LazyFile { folder: folder.clone(), file: OnceLock::new() };
        assert!(!folder.exists());
        drop(file);
        log_through(&folder);
        let written = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        assert!(std::fs::read_to_string(written).unwrap().contains("a line"));
    }

    #[test]
    fn names_from_outside_steer_no_terminal() {
        let place = tempfile::tempdir().unwrap();
        log_through(&place.path().join("logs"));
        let written = std::fs::read_dir(place.path().join("logs")).unwrap().next().unwrap().unwrap().path();
        let text = std::fs::read_to_string(written).unwrap();
        assert!(text.contains("a line"), "{text}");
        assert_eq!(sanitize(&text), text);
    }

    #[test]
    fn what_servers_say_is_not_logged_by_the_crate_that_reads_it() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("logs");
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(quietly("trace").unwrap())
            .with_writer(LazyFile { folder: folder.clone(), file: OnceLock::new() })
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            tracing::error!(target: "rmcp::service", "words of a server");
            tracing::trace!("ours");
        });
        let written = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
        let text = std::fs::read_to_string(written).unwrap();
        assert!(text.contains("ours") && !text.contains("words of a server"), "{text}");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_reason_to_stop() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("logs"), "a file stands here").unwrap();
        log_through(&place.path().join("logs"));
    }

    #[test]
    fn filters() {
        assert!(check("info").is_ok() && check("warn,countersign=debug").is_ok());
        assert!(check("countersign=loud").unwrap_err().contains("countersign=loud"));
    }
}
