//! Words of container tools that only name something: a container, an image, a network.

use std::collections::BTreeSet;

use crate::policy::shell::HOLE;

const TOOLS: &[&str] = &["docker", "podman", "nerdctl"];
/// Subcommands whose words name containers and images, and start no program by them.
const NAMING: &[&str] = &[
    "logs", "pull", "push", "start", "stop", "restart", "pause", "unpause", "inspect", "port", "rename",
    "images", "stats", "tag",
];
/// Subcommands behind whose options a program may stand.
const STARTING: &[&str] = &["run", "create"];
/// Options of these whose value is a name.
const WITH_NAME: &[&str] = &[
    "--name",
    "--hostname",
    "-h",
    "--network",
    "--net",
    "--network-alias",
    "--label",
    "-l",
    "--volumes-from",
    "--link",
];
/// Options of these with another value, and without one. Behind one that is not known here no name is sure.
const WITH_VALUE: &[&str] = &[
    "-v",
    "--volume",
    "-p",
    "--publish",
    "-e",
    "--env",
    "--env-file",
    "-w",
    "--workdir",
    "-u",
    "--user",
    "-m",
    "--memory",
    "--cpus",
    "--entrypoint",
    "--mount",
    "--platform",
    "--restart",
    "--pull",
    "--gpus",
    "--shm-size",
    "--add-host",
    "--dns",
    "--cap-add",
    "--cap-drop",
    "--security-opt",
    "--device",
    "--ipc",
    "--pid",
];
const FLAGS: &[&str] = &[
    "-d",
    "-i",
    "-t",
    "-it",
    "-ti",
    "-dit",
    "-P",
    "--detach",
    "--interactive",
    "--tty",
    "--rm",
    "--init",
    "--privileged",
    "--read-only",
];

/// Whether it is one of these tools.
pub(in crate::policy) fn is_container_tool(program: &str) -> bool {
    TOOLS.contains(&program)
}

/// Which of the words of such a tool only name something.
pub(in crate::policy) fn name_places(words: &[String]) -> BTreeSet<usize> {
    let verb = words.first().map(String::as_str).unwrap_or_default();
    // What is not known before the line runs may be several words.
    let is_known = |at: &usize| words.get(*at).is_none_or(|word| !word.contains(HOLE));
    if NAMING.contains(&verb) {
        return (1..words.len()).filter(is_known).collect();
    }
    let mut places = BTreeSet::new();
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|_| STARTING.contains(&verb)) {
        let (name, is_joined) = word.split_once('=').map_or((word.as_str(), false), |(name, _)| (name, true));
        let names = WITH_NAME.contains(&name);
        if names {
            places.insert(if is_joined { at } else { at + 1 });
        }
        let has_value = names || WITH_VALUE.contains(&name);
        let is_joined = is_joined && (has_value || name.starts_with("--"));
        at += if is_joined || FLAGS.contains(&name) {
            1
        } else if has_value {
            2
        } else {
            break;
        };
    }
    // Behind such a word, nothing has its place.
    let first = (0..words.len()).find(|at| !is_known(at)).unwrap_or(words.len());
    places.into_iter().filter(|place| *place < first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(line: &str) -> Vec<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        name_places(&words).into_iter().filter_map(|at| words.get(at).cloned()).collect()
    }

    #[test]
    fn only_words_that_are_known_to_name_something_do() {
        for (line, names) in [
            ("logs node", &["node"][..]),
            ("logs -f node", &["-f", "node"]),
            ("pull node", &["node"]),
            ("run --name node img", &["node"]),
            ("run -it --rm -v a:b --name node --net host img node", &["node", "host"]),
            ("run --name=node img", &["--name=node"]),
            ("create -h node img", &["node"]),
            ("run img --name node", &[]),
            ("run -e=a img --name node", &[]),
            ("run -x --name node img", &[]),
            ("run --entrypoint node img", &[]),
            ("exec node rm", &[]),
            ("-H x logs node", &[]),
            ("", &[]),
        ] {
            assert_eq!(named(line), names, "{line}");
        }
    }
}
