//! Writing where nothing may be written, by every road to a file.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::fixture::{Fixture, there_is_one};

/// What is tried, and how. Exit code 0 when it worked.
const WRITES: &[(&str, &str)] = &[
    ("by its path", "echo x > $ROOT/outside/new"),
    ("by a relative path", "echo x > ../outside/new"),
    ("over a file", "echo x > $ROOT/outside/kept"),
    ("at the end of a file", "echo x >> $ROOT/outside/kept"),
    ("by emptying a file", ": > $ROOT/outside/kept"),
    ("by truncate", "truncate -s 0 $ROOT/outside/kept"),
    ("by removing a file", "rm $ROOT/outside/kept"),
    ("by making a folder", "mkdir $ROOT/outside/new"),
    ("by a pipe with a name", "mkfifo $ROOT/outside/new"),
    ("through a symlink to a file", "ln -s $ROOT/outside/kept a && echo x > a"),
    ("through a symlink to a folder", "ln -s $ROOT/outside a && echo x > a/new"),
    ("through a hard link", "ln $ROOT/outside/kept a && echo x > a"),
    ("by a hard link out", "echo x > a && ln a $ROOT/outside/new"),
    ("by a rename out", "echo x > a && mv -T a $ROOT/outside/new"),
    ("by a rename in", "mv -T $ROOT/outside/kept a"),
    ("by renaming the workspace away", "mv -T $ROOT/work $ROOT/outside/work"),
    ("through /proc/self/root", "echo x > /proc/self/root$ROOT/outside/new"),
    ("through /proc/self/cwd", "echo x > /proc/self/cwd/../outside/new"),
    ("through an open descriptor", "exec 9< $ROOT/outside/kept && echo x > /proc/self/fd/9"),
    ("through the root of another process", "echo x > /proc/$PPID/root$ROOT/outside/new"),
    ("through the folder of another process", "test -r /proc/$PPID/cwd/. && echo x > $ROOT/outside/new"),
    ("by a child", "sh -c 'sh -c \"echo x > $ROOT/outside/new\"'"),
    ("by a child in the background", "(echo x > $ROOT/outside/new) & wait; test -e $ROOT/outside/new"),
    (
        "by a daemon",
        "setsid -f sh -c 'echo x > $ROOT/outside/new; echo $? > code'; \
      while ! test -s code; do :; done; test -e $ROOT/outside/new",
    ),
    ("by changing the folder first", "cd $ROOT/outside && echo x > new"),
    ("in the home folder", "echo x > ~/.profile"),
    ("by the keys of ssh", "echo x > ~/.ssh/authorized_keys"),
    ("in the common temporary folder", "rm \"$(TMPDIR=/tmp mktemp)\""),
    ("in shared memory", "echo x > /dev/shm/countersign-attack && rm /dev/shm/countersign-attack"),
];

/// What only root can try; for others it fails anyway.
const WRITES_OF_ROOT: &[(&str, &str)] = &[
    ("by a mount", "mkdir m && unshare -m mount -t tmpfs none m"),
    ("by a bind mount", "mkdir m && unshare -m mount --bind $ROOT/outside m"),
    ("by a node of a device", "mknod node c 1 3 && echo x > node"),
    ("by another root", "chroot / true"),
    ("by namespaces", "unshare -m true"),
    ("by a priority of the kernel's", "chrt -f 1 true"),
    ("by a system setting", "cat /proc/sys/kernel/printk > /proc/sys/kernel/printk"),
];

#[tokio::test]
async fn nothing_is_written_outside() {
    if !there_is_one().await {
        return;
    }
    for (name, command) in WRITES {
        Fixture::holds_against(name, command).await;
    }
}

