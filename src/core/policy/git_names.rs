//! Other names for what git does: aliases, plumbing, programs called `git-push`.

use super::effect;
use super::shell::HOLE;
use super::wildcard::could_fit;

/// Options before a subcommand that have their value in the next word.
const VALUED: &[&str] = &["-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source"];
/// Subcommands that do the work of others, or are others.
const PLUMBING: &[(&str, &str)] = &[
    ("send-pack", "push"),
    ("http-push", "push"),
    ("fetch-pack", "fetch"),
    ("http-fetch", "fetch"),
    ("commit-tree", "commit"),
    ("stage", "add"),
    ("init-db", "init"),
];
/// What it is to delete a reference of this kind, which `update-ref -d` does.
const DELETED: &[(&str, &[&str])] = &[("refs/heads/", &["branch", "-D"]), ("refs/tags/", &["tag", "-d"])];

/// Whether a pattern speaks of subcommands of git. (One that speaks of all of git needs no help from here.)
pub(super) fn is_about_git(pattern: &str) -> bool {
    pattern.trim_start_matches('*').strip_prefix("git").is_some_and(|rest| rest.starts_with([' ', '*']))
}

/// Whether the name speaks of a subcommand to this pattern only where it is that of a program: `git-push`, where
/// the pattern says `git push`. Elsewhere a page, a branch or an image may be called so.
pub(super) fn is_only_a_program(pattern: &str, name: &str) -> bool {
    let is_known = !name.contains(HOLE) && !name.contains(char::is_whitespace);
    let base = name.rsplit('/').next().unwrap_or_default();
    is_known && base.starts_with("git-") && pattern.trim_start_matches('*').starts_with("git ")
}

/// What else the words could have been written as, so that they do the same.
pub(super) fn known_as(words: &[String]) -> Vec<Vec<String>> {
    let Some(call) = GitCall::of(words) else { return Vec::new() };
    let Some(subcommand) = call.subcommand else { return Vec::new() };
    let with = |means: &[&str]| {
        let git = std::iter::once("git").chain(means.iter().copied()).map(str::to_owned);
        git.chain(call.rest.iter().cloned()).collect::<Vec<_>>()
    };
    let plumbing = PLUMBING.iter().filter(|(name, _)| *name == subcommand).map(|(_, does)| with(&[*does]));
    let aliases = call.settings.iter().filter_map(|setting| {
        let (name, means) = setting.split_once('=')?;
        let is_this = alias(name).is_some_and(|name| name.eq_ignore_ascii_case(subcommand));
        let is_git = !means.trim_start().starts_with('!');
        let unquoted = means.replace(['\'', '"'], "");
        (is_this && is_git).then(|| with(&unquoted.split_whitespace().collect::<Vec<_>>()))
    });
    let has = |is: &dyn Fn(&str) -> bool| call.rest.iter().any(|word| is(word));
    let deletes = subcommand == "update-ref" && has(&|word| matches!(word, "-d" | "--delete"));
    let deleted = DELETED.iter().filter(|(kind, _)| deletes && has(&|word| word.starts_with(*kind)));
    let deleted = deleted.map(|&(_, does)| with(does));
    let as_program = call.is_program.then(|| with(&[subcommand]));
    plumbing.chain(aliases).chain(deleted).chain(as_program).collect()
}

/// Whether the words may run a subcommand under another name, or give it one: aliases are in files that nobody looks into here.
pub(super) fn may_be_another(words: &[String]) -> bool {
    let Some(call) = GitCall::of(words) else { return false };
    let is_alias = |text: &&str| could_fit("alias.*", &text.to_lowercase());
    let sets = call.settings.iter().any(is_alias);
    let Some(subcommand) = call.subcommand else { return sets };
    // Reading one is the name alone.
    let named = call.rest.iter().position(|word| is_alias(&word.as_str()));
    let keeps = subcommand == "config" && named.is_some_and(|at| at + 1 < call.rest.len());
    // One of which only the shell knows the name is compared as it is.
    let is_unknown = !call.is_program && !subcommand.contains(HOLE) && !effect::is_git_subcommand(subcommand);
    sets || keeps || is_unknown
}

