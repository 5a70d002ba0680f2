//! What a project's files ask for, setting by setting, in words: what is shown before a folder is trusted.

use std::collections::BTreeSet;
use std::path::Path;

use super::layers::{contents, correct_file, correct_project_file, of_project, of_user};
use super::tighten::{self, Looseness};
use super::{
    AgentEntry, Config, McpEntry, apply,
    key::KeyValue,
    peers::{self, Entry, PeerSettings, Weighed},
    setting::{Setting, Wrong},
};
use crate::config::commands::{self, CustomCommand};
use crate::config::environment::Environment;
use crate::config::fault::{Fault, one_line};
use crate::config::skills;
use crate::config::subagents;
use crate::config::trusted::{CONFIG, Content};
use crate::ui::commands::is_built_in;

/// One thing that a file would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Demand {
    /// What is done: `starts`, `sends`, `reaches`, `allows`, `loosens`, `sets`, `tells`, `offers`, `refused`, `ignored`.
    pub(crate) verb: &'static str,
    /// To what; as the file has it, not yet safe to show.
    pub(crate) what: String,
    /// The file and the line.
    pub(crate) place: String,
    /// Whether it needs trust.
    pub(crate) needs_trust: bool,
    /// Whether it is a skill or a custom command that can be used once it is trusted.
    pub(crate) is_skill: bool,
}

impl Demand {
    /// For people who know of which folder it is.
    fn line(&self, folder: &Path) -> String {
        let Self { verb, what, place, needs_trust, is_skill: _ } = self;
        let aside = match (*verb, needs_trust) {
            ("refused", _) => ", even with trust: only you can set it",
            (_, true) => "",
            (_, false) => ", with or without trust",
        };
        // Its sentence has the place.
        if *verb == "ignored" {
            return format!("{verb:<8} {}", one_line(what));
        }
        let (file, line) = place.rsplit_once(':').unwrap_or(("", place));
        // Of which file it is needs no word where it is the configuration.
        let below = Path::new(file).strip_prefix(folder).unwrap_or(Path::new(""));
        let is_plain = below == Path::new("") || below == Path::new(CONFIG);
        let file =
            if is_plain { String::new() } else { format!("{}, ", one_line(&below.display().to_string())) };
        // A second line is shown as one: it could be taken for a comment's rest.
        let what = one_line(&what.replace('\n', "\\n"));
        format!("{verb:<8} {what}  ({file}line {}{aside})", one_line(line))
    }
}

/// Everything that a folder's files would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Demands {
    /// The files, as they were read.
    pub(crate) content: Content,
    /// All that they say, in their order.
    pub(crate) all: Vec<Demand>,
}

impl Demands {
    /// Whether there is something to trust the folder with.
    pub(crate) fn need_trust(&self) -> bool {
        self.all.iter().any(|demand| demand.needs_trust)
    }

    /// All of it for people, a line each with nothing left out.
    pub(crate) fn lines(&self) -> Vec<String> {
        if self.all.is_empty() {
            return vec!["nothing".to_owned()];
        }
        self.all.iter().map(|demand| demand.line(self.content.folder())).collect()
    }
}

/// What the files from the repository's root down to `cwd` would do. Weighed against the user's own file and the tightening
/// of the files above: what another folder is trusted with hides nothing of this one.
///
/// # Errors
/// The first wrong key or value, with its place.
pub(crate) fn demands(cwd: &Path, environment: &Environment) -> Result<Vec<Demands>, Fault> {
    let mut config = Config::default();
    for setting in of_user(environment)? {
        apply::set(&mut config, &setting).map_err(|wrong| correct_file(&wrong))?;
    }
    let mut found = Vec::new();
    let files: Vec<Content> = contents(cwd).into_iter().collect::<Result<_, _>>()?;
    let called = callable_skills(&files, environment);
    for content in files {
        let mut all = Vec::new();
        let settings = of_project(&content, None, &mut config)?;
        let place = content.folder().display().to_string();
        let left_out = std::mem::take(&mut config.warnings);
        let asides = std::mem::take(&mut config.asides);
        all.extend(left_out.into_iter().chain(asides).map(|what| Demand {
            verb: "ignored",
            what,
            place: place.clone(),
            needs_trust: false,
            is_skill: false,
        }));
        for setting in settings.iter().filter(|setting| !setting.row.is_of_a_peer()) {
            let weighed = tighten::weigh(&config, setting);
            let (after, standing) =
                weighed.map_err(|wrong| correct_project_file(&content.path(CONFIG), &wrong))?;
            all.extend(told(&config, &after, setting, standing));
            if standing == Looseness::Tightens {
                config = after;
            }
        }
        let (skills, _told_as_ignored) = skills::of(&content);
        all.extend(skills.into_iter().map(|(skill, file)| of_skill(&skill, &file)));
        all.extend(of_commands(&content, &place, &called));
        let (helpers, _told_as_ignored) = subagents::of(&content);
        all.extend(helpers.into_iter().filter(|one| !one.is_off).map(|one| Demand {
            verb: "tells",
            what: format!("the model about the sub-agent {}: {}", one.name, one.description),
            place: format!("{}:1", one.file.unwrap_or_default().display()),
            needs_trust: true,
            is_skill: false,
        }));
        let file = content.path(CONFIG);
        all.extend(of_peers::<McpEntry>(&mut config, &settings, &file)?);
        all.extend(of_peers::<AgentEntry>(&mut config, &settings, &file)?);
        found.push(Demands { content, all });
    }
    Ok(found)
}

