//! Files that another program runs or obeys without a person naming them: an edit of one is a program that runs later.
//!
//! What a person runs by name (a Makefile, `package.json`, a test) is ordinary source and is not in this list. Words for
//! other models (`AGENTS.md`, `CLAUDE.md`) are not either: they permit nothing.

/// Names of files and folders, in lower case, with spaces between; a folder stands for all that it holds.
const NAMES: &[&str] = &[
    // version control and its hooks
    ".git .gitattributes .gitconfig .gitmodules .githooks .lfsconfig .hg .hgrc .hgsub .jj .jjconfig.toml \
     .svn .bzr .sl .pijul _darcs .repo .husky .lefthook .lefthook-local lefthook.yml lefthook.yaml \
     lefthook.toml lefthook-local.yml .pre-commit-config.yaml .pre-commit-hooks.yaml .overcommit.yml \
     captainhook.json .arcconfig",
    // editors
    ".vscode .vscode-server .idea .fleet .zed .theia .nova .vs .lapce .atom .helix .nvim .nvim.lua \
     .nvimrc .vim .exrc .lvimrc .local.vimrc .vimrc _vimrc .vimrc.local .gvimrc .ideavimrc .netrwhist \
     .kakrc .dir-locals.el .dir-locals-2.el .emacs .emacs.d .emacs.el .doom.d .spacemacs .spacemacs.d \
     .projectile .settings .project .externaltoolbuilders .luarc.json .luarc.jsonc .nlsp-settings \
     .neoconf.json .bsp .bloop .metals .merlin hie.yaml .latexmkrc latexmkrc",
    // agents
    ".countersign .mcp.json mcp.json .mcp .agent .agents .claude .claude.json .codex .gemini .cursor \
     .cursorrules .windsurf .windsurfrules .codeium .continue .continuerc.json .cline .clinerules .roo \
     .roomodes .roorules .kilocode .kilocodemodes .kiro .amazonq .copilot .opencode opencode.json \
     opencode.jsonc .crush .crush.json crush.json .goose .goosehints .augment .junie .trae .qwen .qodo \
     .openhands .amp .factory .forge .warp .tabnine .zencoder .guardrails",
    // environments that begin when a folder is entered, and what builds and shells read by themselves
    ".envrc .direnv .mise mise.toml mise.local.toml .mise.toml .mise.local.toml .rtx.toml .tool-versions \
     .asdfrc .autoenv .autoenv.zsh .config .local .venv venv .tox .nox node_modules .devcontainer \
     .devcontainer.json .gitpod.yml .gitpod.dockerfile .idx .replit devfile.yaml .devfile.yaml .vagrant \
     .terraform .terraformrc .ansible .ansible.cfg ansible.cfg .cargo rust-toolchain rust-toolchain.toml \
     .bazelrc .bazeliskrc .buckconfig .buckconfig.local .mvn .gradle .sbtopts .sbtrc .jvmopts .npmrc \
     .yarn .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs .pnp.cjs .pnp.loader.mjs bunfig.toml \
     .bunfig.toml .condarc .bundle pip.conf pip.ini .pypirc sitecustomize.py usercustomize.py .pdbrc \
     .pythonrc .pythonrc.py .pythonstartup .ipython .jupyter .rprofile .renviron .irbrc .pryrc .rdbgrc \
     .byebugrc .gemrc .iex.exs .ghci .ocamlinit .julia .octaverc startup.m .gnuplot .perldb .proverc \
     .gdbinit .gdbinit.d .gdbearlyinit .lldbinit .psqlrc .sqliterc .mongoshrc.js .curlrc .wgetrc .inputrc \
     .screenrc .tmux.conf .tmux .byobu .zellij .profile .login .logout .kshrc .mkshrc .cshrc .tcshrc \
     .xinitrc .xsession .xsessionrc .xprofile .pam_environment .ssh .gnupg",
    // builds that a push starts
    ".gitlab-ci.yml .gitlab .circleci .travis.yml azure-pipelines.yml azure-pipelines.yaml jenkinsfile \
     .drone.yml .woodpecker .woodpecker.yml .woodpecker.yaml bitbucket-pipelines.yml appveyor.yml \
     .appveyor.yml .buildkite .cirrus.yml .semaphore .teamcity .builds .build.yml .tekton buildspec.yml \
     cloudbuild.yaml cloudbuild.yml",
];
/// A folder and what is in it.
const PAIRS: &[(&str, &str)] = &[
    (".github", "workflows"),
    (".github", "actions"),
    (".gitea", "workflows"),
    (".forgejo", "workflows"),
    ("tools", "bazel"),
    ("library", "launchagents"),
    ("library", "launchdaemons"),
];
/// How the names of whole families begin.
const BEGINNINGS: &[&str] = &[".aider", ".bash", ".zsh", ".lintstagedrc", ".simple-git-hooks", ".guardrails"];
const ENDINGS: &[&str] = &[".pth", ".code-workspace", ".sublime-project", ".sublime-workspace", ".desktop"];
/// What makes a folder a repository without a work tree, which git obeys wherever it finds one. `HEAD` is in each of
/// them; a file called `config` without an ending is rare elsewhere.
const OF_REPOSITORY: &[&str] = &["head", "config", "config.worktree", "packed-refs", "commondir", "gitdir"];
/// Folders of such a repository, with what git keeps in them.
const IN_REPOSITORY: &[(&str, &[&str])] = &[
    ("refs", &["heads", "tags", "remotes", "stash", "notes", "bisect", "replace"]),
    ("objects", &["pack", "info"]),
    ("info", &["attributes", "exclude", "grafts", "sparse-checkout"]),
];
/// Programs that git starts from a folder `hooks`.
const HOOKS: &str = "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg \
     commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive \
     post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite \
     sendemail-validate fsmonitor-watchman post-index-change p4-changelist p4-prepare-changelist \
     p4-post-changelist p4-pre-submit";

