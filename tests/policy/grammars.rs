//! Command lines from the grammars of programs that usually only look, their writing and starting options among them.

use super::nasty::Dice;

/// Each program with options of its own: as the manuals of several systems have them, not as the policy does.
const PROGRAMS: &[(&str, &str)] = &[
    ("b2sum", "-b -c -l -t -w --check --length --quiet --strict --tag --zero"),
    ("basename", "-a -s -z --suffix"),
    ("cat", "-A -b -e -n -s -t -u -v --number --show-all --help"),
    ("cksum", "-a -c -l --algorithm --check --files0-from"),
    ("cmp", "-b -i -l -n -s --bytes --ignore-initial --verbose"),
    ("column", "-c -n -o -s -t -x -J -N -R --table --output-separator --separator --table-columns"),
    ("comm", "-1 -2 -3 -z -123 --check-order --output-delimiter --total"),
    (
        "cut",
        "-b -c -d -f -n -s -z --bytes --complement --delimiter --fields --output-delimiter --only-delimited",
    ),
    ("date", "-d -f -I -r -R -s -u --date --file --reference --set --utc --iso-8601 --rfc-3339"),
    ("df", "-a -h -i -k -l -m -P -t -T -x --output --type --total --sync"),
    (
        "diff",
        "-u -U -c -C -q -r -N -i -w -b -B -y -W -l -L -s -x -X -S --brief --from-file --to-file --no-dereference \
        --paginate --label --exclude-from --starting-file --unified --width --horizon-lines --recursive",
    ),
    ("dirname", "-z"),
    (
        "du",
        "-a -B -c -d -D -h -H -k -L -s -S -x -X --max-depth --exclude --exclude-from --files0-from --dereference --summarize",
    ),
    ("echo", "-n -e -E"),
    ("expr", ""),
    (
        "file",
        "-b -c -C -f -F -h -i -k -L -m -M -n -N -p -s -z -Z --brief --compile --files-from --magic-file --uncompress",
    ),
    ("fold", "-b -s -w --width"),
    (
        "grep",
        "-a -A -B -c -C -d -D -e -E -f -F -h -H -i -l -L -m -n -o -P -q -r -R -s -U -v -w -x -z -Z --color --context \
        --count --dereference-recursive --exclude-from --file --include --exclude --regexp --recursive --null --only-matching",
    ),
    ("head", "-c -n -q -v -z -5 --bytes --lines --quiet"),
    ("hexdump", "-b -c -C -d -e -f -n -o -s -v -x --format-file --length --skip --canonical"),
    ("id", "-a -g -G -n -r -u -z"),
    (
        "jq",
        "-a -c -C -e -f -j -L -M -n -r -R -s -S --arg --argjson --args --from-file --indent --library-path --rawfile \
        --slurpfile --tab",
    ),
    (
        "ls",
        "-a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -I -k -l -L -m -n -o -p -q -Q -r -R -s -S -t -T -u -U -v -w -x -X -1 \
        --color --dereference --hide --ignore --recursive --sort --time --time-style --width --hyperlink",
    ),
    ("md5sum", "-b -c -t -w -z --check --tag --warn"),
    ("nl", "-b -d -f -h -i -l -n -p -s -v -w --body-numbering --number-width"),
    (
        "od",
        "-a -A -b -c -d -f -i -j -l -N -o -S -s -t -v -w -x --address-radix --skip-bytes --traditional --strings --width",
    ),
    ("paste", "-d -s -z --delimiters --serial"),
    ("printf", "--"),
    ("pwd", "-L -P"),
    ("readlink", "-e -f -m -n -q -s -v -z --canonicalize --no-newline"),
    ("realpath", "-e -L -m -P -q -s -z --relative-to --relative-base --strip --no-symlinks"),
    ("rev", "-h -V"),
    (
        "rg",
        "-a -A -B -c -C -e -E -f -F -g -h -H -i -I -j -l -L -m -M -n -N -o -P -q -r -s -S -t -T -u -U -v -w -x -z -0 --context \
        --files --file --follow --glob --hidden --hostname-bin --ignore-file --json --max-depth --no-config --pre --pre-glob \
        --regexp --replace --search-zip --sort --type --type-add --type-list --unrestricted",
    ),
    ("seq", "-f -s -w --format --separator"),
    ("sha256sum", "-b -c -t -z --check --ignore-missing --status --tag"),
    (
        "sort",
        "-b -c -C -d -f -g -h -i -k -m -M -n -o -r -R -s -S -t -T -u -V -z --batch-size --check --compress-program \
        --debug --field-separator --files0-from --key --merge --output --parallel --random-source --reverse \
        --temporary-directory --unique",
    ),
    ("stat", "-c -f -L -t --format --printf --dereference --file-system --cached"),
    ("strings", "-a -d -e -f -n -o -s -t -T -w --all --bytes --encoding --output-separator --radix --target"),
    ("tac", "-b -r -s --before --regex --separator"),
    ("tail", "-c -n -q -v -z -5 --bytes --lines --quiet --pid"),
    ("test", "-d -e -f -h -n -r -s -w -x -z"),
    ("tr", "-c -C -d -s -t --complement --delete"),
    (
        "tree",
        "-a -A -C -d -D -f -F -g -h -H -i -I -J -l -L -n -N -o -p -P -q -Q -r -R -s -S -t -T -u -U -v -x -X --charset --dirsfirst \
        --du --filelimit --fromfile --info --infofile --noreport --output --prune --sort --timefmt",
    ),
    ("uname", "-a -m -n -o -r -s -v"),
    (
        "uniq",
        "-c -d -D -f -i -s -u -w -z --all-repeated --count --group --repeated --skip-fields --check-chars",
    ),
    ("wc", "-c -l -L -m -w --bytes --files0-from --lines --total"),
    ("xxd", "-a -b -c -C -e -E -g -i -l -n -o -p -ps -r -R -s -u -v -rp -cols -revert"),
];
/// Subcommands of git, and their options.
const GIT: &[(&str, &str)] = &[
    (
        "blame",
        "-b -C -e -f -l -L -M -n -p -s -S -t -w --contents --date --ignore-rev --ignore-revs-file --incremental --porcelain",
    ),
    ("cat-file", "-e -p -s -t --batch --batch-check --filters --path --textconv"),
    (
        "diff",
        "-a -b -C -M -O -p -R -s -S -U -w -z --cached --check --color --ext-diff --name-only --no-index --output \
        --output-indicator-new --patience --quiet --relative --stat --submodule --textconv --word-diff",
    ),
    ("for-each-ref", "--format --sort --count --merged --points-at --shell --perl"),
    (
        "grep",
        "-c -e -f -h -i -l -L -n -O -o -q -v -w --cached --color --ext-grep --line-number --no-index --open-files-in-pager \
        --recurse-submodules --textconv --untracked",
    ),
    (
        "log",
        "-c -g -G -L -m -M -n -O -p -s -S -t -U -z --all --author --date --decorate --exec --ext-diff --follow --format --graph \
        --grep --max-count --oneline --output --patch --pretty --reverse --show-signature --since --stat --stdin --textconv",
    ),
    (
        "ls-files",
        "-c -d -m -o -s -t -u -X -z --cached --exclude-from --exclude-per-directory --exclude-standard --others",
    ),
    (
        "rev-list",
        "--all --count --format --header --max-count --objects --pretty --show-signature --stdin --use-bitmap-index",
    ),
    (
        "rev-parse",
        "-q --git-dir --git-path --local-env-vars --parseopt --resolve-git-dir --short --show-toplevel --verify",
    ),
    ("shortlog", "-c -e -n -s -w --format --group --numbered"),
    (
        "show",
        "-p -s --format --output --pretty --show-signature --stat --textconv --ext-diff --oneline --name-only",
    ),
    ("status", "-b -s -u -v -z --branch --ignored --porcelain --short --show-stash --untracked-files"),
];
/// Values and operands. `link` and `linked` lead out of the folder, `evil` writes down that it ran.
const VALUES: &[&str] = &[
    "1",
    "a",
    "a",
    "sub",
    "b",
    "out",
    "./evil",
    "evil",
    "link",
    "linked",
    "linked/secret",
    "../outside/secret",
    "@a",
    "@link",
    "+",
    "--",
    "-",
    "-o",
    ":",
    "1,2",
    "HEAD",
    "%GS",
    "%+GS",
    "%G?",
    "*",
    "[ab]",
    "~/secret",
    "linked/*",
    ".",
    "..",
    "'*.txt'",
    "+%s",
    ".x",
    "'%n'",
    "'%s'",
    "never",
    "auto",
    "x",
];

