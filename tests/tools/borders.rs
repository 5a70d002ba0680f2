//! What lies in the workspace and counts as outside of it all the same.

use std::fs;
use std::os::unix::fs::symlink;

use countersign::runtime::sandbox::{Confinement, Sandbox, Settings, secret_places};
use countersign::tool::Territory;
use serde_json::json;

use super::*;

impl Fixture {
    /// A session in `folder` of the home, as the program makes it: with our own configuration and state, and what the
    /// sandbox hides.
    fn at_home(folder: &str) -> Self {
        let mut fixture = Self::new();
        let home = fixture.home();
        for name in
            [".ssh", ".config/countersign", ".local/state/countersign/sessions/2026/11/ID.files", "src"]
        {
            fs::create_dir_all(home.join(name)).unwrap();
        }
        for name in [".ssh/id_rsa", ".bashrc", ".config/countersign/keys.toml", "src/.env", "src/main.rs"] {
            fs::write(home.join(name), "needle\n").unwrap();
        }
        symlink(".ssh", home.join("settings")).unwrap();
        let root = home.join(folder).canonicalize().unwrap();
        let mut hidden = secret_places(Some(&home), |_| None);
        hidden.push(home.join(".private"));
        let mut confinement = Confinement::of_workspace(&root, hidden);
        confinement.settings = Settings::of(&root, Some(&home));
        let environment = vec![("HOME".into(), home.into())];
        let tools = LocalTools::new(root, environment, fixture.groups.clone());
        fixture.tools = tools.within(Sandbox::new("/bin/false".into(), confinement));
        fixture
    }

    fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home")
    }

    async fn territory(&self, tool: &str, path: &str) -> Territory {
        let mut arguments = json!({ "path": path });
        match tool {
            "write" => arguments["content"] = "x".into(),
            "search" => arguments["pattern"] = "needle".into(),
            "glob" => arguments["pattern"] = "*".into(),
            _ => {}
        }
        let found = self.prepare(tool, arguments).await;
        assert_eq!(found.leads_to.len(), 1, "{path}");
        found.territory(&found.leads_to[0])
    }
}

#[tokio::test]
async fn our_own_files_and_what_programs_obey_are_outside_of_a_home_that_is_worked_in() {
    for (folder, path, territory) in [
        ("", ".config/countersign/config.toml", Territory::Secret),
        ("", ".config/countersign/themes/x.toml", Territory::Secret),
        ("", ".CONFIG/Countersign/config.toml", Territory::Secret),
        ("", "src/../.config/countersign/config.toml", Territory::Secret),
        ("", ".local/state/countersign/trust.json", Territory::Secret),
        ("", ".local/state/countersign/sessions/2026/11/ID.files/restoring", Territory::Secret),
        ("", ".ssh/id_rsa", Territory::Secret),
        ("", "settings/id_rsa", Territory::Secret),
        ("", ".private/x", Territory::Secret),
        ("", ".bashrc", Territory::Secret),
        ("", ".inputrc", Territory::Protected),
        ("", ".config/autostart/x.desktop", Territory::Protected),
        ("", "bin/ls", Territory::Protected),
        ("", "src/main.rs", Territory::Inside),
        ("", "src/.env", Territory::Secret),
        (".config", "countersign/config.toml", Territory::Secret),
        (".config", "autostart/x.desktop", Territory::Protected),
        (".config/countersign", "config.toml", Territory::Secret),
        (".local", "state/countersign/trust.json", Territory::Secret),
        (".local", "share/x/y", Territory::Protected),
        (".local/state/countersign", "trust.json", Territory::Secret),
        ("src", "main.rs", Territory::Inside),
        ("src", ".env", Territory::Secret),
        ("src", "deep/server.PEM", Territory::Secret),
        ("src", ".env.example", Territory::Inside),
        ("src", "../.bashrc", Territory::Outside),
    ] {
        let fixture = Fixture::at_home(folder);
        for tool in ["read", "write", "list", "search", "glob"] {
            assert_eq!(fixture.territory(tool, path).await, territory, "{tool} {path} from ~/{folder}");
        }
    }
}

#[tokio::test]
async fn a_folder_of_hooks_is_protected_where_it_is_worked_in_but_for_a_checkout_of_its_own() {
    let fixture = Fixture::new();
    for (folder, territory) in [(".git/hooks", Territory::Protected), (".claude/trees/x", Territory::Inside)]
    {
        let root = fixture.path(folder);
        fs::create_dir_all(&root).unwrap();
        if territory == Territory::Inside {
            fs::write(root.join(".git"), "gitdir: elsewhere").unwrap();
        }
        let tools = LocalTools::new(root, Vec::new(), fixture.groups.clone());
        let call = invocation("write", json!({ "path": "post-checkout", "content": "x" }), 1000);
        assert_eq!(tools.prepare(call).await.territory("post-checkout"), territory, "{folder}");
    }
}

