//! A mount namespace of its own, in which empty files and folders lie over secrets. Landlock knows no "but": inside a
//! folder that is opened, only this hides a file.
//!
//! An unprivileged process may mount only in a user namespace, where it has all powers. They end before the command
//! begins: it has no capability, Landlock refuses every mount, and so does seccomp; it cannot uncover anything.

use std::collections::BTreeSet;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, mkdirat, openat, openat2};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, fsconfig_create,
    fsconfig_reconfigure, fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen, move_mount, open_tree,
    unmount,
};

/// Where the file system with the empty ones is attached for a moment: older kernels copy only what is attached. It exists
/// wherever there is a sandbox, and nothing is covered in it.
const FOR_A_MOMENT: &str = "/proc";
const FILE: &str = "file";
const FOLDER: &str = "folder";
/// Both are named by what is held open, and not by a path.
const BOTH_HELD: MoveMountFlags =
    MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH.union(MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH);

/// Covers all of them, for this process and what it starts. What is gone in the meantime is left out; for a process
/// with one thread and mounts of its own.
///
/// The folders between them and the `writable` ones are pinned: one that was renamed could lie where the next command
/// has its secrets not looked for.
pub(super) fn cover(places: &[PathBuf], writable: &[PathBuf]) -> Result<(), String> {
    if places.is_empty() {
        return Ok(());
    }
    let failed = |why: Errno| format!("secrets in the workspace cannot be hidden: {why}");
    let between = |place: &'_ PathBuf| {
        let folders = place.ancestors().skip(1).map(Path::to_owned);
        folders
            .filter(|folder| writable.iter().any(|open| folder != open && folder.starts_with(open)))
            .collect::<Vec<_>>()
    };
    // In this order a folder comes before those in it.
    let folders: BTreeSet<PathBuf> = places.iter().flat_map(between).collect();
    for folder in folders {
        match pin(&folder) {
            Ok(()) | Err(Errno::NOENT | Errno::NOTDIR) => {}
            Err(why) => return Err(format!("{} cannot be pinned: {why}", folder.display())),
        }
    }
    let targets = open_all(places)?;
    let empty = empty_ones().map_err(failed)?;
    move_mount(&empty, "", CWD, FOR_A_MOMENT, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH).map_err(failed)?;
    let clone = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    for (target, is_folder) in &targets {
        let cover = open_tree(&empty, if *is_folder { FOLDER } else { FILE }, clone);
        cover.and_then(|cover| move_mount(&cover, "", target, "", BOTH_HELD)).map_err(failed)?;
    }
    unmount(FOR_A_MOMENT, UnmountFlags::DETACH).map_err(failed)
}

/// Mounts a folder at its own place: what is a mount cannot be renamed or removed.
fn pin(folder: &Path) -> Result<(), Errno> {
    let (place, _) = open_one(folder)?;
    // A mount below that comes from outside must come along.
    let clone =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_EMPTY_PATH;
    let same = open_tree(&place, "", clone | OpenTreeFlags::AT_RECURSIVE)?;
    move_mount(&same, "", &place, "", BOTH_HELD)
}

/// The places, held open, and whether each is a folder. No link is followed on the way: what would be covered there is
/// not what was found.
fn open_all(places: &[PathBuf]) -> Result<Vec<(OwnedFd, bool)>, String> {
    let mut opened = Vec::new();
    for place in places {
        match open_one(place) {
            Ok(one) => opened.push(one),
            Err(Errno::NOENT | Errno::NOTDIR) => {}
            Err(why) => return Err(format!("{} cannot be hidden: {why}", place.display())),
        }
    }
    Ok(opened)
}

fn open_one(place: &Path) -> Result<(OwnedFd, bool), Errno> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat2(CWD, place, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?;
    let kind = FileType::from_raw_mode(fstat(&file)?.st_mode);
    // A link in the last place is opened as itself.
    if kind == FileType::Symlink { Err(Errno::LOOP) } else { Ok((file, kind == FileType::Directory)) }
}

/// A file system in memory with an empty file and an empty folder that nobody may read. It is read-only, so not even
/// their owner changes that.
fn empty_ones() -> Result<OwnedFd, Errno> {
    let system = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_string(&system, "size", "4096")?;
    fsconfig_create(&system)?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV
        | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    let mount = fsmount(&system, FsMountFlags::FSMOUNT_CLOEXEC, attributes)?;
    let new = OFlags::CREATE | OFlags::EXCL | OFlags::RDONLY | OFlags::CLOEXEC;
    drop(openat(mount.as_fd(), FILE, new, Mode::empty())?);
    mkdirat(mount.as_fd(), FOLDER, Mode::empty())?;
    fsconfig_set_flag(&system, "ro")?;
    fsconfig_reconfigure(&system)?;
    Ok(mount)
}
