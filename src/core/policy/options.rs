//! Options that a rule names, in whatever order and spelling a command has them: `rm -rf *` of `rm -f x -r`, too.

use super::shell::HOLE;
use super::wildcard::could_fit;

/// Letters and words that are the same option, by program or by program and subcommand.
const SAME: &[(&[&str], &str, &str)] = &[
    (&["rm", "cp"], "rR", "--recursive"),
    (&["chmod", "chown", "chgrp"], "R", "--recursive"),
    (&["rm", "cp", "mv", "ln"], "f", "--force"),
    (&["git push", "git clean", "git add", "git rm", "git branch", "git checkout"], "f", "--force"),
    (&["git switch", "git tag", "git mv", "git worktree"], "f", "--force"),
    (&["git push", "git branch", "git tag"], "d", "--delete"),
    (&["git branch"], "m", "--move"),
    (&["git branch"], "c", "--copy"),
    (&["git commit"], "n", "--no-verify"),
    (&["git commit"], "a", "--all"),
    (&["git add"], "A", "--all"),
    (&["cp"], "a", "--archive"),
    (&["ln"], "s", "--symbolic"),
];
/// Letters that stand for two options at once.
const BOTH: &[(&str, char, &str)] =
    &[("git branch", 'D', "df"), ("git branch", 'M', "mf"), ("git branch", 'C', "cf")];
/// Letters with a value that may be joined: what follows them is no option.
const VALUED: &[(&str, &str)] = &[
    ("git commit", "mFCctuS"),
    ("git tag", "mFu"),
    ("git push", "o"),
    ("cp", "St"),
    ("mv", "St"),
    ("ln", "St"),
];
/// Most letters of a word in a rule that are taken for options of their own: `-rf`, but not `-delete`.
const MOST_LETTERS: usize = 4;

/// Whether a pattern names an option.
pub(super) fn are_named(pattern: &str) -> bool {
    pattern.split_whitespace().any(is_option)
}

/// Whether a command begins as the pattern does and has all of its other words, in whatever order, and its options however they
/// are joined.
pub(super) fn has_all(pattern: &str, words: &[String]) -> bool {
    let Some((name, rest)) = words.split_first() else { return false };
    let name = name.rsplit('/').next().unwrap_or_default().to_lowercase();
    let wanted: Vec<&str> = pattern.split_whitespace().collect();
    let is_leading = |word: &&&str| !is_option(word) && !is_anything(word);
    let leading = wanted.iter().take_while(is_leading).count();
    let given = GivenWords::of(&name, rest);
    let begins = leading > 0
        && leading <= given.plain.len()
        && wanted.iter().take(leading).zip(&given.plain).all(|(wanted, word)| could_fit(wanted, word));
    begins
        && wanted
            .iter()
            .skip(leading)
            .all(|word| if is_option(word) { given.has(word) } else { given.mentions(word, leading) })
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && word != "--"
}

fn is_anything(word: &str) -> bool {
    word.chars().all(|c| c == '*')
}

/// The letters of an option in a rule, if each is an option.
fn letters(option: &str) -> Option<&str> {
    let letters = option.strip_prefix('-')?;
    let are_distinct = letters.char_indices().all(|(at, letter)| letters.find(letter) == Some(at));
    let are_letters = letters.chars().all(|c| c.is_ascii_alphabetic());
    (are_distinct && are_letters && letters.len() <= MOST_LETTERS).then_some(letters)
}

/// The words of a command.
struct GivenWords<'w> {
    /// The program, and the words that are no options.
    plain: Vec<&'w str>,
    /// The words that are.
    options: Vec<&'w str>,
    /// The program and the word after it, which may be a subcommand.
    called: String,
}