#[tokio::test]
async fn a_look_around_tells_nothing_of_what_is_hidden() {
    let fixture = Fixture::at_home("");
    let found = fixture.done("search", json!({ "pattern": "needle" })).await;
    assert_has(&found, &["1 match", "src/main.rs:1", "not searched, since it may contain secrets: src/.env"]);
    assert!(!found.contains("id_rsa") && !found.contains("keys.toml"), "{found}");
    let names = fixture.done("glob", json!({ "pattern": "**" })).await;
    assert!(!names.contains("id_rsa") && !names.contains("keys.toml"), "{names}");
    let listed = fixture.done("list", json!({ "path": "." })).await;
    assert!(!listed.contains(".ssh/") && !listed.contains("hidden"), "{listed}");
    // What is named is searched: a person was asked.
    assert_has(
        &fixture.done("search", json!({ "pattern": "needle", "path": "src/.env" })).await,
        &["1 match"],
    );
    assert_has(
        &fixture.done("search", json!({ "pattern": "needle", "path": ".ssh" })).await,
        &[".ssh/id_rsa:1"],
    );
    // Nor does a look from above, which leaves the workspace, open it.
    let above = json!({ "pattern": "needle", "path": fixture.home().parent().unwrap() });
    let found = fixture.done("search", above).await;
    assert!(!found.contains("id_rsa"), "{found}");
}

#[tokio::test]
async fn what_lies_in_a_folder_that_is_called_like_a_secret_is_no_less_secret() {
    let fixture = Fixture::new();
    fixture.put("store.key/.env", "needle=planted\n");
    fixture.put("store.key/notes.txt", "needle\n");
    fixture.put("alone.key", "needle\n");
    // Nobody was asked: it is a folder of the workspace.
    assert_eq!(fixture.territory("search", "store.key").await, Territory::Inside);
    let found = fixture.done("search", json!({ "pattern": "needle", "path": "store.key" })).await;
    assert_has(&found, &["1 match", "store.key/notes.txt:1", "since it may contain secrets: store.key/.env"]);
    assert!(!found.contains("planted"), "{found}");
    // About a file of that name somebody was asked.
    assert_eq!(fixture.territory("search", "alone.key").await, Territory::Secret);
    let found = fixture.done("search", json!({ "pattern": "needle", "path": "alone.key" })).await;
    assert_has(&found, &["1 match"]);
}

#[tokio::test]
async fn what_comes_to_stand_for_something_hidden_after_the_look_is_not_used() {
    for (tool, arguments) in [
        ("read", json!({ "path": "src/known" })),
        ("read", json!({ "path": "store.key" })),
        ("edit", json!({ "path": "src/known", "edits": [{ "old_text": "x", "new_text": "mine" }] })),
        ("write", json!({ "path": "src/known", "content": "mine" })),
        ("write", json!({ "path": "src/fresh", "content": "mine" })),
        ("list", json!({ "path": "src" })),
        ("glob", json!({ "path": "src", "pattern": "*" })),
        ("search", json!({ "path": "src", "pattern": "." })),
        ("search", json!({ "path": "store.key", "pattern": "." })),
    ] {
        let fixture = Fixture::at_home("");
        let home = fixture.home();
        fs::create_dir(home.join("store.key")).unwrap();
        fs::write(home.join("src/known"), "x").unwrap();
        fs::write(home.join(".ssh/known"), "needle x").unwrap();
        let found = fixture.prepare(tool, arguments.clone()).await;
        assert_eq!(found.territory(&found.leads_to[0]), Territory::Inside, "{tool} {arguments}");
        for (name, stands_for) in [("src", ".ssh"), ("store.key", ".ssh/id_rsa")] {
            fs::rename(home.join(name), home.join(format!("{name}.old"))).unwrap();
            symlink(stands_for, home.join(name)).unwrap();
        }
        let text = fixture.fails(tool, arguments.clone()).await;
        assert!(!text.contains("needle") && !text.contains("id_rsa"), "{tool} {arguments}: {text}");
        assert_eq!(fs::read_to_string(home.join(".ssh/known")).unwrap(), "needle x");
        assert!(!home.join(".ssh/fresh").exists());
    }
}
