//! A Markdown file that defines a sub-agent, as Claude Code, opencode and others write it.

use std::path::PathBuf;

use super::permission::AgentPermission;
use super::subagent::{
    LANES_ONLY, MOST_BYTES, MOST_OF_DESCRIPTION, MOST_OF_NAME, MOST_TURNS, Subagent, is_session_model,
};
use super::tools::AgentTools;
use crate::config::fault::one_line;
use crate::config::front_matter::{below, body, fault, head, member, no_head, value};
use crate::policy::Mode;
use crate::tool::name::LANE;

/// An agent file that was read, and what is to be said of it.
#[derive(Debug, Default)]
pub(super) struct ReadAgent {
    pub(super) subagent: Subagent,
    /// Names of tools of other programs.
    pub(super) elsewhere: Vec<String>,
    /// Names of tools of nothing.
    pub(super) unknown: Vec<String>,
    /// What it does not have because a restriction could not be kept otherwise, a sentence each.
    pub(super) notes: Vec<String>,
}

impl ReadAgent {
    /// Reads a file of this name (without its ending), as Claude Code, opencode and Gemini write them. Keys that mean nothing
    /// here are left alone.
    ///
    /// # Errors
    /// What is wrong with it, in a few words.
    pub(super) fn parse(name: &str, file: PathBuf, text: &str) -> Result<Self, String> {
        let head = whole_head(text)?;
        let said = |names: &[&str]| {
            let found = names.iter().find_map(|name| member(head, name));
            found.map(|said| said.trim().to_owned()).filter(|said| !said.is_empty())
        };
        let name = said(&["name"]).unwrap_or_else(|| name.to_owned());
        check_name(&name)?;
        let one_of = |name: &str, known: &[&str]| match said(&[name]) {
            Some(other) if !known.contains(&other.as_str()) => Err(wrong_value(name, &other, known)),
            said => Ok(said),
        };
        let is_disabled = one_of("disable", &["true", "false"])?.as_deref() == Some("true");
        if is_disabled || said(&["mode"]).as_deref() == Some("primary") {
            return Ok(Self { subagent: off(name, file), ..Self::default() });
        }
        let description = said(&["description"]).ok_or("it has no `description`")?;
        let instructions = body(text).trim().to_owned();
        if instructions.is_empty() {
            return Err("it has no text below its header".to_owned());
        }
        check_hooks(head)?;
        let permission = AgentPermission::read(head)?;
        let mut named = AgentTools::read(head)?;
        permission.narrow(&mut named);
        let AgentTools { tools, without, elsewhere, unknown } = named;
        let modes = ["permissionMode", "approvalMode", "mode"];
        let modes = modes.into_iter().filter_map(|key| mode(key, &said(&[key])?).transpose());
        let modes = modes.collect::<Result<Vec<Mode>, String>>()?;
        let turns = ["maxTurns", "max_turns", "steps", "maxSteps"].into_iter().filter_map(|key| said(&[key]));
        let turns = turns.map(|said| most_turns(&said)).collect::<Result<Vec<u64>, String>>()?;
        let in_worktree = one_of("isolation", &["worktree", "none"])?.as_deref() == Some("worktree");
        let in_background = one_of("background", &["true", "false"])?.as_deref() == Some("true");
        let subagent = Subagent {
            description: one_line(&description).chars().take(MOST_OF_DESCRIPTION).collect(),
            tools,
            without,
            model: said(&["model"]).filter(|model| !is_session_model(model)),
            // Of several words for one limit the strictest counts.
            mode: modes.into_iter().chain(permission.mode).min(),
            turns: turns.into_iter().min(),
            in_background,
            in_worktree,
            name,
            instructions,
            file: Some(file),
            is_off: false,
        };
        Ok(Self { subagent, elsewhere, unknown, notes: permission.notes })
    }
}

/// Its header, of a file that can be one.
fn whole_head(text: &str) -> Result<&str, String> {
    if text.len() > MOST_BYTES {
        return Err(format!("it is larger than {MOST_BYTES} bytes"));
    }
    if text.contains('\0') {
        return Err("it is not text".to_owned());
    }
    let head = head(text).ok_or_else(|| no_head(text))?;
    if let Some((line, why)) = fault(head) {
        return Err(format!("line {line} of its header cannot be read: {why}"));
    }
    Ok(head)
}

