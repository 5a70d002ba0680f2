//! The files that a line names, for rules that deny or ask about files: such a rule is no word about the tool alone that
//! it is written for. A name that the text does not tell whole is one that the rule may speak of.

use super::Rule;
use super::cover::Fit;
use super::line::Places;
use super::mention::{Mentioned, NamedTree, OF_FILES, joined, tools};
use super::place::{form_forbids, forms, may_be_any, other_names, reached};
use super::shell::{Access, Reading};
use super::signs::{Sign, meets, path, signs, text};
use crate::tool::Preparation;

/// What a line names.
pub(super) struct NamedFiles {
    /// Files that are surely opened, by each of their names.
    opened: Vec<(Access, Vec<String>)>,
    /// Names of which it is not known what they are, or what is done with them; for which tools.
    perhaps: Vec<(&'static [&'static str], Vec<Sign>)>,
    /// Folders that are read as a whole, from each folder in which they may be, and where they lead.
    trees: Vec<NamedTree>,
    /// Whether there is more in the line than was read.
    is_unreadable: bool,
    /// The workspace, by its absolute names.
    folders: Vec<String>,
}

impl NamedFiles {
    /// The names in a line, and where they lead as far as somebody has looked.
    pub(super) fn of(line: &str, reading: &Reading, found: &Preparation) -> Self {
        let places = Places::of(line, reading, found);
        let mentioned = Mentioned::in_line(line, reading);
        let (mut opened, mut perhaps) = (Vec::new(), Vec::new());
        let leads =
            |folder: &[Sign], name: &[Sign]| joined(folder, name).and_then(|path| places.leads_to(&path));
        // What leads to the workspace itself is called `.`.
        let led_to = |folder: &[Sign], name: &[Sign]| leads(folder, name).map(|to| path(&[], &signs(&to)));
        for (access, name) in &mentioned.opened {
            let written = signs(name);
            let paths = mentioned.paths(&written);
            // From one folder that is known it is one file.
            let [path] = paths.as_slice() else {
                let led = mentioned.folders.iter().filter_map(|folder| leads(folder, &written));
                let all = paths.into_iter().chain(led.map(|to| signs(&to)));
                perhaps.extend(all.map(|path| (tools(*access), path)));
                continue;
            };
            // Nobody knows what a name leads to in a folder that is not known.
            let Some(path) = text(path) else {
                perhaps.push((tools(*access), vec![Sign::Any]));
                continue;
            };
            let folder = mentioned.folders.first().map(Vec::as_slice).unwrap_or_default();
            let as_written = Some(name.clone()).filter(|_| folder.is_empty());
            let names = [as_written, Some(path), leads(folder, &written)];
            opened.push((*access, names.into_iter().flatten().collect()));
            // Whose folder that is, no look at the line tells.
            if reached(folder, &written) == [Sign::Any] {
                perhaps.push((tools(*access), vec![Sign::Any]));
            }
            if mentioned.may_stay {
                let to = leads(&[], &written).map(|to| signs(&to));
                let both = [Some(super::signs::path(&[], &written)), to].into_iter().flatten();
                perhaps.extend(both.map(|path| (tools(*access), path)));
            }
        }
        let stays = mentioned.stays();
        for (uses, name) in &mentioned.perhaps {
            for folder in mentioned.folders.iter().chain(&stays) {
                perhaps.push((*uses, reached(folder, name)));
                perhaps.extend(led_to(folder, name).map(|to| (*uses, to)));
            }
        }
        let is_unreadable = reading.unreadable.is_some();
        let folders = || mentioned.folders.iter().chain(&stays);
        let mut trees = Vec::new();
        for NamedTree { name, looks_like_file } in &mentioned.trees {
            for folder in folders() {
                let names = [Some(reached(folder, name)), led_to(folder, name)];
                let named = |name| NamedTree { name, looks_like_file: *looks_like_file };
                trees.extend(names.into_iter().flatten().map(named));
            }
        }
        Self { opened, perhaps, trees, is_unreadable, folders: found.folders.clone() }
    }

