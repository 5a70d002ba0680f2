//! Programs of which some words start others: all words of a launcher, and of others what stands behind a subcommand or an option.

use super::launchers::is_launcher;

/// Subcommands behind which a command stands. One may have one of its own, and `*` is a word of any kind
/// between them.
const BY_SUBCOMMAND: &[(&str, &[&str])] = &[
    ("git", &["submodule foreach", "bisect run"]),
    ("npm", &["exec", "x", "explore"]),
    ("pnpm", &["exec", "x", "dlx"]),
    ("yarn", &["exec", "dlx", "workspace * exec", "workspaces foreach exec"]),
    ("bun", &["exec", "x"]),
    ("bundle", &["exec", "e"]),
    ("lerna", &["exec"]),
    ("nx", &["exec"]),
    ("rbenv", &["exec"]),
    ("pyenv", &["exec"]),
    ("cargo", &["watch"]),
    ("rustup", &["run"]),
    ("stack", &["exec"]),
    ("cabal", &["exec"]),
    ("opam", &["exec"]),
    ("composer", &["exec"]),
    ("tox", &["exec"]),
    ("pixi", &["run"]),
    ("rye", &["run"]),
    ("pipx", &["run"]),
    ("mamba", &["run"]),
    ("micromamba", &["run"]),
    ("devbox", &["run"]),
    ("docker-compose", &["exec", "run"]),
    ("multipass", &["exec"]),
    ("heroku", &["run"]),
    ("op", &["run"]),
    ("doppler", &["run"]),
    ("aws-vault", &["exec"]),
    ("chamber", &["exec"]),
    ("sops", &["exec-env", "exec-file"]),
    ("ip", &["netns exec"]),
    ("repo", &["forall"]),
    ("cmake", &["-E env", "-E time", "-E chdir"]),
    ("meson", &["devenv"]),
    ("mix", &["cmd"]),
    ("gcloud", &["compute ssh"]),
    ("gh", &["codespace ssh", "cs ssh"]),
    ("flyctl", &["ssh console"]),
];

/// Launchers that start a command only behind some subcommands: the words of others name something.
const BY_VERB: &[&str] = &["docker", "podman", "nerdctl", "kubectl", "lxc", "incus"];
/// These subcommands.
const VERBS: &[&str] = &["run", "exec", "create", "debug", "shell"];
/// Options behind which a program stands.
const BEFORE_A_PROGRAM: &[&str] = &["--", "-c", "-e", "-x", "--command", "--exec", "--run"];
/// So many words of a launcher's own are too many before the program.
const MOST_OWN: usize = 2;

/// How many words belong to what an option starts.
#[derive(Clone, Copy)]
enum Extent {
    /// Its value: a program, or a line.
    Value,
    /// Its value and all words after it.
    All,
}

/// Options that name what is started.
const BY_OPTION: &[(&[&str], &[&str], Extent)] = &[
    (&["fd", "fdfind"], &["-x", "-X", "--exec", "--exec-batch"], Extent::All),
    (&["just"], &["-c", "--command", "--shell", "--chooser"], Extent::All),
    (&["rg"], &["--pre", "--hostname-bin"], Extent::Value),
    (&["sort", "gsort"], &["--compress-program"], Extent::Value),
    (&["go"], &["-exec", "-toolexec", "-vettool"], Extent::Value),
    (&["java"], &["-XX:OnError", "-XX:OnOutOfMemoryError"], Extent::Value),
    (
        &["nc", "ncat", "netcat", "nc.traditional", "nc.openbsd"],
        &["-e", "-c", "--exec", "--sh-exec"],
        Extent::Value,
    ),
    (&["jobs"], &["-x"], Extent::All),
    (&["split", "gsplit"], &["--filter"], Extent::Value),
    (&["install", "ginstall"], &["--strip-program"], Extent::Value),
    (&["rclone"], &["--password-command"], Extent::Value),
    (&["wget"], &["--use-askpass"], Extent::Value),
    (&["ctest"], &["--test-command"], Extent::All),
];
/// Addresses of `socat` that start what follows.
const STARTING_ADDRESSES: &[&str] = &["exec", "system", "shell"];
/// Letters of these programs that have a value: what is joined to them is no other option.
const VALUED: &str = "cdefjoStE";

/// The words of what a program may start, by its words: a list for each place where a command may stand. Its start may be any of them.
pub(in crate::policy) fn started(program: &str, words: &[String]) -> Vec<Vec<String>> {
    if is_launcher(program) {
        return vec![words.to_vec()];
    }
    let mut all = behind_subcommands(program, words);
    if program == "socat" {
        all.extend(words.iter().flat_map(|word| in_addresses(word)).map(|line| vec![line]));
    }
    for (_, options, extent) in BY_OPTION.iter().filter(|(programs, ..)| programs.contains(&program)) {
        for (at, word) in words.iter().enumerate() {
            let Some(joined) = options.iter().find_map(|option| value(option, word)) else { continue };
            let rest = words.get(at + 1..).unwrap_or_default();
            let most = match extent {
                Extent::All => rest.len(),
                Extent::Value => usize::from(joined.is_empty()),
            };
            let own = Some(joined.to_owned()).filter(|joined| !joined.is_empty());
            all.push(own.into_iter().chain(rest.iter().take(most).cloned()).collect());
        }
    }
    all
}

