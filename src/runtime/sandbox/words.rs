//! A confinement and its command as words of a command line, so that it crosses an exec without a file.

use std::ffi::OsString;
use std::path::PathBuf;

use super::Confinement;

/// The first argument of a child that confines itself. Nobody types it.
pub const ENTRY: &str = "__confine";

/// A command, and what it may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confined {
    /// Its rights.
    pub confinement: Confinement,
    /// The program and its arguments.
    pub command: Vec<OsString>,
}

impl Confined {
    /// All arguments of the child, [`ENTRY`] first.
    pub fn words(self) -> Vec<OsString> {
        // What is looked for before a command starts is among what is hidden and covered.
        let Confinement { writable, hidden, covered, network, proxy, may_be_weaker, .. } = self.confinement;
        let mut words = vec![OsString::from(ENTRY)];
        for (flag, paths) in [("--write", writable), ("--hide", hidden), ("--cover", covered)] {
            words.extend(paths.into_iter().flat_map(|path| [OsString::from(flag), path.into_os_string()]));
        }
        words.extend(proxy.into_iter().flat_map(|path| [OsString::from("--proxy"), path.into_os_string()]));
        words.extend(network.then(|| "--network".into()));
        words.extend(may_be_weaker.then(|| "--weaker".into()));
        words.push("--".into());
        words.extend(self.command);
        words
    }

    /// Reads what [`Confined::words`] wrote, without [`ENTRY`].
    ///
    /// # Errors
    /// What is not understood: nothing is started then.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let mut words = words.into_iter();
        let mut confinement = Confinement::default();
        loop {
            let word = words.next().ok_or("there is no command")?;
            let mut path = || words.next().map(PathBuf::from).ok_or("a path is missing");
            match word.to_str() {
                Some("--write") => confinement.writable.push(path()?),
                Some("--hide") => confinement.hidden.push(path()?),
                Some("--cover") => confinement.covered.push(path()?),
                Some("--proxy") => confinement.proxy = Some(path()?),
                Some("--network") => confinement.network = true,
                Some("--weaker") => confinement.may_be_weaker = true,
                Some("--") => break,
                _ => return Err(format!("{} is not understood", word.display())),
            }
        }
        let command: Vec<OsString> = words.collect();
        if command.is_empty() {
            return Err("there is no command".to_owned());
        }
        Ok(Self { confinement, command })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    #[test]
    fn words_are_read_as_they_were_written() {
        let odd = PathBuf::from(OsString::from_vec(b"/a b\n--\xff".to_vec()));
        for (network, may_be_weaker) in [(false, false), (true, false), (false, true)] {
            let writable = vec![odd.clone(), "--hide".into()];
            let hidden = vec!["/home/ada/.ssh".into(), odd.clone()];
            let covered = vec![odd.clone()];
            let proxy = network.then(|| odd.clone());
            let confinement = Confinement {
                writable,
                hidden,
                covered,
                network,
                proxy,
                may_be_weaker,
                ..Confinement::default()
            };
            let command = ["sh", "-c", "--network", "--"].map(OsString::from).to_vec();
            let confined = Confined { confinement, command };
            let mut words = confined.clone().words();
            assert_eq!(words.remove(0), ENTRY);
            assert_eq!(Confined::parse(words).unwrap(), confined);
        }
    }

    #[test]
    fn what_is_not_understood_starts_nothing() {
        for words in [&[][..], &["--"], &["--write"], &["--read", "/", "--", "sh"], &["sh"]] {
            assert!(Confined::parse(words.iter().map(OsString::from)).is_err(), "{words:?}");
        }
    }
}