    /// Whether a rule that denies or asks speaks of one of them.
    pub(super) fn fit(&self, rule: &Rule) -> Fit {
        let Some(pattern) = rule.pattern.as_deref().filter(|_| !rule.kind.permits()) else { return Fit::No };
        let forms = forms(pattern, &self.folders);
        forms.iter().map(|pattern| self.fit_of_form(rule, pattern)).max().unwrap_or(Fit::No)
    }

    fn fit_of_form(&self, rule: &Rule, pattern: &str) -> Fit {
        let is_for = |tools: &[&str]| tools.iter().any(|tool| rule.is_for(tool));
        let speaks = |(access, names): &(Access, Vec<String>)| {
            is_for(tools(*access)) && names.iter().any(|name| form_forbids(pattern, name, &self.folders))
        };
        if self.opened.iter().any(speaks) {
            return Fit::Yes;
        }
        // What is said of every file says nothing of a word.
        let says_which = pattern.chars().any(|c| c != '*') && is_for(OF_FILES);
        // Of all that is in a folder speaks also who names the folder: whether what is in it is used, only the program knows.
        let folder = pattern.strip_suffix("/**").or_else(|| pattern.strip_suffix("/*"));
        let says_where = |folder: &&str| folder.chars().any(|c| !matches!(c, '*' | '/'));
        let folder = folder.filter(says_where);
        let others = |name: &[Sign]| other_names(pattern, name, &self.folders);
        let is_folder = |name: &[Sign]| {
            let is_it = |name: &[Sign]| folder.is_some_and(|folder| meets(folder, name));
            is_it(name) || others(name).iter().any(|other| is_it(other))
        };
        let is_met =
            |name: &[Sign]| meets(pattern, name) || others(name).iter().any(|other| meets(pattern, other));
        let names_folder = |(access, names): &(Access, Vec<String>)| {
            is_for(tools(*access)) && names.iter().any(|name| is_folder(&signs(name)))
        };
        if self.opened.iter().any(names_folder) {
            return Fit::Maybe;
        }
        let may_speak =
            |(uses, name): &(&[&str], Vec<Sign>)| is_for(uses) && (is_met(name) || is_folder(name));
        let may = says_which && (self.is_unreadable || self.perhaps.iter().any(may_speak));
        let is_below =
            || is_for(tools(Access::Reads)) && self.trees.iter().any(|tree| self.holds(tree, pattern));
        match may {
            true => Fit::Maybe,
            false if says_which && is_below() => Fit::Below,
            false => Fit::No,
        }
    }

    /// Whether a file that the pattern speaks of can be in a folder.
    fn holds(&self, tree: &NamedTree, pattern: &str) -> bool {
        let name = tree.name.as_slice();
        if name.contains(&Sign::Any) {
            return meets(pattern, &[Sign::Any]);
        }
        // A file above the workspace has an absolute form, too.
        if pattern.starts_with("../") && !name.starts_with(&[Sign::Char('.'), Sign::Char('.')]) {
            return false;
        }
        let others = |name: &[Sign]| other_names(pattern, name, &self.folders);
        let holds = |name: &[Sign]| {
            let below = below(name);
            match tree.looks_like_file {
                true => {
                    is_folder_in(pattern, name)
                        || others(name).iter().any(|other| is_folder_in(pattern, other))
                        || may_be_any(&below, &self.folders)
                }
                false => meets(pattern, &below) || others(&below).iter().any(|other| meets(pattern, other)),
            }
        };
        if pattern.starts_with('/') && name.first() != Some(&Sign::Char('/')) {
            return self.folders.iter().any(|folder| holds(&path(&signs(folder), name)));
        }
        holds(name)
    }
}

/// Any file in a folder.
fn below(folder: &[Sign]) -> Vec<Sign> {
    let slash = folder.last().is_some_and(|last| *last != Sign::Char('/')).then_some(Sign::Char('/'));
    folder.iter().copied().chain(slash).chain([Sign::Any]).collect()
}

/// Whether the pattern takes the name for a folder. That it speaks of every folder says nothing.
fn is_folder_in(pattern: &str, name: &[Sign]) -> bool {
    let folders = pattern.match_indices('/').filter_map(|(at, _)| pattern.get(..at));
    let mut folders = folders.filter(|folder| folder.chars().any(|c| !matches!(c, '*' | '/')));
    folders.any(|folder| meets(folder, name))
}