fn check_name(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || name.len() > MOST_OF_NAME || !name.chars().all(fits) {
        return Err(format!("its name must be at most {MOST_OF_NAME} letters, digits, `-` and `_`"));
    }
    if name.starts_with(LANE) {
        return Err(LANES_ONLY.to_owned());
    }
    Ok(())
}

/// A file that only takes the name: opencode does not offer its agent to other agents.
fn off(name: String, file: PathBuf) -> Subagent {
    Subagent { name, file: Some(file), is_off: true, ..Subagent::default() }
}

/// Claude Code would ask this hook about each call of the agent, and it could refuse them. A name for lines that stand elsewhere may bring it.
fn check_hooks(head: &str) -> Result<(), String> {
    let mut lines = value(head, "hooks").into_iter().chain(below(head, "hooks"));
    let asks = |line: &str| ["PreToolUse", "PermissionRequest"].iter().any(|hook| line.contains(hook));
    if lines.any(|line| asks(line) || names_what_is_elsewhere(line)) {
        return Err("its `hooks` could refuse calls, and hooks of agent files are not run here".to_owned());
    }
    Ok(())
}

/// Whether a line of YAML may have a name for what stands elsewhere: `*name` where a value begins, or `<<:`.
fn names_what_is_elsewhere(line: &str) -> bool {
    let begins_value = |before: &str| {
        before.is_empty()
            || before.ends_with([':', '[', '{', ',', '?'])
            || before.split(' ').next_back() == Some("-")
    };
    let is_name = |next: char| !next.is_whitespace() && !",[]{}".contains(next);
    let is_alias = |at: usize| {
        let before = line.get(..at).unwrap_or_default().trim();
        let after = line.get(at..).and_then(|after| after.chars().nth(1));
        begins_value(before) && after.is_some_and(is_name)
    };
    let is_merge =
        |at: usize| line.get(at..).is_some_and(|at| at.trim_start_matches('<').trim_start().starts_with(':'));
    line.match_indices('*').any(|(at, _)| is_alias(at))
        || line.match_indices("<<").any(|(at, _)| is_merge(at))
}

fn wrong_value(name: &str, value: &str, known: &[&str]) -> String {
    let known: Vec<String> = known.iter().map(|known| format!("`{known}`")).collect();
    format!("its `{name}` is `{}`; it can be {}", one_line(value), known.join(", "))
}

/// The mode that a member asks for. Others have names of their own for modes. opencode's `mode` says who may call the agent, which is no
/// permission.
fn mode(key: &str, said: &str) -> Result<Option<Mode>, String> {
    const ROLES: [&str; 3] = ["primary", "subagent", "all"];
    const THEIRS: [&str; 6] = ["default", "dontAsk", "acceptEdits", "bypassPermissions", "auto-edit", "yolo"];
    match said {
        role if key == "mode" && ROLES.contains(&role) => Ok(None),
        "default" | "dontAsk" => Ok(Some(Mode::Ask)),
        "acceptEdits" | "auto-edit" => Ok(Some(Mode::Edit)),
        "bypassPermissions" | "yolo" => Ok(Some(Mode::Unrestricted)),
        other => Mode::parse(other).map(Some).map_err(|_other| {
            let known: Vec<&str> = Mode::ALL.iter().map(|mode| mode.as_str()).chain(THEIRS).collect();
            wrong_value(key, other, &known)
        }),
    }
}

