//! Where links lead, and that each page of the guide can be found.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::pages::{Page, all, guide, root};

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// Why this link of a page leads nowhere; `None` when it leads somewhere.
fn broken(page: &Page, target: &str) -> Option<String> {
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let from = Path::new(&page.path);
    let path = if file.is_empty() { from.to_owned() } else { plain(&from.with_file_name(file)) };
    if !root().join(&path).exists() {
        return Some(format!("there is no {}", path.display()));
    }
    let anchor = anchor?;
    let text = fs::read_to_string(root().join(&path)).ok()?;
    let there = Page { path: path.display().to_string(), text };
    let has_it = there.anchors().iter().any(|known| known == anchor);
    (!has_it).then(|| format!("{} has no heading #{anchor}", path.display()))
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut wrong = Vec::new();
    for page in all() {
        for (place, target) in page.links() {
            wrong.extend(broken(&page, &target).map(|why| format!("{place}: {target}: {why}")));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    let page = Page { path: "docs/guide/x.md".to_owned(), text: "# A b\n".to_owned() };
    assert_eq!(broken(&page, "../SECURITY.md#the-sandbox"), None);
    assert!(broken(&page, "../SECURITY.md#the-sand").is_some() && broken(&page, "../SECURE.md").is_some());
}

#[test]
fn the_index_names_every_page() {
    let pages: BTreeSet<String> = guide().into_iter().map(|page| page.path).collect();
    let index = guide().into_iter().find(|page| page.path == "docs/guide/README.md").unwrap();
    let named: BTreeSet<String> = index
        .links()
        .into_iter()
        .map(|(_, target)| plain(&Path::new(&index.path).with_file_name(target)).display().to_string())
        .collect();
    for page in &pages {
        let is_itself = ["README.md", "docs/guide/README.md"].contains(&page.as_str());
        assert!(is_itself || named.contains(page), "the index does not name {page}");
    }
    assert!(pages.len() > 14, "{pages:?}");
}

#[test]
fn the_readme_is_short() {
    let lines = fs::read_to_string(root().join("README.md")).unwrap().lines().count();
    assert!(lines <= 160, "{lines} lines");
}