/// Whether a file of this path, with `/` between its parts, is run or obeyed by another program.
pub fn is_guarded(path: &str) -> bool {
    let parts: Vec<String> = path.split('/').map(plain).filter(|part| !part.is_empty()).collect();
    let named = |part: &String| {
        NAMES.iter().any(|names| names.split(' ').any(|name| name == part))
            || BEGINNINGS.iter().any(|begin| part.starts_with(begin))
            || ENDINGS.iter().any(|end| part.ends_with(end) && part.len() > end.len())
    };
    let paired = |pair: &[String]| match pair {
        [folder, inner] => {
            PAIRS.contains(&(folder.as_str(), inner.as_str())) || is_of_repository(folder, inner)
        }
        _ => false,
    };
    parts.iter().any(named)
        || parts.windows(2).any(paired)
        || parts.last().is_some_and(|last| OF_REPOSITORY.contains(&last.as_str()))
}

/// Whether a path leads into what git keeps of a repository, or out of where it begins. git writes no such path, but a commit that was
/// made by hand can have one.
pub fn leaves_work_tree(path: &str) -> bool {
    path.split('/').any(|part| part.is_empty() || matches!(part, "." | "..") || plain(part) == ".git")
}

fn is_of_repository(folder: &str, inner: &str) -> bool {
    let is_loose = inner.len() == 2 && inner.bytes().all(|byte| byte.is_ascii_hexdigit());
    folder == "hooks" && HOOKS.split(' ').any(|name| name == inner)
        || folder == "objects" && is_loose
        || IN_REPOSITORY.iter().any(|(one, inners)| *one == folder && inners.contains(&inner))
}

/// A name as file systems see it that know no case, leave out invisible characters (HFS+), or dots, spaces and streams at
/// the end (NTFS, which also knows `git~1`).
fn plain(part: &str) -> String {
    let seen = |c: &char| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let name: String = part.chars().filter(seen).flat_map(char::to_lowercase).collect();
    let name = name.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    if name == "git~1" { ".git".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_that_a_file_system_takes_for_the_settings_of_git_is_of_a_work_tree() {
        for path in [
            ".git",
            "a/.git/hooks/pre-commit",
            ".GIT/config",
            "git~1/config",
            ".g\u{200c}it/config",
            ".git./x",
            "../x",
            "a/../../x",
            "/etc/passwd",
            "a//b",
            "",
        ] {
            assert!(leaves_work_tree(path), "{path}");
        }
        for path in [".gitignore", "a/.github/x", "a..b/c", "git/config"] {
            assert!(!leaves_work_tree(path), "{path}");
        }
    }

    #[test]
    fn what_runs_later_is_known_by_its_name_wherever_it_lies() {
        for path in [
            ".git/hooks/pre-commit",
            "a/.GIT/config",
            "a/./.git",
            ".git./config",
            ".g\u{200c}it/config",
            "GIT~1/config",
            ".git::$INDEX_ALLOCATION/config",
            "sub/HEAD",
            "sub/head",
            "sub/config",
            "sub/hooks/post-checkout",
            "sub/objects/4b/825dc642cb6eb9a060e54bf8d69288fbee4904",
            "sub/objects/info/alternates",
            "sub/refs/heads/main",
            "sub/packed-refs",
            ".codex/config.toml",
            ".gemini/settings.json",
            ".zed/tasks.json",
            "deep/down/.nvim.lua",
            ".exrc",
            ".vim/plugin/x.vim",
            ".dir-locals.el",
            ".jj/repo/config.toml",
            ".kiro/hooks/x",
            ".roo/mcp.json",
            ".amazonq/cli-agents/x.json",
            ".theia/tasks.json",
            "mise.toml",
            ".mise.toml",
            ".config/mise/config.toml",
            "opencode.json",
            ".opencode/plugin/x.ts",
            ".github/workflows/x.yml",
            ".gitlab-ci.yml",
            ".VSCode/tasks.json",
            "x.code-workspace",
            "venv/lib/python3.12/site-packages/x.pth",
            "lib/sitecustomize.py",
            ".bashrc",
            ".bash_profile",
            ".zshenv",
            ".aider.conf.yml",
            "tools/bazel",
            "rust-toolchain.toml",
            ".cargo/config.toml",
            "hie.yaml",
            ".pre-commit-config.yaml",
        ] {
            assert!(is_guarded(path), "{path}");
        }
    }

    #[test]
    fn ordinary_source_is_not() {
        for path in [
            "Makefile",
            "package.json",
            "build.rs",
            "conftest.py",
            "AGENTS.md",
            "src/config.rs",
            "config/app.toml",
            "src/config/mod.rs",
            "src/hooks/useState.ts",
            "src/hooks/update.ts",
            "src/objects/player.rs",
            "docs/refs/index.md",
            ".github/ISSUE_TEMPLATE/bug.md",
            ".gitignore",
            ".editorconfig",
            ".nvmrc",
            "git/x",
            "a:b",
            "overhead",
            "src/head.rs",
            "Dockerfile",
            "tools/bazel.py",
            "info/readme.md",
            "objects/face",
            "objects/zz",
            ".pth",
            "sub/.desktop",
        ] {
            assert!(!is_guarded(path), "{path}");
        }
    }
}