fn most_turns(said: &str) -> Result<u64, String> {
    match said.parse::<u64>() {
        Ok(turns) if (1..=MOST_TURNS).contains(&turns) => Ok(turns),
        _ => Err(format!("its turns must be a whole number from 1 to {MOST_TURNS}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Subagent, String> {
        read_agent(text).map(|read| read.subagent)
    }

    fn read_agent(text: &str) -> Result<ReadAgent, String> {
        ReadAgent::parse("reviewer", PathBuf::from("/r/.claude/agents/reviewer.md"), text)
    }

    #[test]
    fn a_file_is_read_as_other_programs_write_it() {
        let claude = parsed(
            "---\nname: code-reviewer\ndescription: Reviews code\ntools: Read, Grep, Bash(git:*)\nmodel: inherit\n\
             permissionMode: plan\nmaxTurns: 7\nisolation: worktree\nbackground: true\ncolor: red\n---\nReview it.\n",
        )
        .unwrap();
        let tools = ["read", "search", "shell", "shell_output", "shell_kill"].map(str::to_owned).to_vec();
        assert_eq!((claude.name.as_str(), claude.tools), ("code-reviewer", Some(tools)));
        assert_eq!((claude.mode, claude.turns, claude.model), (Some(Mode::Plan), Some(7), None));
        assert!(claude.in_background && claude.in_worktree);
        let listed = parsed(
            "---\ndescription: x\ntools:\n  - Read\n  - mcp__a__b\ndisallowedTools: [Write]\n---\nGo.",
        )
        .unwrap();
        assert_eq!(listed.tools, Some(vec!["read".to_owned(), "mcp__a__b".to_owned()]));
        assert_eq!((listed.name.as_str(), listed.without), ("reviewer", vec!["write".to_owned()]));
        let opencode =
            parsed("---\ndescription: x\nmode: subagent\nmodel: anthropic/claude\nsteps: 3\n---\nGo.")
                .unwrap();
        assert_eq!(
            (opencode.mode, opencode.model.as_deref(), opencode.turns),
            (None, Some("anthropic/claude"), Some(3))
        );
    }

    #[test]
    fn what_is_no_sub_agent_says_why() {
        for (text, why) in [
            ("Go.", "does not begin with a header"),
            ("---\nname: x\n---\nGo.", "no `description`"),
            ("---\ndescription: x\n---\n", "no text below its header"),
            ("---\ndescription: x\nname: a b\n---\nGo.", "its name"),
            ("---\ndescription: x\nname: lane_1\n---\nGo.", "lanes of a race"),
            ("---\ndescription: x\nmaxTurns: many\n---\nGo.", "its turns"),
            (
                "---\ndescription: x\npermissionMode: planning\n---\nGo.",
                "its `permissionMode` is `planning`; it can be",
            ),
            ("---\ndescription: x\nmode: planning\n---\nGo.", "its `mode` is `planning`; it can be"),
            (
                "---\ndescription: x\nbackground: yes\n---\nGo.",
                "its `background` is `yes`; it can be `true`, `false`",
            ),
            (
                "---\ndescription: x\nisolation: container\n---\nGo.",
                "its `isolation` is `container`; it can be",
            ),
            (
                "---\ndescription: x\ndisallowedTools: Wirte\n---\nGo.",
                "it excludes the tool `Wirte`, which does not exist; the tools are",
            ),
            ("---\ndescription: \"x\n---\nGo.", "line 2 of its header"),
            ("---\ndescription: x\napprovalMode: planning\n---\nGo.", "is `planning`; it can be"),
            ("---\ndescription: x\ndisable: yes\n---\nGo.", "its `disable` is `yes`; it can be"),
            ("---\ndescription: x\npermission: strict\n---\nGo.", "its `permission` says `strict`"),
            (
                "---\ndescription: x\nhooks:\n  PreToolUse:\n    - matcher: Bash\n---\nGo.",
                "its `hooks` could",
            ),
            (
                "---\ndescription: x\nhooks:\n# guard\n  PreToolUse:\n    - matcher: Bash\n---\nGo.",
                "its `hooks` could",
            ),
            ("---\ndescription: x\nhooks:\n\n- PreToolUse: x\n---\nGo.", "its `hooks` could"),
            ("---\ndescription: x\ny: &y\n  PreToolUse: z\nhooks: *y\n---\nGo.", "its `hooks` could"),
            ("---\ndescription: x\ny: &y\n  PreToolUse: z\nhooks:\n  <<: *y\n---\nGo.", "its `hooks` could"),
            ("---\ndescription: x\ny: &y\n  Stop: z\nhooks: {<<: [*y]}\n---\nGo.", "its `hooks` could"),
            (
                "---\ndescription: x\ny: &y\n  Stop: z\nhooks: {Stop: x, << : *y}\n---\nGo.",
                "its `hooks` could",
            ),
            ("---\ndescription: x\nhooks:\n  Stop:\n    - *_y\n---\nGo.", "its `hooks` could"),
            (
                "---\ndescription: x\nhooks:\n  Stop: # none\n    - x\n  PreToolUse: y\n---\nGo.",
                "its `hooks` could",
            ),
            (
                "---\ndescription: x\ndisallowedTools: Write\ndisallowedTools: Bash\n---\nGo.",
                "line 4 of its header cannot be read: it has the same key twice",
            ),
        ] {
            assert!(parsed(text).unwrap_err().contains(why), "{text}");
        }
    }

    #[test]
    fn a_hook_that_refuses_nothing_may_have_any_command() {
        for command in ["ls *foo", "grep -l x *.rs", "'*foo'", "cat <<EOF", "echo 2 * 3"] {
            let text = format!("---\ndescription: x\nhooks:\n  Stop:\n    - command: {command}\n---\nGo.");
            assert!(parsed(&text).is_ok(), "{text}");
        }
    }

    #[test]
    fn names_of_tools_that_are_none_here_are_told() {
        let read = read_agent("---\ndescription: x\ntools: Read, LSP, Raed, Task\n---\nGo.").unwrap();
        assert_eq!(read.subagent.tools, Some(vec!["read".to_owned()]));
        assert_eq!(
            (read.elsewhere, read.unknown),
            (vec!["LSP".to_owned(), "Task".to_owned()], vec!["Raed".to_owned()])
        );
        let file = |name: &str, tools: &str| {
            (PathBuf::from(format!("/r/{name}.md")), format!("---\ndescription: x\ntools: {tools}\n---\nGo."))
        };
        let files = vec![file("a", "Read, LSP"), file("b", "Raed"), file("c", "Skill, Read")];
        let (all, said) = super::super::read(files, &[]);
        assert_eq!(all.len(), 3);
        assert!(said[0].starts_with("/r/b.md: there is no tool `Raed`; the tools are read, "), "{said:?}");
        assert!(said[1].starts_with("/r/a.md and 1 more: ") && said[1].ends_with(": LSP, Skill"), "{said:?}");
        assert_eq!(said.len(), 2);
        let read = read_agent("---\ndescription: x\ntools: Read, Agent(explore)\n---\nGo.").unwrap();
        assert_eq!(read.elsewhere, ["Agent"], "as the file names it");
    }

    #[test]
    fn the_second_of_a_name_in_one_folder_is_named_as_ignored() {
        let file = |folder: &str, name: &str| {
            let text = "---\nname: reviewer\ndescription: x\n---\nGo.".to_owned();
            (PathBuf::from(format!("/r/{folder}/{name}.md")), text)
        };
        let files = vec![file("a", "one"), file("a", "two"), file("b", "one")];
        let (all, said) = super::super::read(files.clone(), &[]);
        assert_eq!(all.len(), 1);
        let ignored =
            "/r/a/two.md: one.md beside it has the name `reviewer` already; the sub-agent is ignored";
        assert_eq!(said, [ignored], "one of another folder is in the place of it");
        // Where a project has one of that name, all of them give way.
        assert_eq!(super::super::read(files, &all), (Vec::new(), Vec::new()));
    }

    #[test]
    fn what_opencode_does_not_offer_to_agents_is_off_and_takes_the_name() {
        for head in ["mode: primary\ndescription: x", "disable: true"] {
            let one = parsed(&format!("---\n{head}\n---\nGo.")).unwrap();
            assert!(one.is_off && one.name == "reviewer", "{head}");
        }
        for head in ["mode: all", "mode: subagent", "disable: false"] {
            assert!(!parsed(&format!("---\ndescription: x\n{head}\n---\nGo.")).unwrap().is_off, "{head}");
        }
    }

    #[test]
    fn the_strictest_of_what_a_header_says_of_the_mode_counts() {
        for (head, mode) in [
            ("permission: {edit: ask}\nmode: subagent", Mode::Ask),
            ("permission: {edit: ask}\nmode: plan", Mode::Plan),
            ("permission: {bash: ask}\npermissionMode: bypassPermissions", Mode::Edit),
            ("approvalMode: plan", Mode::Plan),
            ("permissionMode: bypassPermissions\napprovalMode: plan", Mode::Plan),
            ("permissionMode: plan\napprovalMode: yolo", Mode::Plan),
            ("permissionMode: acceptEdits\nmode: plan", Mode::Plan),
            ("permissionMode: acceptEdits\nmode: subagent", Mode::Edit),
        ] {
            let one = parsed(&format!("---\ndescription: x\n{head}\n---\nGo.")).unwrap();
            assert_eq!(one.mode, Some(mode), "{head}");
        }
        let turns =
            parsed("---\ndescription: x\nsteps: 9\nmaxTurns: 40\nmax_turns: 12\n---\nGo.").unwrap().turns;
        assert_eq!(turns, Some(9));
    }
}