/// The names of the skills that hide a command of the same name, once they are trusted.
fn callable_skills(files: &[Content], environment: &Environment) -> BTreeSet<String> {
    let mut all: Vec<_> = files.iter().flat_map(|content| skills::of(content).0).collect();
    if let Some(home) = environment.home() {
        let (own, _told_at_the_start) = skills::of_user(&home, &all);
        all.extend(own);
    }
    all.into_iter().filter(|(skill, _)| skill.is_callable).map(|(skill, _)| skill.name).collect()
}

/// What is said of a skill. One of which the model is not told is offered to the user, unless a built-in command hides it.
fn of_skill(skill: &skills::Skill, file: &Path) -> Demand {
    let (name, description, runs) = (&skill.name, &skill.description, run_first(skill));
    let (verb, is_skill, what) = if skill.is_told {
        ("tells", true, format!("the model about the skill {name}: {description}{runs}"))
    } else if skill.is_callable && !is_built_in(name) {
        ("offers", true, format!("the skill /{name}, of which the model is not told: {description}{runs}"))
    } else {
        let file = file.display();
        ("ignored", false, format!("{file}: neither the model nor you can call the skill {name}"))
    };
    Demand { verb, what, place: format!("{}:1", file.display()), needs_trust: true, is_skill }
}

/// What is said of that which a skill runs when the user calls it.
fn run_first(skill: &skills::Skill) -> String {
    let runs = skill.template.commands();
    if runs.is_empty() || !skill.is_callable || is_built_in(&skill.name) {
        return String::new();
    }
    format!("; called as /{}, it asks before it runs: {}", skill.name, runs.join("; "))
}

/// What is said of the custom commands. One that a built-in command hides needs no trust; one that a skill hides can be called once
/// the skill is gone.
fn of_commands(content: &Content, place: &str, skills: &BTreeSet<String>) -> Vec<Demand> {
    let (custom, _told_as_ignored) = commands::of(content);
    let ignored = |what, needs_trust| Demand {
        verb: "ignored",
        what,
        place: place.to_owned(),
        needs_trust,
        is_skill: false,
    };
    let told = |CustomCommand { command, file }: CustomCommand| {
        let (name, file) = (&command.name, file.display());
        if is_built_in(name) {
            let what =
                format!("{file}: a built-in command has the name /{name}, so this one cannot be called");
            return ignored(what, false);
        }
        if skills.contains(name) {
            let what = format!("{file}: a skill has the name /{name}, so this command cannot be called");
            return ignored(what, true);
        }
        let runs = command.template.commands();
        let asks = if runs.is_empty() { "" } else { "; it asks before it runs: " };
        let what = format!("the command /{name}: {}{asks}{}", command.description, runs.join("; "));
        Demand { verb: "offers", what, place: format!("{file}:1"), needs_trust: true, is_skill: true }
    };
    custom.into_iter().map(told).collect()
}

/// What is said of the peers of one kind. `file`: the project's configuration.
fn of_peers<P: Entry>(config: &mut Config, settings: &[Setting], file: &Path) -> Result<Vec<Demand>, Fault> {
    let mut all = Vec::new();
    for asked in peers::asked::<P>(settings) {
        let told = of_peer(config, &asked).map_err(|wrong| correct_project_file(file, &wrong))?;
        all.extend(told);
    }
    Ok(all)
}