/// Of each word behind a launcher whether it may be the program that is started: beside options and their
/// values, at most one word of the launcher's own (a host, a file, an image) stands before it.
pub(in crate::policy) fn program_places(launcher: &str, words: &[String]) -> Vec<bool> {
    let at_first = |program: &str| if BY_VERB.contains(&program) { MOST_OWN } else { 0 };
    let mut own = at_first(launcher);
    let mut before = "";
    let mut places = Vec::with_capacity(words.len());
    for word in words {
        places.push(own < MOST_OWN || BEFORE_A_PROGRAM.contains(&before));
        let name = word.rsplit('/').next().unwrap_or_default();
        if is_launcher(name) {
            own = at_first(name);
        } else if VERBS.contains(&name) {
            own = 0;
        } else if !word.starts_with('-') && !before.starts_with('-') && !word.contains('=') {
            own += 1;
        }
        before = word;
    }
    places
}

/// What stands behind subcommands that start a command.
fn behind_subcommands(program: &str, words: &[String]) -> Vec<Vec<String>> {
    let named = BY_SUBCOMMAND.iter().filter(|(name, _)| *name == program).flat_map(|(_, names)| *names);
    let mut all: Vec<Vec<String>> = named
        .filter_map(|name| name.split(' ').try_fold(words, behind_subcommand))
        .map(<[String]>::to_vec)
        .collect();
    all.dedup();
    all
}

/// What the addresses of `socat` in a word start, with and without the options behind it: `EXEC:'git push',pty`.
fn in_addresses(word: &str) -> Vec<String> {
    let is_starting = |kind: &str| STARTING_ADDRESSES.iter().any(|name| kind.eq_ignore_ascii_case(name));
    // Two of them may stand in one word.
    let addresses = word.split("!!").filter_map(|address| address.split_once(':'));
    let lines = addresses.filter(|(kind, _)| is_starting(kind)).map(|(_, line)| line);
    let all = lines.flat_map(|line| [Some(line), line.split_once(',').map(|(before, _)| before)]);
    all.flatten().map(str::to_owned).collect()
}

/// What stands behind a subcommand. Before it there may be options with their values.
fn behind_subcommand<'w>(words: &'w [String], name: &str) -> Option<&'w [String]> {
    let is_option = |at: usize| words.get(at).is_some_and(|word| word.starts_with(['-', '+']));
    let is_passed = |at: usize| is_option(at) || at.checked_sub(1).is_some_and(is_option);
    // These programs know a subcommand by its beginning, too.
    let is_short_for = |word: &str| word == name || (word.len() > 1 && name.starts_with(word));
    let starts = |at: &usize| words.get(*at).is_some_and(|word| name == "*" || is_short_for(word));
    let mut places = (0..words.len()).take_while(|at| at.checked_sub(1).is_none_or(is_passed));
    let at = places.find(starts)?;
    words.get(at + 1..)
}

/// What is joined to an option in this word; empty if its value is the next word. `None`: the word is not that option.
fn value<'w>(option: &str, word: &'w str) -> Option<&'w str> {
    let mut letters = option.chars().skip(1);
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        let joined = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
        let (before, after) = joined.split_once(letter)?;
        let are_flags = before.chars().all(|c| c.is_ascii_alphanumeric() && !VALUED.contains(c));
        return are_flags.then_some(after);
    }
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    let is_beginning = option.starts_with("--") && name.len() > 3 && option.starts_with(name);
    // Go reads an option with two dashes as the same.
    (name == option || is_beginning || name.strip_prefix('-') == Some(option)).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_an_option_or_a_subcommand_is_started() {
        for (line, lists) in [
            ("npm exec -- rm x", &["-- rm x"][..]),
            ("npm --prefix a x rm", &["rm"]),
            ("bundle e curl", &["curl"]),
            ("git -C a submodule --quiet foreach --recursive rm x", &["--recursive rm x"]),
            ("git bisect run rm x", &["rm x"]),
            ("yarn workspace a exec rm x", &["rm x"]),
            ("yarn workspaces foreach -A exec rm x", &["rm x"]),
            ("cargo +nightly watch -- rm x", &["-- rm x"]),
            ("ip netns exec a rm x", &["a rm x"]),
            ("fd a -Hx rm -f", &["rm -f"]),
            ("fd a -xrm", &["rm"]),
            ("fd a --exec=rm -f", &["rm -f"]),
            ("rg --pre rm x .", &["rm"]),
            ("rg --pr=rm x", &["rm"]),
            ("go test -exec rm ./...", &["rm"]),
            ("go test --exec=rm -toolexec b ./...", &["rm", "b"]),
            ("java -XX:OnError=rm A", &["rm"]),
            ("watch rm x", &["rm x"]),
            ("cmake -E env A=b rm x", &["A=b rm x"]),
            ("gcloud compute ssh h -- rm x", &["h -- rm x"]),
            ("nc -lvp 80 -e rm", &["rm"]),
            ("ncat --sh-exec=rm h 1", &["rm"]),
            ("jobs -x rm -f x", &["rm -f x"]),
            ("split --filter=rm x", &["rm"]),
            ("socat - EXEC:rm,pty", &["rm,pty", "rm"]),
            ("socat - TCP:a:1!!system:rm", &["rm"]),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let found = started(&words[0], &words[1..]);
            assert_eq!(found.iter().map(|words| words.join(" ")).collect::<Vec<_>>(), lists, "{line}");
        }
    }

    #[test]
    fn other_words_start_nothing() {
        for line in [
            "npm run exec",
            "npm install x",
            "git submodule update foreach",
            "git bisect start run",
            "yarn build",
            "yarn workspace a remove rm",
            "cargo rm x",
            "rustup component add rm",
            "fd -tx rm",
            "fd rm",
            "rg rm src",
            "rg --pretty rm",
            "rg --pre-glob rm",
            "sort rm",
            "go test rm",
            "java -jar rm",
            "cat rm",
            "cmake --build rm",
            "nc rm 80",
            "jobs -l rm",
            "split rm",
            "socat - TCP:rm:1",
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(started(&words[0], &words[1..]), Vec::<Vec<String>>::new(), "{line}");
        }
    }
}
