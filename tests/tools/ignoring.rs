//! Ignore files that others wrote: whatever they are, `list`, `glob` and `search` come to an end with little memory.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::json;

use super::*;

const ALL: [&str; 3] = [".ignore", ".gitignore", ".git/info/exclude"];

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// What the three tools find, and that each says how many ignore files it did not use.
async fn found(fixture: &Fixture, unused: usize) -> Vec<String> {
    let calls = [
        ("list", json!({})),
        ("glob", json!({ "pattern": "*.txt" })),
        ("search", json!({ "pattern": "needle" })),
    ];
    let mut all = Vec::new();
    for (tool, arguments) in calls {
        let said = fixture.done(tool, arguments).await;
        let remark = match unused {
            0 => String::new(),
            1 => "(1 ignore file not used".to_owned(),
            _ => format!("({unused} ignore files not used"),
        };
        assert!(said.contains(&remark) && (unused > 0 || !said.contains("not used")), "{unused}: {said}");
        all.push(said);
    }
    all
}

#[tokio::test]
async fn what_is_no_regular_file_is_not_read() {
    for name in ALL {
        for kind in ["zero", "pipe", "link to a pipe", "link to a file", "folder", "large", "sparse"] {
            let fixture = Fixture::new();
            fixture.put("a.txt", "needle");
            fs::create_dir_all(fixture.path(".git/info")).unwrap();
            let path = fixture.path(name);
            match kind {
                "zero" => symlink("/dev/zero", path).unwrap(),
                "pipe" => pipe(&path),
                "link to a pipe" => {
                    pipe(&fixture.folder.path().join("pipe"));
                    symlink(fixture.folder.path().join("pipe"), path).unwrap();
                }
                "link to a file" => {
                    fixture.put(".git/patterns", "*.txt");
                    symlink(fixture.path(".git/patterns"), path).unwrap();
                }
                "folder" => fs::create_dir(path).unwrap(),
                "large" => fs::write(path, "*.txt\n".repeat(200_000)).unwrap(),
                _ => fs::File::create(path).unwrap().set_len(20 << 30).unwrap(),
            }
            let said = found(&fixture, 1).await.concat();
            assert_has(&said, &["a.txt  6 B", "1 file\na.txt", "a.txt:1: needle"]);
        }
    }
}

#[tokio::test]
async fn nor_is_one_above_the_folder_or_in_the_settings_of_git() {
    let fixture = Fixture::new();
    fixture.put("a.txt", "needle");
    let (place, home) = (fixture.folder.path().to_owned(), fixture.folder.path().join("home"));
    symlink("/dev/zero", place.join(".gitignore")).unwrap();
    pipe(&place.join(".ignore"));
    found(&fixture, 2).await;
    pipe(&home.join(".gitconfig"));
    fs::create_dir_all(home.join(".config/git")).unwrap();
    symlink("/dev/zero", home.join(".config/git/ignore")).unwrap();
    found(&fixture, 2).await;
    fs::remove_file(home.join(".gitconfig")).unwrap();
    fs::write(home.join(".gitconfig"), "[core]\n\texcludesFile = \"/dev/zero\"\n").unwrap();
    found(&fixture, 2).await;
    // `.git` itself as a pipe, as a file without an end, and as one that names such things.
    pipe(&fixture.path(".git"));
    found(&fixture, 2).await;
    fs::remove_file(fixture.path(".git")).unwrap();
    symlink("/dev/zero", fixture.path(".git")).unwrap();
    found(&fixture, 2).await;
    fs::remove_file(fixture.path(".git")).unwrap();
    fs::create_dir_all(place.join("elsewhere/info")).unwrap();
    fs::write(fixture.path(".git"), format!("gitdir: {}\n", place.join("elsewhere").display())).unwrap();
    pipe(&place.join("elsewhere/commondir"));
    pipe(&place.join("elsewhere/info/exclude"));
    found(&fixture, 3).await;
}

