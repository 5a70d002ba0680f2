//! `permission` in an agent file of opencode: what it denies is taken away, what it asks about makes the mode stricter, and what can
//! be neither makes the file unusable.

use std::collections::{BTreeMap, BTreeSet};

use super::tools::{AgentTools, NamedTools, TOOLS, ours, tools_are};
use crate::config::fault::one_line;
use crate::config::front_matter::map::{Node, node};
use crate::ledger::HOSTED;
use crate::policy::Mode;
use crate::tool::name::{DELEGATE_TO, EDIT, FETCH, MCP, SHELL, SHELL_KILL, SHELL_OUTPUT, WRITE};

/// What is said of a tool, the loosest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Allowance {
    Allow,
    Ask,
    Deny,
}

/// What a header permits.
#[derive(Debug, Default)]
pub(super) struct AgentPermission {
    /// Of tools that are named, by our names.
    of: BTreeMap<String, Allowance>,
    /// Of all others.
    others: Option<Allowance>,
    /// The loosest mode that keeps it.
    pub(super) mode: Option<Mode>,
    /// What is taken away because it cannot be kept otherwise, a sentence each.
    pub(super) notes: Vec<String>,
}

impl AgentPermission {
    /// Reads it.
    ///
    /// # Errors
    /// It restricts something that cannot be kept here.
    pub(super) fn read(head: &str) -> Result<Self, String> {
        let mut permission = Self::default();
        match node(head, "permission") {
            None => {}
            Some(Ok(Node::Text(said))) if said.is_empty() => {}
            Some(Ok(Node::Text(said))) => permission.says_of_all(verdict("*", &said)?),
            Some(Ok(Node::Map(all))) => {
                for (key, said) in all {
                    permission.says(&key, &said)?;
                }
            }
            Some(Err(why)) => return Err(why),
        }
        Ok(permission)
    }

    fn says_of_all(&mut self, verdict: Allowance) {
        // What was said before of one tool becomes no looser by it.
        self.of.values_mut().for_each(|said| *said = verdict.max(*said));
        self.others = self.others.max(Some(verdict));
        if verdict == Allowance::Ask {
            self.at_most(Mode::Ask);
        }
    }

    fn says(&mut self, key: &str, said: &Node) -> Result<(), String> {
        let (verdict, is_partial) = match said {
            Node::Text(said) => (verdict(key, said)?, false),
            Node::Map(patterns) => of_patterns(key, patterns)?,
        };
        match key {
            "*" => {
                self.says_of_all(verdict);
                return Ok(());
            }
            // The loop has guards of its own against calls that repeat.
            "doom_loop" => return Ok(()),
            "external_directory" if verdict == Allowance::Deny => {
                return Err(unkept(key, "a file outside the folder is asked about here"));
            }
            "external_directory" if verdict == Allowance::Ask => {
                self.at_most(Mode::Ask);
                return Ok(());
            }
            "external_directory" => return Ok(()),
            _ => {}
        }
        // Whoever may edit may also write.
        let named = if key == EDIT { vec![EDIT.to_owned(), WRITE.to_owned()] } else { vec![key.to_owned()] };
        let NamedTools { tools, unknown, .. } = ours(&named);
        if !unknown.is_empty() && verdict != Allowance::Allow {
            return Err(unkept(key, &format!("there is no such tool; {}", tools_are())));
        }
        // What no mode asks about is taken away.
        let is_asked = |tool: &str| {
            [EDIT, WRITE, SHELL, SHELL_OUTPUT, SHELL_KILL, FETCH].contains(&tool) || tool.starts_with(MCP)
        };
        // What the provider runs itself nobody can be asked about; one that is asked about under the same name stays.
        let is_hosted = |tool: &str| HOSTED.contains(&tool);
        let has_own = tools.iter().any(|tool| !is_hosted(tool));
        let is_unasked = verdict == Allowance::Ask
            && !tools.iter().all(|tool| is_asked(tool) || has_own && is_hosted(tool));
        let kept = if is_unasked { Allowance::Deny } else { verdict };
        if !tools.is_empty() && is_unasked {
            self.notes.push(format!("`{key}` is never asked about here, so the sub-agent does not have it"));
        } else if !tools.is_empty() && is_partial {
            let why = "rules for single commands or paths cannot be kept, so the sub-agent does not have it";
            self.notes.push(format!("`{key}`: {why}"));
        }
        if kept == Allowance::Ask {
            self.at_most(if key == EDIT { Mode::Ask } else { Mode::Edit });
        }
        for tool in tools {
            let kept = if kept == Allowance::Ask && is_hosted(&tool) { Allowance::Deny } else { kept };
            let said = self.of.entry(tool).or_insert(kept);
            *said = kept.max(*said);
        }
        Ok(())
    }

