//! Other ways to write what a rule denies.

use super::files::decide;

/// Each line with what comes of it.
pub(super) fn all(denied: &str, lines: &[(&str, &str)]) {
    let others = lines.iter().filter_map(|(expected, line)| {
        let found = decide(denied, line);
        (found != *expected).then(|| format!("{denied}: {line}: {found}, not {expected}"))
    });
    assert_eq!(others.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn no_alias_of_git_hides_a_subcommand_from_a_rule() {
    all(
        "shell(git push *)",
        &[
            ("deny", "git -c alias.x=push x origin HEAD:refs/heads/aliased"),
            ("deny", "git -c 'alias.x=push -f' x origin"),
            ("deny", "git -C sub -c 'Alias.x=--no-pager push' x"),
            ("deny", "git send-pack origin HEAD"),
            ("deny", "git-push origin"),
            ("deny", "git config alias.p push && git push"),
            ("ask", "git config alias.p push"),
            ("ask", "git config --global Alias.p 'push -f'"),
            ("ask", "git p origin"),
            ("ask", "git -C sub --no-pager p origin"),
            ("ask", "git --config-env=alias.x=V x"),
            ("ask", "git --config-env alias.x=V x"),
            ("ask", "git -c \"$x\" status"),
            ("ask", "git subtree push --prefix=a origin b"),
            ("ask", "watch git p"),
            ("ask", "watch 'git p'"),
            ("allow", "git -C sub status"),
            ("allow", "git -c user.name=me commit -m 'alias.x y'"),
            ("allow", "git config user.name me"),
            ("allow", "git config --get alias.p"),
            ("allow", "git check-ignore x"),
            ("allow", "git fetch"),
            ("allow", "git"),
            ("allow", "rg git src"),
        ],
    );
    all("shell(git add *)", &[("deny", "git stage -A"), ("allow", "git status")]);
    all("shell(git init *)", &[("deny", "git init-db x")]);
    all(
        "shell(git branch -D *)",
        &[
            ("deny", "git branch -D x"),
            ("deny", "git update-ref -d refs/heads/x"),
            ("ask", "git branch -d -f x"),
            ("ask", "git branch --delete --force x"),
            ("allow", "git branch -d x"),
            ("allow", "git update-ref refs/heads/x y"),
            ("allow", "git update-ref -d refs/tags/x"),
        ],
    );
    all("shell(git push --delete *)", &[("ask", "git push origin :x"), ("allow", "git push origin x:y")]);
    // Where no rule is about git, its aliases are nobody's concern.
    for denied in ["shell(rm *)", "shell(gitk *)"] {
        all(denied, &[("allow", "git p origin"), ("allow", "git config alias.p push")]);
    }
}

#[test]
fn what_a_program_starts_by_an_option_or_a_subcommand_is_denied() {
    all(
        "shell(rm *)",
        &[
            ("deny", "pnpm exec rm -rf x"),
            ("deny", "npm exec -c 'rm -rf x'"),
            ("deny", "npm --prefix a exec -- rm x"),
            ("deny", "bundle exec rm x"),
            ("deny", "yarn exec rm x"),
            ("deny", "rg --pre rm x ."),
            ("deny", "go test -exec rm ./..."),
            ("deny", "go test --exec='rm -f' ./..."),
            ("deny", "fd -x rm"),
            ("deny", "fd -Hx rm"),
            ("deny", "sort --compress-program=rm x"),
            ("deny", "watchexec rm x"),
            ("deny", "nodemon --exec 'rm x'"),
            ("deny", "just --command rm x"),
            ("deny", "java -XX:OnError='rm x' A"),
            ("ask", "npm exec \"$x\""),
            // What would be found, sorted or built is started by nobody.
            ("allow", "rg rm src"),
            ("allow", "rg 'rm -rf' src"),
            ("allow", "rg --pretty rm"),
            ("allow", "sort rm"),
            ("allow", "fd rm"),
            ("allow", "fd -tx rm"),
            ("allow", "go test ./... rm"),
            ("allow", "npm run build rm"),
            ("allow", "npm test"),
            ("allow", "npm exec eslint src"),
            ("allow", "just rm"),
            ("allow", "java -jar rm"),
        ],
    );
}

#[test]
fn a_text_for_a_program_that_runs_its_input_is_asked_about() {
    all(
        "shell(rm *)",
        &[
            ("ask", "make -f /dev/stdin <<< 'all:; rm x'"),
            ("ask", "make -f - <<E\nall:\n\trm x\nE"),
            ("ask", "env A=b python3 - <<'E'\nimport os; os.system('rm x')\nE"),
            ("ask", "bash /dev/stdin <<< 'rm x'"),
            ("ask", "{ python3 -; } <<< 'os.system(\"rm x\")'"),
            ("ask", "cat <<'E' | python3\nimport os; os.system('rm x')\nE"),
            ("ask", "{ cat <<'E'\nimport os; os.system('rm x')\nE\n} | python3 -"),
            ("ask", "cat <<< 'os.system(\"rm x\")' | tee a | python3 -"),
            ("ask", "uv run - <<'E'\nimport os; os.system('rm x')\nE"),
            ("ask", "ipython <<'E'\n!rm x\nE"),
            ("ask", "awk -f - <<'E'\nBEGIN { system(\"rm x\") }\nE"),
            ("ask", "sed -nf - a <<< '1e rm x'"),
            ("ask", "sftp h <<< '!rm x'"),
            ("ask", "crontab - <<< '* * * * * rm x'"),
            ("ask", "Rscript -e 'system(\"rm -rf x\")'"),
            ("ask", "R -e 'system(\"rm x\")'"),
            ("ask", "perl5.38 -e 'system(\"rm x\")'"),
            ("ask", "elixir -e 'System.cmd(\"rm\", [\"x\"])'"),
            ("ask", "guile -c '(system \"rm x\")'"),
            ("ask", "tsx -e 'spawn(\"rm\", [\"x\"])'"),
            ("allow", "cat <<'E' | grep a\nrm x\nE"),
            ("allow", "awk '{ print }' <<'E'\nrm x\nE"),
            ("allow", "sed s/a/b/ <<'E'\nrm x\nE"),
            ("allow", "python3 - <<'E'\nprint(1)\nE"),
            ("ask", "python3 - <<< \"$x\""),
            ("allow", "python3 a.py <<< \"$x\""),
            ("allow", "cat <<< 'rm x'"),
            ("allow", "cat > build.sh <<'E'\nrm x\nE\nmake all"),
            ("allow", "git commit -F - <<'E'\nrm x\nE"),
        ],
    );
}

#[test]
fn options_in_another_order_or_spelling_are_asked_about() {
    all(
        "shell(rm -rf *)",
        &[
            ("deny", "rm -rf x"),
            ("ask", "rm -fr x"),
            ("ask", "rm -r -f x"),
            ("ask", "rm x -r -f"),
            ("ask", "rm --recursive --force x"),
            ("ask", "sudo rm -fr x"),
            ("ask", "watch 'rm -fr x'"),
            ("ask", "find . -exec rm -fr {} +"),
            ("allow", "rm -r x"),
            ("allow", "rm -f x"),
            ("allow", "rm x"),
            // On the safe side: what is behind `--` is a name here.
            ("ask", "rm -- -fr"),
            ("allow", "ls -fr"),
        ],
    );
    all(
        "shell(rm -rf*)",
        &[
            ("deny", "rm -rf x"),
            ("ask", "rm -fr x"),
            ("ask", "rm -r -f x"),
            ("ask", "rm --recursive --force x"),
            ("allow", "rm -r x"),
            ("allow", "rm x"),
        ],
    );
    all(
        "shell(git push --force *)",
        &[
            ("deny", "git push --force origin"),
            ("ask", "git push origin main --force"),
            ("ask", "git push -f origin main"),
            ("ask", "git -C sub push -f"),
            ("ask", "git push origin +main"),
            ("allow", "git push origin main"),
            ("allow", "git push --force-with-lease"),
            ("allow", "git fetch -f"),
        ],
    );
}

#[test]
fn no_launcher_hides_another_spelling_from_a_rule() {
    all(
        "shell(git push *)",
        &[
            ("deny", "zsh -c 'git -C x push origin'"),
            ("deny", "ssh h git -C x push origin"),
            ("deny", "watch git -C x push"),
            ("deny", "setarch x86_64 git -C . push"),
            ("deny", "parallel git -C {} push ::: a"),
            ("deny", "docker run i git -C x push"),
            ("deny", "npx x git -C x push"),
            ("deny", "nix-shell --run 'git -C x push'"),
            ("deny", "setarch x86_64 git send-pack o m"),
            ("deny", "setarch x86_64 git-push origin"),
            ("deny", "setarch x86_64 /usr/lib/git-core/git-push origin"),
            ("deny", "git submodule foreach git push"),
            ("deny", "git submodule foreach --recursive git push"),
            ("deny", "git -C a submodule --quiet foreach 'git -C b push'"),
            ("deny", "git bisect run git push origin"),
            ("ask", "git submodule foreach git p"),
            ("allow", "watch git -C x log push"),
            ("allow", "ssh h git -C x status"),
            ("allow", "docker run -v push i git log"),
            ("allow", "git submodule update --init"),
            ("allow", "git bisect start"),
        ],
    );
    all(
        "shell(git push --force *)",
        &[
            ("ask", "ssh h 'git -C x push origin -f'"),
            ("ask", "zsh -c 'git -C a push -f x'"),
            ("ask", "fd x -x git -C {} push -f"),
            ("allow", "ssh h 'git -C x push origin'"),
        ],
    );
    for (denied, line) in [
        ("shell(kubectl delete *)", "ssh h kubectl -n prod delete pod x"),
        ("shell(docker push *)", "ssh h docker --context x push y"),
        ("shell(terraform destroy *)", "uv run terraform -chdir=x destroy"),
        ("shell(rm -rf *)", "git submodule foreach rm -rf x"),
        ("shell(rm -rf *)", "git submodule foreach 'rm -rf x'"),
        ("shell(npm publish *)", "git bisect run npm publish"),
    ] {
        all(denied, &[("deny", line)]);
    }
}

#[test]
fn a_text_for_an_interpreter_hides_no_other_spelling() {
    all(
        "shell(rm -rf *)",
        &[
            ("ask", "python3 -c 'import os; os.system(\"rm -r -f x\")'"),
            ("ask", "python3 - <<'E'\nimport os; os.system('rm -r -f x')\nE"),
            ("ask", "python3 -c 'import subprocess; subprocess.run([\"rm\", \"-r\", \"-f\", \"x\"])'"),
            ("ask", "git submodule foreach 'rm -r -f x'"),
            ("allow", "python3 -c 'import os; os.system(\"rm -r x\")'"),
        ],
    );
    all(
        "shell(git push *)",
        &[
            ("ask", "python3 -c 'import os; os.system(\"git -C a push\")'"),
            ("ask", "python3 -c 'import subprocess; subprocess.run([\"git\", \"push\"])'"),
            ("ask", "git rebase -x 'git -C a push' main"),
            ("ask", "make --eval 'x:;git -C a push'"),
            ("allow", "python3 -c 'print(\"git is nice\")'"),
            ("allow", "git commit -m 'git -C a push'"),
        ],
    );
}

#[test]
fn a_word_that_only_names_something_is_no_program_of_git() {
    all(
        "shell(git push *)",
        &[
            ("allow", "man git-push"),
            ("allow", "make git-push"),
            ("allow", "cmake --build build --target git-push"),
            ("allow", "sudo journalctl -u git-push -f"),
            ("allow", "kubectl get git-push"),
            ("allow", "kubectl apply -f git-push"),
            ("allow", "docker pull git-push"),
            ("allow", "docker build -t git-push ."),
            ("allow", "docker tag app reg/git-push"),
            ("allow", "ssh h docker pull git-push"),
            ("deny", "sudo git-push origin"),
            ("deny", "sudo -u x timeout 5 git-push"),
            ("deny", "ssh -p 22 h git-push"),
            ("deny", "docker run i git-push"),
            ("deny", "docker exec -i c git-push"),
            ("deny", "kubectl exec p -- git-push"),
            ("deny", "zsh -c 'git-push origin'"),
            ("ask", "make SHELL=git-push"),
            ("ask", "man -P git-push x"),
        ],
    );
    all("shell(git-push *)", &[("deny", "docker run i git-push"), ("ask", "man git-push")]);
}

#[test]
fn many_words_hide_nothing_from_a_rule() {
    let many = |word: &str| [word; 300].join(" ");
    for word in ["cargo", "cargo -a", "-a cargo", "cargo -a cargo"] {
        let line = format!("watch {} cargo publish", many(word));
        assert!(matches!(decide("shell(cargo publish *)", &line), "ask" | "deny"), "{word}");
    }
    let line = format!("watch {} cargo publish", many("x"));
    assert_eq!(decide("shell(cargo publish *)", &line), "deny");
    let line = format!("npx eslint {}", many("src/a.ts"));
    for denied in ["shell(cargo publish *)", "shell(*--force*)", "shell(rm *)"] {
        assert_eq!(decide(denied, &line), "allow", "{denied}");
    }
}

#[test]
fn launchers_of_many_tools_hide_no_command_from_a_rule() {
    for launcher in [
        "rustup run stable",
        "cargo watch --",
        "cargo +nightly watch -x check --",
        "stack exec --",
        "cabal exec --",
        "opam exec --",
        "composer exec",
        "tox exec -e x --",
        "pixi run",
        "rye run",
        "pipx run",
        "devbox run",
        "docker-compose exec web",
        "yarn workspace a exec",
        "yarn workspaces foreach -A exec",
        "ip netns exec a",
        "op run --",
        "aws-vault exec p --",
        "gtimeout 5",
        "genv A=b",
        "gnice -n 5",
        "gxargs -n 1",
        "gstdbuf -o0",
        "proxychains4",
        "sem -j 2",
        "cross-env A=b",
        "dotenv --",
    ] {
        for (denied, command) in [("shell(git push *)", "git -C x push origin"), ("shell(rm *)", "rm -f x")] {
            assert_eq!(decide(denied, &format!("{launcher} {command}")), "deny", "{launcher} {command}");
        }
    }
    for launcher in ["cargo watch -s", "concurrently", "repo forall -c", "ansible all -a", "sops exec-env f"]
    {
        let line = format!("{launcher} 'git -C x push origin'");
        assert_eq!(decide("shell(git push *)", &line), "deny", "{line}");
    }
}

#[test]
fn behind_a_program_that_nobody_knows_a_command_is_asked_about() {
    all(
        "shell(git push *)",
        &[
            ("ask", "nobody-knows git push"),
            ("ask", "nobody-knows -n 1 git -C x push origin"),
            ("allow", "./wrap.sh git-push origin"),
            ("ask", "FORCE_COLOR=1 ./node_modules/.bin/wrap -- git push"),
            // Behind a launcher that is known, whatever its words end in counts as started.
            ("deny", "timeout 5 ./node_modules/.bin/wrap -- git push"),
            ("allow", "nobody-knows git log push"),
            ("allow", "nobody-knows git is nice"),
            ("allow", "nobody-knows \"$x\" push"),
            ("allow", "./fd push x"),
        ],
    );
    all(
        "shell(rm -rf *)",
        &[("ask", "nobody-knows rm -r -f x"), ("ask", "./fd rm -rf x"), ("allow", "nobody-knows rm -r x")],
    );
    all(
        "shell(rm *)",
        &[
            ("ask", "nobody-knows rm x"),
            // A word alone, and words of programs that are known to start nothing.
            ("allow", "nobody-knows rm"),
            ("allow", "nobody-knows x arm y"),
            ("allow", "nobody-knows \"$x\" y"),
            ("allow", "fd rm src"),
            ("allow", "ldd rm x"),
            ("allow", "svn rm x"),
            ("allow", "gsutil rm gs://x/y"),
            ("allow", "dvc rm a"),
            ("allow", "ipfs pin rm x"),
            ("allow", "mc rm x/y"),
            ("allow", "etcdctl rm a"),
            ("allow", "fossil rm a"),
            ("allow", "nats pub rm x"),
            ("allow", "mosquitto_pub -t rm -m x"),
            ("ask", "./mc rm x"),
            ("allow", "cargo rm x"),
            ("allow", "go test ./... rm x"),
        ],
    );
    all("shell(curl *)", &[("allow", "zypper install curl git"), ("allow", "brew install curl git")]);
}
