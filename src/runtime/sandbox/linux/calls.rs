//! seccomp: which system calls are refused. Everything else is allowed: the rules about files are Landlock's.

use std::collections::BTreeMap;
use std::env::consts::ARCH;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};

type SyscallRules = BTreeMap<i64, Vec<SeccompRule>>;

/// Refused whatever they are asked: other ways to sockets and files, other processes' memory, keys, mounts and
/// namespaces, what changes the kernel or the machine, and what processes share by numbers and names that are no files: it is
/// open to all of a user's processes, and stays when its maker has ended.
const REFUSED: &[i64] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
];
/// Refused as if the kernel had none of it: programs then poll, or use an older call. The flags of `clone3` lie in memory, where
/// no filter looks; a watch tells the names in folders that cannot be read, and when a terminal is used.
const UNSEEN: &[i64] = &[
    libc::SYS_clone3,
    libc::SYS_inotify_init1,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
];
/// How much of the machine a process gets, and where. Each names its process by a number, this argument; 0 is the caller.
const OF_OTHERS: &[(i64, u8)] = &[
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
];
/// Of these, 0 names all processes of the user when the first argument is this.
const OF_A_USER: &[(i64, u64)] = &[(libc::SYS_setpriority, 2), (libc::SYS_ioprio_set, 3)];
/// A lease on a file that can only be read holds up whoever opens it; news of a folder tell what is done in it.
const HOLDING_UP: [u64; 2] = [1024, 1026];
/// Characters put into a terminal as if they had been typed: TIOCSTI and TIOCLINUX, whose type differs by C library.
const TYPING: [u64; 2] = [0x5412, 0x541c];
/// Namespaces in which a process would be root.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];
/// With a network: the internet, and the kernel's answers about interfaces that resolvers ask for.
const INTERNET: [i32; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
/// The kind of a socket without its flags.
const KIND: u64 = 0xf;
/// On x86-64 the same calls have a second set of numbers, which must not be a way around the first.
#[cfg(target_arch = "x86_64")]
const SECOND_NUMBERS: i64 = 0x4000_0000;
/// Those whose second number is not the first with that bit.
#[cfg(target_arch = "x86_64")]
const RENUMBERED: &[(i64, i64)] = &[
    (libc::SYS_ioctl, 514),
    (libc::SYS_process_vm_readv, 539),
    (libc::SYS_process_vm_writev, 540),
    (libc::SYS_kexec_load, 528),
];

/// Refuses them for this process and all it starts, for good. Needs `no_new_privs`.
pub(super) fn forbid(network: bool) -> Result<(), String> {
    for program in programs(network)? {
        apply_filter(&program).map_err(|why| format!("seccomp refused: {why}"))?;
    }
    Ok(())
}

/// The filters, ready to be applied.
///
/// # Errors
/// In words, when there are none for this processor.
pub(super) fn programs(network: bool) -> Result<[BpfProgram; 2], String> {
    let failed = |why: seccompiler::BackendError| format!("the system call filter cannot be created: {why}");
    let arch = TargetArch::try_from(ARCH)
        .map_err(|_unknown| format!("there is no system call filter for this processor ({ARCH})"))?;
    let compile = |rules: SyscallRules, errno: i32| {
        let refuse = SeccompAction::Errno(errno.unsigned_abs());
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch);
        filter.and_then(BpfProgram::try_from).map_err(failed)
    };
    let unseen = UNSEEN.iter().map(|call| (*call, Vec::new())).collect();
    Ok([
        compile(by_both_numbers(rules(network).map_err(failed)?), libc::EPERM)?,
        compile(by_both_numbers(unseen), libc::ENOSYS)?,
    ])
}

fn rules(network: bool) -> Result<SyscallRules, seccompiler::BackendError> {
    let mut rules: SyscallRules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_socket, sockets(network)?);
    // A pair of streams talks to itself alone; one of datagrams could be sent to anybody's name.
    let datagrams = [libc::SOCK_DGRAM, libc::SOCK_RAW]
        .map(|kind| one(1, SeccompCmpOp::MaskedEq(KIND), u64::from(kind.unsigned_abs())));
    rules.insert(libc::SYS_socketpair, datagrams.into_iter().collect::<Result<_, _>>()?);
    rules.insert(
        libc::SYS_ioctl,
        TYPING.iter().map(|request| one(1, SeccompCmpOp::Eq, *request)).collect::<Result<_, _>>()?,
    );
    let namespaces = NAMESPACES.iter().map(|flag| {
        let flag = u64::from(flag.unsigned_abs());
        one(0, SeccompCmpOp::MaskedEq(flag), flag)
    });
    // The limits of another process end it as surely as a signal does, and Landlock says nothing about them.
    rules.insert(libc::SYS_prlimit64, vec![one(0, SeccompCmpOp::Ne, 0)?]);
    for (call, process) in OF_OTHERS {
        rules.insert(*call, vec![one(*process, SeccompCmpOp::Ne, 0)?]);
    }
    for (call, user) in OF_A_USER {
        rules.entry(*call).or_default().push(one(0, SeccompCmpOp::Eq, *user)?);
    }
    rules.insert(
        libc::SYS_fcntl,
        HOLDING_UP.iter().map(|what| one(1, SeccompCmpOp::Eq, *what)).collect::<Result<_, _>>()?,
    );
    rules.insert(libc::SYS_clone, namespaces.collect::<Result<_, _>>()?);
    Ok(rules)
}