/// The name of the alias that a setting is about.
fn alias(setting: &str) -> Option<&str> {
    let (section, name) = setting.split_once('.')?;
    section.eq_ignore_ascii_case("alias").then_some(name)
}

/// A call of git, taken apart.
struct GitCall<'w> {
    /// What is set for this call alone: `NAME=VALUE`, or `NAME=VARIABLE`.
    settings: Vec<&'w str>,
    /// The subcommand, if it has one.
    subcommand: Option<&'w str>,
    /// What follows it.
    rest: &'w [String],
    /// Whether it is called as a program of its own: `git-push`.
    is_program: bool,
}

impl<'w> GitCall<'w> {
    /// `None`: it is none.
    fn of(words: &'w [String]) -> Option<Self> {
        let (name, rest) = words.split_first()?;
        let base = name.rsplit('/').next().unwrap_or_default();
        if let Some(subcommand) = base.strip_prefix("git-") {
            return Some(Self { settings: Vec::new(), subcommand: Some(subcommand), rest, is_program: true });
        }
        if !base.eq_ignore_ascii_case("git") {
            return None;
        }
        let (mut settings, mut at) = (Vec::new(), 0);
        while let Some(word) = rest.get(at).filter(|word| word.starts_with('-')) {
            let next = rest.get(at + 1).map(String::as_str);
            match word.as_str() {
                "-c" | "--config-env" => settings.extend(next),
                text => settings.extend(text.strip_prefix("--config-env=")),
            }
            let takes_next =
                matches!(word.as_str(), "-c" | "--config-env") || VALUED.contains(&word.as_str());
            at += if takes_next { 2 } else { 1 };
        }
        let subcommand = rest.get(at).map(String::as_str);
        Some(Self { settings, subcommand, rest: rest.get(at + 1..).unwrap_or_default(), is_program: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split('|').map(str::to_owned).collect()
    }

    #[test]
    fn a_subcommand_has_other_names() {
        for (line, other) in [
            ("git|send-pack|x", "git push x"),
            ("git|stage|-A", "git add -A"),
            ("git|-C|x|init-db|y", "git init y"),
            ("git|update-ref|-d|refs/heads/x", "git branch -D -d refs/heads/x"),
            ("git|update-ref|--delete|refs/tags/x", "git tag -d --delete refs/tags/x"),
            ("git-push|origin", "git push origin"),
            ("/usr/lib/git-core/git-push", "git push"),
            ("git|-c|alias.x=push -f|x|origin", "git push -f origin"),
            ("git|-C|y|-c|ALIAS.x='push'|X", "git push"),
        ] {
            let found = known_as(&words(line));
            assert_eq!(found.iter().map(|words| words.join(" ")).collect::<Vec<_>>(), [other], "{line}");
        }
        for line in [
            "git|push",
            "git",
            "git|-c|alias.x=!push|x",
            "git|-c|alias.x=push|y",
            "gitk|x",
            "git|log",
            "git|update-ref|refs/heads/x|a",
            "git|update-ref|-d|HEAD",
        ] {
            assert_eq!(known_as(&words(line)), Vec::<Vec<String>>::new(), "{line}");
        }
    }

    #[test]
    fn only_an_alias_is_another_subcommand() {
        for line in [
            "git|p",
            "git|-C|x|p",
            "git|--no-pager|p|origin",
            "git|subtree|push",
            "git|--config-env=alias.x=V|status",
            "git|--config-env|alias.x=V|status",
            "git|-c|alias.x=!rm y|status",
            "git|config|alias.p|push",
            "git|config|--global|Alias.p|push",
            "git|config|set|alias.p|push",
        ] {
            assert!(may_be_another(&words(line)), "{line}");
        }
        for line in [
            "git",
            "git|--version",
            "git|status",
            "git|-C|x|commit|-m|alias.x y",
            "git|-c|user.name=x|commit",
            "git|check-ignore|x",
            "git|config|user.name|me",
            "git|config|--get|alias.p",
            "gitk|x",
            "git-cliff|x",
            "/x/git",
        ] {
            assert!(!may_be_another(&words(line)), "{line}");
        }
    }
}
