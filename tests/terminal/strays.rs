//! Process groups that tools of the app started: whether they live, and their end when a test fails.

use std::path::PathBuf;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use super::console::Console;
use super::home::Home;

/// A command that tells its process id and then stays.
pub(crate) const STAYS: &str = "echo $$ > pid; sleep 600";

/// The group of a command that wrote its id into `pid`; ended at the latest when this is dropped.
pub(crate) struct Stray(Pid);

impl Stray {
    /// Waits until the command runs.
    pub(crate) async fn of(app: &mut Console, home: &Home) -> Self {
        let file = home.workspace().join("pid");
        app.meanwhile("a running command", || read(&file).is_some()).await;
        Self(read(&file).unwrap())
    }

    /// Whether any process of the group lives. One that has ended but was not waited for does not.
    pub(crate) fn is_alive(&self) -> bool {
        match std::fs::read_dir("/proc") {
            Ok(processes) => processes.flatten().any(|process| {
                let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
                self.is_led_by(&stat)
            }),
            Err(_) => test_kill_process_group(self.0).is_ok(),
        }
    }

    /// `PID (name) STATE PARENT GROUP …`
    fn is_led_by(&self, stat: &str) -> bool {
        let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
        let mut fields = fields.split(' ');
        let state = fields.next();
        let group = fields.nth(1).and_then(|group| group.parse().ok());
        state != Some("Z") && group == Some(self.0.as_raw_nonzero().get())
    }

    /// Waits until nobody of it is left.
    pub(crate) async fn is_gone(&self, app: &mut Console) {
        app.meanwhile("the end of the process group", || !self.is_alive()).await;
    }
}

impl Drop for Stray {
    fn drop(&mut self) {
        kill_process_group(self.0, Signal::KILL).ok();
    }
}

/// The id, once the line is whole.
fn read(file: &PathBuf) -> Option<Pid> {
    let text = std::fs::read_to_string(file).ok()?;
    Pid::from_raw(text.strip_suffix('\n')?.parse().ok()?)
}