/// Which sockets are refused: with a network all but those of the internet, without one all. Sockets with a name in
/// the file system lead to programs that act with the user's rights (agents, D-Bus, Docker), so they always are.
fn sockets(network: bool) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    if !network {
        return Ok(Vec::new());
    }
    let not_these = INTERNET.iter().map(|family| {
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, u64::from(family.unsigned_abs()))
    });
    let is = |argument, operator, value: i32| {
        let value = u64::from(value.unsigned_abs());
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
    };
    // Of the kernel's other news, such as devices and everybody's connections, no resolver asks.
    let other_news =
        [is(0, SeccompCmpOp::Eq, libc::AF_NETLINK)?, is(2, SeccompCmpOp::Ne, libc::NETLINK_ROUTE)?];
    Ok(vec![
        SeccompRule::new(not_these.collect::<Result<_, _>>()?)?,
        SeccompRule::new(other_news.into_iter().collect())?,
    ])
}

fn one(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?])
}

#[cfg(target_arch = "x86_64")]
fn by_both_numbers(mut rules: SyscallRules) -> SyscallRules {
    let second = |call: i64| {
        RENUMBERED.iter().find(|(first, _)| *first == call).map_or(call, |(_, second)| *second)
            | SECOND_NUMBERS
    };
    let again: Vec<_> = rules.iter().map(|(call, chain)| (second(*call), chain.clone())).collect();
    rules.extend(again);
    rules
}

