//! What is mounted: a file of a file system that is mounted twice has two names, and no link counts them.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// Most that is read of the list.
const MOST_BYTES: u64 = 1 << 20;

/// The mounts of this process, in their order.
#[derive(Debug, Default)]
pub(super) struct Mounts(Vec<Mount>);

#[derive(Debug)]
struct Mount {
    device: Vec<u8>,
    /// Which folder of the file system is mounted.
    root: PathBuf,
    /// Where.
    at: PathBuf,
}

impl Mounts {
    /// Those that there are now; none where the system has no such list.
    pub(super) fn now() -> Self {
        let mut list = Vec::new();
        if let Ok(file) = File::open("/proc/self/mountinfo") {
            file.take(MOST_BYTES).read_to_end(&mut list).ok();
        }
        Self::of(&list)
    }

    fn of(list: &[u8]) -> Self {
        let mount = |line: &[u8]| {
            let mut fields = line.split(|byte| *byte == b' ').skip(2);
            let device = fields.next()?.to_vec();
            Some(Mount { device, root: path(fields.next()?), at: path(fields.next()?) })
        };
        Self(list.split(|byte| *byte == b'\n').filter_map(mount).collect())
    }

    /// Where else the file would be found, by the mounts: something else may lie there.
    pub(super) fn other_names(&self, file: &Path) -> Vec<PathBuf> {
        // Of two at one place, the later one is seen.
        let mounts = self.0.iter().filter(|mount| file.starts_with(&mount.at));
        let Some(own) = mounts.max_by_key(|mount| mount.at.components().count()) else { return Vec::new() };
        let Some(inner) = moved(file, &own.at, &own.root) else { return Vec::new() };
        let same = self.0.iter().filter(|mount| mount.device == own.device);
        let names = same.filter_map(|mount| moved(&inner, &mount.root, &mount.at));
        names.filter(|name| name != file).collect()
    }
}

/// The path with another beginning.
fn moved(path: &Path, from: &Path, to: &Path) -> Option<PathBuf> {
    let rest = path.strip_prefix(from).ok()?;
    // Joining nothing would add a slash, and with it only a folder is found.
    Some(if rest.as_os_str().is_empty() { to.to_owned() } else { to.join(rest) })
}

/// A path as the kernel writes it: blanks and backslashes by their numbers, `\040`.
fn path(written: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written;
    while let Some((first, others)) = rest.split_first() {
        let number =
            others.get(..3).filter(|_| *first == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        match number.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = others.get(3..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_under_each_mount_of_its_file_system() {
        let list = b"1 0 8:1 / / rw - ext4 /dev/a rw\n\
            2 1 8:1 /home/ada /srv/a\\040b rw - ext4 /dev/a rw\n\
            3 1 8:1 /home/ada/work/.env /run/one rw - ext4 /dev/a rw\n\
            4 1 8:1 /var /srv/var rw - ext4 /dev/a rw\n\
            5 1 0:9 / /proc rw - proc proc rw\nrubbish\n";
        let mounts = Mounts::of(list);
        let names = mounts.other_names(Path::new("/home/ada/work/.env"));
        assert_eq!(names, ["/srv/a b/work/.env", "/run/one"].map(PathBuf::from));
        let names = mounts.other_names(Path::new("/run/one"));
        assert_eq!(names, ["/home/ada/work/.env", "/srv/a b/work/.env"].map(PathBuf::from));
        assert_eq!(mounts.other_names(Path::new("/proc/1/.env")), [] as [PathBuf; 0]);
    }
}