    fn at_most(&mut self, mode: Mode) {
        self.mode = Some(self.mode.map_or(mode, |known| known.min(mode)));
    }

    /// Takes from the tools what it denies.
    pub(super) fn narrow(&self, tools: &mut AgentTools) {
        let is_denied = |tool: &str| match self.of.get(tool).copied().or(self.others) {
            Some(Allowance::Ask) => HOSTED.contains(&tool),
            said => said == Some(Allowance::Deny),
        };
        let named = self.of.keys().map(String::as_str);
        let all: BTreeSet<&str> = TOOLS.into_iter().chain(HOSTED).chain([DELEGATE_TO]).chain(named).collect();
        let denied = all.into_iter().filter(|tool| is_denied(tool)).map(str::to_owned);
        let known = tools.without.clone();
        tools.without.extend(denied.filter(|tool| !known.contains(tool)));
        if self.others != Some(Allowance::Deny) {
            return;
        }
        // A tool of a server can be named with it or by itself.
        let is_kept = |tool: &str| {
            let is_allowed = |(name, said): (&String, &Allowance)| {
                *said != Allowance::Deny && (tool == name || tool.starts_with(&format!("{name}__")))
            };
            self.of.iter().any(is_allowed)
        };
        let allowed = || self.of.keys().filter(|tool| is_kept(tool)).cloned().collect();
        let given = tools.tools.take();
        let kept =
            given.map_or_else(allowed, |given| given.into_iter().filter(|tool| is_kept(tool)).collect());
        tools.tools = Some(kept);
    }
}

fn verdict(key: &str, said: &str) -> Result<Allowance, String> {
    match said {
        "allow" => Ok(Allowance::Allow),
        "ask" => Ok(Allowance::Ask),
        "deny" => Ok(Allowance::Deny),
        other => Err(format!(
            "its `permission` says `{}` of `{}`; it can be `allow`, `ask`, `deny`",
            one_line(other),
            one_line(key)
        )),
    }
}

/// The strictest that is said of some calls of a tool, and whether less is said of others.
fn of_patterns(key: &str, patterns: &[(String, Node)]) -> Result<(Allowance, bool), String> {
    let mut all = Vec::new();
    for (pattern, said) in patterns {
        let Node::Text(said) = said else {
            return Err(unkept(key, "its rules are nested"));
        };
        all.push((pattern.as_str(), verdict(key, said)?));
    }
    let strictest = all.iter().map(|(_, said)| *said).max().unwrap_or(Allowance::Allow);
    let is_whole = all.iter().all(|(_, said)| *said == strictest) && all.iter().any(|(of, _)| *of == "*");
    Ok((strictest, strictest == Allowance::Deny && !is_whole))
}