#[cfg(not(target_arch = "x86_64"))]
fn by_both_numbers(rules: SyscallRules) -> SyscallRules {
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    const NR: usize = 0;
    const ARCHITECTURE: u32 = 0xc000_003e;
    const ALLOWED: u32 = 0x7fff_0000;
    const KILLED: u32 = 0x8000_0000;
    const REFUSED_WITH: u32 = 0x0005_0000;

    /// What the kernel would do: runs the program on the call as it would see it.
    fn decide(program: &BpfProgram, data: &[u32; 16]) -> u32 {
        let (mut at, mut accumulator) = (0, 0);
        loop {
            let step = &program[at];
            at += 1;
            match step.code {
                0x20 => accumulator = data[step.k as usize / 4],
                0x54 => accumulator &= step.k,
                0x05 => at += step.k as usize,
                0x06 => return step.k,
                code => {
                    let is_true = match code {
                        0x15 => accumulator == step.k,
                        0x25 => accumulator > step.k,
                        0x35 => accumulator >= step.k,
                        other => panic!("an instruction that was not expected: {other:#x}"),
                    };
                    at += usize::from(if is_true { step.jt } else { step.jf });
                }
            }
        }
    }

    /// The strictest of what the two filters say.
    fn decided(network: bool, call: i64, arguments: &[u32]) -> u32 {
        let mut data = [0; 16];
        data[NR] = u32::try_from(call).unwrap();
        data[1] = ARCHITECTURE;
        for (at, argument) in arguments.iter().enumerate() {
            data[4 + 2 * at] = *argument;
            // Rubbish in the upper half of an argument of 32 bits changes nothing.
            data[5 + 2 * at] = 0xdead_beef;
        }
        programs(network).unwrap().iter().map(|program| decide(program, &data)).min().unwrap()
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_filter_decides_each_call() {
        let (eperm, enosys) = (REFUSED_WITH + 1, REFUSED_WITH + 38);
        let (inet, inet6, unix, netlink, packet) = (2, 10, 1, 16, 17);
        let flags = 0x80800;
        let bit = SECOND_NUMBERS;
        for (network, call, arguments, expected) in [
            (false, libc::SYS_openat, &[][..], ALLOWED),
            (false, libc::SYS_socket, &[inet, 1], eperm),
            (false, libc::SYS_socket, &[unix, 1], eperm),
            (false, libc::SYS_socket | bit, &[inet, 1], eperm),
            (true, libc::SYS_socket, &[inet, 1], ALLOWED),
            (true, libc::SYS_socket, &[inet6, 2], ALLOWED),
            (true, libc::SYS_socket, &[netlink, 3], ALLOWED),
            (true, libc::SYS_socket, &[netlink, 3, 0], ALLOWED),
            (true, libc::SYS_socket, &[netlink, 3, 4], eperm),
            (true, libc::SYS_socket, &[netlink, 2, 15], eperm),
            (true, libc::SYS_socket, &[inet, 1, 6], ALLOWED),
            (true, libc::SYS_socket, &[unix, 1], eperm),
            (true, libc::SYS_socket | bit, &[unix, 1], eperm),
            (true, libc::SYS_socket, &[packet, 3], eperm),
            (false, libc::SYS_socketpair, &[unix, 1 | flags], ALLOWED),
            (false, libc::SYS_socketpair, &[unix, 5 | flags], ALLOWED),
            (false, libc::SYS_socketpair, &[unix, 2 | flags], eperm),
            (false, libc::SYS_socketpair, &[unix, 3], eperm),
            (true, libc::SYS_socketpair, &[unix, 2], eperm),
            (false, libc::SYS_ioctl, &[0, 0x5401], ALLOWED),
            (false, libc::SYS_ioctl, &[0, 0x5412], eperm),
            (false, libc::SYS_ioctl, &[0, 0x541c], eperm),
            (false, 514 | bit, &[0, 0x5412], eperm),
            (true, libc::SYS_ioctl, &[0, 0x5412], eperm),
            (false, libc::SYS_clone, &[0x01200011], ALLOWED),
            (false, libc::SYS_clone, &[0x003d_0f00], ALLOWED),
            (false, libc::SYS_clone3, &[], enosys),
            (false, libc::SYS_clone3 | bit, &[], enosys),
            (false, libc::SYS_io_uring_setup, &[], eperm),
            (true, libc::SYS_io_uring_setup | bit, &[], eperm),
            (true, libc::SYS_keyctl, &[], eperm),
            (false, libc::SYS_prlimit64, &[0, 7], ALLOWED),
            (true, libc::SYS_prlimit64, &[4711, 0], eperm),
            (false, libc::SYS_prlimit64 | bit, &[4711, 0], eperm),
            (true, libc::SYS_shmat, &[7], eperm),
            (true, libc::SYS_msgsnd, &[7], eperm),
            (true, libc::SYS_semop | bit, &[7], eperm),
            (false, libc::SYS_mq_unlink, &[], eperm),
            (true, libc::SYS_unshare, &[], eperm),
        ] {
            assert_eq!(decided(network, call, arguments), expected, "{network} {call:#x} {arguments:x?}");
        }
        for flag in NAMESPACES {
            let with_others = flag.unsigned_abs() | 0x11;
            assert_eq!(decided(false, libc::SYS_clone, &[with_others]), eperm, "{flag:#x}");
            assert_eq!(decided(true, libc::SYS_clone | bit, &[with_others]), eperm, "{flag:#x}");
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_process_changes_its_own_share_of_the_machine_and_nobody_else_s() {
        let (eperm, enosys, bit) = (REFUSED_WITH + 1, REFUSED_WITH + 38, SECOND_NUMBERS);
        for (call, own, others) in [
            (libc::SYS_sched_setaffinity, &[0][..], &[4711][..]),
            (libc::SYS_sched_setscheduler, &[0, 3], &[4711, 3]),
            (libc::SYS_sched_setparam, &[0], &[4711]),
            (libc::SYS_sched_setattr, &[0], &[4711]),
            (libc::SYS_setpriority, &[0, 0, 5], &[0, 4711, 5]),
            (libc::SYS_setpriority, &[1, 0, 5], &[2, 0, 5]),
            (libc::SYS_ioprio_set, &[1, 0, 5], &[1, 4711, 5]),
            (libc::SYS_ioprio_set, &[2, 0, 5], &[3, 0, 5]),
            (libc::SYS_fcntl, &[3, 6], &[3, 1024]),
            (libc::SYS_fcntl, &[3, 1030], &[3, 1026]),
        ] {
            for network in [false, true] {
                assert_eq!(decided(network, call, own), ALLOWED, "{call} {own:?}");
                assert_eq!(decided(network, call, others), eperm, "{call} {others:?}");
                assert_eq!(decided(network, call | bit, others), eperm, "{call} {others:?}");
            }
        }
        for call in [libc::SYS_inotify_init1, libc::SYS_inotify_init] {
            assert_eq!((decided(true, call, &[]), decided(false, call | bit, &[])), (enosys, enosys));
        }
    }

    #[test]
    fn calls_of_another_kind_end_the_program() {
        for program in programs(false).unwrap() {
            assert_eq!(decide(&program, &[0; 16]), KILLED);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn no_call_has_a_second_number_that_is_free() {
        let rules = by_both_numbers(rules(false).unwrap());
        for call in REFUSED.iter().chain(&[libc::SYS_socket, libc::SYS_clone]) {
            let second =
                RENUMBERED.iter().find(|(first, _)| first == call).map_or(*call, |(_, second)| *second);
            assert!(rules.contains_key(&(second | SECOND_NUMBERS)), "{call}");
        }
        assert!(rules.contains_key(&(514 | SECOND_NUMBERS)), "ioctl");
    }
}