/// What is said of one of them. What tightens is in force for the folders below, too.
fn of_peer<P: Entry>(config: &mut Config, asked: &PeerSettings<'_, P>) -> Result<Vec<Demand>, Wrong> {
    let place = asked.place();
    let one =
        |verb, what, needs_trust| Demand { verb, what, place: place.clone(), needs_trust, is_skill: false };
    Ok(match asked.weigh(config) {
        Err(wrong) if asked.is_shared() => {
            vec![one("ignored", format!("{wrong}; the {} is ignored", P::WORDS.noun), false)]
        }
        Err(wrong) => return Err(wrong),
        Ok(Weighed::Nothing) => {
            let what = format!("nothing: there is no {} {} to tighten", P::WORDS.kind, asked.name());
            vec![one("sets", what, false)]
        }
        Ok(Weighed::Defines(after)) => {
            let peer = P::known(&after).get(asked.name());
            let demands = peer.map(|peer| peer.demand(asked.name()));
            demands.into_iter().map(|(verb, what)| one(verb, what, true)).collect()
        }
        Ok(Weighed::Tightens { after, taken, refused }) => {
            *config = *after;
            let at = |verb, what, setting: &Setting| Demand {
                place: setting.source.place(),
                ..one(verb, what, false)
            };
            let taken = taken.into_iter().map(|setting| at("sets", setting.written(), setting));
            let refused = refused.into_iter().map(|setting| at("refused", setting.path.clone(), setting));
            taken.chain(refused).collect()
        }
    })
}

fn told(before: &Config, after: &Config, setting: &Setting, standing: Looseness) -> Vec<Demand> {
    let one = |verb, what| Demand {
        verb,
        what,
        place: setting.source.place(),
        needs_trust: standing == Looseness::Loosens,
        is_skill: false,
    };
    match standing {
        // Its value may hold a secret, and is not obeyed.
        Looseness::Refused => return vec![one("refused", setting.path.clone())],
        Looseness::Tightens => return vec![one("sets", setting.written())],
        Looseness::Loosens => {}
    }
    if let KeyValue::Hooks = setting.row.value {
        let new = after.hooks.iter().skip(before.hooks.len());
        let start = |hook: &super::SourcedHook| {
            let about = if hook.spec.matcher.is_empty() {
                String::new()
            } else {
                format!(" of {}", hook.spec.matcher.join("|"))
            };
            let what = format!("at {}{about}: {:?}", hook.spec.point, hook.spec.command);
            Demand { place: hook.source.place(), ..one("starts", what) }
        };
        return new.map(start).collect();
    }
    match setting.row.asks {
        Some(asks) => asks(before, after, setting).into_iter().map(|(verb, what)| one(verb, what)).collect(),
        None => vec![one("loosens", setting.written())],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_is_shown_by_who_can_call_it() {
        let shown = |name: &str, head: &str| {
            let text = format!("---\ndescription: It does.\n{head}---\nDo it.\n");
            let skill = skills::Skill::parse(&text, name).unwrap();
            let demand = of_skill(&skill, Path::new("SKILL.md"));
            assert!(demand.needs_trust && demand.place == "SKILL.md:1", "{demand:?}");
            format!("{} {}", demand.verb, demand.what)
        };
        assert_eq!(shown("usr", ""), "tells the model about the skill usr: It does.");
        let quiet = "disable-model-invocation: true\n";
        assert_eq!(shown("usr", quiet), "offers the skill /usr, of which the model is not told: It does.");
        let nobody =
            |name: &str| format!("ignored SKILL.md: neither the model nor you can call the skill {name}");
        assert_eq!(shown("help", quiet), nobody("help"));
        assert_eq!(shown("usr", &format!("{quiet}user-invocable: false\n")), nobody("usr"));
    }

    #[test]
    fn a_sub_agent_of_which_the_model_is_told_is_no_skill() {
        let place = tempfile::tempdir().unwrap();
        let write = |at: &str, text: &str| {
            let file = place.path().join(at);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        let about = |name: &str| format!("---\nname: {name}\ndescription: It does.\n---\nDo it.\n");
        write("repo/.git/HEAD", "ref: refs/heads/main\n");
        write("repo/.agents/skills/pdf/SKILL.md", &about("pdf"));
        let quiet = about("help").replace("name:", "disable-model-invocation: true\nname:");
        write("repo/.agents/skills/help/SKILL.md", &quiet);
        write("repo/.countersign/commands/tidy.md", "Tidy up.");
        write("repo/.countersign/commands/quit.md", "It is never called.");
        write("repo/.countersign/agents/reviewer.md", &about("reviewer"));
        let environment = Environment::of([("HOME", place.path().join("home"))]);
        let found = demands(&place.path().join("repo"), &environment).unwrap();
        let all: Vec<&Demand> = found.iter().flat_map(|one| &one.all).collect();
        let skills: Vec<&str> = all.iter().filter(|one| one.is_skill).map(|one| one.what.as_str()).collect();
        assert_eq!(skills, ["the model about the skill pdf: It does.", "the command /tidy: Tidy up."]);
        assert!(
            all.iter().any(|one| one.verb == "tells" && one.what.contains("sub-agent reviewer")),
            "{all:?}"
        );
    }
}