/// One line.
pub(crate) fn line(dice: &mut Dice) -> String {
    let command = command(dice);
    match dice.below(12) {
        0 => format!("find . -name a -exec {command} + {} \\;", words(dice, "-o --output -n", 2)),
        1 => format!("find . -name a -exec {command} {{}} +"),
        2 => format!("find {} {} -exec {command} \\;", value(dice), words(dice, TESTS, 2)),
        3 => format!("find {} {}", value(dice), words(dice, TESTS, 3)),
        4 => format!("echo {} | xargs {command}", value(dice)),
        _ => command,
    }
}

/// Every option of every program with a file to write, and with a program to start, given in each way.
pub(crate) fn each_option() -> impl Iterator<Item = String> {
    let git = GIT.iter().map(|(subcommand, options)| (format!("git {subcommand}"), *options));
    let all = PROGRAMS.iter().map(|(program, options)| ((*program).to_owned(), *options)).chain(git);
    all.flat_map(|(program, options)| {
        let options = options.split_whitespace();
        options
            .flat_map(move |option| {
                let joined = if option.starts_with("--") { "=" } else { "" };
                ["out", "./evil"]
                    .map(|value| {
                        [
                            format!("{program} {option}{joined}{value} a"),
                            format!("{program} {option} {value} a"),
                        ]
                    })
                    .concat()
            })
            .collect::<Vec<_>>()
    })
}

