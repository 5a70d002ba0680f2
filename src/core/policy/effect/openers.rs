//! Programs that open a shell or a console where their words name no command: it reads what comes in.

use super::container_names::is_container_tool;
use super::input_files::is_letters;

/// Those that open a shell where no command is named.
const OPENERS: &[&str] = &["unshare", "nsenter", "fakeroot", "proot", "firejail", "pkexec", "run0", "lima"];
/// Those that open a shell behind one of these words, or at once, where no option names a command.
const OPENED_BY: &[(&[&str], &[&str])] = &[
    (&["nix"], &["shell", "develop", "repl"]),
    (&["poetry", "pipenv", "hatch", "pixi", "devbox", "guix", "multipass", "limactl"], &["shell"]),
    (&["machinectl"], &["shell", "login"]),
    (&["distrobox", "toolbox"], &["enter"]),
    (&["vagrant", "gcloud", "az", "flyctl", "fly"], &["ssh"]),
    (&["docker", "podman", "nerdctl", "kubectl", "oc"], &["attach", "start"]),
    (&["kubectl", "oc"], &["run"]),
    (&["heroku"], &["psql", "pg:psql"]),
    (&["rails"], &["console", "c", "dbconsole", "db"]),
    (&["nix-shell", "newgrp", "sg"], &[]),
];
/// Options that name a command for them.
const WITH_COMMAND: &[&str] = &["-c", "--command", "--run", "--", "-e", "--execute"];
/// Options without a value of those that start containers.
const FLAGS_OF_IMAGES: &[&str] =
    &["-i", "-t", "-d", "-it", "-ti", "--interactive", "--tty", "--rm", "--init", "--privileged"];

/// Whether it opens a shell or a console that reads what comes in, because its words name no command.
pub(super) fn opens_shell(program: &str, arguments: &[String]) -> bool {
    let is_own = |word: &String| word.starts_with(['-', '+']) || word.chars().all(|c| c.is_ascii_digit());
    let names_command =
        || arguments.iter().any(|word| WITH_COMMAND.contains(&word.split('=').next().unwrap_or_default()));
    let is_opened_by =
        |words: &[&str]| words.is_empty() || arguments.iter().any(|word| words.contains(&word.as_str()));
    let mut ways = OPENED_BY.iter().filter(|(names, _)| names.contains(&program));
    match program {
        // Its `-c` names where the shell is.
        "schroot" => !arguments.iter().any(|word| word == "--"),
        _ if OPENERS.contains(&program) => arguments.iter().all(is_own),
        _ => {
            (ways.any(|(_, words)| is_opened_by(words)) && !names_command()) || runs_image(program, arguments)
        }
    }
}

/// Whether it starts a container without a command: what that is called with is only an image, whose own command takes what comes in.
fn runs_image(program: &str, arguments: &[String]) -> bool {
    let Some(("run", rest)) = arguments.split_first().map(|(verb, rest)| (verb.as_str(), rest)) else {
        return false;
    };
    let mut is_value = false;
    let is_operand = |word: &&String| {
        let is_option = word.starts_with('-');
        let is_passed = is_value || is_option;
        is_value = !is_value && is_option && !word.contains('=') && !FLAGS_OF_IMAGES.contains(&word.as_str());
        !is_passed
    };
    let is_open = rest.iter().any(|word| word == "--interactive" || (is_letters(word) && word.contains('i')));
    is_container_tool(program) && is_open && rest.iter().filter(is_operand).count() < 2
}