impl<'w> GivenWords<'w> {
    fn of(name: &'w str, rest: &'w [String]) -> Self {
        let (mut plain, mut options, mut has_ended) = (vec![name], Vec::new(), false);
        for word in rest.iter().map(String::as_str) {
            match word {
                "--" if !has_ended => has_ended = true,
                word if !has_ended && is_option(word) => options.push(word),
                word => plain.push(word),
            }
        }
        let called = plain.iter().take(2).copied().collect::<Vec<_>>().join(" ");
        Self { plain, options, called }
    }

    /// A `*` behind an option stands for what may be joined to it, or for nothing: `rm -rf*` speaks of `rm -f -r`.
    fn has(&self, wanted: &str) -> bool {
        let whole = wanted.trim_end_matches('*');
        self.has_written(wanted) || (whole != wanted && is_option(whole) && self.has_written(whole))
    }

    fn has_written(&self, wanted: &str) -> bool {
        if self.options.iter().any(|option| could_fit(wanted, option)) {
            return true;
        }
        // Git takes a `+` before a name for the same.
        let is_force = matches!(wanted, "-f" | "--force") && self.called == "git push";
        if is_force && self.plain.iter().any(|word| word.starts_with('+')) {
            return true;
        }
        // And a `:` before one for its deletion.
        let is_deletion = matches!(wanted, "-d" | "--delete") && self.called == "git push";
        if is_deletion && self.plain.iter().any(|word| word.len() > 1 && word.starts_with(':')) {
            return true;
        }
        match letters(wanted) {
            Some(letters) => letters.chars().all(|letter| self.means_letter(letter)),
            None => {
                let mut same = self.same().into_iter().filter(|(_, word)| *word == wanted);
                let means_one_of = |letters: &str| letters.chars().any(|letter| self.means_letter(letter));
                self.has_word(wanted) || same.any(|(of, _)| means_one_of(of))
            }
        }
    }

    /// Whether it has the option of this letter, by whatever name, or others that together are the same.
    fn means_letter(&self, letter: char) -> bool {
        let mut both = BOTH.iter().filter(|(name, ..)| self.is_called(name));
        let is_meant = |both: char, parts: &str| {
            let is_whole = both == letter && parts.chars().all(|part| self.names_letter(part));
            is_whole || (parts.contains(letter) && self.names_letter(both))
        };
        self.names_letter(letter) || both.any(|&(_, both, parts)| is_meant(both, parts))
    }

    /// Whether it has the option of this letter, by whatever name.
    fn names_letter(&self, letter: char) -> bool {
        let mut same = self.same().into_iter().filter(|(of, _)| of.contains(letter));
        let has_one_of = |letters: &str| letters.chars().any(|letter| self.has_letter(letter));
        self.has_letter(letter) || same.any(|(of, word)| has_one_of(of) || self.has_word(word))
    }

    /// Whether another word, or the value of an option, fits.
    fn mentions(&self, wanted: &str, leading: usize) -> bool {
        is_anything(wanted)
            || self.plain.iter().skip(leading).any(|word| could_fit(wanted, word))
            || self.options.iter().any(|option| option.ends_with(wanted))
    }