const TESTS: &str = "-name -path -type -newer -maxdepth -empty -print -print0 -ls -delete -fprint -fls -files0-from -printf -o \
    -follow -L -H -perm -size -prune -quit";

fn command(dice: &mut Dice) -> String {
    if dice.below(4) == 0 {
        let (subcommand, options) = GIT[dice.below(GIT.len())];
        return format!("git {subcommand} {}", words(dice, options, 3));
    }
    let (program, options) = PROGRAMS[dice.below(PROGRAMS.len())];
    format!("{program} {}", words(dice, options, 4))
}

fn value(dice: &mut Dice) -> &'static str {
    VALUES[dice.below(VALUES.len())]
}

/// Some options and operands, in any order.
fn words(dice: &mut Dice, options: &str, most: usize) -> String {
    let options: Vec<&str> = options.split_whitespace().collect();
    let mut all: Vec<String> = Vec::new();
    for _ in 0..=dice.below(most) {
        if options.is_empty() || dice.below(3) == 0 {
            all.push(value(dice).to_owned());
            continue;
        }
        let option = options[dice.below(options.len())];
        let other = options[dice.below(options.len())];
        let word = match (option.starts_with("--"), dice.below(8)) {
            (true, 0) => option.chars().take(3 + dice.below(option.len())).collect(),
            (true, 1..=3) => format!("{option}={}", value(dice)),
            (false, 0) if !other.starts_with("--") => format!("{option}{}", other.trim_start_matches('-')),
            (false, 1) if !other.starts_with("--") => {
                format!("{option}{}{}", other.trim_start_matches('-'), value(dice))
            }
            (false, 2) => format!("{option}{}", value(dice)),
            (_, 4 | 5) => format!("{option} {}", value(dice)),
            _ => option.to_owned(),
        };
        all.push(word);
    }
    all.join(" ")
}
