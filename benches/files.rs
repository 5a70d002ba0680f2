//! How long the list of files takes that an `@` opens, in a folder of 100,000. Run with `cargo bench --bench files`.
#![allow(missing_docs, clippy::unwrap_used, clippy::disallowed_methods, reason = "a bench is no interface")]

use std::sync::OnceLock;

use countersign::runtime::{Groups, LocalTools};
use countersign::ui::FileList;
use divan::Bencher;
use tempfile::TempDir;

const FOLDERS: usize = 1_000;
const FILES: usize = 100;

fn main() {
    divan::main();
}

fn folder() -> &'static TempDir {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = TempDir::new().unwrap();
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        std::fs::write(folder.path().join(".gitignore"), "target\n*.log\n/build/\n").unwrap();
        for at in 0..FOLDERS {
            let below = folder.path().join(format!("crates/part{:02}/src/module{at:04}", at % 50));
            std::fs::create_dir_all(&below).unwrap();
            for file in 0..FILES {
                std::fs::write(below.join(format!("component_{file:03}.rs")), "").unwrap();
            }
        }
        folder
    })
}

fn list() -> FileList {
    let names = LocalTools::new(folder().path().into(), Vec::new(), Groups::default()).files().list();
    FileList::new(names.files.into_iter().map(|file| (file.path, file.comes_last)), names.is_cut)
}

/// Reading the names until the list is complete.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn listing(bencher: Bencher<'_, '_>) {
    folder();
    bencher.bench_local(|| list().fitting("").count);
}

/// A key.
#[divan::bench(args = ["", "c", "comp", "mod42", "part1/module0042/component_007.rs", "crs", "zzz"])]
fn key(bencher: Bencher<'_, '_>, typed: &str) {
    let list = list();
    bencher.bench_local(|| list.fitting(typed).count);
}