#[tokio::test]
async fn ignore_files_mean_what_they_meant() {
    let fixture = Fixture::new();
    let (place, home) = (fixture.folder.path().to_owned(), fixture.folder.path().join("home"));
    for name in
        ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt", "sub/a.txt", "sub/b.txt", "sub/f.txt", "sub/deep/f.txt"]
    {
        fixture.put(name, "needle");
    }
    let files = async |fixture: &Fixture, pattern: &str| {
        let found = fixture.done("glob", json!({ "pattern": pattern })).await;
        let mut names: Vec<String> = found.lines().skip(1).map(str::to_owned).collect();
        names.sort();
        names.join(" ")
    };
    // Above the workspace, in it, in the repository, in the settings of the user.
    fs::write(place.join(".gitignore"), "/*/a.txt\n").unwrap();
    assert_eq!(
        files(&fixture, "?.txt").await,
        "b.txt c.txt d.txt e.txt sub/a.txt sub/b.txt sub/deep/f.txt sub/f.txt"
    );
    fixture.put(".gitignore", "\u{feff}b.txt\r\n# a.txt\n\n!/a.txt\nsub/deep/\n");
    fixture.put(".git/info/exclude", "c.txt\n");
    fs::create_dir_all(home.join(".config/git")).unwrap();
    fs::write(home.join(".config/git/ignore"), "d.txt\n").unwrap();
    assert_eq!(files(&fixture, "?.txt").await, "a.txt e.txt sub/a.txt sub/f.txt");
    // The nearer wins, and `.ignore` wins over `.gitignore`.
    fixture.put("sub/.gitignore", "!b.txt\na.txt\n");
    fixture.put(".ignore", "e.txt\n!c.txt\n");
    assert_eq!(files(&fixture, "?.txt").await, "a.txt c.txt sub/b.txt sub/f.txt");
    // The file that the settings name, also where those are a link.
    fs::write(home.join("patterns"), "f.txt\n").unwrap();
    fs::write(home.join("settings"), "[core]\n\tExcludesFile = ~/patterns\n").unwrap();
    symlink(home.join("settings"), home.join(".gitconfig")).unwrap();
    assert_eq!(files(&fixture, "?.txt").await, "a.txt c.txt d.txt sub/b.txt");
    // A worktree: `.git` is a file, and the patterns are those of the repository.
    fs::rename(fixture.path(".git"), place.join("repository")).unwrap();
    fs::create_dir_all(place.join("repository/worktrees/work")).unwrap();
    fs::write(place.join("repository/worktrees/work/commondir"), "../..\n").unwrap();
    fs::write(fixture.path(".git"), "gitdir: ../repository/worktrees/work\n").unwrap();
    fs::write(place.join("repository/info/exclude"), "d.txt\n").unwrap();
    assert_eq!(files(&fixture, "?.txt").await, "a.txt c.txt sub/b.txt");
}

#[tokio::test]
async fn many_patterns_are_bounded_also_over_many_folders() {
    let fixture = Fixture::new();
    let patterns = |count: usize| (0..count).map(|n| format!("*x{n}?y*z\n")).collect::<String>();
    fixture.put("deep/a.txt", "needle");
    fixture.put(".gitignore", patterns(10_001));
    found(&fixture, 1).await;
    // Those of a folder add up with those above it.
    fixture.put(".gitignore", patterns(6_000));
    fixture.put("deep/.gitignore", patterns(6_000));
    assert_has(
        &fixture.done("glob", json!({ "pattern": "*.txt" })).await,
        &["deep/a.txt", "(1 ignore file not used"],
    );
    // A line that is no pattern, and one without an end, take nothing away from the others.
    let long = "[a-z]*".repeat(100_000).into_bytes();
    fixture.put("deep/.gitignore", [b"{a\n", &long[..], b"\nb\xff.txt\n*.txt\n"].concat());
    assert_has(&fixture.done("glob", json!({ "pattern": "*.txt" })).await, &["no match among"]);
}
