//! Instructions of folders below the session's own: they follow the result of the first file that is read there, so the ledger
//! has them and the system prompt stays as it is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use super::denied::DeniedFiles;
use super::files;
use super::import_scope::ImportScope;
use super::{MOST_OF_ALL, section};
use crate::config;
use crate::ledger::{CallId, Outcome};
use crate::runtime::{LateNews, ToolPort};
use crate::tool::name::READ;
use crate::tool::{Discovered, Invocation, Preparation, Shown, ToolReport, Typed};

/// The tools of a session, which tell of the instructions of the folders that are read.
pub(crate) struct WithNested {
    tools: Box<dyn ToolPort>,
    nested: Arc<Nested>,
}

impl WithNested {
    /// Around these tools of a session that is started so.
    pub(crate) fn new(tools: Box<dyn ToolPort>, invocation: &config::Invocation) -> Self {
        let config::Invocation { cwd, config, .. } = invocation;
        let (names, denied) = (&config.instructions, DeniedFiles::of_session(invocation));
        let told = Mutex::new(Told { folders: BTreeSet::new(), left: MOST_OF_ALL });
        let nested = Nested { cwd: cwd.to_owned(), names: names.to_vec(), denied, told };
        Self { tools, nested: Arc::new(nested) }
    }

    /// The same instructions, for the files that messages bring: who was told by a message is not told by a read.
    pub(crate) fn instructions(&self) -> NestedInstructions {
        NestedInstructions(Arc::clone(&self.nested))
    }
}

/// The instructions of the folders of a session, each of which is told once. Clones share what was told.
#[derive(Debug, Clone)]
pub(crate) struct NestedInstructions(Arc<Nested>);

impl NestedInstructions {
    /// What follows the file of this path, if its folders have instructions that were not told yet.
    pub(crate) fn of(&self, path: &str) -> String {
        self.0.of(path)
    }
}

/// What was told, and what there is to tell.
#[derive(Debug)]
struct Nested {
    cwd: PathBuf,
    names: Vec<String>,
    denied: DeniedFiles,
    told: Mutex<Told>,
}

#[derive(Debug)]
struct Told {
    folders: BTreeSet<PathBuf>,
    left: usize,
}

impl Nested {
    /// All of it is told again where it is needed.
    fn forget(&self) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        *told = Told { folders: BTreeSet::new(), left: MOST_OF_ALL };
    }

    /// What follows the result of reading this path: the instructions of its folder and of those above it below the
    /// session's own, each once while the model can see it.
    fn of(&self, path: &str) -> String {
        let Ok(top) = self.cwd.canonicalize() else { return String::new() };
        let Ok(file) = top.join(path).canonicalize() else { return String::new() };
        let mut folders: Vec<&Path> = file.ancestors().skip(1).take_while(|folder| *folder != top).collect();
        if !file.starts_with(&top) {
            return String::new();
        }
        folders.reverse();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let mut words = String::new();
        for folder in folders {
            if !told.folders.insert(folder.to_owned()) {
                continue;
            }
            for found in files::of_folder(folder, &self.names, ImportScope::Below(&top, &self.denied)) {
                // Whoever reads it as a file needs it no second time.
                if found.file != file {
                    words.push_str(&section(found, &mut told.left));
                }
            }
        }
        if words.is_empty() {
            return words;
        }
        format!(
            "\n\n[countersign adds the project's instructions for this folder. They are not part of the file.]{words}"
        )
    }
}

impl ToolPort for WithNested {
    fn discover(&self) -> BoxFuture<'static, Discovered> {
        self.tools.discover()
    }

    fn prepare(&self, invocation: Invocation) -> BoxFuture<'static, Preparation> {
        self.tools.prepare(invocation)
    }

    fn run(&self, invocation: Invocation, output: mpsc::Sender<Shown>) -> BoxFuture<'static, ToolReport> {
        let path = invocation.arguments.text("path").map(str::to_owned);
        let path = path.filter(|_| invocation.name == READ);
        let running = self.tools.run(invocation, output);
        let Some(path) = path else { return running };
        let nested = Arc::clone(&self.nested);
        Box::pin(async move {
            let mut report = running.await;
            if report.outcome == Outcome::Ok {
                match tokio::task::spawn_blocking(move || nested.of(&path)).await {
                    Ok(words) => report.content.push_str(&words),
                    Err(broken) => tracing::error!("the instructions of a folder were not read: {broken}"),
                }
            }
            report
        })
    }

    fn tell_late(&self, to: LateNews) {
        self.tools.tell_late(to);
    }

    fn stop_background(&self, id: &str) {
        self.tools.stop_background(id);
    }

    fn close(&self) -> BoxFuture<'static, ()> {
        self.tools.close()
    }

    fn context_lost(&self) {
        self.nested.forget();
        self.tools.context_lost();
    }

    fn type_into(&self, call: CallId, typed: Typed) {
        self.tools.type_into(call, typed);
    }

    fn warm_up(&self) {
        self.tools.warm_up();
    }

    fn over(&self, call: CallId) {
        self.tools.over(call);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn nested(cwd: &Path) -> Nested {
        let told = Mutex::new(Told { folders: BTreeSet::new(), left: MOST_OF_ALL });
        Nested {
            cwd: cwd.to_owned(),
            names: vec!["AGENTS.md".to_owned()],
            denied: DeniedFiles::none(cwd),
            told,
        }
    }

    #[test]
    fn the_first_read_below_brings_the_instructions_of_its_folders_once() {
        let place = tempfile::tempdir().unwrap();
        let cwd = place.path().join("work");
        fs::create_dir_all(cwd.join("a/b")).unwrap();
        for (file, text) in [
            ("AGENTS.md", "top words"),
            ("a/AGENTS.md", "middle words"),
            ("a/b/AGENTS.md", "near words"),
            ("x.rs", ""),
            ("a/x.rs", ""),
            ("a/b/x.rs", ""),
        ] {
            fs::write(cwd.join(file), text).unwrap();
        }
        fs::write(place.path().join("AGENTS.md"), "outside").unwrap();
        fs::write(place.path().join("x.rs"), "").unwrap();
        let nested = nested(&cwd);
        assert_eq!(nested.of("x.rs"), "", "the system prompt has these");
        assert_eq!(nested.of("../x.rs"), "");
        assert_eq!(nested.of("a/missing.rs"), "");
        let words = nested.of("a/b/x.rs");
        let at = |part: &str| words.find(part).unwrap();
        assert!(at("middle words") < at("near words") && !words.contains("top words"), "{words}");
        assert!(words.contains("They are not part of the file"), "{words}");
        assert_eq!((nested.of("a/b/x.rs"), nested.of("a/x.rs")), (String::new(), String::new()));
        nested.forget();
        assert_eq!(nested.of("a/b/x.rs"), words, "a summary took its place");
        assert_eq!(self::nested(&cwd).of("a/AGENTS.md"), "", "what is read needs no second telling");
    }
}