fn unkept(key: &str, why: &str) -> String {
    format!("its `permission` restricts `{}`, which cannot be kept: {why}", one_line(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{WEB_FETCH, WEB_SEARCH};
    use crate::tool::name::{GLOB, LIST, PLAN, READ, SEARCH};

    /// The tools that it has, those that it has not, and its mode.
    type Left = (Option<Vec<String>>, Vec<String>, Option<Mode>);

    fn read(permission: &str) -> Result<Left, String> {
        let head = format!("permission:{permission}\n");
        let read = AgentPermission::read(&head)?;
        let mut tools = AgentTools::read(&head)?;
        read.narrow(&mut tools);
        Ok((tools.tools, tools.without, read.mode))
    }

    #[test]
    fn what_is_denied_is_taken_and_what_is_asked_about_makes_the_mode_stricter() {
        let shells = [SHELL, SHELL_OUTPUT, SHELL_KILL];
        for (permission, without, mode) in [
            ("", &[][..], None),
            (" allow", &[], None),
            (" ask", &HOSTED, Some(Mode::Ask)),
            (" {bash: deny}", &shells, None),
            ("\n  bash: deny\n  webfetch: deny", &[SHELL, SHELL_OUTPUT, SHELL_KILL, FETCH, WEB_FETCH], None),
            (" {edit: deny}", &[EDIT, WRITE], None),
            (" {edit: ask}", &[], Some(Mode::Ask)),
            (" {bash: ask, edit: allow}", &[], Some(Mode::Edit)),
            (" {bash: {\"*\": ask, \"git log*\": allow}}", &[], Some(Mode::Edit)),
            (" {bash: {\"*\": deny, \"git log*\": allow}}", &shells, None),
            (" {bash: {\"rm *\": deny}}", &shells, None),
            (" {read: ask}", &[READ], None),
            (" {task: {\"*\": deny}}", &[DELEGATE_TO], None),
            (" {github_*: deny}", &["mcp__github"], None),
            (" {bash: deny, \"*\": allow}", &shells, None),
            (" {external_directory: ask, websearch: deny, doom_loop: deny}", &[WEB_SEARCH], Some(Mode::Ask)),
            // What the provider runs itself nobody can be asked about.
            (" {webfetch: ask}", &[WEB_FETCH], Some(Mode::Edit)),
            (" {websearch: ask}", &[WEB_SEARCH], None),
            (" {lasers: allow}", &[], None),
        ] {
            let (tools, taken, stricter) = read(permission).unwrap();
            let mut wanted: Vec<&str> = without.to_vec();
            let mut taken: Vec<&str> = taken.iter().map(String::as_str).collect();
            wanted.sort_unstable();
            taken.sort_unstable();
            assert_eq!((tools, taken, stricter), (None, wanted, mode), "{permission}");
        }
    }

    #[test]
    fn of_all_that_is_denied_what_is_allowed_stays() {
        let (tools, without, _) = read(" {\"*\": deny, read: allow, github_*: ask}").unwrap();
        assert_eq!(tools, Some(vec!["mcp__github".to_owned(), READ.to_owned()]));
        for tool in [LIST, GLOB, SEARCH, EDIT, WRITE, SHELL, FETCH, PLAN, DELEGATE_TO] {
            assert!(without.iter().any(|taken| taken == tool), "{tool}");
        }
        let (tools, ..) = read(" deny\ntools: Read, Bash").unwrap();
        assert_eq!(tools, Some(Vec::new()));
    }

    #[test]
    fn what_restricts_and_cannot_be_kept_is_an_error() {
        for (permission, why) in [
            (" {external_directory: deny}", "restricts `external_directory`, which cannot be kept"),
            (" {lasers: deny}", "restricts `lasers`, which cannot be kept: there is no such tool"),
            (" {bash: never}", "says `never` of `bash`; it can be"),
            (" strict", "says `strict` of `*`"),
            (" {bash: {a: {b: deny}}}", "nested"),
            (" *strict", "cannot be read"),
            ("\n  - bash", "cannot be read"),
        ] {
            let said = read(permission).unwrap_err();
            assert!(said.contains(why), "{permission}: {said}");
        }
    }

    #[test]
    fn what_is_taken_because_it_cannot_be_kept_is_told() {
        let notes = |said: &str| AgentPermission::read(&format!("permission: {said}\n")).unwrap().notes;
        assert!(notes("{bash: deny, edit: ask}").is_empty());
        assert!(notes("{bash: {\"*\": deny, \"git *\": allow}}")[0].contains("`bash`: rules for single"));
        assert!(notes("{read: ask}")[0].starts_with("`read` is never asked about here"));
    }
}