#[tokio::test]
async fn root_writes_nothing_outside_either() {
    if !there_is_one().await {
        return;
    }
    if !rustix::process::geteuid().is_root() {
        eprintln!("mounts, device nodes and namespaces were not tried: these tests do not run as root");
        let fixture = Fixture::new();
        let report = fixture.run("unshare -Ur true", true).await;
        assert_eq!(report.outcome, countersign::ledger::Outcome::Failed, "{}", report.content);
        return;
    }
    let powers = Fixture::new().works("grep CapPrm /proc/self/status").await;
    let powers = u64::from_str_radix(powers.trim().trim_start_matches("CapPrm:").trim(), 16).unwrap();
    // Owners, modes, users, signals and low ports; nothing that is the machine's.
    assert_eq!(powers & !0x4fb, 0, "{powers:#x}");
    for (name, command) in WRITES_OF_ROOT {
        Fixture::holds_if_there_is_such(name, command).await;
    }
}

#[tokio::test]
async fn work_goes_on_inside() {
    if !there_is_one().await {
        return;
    }
    let fixture = Fixture::new();
    for command in [
        "echo x > a && mkdir -p d/e && mv a d/e/b && ln d/e/b c && ln -s d/e/b s && cat s && rm -r d c s",
        "mkfifo p && (echo x > p &) && cat p",
        "echo x > $TMPDIR/t && mv $TMPDIR/t moved && test \"$(cat moved)\" = x",
        "f=$(mktemp) && echo x > $f && case $f in $TMPDIR/*) ;; *) exit 1 ;; esac",
        "printf '#!/bin/sh\\necho ran\\n' > run && chmod +x run && ./run",
        "cat ~/src/readme && ls /usr/bin > /dev/null && head -c 4 /dev/urandom > /dev/null",
        "echo out > /dev/stdout && echo err > /dev/stderr",
        "sleep 100 & kill $! && ! wait $!",
        "cat /proc/self/status > /dev/null && test -d /proc/$$",
        "ls -l /proc/$$/exe && sh -c 'cat /proc/self/environ' > /dev/null",
    ] {
        fixture.works(command).await;
    }
}

/// A path that leads inside when it is looked at and outside when it is used: the kernel decides at the use.
#[tokio::test]
async fn a_link_swapped_between_check_and_use_leads_nowhere() {
    if !there_is_one().await {
        return;
    }
    let fixture = Arc::new(Fixture::new());
    fs::create_dir(fixture.path("work/inside")).unwrap();
    symlink(fixture.path("work/inside"), fixture.path("work/way")).unwrap();
    let over = Arc::new(AtomicBool::new(false));
    let swap = {
        let (fixture, over) = (Arc::clone(&fixture), Arc::clone(&over));
        std::thread::spawn(move || {
            let mut swaps = 0_u64;
            while !over.load(Relaxed) {
                for target in ["outside", "work/inside"] {
                    symlink(fixture.path(target), fixture.path("work/next")).unwrap();
                    fs::rename(fixture.path("work/next"), fixture.path("work/way")).unwrap();
                    swaps += 1;
                }
            }
            swaps
        })
    };
    let script = "i=0; while [ $i -lt 3000 ]; do (echo x > way/new) 2> /dev/null || refused=yes; i=$((i + 1)); done; \
                  test -e inside/new && test \"$refused\" = yes && echo both";
    let report = fixture.run(script, true).await;
    over.store(true, Relaxed);
    assert!(swap.join().unwrap() > 100);
    assert!(report.content.contains("both"), "no swap was met: {}", report.content);
    fixture.is_untouched("by a swapped link");
}

/// What Landlock does not know: said in docs/SECURITY.md, and this test turns red when it becomes untrue.
#[tokio::test]
async fn modes_and_times_of_own_files_can_be_changed_as_the_page_says() {
    if !there_is_one().await {
        return;
    }
    let fixture = Fixture::new();
    fixture.works("chmod 600 $ROOT/outside/kept && touch -d 2001-01-01 $ROOT/outside/kept").await;
    fixture.is_untouched("by its mode");
    let page = fs::read_to_string("docs/SECURITY.md").unwrap();
    assert!(page.contains("permission bits, owners and times of files outside"), "the page pretends");
}
