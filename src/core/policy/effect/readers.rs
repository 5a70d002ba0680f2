//! Programs that only look, with every option that they may be given. An option that is missing here is one that writes, starts
//! something, follows links out of the workspace, opens files that nobody names, or means something else on another system.

use super::arguments::ReadOnlyProgram;
use super::arguments::Takes::{self, Any, Files, OneFile, PatternAndFiles, Words};

const SUMS: &str = "-bt --binary --text --tag --zero";
const GREP: &str = "-# -ivwxclLqsnHhobaIUrEFGPyZz -e: -f< -mABCd: --regexp= --file< --ignore-case --no-ignore-case \
    --invert-match --word-regexp --line-regexp --count --color? --colour? --files-without-match --files-with-matches \
    --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number \
    --null --null-data --text --after-context= --before-context= --context= --recursive --include= --exclude= \
    --exclude-dir= --extended-regexp --fixed-strings --basic-regexp --perl-regexp --line-buffered --binary-files= \
    --directories=";

macro_rules! readers {
    ($($name:literal $takes:ident $options:expr;)*) => {
        &[$(ReadOnlyProgram { name: $name, takes: $takes, options: $options }),*]
    };
}

const READERS: &[ReadOnlyProgram] = readers! {
    ":" Any "";
    "[" Any "";
    "[[" Any "";
    "b2sum" Files "-bt -l: --binary --text --tag --zero --length=";
    "basename" Any "";
    "break" Any "";
    "cat" Files "holes -AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs \
        --show-nonprinting";
    "cd" Files "holes -PL";
    "cksum" Files "";
    "cmp" Files "-bls -in: --print-bytes --verbose --quiet --silent --bytes= --ignore-initial=";
    "column" Files "-tx -sco: --table --fillrows --separator= --output-separator=";
    "comm" Files "-123i --check-order --nocheck-order --output-delimiter= --total --zero-terminated";
    "command" Any "";
    "continue" Any "";
    "cut" Files "-nsz -bcdf: --bytes= --characters= --delimiter= --fields= --complement --only-delimited \
        --output-delimiter= --zero-terminated";
    "date" Words "-uR -I? -d: --date= --utc --universal --rfc-email --rfc-3339= --iso-8601?";
    "df" Files "-haiklmPT --human-readable --all --inodes --local --portability --print-type --total --si";
    "diff" Files "-# -uqrNiwbBatpsyeTd -UCWFI: --unified? --context? --brief --report-identical-files --side-by-side \
        --width= --recursive --new-file --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines \
        --ignore-trailing-space --ignore-tab-expansion --ignore-matching-lines= --text --minimal --color? --no-dereference \
        --strip-trailing-cr --from-file< --to-file< --show-c-function --exclude= --suppress-common-lines --label=";
    "dirname" Any "";
    "du" Files "-abchkmsSx0 -d: --all --apparent-size --bytes --total --human-readable --si --max-depth= --summarize \
        --exclude= --one-file-system --null --separate-dirs";
    "echo" Any "";
    "egrep" PatternAndFiles GREP;
    "exit" Any "";
    "expr" Any "";
    "false" Any "";
    "fgrep" PatternAndFiles GREP;
    "file" Files "-bikhNnr0 --brief --mime --mime-type --mime-encoding --no-dereference --extension --no-pad --raw \
        --print0 --keep-going";
    "fold" Files "-# -bs -w: --bytes --spaces --width=";
    "grep" PatternAndFiles GREP;
    "head" Files "-# -qvz -nc: --lines= --bytes= --quiet --silent --verbose --zero-terminated";
    "hexdump" Files "-bcCdovx -ens:";
    "id" Words "-ugGnrza --user --group --groups --name --real --zero";
    "jq" PatternAndFiles "-acCejMnrRsSV --arg== --argjson== --slurpfile=< --rawfile=< --indent= --tab --stream --seq --slurp \
        --null-input --raw-input --raw-output --join-output --compact-output --sort-keys --color-output \
        --monochrome-output --exit-status --ascii-output --args --jsonargs --unbuffered";
    "ls" Files "-laAhtrRS1dFisGgonpcumxCfkqUvXQb --all --almost-all --author --escape --color? --directory --classify? \
        --full-time --group-directories-first --no-group --human-readable --si --hide= --ignore= --inode --kibibytes \
        --numeric-uid-gid --literal --quote-name --reverse --recursive --size --sort= --time= --time-style= --width= \
        --file-type --format= --indicator-style=";
    "md5sum" Files SUMS;
    "nl" Files "-p -bdfhilnsvw: --body-numbering= --number-format= --number-width= --number-separator= \
        --starting-line-number= --line-increment=";
    "nproc" Words "--all --ignore=";
    "od" Files "-vabcdfilosx -AjNt: --address-radix= --skip-bytes= --read-bytes= --format= --output-duplicates \
        --width?";
    "paste" Files "-sz -d: --delimiters= --serial --zero-terminated";
    "printf" Any "";
    "pwd" Any "";
    "readlink" Files "-fnemqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --zero";
    "realpath" Files "-emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet \
        --relative-to< --relative-base< --strip --no-symlinks --zero";
    "return" Any "";
    "rev" Files "";
    "rg" PatternAndFiles "-isSwnNlcovxFUHI0quhap -e: -f< -gtTABCmMdjr: --regexp= --file< --files --hidden --no-ignore --glob= \
        --iglob= --type= --type-not= --type-list --count --count-matches --files-with-matches --files-without-match \
        --line-number --no-line-number --ignore-case --smart-case --case-sensitive --word-regexp --line-regexp \
        --fixed-strings --only-matching --invert-match --max-count= --max-depth= --max-columns= --context= \
        --after-context= --before-context= --color= --heading --no-heading --json --sort= --sortr= --stats --multiline \
        --multiline-dotall --passthru --trim --vimgrep --with-filename --no-filename --replace= --no-messages --quiet --null \
        --column --text --no-config --no-ignore-vcs --unrestricted --pretty --threads= --crlf --null-data --no-follow";
    "seq" Words "-w -fs: --format= --separator= --equal-width";
    "set" Any "";
    "sha1sum" Files SUMS;
    "sha256sum" Files SUMS;
    "sha512sum" Files SUMS;
    "shift" Any "";
    "sleep" Any "";
    "sort" Files "-bdfghiMnrRVcCmusz -kt: --ignore-leading-blanks --dictionary-order --ignore-case \
        --general-numeric-sort --human-numeric-sort --month-sort --numeric-sort --random-sort --reverse --version-sort \
        --check? --merge --unique --stable --zero-terminated --key= --field-separator= --parallel= --sort=";
    "stat" Files "-ft -c: --format= --printf= --terse --file-system";
    "strings" Files "-af -nt: --all --bytes= --radix= --print-file-name";
    "tac" Files "-br -s: --before --regex --separator=";
    "tail" Files "-# -qvzfF -nc: --lines= --bytes= --quiet --silent --verbose --zero-terminated --follow? --retry";
    "test" Any "";
    "tr" Words "-cCdst --complement --delete --squeeze-repeats --truncate-set1";
    "tree" Files "alone -adfishDFpugtrnCJXQSA -LPI: --dirsfirst --noreport --du --prune --gitignore --filesfirst";
    "true" Any "";
    "type" Words "-atpPf";
    "uname" Words "-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor \
        --hardware-platform --operating-system";
    "uniq" OneFile "-cdDiuz -fsw: --count --repeated --ignore-case --unique --skip-fields= --skip-chars= --check-chars= \
        --zero-terminated";
    "wait" Any "";
    "wc" Files "-clmwL --bytes --chars --lines --words --max-line-length --total=";
    "which" Words "-a";
    "whoami" Words "";
    "xxd" OneFile "alone -abeipuE -clsgo:";
};

/// The program of this name, if it is one that usually only looks.
pub(super) fn reader(program: &str) -> Option<&'static ReadOnlyProgram> {
    READERS.iter().find(|reader| reader.name == program)
}

/// Options of programs that take a pattern first, with which they take none: it is in the option, or they need none.
pub(super) fn brings_pattern(program: &str, option: &str) -> bool {
    match program {
        "jq" => false,
        _ => matches!(option, "-e" | "-f" | "--regexp" | "--file" | "--files" | "--type-list"),
    }
}

/// Whether its operands are opened.
pub(super) fn opens_operands(takes: Takes) -> bool {
    matches!(takes, Files | PatternAndFiles | OneFile)
}