    fn has_letter(&self, letter: char) -> bool {
        let valued = VALUED.iter().find(|(name, _)| self.is_called(name)).map_or("", |(_, letters)| *letters);
        self.options.iter().any(|option| {
            let Some(joined) = option.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
                return false;
            };
            let end = joined.find(|c: char| !c.is_ascii_alphabetic() || valued.contains(c));
            let (flags, rest) = joined.split_at_checked(end.unwrap_or(joined.len())).unwrap_or_default();
            flags.contains(letter) || rest.starts_with([letter, HOLE])
        })
    }

    /// A long option may be cut short.
    fn has_word(&self, wanted: &str) -> bool {
        let is_plain = wanted.starts_with("--") && !wanted.contains(['=', '*']);
        is_plain
            && self.options.iter().any(|option| {
                let name = option.split('=').next().unwrap_or_default();
                name.len() > 2 && wanted.starts_with(name)
            })
    }

    /// The letters and words of this program that are the same.
    fn same(&self) -> Vec<(&'static str, &'static str)> {
        let rows = SAME.iter().filter(|(names, ..)| names.iter().any(|name| self.is_called(name)));
        rows.map(|(_, letters, word)| (*letters, *word)).collect()
    }

    fn is_called(&self, name: &str) -> bool {
        self.called == name || self.plain.first() == Some(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, line: &str) -> bool {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        are_named(pattern) && has_all(pattern, &words)
    }

    #[test]
    fn options_are_found_in_every_order_and_spelling() {
        for (pattern, line) in [
            ("rm -rf *", "rm -fr x"),
            ("rm -rf *", "rm -r -f x"),
            ("rm -rf *", "rm x -vR y -f"),
            ("rm -rf *", "/bin/RM --recursive --forc x"),
            ("rm --recursive *", "rm -r x"),
            ("rm -rf /*", "rm -f -r /x"),
            ("git push --force *", "git push origin main --force"),
            ("git push --force *", "git push -fu origin"),
            ("git push --force *", "git push origin +main"),
            ("git commit --no-verify *", "git commit -nm x"),
            ("git reset --hard *", "git reset x --hard"),
            ("curl -X POST *", "curl x -X POST"),
            ("curl -X POST *", "curl x -XPOST"),
            ("find * -delete", "find x -delete y"),
            ("docker run --priv* *", "docker run x --privileged"),
            ("rm -rf*", "rm -fr x"),
            ("rm -rf*", "rm x --recursive -f"),
            ("rm -r*", "rm -R x"),
            ("git push --force*", "git push -f origin"),
            ("git push --force*", "git push origin +main"),
            ("git push -f*", "git push origin --force"),
            ("git commit --no-verify*", "git commit -n -m x"),
            ("git reset --hard*", "git reset --har"),
            ("git clean -fd*", "git clean -df"),
            ("chmod -R*", "chmod --recursive x"),
            ("git branch -D *", "git branch -d -f x"),
            ("git branch -D *", "git branch --delete --force x"),
            ("git branch -d -f *", "git branch -D x"),
            ("git branch --delete --force *", "git branch -D x"),
            ("git branch -M *", "git branch --move -f x"),
            ("git push --delete *", "git push origin :main"),
            ("git push -d *", "git push origin --delete main"),
        ] {
            assert!(fits(pattern, line), "{pattern}: {line}");
        }
    }

    #[test]
    fn other_options_are_others() {
        for (pattern, line) in [
            ("rm -rf *", "rm -r x"),
            ("rm -rf *", "rm -f x"),
            ("rm -rf *", "rm -- -rf"),
            ("rm -rf *", "ls -rf"),
            ("rm -rf /*", "rm -f -r x"),
            ("rm *", "rm -rf x"),
            ("* -rf *", "ls -fr x"),
            ("git push --force *", "git push origin main"),
            ("git push --force *", "git push --follow-tags"),
            ("git push --force *", "git push --force-with-lease"),
            ("git push --force *", "git push -o f"),
            ("git push --force *", "git push -of"),
            ("git push --force *", "git fetch --force"),
            ("git commit --no-verify *", "git commit -mnote"),
            ("find * -delete", "find x -depth -type l -ls -exec y"),
            ("tool --mode=x *", "tool a --mode=y"),
            ("git branch -D *", "git branch -d x"),
            ("git branch -D *", "git branch -f x"),
            ("git branch -D *", "git branch -M x"),
            ("git tag -D *", "git tag -d -f x"),
            ("git push --delete *", "git push origin main"),
            ("git push --delete *", "git push origin :"),
            ("rm -rf*", "rm -r x"),
            ("rm -*", "rm x"),
            ("rm --*", "rm x"),
            ("git push --force*", "git push origin main"),
        ] {
            assert!(!fits(pattern, line), "{pattern}: {line}");
        }
    }
}
