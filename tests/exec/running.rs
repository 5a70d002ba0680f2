//! A run that is still going on: read line by line, signalled, killed. Nothing here looks at the clock.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;

use crate::world::{Ran, World, parse};

/// A run; killed when dropped.
pub(crate) struct Running {
    child: Child,
    stdout: Option<BufReader<ChildStdout>>,
    seen: String,
}

impl World {
    /// Begins `exec` with these words.
    pub(crate) fn begin(&self, words: &[&str]) -> Running {
        let mut child = self.program().arg("exec").args(words).spawn().unwrap();
        let stdout = child.stdout.take().map(BufReader::new);
        Running { child, stdout, seen: String::new() }
    }

    /// A command that says that it runs and then stays, and the ear that hears it.
    pub(crate) fn beacon(&self) -> (String, Beacon) {
        let path = self.place().join("beacon");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let command = format!("exec 9>'{}'; echo $$ >&9; sleep 300; true", path.display());
        (command, Beacon { path, pipe: None, groups: Vec::new() })
    }
}

impl Running {
    /// Reads up to the first event that fits.
    pub(crate) fn until(&mut self, mut fits: impl FnMut(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            let read = self.stdout.as_mut().unwrap().read_line(&mut line).unwrap();
            assert!(read > 0, "it ended before that: {}", self.seen);
            self.seen.push_str(&line);
            let event: Value = serde_json::from_str(&line).expect(&line);
            if fits(&event) {
                return event;
            }
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let id = Pid::from_child(&self.child);
        kill_process(id, signal).unwrap();
    }

    /// Stops reading, as `head` does.
    pub(crate) fn close_stdout(&mut self) {
        drop(self.stdout.take());
    }

    /// Reads the rest; the exit code is that of a program that was not killed.
    pub(crate) fn finish(mut self) -> Ran {
        if let Some(mut stdout) = self.stdout.take() {
            stdout.read_to_string(&mut self.seen).unwrap();
        }
        let mut err = Vec::new();
        self.child.stderr.take().unwrap().read_to_end(&mut err).unwrap();
        let status = self.child.wait().unwrap();
        Ran::of(status, std::mem::take(&mut self.seen).into_bytes(), err)
    }

    /// Waits for its end without reading what it says.
    pub(crate) fn exit_code(&mut self) -> i32 {
        self.child.wait().unwrap().code().expect("ended by a signal")
    }

    /// Ends it as a crash would; gives the lines that were read.
    pub(crate) fn kill(mut self) -> Vec<Value> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        parse(&self.seen)
    }

    /// The same; gives all whole lines that it wrote.
    pub(crate) fn kill_and_read(mut self) -> Vec<Value> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut rest = String::new();
        self.stdout.take().unwrap().read_to_string(&mut rest).unwrap();
        let whole = rest.rsplit_once('\n').map_or("", |(whole, _)| whole);
        parse(&format!("{}{whole}", self.seen))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Errors mean that it has ended already.
        self.child.kill().unwrap_or_default();
        drop(self.child.wait());
    }
}

/// Hears from a command through a pipe that every process of its group holds open.
pub(crate) struct Beacon {
    path: PathBuf,
    pipe: Option<BufReader<File>>,
    groups: Vec<Pid>,
}

impl Beacon {
    /// Waits until the command runs: called again, until it runs once more.
    pub(crate) fn lit(&mut self) {
        let pipe = self.pipe.get_or_insert_with(|| BufReader::new(File::open(&self.path).unwrap()));
        let mut line = String::new();
        pipe.read_line(&mut line).unwrap();
        self.groups.push(Pid::from_raw(line.trim().parse().expect(&line)).unwrap());
    }

    /// Waits until no process of the group is left.
    pub(crate) fn gone(&mut self) {
        let mut rest = String::new();
        self.pipe.take().unwrap().read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        self.groups.clear();
    }

    /// Ends the groups of a program that was killed.
    pub(crate) fn put_out(&mut self) {
        for group in self.groups.drain(..) {
            kill_process_group(group, Signal::KILL).unwrap();
        }
    }
}

impl Drop for Beacon {
    fn drop(&mut self) {
        for group in &self.groups {
            kill_process_group(*group, Signal::KILL).unwrap_or_default();
        }
    }
}
