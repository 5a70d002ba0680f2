//! Linux: Landlock for files, a mount namespace for what Landlock cannot hide, seccomp for system calls, and fewer
//! capabilities.

mod calls;
mod cover;
mod descriptors;
mod files;
mod namespaces;
mod network;
mod powers;
mod readable;

use std::os::unix::process::CommandExt as _;
use std::process::Command;

use landlock::{ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, Scope};

use super::{Confined, Confinement, Support};

/// Gives up the rights in the order in which each is still needed, and becomes the command. Returns the reason when
/// it could not.
pub(super) fn enter(confined: &Confined) -> String {
    match give_up(confined) {
        Err(why) => why,
        Ok(()) => {
            let mut words = confined.command.iter();
            let Some(program) = words.next() else { return "there is no command".to_owned() };
            let failure = Command::new(program).args(words).exec();
            format!("{} cannot be started: {failure}", program.display())
        }
    }
}

fn give_up(confined: &Confined) -> Result<(), String> {
    if let Some(why) = support().refuses(confined.confinement.may_be_weaker) {
        return Err(why);
    }
    descriptors::close_inherited()?;
    let Confinement { covered, writable, proxy, network, .. } = &confined.confinement;
    let is_of_its_own = namespaces::enter(!covered.is_empty(), proxy.is_some())?;
    cover::cover(covered, writable)?;
    if let Some(proxy) = proxy {
        network::hand_over(proxy)?;
    }
    let files = files::Rules::of(&confined.confinement)?;
    // In a user namespace of its own it has had every power.
    if is_of_its_own {
        powers::drop_all()?
    } else {
        powers::drop_most()?
    }
    files.enforce()?;
    calls::forbid(*network || proxy.is_some())
}

/// What this kernel has. Only asks: creating a ruleset restricts nobody.
pub(super) fn support() -> Support {
    let has = |abi: ABI| {
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        ruleset.handle_access(AccessFs::from_all(abi)).and_then(Ruleset::create).is_ok()
    };
    let scopes = || {
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        ruleset.scope(Scope::from_all(ABI::V6)).and_then(Ruleset::create).is_ok()
    };
    if !has(ABI::V1) {
        return Support::None(
            "this kernel has no Landlock, or it is not enabled (`lsm=` on the kernel command \
            line)"
                .to_owned(),
        );
    }
    if let Err(why) = calls::programs(false) {
        return Support::None(why);
    }
    let mut weaker = Vec::new();
    if !has(ABI::V3) {
        weaker.push("files outside the workspace can be truncated (Linux before 6.2)".to_owned());
    }
    if !scopes() {
        weaker.push("your other processes can be killed by signals (Linux before 6.12)".to_owned());
    }
    if weaker.is_empty() { Support::Full } else { Support::Partial(weaker) }
}
